"""Statements of Cypher: random ones on random property multigraphs against brute force, values, refusals and limits."""

import json
import os
import random
import struct
import unittest

import statement_oracle as oracle
from cli import CliTest, fewer

# More rounds, and other ones, by hand: MATCHA_ROUNDS=2000 MATCHA_SEED=7.
ROUNDS = int(os.environ.get("MATCHA_ROUNDS", "0"))
SEED = int(os.environ.get("MATCHA_SEED", "1"))


def cell(value):
    return "" if value is None else str(value)


def shown(value):
    """As the JSON of an answer has it."""
    if isinstance(value, tuple):
        return [shown(one) for one in value[1]] if value[0] == "P" else f"{'n' if value[0] == 'N' else 'e'}{value[1]}"
    return [shown(one) for one in value] if isinstance(value, list) else value


class Statements(CliTest):
    def tables(self, nodes, relationships):
        lines = ["src,dst,type,id,w,k"] + [f"n{one['from']},n{one['to']},{one['type']},e{at},{cell(one['w'])},{cell(one['k'])}"
                                           for at, one in enumerate(relationships)]
        edges = self.write("edges.csv", "\n".join(lines) + "\n")
        lines = ["id,labels,x,s,f"] + [f"n{at},{';'.join(one['labels'])},{cell(one['x'])},{cell(one['s'])},{cell(one['f'])}"
                                       for at, one in enumerate(nodes)]
        return [edges, "--src", "src", "--dst", "dst", "--edge-label", "type", "--edge-id", "id", "--header", "yes", "--ids", "text", "--device", "cpu",
                "--vertices", self.write("nodes.csv", "\n".join(lines) + "\n"), "--id", "id", "--label", "labels"]

    def one(self, seed):
        source = random.Random(seed)
        nodes, relationships = oracle.graph(source)
        statement = oracle.Maker(source).statement()
        text = oracle.statement_text(statement)
        done = self.matcha("query", "--json", text, *self.tables(nodes, relationships))
        self.assertEqual(done.returncode, 0, (seed, text, done.stderr.decode()))
        self.compare(json.loads(done.stdout)["result"], statement, nodes, relationships, seed)

    def compare(self, rows, statement, nodes, relationships, seed, shown=shown):
        text = oracle.statement_text(statement)
        wanted = [[shown(value) for value in row.values()] for row in oracle.Evaluator(nodes, relationships).answer(statement)]
        columns = statement[-1][3]
        if not isinstance(rows, list):  # `RETURN count(*)`, by a pattern or not.
            self.assertEqual([[rows]], wanted, (seed, text))
            return
        rows = [row if len(columns) > 1 else [row] for row in rows]
        for at in [at for at, (term, _) in enumerate(columns) if term[0] == "collect"]:
            for row in rows + wanted:
                row[at] = sorted(row[at], key=repr_of)
        if not statement[-1][4]:
            rows, wanted = sorted(rows, key=repr_of), sorted(wanted, key=repr_of)
        self.assertEqual(list(map(repr_of, rows)), list(map(repr_of, wanted)), (seed, text, nodes, relationships))

    def test_random(self):
        for seed in range(ROUNDS or fewer(150, 15)):
            self.one(SEED * 1_000_000 + seed)


    def test_random_unions(self):
        for seed in range(ROUNDS or fewer(40, 5)):
            source = random.Random(SEED * 1_000_000 + seed)
            nodes, relationships = oracle.graph(source)
            statements, keeps = oracle.union(source)
            text = f" UNION {'ALL ' if keeps else ''}".join(map(oracle.statement_text, statements))
            done = self.matcha("query", "--json", text, *self.tables(nodes, relationships))
            self.assertEqual(done.returncode, 0, (seed, text, done.stderr.decode()))
            rows = json.loads(done.stdout)["result"]
            wanted = oracle.union_answer(nodes, relationships, statements, keeps)
            found = [repr_of(row if len(statements[0][-1][3]) > 1 else [row]) for row in rows]
            self.assertEqual(sorted(found), sorted(repr_of(shown(row)) for row in wanted), (seed, text, nodes, relationships))

    def test_random_in_memory(self):
        """A `.mtg`, and `serve`, which have labels and no columns."""
        shown_here = lambda value: ([shown_here(one) for one in value[1]] if value[0] == "P" else f"n{value[1]}" if value[0] == "N" else value[1]) \
            if isinstance(value, tuple) else [shown_here(one) for one in value] if isinstance(value, list) else value
        for seed in range(ROUNDS or fewer(60, 6)):
            seed += SEED * 1_000_000
            source = random.Random(seed)
            nodes, relationships = oracle.graph_without_repeats(source)
            if not relationships or not any(one["labels"] for one in nodes):
                continue  # A graph without types or labels, which is refused.
            statements = [oracle.Maker(source, has_columns=False).statement() for _ in range(8)]
            mtg, tables = self.path("g.mtg"), self.tables(nodes, relationships)
            at = tables.index("--edge-id")
            tables = tables[:at] + tables[at + 2 :]
            self.ok("graph", "convert", "--quiet", *tables[: tables.index("--device")], *tables[tables.index("--device") + 2 :], "--directed", "--edge-labels",
                    "--keep-loops", mtg)
            requests = [{"id": at, "query": oracle.statement_text(one)} for at, one in enumerate(statements)]
            asked = "".join(json.dumps(one) + "\n" for one in requests).encode()
            served = self.matcha("serve", mtg, "--directed", "--edge-labels", "--keep-loops", "--device", "cpu", stdin=asked).stdout.decode().splitlines()[1:]
            answers = {one["id"]: one for one in map(json.loads, served)}
            for at, statement in enumerate(statements):
                self.assertEqual(answers[at]["status"], "ok", (seed, requests[at], answers[at]))
                self.compare(answers[at]["result"], statement, nodes, relationships, (seed, at), shown_here)
                if at < 2:
                    found = json.loads(self.ok("query", "--json", "--device", "cpu", requests[at]["query"], mtg))
                    self.compare(found["result"], statement, nodes, relationships, (seed, at), shown_here)


