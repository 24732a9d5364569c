"""`matcha query`: SPARQL and Cypher compared with every map, unsupported queries, and texts that are not queries."""

import collections
import json
import random

import match_oracle
import query_oracle
from cli import CliTest, fewer, main

RELATIONS = ["knows", "likes", "http://x/a.b#c"]
# How each language writes a query on some edges, with the graph's words; `{}`: edges that are listed below.
SHAPES = [
    [("a", "b", 0)], [("a", "b", 0), ("b", "a", 0)], [("a", "b", 0), ("b", "c", 0)], [("a", "b", 0), ("c", "b", 0)],
    [("a", "b", 0), ("b", "c", 1), ("a", "c", 2)], [("a", "b", None), ("b", "c", 0)], [("a", "a", 1), ("a", "b", 0)],
    [("a", "b", 0), ("a", "c", 0), ("a", "d", 0)], [("a", "b", None), ("b", "c", None), ("c", "a", None)],
    [("a", "b", 2), ("b", "c", 2), ("c", "d", 2), ("d", "a", 2)],
]


def random_graph(seed):
    source = random.Random(seed)
    vertices = [f"v{number}" for number in range(6)]
    edges = {(source.choice(vertices), source.choice(vertices), source.choice(RELATIONS)) for _ in range(24)}
    # No line looks like a heading, and every label is there.
    edges |= {("v0", "v1", word) for word in RELATIONS}
    used = sorted({end for edge in edges for end in edge[:2]})
    return match_oracle.Graph(used, {v: "" for v in used}, edges, True)


def sparql(shape, differ=()):
    text = " . ".join(f"?{u} {'?p%d' % at if word is None else '<%s>' % RELATIONS[word]} ?{v}"
                      for at, (u, v, word) in enumerate(shape))
    filters = "".join(f" FILTER(?{u} != ?{v})" for u, v in differ)
    return f"SELECT (COUNT(*) AS ?n) WHERE {{ {text} .{filters} }}"


def cypher(shape, differ=()):
    text = ", ".join(f"({u})-[{'' if word is None else ':`%s`' % RELATIONS[word]}]->({v})" for u, v, word in shape)
    where = " WHERE " + " AND ".join(f"{u} <> {v}" for u, v in differ) if differ else ""
    return f"MATCH {text}{where} RETURN count(*)"


def oracle(graph, shape, match, differ=()):
    names = sorted({end for edge in shape for end in edge[:2]})
    edges = [(names.index(u), names.index(v), "any" if word is None else "one", None if word is None else RELATIONS[word])
             for u, v, word in shape]
    whole = match_oracle.maps(graph, match_oracle.Pattern(len(names), edges), match)
    for u, v in differ:
        # Those with both on one vertex are the maps of the pattern in which they are one.
        merged = [(u if a == v else a, u if b == v else b, word) for a, b, word in shape]
        whole -= oracle(graph, merged, match) if match == "homo" else 0
    return whole


