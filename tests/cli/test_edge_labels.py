"""Labels of edges: files and patterns with them, against every map of the pattern into the graph."""

import itertools
import json
import random

from cli import CliTest, main

WORDS = ["binds", "cites", "7", "0"]
PATTERNS = [
    ("0-1=binds", False), ("0-1=binds,1-2=cites", False), ("0-1=binds,1-2=binds,2-0", False),
    ("0-1=0,1-2=0,2-0=0", False), ("0-1=binds,0-1=cites,1-2=7", False), ("0-1=binds-2=binds,0!2", False),
    ("0-1=7,1-2=7,2-3=7,3-0", False), ("0-1=cites,0-2=cites,0-3=7", False), ("0-1=binds,1-2,2-0,2-3=7", False),
    ("0:a-1:b=binds,1-2=cites", False), ("0>1=binds,1>2=binds", True), ("0>1=cites,1>2=cites,0>2", True),
    ("0>1=binds,1>0=7", True), ("0-1=binds,1>2=0", True), ("0>1=7,0>2=7,1>3=0,2>3=0", True),
]


NEVER_READ = """def main(G: Graph) -> int:
    def never(v):
        return size(apply(lambda x, t: x, cond=lambda x, t: t == 2, neighbor(G, v), edge_info(G, v)))
    def arcs_from(v):
        def repeats(u):
            return size(apply(lambda x: x, cond=lambda x: x == u, neighbor(G, v)))
        return sum(apply(repeats, vertices(G)))
    return sum(apply(arcs_from, vertices(G))) + sum(apply(never, cond=lambda v: 1 == 2, vertices(G)))
"""


class Graph:
    """Random edges with labels, among them loops, repeats and parallel ones, and their meaning."""

    def __init__(self, seed, directed):
        source = random.Random(seed)
        self.vertices = [5 * v + 1 for v in range(9)]
        self.labels = {v: source.choice("ab") for v in self.vertices}
        self.lines = [(source.choice(self.vertices), source.choice(self.vertices), source.choice(WORDS)) for _ in range(60)]
        self.between = {}
        for u, v, label in self.lines:
            if u != v:
                self.between.setdefault((u, v), set()).add(label)
                if not directed:
                    self.between.setdefault((v, u), set()).add(label)

    def tve(self, order):
        lines = "".join(f"v {v} {self.labels[v]}\n" for v in self.vertices)
        return lines + "".join(f"e {u} {v} {label}\n" for u, v, label in order)

    def text(self):
        return "".join(f"{u}\t{v}\t{label}\n" for u, v, label in self.lines)


def parse(text):
    """Vertices, labels of vertices, arcs with the labels they must have, pairs without edges."""
    labels, arcs, anti = {}, {}, set()

    def vertex(word):
        name, _, label = word.partition(":")
        if label:
            labels[int(name)] = label
        return int(name)

    ends = set()
    for item in text.split(","):
        words, signs, word = [], [], ""
        for letter in item:
            if letter in "->!":
                words.append(word)
                signs.append(letter)
                word = ""
            else:
                word += letter
        words.append(word)
        for before, sign, after in zip(words, signs, words[1:]):
            after, _, label = after.partition("=")
            u, v = vertex(before.partition("=")[0]), vertex(after)
            ends |= {u, v}
            if sign == "!":
                anti |= {(u, v), (v, u)}
            for arc in {(u, v)} | ({(v, u)} if sign == "-" else set()) if sign != "!" else ():
                arcs.setdefault(arc, set()).update([label] if label else [])
    return sorted(ends), labels, arcs, anti


def embeddings(graph, text, induced):
    ends, labels, arcs, anti = parse(text)
    found = 0
    for chosen in itertools.permutations(graph.vertices, len(ends)):
        image = dict(zip(ends, chosen))
        good = all(graph.labels[image[v]] == label for v, label in labels.items())
        for u, v in itertools.permutations(ends, 2):
            there = graph.between.get((image[u], image[v]))
            if (u, v) in arcs:
                good = good and there is not None and arcs[u, v] <= there
            elif (u, v) in anti or induced == "vertex":
                good = good and there is None
        found += good
    return found


def automorphisms(text, induced):
    ends, labels, arcs, anti = parse(text)
    found = 0
    for chosen in itertools.permutations(ends):
        image = dict(zip(ends, chosen))
        found += ({(image[u], image[v]): need for (u, v), need in arcs.items()} == arcs and
                  {image[v]: label for v, label in labels.items()} == labels and
                  (induced == "vertex" or {(image[u], image[v]) for u, v in anti} == anti))
    return found


