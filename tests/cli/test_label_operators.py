"""neighbor, sources and vertices with a label of edges, and labels: on every back end, against sets made of the lines."""

import json
import pathlib
import random
import shutil
import subprocess
from collections import defaultdict

from cli import MATCHA, CliTest, main

WORDS = ["binds", "cites", "/has/part", "7", "0", "-3"]
EMULATED = pathlib.Path(MATCHA).resolve().parents[1] / "tests/emulation/libemulated_cuda.so"

# Every sum weighs its terms, so that mistakes do not cancel.
PROGRAM = """
def weighed(v, near):
    return sum(apply(lambda w: 31 * v + 7 * w + 1, near))

def at_label(G: Graph, u, w, l):
    return 3 * weighed(u, neighbor(G, u, l)) + 5 * weighed(w, sources(G, w, l)) + weighed(u, vertices(G, l))

def main(G: Graph, l: int = 7):
    every = vertices(G)
    there = sum(apply(lambda v: weighed(v, neighbor(G, v, WORD)), every))
    back = sum(apply(lambda v: weighed(v, sources(G, v, WORD)), every))
    given = sum(apply(lambda v: weighed(v, neighbor(G, v, l)), every)) + 2 * weighed(1, vertices(G, label=l))
    number = sum(apply(lambda v: weighed(v, sources(G, v, 0)), every)) + 2 * weighed(2, vertices(G, NEGATIVE))
    turned = sum(apply(lambda v: weighed(v, sources(G, v)), every))
    both = lambda u: intersect(neighbor(G, u, WORD), sources(G, u, l))
    met = sum(apply(lambda u: sum(apply(lambda w: u + 2 * w, cond=lambda w: w < u, both(u))), vertices(G, WORD)))
    lines = lambda u, w: sum(apply(lambda m: at_label(G, u, w, m), labels(G, u, w)))
    running = sum(apply(lambda e: lines(get(e, 0), get(e, 1)), edges(G)))
    P = mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) % 2 == 0, edges(G)),
                 einfo=apply(lambda e: get(e, 1) % 3, cond=lambda e: get(e, 0) % 2 == 0, edges(G)))
    built = sum(apply(lambda v: weighed(v, neighbor(P, v, 1)) + 2 * weighed(v, sources(P, v, 2)) + 3 * weighed(v, sources(P, v)), vertices(P)))
    return mk_tuple(val=[there, back, given, number, turned, met, running, built])
"""


def program(words):
    """Words and negative numbers do not meet in a graph, as the codes of words are negative."""
    return PROGRAM.replace("WORD", "'/has/part'" if words else "5").replace("NEGATIVE", "1" if words else "-3")


class Graph:
    """Random edges with labels, loops, repeats and parallel ones among them."""

    def __init__(self, seed, directed, words):
        source = random.Random(seed)
        self.directed = directed
        self.vertices = [3 * v + 1 for v in range(8)]
        labels = [w for w in WORDS if w != "-3"] if words else ["5", "7", "0", "-3"]
        self.lines = [(source.choice(self.vertices), source.choice(self.vertices), source.choice(labels))
                      for _ in range(source.choice([2, 15, 45]))]
        self.lines += [(1, 4, label) for label in labels]
        self.arcs = {(u, v, l) for u, v, l in self.lines if u != v}
        if not directed:
            self.arcs |= {(v, u, l) for u, v, l in self.arcs}
        self.seen = sorted({end for line in self.lines for end in line[:2]})

    def text(self):
        return "".join(f"{u}\t{v}\t{label}\n" for u, v, label in self.lines)


def weighed(v, near):
    return sum(31 * v + 7 * w + 1 for w in near)