class Query(CliTest):
    def setUp(self):
        super().setUp()
        self.graph = random_graph(3)
        self.file = self.write("g.txt", "".join(f"{u}\t{v}\t{word}\n" for u, v, word in sorted(self.graph.edges)))

    def query(self, text, *more, graph_file=None):
        return self.ok("query", "--quiet", "--backend", "interp", text, graph_file or self.file, *more).strip()

    def test_counts(self):
        for seed in range(fewer(4, 1)):
            self.graph = random_graph(seed)
            self.file = self.write("g.txt", "".join(f"{u}\t{v}\t{word}\n" for u, v, word in sorted(self.graph.edges)))
            for shape in SHAPES:
                self.assertEqual(int(self.query(sparql(shape))), oracle(self.graph, shape, "homo"), shape)
                self.assertEqual(int(self.query(cypher(shape))), oracle(self.graph, shape, "edge"), shape)

    def check_random(self, seed, *more):
        """A SPARQL and a Cypher query, as a count or as rows, against the standards' definitions."""
        source = random.Random(seed)
        vertices, words = [f"v{number}" for number in range(source.choice([3, 4, 6]))], RELATIONS
        edges = {(source.choice(vertices), source.choice(words), source.choice(vertices)) for _ in range(source.choice([6, 12, 20]))}
        if source.random() < 0.3:
            edges = {edge for edge in edges if edge[0] != edge[2]}
        edges = sorted(edges | {("v0", word, "v1") for word in words})
        used = sorted({end for edge in edges for end in (edge[0], edge[2])})
        labels = {v: source.choice(["S", "T", "S;T", "U;T", "T;U;S"] if source.random() < 0.6 else "ST") for v in used}
        labels[used[0]], labels[used[1]] = "S", "T"
        graph = [self.write("g.txt", "".join(f"{u}\t{v}\t{word}\n" for u, word, v in edges)),
                 "--labels", self.write("labels.txt", "".join(f"{v}\t{label}\n" for v, label in labels.items())), *more]
        rows = source.random() < 0.4
        text, triples, differ, shown = query_oracle.random_sparql(source, used, words, rows)
        self.agrees(text, query_oracle.sparql_solutions(edges, triples, differ), shown, graph, seed)
        text, nodes, between, differ, shown = query_oracle.random_cypher(source, ["S", "T"], words, rows)
        self.agrees(text, query_oracle.cypher_matches(edges, labels, nodes, between, differ), shown, graph, seed)

    def agrees(self, text, found, shown, graph, seed):
        out = self.ok("query", "--quiet", text, *graph).splitlines()
        if not shown:
            self.assertEqual(out, [str(len(found))], [seed, text])
            return
        self.assertEqual(out[0].split(","), [name.lstrip("?") for name in shown], [seed, text])
        rows = collections.Counter(tuple(line.split(",")) for line in out[1:])
        self.assertEqual(rows, query_oracle.rows_of(found, shown), [seed, text])

    def test_random_queries(self):
        for seed in range(fewer(30, 8)):
            self.check_random(seed, "--backend", "interp")
        for seed in range(30, fewer(34, 31)):
            self.check_random(seed)

    def test_differ(self):
        for shape, pair in ((SHAPES[2], ("a", "c")), (SHAPES[3], ("a", "c"))):
            wanted = oracle(self.graph, shape, "homo", [pair])
            self.assertEqual(int(self.query(sparql(shape, [pair]))), wanted, shape)
            self.assertLess(wanted, oracle(self.graph, shape, "homo"))
        both = "MATCH (a)-[:knows]->(b)<-[:knows|likes]-(c) {}RETURN count(*)"
        knows = {e for e in self.graph.edges if e[2] == "knows"}
        either = {e for e in self.graph.edges if e[2] in ("knows", "likes")}
        pairs = [(one, two) for one in knows for two in either if one[1] == two[1] and one != two]
        self.assertEqual(int(self.query(both.format(""))), len(pairs))
        self.assertEqual(int(self.query(both.format("WHERE a <> c "))), sum(one[0] != two[0] for one, two in pairs))

    def test_several_labels_that_the_graph_does_not_have(self):
        file = self.write("t.txt", "1\t2\tknows\n")
        for text in ("MATCH (a)-[:owns]->(b), (a)-[:owns|likes]->(b) RETURN a", "MATCH (a)-[:owns|likes]->(b) RETURN a",
                     "MATCH (a)-[:owns]->(a), (a)-[:likes|owns]->(a) RETURN a"):
            self.assertEqual(self.query(text, graph_file=file), "a", text)
            self.assertEqual(self.query(text[:-1] + "count(*)", graph_file=file), "0", text)

    def test_several_types(self):
        file = self.write("t.txt", "1\t2\tknows\n2\t3\tknows\n3\t1\tlikes\n")
        labels = self.write("types.txt", "1 Person;Admin\n2 Person\n3 Admin;Bot;Person\n")
        mtg = self.path("t.mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--edge-labels", "--keep-loops", "--labels", labels, file, mtg)
        for node, wanted in ((":Person", 3), (":Admin", 2), (":Admin:Bot", 1), (":Bot&Person", 1), (":Bot|Admin", 2), (":Ghost", 0),
                             (":Admin:Ghost", 0)):
            for graph in ([file, "--labels", labels], [mtg]):
                for more in ([], ["--backend", "interp"]):
                    count = self.ok("query", "--quiet", f"MATCH (a{node})-[r]->() RETURN count(*)", *graph, *more)
                    self.assertEqual(count.strip(), str(wanted), [node, graph, more])
        for text in ("MATCH (a:`Person;Admin`)-[r]->() RETURN count(*)", "MATCH (a:`Person;Admin`) WITH a RETURN a"):
            self.fails(1, "query", text, mtg, says=["<query>:1:10", "a label of a node has no `;`"])
        rows = self.ok("query", "--quiet", "MATCH (a:Person)-[:knows]->(b), (a:Admin) RETURN a, b", mtg)
        self.assertEqual(rows, "a,b\n1,2\n")
        run = ["run", "--quiet", "--directed", file, "--labels", labels, "--pattern"]
        self.assertEqual(self.ok(*run, "a:Admin->b=knows"), "1\n")
        self.assertEqual(self.ok(*run, "a:'Admin;Person'->b:Person"), "2\n")
        self.assertEqual(self.ok(*run, "a:'Person;Bot'->b", "--backend", "interp"), "1\n")
        self.fails(1, *run, "a:Admn->b", says=["[unknown-label]", "Admin"])
        # A program sees the label as it is.
        program = "def n(G: Graph) -> int:\n    return sum(apply(lambda v: 1, cond=lambda v: vertex_label(G, v) == {}, vertices(G)))\n"
        whole = self.write("p.mt", program.format("'Person;Admin'"))
        self.assertEqual(self.ok("run", "--quiet", whole, file, "--labels", labels), "1\n")
        twice = self.write("twice.txt", "1 Person\n1 Admin\n")
        self.fails(3, "query", "ASK { ?a ?p ?b }", file, "--labels", twice, says=["twice.txt:2: error: vertex `1` has a second label", "1 Person;Admin"])

    def test_either_direction(self):
        # A loop counts once, an edge and the one back are two.
        edges = [("1", "knows", "2"), ("2", "knows", "1"), ("1", "knows", "1"), ("2", "likes", "3")]
        file = self.write("e.txt", "".join(f"{u}\t{v}\t{word}\n" for u, word, v in edges))
        plain = self.write("p.txt", "".join(f"{u}\t{v}\t{word}\n" for u, word, v in edges if u != v))
        for query, wanted, without_loop in (
            ("(a)-[:knows]-(b)", 5, 4), ("(a)<-[:knows]->(b)", 5, 4), ("(a)--(b)", 7, 6), ("(a)-[:knows]-(a)", 1, 0),
            ("(a)-[:knows]-(b)-[:likes]->(c)", 2, 2), ("(a)-[:knows]-(b), (a)-[:knows]-(b)", 4, 4),
            ("(a)-[:knows]-(b)-[:knows|likes]-(c) WHERE a <> c", 6, 2), ("(a)-[:hates]-(b)", 0, 0),
        ):
            text = f"MATCH {query} RETURN count(*)"
            for graph, number in ((file, wanted), (plain, without_loop)):
                self.assertEqual(self.query(text, graph_file=graph), str(number), [query, graph])
                self.assertEqual(self.ok("query", "--quiet", text, graph).strip(), str(number), [query, graph])
        rows = self.query("MATCH (a)-[:likes]-(b) RETURN a, b", graph_file=file).splitlines()
        self.assertEqual(sorted(rows[1:]), ["2,3", "3,2"])
        self.assertIn("other directions", json.loads(self.query("MATCH (a)--(b) RETURN count(*)", "--json"))["pattern"])

    def test_rows(self):
        wanted = sorted(f"{u},{v}" for u, v, word in self.graph.edges if word == "knows")
        rows = self.query("PREFIX : <> SELECT ?x ?y { ?x :knows ?y }").splitlines()
        self.assertEqual((rows[0], sorted(rows[1:])), ("x,y", wanted))
        rows = self.query("MATCH (x)-[:knows]->(y) RETURN y AS end, x").splitlines()
        self.assertEqual((rows[0], sorted(rows[1:])), ("end,x", sorted(",".join(row.split(",")[::-1]) for row in wanted)))
        self.assertEqual(len(self.query("SELECT ?x { ?x <knows> ?y } LIMIT 2").splitlines()), 3)
        self.assertEqual(sorted(self.query("SELECT ?y { ?x <knows> ?y }").splitlines()[1:]),
                         sorted(row.split(",")[1] for row in wanted))
        found = json.loads(self.query("SELECT DISTINCT * WHERE { ?x <knows> ?y }", "--json"))
        self.assertEqual((found["columns"], sorted(",".join(row) for row in found["result"])), (["x", "y"], wanted))

    def test_rows_of_labels(self):
        edges = [("1", "knows", "2"), ("2", "knows", "1"), ("1", "likes", "2"), ("2", "7", "2")]
        file = self.write("l.txt", "".join(f"{u}\t{v}\t{word}\n" for u, word, v in edges))
        for extra in ([], ["--backend", "interp"]):
            rows = lambda text, *more: self.ok("query", "--quiet", text, file, *extra, *more).splitlines()
            self.assertEqual(sorted(rows("SELECT ?p ?x { ?x ?p <2> }")[1:]), ["7,2", "knows,1", "likes,1"])
            self.assertEqual(rows("SELECT DISTINCT * { ?x ?p ?y . ?y ?p ?x . ?x <likes> ?y }"), ["p,x,y", "knows,1,2"])
            self.assertEqual(sorted(rows("MATCH (a)-[r]-(b)-[s:likes]->(c) RETURN type(r), a")[1:]), ["knows,2", "knows,2"])
            self.assertEqual(rows("MATCH (a)-[r]->(a) RETURN type(r) AS kind"), ["kind", "7"])
            self.assertEqual(len(rows("SELECT ?p { ?x ?p ?y } LIMIT 3")), 4)
        found = json.loads(self.ok("query", "--quiet", "--json", "SELECT ?p ?y { <2> ?p ?y }", file))
        self.assertEqual((found["columns"], sorted(found["result"], key=str)), (["p", "y"], [["7", 2], ["knows", 1]]))
        out = self.path("x.ndjson")
        self.ok("query", "--quiet", "SELECT ?p { <1> ?p ?y }", file, "--matches", out)
        with open(out, encoding="utf-8") as file_of_rows:
            self.assertEqual(sorted(file_of_rows.read().splitlines()), ['{"p":"knows"}', '{"p":"likes"}'])
        self.fails(2, "query", "SELECT ?p { ?x ?p ?y }", file, "--matches", self.path("x.npy"), says="labels of edges")

    def test_sparql_words(self):
        knows = sum(word == "knows" for _, _, word in self.graph.edges)
        from_v0 = sorted(v for u, v, word in self.graph.edges if u == "v0" and word == "knows")
        self.assertEqual(self.query("select (count(*) as ?n) where { ?a <knows> ?b } # all"), str(knows))
        self.assertEqual(sorted(self.query("PREFIX g: <> SELECT ?b { g:v0 g:knows ?b . }").splitlines()[1:]), from_v0)
        self.assertEqual(self.query("ASK { <v0> <likes> <v1> }"), "true")
        self.assertEqual(self.query("ASK { ?a <likes> ?a , <v0> ; <knows> <nobody> }"), "false")
        # Names that are not in the graph match nothing.
        self.assertEqual(self.query("SELECT (COUNT(*) AS ?n) { ?a <hates> ?b }"), "0")
        self.assertEqual(self.query("MATCH (a)-[:hates]->(b) RETURN count(*)"), "0")
        self.assertEqual(self.query("SELECT (COUNT(*) AS ?n) { ?a <knows> _:x . _:x <knows> ?b }"),
                         str(oracle(self.graph, SHAPES[2], "homo")))
        self.assertEqual(self.query("SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?a ?p ?b }"), str(len(self.graph.edges)))
        path = self.write("q.rq", "# a query\nSELECT (COUNT(*) AS ?n)\nWHERE { ?a <knows> ?b }\n")
        self.assertEqual(self.query(path), str(knows))

    def test_triples(self):
        file = self.write("g.nt", '<a> <age> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .\n<b> <age> "5" .\n'
                                  '<b> <name> "B x"@EN .\n<a> <knows> <a> .\n_:n <knows> <b> .\n')
        rows = lambda text: sorted(self.ok("query", "--quiet", text, file).splitlines()[1:])
        self.assertEqual(rows("SELECT ?x { ?x <age> 5 }"), ["a"])
        self.assertEqual(rows("PREFIX x: <http://www.w3.org/2001/XMLSchema#> SELECT ?x { ?x <age> '5'^^x:string }"), ["b"])
        self.assertEqual(rows("SELECT ?x { ?x <name> 'B x'@en , ?y }"), ["b"])
        # No text of a pattern has a quote of its own.
        self.fails(1, "query", "ASK { ?x <name> 'B \"x\"' }", file, says=["<query>:1:17:", "[pattern-label]"])
        self.assertEqual(rows("SELECT ?x { ?x <knows> ?x }"), ["a"])
        self.assertEqual(rows("SELECT ?x { ?x <knows> ?y }"), ["_:n", "a"])
        self.assertEqual(rows("SELECT ?x { ?x <age> 6 }"), [])
        mtg = self.path("g.mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--edge-labels", "--keep-loops", file, mtg)
        self.assertEqual(self.ok("query", "--quiet", "ASK { <b> <age> '5' }", mtg), "true\n")
        self.assertIn("N-Triples, 3 literals left out", self.ok("graph", "info", "--no-literals", file))
        broken = self.write("b.nt", "<a> <p> <b> .\n<a> <p> b .\n")
        self.fails(3, "query", "ASK { ?x <p> ?y }", broken, says=["b.nt:2: error: expected an object, found `b`"])
        self.fails(3, "run", "--pattern", "edge", broken, says="b.nt:2:")

    def test_types_of_a_mtg_beside_conditions(self):
        text = self.write("k.txt", "1 2 K\n2 1 B\n2 2 B\n2 3 K\n")
        mtg = text.replace(".txt", ".mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--edge-labels", "--keep-loops", text, mtg)
        for query, rows in (("MATCH (a)-[:K]->(b {id: 2}) RETURN a", ["1"]), ("MATCH (a)-[:B]->(b) WHERE a.id <= b.id RETURN b", ["2"]),
                            ("MATCH (a)-[:K]->(b) WHERE 1 = 1 RETURN b", ["2", "3"]), ("MATCH (a)-[:K]->(b) WHERE a.id <> 1 RETURN count(*)", ["1"]),
                            ("MATCH (a)-[r]->(b) WHERE b IS NOT NULL AND a.id < 2 RETURN b", ["2"]),
                            ("MATCH (a)-[:K]->(b) WHERE b IS NULL OR id(a) = 2 RETURN b", ["3"])):
            for graph in (text, mtg):
                self.assertEqual(sorted(self.ok("query", query, graph, "--quiet").split("\n")[-len(rows) - 1:-1]), rows, (query, graph))

    def test_messages(self):
        done = self.matcha("query", sparql(SHAPES[0]), self.file)
        self.assertIn(b"homomorphisms", done.stderr)
        found = json.loads(self.ok("query", "--json", cypher(SHAPES[0]), self.file))
        self.assertIn("edges that all differ", found["pattern"])

    def test_refused(self):
        for text, place, words in (
            ("SELECT ?a { ?a <knows> ?b OPTIONAL { ?b <likes> ?c } }", 27, "`.`"),
            ("SELECT ?a { OPTIONAL { ?a <knows> ?b } }", 13, "triple"),
            ("SELECT ?a { ?a <knows>/<likes> ?b }", 23, "paths"),
            ("SELECT ?a { ?a <knows> 'x\\n' }", 24, "literals with escapes"),
            ("SELECT ?a { 5 <knows> ?a }", 13, "no subject"),
            ("SELECT ?a { ?a <knows> 'x'^^y:t }", 29, "prefix"),
            ("SELECT ?a { ?a <knows> 'x'@5 }", 28, "language"),
            ("SELECT ?a { ?a ex:knows ?b }", 16, "prefix"),
            ("SELECT ?z { ?a <knows> ?b }", 8, "no triple"),
            ("SELECT DISTINCT ?a { ?a <knows> ?b }", 8, "DISTINCT"),
            ("SELECT ?a { ?a <knows> ?b FILTER(?a < ?b) }", 37, "`!=`"),
            ("SELECT ?a { ?a ?b ?c . ?b <knows> ?c }", 16, "predicate and a vertex"),
            ("SELECT ?a { ?a <knows> ?b } ORDER BY ?a", 29, "end of the query"),
            ("SELECT ?a { ?a <knows> ?b", 26, "`.`"),
            ("MATCH (a)-->(b) WHERE toLower(a.x) = 'y' RETURN count(*)", 23, "function `toLower`"),
            ("MATCH (a)-[r]->(b) RETURN type(a)", 27, "of a relationship"),
            ("CREATE (a) ", 1, "`CREATE` is not read"), ("ASKS (a) ", 1, "SELECT"), ("MTACH (a) RETURN a", 1, "did you mean `MATCH`?"),
            ("MATCH (a)-->(b) RETURN count(*); MATCH (a) RETURN a", 34, "end of the query"),
            ("MATCH (a)-->(b) RETURN count(c)", 30, "nothing is called `c`"),
            ("SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a <knows> ?b }", 15, "DISTINCT"),
            ("SELECT (COUNT(?z) AS ?n) { ?a <knows> ?b }", 15, "no triple"),
            ("SELECT ?a { ?a <knows> ?b };", 28, "end of the query"),
        ):
            self.fails(1, "query", text, self.file, says=[f"<query>:1:{place}:", words, "[pattern-syntax]"])
        self.fails(3, "query", "nowhere.rq", self.file, says="cannot read the query")
        self.fails(2, "query", sparql(SHAPES[0]), self.file, "--matches", self.path("x.csv"), says="--matches")

    def test_many_choices(self):
        """Patterns with more choices of direction than a program has are walked."""
        edges = [("1", "2", "knows"), ("2", "3", "likes"), ("3", "1", "knows"), ("1", "4", "likes"), ("4", "2", "knows"), ("2", "1", "likes"),
                 ("3", "4", "knows"), ("4", "1", "likes"), ("1", "1", "knows")]  # fmt: skip
        file = self.write("many.txt", "".join("\t".join(edge) + "\n" for edge in edges))

        def trails(at, used):
            if len(used) == 7:
                return 1
            ways = [(u, v, edge) for edge in edges for u, v in {edge[:2], edge[1::-1]}]
            return sum(trails(v, used | {edge}) for u, v, edge in ways if edge not in used and at in (None, u))

        text = "MATCH " + "--".join(f"(v{i})" for i in range(8)) + " RETURN count(*)"
        self.assertEqual(self.ok("query", "--quiet", text, file).strip(), str(trails(None, frozenset())))
        many = ", ".join(f"(v{i})-[:knows|likes]->(v{i + 1})" for i in range(7))
        self.fails(1, "query", f"MATCH {many} RETURN count(*)", self.file, says=["<query>:1:1:", "more than 64 ways", "leave types out"])

    def test_counts_of_names_and_the_end(self):
        knows = sum(word == "knows" for _, _, word in self.graph.edges)
        for text in ("MATCH (a)-[r:knows]->(b) RETURN count(r)", "MATCH (a)-[r:knows]->(b) RETURN count(a) AS n LIMIT 1 ;",
                     "MATCH (a)-[:knows]->(b) RETURN count(*); // all", "SELECT (COUNT(?b) AS ?n) { ?a <knows> ?b }"):
            self.assertEqual(self.query(text), str(knows), text)

    def test_overlapping_types(self):
        file = self.write("o.txt", "0\t1\ty\n1\t1\tz\n1\t0\tx\n1\t1\ty\n")
        three = "MATCH (a)-[:z]->(b), (a)-[:y]->(b), (a)-[:y|z]->(b), (a)-[r]->(b) RETURN "
        # Two types have no third edge.
        self.assertEqual(self.query(three + "type(r) AS t, a", graph_file=file), "t,a")
        self.assertEqual(self.query(three + "count(*)", graph_file=file), "0")

    def test_edges_without_types(self):
        arcs = [(1, 2), (2, 3), (3, 1), (1, 3), (3, 4), (4, 4)]
        plain = self.write("plain.txt", "".join(f"{u} {v}\n" for u, v in arcs))
        heading = self.write("plain.csv", "src,dst\n" + "".join(f"{u},{v}\n" for u, v in arcs))
        mtg = self.path("plain.mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--keep-loops", plain, mtg)
        for graph in (plain, heading, mtg):
            for text, wanted in (("MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)", "3"), ("MATCH (a)--(b) RETURN count(*)", "11"),
                                 ("SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?b ?p ?c . ?c ?p ?a }", "4"), ("ASK { ?a ?p ?a }", "true"),
                                 ("MATCH (a)-[r]->(a) RETURN a, type(r)", "a,type(r)\n4,")):
                self.assertEqual(self.query(text, graph_file=graph), wanted, [graph, text])
            for text in ("MATCH (a)-[:knows]->(b) RETURN count(*)", "ASK { ?a <knows> ?b . ?b ?p ?c }"):
                self.fails(3, "query", text, graph, says=["<query>:1:", "the edges of the file have none", "--edge-label"])
        # Other formats have edges without types likewise.
        for name, text in (("p.net", "*Vertices 3\n*Arcs\n1 2\n2 3\n"),
                           ("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"),
                           ("p.graphml", '<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>'
                            '<edge source="a" target="b"/><edge source="b" target="c"/></graph></graphml>')):
            self.assertEqual(self.query("MATCH (a)-->(b) RETURN count(*)", graph_file=self.write(name, text)), "2", name)
        # One line with a label, and one without, are no file of either kind.
        self.fails(3, "query", "ASK { ?a ?p ?b }", self.write("mixed.txt", "1 2 x\n2 3\n"), says="mixed.txt:")

    def test_repeated_relationships(self):
        lines = ["1\t2\tR"] * 2 + ["2\t3\tS"] * 2 + ["3\t1\tT"] * 3 + ["3\t3\tR"]
        file = self.write("r.txt", "".join(line + "\n" for line in lines))
        plain = self.write("p.txt", "1 2\n1 2\n2 1\n")
        for text, wanted in (
            ("MATCH (y)<-[:R]-(b)<-[:T]-(p)<-[:S]-(x)<-[:R]-(a) RETURN count(*)", 2 * 1 * 3 * 2),
            ("MATCH (a)-[:R]->(b) RETURN count(*)", 3), ("MATCH (a)-->(b) RETURN count(*)", 8), ("MATCH (a)-[:R|S]-(b) RETURN count(*)", 9),
            ("MATCH (a)-[:R]->(b)<-[:R]-(c) RETURN count(*)", 2), ("MATCH (a)-->(b)<--(c) RETURN count(*)", 2 * 1 + 2 * 1 + 2 * 2 + 3 * 2),
            ("MATCH (a)-[:R]->(a) RETURN count(*)", 1), ("MATCH (a)-[:T]->(b)-[:R]->(c) RETURN count(*)", 6),
            ("MATCH (a)-[:`0`]->(b) RETURN count(*)", 0),
            ("SELECT (COUNT(*) AS ?n) { ?a <R> ?b }", 2),
        ):
            self.assertEqual(self.query(text, graph_file=file), str(wanted), text)
            self.assertEqual(self.ok("query", "--quiet", text, file).strip(), str(wanted), text)
        rows = self.query("MATCH (a)-[r]->(b) RETURN a, type(r)", graph_file=file).splitlines()[1:]
        self.assertEqual(sorted(rows), sorted(f"{line[0]},{line[-1]}" for line in lines))
        found = json.loads(self.query("MATCH (a)-[r]->(b) RETURN type(r)", "--json", graph_file=file))
        self.assertEqual(sorted(found["result"]), sorted(line[-1] for line in lines))
        self.assertEqual(len(self.query("MATCH (a)-[:T]->(b) RETURN a LIMIT 2", graph_file=file).splitlines()), 3)
        self.assertEqual(self.query("MATCH (a)-->(b)-->(a) RETURN count(*)", graph_file=plain), "4")
        numbers = self.write("n.txt", "1 2 7\n1 2 7\n2 3 0\n")
        self.assertEqual(self.query("MATCH (a)-[:7]->(b)-[:0]->(c) RETURN count(*)", graph_file=numbers), "2")
        self.assertEqual(self.query("MATCH (a)-[:8]->(b) RETURN count(*)", graph_file=numbers), "0")
        self.assertEqual(self.query("MATCH (a)-[r]->(b) RETURN type(r)", graph_file=numbers).split(), ["type(r)", "7", "7", "0"])
        for more in ("", " ORDER BY type(r)"):
            found = json.loads(self.ok("query", "--quiet", "--json", "MATCH (a)-[r]->(b) RETURN type(r)" + more, numbers))
            self.assertEqual(sorted(found["result"]), ["0", "7", "7"], more)
        # Unanswerable queries are refused with a hint.
        self.fails(3, "query", "MATCH (a)-[:R]-(b), (a)-[:R]-(b) RETURN count(*)", file, says=["<query>:1:24:", "one each way", "hint"])
        many = "MATCH " + ", ".join(f"(v{i})-[:T]->(v{i + 1})" for i in range(5)) + " RETURN count(*)"
        self.fails(1, "query", many, file, says=["more than 64 ways", "up to 3"])

    def test_a_mtg_knows_its_lost_repeats(self):
        file, plain = self.write("r.txt", "1 2 R\n1 2 R\n2 3 R\n1 2 R\n"), self.write("p.txt", "1 2\n1 2\n")
        for text, kept, lost in ((file, ["--edge-labels"], 2), (plain, [], 1), (file, ["--edge-labels", "--memory", "99M"], 2)):
            mtg = self.path("r.mtg")
            self.ok("graph", "convert", "--quiet", "--directed", "--keep-loops", *kept, text, mtg)
            self.fails(3, "query", "MATCH (a)-->(b) RETURN count(*)", mtg, says=f"left out {lost} repeated edge")
            self.assertEqual(self.query("SELECT (COUNT(*) AS ?n) { ?a ?p ?b }", graph_file=mtg), "2" if kept else "1")

    def test_random_repeats(self):
        refused = 0
        for seed in range(fewer(24, 8)):
            source = random.Random(seed)
            vertices, words = [f"v{number}" for number in range(source.choice([2, 3, 4]))], ["knows", "likes", "7"]
            edges = [(source.choice(vertices), source.choice(words), source.choice(vertices)) for _ in range(source.choice([4, 7, 10]))]
            edges = sorted(edges + [("v0", word, "v1") for word in words])
            labels = {v: source.choice("ST") for v in sorted({end for edge in edges for end in (edge[0], edge[2])})} | {"v0": "S", "v1": "T"}
            graph = [self.write("m.txt", "".join(f"{u}\t{v}\t{word}\n" for u, word, v in edges)), "--backend", "interp",
                     "--labels", self.write("labels.txt", "".join(f"{v}\t{label}\n" for v, label in labels.items()))]
            text, nodes, between, differ, shown = query_oracle.random_cypher(source, ["S", "T"], words, seed % 3 == 0)
            if self.matcha("query", text, *graph).returncode == 0:
                self.agrees(text, query_oracle.cypher_matches(edges, labels, nodes, between, differ), shown, graph, seed)
            else:
                refused += 1
        self.assertLessEqual(refused, 3)

    def test_columns_in_another_order(self):
        file = self.write("kg.tsv", "ann\tknows\tbob\nbob\tknows\tcid\ncid\tlikes\tann\n")
        text = "SELECT (COUNT(*) AS ?n) { ?x <knows> ?y . ?y <knows> ?z }"
        self.fails(3, "query", text, file, "--header", "no", says="--src 0 --dst 2 --edge-label 1")
        columns = ["--src", "0", "--dst", "2", "--edge-label", "1"]
        self.assertEqual(self.ok("query", "--quiet", text, file, "--header", "no", *columns), "1\n")
        # A vertex with edges of its own may have the name of a label that no edge has.
        self.assertEqual(self.query("MATCH (a)-[:ann]->(b) RETURN count(*)", "--header", "no", *columns, graph_file=file), "0")

    def test_text_that_is_no_query(self):
        source = random.Random(5)
        texts = [sparql(shape) for shape in SHAPES[:4]] + [cypher(shape) for shape in SHAPES[:4]]
        for _ in range(fewer(150, 30)):
            text = source.choice(texts)
            for _ in range(source.randint(1, 3)):
                at = source.randrange(len(text))
                kind = source.randrange(3)
                letter = source.choice("(){}[]<>?:;.,|-=!'`\"* a0\n")
                text = text[:at] + (letter if kind else "") + text[at + (kind < 2):]
            done = self.matcha("query", "--backend", "interp", text + " ", self.file)
            self.assertIn(done.returncode, (0, 1), [text, done.stderr])


if __name__ == "__main__":
    main()