class EdgeLabels(CliTest):
    def count(self, *args, **kwargs):
        return int(self.ok("run", "--quiet", *args, **kwargs))

    def test_counts(self):
        for number, (pattern, directed) in enumerate(PATTERNS):
            graph = Graph(number, directed)
            file = self.write("g.lg", graph.tve(graph.lines))
            more = ["--directed"] if directed else []
            for induced in ("vertex", "edge"):
                wanted = embeddings(graph, pattern, induced)
                group = automorphisms(pattern, induced)
                self.assertEqual(wanted % group, 0)
                words = ["--pattern", pattern, "--induced", induced, file, *more]
                self.assertEqual(self.count(*words), wanted // group, words)
                self.assertEqual(self.count(*words, "--backend", "interp", "--embeddings"), wanted, words)
                for algorithm in ("extend", "join", "decompose"):
                    done = self.matcha("run", "--quiet", *words, "--algorithm", algorithm)
                    if done.returncode == 1:
                        self.assertNotEqual(algorithm, "extend")
                        self.assertIn(b"does not fit", done.stderr)
                    else:
                        self.assertEqual((done.returncode, int(done.stdout)), (0, wanted // group), [words, algorithm])
                rows = self.ok("run", "--quiet", *words, "--embeddings", "--matches", "-").splitlines()
                self.assertEqual((len(rows), len(set(rows))), (wanted, wanted), words)

    def test_search_is_as_a_program(self):
        for number, (pattern, directed) in enumerate(PATTERNS):
            graph = Graph(100 + number, directed)
            file, mtg = self.write("g.lg", graph.tve(graph.lines)), self.path("g.mtg")
            self.ok("graph", "convert", file, mtg, "--edge-labels", *(["--directed"] if directed else []))
            for induced in ("vertex", "edge"):
                wanted = embeddings(graph, pattern, induced)
                words = ["run", "--pattern", pattern, "--induced", induced, "--embeddings", mtg, "--device", "cpu"]
                for algorithm in ("join", "extend"):
                    found = json.loads(self.ok(*words, "--algorithm", algorithm, "--json"))
                    self.assertEqual(found["result"], wanted, [words, algorithm])
                    self.assertEqual(found["stats"]["backend"] == "search", algorithm == "join", [words, algorithm])
                rows = set(self.ok(*words, "--quiet", "--algorithm", "join", "--matches", "-").splitlines())
                self.assertEqual(rows, set(self.ok(*words, "--quiet", "--algorithm", "extend", "--matches", "-").splitlines()))
                self.assertEqual(len(rows), wanted)
                self.assertEqual(self.ok(*words, "--quiet", "--exists"), "true\n" if wanted else "false\n")
                for limit in (1, 7, 10**6):
                    some = self.ok(*words, "--quiet", "--limit", limit, "--matches", "-").splitlines()
                    self.assertEqual((len(some), len(set(some))), (min(limit, wanted),) * 2, [words, limit])
                    self.assertLessEqual(set(some), rows)
                    self.assertEqual(int(self.ok(*words, "--quiet", "--limit", limit, "--count")), min(limit, wanted))

    def test_search_needs_no_labels_of_vertices(self):
        file = self.write("g.lg", Graph(1, True).tve(Graph(1, True).lines))
        labelled = ["run", "--pattern", "0>1=binds,1>2=cites,2>0=7", file, "--directed", "--device", "cpu", "--json"]
        self.assertNotEqual(json.loads(self.ok(*labelled))["stats"]["backend"], "search")
        labelled += ["--algorithm", "join"]
        self.assertEqual(json.loads(self.ok(*labelled))["stats"]["backend"], "search")
        for other in ("0>1=?,1>2=7", "0>1=binds,0>0=7"):
            found = json.loads(self.ok("run", "--pattern", other, file, "--directed", "--keep-loops", "--device", "cpu", "--json"))
            self.assertNotEqual(found["stats"]["backend"], "search", other)

    def test_every_kind_of_file(self):
        pattern = ["--pattern", "0-1=binds,1-2=cites,2-0", "--induced", "edge"]
        graph = Graph(5, False)
        wanted = embeddings(graph, pattern[1], "edge")
        file = self.write("g.lg", graph.tve(graph.lines))
        text = self.write("g.txt", graph.text())
        both = self.write("both.lg", graph.tve(graph.lines + [(v, u, label) for u, v, label in reversed(graph.lines)]))
        mtg, again, back = self.path("g.mtg"), self.path("again.mtg"), self.path("back.lg")
        self.ok("graph", "convert", file, mtg, "--edge-labels")
        self.ok("graph", "convert", mtg, again)
        self.ok("graph", "convert", mtg, back)
        for one in (file, text, both, mtg, again, back):
            self.assertEqual(self.count(*pattern, one), wanted, one)
        # A new dictionary, with words before and between those of the edges.
        labels = self.write("labels", "".join(f"{v} {word}\n" for v, word in zip(graph.vertices, ["aa", "bz", "zz"] * 3)))
        for one in (text, mtg):
            self.assertEqual(self.count(*pattern, one, "--labels", labels), wanted, one)
        query = self.write("q.graph", "t 3 3\nv 0\nv 1\nv 2\ne 0 1 binds\ne 1 2 cites\ne 2 0\n")
        self.assertEqual(self.count("--pattern", query, "--induced", "edge", mtg), wanted)

    def test_programs_that_do_not_look_at_labels(self):
        """They get a simple graph, whatever the .mtg holds."""
        graph = Graph(3, False)
        file, mtg, times = self.write("g.lg", graph.tve(graph.lines)), self.path("g.mtg"), self.path("t.mtg")
        self.ok("graph", "convert", file, mtg, "--edge-labels")
        plain = ["--pattern", "triangle"]
        wanted = self.count(*plain, file)
        self.assertEqual(wanted * 6, embeddings(graph, "0-1,1-2,2-0", "edge"))
        self.assertEqual(self.count(*plain, mtg), wanted)
        numbers = self.write("n.txt", "".join(f"{u} {v} 1\n{v} {u} 1\n{u} {v} 2\n" for u, v, _ in graph.lines))
        self.ok("graph", "convert", numbers, times, "--temporal")
        self.assertEqual(self.count("examples/triangle.mt", times), wanted)
        unlabelled = ["--pattern", "0-1=x,1-2=y,2-0=z", "--unlabelled-edges"]
        self.assertEqual(self.count(*unlabelled, file), wanted)

    def test_repeats_of_temporal_graphs(self):
        file = self.write("t.txt", "1 2 5\n1 2 5\n1 2 6\n2 3 5\n2 3 5\n")
        program = self.write("q.mt", "def n(G: Graph) -> int:\n    return sum(apply(lambda v: size(edge_info(G, v)), vertices(G)))\n")
        self.assertEqual([self.count(program, file, *more) for more in ([], ["--directed"], ["--temporal"])], [6, 3, 5])
        pattern = self.write("p.mt", self.ok("pattern", "0>1=5,1>2=5", "--induced", "edge"))
        self.assertEqual([self.count(pattern, file, more) for more in ("--directed", "--temporal")], [1, 1])
        self.assertEqual(self.count("--pattern", "0>1=5,1>2=5", file, "--algorithm", "join", "--directed"), 1)

    def test_parallel_edges_whose_information_is_not_read_after_all(self):
        # The pass that finds this out leaves no sign of it; the edges that were read are parallel all the same.
        file = self.write("t.txt", "0 1 5\n0 1 6\n1 2 5\n0 2 5\n0 2 7\n3 1 4\n3 0 4\n3 0 5\n")
        program = self.write("q.mt", NEVER_READ)
        for backend in ("llvm", "interp"):
            answers = [self.count(program, file, "--backend", backend, *more) for more in ([], ["--directed"])]
            self.assertEqual(answers, [16, 8])

    def test_info_and_json(self):
        file = self.write("g.lg", Graph(3, False).tve(Graph(3, False).lines))
        about = json.loads(self.ok("graph", "info", file, "--edge-labels", "--json"))
        self.assertEqual((about["edge_info"], about["parallel_edges"], about["directed"]), (True, True, False))
        found = json.loads(self.ok("run", "--pattern", "0-1=binds", file, "--json"))
        self.assertEqual(found["pattern"], "pattern 0-1='binds'; subgraphs, edge- and vertex-induced alike")

    def test_errors(self):
        plain = self.write("g.txt", "0 1\n1 2\n")
        self.fails(3, "run", "--pattern", "0-1=a", plain, says=["g.txt:1:", "the label or the number of an edge"])
        self.ok("graph", "convert", plain, self.path("g.mtg"))
        self.fails(3, "run", "--pattern", "0-1=a", self.path("g.mtg"), says=["no labels", "--edge-labels"])
        self.fails(3, "run", "--pattern", "0-1=a", self.write("x.lg", "e 0 1 a\ne 1 2\n"), says=["x.lg:2:", "no label"])
        labelled = self.write("l.txt", "0 1 cites\n1 2 binds\n")
        self.fails(1, "run", "--pattern", "0-1=cite", labelled, says=["cite", "cites"])
        self.assertEqual(self.count("--pattern", "0-1=5", labelled), 0)
        self.fails(3, "run", "--pattern", "0-1=a", self.write("n.txt", "0 1 a\n1 2 -3\n"), says="negative label")
        self.fails(1, "pattern", "0-1,1!2=a", says="no edge that could have a label")
        self.ok("explain", "--pattern", "0-1=cites,1-2=binds", labelled)
        svg = self.ok("explain", "--pattern", "0-1=cites,1-2=binds", "--svg", "-")
        self.assertIn("cites", svg)


if __name__ == "__main__":
    main()
