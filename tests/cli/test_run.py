"""`matcha run`: answers, bindings, JSON, streams."""

import json
import math
import random
import re
import subprocess
import unittest

import cli

FOUR_CYCLE = "examples/four_cycle.mt"


class Answers(cli.CliTest):
    def run_program(self, body, *args, params="G: Graph", graph="tests/graphs/clique-6.txt", **kwargs):
        program = self.write("q.mt", f"def f({params}):\n    return {body}\n")
        return self.ok("run", program, *([graph] if graph else []), *args, **kwargs)

    def test_errors_of_arithmetic_have_their_place(self):
        """By each engine, also where sums are counts of patterns."""
        program = self.write("zero.mt", "def main(g: Graph) -> int:\n    n = sum(apply(lambda v: size(neighbor(g, v)), vertices(g)))\n    return 7 / (n - 4)\n")
        graph = self.write("two.txt", "0 1\n1 2\n")
        for engine in ("patterns", "program"):
            self.fails(4, "run", program, graph, "--engine", engine, says="zero.mt:3:12: error: division by zero")

    def test_answer_alone_on_stdout(self):
        done = self.matcha("run", cli.TRIANGLE, cli.WIKI)
        self.assertEqual(done.stdout, b"608389\n")
        self.assertIn(b"7,115 vertices", done.stderr)
        self.assertEqual(self.matcha("run", cli.TRIANGLE, cli.WIKI, "--quiet").stderr, b"")

    def test_same_answer_everywhere(self):
        for options in (["--threads", "1"], ["--threads", "2"], ["--simd", "scalar"], ["--device", "cpu"]):
            self.assertEqual(self.ok("run", cli.TRIANGLE, cli.WIKI, *options), f"{cli.WIKI_TRIANGLES}\n")
        graph = "tests/graphs/random-20-seed2.txt"
        answers = {self.ok("run", cli.TRIANGLE, graph, "--backend", backend) for backend in ("llvm", "interp")}
        self.assertEqual(len(answers), 1)

    def test_kinds_of_values(self):
        self.assertEqual(self.run_program("size(vertices(G))"), "6\n")
        self.assertEqual(self.run_program("size(vertices(G)) > 5"), "true\n")
        self.assertEqual(self.run_program("0.1 + 0.2"), "0.30000000000000004\n")
        self.assertEqual(self.run_program("1.0 + 2.0"), "3.0\n")
        self.assertEqual(self.run_program("mk_tuple(val=[7, size(edges(G))])"), "7\t30\n")
        self.assertEqual(self.run_program("vertices(G)"), "0\n1\n2\n3\n4\n5\n")
        self.assertEqual(self.run_program("apply(lambda v: v > 4, vertices(G))").split(), ["false"] * 5 + ["true"])
        self.assertEqual(self.run_program("0 - size(edges(G))"), "-30\n")

    def test_original_ids(self):
        graph = self.write("g.txt", "1000000007 -5\n-5 30\n30 1000000007\n")
        self.assertEqual(self.run_program("vertices(G)", graph=graph), "-5\n30\n1000000007\n")
        self.assertEqual(self.run_program("max(vertices(G))", graph=graph), "1000000007\n")
        self.assertEqual(self.ok("run", cli.LISTING, graph), "1000000007\t30\t-5\n")

    def test_wide_counts(self):
        # A sum beyond 64 bits is printed exactly, as text and as a JSON integer.
        big = 3037000499 * 3037000499
        body = f"sum(apply(lambda v: {big}, vertices(G)))"
        self.assertEqual(self.run_program(body), f"{6 * big}\n")
        self.assertEqual(json.loads(self.run_program(body, "--json"))["result"], 6 * big)
        star = self.generate("star.mtg", "star", "--vertices", "9001")
        self.assertEqual(int(self.ok("run", "--pattern", "star:7", star)), math.comb(9000, 6))
        beyond = self.write("beyond.mt", "def f(G: Graph) -> int:\n    return 9223372036854775807 + size(vertices(G))\n")
        for tier in ("interp", "native"):
            self.fails(4, "run", beyond, "tests/graphs/clique-6.txt", "--tier", tier, says=["beyond.mt:2:", "overflow"])

    def test_program_on_stdin(self):
        text = (cli.ROOT / cli.TRIANGLE).read_bytes()
        self.assertEqual(self.ok("run", "-", cli.WIKI, stdin=text), f"{cli.WIKI_TRIANGLES}\n")
        self.fails(1, "run", "-", cli.WIKI, stdin=b"def f(G):\n    retrun 1\n", says="<stdin>:2:")

    def test_directed(self):
        graph = self.write("g.txt", "0 1\n1 0\n1 2\n")
        self.assertEqual(self.run_program("size(edges(G))", graph=graph), "4\n")
        self.assertEqual(self.run_program("size(edges(G))", "--directed", graph=graph), "3\n")

    def test_programs_that_need_arcs(self):
        graph = self.write("g.txt", "1 2\n2 1\n2 3\n3 3\n4 5\n")
        census = [2, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        names = "003 012 102 021D 021U 021C 111D 111U 030T 030C 201 120D 120U 120C 210 300".split()
        triads = ["run", "--quiet", "std.directed", "--entry", "triads"]
        reported = self.ok(*triads, "--directed", graph)
        self.assertEqual([line.split() for line in reported.splitlines()], [[name, str(n)] for name, n in zip(names, census)])
        result = json.loads(self.ok(*triads, "--directed", graph, "--json"))["result"]
        self.assertEqual(result, dict(zip(names, census)))
        self.fails(2, *triads, graph, says=("`triads` asks for the arcs of `g`, and the graph would lose its own", "add --directed"))
        self.fails(2, "run", "std.directed", "--entry", "reciprocated", graph, says="add --directed")
        own = self.write("own.mt", "from std.directed import triads\n\ndef main(G: Graph):\n    return get(triads(G), 1)\n")
        self.assertEqual(self.ok("run", "--quiet", own, "--directed", graph), "5\n")
        self.fails(2, "run", own, graph, says="`main` asks for the arcs of `G`")
        self.fails(2, "explain", own, graph, says="add --directed")
        self.ok("graph", "convert", graph, self.path("two.mtg"), "--quiet")
        self.ok("graph", "convert", graph, self.path("one.mtg"), "--directed", "--quiet")
        self.fails(3, *triads, self.path("two.mtg"), says=("two.mtg: error: the program asks for the arcs", "graph convert --directed"))
        self.assertEqual(self.ok(*triads, self.path("one.mtg")), reported)
        built = "def main(G: Graph):\n    return size(arcs(mk_graph(edges(G))))\n"
        self.assertEqual(self.ok("run", "--quiet", self.write("built.mt", built), graph), "6\n")

    def test_values_of_edges_are_in_the_order_of_a_file(self):
        """A graph sorts its edges and drops repeats, so times in the order of lines would be those of other edges."""
        text = self.write("g.txt", "2 1 5\n1 3 7\n3 2 9\n")
        program = ["run", "--quiet", "std.temporal", "--entry", "q7"]
        lists = ["--in", f"times={text}:2"]
        for words in ([text, "--directed"], [text], ["--in", f"edges={self.path('g.mtg')}"]):
            self.ok("graph", "convert", text, self.path("g.mtg"), "--directed")
            self.fails(2, *program, *words, *lists, says=["`edges` would be the sorted edges of a graph", "--in edges=FILE:0,1"])
        self.assertEqual(self.ok(*program, "--in", f"edges={text}:0,1", *lists), "1\n")
        self.ok("graph", "convert", text, self.path("t.mtg"), "--temporal")
        timed = self.path("t.mtg")
        self.assertEqual(self.ok(*program, "--in", f"edges={timed}", "--in", f"times={timed}:2"), "1\n")

    def test_entry(self):
        program = self.write(
            "q.mt", "def one(G: Graph):\n    return size(vertices(G))\n\ndef two(G: Graph):\n    return size(edges(G))\n"
        )
        graph = "tests/graphs/clique-6.txt"
        self.assertEqual(self.ok("run", program, graph), "30\n")
        self.assertEqual(self.ok("run", program, graph, "--entry", "one"), "6\n")

    def test_scalars(self):
        for given, answer in ((["--param", "k=5"], "11\n"), ([], "9\n"), (["--param", "k=-6"], "0\n")):
            self.assertEqual(self.run_program("size(vertices(G)) + k", *given, params="G: Graph, k: int = 3"), answer)
        self.assertEqual(self.run_program("x + 0.5", "--param", "x=1e3", params="x: float", graph=None), "1000.5\n")
        self.assertEqual(self.run_program("not b", "--param", "b=true", params="b: bool", graph=None), "false\n")

    def test_defaults_of_floats(self):
        """A whole number and a negative one are floats, not the bits of an int."""
        for default, given in (("1", 1), ("-2", -2), ("2.5", 2.5), ("-2.5", -2.5), ("0", 0)):
            self.assertEqual(float(self.run_program("x * 10", params=f"x: float = {default}", graph=None)), 10 * given)
            self.assertEqual(
                float(self.run_program("x * size(vertices(G))", params=f"G: Graph, x: float = {default}")), 6 * given
            )

    def test_capacity_of_a_list(self):
        program = self.write("q.mt", "def f(G: Graph, n: int):\n    return sum(mk_list(n, val=vertices(G)))\n")
        graph = "tests/graphs/clique-6.txt"
        self.assertEqual(self.ok("run", program, graph, "--param", "n=6"), "15\n")
        self.fails(4, "run", program, graph, "--param", "n=5", says="capacity")
        self.fails(1, "check", "tests/errors/fail_capacity_nested.mt", says="[list-capacity]")

    def test_lists(self):
        data = self.write("d.txt", "5 1.5 9\n6 2.5 8\n")
        path_with_colon = self.write("d:1", "5 1.5\n")
        self.assertEqual(self.run_program("sum(x)", "--in", f"x={data}:0", params="x: List<int>", graph=None), "11\n")
        self.assertEqual(self.run_program("sum(x)", "--in", f"x={data}:1", params="x: List<float>", graph=None), "4.0\n")
        self.assertEqual(self.run_program("sum(x)", "--in", f"x={path_with_colon}", params="x: List<int>", graph=None), "5\n")
        body = "apply(lambda e: get(e, 0) * 100 + get(e, 1), x)"
        self.assertEqual(
            self.run_program(body, "--in", f"x={data}:2,0", params="x: List<Tuple<int, 2>>", graph=None), "905\n806\n"
        )

    def test_graph_as_list_of_edges(self):
        done = self.ok("run", "examples/decompose.mt", "examples/graphs/ca-grqc.txt.gz", "--labels", "examples/graphs/join/labels.txt")
        self.assertEqual(done, "36619\n")

    def test_labels_of_lists(self):
        program = self.write(
            "q.mt",
            "def f(edges: List<Tuple<int, 2>>):\n    G = mk_graph(edges)\n"
            "    return size(apply(lambda e: e, cond=lambda e: vertex_label(G, get(e, 0)) == 'a', edges))\n",
        )
        edges = self.write("e.txt", "0 1\n0 2\n1 2\n")
        labels = self.write("l.txt", "0 a\n1 b\n2 a\n")
        self.assertEqual(self.ok("run", program, "--in", f"edges={edges}", "--labels", labels), "2\n")
        self.assertEqual(self.ok("run", program, edges, "--labels", labels), "4\n")

    def test_two_graphs(self):
        program = self.write("q.mt", "def f(A: Graph, B: Graph):\n    return size(vertices(A)) * 100 + size(vertices(B))\n")
        text = self.ok("run", program, "tests/graphs/clique-6.txt", "--in", "B=tests/graphs/star-8.txt")
        self.assertEqual(text, f"60{len(self.ok('run', self.write('v.mt', VERTICES), 'tests/graphs/star-8.txt').split())}\n")


VERTICES = "def f(G: Graph):\n    return vertices(G)\n"


class Json(cli.CliTest):
    def test_schema(self):
        done = self.matcha("run", cli.TRIANGLE, cli.WIKI, "--json")
        self.assertEqual(done.stderr, b"")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "matcha.run/1")
        self.assertEqual(answer["program"], cli.TRIANGLE)
        self.assertEqual(answer["entry"], "triangle")
        self.assertEqual(answer["signature"], "triangle(G: Graph) -> int")
        self.assertEqual(answer["result"], cli.WIKI_TRIANGLES)
        self.assertIs(answer["complete"], True)
        self.assertNotIn("stopped_by", answer)
        self.assertEqual(answer["device"], "cpu")
        graph = answer["graph"]
        self.assertEqual((graph["vertices"], graph["edges"], graph["max_degree"]), (7115, 100762, 1065))
        self.assertEqual(set(answer["ms"]), {"load", "compile", "upload", "run"})
        self.assertTrue(all(ms >= 0 for ms in answer["ms"].values()))
        self.assertEqual(answer["stats"]["backend"], "tiers")
        self.assertIn("tiers", answer["stats"]["compile_ms"])
        self.assertIn(answer["stats"]["tier"], ("interp", "interp, native"))
        self.assertIn("plan-memory", [run["pass"] for run in answer["stats"]["passes"]])

    def test_kinds_of_results(self):
        graph = "tests/graphs/clique-6.txt"
        for body, result in (
            ("vertices(G)", [0, 1, 2, 3, 4, 5]),
            ("mk_tuple(val=[1, 2])", [1, 2]),
            ("size(edges(G)) == 30", True),
            ("0.5 * 3.0", 1.5),
            ("apply(lambda e: e, cond=lambda e: get(e, 0) + get(e, 1) > 8, edges(G))", [[4, 5], [5, 4]]),
        ):
            program = self.write("q.mt", f"def f(G: Graph):\n    return {body}\n")
            self.assertEqual(json.loads(self.ok("run", program, graph, "--json"))["result"], result)

    def test_without_a_graph(self):
        program = self.write("q.mt", "def f(k: int):\n    return k * k\n")
        answer = json.loads(self.ok("run", program, "--param", "k=12", "--json"))
        self.assertEqual((answer["result"], answer["graph"]), (144, None))


