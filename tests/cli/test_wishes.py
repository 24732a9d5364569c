"""The 20 wishes of people who use tools like this one, in their order, each shown by a command.

The names of the tests are the list. The details of each have tests of their own elsewhere; here every wish runs
once, as a user would type it. Runs of one graph in shards on several machines have tests of their own.
"""

import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys

from cli import MATCHA, ROOT, TRIANGLE, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
BUILD = pathlib.Path(MATCHA).resolve().parents[1]
LIBRARY = BUILD / "api/libmatcha.so"


class Wishes(CliTest):
    def said(self, *args, **kwargs):
        """Standard error of a command that succeeds."""
        done = self.matcha(*args, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stderr.decode()

    def count(self, pattern, graph, *options):
        return int(self.ok("run", "--pattern", pattern, graph, *options))

    def has_gpu(self):
        return self.matcha("run", "--pattern", "edge", SMALL, "--device", "cuda").returncode == 0

    def test_01_answers_that_are_checked(self):
        self.assertIn("verified: the same on 24 samples", self.said("run", "--pattern", "house", SMALL, "--verify"))
        # Other names of vertices, the same number; so is a second run.
        numbers = list(range(20))
        random.Random(1).shuffle(numbers)
        lines = (ROOT / SMALL).read_text().splitlines()
        edges = [tuple(map(int, line.split()[:2])) for line in lines if line and line[0].isdigit()]
        renamed = self.write("r.txt", "".join(f"{numbers[u % 20]} {numbers[v % 20]}\n" for u, v in edges))
        ways = [("--tier", "interp"), ("--tier", "native"), ("--backend", "interp"), ("--simd", "scalar")]
        counts = {self.count("house", graph, *way) for graph in (SMALL, renamed) for way in ways}
        self.assertEqual(counts, {3587})

    def test_02_it_says_what_is_counted(self):
        told = {}
        for more in ([], ["--induced", "vertex"], ["--embeddings"]):
            told[tuple(more)] = json.loads(self.ok("run", "--pattern", "house", SMALL, "--json", *more))["pattern"]
        self.assertIn("subgraphs, edge-induced", told[()])
        self.assertIn("vertex-induced", told["--induced", "vertex"])
        self.assertIn("embeddings", told[("--embeddings",)])
        self.fails(2, "run", "--pattern", "a->b", SMALL, says=["the pattern has arcs", "add --directed"])
        self.fails(2, "run", "--pattern", "a-b", SMALL, "--directed", says="the graph keeps its arcs")

    def test_03_no_silent_zero(self):
        if not self.has_gpu():
            self.fails(4, "run", TRIANGLE, SMALL, "--device", "cuda", says="error: ")
        self.fails(1, "run", "--pattern", "a:x-b:y", self.write("g.txt", "1 2\n"), "--labels",
                   self.write("l.txt", "1 x\n2 z\n"), says="no vertex or edge has the label `y`")
        self.fails(3, "run", "--pattern", "edge", self.path("nothing.txt"))

    def test_04_large_counts_are_told_in_full(self):
        star = self.generate("star.mtg", "star", "--vertices", "9001")
        self.assertEqual(self.count("star:7", star), math.comb(9000, 6))  # More than 2^64.
        source = "def f(G: Graph) -> int:\n    return 9223372036854775807 + size(vertices(G))\n"
        self.fails(4, "run", self.write("q.mt", source), SMALL, says="overflow")
        # Lists are as long as the graph asks for.
        self.assertEqual(self.count("wedge", star), math.comb(9000, 2))

    def test_05_files_as_they_are_found(self):
        snap = self.write("a.txt", "# FromNodeId ToNodeId\n7000000001 3\n3 12\n12 7000000001\n")
        konect = self.write("out.b", "% sym unweighted\n1 2\n2 3\n3 1\n")
        market = self.write("c.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 2\n")
        query = self.write("d.graph", "t 3 3\nv 0 1 2\nv 1 1 2\nv 2 1 2\ne 0 1\ne 1 2\ne 0 2\n")
        gspan = self.write("e.lg", "t # 0\nv 0 1\nv 1 1\nv 2 1\ne 0 1 0\ne 1 2 0\ne 0 2 0\n")
        for graph in (snap, konect, market, query, gspan):
            self.assertEqual(self.count("triangle", graph), 1, graph)
        self.assertIn("7000000001", self.ok("run", "--pattern", "edge", snap, "--matches", "-"))
        self.assertIn("dropped",
                      self.said("run", "--pattern", "edge", self.write("m.txt", "1 2\n1 2\n2 2\n")))
        self.fails(3, "run", "--pattern", "edge", self.write("bad.txt", "1 2\n1 x\n"), says="bad.txt:2")
        moves = self.write("t.txt", "1 2 10\n1 2 20\n")
        self.assertEqual(self.ok("run", "examples/temporal_cycle.mt", "--in", f"edges={moves}:0,1", "--in",
                                 f"times={moves}:2", "--param", "window=60").strip(), "0")

    def test_06_one_query_and_its_sinks(self):
        self.assertEqual(self.count("triangle", WIKI), WIKI_TRIANGLES)
        self.assertEqual(self.ok("run", "--pattern", "triangle", WIKI, "--exists"), "true\n")
        rows = self.path("t.csv")
        self.ok("run", "--pattern", "a-b-c-a", SMALL, "--matches", rows)
        with open(rows, encoding="utf-8") as lines:
            self.assertEqual(next(lines), "a,b,c\n")
            self.assertEqual(sum(1 for _ in lines), 77)
        by_vertex = self.ok("run", "std.clique", "--entry", "triangles_by_vertex", SMALL).split()[1::2]
        self.assertEqual(sum(map(int, by_vertex)), 3 * 77)

    def test_07_limits_and_stops(self):
        self.assertEqual(self.ok("run", "--pattern", "wedge", WIKI, "--limit", "1000").count("\n"), 1000)
        found = json.loads(self.timed_out("run", "--pattern", "path:7", "--algorithm", "extend", WIKI, "--json").stdout)
        self.assertEqual((found["complete"], found["stopped_by"]), (False, "timeout"))
        long = [MATCHA, "run", "--pattern", "path:7", "--algorithm", "extend", WIKI]
        with subprocess.Popen(long, cwd=ROOT, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            while b"path:7" not in run.stderr.readline():
                self.assertIsNone(run.poll())
            run.send_signal(signal.SIGINT)
            said = run.communicate()[1].decode()
        self.assertEqual(run.returncode, 130, said)
        self.assertNotIn("%", said.split("partial")[0])  # A bar is for terminals.

    def test_08_code_for_a_gpu_includes_nothing(self):
        device = self.ok("build", TRIANGLE, "--emit=cuda", "--part", "query")
        self.assertNotIn("#include", device)
        linked = subprocess.run(["ldd", MATCHA], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("libcuda", linked)
        self.assertNotIn("nvrtc", linked)
        env = self.environment(MATCHA_LIBCUDA="/nonexistent")
        self.fails(4, "run", TRIANGLE, SMALL, "--device", "cuda", env=env, says="/nonexistent")

    def test_09_one_binary_for_every_machine(self):
        told = json.loads(self.ok("doctor", "--json"))
        self.assertIn("scalar", json.dumps(told))
        counts = {self.ok("run", TRIANGLE, SMALL, "--simd", "scalar"), self.ok("run", TRIANGLE, SMALL)}
        self.assertEqual(counts, {"77\n"})
        env = self.environment(MATCHA_LIBCUDA="/nonexistent")
        self.assertEqual(self.ok("run", TRIANGLE, SMALL, env=env), "77\n")

    def test_10_labels_and_predicates(self):
        graph = self.write("p.csv", "payer,payee,kind,amount\nann,bob,pays,70\nbob,eve,owes,20\neve,ann,pays,5\n")
        people = self.write("v.csv", "name,role\nann,person\nbob,bank\neve,person\n")
        columns = ["--src", "payer", "--dst", "payee", "--vertices", people, "--id", "name", "--label", "role"]
        self.assertEqual(self.count("(a:person)-(b)", graph, *columns), 3 + 1)  # Any b; both ends of eve-ann fit.
        self.assertEqual(self.count("(a:person)-(b:bank)", graph, *columns), 2)
        self.assertEqual(self.count("a-[:pays]-b", graph, *columns, "--edge-label", "kind"), 2)
        large = "def f(G: Graph) -> int:\n    def of(v):\n        return size(apply(lambda x: x, cond=lambda x: x > 10, " \
                "edge_info(G, v)))\n    return sum(apply(of, vertices(G)))\n"
        money = self.write("m.txt", "1 2 70\n2 3 20\n3 1 5\n")
        self.assertEqual(self.ok("run", self.write("q.mt", large), money, "--directed"), "2\n")

    def test_11_symmetry(self):
        self.assertIn("2 automorphisms", self.ok("pattern", "house"))
        self.assertEqual(self.count("house", SMALL, "--embeddings"), 2 * self.count("house", SMALL))

    def test_12_every_stage_can_be_read(self):
        for stage in ("ast", "asg", "ir", "kernel", "cpp", "cuda", "llvm"):
            self.assertTrue(self.ok("build", TRIANGLE, f"--emit={stage}").strip(), stage)
        self.assertIn("after fuse", self.said("build", TRIANGLE, "--emit=kernel", "--print-after", "fuse").lower())
        self.assertIn("fuse", self.said("build", TRIANGLE, "--emit=kernel", "--time-passes"))
        self.assertIn("--load-cuda", self.ok("run", "--help-all"))

    def test_13_the_plan_and_what_it_took(self):
        page = self.path("p.html")
        told = self.ok("explain", "--pattern", "house", SMALL)
        for word in ("estimated", "actual", "result"):
            self.assertIn(word, told.lower())
        self.ok("explain", "--pattern", "house", SMALL, "--html", page)
        text = pathlib.Path(page).read_text(encoding="utf-8")
        self.assertIn("<svg", text)
        self.assertNotIn("src=\"http", text)

    def test_14_output_for_programs(self):
        done = self.matcha("run", TRIANGLE, SMALL, "--json")
        found = json.loads(done.stdout)
        self.assertEqual(found["schema"], "matcha.run/1")
        for key in ("version", "signature", "result", "complete", "device", "graph", "ms", "stats"):
            self.assertIn(key, found)
        self.assertEqual(done.stderr, b"")
        self.assertNotIn(b"\x1b[", self.matcha("check", self.write("q.mt", "def f(:\n"), env=self.environment(NO_COLOR="1")).stderr)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("matcha", self.ok("completion", shell))

    def test_15_one_load_for_many_queries(self):
        graph = self.path("w.mtg")
        self.ok("graph", "convert", WIKI, graph)
        answers = self.ok("run", "--pattern", "edge", "--pattern", "triangle", graph).split()
        self.assertEqual(answers, ["edge", "100762", "triangle", str(WIKI_TRIANGLES)])
        requests = b'{"id": 1, "pattern": "edge"}\n{"id": 2, "pattern": "triangle"}\n'
        lines = self.ok("serve", graph, stdin=requests).splitlines()
        self.assertEqual({line["id"]: line["result"] for line in map(json.loads, lines[1:])}, {1: 100762, 2: WIKI_TRIANGLES})
        flipped = bytearray(pathlib.Path(graph).read_bytes())
        flipped[len(flipped) // 2] ^= 1
        self.fails(3, "run", "--pattern", "edge", self.write("x.mtg", bytes(flipped)), says="checksum")

    def test_16_from_python_and_c(self):
        self.assertIn("matcha_", (ROOT / "api/matcha.h").read_text(encoding="utf-8"))
        if not LIBRARY.exists() or os.environ.get("MATCHA_SANITIZE"):
            self.skipTest("libmatcha is not built, or not for Python")
        code = "import matcha as mt\n" \
               f"g = mt.read({WIKI!r})\n" \
               "print(mt.count(g, 'triangle'), len(mt.match(g, 'a-b-c-a', limit=5)))\n"
        env = self.environment(MATCHA_LIBRARY=str(LIBRARY), PYTHONPATH=str(ROOT / "bindings/python/src"))
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        if "No module named 'numpy'" in done.stderr:
            self.skipTest("there is no numpy")
        self.assertEqual(done.stdout, f"{WIKI_TRIANGLES} 5\n", done.stderr)

    def test_17_it_installs(self):
        rules = "\n".join(path.read_text(encoding="utf-8") for path in BUILD.glob("**/cmake_install.cmake"))
        files = ["bin/matcha", "MatchaConfig.cmake", "matcha.pc", "matcha.h"]
        if not os.environ.get("MATCHA_SANITIZE"):
            files.append("shared/man1")  # Pages are made by a build that is installed.
        for file in files:
            self.assertTrue(file in rules, file)
        self.assertIn("CPACK_GENERATOR", (BUILD / "CPackConfig.cmake").read_text(encoding="utf-8"))
        self.assertIn("ENTRYPOINT", (ROOT / "Dockerfile").read_text(encoding="utf-8"))

    def test_18_memory_is_planned(self):
        self.assertIn("memory of each thread", self.ok("explain", "--pattern", "house", SMALL))
        self.assertIn("memory_mib", json.loads(self.ok("doctor", "--json")))
        for option in ("--scratch-mb", "--arena-mb", "--stack"):
            self.assertIn(option, self.ok("run", "--help-all"))
        if os.environ.get("MATCHA_SANITIZE"):
            self.skipTest("sanitizers take more addresses than a limit leaves")
        # A graph that has no room is an error, and leaves no file.
        small = f"ulimit -v 700000; exec {MATCHA} graph generate rmat --scale 23 -o {self.path('big.mtg')}"
        done = subprocess.run(["bash", "-c", small], cwd=ROOT, env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertFalse(os.path.exists(self.path("big.mtg")))
        self.assertEqual(self.leftovers(), [])

    def test_19_several_gpus(self):
        if self.has_gpu():
            self.skipTest("there is a GPU")
        self.fails(4, "run", TRIANGLE, SMALL, "--gpus", "2", says="`--gpus` asks for a GPU")
        self.assertIn("--gpus", self.ok("run", "--help-all"))

    def test_20_patterns_of_others_and_a_benchmark(self):
        peregrine = self.write("p.graph", "1 2\n1 3\n2 3 1\n")
        rapidmatch = self.write("r.graph", "t 3 2\nv 0 0 2\nv 1 0 1\nv 2 0 1\ne 0 1\ne 0 2\n")
        stmatch = self.write("s.g", "t # 0\nv 0 0\nv 1 0\nv 2 0\ne 0 1 0\ne 0 2 0\n")
        open_wedges = self.count("wedge", SMALL, "--induced", "vertex")
        self.assertEqual(self.count(peregrine, SMALL), open_wedges)
        for pattern in ("adjacency:010101010", "graph6:BW"):
            self.assertEqual(self.count(pattern, SMALL), self.count("wedge", SMALL), pattern)
        for pattern in (rapidmatch, stmatch):
            self.assertEqual(self.count(pattern, SMALL, "--unlabelled"), self.count("wedge", SMALL), pattern)
        found = json.loads(self.ok("bench", "--pattern", "house", SMALL, "--runs", "2", "--cold-runs", "1", "--json"))
        for part in ("load", "compile", "run"):
            self.assertIn(part, found["median_ms"])


if __name__ == "__main__":
    main()