def answers(graph, words, given):
    out, into = defaultdict(set), defaultdict(set)
    for u, v, l in graph.arcs:
        out[u, l].add(v)
        into[v, l].add(u)
    starts = {l: {u for u, _, m in graph.arcs if m == l} for l in WORDS + ["5", "1"]}
    word, negative = ("/has/part", "1") if words else ("5", "-3")
    there = sum(weighed(v, out[v, word]) for v in graph.seen)
    back = sum(weighed(v, into[v, word]) for v in graph.seen)
    total = sum(weighed(v, out[v, given]) for v in graph.seen) + 2 * weighed(1, starts[given])
    number = sum(weighed(v, into[v, "0"]) for v in graph.seen) + 2 * weighed(2, starts[negative])
    turned = sum(weighed(v, [u]) for u, v, _ in graph.arcs)
    met = sum(u + 2 * w for u in starts[word] for w in out[u, word] & into[u, given] if w < u)
    running = 0
    for u, w, _ in graph.arcs:  # Parallel edges are separate arcs, each of which sees all their labels.
        for _, _, m in [arc for arc in graph.arcs if arc[:2] == (u, w)]:
            running += 3 * weighed(u, out[u, m]) + 5 * weighed(w, into[w, m]) + weighed(u, starts[m])
    built = sum((0, 1, 0)[v % 3] * weighed(u, [v]) for u, v in {a[:2] for a in graph.arcs if a[0] % 2 == 0})
    built += sum(2 * weighed(v, [u]) for u, v in {a[:2] for a in graph.arcs if a[0] % 2 == 0} if v % 3 == 2)
    built += sum(3 * weighed(v, [u]) for u, v, _ in graph.arcs if u % 2 == 0)
    return [there, back, total, number, turned, met, running, built]