class Orders(cli.CliTest):
    """Ranks by degree change no answer, and are refused where they could."""

    def run_json(self, *args):
        return json.loads(self.ok("run", *args, "--json", "--device", "cpu"))

    def test_a_pattern_is_planned_for_the_order_that_it_runs_in(self):
        stored = self.path("wiki.mtg")
        self.ok("graph", "convert", cli.WIKI, stored, "--order", "degree")
        args = ["--pattern", "clique:5", "--induced", "edge", "--engine", "program"]
        by_degree, by_id = (self.run_json(*args, stored, "--order", order) for order in ("auto", "id"))
        self.assertEqual((by_degree["graph"]["order"], by_id["graph"]["order"]), ("degree", "id"))
        self.assertEqual(by_degree["result"], by_id["result"])
        says = by_degree["stats"]["order"]["is"]
        expected = re.search(r"that order is kept; the run is expected to take (\S+) ms by id, (\S+) ms by degree", says)
        self.assertLess(float(expected[2]), float(expected[1]), says)
        # A run that ends before ranking would is not planned twice.
        small = self.run_json(*args, "tests/graphs/clique-6.txt")["stats"]["order"]["is"]
        self.assertIn("halves of lists are short", small)

    def test_same_answer_in_either_order(self):
        for program in ("triangle", "clique4_ordered", "diamond", "four_cycle"):
            found = {self.ok("run", f"examples/{program}.mt", cli.WIKI, "--order", order) for order in ("id", "degree", "auto")}
            self.assertEqual(len(found), 1, program)
        for pattern in ("diamond", "clique:5", "0-1-2-0,0-3", "star:3"):
            args = ("--pattern", pattern, "tests/graphs/random-20-seed2.txt", "--engine", "program")
            self.assertEqual(self.ok("run", *args, "--order", "id"), self.ok("run", *args, "--order", "degree"), pattern)

    def test_auto_asks_whether_it_pays(self):
        # The ten vertices with 2,000 neighbours have the highest ids.
        skewed = self.generate("skewed.mtg", "bipartite", "--left", "2000", "--right", "10")
        found = self.run_json(cli.TRIANGLE, skewed, "--engine", "program")
        self.assertEqual(found["graph"]["order"], "degree")
        self.assertRegex(found["stats"]["order"]["is"], r"^by degree, largest first \(halves of lists, squared: .*\)$")
        self.assertEqual(found["result"], 0)
        found = self.run_json("examples/four_cycle.mt", skewed, "--engine", "program")
        self.assertEqual((found["graph"]["order"], found["result"]), ("degree", 45 * 1000 * 1999))
        self.assertRegex(self.run_json("examples/diamond.mt", skewed, "--engine", "program")["stats"]["order"]["is"], "only the ends of edges")
        grid = self.generate("grid.mtg", "grid", "--rows", "40", "--columns", "40")
        found = self.run_json(cli.TRIANGLE, grid, "--engine", "program")
        self.assertEqual((found["graph"]["order"], found["stats"]["order"]["is"]), ("id", "by id (halves of lists are short)"))

    def test_labels_follow(self):
        graph = self.generate("g.mtg", "rmat", "--scale", "9", "--seed", "5")
        labels = self.write("labels.txt", "".join(f"{i % 3}\n" for i in range(512)))
        args = ("--pattern", "0:1-1:1-2:2-0", graph, "--labels", labels)
        self.assertEqual(self.ok("run", *args, "--order", "id"), self.ok("run", *args, "--order", "degree"))

    def test_refused_where_it_shows(self):
        self.fails(2, "run", cli.LISTING, cli.WIKI, "--order", "degree", says=["may depend on the order", "is a list"])
        program = self.write("q.mt", "def f(G: Graph) -> int:\n    return max(vertices(G))\n")
        self.fails(2, "run", program, cli.WIKI, "--order", "degree", says="may depend on the order")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--directed", "--order", "degree", says="the graph is directed")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--order", "size", says="--order")
        self.assertEqual(self.run_json(cli.LISTING, "tests/graphs/clique-6.txt")["graph"]["order"], "id")

    def test_explained(self):
        text = self.ok("explain", cli.TRIANGLE, cli.WIKI, "--no-run", "--order", "id")
        self.assertIn("vertices are ranked by id (as asked for)", text)
        text = self.ok("explain", cli.TRIANGLE, cli.WIKI, "--no-run", "--order", "degree")
        self.assertIn("vertices are ranked by degree, largest first", text)


