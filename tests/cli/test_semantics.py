"""`--match`: random patterns on random multigraphs under three semantics, against every map (`match_oracle.py`)."""

import json
import random

import match_oracle
from cli import CliTest, fewer, main

WORDS = ["binds", "cites", "7"]
SEMANTICS = ["iso", "homo", "edge"]


def random_graph(source, directed, loops=False):
    vertices = [3 * v + 2 for v in range(source.choice([4, 5, 6]))]
    labels = {v: source.choice("ab") for v in vertices}
    labels[2], labels[5] = "a", "b"
    edges = {(source.choice(vertices), source.choice(vertices), source.choice(WORDS)) for _ in range(source.randint(6, 30))}
    edges |= {(2, 5, word) for word in WORDS}
    return match_oracle.Graph(vertices, labels, {e for e in edges if loops or e[0] != e[1]}, directed)


def random_pattern(source, graph, kinds, loops=False):
    size = source.choice([2, 3, 3, 3, 4, 4])
    edges, taken = [], set()
    for v in range(1, size):
        edges.append((source.randrange(v), v))
    for _ in range(source.randint(0, 3)):
        edges.append(tuple(source.sample(range(size), 2)))
    if loops and source.random() < 0.4:
        edges += [(source.randrange(size),) * 2] * source.randint(1, 2)
    found = []
    for u, v in edges:
        if graph.directed and source.random() < 0.5:
            u, v = v, u
        kind = source.choice(kinds)
        value = {"pair": None, "any": None, "one": source.choice(WORDS), "variable": source.choice("pq"),
                 "several": tuple(sorted(source.sample(WORDS, 2)))}[kind]
        key = (*graph.pair(u, v), kind, value)
        # A repeated edge is one edge, except for `?`.
        if key in taken and kind != "any":
            continue
        taken.add(key)
        found.append((u, v, kind, value))
    pairs = {graph.pair(u, v) for u, v, kind, _ in found if kind != "pair"}
    found = [e for e in found if e[2] != "pair" or graph.pair(*e[:2]) not in pairs]
    labels, constants, anti = {}, {}, []
    for v in range(size):
        if source.random() < 0.2:
            labels[v] = source.choice([("a",), ("b",), ("a", "b")])
        if source.random() < 0.1:
            constants[v] = source.choice(graph.vertices)
    joined = {frozenset(e[:2]) for e in found}
    if size > 2 and source.random() < 0.2:
        pair = source.sample(range(size), 2)
        anti = [] if frozenset(pair) in joined else [tuple(sorted(pair))]
    return match_oracle.Pattern(size, found, labels, constants, anti)


def twice(pattern):
    """Whether a variable stands on several edges."""
    names = [value for _, _, kind, value in pattern.edges if kind == "variable"]
    return len(set(names)) < len(names)


def partitions(size):
    """All ways to put 0 … size-1 into blocks: the block of each."""
    if size == 0:
        yield []
        return
    for blocks in partitions(size - 1):
        for block in range(max(blocks, default=-1) + 2):
            yield blocks + [block]


def quotient(pattern, blocks):
    """The pattern with each block as one vertex; nothing if no vertex can be all of a block."""
    labels, constants = {}, {}
    for v, words in pattern.labels.items():
        words = set(words) & set(labels.get(blocks[v], words))
        if not words:
            return None
        labels[blocks[v]] = tuple(sorted(words))
    for v, vertex in pattern.constants.items():
        if constants.setdefault(blocks[v], vertex) != vertex:
            return None
    edges = sorted({(blocks[u], blocks[v], kind, value) for u, v, kind, value in pattern.edges})
    return match_oracle.Pattern(max(blocks) + 1, edges, labels, constants)