class LabelOperators(CliTest):
    def check(self, seed, run):
        words, directed, given = seed % 2 == 0, seed % 4 < 2, "7" if seed % 3 else "0"
        graph = Graph(seed, directed, words)
        options = ["--param", f"l={given}"] + (["--directed"] if directed else [])
        got = run(self.write(f"{words}.mt", program(words)), self.write("g.txt", graph.text()), options)
        self.assertEqual(got, answers(graph, words, given), f"seed {seed}\n{graph.text()}")

    def test_on_every_cpu_back_end(self):
        for seed in range(24):
            for options in (["--backend", "interp"], ["--tier", "interp"], ["--tier", "native"]):
                self.check(seed, lambda p, g, o: json.loads(self.ok("run", p, g, "--json", *options, *o))["result"])

    def test_from_a_graph_with_its_edges_by_label(self):
        def run(p, g, o):
            mtg = self.path("g.mtg")
            directed = ["--directed"] if "--directed" in o else []
            self.ok("graph", "convert", g, mtg, "--edge-labels", *directed)
            return json.loads(self.ok("run", p, mtg, "--json", *[word for word in o if word != "--directed"]))["result"]

        for seed in range(24):
            self.check(seed, run)

    def test_ahead_of_time(self):
        if shutil.which("g++") is None:
            self.skipTest("there is no g++")
        made = {}

        def run(p, g, o):
            if p not in made:
                source = self.path(f"p{len(made)}.cpp")
                self.ok("build", p, "--emit=cpp", "-o", source)
                made[p] = source[:-4]
                subprocess.run(["g++", "-std=c++20", "-O0", "-pthread", source, "-o", made[p]], check=True)
            mtg = self.path("g.mtg")
            self.ok("graph", "convert", g, mtg, "--edge-labels", *[word for word in o if word == "--directed"])
            done = subprocess.run([made[p], mtg, "--json", *[word for word in o if word != "--directed"]],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["result"]

        for seed in range(12):
            self.check(seed, run)

    def test_ahead_of_time_arcs_and_order(self):
        """A program reads its inputs as `run` does."""
        if shutil.which("g++") is None:
            self.skipTest("there is no g++")
        census = self.write("arcs.mt", "def main(G: Graph) -> int:\n    return size(arcs(G))\n")
        timed = self.write("timed.mt", "def main(edges: List<Tuple<int, 2>>, times: List<int>) -> int:\n"
                                       "    g = mk_graph(edges, einfo=times)\n"
                                       "    return sum(apply(lambda v: sum(edge_info(g, v)), vertices(g)))\n")
        text = self.write("g.txt", "2 1 5\n1 3 7\n2 1 5\n")
        undirected, directed = self.path("u.mtg"), self.path("d.mtg")
        self.ok("graph", "convert", f"{text}", undirected)
        self.ok("graph", "convert", f"{text}", directed, "--directed")
        made = []
        for program in (census, timed):
            source = self.path(f"b{len(made)}.cpp")
            self.ok("build", program, "--emit=cpp", "-o", source)
            made.append(source[:-4])
            subprocess.run(["g++", "-std=c++20", "-O0", "-pthread", source, "-o", made[-1]], check=True)
        self.fails(3, "run", census, undirected, says="the program asks for the arcs of the graph")
        for words, code, says in (
            ([made[0], undirected], 3, "the program asks for the arcs of the graph, and the .mtg keeps none"),
            ([made[0], directed], 0, "2"),
            ([made[1], directed, "--in", f"times={text}:2"], 2, "give the edges as a list"),
            ([made[1], "--in", f"edges={text}:0,1", "--in", f"times={text}:2"], 0, "17"),
        ):
            done = subprocess.run(words, capture_output=True, check=False, text=True)
            self.assertEqual((done.returncode, says in done.stdout + done.stderr), (code, True), (words, done))

    def test_on_an_emulated_gpu(self):
        if not EMULATED.exists() or shutil.which("g++") is None:
            self.skipTest("there is no emulated GPU")
        environment = self.environment(MATCHA_LIBCUDA=str(EMULATED), MATCHA_NVRTC=str(EMULATED))
        for seed in range(4):
            self.check(seed, lambda p, g, o: json.loads(
                self.ok("run", p, g, "--json", "--device", "cuda", "--group", "1", *o, env=environment))["result"])

    def test_errors(self):
        graph = self.write("g.txt", "1 2 binds\n2 3 cites\n")
        word = self.write("word.mt", "def main(G: Graph):\n    return size(vertices(G, 'bind'))\n")
        self.fails(1, "run", word, graph, says=["no vertex or edge has the label `bind`", "did you mean `binds`?", "word.mt:2:29"])
        number = self.write("number.mt", "def main(G: Graph):\n    return size(vertices(G, 5))\n")
        self.assertEqual(self.ok("run", number, graph), "0\n")
        plain = self.write("plain.txt", "1 2\n2 3\n")
        self.fails(3, "run", number, plain)
        floats = self.write("floats.mt", "def main(G: Graph):\n    return size(vertices(G, 1.5))\n")
        self.fails(1, "check", floats, says=["argument `label` of `vertices` has type `float`; expected `int`"])
        info = self.write("info.mt", "def main(G: Graph):\n"
                          "    P = mk_graph(edges(G))\n    return sum(apply(lambda v: size(neighbor(P, v, 1)), vertices(P)))\n")
        self.fails(1, "check", info, says=["info.mt:3:46", "labels and times of edges are of type `int`"])

    def test_labels_of_a_graph(self):
        graph, mtg = self.write("g.txt", "1 2 binds\n1 3 binds\n4 3 binds\n2 3 cites\n"), self.path("g.mtg")
        self.ok("graph", "convert", graph, mtg, "--edge-labels", "--directed")
        self.assertEqual(json.loads(self.ok("graph", "info", mtg, "--json"))["edge_labels"], [
            {"label": "binds", "edges": 3, "sources": 2, "most_targets": 2, "targets": 2, "most_sources": 2},
            {"label": "cites", "edges": 1, "sources": 1, "most_targets": 1, "targets": 1, "most_sources": 1}])
        self.assertIn("binds            3  2 sources with up to 2, 2 targets with up to 2\n", self.ok("graph", "info", mtg))

    def test_a_second_query_of_a_shape_is_compiled_already(self):
        graph = self.write("g.txt", "1 2 binds\n2 3 cites\n1 3 cites\n")
        for label, found in (("binds", False), ("cites", True)):
            done = json.loads(self.ok("run", "--pattern", f"0>1={label},0>2={label}", "--directed", "--tier", "native",
                                      "--order", "id", "--json", graph))
            self.assertEqual("code_cache" in done["stats"]["compile_ms"], found)

    def test_a_name_of_the_program_hides_an_operator(self):
        program = self.write("old.mt", "def main(G: Graph):\n    sources = size(vertices(G))\n"
                             "    labels = sources + 1\n    return sources + labels\n")
        self.assertEqual(self.ok("run", program, self.write("g.txt", "1 2\n")), "5\n")


if __name__ == "__main__":
    main()
