"""`matcha bench`: the times of programs, cold and warm."""

import json

from cli import LISTING, SLOW, TRIANGLE, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
SHARED = """def shared(old: Graph, new: Graph) -> int:
    return sum(apply(lambda v: size(intersect(neighbor(old, v), neighbor(new, v))), vertices(old)))
"""
STEPS = ["load", "compile", "upload", "run"]


class BenchTest(CliTest):
    def bench(self, *args):
        return json.loads(self.ok("bench", *args, "--json", "--device", "cpu"))

    def check_order(self, statistics, steps):
        for step in steps:
            least, median, most = (statistics[key][step] for key in ("min_ms", "median_ms", "max_ms"))
            self.assertTrue(0 <= least <= median <= most, (step, statistics))

    def test_one_program(self):
        report = self.bench(TRIANGLE, WIKI, "--runs", "3", "--cold-runs", "2")
        self.assertEqual((report["schema"], report["device"], report["runs"], report["cold_runs"]), ("matcha.bench/1", "cpu", 3, 2))
        self.assertEqual((report["graph"]["vertices"], report["threads"]), (7115, 2))
        (one,) = report["programs"]
        self.assertEqual((one["program"], one["result"], one["ratio"]), (TRIANGLE, str(WIKI_TRIANGLES), 1))
        self.assertEqual(list(one["median_ms"]), STEPS)
        self.check_order(one["cold"], STEPS)
        self.check_order(one["warm"], ["upload", "run"])
        # Reading this graph, compiling and running take time, whatever the machine.
        for step in ("load", "compile", "run"):
            self.assertGreater(one["cold"]["min_ms"][step], 0)
        for key in ("min_ms", "median_ms", "max_ms"):
            self.assertEqual(report[key], one[key])
            self.assertEqual({**one["cold"][key], "run": one["warm"][key]["run"]}, one[key])

    def test_several(self):
        report = self.bench(LISTING, TRIANGLE, "--pattern", "wedge", "--pattern", "triangle", "--induced", "edge", SMALL, "--runs", "2")
        self.assertEqual(report["cold_runs"], 2)
        listing, triangle, wedge, pattern = report["programs"]
        self.assertEqual((listing["rows"], listing["ratio"]), (triangle["result"], 1))
        self.assertEqual(pattern["result"], triangle["result"])
        self.assertEqual(wedge["result"], self.ok("run", "--pattern", "wedge", "--induced", "edge", SMALL).strip())
        self.assertIn("wedge", wedge["pattern"])
        self.assertIn("meaning", wedge)
        self.assertAlmostEqual(triangle["ratio"], triangle["median_ms"]["run"] / listing["median_ms"]["run"], delta=0.1 + triangle["ratio"] / 4)

    def test_tables(self):
        edges = self.write("e.csv", "kind,payer,payee\npays,ann,bob\nowes,bob,eve\npays,eve,ann\n")
        columns = ["--src", "payer", "--dst", "payee", "--edge-label", "kind"]
        patterns = ["--pattern", "a-[:pays]-b", "--pattern", "triangle"]
        found = self.bench(*patterns, edges, *columns, "--runs", "1", "--cold-runs", "1")["programs"]
        self.assertEqual([one["result"] for one in found], ["2", "1"])
        (one,) = self.bench(TRIANGLE, f"{edges}:1,2", "--header", "yes", "--runs", "1")["programs"]
        self.assertEqual(one["result"], "1")
        labelled = self.write("g.lg", "t # 0\nv 0 1\nv 1 1\nv 2 1\ne 0 1 7\ne 1 2 8\n")
        (one,) = self.bench("--pattern", "0-1=7", labelled, "--edge-labels", "--runs", "1")["programs"]
        self.assertEqual(one["result"], "1")
        self.fails(1, "bench", "--pattern", "a-[:pas]-b", edges, *columns, says=["<pattern>:1:5", "did you mean `pays`?"])
        self.fails(2, "bench", TRIANGLE, edges, "--src", "payer", says="belong together")
        self.fails(3, "bench", TRIANGLE, edges, "--src", "payer", "--dst", "nobody", says="nobody")

    def test_several_graphs(self):
        program = self.write("shared.mt", SHARED)
        old, new = self.write("old.csv", "day,a,b\n1,ann,bob\n1,bob,eve\n"), self.write("new.csv", "from,to\nbob,eve\neve,joe\n")
        graphs = ["--in", f"old={old}:a,b", "--in", f"new={new}"]
        wanted = self.ok("run", program, *graphs).strip()
        text = self.ok("bench", program, *graphs, "--runs", "1", "--cold-runs", "1", "--json", "--device", "cpu")
        report = json.loads(text)
        self.assertEqual([one["result"] for one in report["programs"]], [wanted])
        self.assertEqual({name: facts["edges"] for name, facts in report["graphs"].items()}, {"old": 2, "new": 2})
        # The one before them is for the parameter that is left.
        (one,) = self.bench(program, f"{old}:a,b", "--in", f"new={new}", "--runs", "1", "--cold-runs", "1")["programs"]
        self.assertEqual((one["result"], wanted), ("2", "2"))
        self.fails(2, "bench", program, f"{old}:a,b", says="`shared` needs graphs for `old` and `new`")
        self.fails(2, "bench", program, "--in", f"old={old}:a,b", says="a graph for `new`")
        self.fails(2, "bench", program, *graphs, "--in", f"old={old}", says="bound twice")
        self.fails(2, "bench", program, "--in", "old", says="NAME=FILE")
        self.fails(2, "bench", program, "--in", f"old={old}:a", "--in", f"new={new}", says="2 columns")
        self.fails(3, "bench", program, "--in", f"old={old}:a,c", "--in", f"new={new}", says="c")

    def test_text(self):
        text = self.ok("bench", TRIANGLE, LISTING, SMALL, "--runs", "1", "--device", "cpu")
        self.assertRegex(text, r"\Aexamples/triangle.mt: \d+\n  ms +min +median +max\n  load ")
        self.assertRegex(text, r"examples/triangle_listing.mt: \d+ rows\n")
        self.assertRegex(text, r"runs, as multiples of the first:\n +1.00  examples/triangle.mt\n +[0-9.]+  examples/triangle_listing.mt\n\Z")
        self.assertNotIn("upload", text)

    def test_errors(self):
        broken = self.write("broken.mt", "def main(G: Graph) -> int:\n    return size(3)\n")
        self.fails(1, "bench", TRIANGLE, broken, SMALL, says=["broken.mt:2", "[arg-type]"])
        self.fails(2, "bench", TRIANGLE, says="there is no graph")
        self.fails(2, "bench", SMALL, says="nothing to measure")
        self.fails(2, "bench", TRIANGLE, SMALL, "--runs", "0", says="--runs")
        self.fails(2, "bench", TRIANGLE, SMALL, "--induced", "edge", says="--pattern")
        self.fails(1, "bench", "--pattern", "hous", SMALL, says="house")
        self.fails(3, "bench", TRIANGLE, self.path("absent.txt"), says="absent.txt")
        self.fails(3, "bench", self.path("absent.mt"), SMALL, says="absent.mt")
        self.fails(2, "bench", self.write("lists.mt", "def main(G: Graph, l: List<int>) -> int:\n    return size(l)\n"), SMALL, says="`l: List<int>`")
        failing = self.write("failing.mt", "def main(G: Graph) -> int:\n    return 1 / size(intersect(vertices(G), [-1]))\n")
        self.fails(4, "bench", failing, SMALL, says="failing.mt:2")

    def test_timeout(self):
        graph = self.generate("slow.mtg", "erdos-renyi", "-n", "20000", "-m", "100000")
        done = self.matcha("bench", self.write("slow.mt", SLOW), graph, "--timeout", "1", "--device", "cpu")
        self.assertEqual((done.returncode, done.stdout), (124, b""))


if __name__ == "__main__":
    main()