class Values(CliTest):
    """Answers by hand, refusals with their places, and limits."""

    def setUp(self):
        super().setUp()
        self.edges = self.write("e.csv", "src,dst,label,w,at,note\na,b,T,9007199254740993,2024-05-01,\"x,y\"\nb,c,T,2,2024-05-02T10:00:00.5Z,\n"
                                         "c,a,U,,,z\nb,b,U,-1,2023-12-31,\n")
        self.people = self.write("v.csv", "id,label,age\na,P,3\nb,P;Q,\nc,,5\nd,Q,3\n")

    def query(self, text, *more):
        return self.ok("query", "--quiet", text, self.edges, "--vertices", self.people, "--label", "label", *more)

    def rows(self, text, *more):
        return self.query(text, *more).splitlines()[1:]

    def refused(self, code, text, place, words, *more):
        self.fails(code, "query", text, self.edges, "--vertices", self.people, "--label", "label", *more, says=[f"<query>:1:{place}: error:", words])

    def test_answers(self):
        for text, *wanted in (
            ("RETURN 1 + 2 * 3 AS n, 7 / 2 AS q, -7 % 3 AS r, 7 / 2.0 AS f", "7,3,-1,3.5"),
            ("MATCH (n) RETURN count(*) AS n, count(n.age) AS k, sum(n.age) AS s, avg(n.age) AS m, min(n.age) AS a, max(n.age) AS b, "
             "count(DISTINCT n.age) AS d", "4,3,11,3.6666666666666665,3,5,2"),
            ("MATCH (n:Missing) RETURN count(n) AS n, sum(n.age) AS s, avg(n.age) AS m, collect(n) AS c", "0,0,,[]"),
            ("MATCH (n:Missing) RETURN n, count(n) AS c",),
            ("MATCH (n) RETURN n.age AS age, count(*) AS n ORDER BY age DESC, n", ",1", "5,1", "3,2"),
            ("MATCH (n) RETURN n ORDER BY n.age, n DESC SKIP 1 LIMIT 2", "a", "c"),
            ("MATCH ()-[r]->() WHERE r.w > 9007199254740992.0 RETURN r.w, r.note", '9007199254740993,"x,y"'),
            ("MATCH ()-[r]->() WHERE r.at < '2024-05-02' RETURN r.at AS at ORDER BY at", "2023-12-31T00:00:00.000Z", "2024-05-01T00:00:00.000Z"),
            ("MATCH ()-[r]->() WHERE NOT r.w > 0 OR r.w IS NULL RETURN r ORDER BY r", "2", "3"),
            ("MATCH (n) WHERE NOT n:P OR n.age IN [5, null] RETURN n ORDER BY n", "c", "d"),
            ("MATCH (n) WHERE n.age = 'x' OR NOT n.age = 'x' RETURN n ORDER BY n", "a", "c", "d"),
            ("MATCH p = (:P {age: 3})-[:T*]->(n) RETURN p, length(p) AS n, nodes(p)[-1] AS e ORDER BY n", "<a;0;b>,1,b", "<a;0;b;1;c>,2,c"),
            ("MATCH (n) RETURN labels(n) AS l, size(labels(n)) AS s ORDER BY s DESC, n LIMIT 2", "[P;Q],2", "[P],1"),
            ("MATCH (n) WHERE n.age = 5 OPTIONAL MATCH (n)-[r:T]->(m) RETURN n, r, m", "c,,"),
            ("MATCH (n) WHERE n.age = 5 OPTIONAL MATCH (n)-[:T]->(m) RETURN m", '""'),
            ("MATCH (n) WITH n ORDER BY n LIMIT 2 MATCH (n)-->(m) WITH n, count(m) AS k WHERE k > 1 RETURN n, k", "b,2"),
            ("MATCH (a)-[r]->(b) WHERE startNode(r) = endNode(r) RETURN a, type(r) AS t", "b,U"),
            ("MATCH (n) WHERE exists((n)-[:U]->(:P)) AND exists(n.age) RETURN n", "c"),
            ("MATCH (a)-[r]->() WITH [r] AS l, a MATCH (a)-[l*]->(b) WHERE b.age = 5 RETURN a, b", "b,c"),
            ("MATCH (n) RETURN DISTINCT n.age = 3 AS x ORDER BY x", "false", "true", '""'),
            ("MATCH ()-[r]->() WHERE r.at IN ['2024-05-01', '2023-12-31'] RETURN r, 1 AS k", "0,1", "3,1"),
            # 2^63 below zero is one value, as an int and as a float.
            ("MATCH (n) WHERE n.age > 3 OR n.age IS NULL RETURN DISTINCT coalesce(n.age - n.age - 9223372036854775807 - 1, -9223372036854775808.0) AS x",
             "-9223372036854775808.0"),
            # What the columns of a trail are compared with comes before the trail.
            ("MATCH (b), (a {id: 'b'})-[r*1..2 {w: b.age - 1}]->(c) RETURN a, c, b, size(r) AS n", "b,c,a,1", "b,c,d,1"),
            ("MATCH p = (x)-->(y), (a {id: 'b'})-[r*1..2 {w: length(p) + 1}]->(c) RETURN a, c, p", "b,c,<a;0;b>", "b,c,<b;3;b>", "b,c,<c;2;a>"),
            ("UNWIND [3, null, 'x', [1]] AS x RETURN x", "3", '""', "x", "[1]"),
            ("UNWIND null AS x RETURN x",), ("UNWIND [] AS x RETURN count(*) AS n, 1 AS k",),
            ("MATCH (n) WITH collect(n) AS l UNWIND l AS m MATCH (m)-[:U]->(o) RETURN m, o ORDER BY m", "b,b", "c,a"),
            ("UNWIND range(1, 7, 3) AS x UNWIND range(x, 0, -4) AS y RETURN x, y", "1,1", "4,4", "4,0", "7,7", "7,3"),
            ("MATCH (n) RETURN n, CASE WHEN n.age > 3 THEN 'old' WHEN n.age = 3 THEN 'young' END AS a ORDER BY n", "a,young", "b,", "c,old", "d,young"),
            ("MATCH (n) RETURN CASE n.age WHEN 3 THEN 'x' WHEN null THEN 'y' ELSE 'z' END AS c, count(*) AS k ORDER BY c", "x,2", "z,2"),
            ("MATCH ()-[r]->() RETURN CASE r.at WHEN '2024-05-01' THEN 1 ELSE 0 END AS c, sum(abs(r.w)) AS s ORDER BY c", "0,3", "1,9007199254740993"),
            ("RETURN 1 AS x UNION ALL RETURN 1.0 AS x UNION ALL RETURN 'a' AS x", "1", "1.0", "a"),
            ("MATCH (n) WHERE n.age = 3 RETURN n UNION MATCH (n:P) RETURN n", "a", "d", "b"),
            ("MATCH (n) RETURN n ORDER BY n LIMIT 1 UNION ALL MATCH (n) RETURN n ORDER BY n DESC LIMIT 2;", "a", "d", "c"),
            ("MATCH ()-[r]->() WHERE r.at >= date('2024-05-01') AND r.at < datetime('2024-05-02T10:00:00.5Z') RETURN r, date(r.at) AS d",
             "0,2024-05-01T00:00:00.000Z"),
            ("MATCH ()-[r]->() WHERE date(r.at) = date('2024-05-02') RETURN r, r.at - datetime('2024-05-02') AS s", "1,36000.5"),
            ("WITH 1 AS union, 2 AS all, 3 AS case RETURN union + all + case AS x", "6"),
            # A path of nodes that are there comes before a trail that reads it.
            ("WITH 1 AS x MATCH (n) WITH x, n MATCH p = (n), (n {age: 5})-[*0..0 {w: length(p)}]-(n) RETURN n, x, length(p) AS k", "c,1,0"),
            ("RETURN -9223372036854775808 AS x, -0.5 AS y, 1 -2 AS z", "-9223372036854775808,-0.5,-1"),
        ):
            self.assertEqual(self.rows(text), list(wanted), text)

    def test_counts(self):
        """Parts of a clause that share nothing are counted once each; a number is a number."""
        for text, wanted in (("MATCH (a), (b), (c), (d) RETURN count(*)", 4**4), ("MATCH (a)-[:T]->(b), (c)-[:U]->(d) RETURN count(*)", 4),
                             ("MATCH (a)-->(b), (c)-->(d) RETURN count(*)", 12), ("MATCH (a)-->(b) MATCH (c)-->(d) RETURN count(*) AS n", 16),
                             ("MATCH (a)--(b) MATCH (c) MATCH (d) OPTIONAL MATCH (e:Missing) RETURN count(*)", 7 * 16)):
            self.assertEqual(self.query(text), f"{wanted}\n", text)
        many = ", ".join(f"(v{i})" for i in range(31))
        self.assertEqual(self.query(f"MATCH {many} RETURN count(*)"), f"{4**31}\n")
        self.refused(4, f"MATCH {many}, (x), (y) RETURN count(*)", 1, "leaves 64 bits")
        self.assertEqual(json.loads(self.query("MATCH (a), (b) RETURN count(*)", "--json"))["result"], 16)

    def test_outputs(self):
        text = "MATCH (n)-[r]->(m) WHERE n.age = 3 RETURN n, r, [r] AS l, null AS x, r.note AS note"
        found = json.loads(self.query(text, "--json"))
        self.assertEqual((found["columns"], found["result"]), (["n", "r", "l", "x", "note"], [["a", 0, [0], None, "x,y"]]))
        for name, wanted in (("x.csv", 'n,r,l,x,note\na,0,[0],,"x,y"\n'), ("x.tsv", "a\t0\t[0]\t\tx,y\n"),
                             ("x.ndjson", '{"n":"a","r":0,"l":[0],"x":null,"note":"x,y"}\n')):
            self.assertEqual(self.query(text, "--matches", self.path(name)), "1\n")
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(file.read(), wanted, name)
        lines = self.write("lines.csv", 'src,dst,n\na,b,"l1\nl2"\n')
        self.assertEqual(self.ok("query", "-q", "MATCH (a)-[r]->(b) RETURN a, r.n", lines), 'a,r.n\na,"l1\nl2"\n')
        self.assertEqual(self.ok("run", "-q", "--directed", "--pattern", "(a)-[x]->(b)", lines, "--edge-id", "n", "--matches", "-"), 'a\tb\t"l1\nl2"\n')
        with open(self.path("mark.cypher"), "wb") as file:
            file.write(b"\xef\xbb\xbfMATCH (a)-->(b) RETURN count(*)")
        self.assertEqual(self.ok("query", "-q", self.path("mark.cypher"), lines), "1\n")
        self.fails(1, "query", "-q", "MATCH (a)-[r]->(b) RETURN r.m", self.write("name.csv", "src,dst,\u00dcn\u00ef\na,b,1\n"),
                   says="`src`, `dst`, `\u00dcn\u00ef`")
        text = "MATCH (n)-[r]->(m) RETURN n, r, n.age IS NULL AS x, 1.5 AS f, size(labels(n)) AS k ORDER BY r"
        self.assertEqual(self.query(text, "--matches", self.path("x.arrow")), "4\n")
        with open(self.path("x.arrow"), "rb") as file:
            bytes_ = file.read()
        self.assertEqual((bytes_[:6], bytes_[-6:], b"abcb" in bytes_), (b"ARROW1", b"ARROW1", True))
        self.assertEqual(self.query("MATCH ()-[r]->(m) RETURN r, 2 AS k ORDER BY r DESC", "--matches", self.path("x.npy")), "4\n")
        with open(self.path("x.npy"), "rb") as file:
            bytes_ = file.read()
        self.assertEqual((bytes_[:6], struct.unpack("<8q", bytes_[-64:])), (b"\x93NUMPY", (3, 2, 2, 2, 1, 2, 0, 2)))
        for text, words in (("RETURN 'a' AS x", "has text"), ("RETURN [1] AS x", "has a list"), ("MATCH (n) RETURN n.age AS x", "has null"),
                            ("MATCH (n) RETURN coalesce(n.age, 1.5) AS x", "ints and floats"), ("MATCH (n) RETURN coalesce(n.age, n) AS x", "a number and a node")):
            for name in ("x.npy", "x.arrow"):
                self.refused(2, text, text.index("RETURN") + 1, words, "--matches", self.path("no" + name))
                self.assertFalse(os.path.exists(self.path("no" + name)))
        self.assertEqual(self.rows("MATCH ()-[r]->() RETURN r, type(r) AS t ORDER BY r LIMIT 1", "--edge-id", "label", "--edge-label", "label"), ["T,T"])

    def test_refused(self):
        for text, place, words in (
            ("MATCH (a) MATCH ()-[a]-() RETURN a", 21, "`a` is a node, and a relationship stands here"),
            ("WITH [1] AS r MATCH ()-[r*]->() RETURN r", 25, "`r` is a list of values, and a list of relationships stands here"),
            ("MATCH p = (a) MATCH (p) RETURN p", 22, "`p` is a path, and a node stands here"),
            ("MATCH (a)-[r]->()-[r]->() RETURN a", 20, "`r` stands here again"),
            ("MATCH (a)-[:T*-1]->(b) RETURN a", 15, "a whole number"), ("MATCH (a)-[:T..2]->(b) RETURN a", 14, "behind `*`"),
            ("MATCH (a) WHERE count(a) > 1 RETURN a", 17, "in WHERE"), ("MATCH (a) RETURN sum(count(a)) AS n", 22, "within an aggregate"),
            ("MATCH (a) RETURN count(*) + a.age AS n", 18, "beside an aggregate"), ("MATCH (a) WITH a.age RETURN 1 AS n", 16, "gives a name"),
            ("MATCH (a) RETURN a AS x, a.age AS x", 26, "two columns"), ("MATCH (a) RETURN DISTINCT a ORDER BY a.age + 1, b", 49, "nothing is called"),
            ("MATCH (a)-->(b) RETURN DISTINCT a ORDER BY b", 44, "no longer there"), ("MATCH (a) WHERE (a)-->(z) RETURN a", 24, "`z`"),
            ("MATCH p = (a)-->() RETURN p.x", 29, "a path has nothing called `x`"), ("MATCH (a) MERGE (b) RETURN a", 11, "`MERGE` is not read"),
            ("WITH {x: 1} AS m RETURN m", 6, "a map"), ("MATCH (a $p) RETURN a, 1", 10, "a parameter"), ("MATCH (a) RETURN 'a\\'b', 1", 18, "escapes"),
            ("MATCH (a)-[r*1..2 {w: size(r)}]->() RETURN a", 28, "nothing is called `r`"), ("MATCH p = (a)-[* {w: length(p)}]->() RETURN a", 29, "nothing is called `p`"),
            ("MATCH (a:P|Q&P) RETURN a", 13, "`|` beside `&`"), ("MATCH (a) WHERE a:P:Q|P RETURN a", 20, "`|` beside `&`"),
            ("MATCH (a) RETURN a, (a)-->() AS p", 21, "a condition of WHERE"), ("MATCH (a) RETURN collect((a)-->()) AS p", 26, "a condition of WHERE"),
            ("RETURN -1 -9223372036854775808 AS x", 12, "beyond 64 bits"), ("RETURN -9223372036854775809 AS x", 9, "beyond 64 bits"),
            ("MATCH (a) RETURN a, 9223372036854775808", 21, "beyond 64 bits"), ("MATCH (a) RETURN a LIMIT -1", 26, "a number"),
            ("MATCH (a) RETURN cuont(*)", 18, "did you mean `count`?"), ("MATCH (a)-[r]->() RETURN id(r)", 26, "`id` is of a node, and this is a relationship"),
            ("MATCH (a) WHERE a.age > RETURN a", 25, "expected a value"), ("RETURN 1 AS x UNION RETURN 2 AS y", 21, "the same names"),
            ("RETURN 1 AS x UNION ALL RETURN 2 AS x UNION RETURN 3 AS x", 39, "do not stand in one query"), ("CALL { MATCH (a) RETURN a }", 1, "`CALL` is not read"),
            ("UNWIND 1 AS x RETURN x", 8, "this is a value, and `UNWIND` takes a list"), ("MATCH (a) UNWIND [1] AS a RETURN a", 25, "`a` has a value already"),
            ("UNWIND [count(*)] AS x RETURN x", 9, "in UNWIND"), ("RETURN CASE END AS x", 13, "expected a value"), ("RETURN CASE WHEN true THEN 1 AS x", 30, "expected `END`"),
            ("RETURN range(1) AS x", 8, "takes two or three ints"),
            ("MATCH (a) RETURN toLower(a.age), 1", 18, "`toLower`"), ("MATCH (a) RETURN length(a), 1", 18, "of a path, and this is a node"),
        ):
            self.refused(1, text, place, words)
        self.refused(1, "MATCH (a) RETURN a.agee, a", 20, "no column `agee`")
        self.refused(4, "WITH 1 AS x MATCH (a) WHERE a IN x RETURN a", 31, "a list is wanted behind IN")
        self.refused(4, "MATCH (a) WITH [a.age, a][0] AS x UNWIND x AS y RETURN y", 35, "`UNWIND` takes a list")
        self.refused(4, "RETURN range(1, 2, 0) AS x", 8, "no steps of 0")
        self.refused(5, "RETURN range(1, 9000000000000000000) AS x", 8, "MiB of rows")
        self.refused(4, "RETURN date('soon') AS x", 8, "`soon` is no time")
        self.refused(4, "RETURN datetime(5) AS x", 8, "of text or a time")
        for text, place, words in (("MATCH (a) RETURN 9223372036854775807 + a.age, 1", 38, "leaves 64 bits"), ("RETURN 1 / 0 AS x", 10, "division by zero"),
                                   ("MATCH (a) RETURN sum(a), 1", 18, "`sum` is of numbers"), ("MATCH (a) WHERE a RETURN a, 1", 17, "a condition is wanted"),
                                   ("MATCH ()-[r]->() WHERE r.at < 'soon' RETURN r, 1", 24, "text that is none"),
                                   ("MATCH (a) WITH [a][0] AS b, 1 AS n MATCH (b)-->() RETURN n + b.age AS x, b.age + 'x' AS y", 80, "a number is wanted")):
            self.refused(4, text, place, words)
        text = "MATCH (a) RETURN a, 1 AS n"
        mtg = self.path("g.mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--edge-labels", self.edges, mtg)
        self.fails(3, "query", text, mtg, says="does not have the loops")
        self.ok("graph", "convert", "--quiet", "--directed", "--edge-labels", "--keep-loops", self.edges, mtg)
        self.assertEqual(self.ok("query", "--quiet", text, mtg), "a,n\na,1\nb,1\nc,1\n")
        self.fails(2, "query", "MATCH (a) RETURN a, a.x", mtg, says=["<query>:1:", "has labels and no columns"])
        self.fails(3, "query", "MATCH (a:P) RETURN a, 1", mtg, says=["<query>:1:", "asks for labels"])
        self.fails(2, "query", text, mtg, "--edge-id", "0", says="`--edge-id` of a .mtg")
        twice = self.write("twice.txt", "1 2 T\n1 2 T\n")
        self.ok("graph", "convert", "--quiet", "--directed", "--edge-labels", "--keep-loops", twice, mtg)
        self.fails(3, "query", text, mtg, says="left out 1 repeated edge")
        plain = self.write("plain.txt", "1 2\n2 2\n")
        self.ok("graph", "convert", "--quiet", "--directed", "--keep-loops", plain, mtg)
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a)-[r]->(b) RETURN a, r, b, type(r) AS t, 1 AS n ORDER BY r", mtg), "a,r,b,t,n\n1,0,2,,1\n2,1,2,,1\n")
        self.fails(3, "query", "MATCH (a)-[:T]->(b) RETURN a, 1 AS n", mtg, says=["<query>:1:13:", "asks for a type"])
        for more, words in ((["--device", "cuda"], "cuda"), (["--backend", "interp"], "--backend"), (["--matches", "x.svg"], "pictures"), (["--time", "at"], "--time")):
            self.fails(2, "query", text, self.edges, *more, says=["<query>:1:1:", words])

    def test_columns_that_have_a_part(self):
        """Ids, ends and labels are properties too."""
        self.assertEqual(self.rows("MATCH (n) WHERE n.id < 'c' RETURN n.id, n, n.label"), ["a,a,P", "b,b,P;Q"])
        self.assertEqual(self.rows("MATCH (n)-[r]->() WHERE r.src = 'a' RETURN r.dst, r.label, type(r), n"), ["b,T,T,a"])
        self.assertEqual(self.rows("MATCH (n {id: 'b'})-[r {w: 2}]->(m) RETURN m"), ["c"])
        people = self.write("twice.csv", "id,label\na,P;Q;P\n")
        self.assertEqual(self.ok("query", "--quiet", "MATCH (n:P) RETURN labels(n) AS l", self.edges, "--vertices", people, "--label", "label"), "l\n[P;Q]\n")

    def test_ids(self):
        """Where nodes have no table, `id` is their id; `id(a)` is it anywhere."""
        text = "MATCH (a {id: 'b'})-[r]->(b) WHERE id(b) <> 'b' RETURN id(a) AS a, b.id AS b"
        self.assertEqual(self.ok("query", "--quiet", text, self.edges), "a,b\nb,c\n")
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a {id: 'b'})-->(b) RETURN count(*)", self.edges), "2\n")
        self.assertEqual(self.rows("MATCH (n) WHERE id(n) > 'b' RETURN n, id(n) AS i ORDER BY i DESC"), ["d,d", "c,c"])
        named = self.write("named.csv", "who,id\na,7\nb,8\n")
        given = ["--vertices", named, "--id", "who"]
        self.assertEqual(self.ok("query", "--quiet", "MATCH (n) WHERE n.id = 8 RETURN n, id(n) AS i, n.id AS p", self.edges, *given), "n,i,p\nb,b,8\n")
        numbers = self.write("n.txt", "1 2\n2 30\n30 1\n")
        text = "MATCH (n)-->(m) WHERE n.id > 1 RETURN n.id + 1 AS x, id(m) AS y ORDER BY x"
        self.assertEqual(self.ok("query", "--quiet", text, numbers), "x,y\n3,30\n31,1\n")
        mtg = self.path("ids.mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--keep-loops", numbers, mtg)
        self.assertEqual(self.ok("query", "--quiet", text, mtg), "x,y\n3,30\n31,1\n")
        large = self.write("large.txt", f"1 {2**63}\n")
        self.fails(2, "query", "MATCH (n) RETURN id(n) AS i", large, says="ids beyond 63 bits are not compared")

    def test_parameters(self):
        text = "MATCH (n) WHERE n.age > $age OR labels(n)[0] = $1 RETURN n ORDER BY n"
        self.assertEqual(self.rows(text, "--param", "age=4", "--param", "1=Q"), ["c", "d"])
        self.assertEqual(self.rows(text, "--param", "age=4.5", "--param", "1='P'"), ["a", "b", "c"])
        self.assertEqual(self.rows(text, "--param", "age=null", "--param", "1="), [])
        self.assertEqual(self.rows("MATCH (n {age: $a}) WHERE $b RETURN n", "--param", "a=5", "--param", "b=true"), ["c"])
        self.assertEqual([self.rows("RETURN $a = 'Nan' AS x", "--param", f"a={value}") for value in ("Nan", "inf", "12")], [["true"], ["false"], ["false"]])
        for value in ("9223372036854775808", "1e999"):
            self.fails(2, "query", "RETURN $a AS x", self.edges, "--param", f"a={value}", says="beyond 64 bits")
        self.refused(2, text, 25, "`$age` has no value", "--param", "1=Q")
        self.fails(2, "query", text, self.edges, "--param", "b=1", says="no `$b`")

    def test_joins(self):
        """Equal values and nodes are looked up, and so are relationships between two nodes, and those of a list."""
        rows = [(u, (u * 7) % 50, "TU"[u % 2]) for u in range(400)] + [(u, (u + 1) % 400, "T") for u in range(400)]
        edges = self.write("j.csv", "src,dst,label\n" + "".join(f"{u},{v},{kind}\n" for u, v, kind in rows))
        people = self.write("p.csv", "id,x,y\n" + "".join(f"{u},{u % 20 if u % 3 else ''},{u % 7}\n" for u in range(400)))
        count = lambda text: int(self.ok("query", "--quiet", text, edges, "--vertices", people).split()[-1])
        same = sum((u % 20) == (v % 7) for u in range(400) if u % 3 for v in range(400))
        self.assertEqual(count("MATCH (a) MATCH (b) WHERE a.x = b.y RETURN count(*)"), same)
        back = [(e, f) for e in range(800) for f in range(800) if e != f and rows[e][0] == rows[f][1] and rows[e][1] == rows[f][0]]
        self.assertEqual(count("MATCH (a)-[r]->(b)-[s]->(a) WHERE r.label = s.label OR 1 = 1 RETURN count(*)"), len(back))
        self.assertEqual(count("MATCH (a)-[:U]->(b), (b)-[s:T]->(a) RETURN count(DISTINCT [a, s])"),
                         len({(rows[e][0], f) for e, f in back if rows[e][2] == "U" and rows[f][2] == "T"}))
        either = sum(1 for e in range(800) for f in range(800) if e != f and {*rows[e][:2]} == {*rows[f][:2]}) * 2
        either -= sum(1 for e in range(800) for f in range(800) if e != f and rows[e][:2] == rows[f][:2] and rows[e][0] == rows[e][1])
        self.assertEqual(count("MATCH (a)--(b)--(a) RETURN count(*)"), either)
        self.assertEqual(count("MATCH (a)-[r]-(b) MATCH (a)-[s]-(b) WHERE r <> s RETURN count(*)"), either)
        loops = sum(u == v for u, v, _ in rows)
        two = sum(1 for e in range(800) for f in range(800) if e != f and rows[e][1] == rows[f][0])
        for text, wanted in (("MATCH ()-[r]->() MATCH (x) WHERE x = endNode(r) RETURN count(x.x)", sum(v % 3 != 0 for _, v, _ in rows)),
                             ("MATCH (a) MATCH (b) WHERE a = b RETURN count([a, b])", 400),
                             ("OPTIONAL MATCH (a {x: 77}) MATCH (b) WHERE a = b RETURN count(*)", 0),
                             ("MATCH (a)-->(b) WHERE a.x = 3 WITH collect(b) AS l MATCH (c) WHERE c IN l RETURN count([c])",
                              len({v for u, v, _ in rows if u % 20 == 3 and u % 3})),
                             ("MATCH (a) WITH [a, null, a.x] AS l MATCH (c) WHERE c IN l AND c.y = 2 RETURN count([c])", sum(u % 7 == 2 for u in range(400))),
                             ("OPTIONAL MATCH p = ({x: 77})-->() MATCH (c) WHERE c IN nodes(p) RETURN count([c])", 0),
                             ("MATCH ()-[r*2]->() WITH r MATCH (x)-[r*]->(y) RETURN count([x, y])", two),
                             ("MATCH ()-[r*2]->() WITH r MATCH (x)<-[r*]-(y) WHERE size(r) = 2 AND r[0] <> r[1] RETURN count(DISTINCT [x, y, r])",
                              sum(rows[e][1] == rows[f][0] and rows[f][1] == rows[e][0] for e in range(800) for f in range(800) if e != f)),
                             ("MATCH ()-[r*1]->() WITH r MATCH (x)-[r*]-(y) RETURN count([x, y])", 1600 - loops),
                             ("MATCH ()-[r*0..1]->() WITH DISTINCT r WHERE size(r) = 0 MATCH (x)-[r*0..]->(y) RETURN count([x, y])", 400)):
            self.assertEqual(count(text), wanted, text)

    def test_limits(self):
        """Rows that are kept have a limit; rows that are not kept have none, and a limit of rows ends a walk without end."""
        ring = self.write("ring.csv", "src,dst\n" + "".join(f"{u},{v}\n" for u in range(60) for v in range(60) if u != v))
        self.fails(5, "query", "MATCH (a), (b), (c), (d) RETURN count(DISTINCT [a, b, c, d]) AS n", ring, says=["<query>:1:", "MiB of rows"])
        self.assertEqual(len(self.ok("query", "--quiet", "MATCH (a)-[*]->(b) RETURN a, b LIMIT 5", ring).splitlines()), 6)
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a), (b), (c) RETURN a, b, c ORDER BY c DESC, b, a LIMIT 1", ring), "a,b,c\n0,0,59\n")
        self.timed_out("query", "--quiet", "MATCH (a)-[*]->(b) RETURN count(*)", ring, began=lambda done: True)
        # One match of a pattern in a condition is enough, and so are the rows of a limit.
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a) WHERE ()-[*]->() RETURN count(a) AS n, 1 AS k", ring), "n,k\n60,1\n")
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a), (b)-[*]->(c) RETURN a LIMIT 2", ring), "a\n0\n0\n")
        # A query that is stopped has a partial result, also if one match has very many rows.
        edge = self.write("edge.csv", "src,dst\na,b\n")
        nodes = lambda n: ", ".join(f"(v{i})" for i in range(n))
        for more in (["--matches", self.path("x.csv")], ["--json"]):
            self.timed_out("query", "--quiet", f"MATCH {nodes(40)} RETURN 1 AS n", edge, *more, began=lambda done: True)
        self.assertTrue(os.path.exists(self.path("x.csv")))
        # Many copies of a value, and lists of lists, are too many before they are there.
        twice = "WITH 1 AS x " + "WITH [x, x] AS x " * 60
        for text in (f"MATCH {nodes(61)} RETURN collect(1) AS c", twice + "RETURN x = x AS y", twice + "RETURN DISTINCT x"):
            self.fails(5, "query", text, edge, says="MiB of rows")
        # A trail may be as long as the graph.
        path = self.write("path.csv", "src,dst\n" + "".join(f"{u},{u + 1}\n" for u in range(30000)))
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a) WHERE NOT ()-->(a) MATCH (a)-[*30000]->(b) RETURN a, b", path), "a,b\n0,30000\n")

    def test_partial_results(self):
        # All trails are walked; only the first ones end with an edge of the weight 1.
        arcs = "".join(f"{a},{b},\n" for a in range(200, 214) for b in range(200, 214) if a != b)
        table = self.write("walks.csv", "src,dst,w\n1,2,1\n2,3,1\n" + arcs)
        words = ["query", "MATCH (a)-[r*]->(b) WHERE last(r).w = 1 RETURN a, b", table, "--src", "src", "--dst", "dst", "--quiet", "--timeout", "3"]
        done = self.matcha(*words)
        self.assertEqual((done.returncode, sorted(done.stdout.split()[1:])), (124, [b"1,2", b"1,3", b"2,3"]), done.stderr)
        self.assertIn(b"partial result: stopped by --timeout after 3 rows", done.stderr)
        done = self.matcha(*words, "--json")
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, answer["complete"], answer["stopped_by"], len(answer["result"])), (124, False, "timeout", 3))
        rows = self.path("partial.csv")
        self.assertEqual(self.matcha(*words, "--matches", rows).returncode, 124)
        with open(rows, encoding="utf-8") as file:
            self.assertEqual(len(file.read().split()), 4)

    def test_deep_texts(self):
        for text in ("(" * 5000, "RETURN " + "(" * 5000 + "1" + ")" * 5000, "RETURN " + "-" * 5000 + "1", "RETURN " + "NOT " * 5000 + "true",
                     "RETURN " + "[" * 5000, "RETURN 1" + "+1" * 5000, "RETURN 1" + " IS NULL" * 10000,
                     "RETURN " + "(" * 90 + "1" + ("+1" * 100 + ")") * 90, "WITH 1 AS x " + "WITH [x] AS x " * 70000 + "RETURN x",
                     "MATCH " + "-->".join(["()"] * 5000) + " RETURN 1"):
            self.assertEqual(self.matcha("query", self.write("deep.cypher", text + " "), self.edges).returncode, 1, text[:30])


def repr_of(value):
    """One text for equal values: 1 and 1.0."""
    if isinstance(value, list):
        return "[" + ",".join(map(repr_of, value)) + "]"
    return repr(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else repr(value)


if __name__ == "__main__":
    unittest.main(verbosity=1)