class FourCycles(cli.CliTest):
    """Counted by wedges, from whichever end has the fewer of them; of directed graphs from the end that is written."""

    def graph(self, seed, vertices, edges, hubs=0):
        drawn = random.Random(seed)
        lines = [f"{drawn.randrange(vertices)} {drawn.randrange(vertices)}" for _ in range(edges)]
        lines += [f"{hub} {other}" for hub in range(hubs) for other in range(hubs, vertices)]
        return self.write(f"{seed}.txt", "\n".join(lines) + "\n")

    def test_every_way_counts_the_same(self):
        for file in (self.graph(1, 30, 150), self.graph(2, 200, 900), self.graph(3, 300, 200, hubs=2))[:: cli.fewer(1, 2)]:
            for more in ([], ["--directed"]):
                wanted = self.ok("run", FOUR_CYCLE, file, *more, "--backend", "interp", "--disable-pass", "count-wedges")
                ways = [[], ["--threads", "1"], ["--backend", "interp"], ["--disable-pass", "count-wedges"], ["--order", "id"]]
                for way in ways + ([] if more else [["--order", "degree"]]):
                    self.assertEqual(self.ok("run", FOUR_CYCLE, file, *more, *way), wanted, (file, more, way))

    def test_degrees_of_directed_graphs(self):
        # Vertices 1 and 2 have one arc and still share its end: such degrees are implied only where arcs have their reverse.
        program = self.write("q.mt", """
def most(G: Graph) -> int:
    def of(u):
        near = apply(lambda v: v, cond=lambda v: v < u, neighbor(G, u))
        def first(a):
            def second(b):
                return size(apply(lambda c: c, cond=lambda c: c < u, intersect(neighbor(G, a), neighbor(G, b))))
            return sum(apply(second, cond=lambda b: b < a, near))
        return sum(apply(first, cond=lambda a: size(neighbor(G, a)) >= 2, near))
    return max(apply(of, vertices(G)))
""")
        file = self.write("arcs.txt", "9 1\n9 2\n9 3\n1 0\n2 0\n3 0\n3 7\n")
        for more in ([], ["--directed"]):
            counts = [self.ok("run", program, file, *more, *way) for way in ([], ["--disable-pass", "count-wedges"])]
            self.assertEqual(counts[0], counts[1], more)

    def test_pattern_of_any_number(self):
        file = self.graph(4, 120, 700, hubs=1)
        for induced in ("edge", "vertex"):
            command = ["run", "--pattern", "cycle:4", "--induced", induced, file]
            counts = [self.ok(*command, *more) for more in ([], ["--algorithm", "extend"], ["--disable-pass", "count-wedges"])]
            self.assertEqual(len(set(counts)), 1, counts)