class Semantics(CliTest):
    def graph_file(self, graph):
        labels = self.write("labels.txt", "".join(f"{v} {label}\n" for v, label in graph.labels.items()))
        isolated = self.write("vertices.txt", "".join(f"{v}\n" for v in graph.vertices))
        lines = sorted(graph.edges)
        file = self.write("g.txt", "".join(f"{u} {v} {label}\n" for u, v, label in lines))
        return [file, "--labels", labels, "--vertices", isolated, *(["--directed"] if graph.directed else [])]

    def answers(self, patterns, graph, *more):
        """The count of each pattern."""
        texts = self.write("patterns.txt", "".join(pattern.text(">" if graph.directed else "-") + "\n" for pattern in patterns))
        out = self.ok("run", "--json", "--patterns", texts, *self.graph_file(graph), *more)
        return [json.loads(line)["result"] for line in out.splitlines()]

    def compare(self, seed, kinds, rounds, *more, loops=False):
        source = random.Random(seed)
        for number in range(fewer(rounds, 1)):
            graph = random_graph(source, loops or number % 2 == 0, loops)
            patterns = [random_pattern(source, graph, kinds, loops) for _ in range(fewer(12, 4))]
            for match in SEMANTICS:
                if match == "edge":
                    patterns = [pattern for pattern in patterns if not twice(pattern)]
                wanted = [match_oracle.maps(graph, pattern, match) for pattern in patterns]
                if match == "iso":
                    groups = [match_oracle.automorphisms(pattern, graph.directed) for pattern in patterns]
                    found = self.answers(patterns, graph, *more)
                    self.assertEqual(self.answers(patterns, graph, "--embeddings", *more), wanted, [seed, number])
                    for pattern, one, group, count in zip(patterns, wanted, groups, found):
                        self.assertEqual((one // group, one % group), (count, 0), [pattern.text("-"), seed, number])
                    continue
                found = self.answers(patterns, graph, "--match", match, *more)
                for pattern, one, count in zip(patterns, wanted, found):
                    self.assertEqual(one, count, [match, pattern.text(">" if graph.directed else "-"), seed, number, sorted(graph.edges)])

    def test_labels_of_edges(self):
        self.compare(1, ["one"], 3, "--backend", "interp")

    def test_pairs(self):
        self.compare(2, ["pair"], 3, "--backend", "interp")

    def test_some_labels(self):
        self.compare(3, ["one", "one", "pair"], 3, "--backend", "interp")

    def test_any_label(self):
        self.compare(4, ["one", "any", "variable"], 3, "--backend", "interp")

    def test_one_of_several_labels(self):
        self.compare(5, ["one", "several", "any", "pair"], 3, "--backend", "interp")

    def test_rows_of_any_label(self):
        source = random.Random(8)
        for number in range(fewer(6, 2)):
            graph = random_graph(source, number % 2 == 0, number % 4 == 0)
            pattern = random_pattern(source, graph, ["one", "several", "any", "variable"])
            for match in SEMANTICS:
                if match == "edge" and twice(pattern):
                    continue
                given = ["--embeddings"] if match == "iso" else ["--match", match]
                if number % 4 == 0:
                    given.append("--keep-loops")
                text = pattern.text(">" if graph.directed else "-")
                rows = self.ok("run", "--quiet", "--backend", "interp", "--matches", "-", "--pattern", text, *self.graph_file(graph), *given)
                self.assertEqual(rows.count("\n"), match_oracle.maps(graph, pattern, match), [number, match, text, sorted(graph.edges)])

    def test_messages_and_refusals(self):
        file = self.write("g.txt", "1 2 knows\n2 2 knows\n2 3 likes\n")
        run = ["run", file, "--directed"]
        out = json.loads(self.ok(*run, "--json", "--match", "homo", "--pattern", "a->b=knows"))
        self.assertEqual(out["result"], 1)
        self.assertIn("homomorphisms", out["pattern"])
        out = json.loads(self.ok(*run, "--json", "--match", "edge", "--pattern", "a->b=knows", "--keep-loops"))
        self.assertEqual(out["result"], 2)
        self.assertIn("edges that all differ", out["pattern"])
        self.fails(2, *run, "--match", "homo", "--induced", "vertex", "--pattern", "a->b=knows", says="exclude each other")
        self.fails(2, *run, "--pattern", "a->a=knows", says=["lost its own", "--keep-loops"])
        # No edge of the pattern sees a loop, so none is kept.
        self.assertEqual(self.ok(*run, "--quiet", "--pattern", "a->b", "--keep-loops"), "2\n")
        self.fails(2, "run", "--quiet", file, "--match", "homo", "--pattern", "a-b", "--keep-loops", says=["directed graphs", "--directed"])
        self.fails(1, *run, "--pattern", "a->b=knows,a@7", says="the graph has no vertex `7`")
        self.fails(1, *run, "--pattern", "a->b=?", "--limit", "3", says=["--embeddings", "[pattern-plan]"])
        self.fails(1, *run, "--match", "edge", "--pattern", "a->b=?p,b->c=?p", says="[pattern-plan]")
        many = ",".join(f"v{i}->v{i + 1}=knows|likes" for i in range(7))
        self.fails(1, *run, "--pattern", many, says="more than 64 ways")
        self.fails(1, "pattern", "a-b,a@'libc6'", says="only a graph can say")
        self.assertIn("v7", self.ok("pattern", "7-8,7@3"))

    def test_constants_by_name(self):
        file = self.write("names.txt", "libc6 libgcc depends\ngcc libc6 depends\ngcc libgcc depends\n")
        run = ["run", "--quiet", file, "--directed", "--match", "homo", "--pattern"]
        self.assertEqual(self.ok(*run, "a->b=depends,b@'libc6'"), "1\n")
        self.assertEqual(self.ok(*run, "a->b=depends,a@gcc"), "2\n")
        numbers = self.write("numbers.txt", "18446744073709551615 7\n7 8\n")
        self.assertEqual(self.ok("run", "--quiet", numbers, "--pattern", "a@18446744073709551615-b-c"), "1\n")
        digits = self.write("digits.txt", "007 x\nx 7\n")
        self.assertEqual(self.ok("run", "--quiet", digits, "--ids", "text", "--pattern", "a@007-b-c"), "1\n")
        self.fails(1, *run, "a->b=depends,a@'libgc'", says=["no vertex `libgc`", "libgcc"])

    def test_arcs_in_query_files(self):
        file = self.write("g.txt", "1 2 knows\n2 3 likes\n3 1 knows\n")
        query = self.write("q.graph", "v 0\nv 1\nv 2\na 0 1 knows\na 1 2 likes\n")
        self.assertEqual(self.ok("run", "--quiet", "--directed", "--pattern", query, file), "1\n")

    def test_homomorphisms_are_isomorphisms_of_merged_patterns(self):
        """Each homomorphism is an injective map of the pattern in which vertices with the same image are one."""
        source = random.Random(10)
        graph = random_graph(source, True, True)
        for _ in range(fewer(6, 2)):
            pattern = random_pattern(source, graph, ["one"])
            pattern.anti = []
            merged = [quotient(pattern, blocks) for blocks in partitions(pattern.size)]
            options = ["--backend", "interp", "--keep-loops"]
            injective = self.answers([one for one in merged if one], graph, "--embeddings", *options)
            self.assertEqual(self.answers([pattern], graph, "--match", "homo", *options), [sum(injective)])

    def test_loops(self):
        self.compare(6, ["one", "one", "any", "several", "pair"], 3, "--backend", "interp", "--keep-loops", loops=True)

    def test_variables_and_loops(self):
        self.compare(7, ["variable", "one"], 3, "--backend", "interp", "--keep-loops", loops=True)

    def test_compiled(self):
        kinds = ["one", "one", "one", "any", "several", "variable", "pair"]
        self.compare(8, kinds, 1)
        self.compare(9, kinds, 1, "--keep-loops", loops=True)

    def test_loops_in_mtg(self):
        file = self.write("g.txt", "1 2 knows\n2 2 knows\n2 3 likes\n")
        whole, cut, plain = (self.path(name) for name in ("whole.mtg", "cut.mtg", "plain.mtg"))
        convert = ["graph", "convert", "--directed", "--edge-labels"]
        self.ok(*convert, "--keep-loops", file, whole)
        self.ok(*convert, file, cut)
        self.ok(*convert, self.write("p.txt", "1 2 knows\n2 3 likes\n"), plain)
        knows = ["--quiet", "--match", "homo", "--pattern", "a->b=knows"]
        self.assertEqual(self.ok("run", *knows, "--keep-loops", whole), "2\n")
        self.assertEqual(self.ok("run", "--quiet", "--keep-loops", "--pattern", "a->a=knows", whole), "1\n")
        # Without the option there are no loops, wherever the graph has them.
        self.assertEqual(self.ok("run", "--quiet", "--match", "homo", "--pattern", "a->b", whole), "2\n")
        self.fails(3, "run", *knows, whole, says=["the .mtg has loops", "--keep-loops"])
        self.fails(3, "run", *knows, "--keep-loops", cut, says=["does not have the loops", "--keep-loops"])
        self.assertEqual(self.ok("run", *knows, cut), "1\n")
        # No loop of its file is missing, so the pattern finds none of them.
        self.assertEqual(self.ok("run", *knows, "--keep-loops", plain), "1\n")
        self.assertEqual(self.ok("run", "--quiet", "--pattern", "a->a=knows", plain), "0\n")
        self.assertIn("3", self.ok("graph", "info", "--keep-loops", whole))
        self.fails(2, "graph", "convert", "--keep-loops", file, self.path("x.mtg"), says="--directed")

    def test_loops_without_labels(self):
        file = self.write("u.txt", "1 1\n1 2\n")
        plain = self.path("plain.mtg")
        self.ok("graph", "convert", "--quiet", "--directed", "--keep-loops", file, plain)
        for graph in (file, plain):
            run = ["run", "--quiet", "--directed", "--keep-loops", graph, "--pattern"]
            for match, pattern, wanted in (("homo", "a->b", 2), ("homo", "a->b,b->c", 2), ("edge", "a->b,b->c", 1), ("edge", "a->b,a->c", 2),
                                           ("homo", "a->a", 1), ("iso", "a->a", 1), ("iso", "a->b,a->a", 1), ("iso", "a->b", 1)):
                self.assertEqual(self.ok(*run, pattern, "--match", match), f"{wanted}\n", [graph, match, pattern])
            rows = self.ok(*run, "a->b", "--match", "homo", "--matches", "-")
            self.assertEqual(sorted(rows.splitlines()), ["1\t1", "1\t2"])
        # Several patterns read the graph in several ways.
        out = self.ok("run", "--quiet", "--directed", "--keep-loops", file, "--pattern", "a->b", "--pattern", "a->a")
        self.assertEqual([line.split()[-1] for line in out.splitlines()], ["1", "1"])
        self.compare(12, ["pair"], 3, "--backend", "interp", "--keep-loops", loops=True)

    def test_every_way_to_an_answer(self):
        source = random.Random(11)
        pairs = {(source.randrange(9), source.randrange(9)) for _ in range(22)}
        graph = match_oracle.Graph(list(range(9)), {}, {(u, v, "x") for u, v in pairs if u != v}, False)
        lines = sorted((u, v) for u, v, _ in graph.edges)
        file = self.write("g.txt", "".join(f"{u} {v}\n" for u, v in lines))
        updates = "".join(f"+ {u} {v}\n" for u, v in lines).encode()
        for ends in ([(0, 1), (1, 2), (2, 0), (2, 3)], [(0, 1), (1, 2), (2, 3)])[:fewer(2, 1)]:
            pattern = match_oracle.Pattern(4, [(u, v, "pair", None) for u, v in ends])
            for match in ("homo", "edge"):
                asked = ["--match", match, "--pattern", pattern.text("-")]
                run, wanted = ["run", "--quiet", *asked, file], str(match_oracle.maps(graph, pattern, match))
                for more in (["--tier", "interp"], ["--plan", "2"], ["--algorithm", "join"], ["--verify"], ["--limit", "99999", "--count"]):
                    self.assertEqual(self.ok(*run, *more).strip(), wanted, [match, more])
                self.assertEqual(len(set(self.ok(*run, "--matches", "-").splitlines())), int(wanted))
                ledgers = [self.path(f"{match}{len(ends)}{shard}.led") for shard in range(2)]
                for shard, ledger in enumerate(ledgers):
                    self.ok(*run, "--shard", f"{shard}/2", "--ledger", ledger)
                self.assertEqual(self.ok("merge", "--quiet", *ledgers).strip(), wanted)
                self.assertEqual(self.ok("stream", *asked, "--updates", "-", stdin=updates).split()[-1], wanted)
        self.fails(2, "run", "--match", "homo", "--per", "vertex", "--pattern", "motif:3", file, says="exclude each other")
        self.fails(1, "pattern", "a-b,b-c", "--match", "homo", "--delta", says="injective")
        self.fails(2, "stream", "--pattern", "a-b,a-a", "--updates", "-", stdin=b"+ 1 1\n", says="has a loop")


if __name__ == "__main__":
    main()