class Streams(cli.CliTest):
    def test_closed_pipe_is_quiet(self):
        program = self.write("q.mt", cli.PAIRS)
        graph = self.generate("g.mtg", "grid", "--rows", "40", "--columns", "40")
        large = self.generate("large.mtg", "clique", "-n", "500")
        for args in (
            ["run", program, graph, "-q"],
            ["run", program, graph, "-q", "--matches", "-"],
            ["graph", "convert", large, "-", "-q"],
            ["graph", "generate", "clique", "-n", "500", "-o", "-", "-q"],
            ["build", cli.TRIANGLE, "--emit=cpp"],
            ["pattern", cli.fewer("motif:6", "motif:5")],
        ):
            with subprocess.Popen(
                [cli.MATCHA, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment(),
            ) as done:
                self.assertRegex(done.stdout.readline(), rb"\S")
                done.stdout.close()
                errors = done.stderr.read()
                self.assertEqual((done.wait(cli.LIMIT_S), errors), (0, b""), args)

    def test_full_disk(self):
        try:
            full = open("/dev/full", "wb")
        except OSError:
            self.skipTest("no /dev/full")
        with full:
            for args in (
                ["run", cli.TRIANGLE, cli.WIKI, "-q"], ["check", cli.TRIANGLE], ["doctor"], ["build", cli.TRIANGLE],
                ["--version"], ["run", "--help"],
            ):
                done = subprocess.run(
                    [cli.MATCHA, *args], stdout=full, stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment(),
                    timeout=cli.LIMIT_S, check=False,
                )
                self.assertEqual(done.returncode, 3)
                self.assertIn(b"cannot write standard output", done.stderr)
        self.fails(3, "run", cli.LISTING, "tests/graphs/clique-6.txt", "--matches", "/dev/full", says="/dev/full")


if __name__ == "__main__":
    cli.main()
