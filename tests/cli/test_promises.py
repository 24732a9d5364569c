"""The 25 points at which users stumbled, one after the other, each with a command that shows that it holds.

The names of the tests are the list: `Stumbles.test_07_…`. The details of each have tests of their own
elsewhere; here every point runs once, as a user would type it.
"""

import json
import resource
import signal
import subprocess
import time

from cli import MATCHA, ROOT, TRIANGLE, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
HOUSES = 9488779111


class Promises(CliTest):
    def said(self, *args, **kwargs):
        """Standard error of a command that succeeds."""
        done = self.matcha(*args, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stderr.decode()

    def table(self):
        return self.write("e.csv", "source,target\nalice,bob\nbob,eve\neve,alice\n")

    def labelled(self):
        """A path of three vertices; the last one has no label."""
        return self.write("g.txt", "1 2\n2 3\n"), self.write("l.txt", '1 person\n2 "Big Corp"\n')

    def relations(self):
        return self.write("r.csv", "relation,from,to\npays,x,y\nowes,y,z\npays,z,x\n")

    def work_of(self, code, *args):
        """Seconds of processor time that a command took. Other work on the machine makes it longer, but not much."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.matcha(*args)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Stumbles(Promises):
    def test_01_ids_in_rows_stay_exact(self):
        graph = self.write("b.txt", "9007199254740993 2\n")
        program = self.write("q.mt", "def rows(G: Graph):\n    return apply(lambda v: mk_tuple(val=[v, 0.5]), vertices(G))\n")
        self.assertEqual(sorted(self.ok("run", program, graph).split("\n")), ["", "2\t0.5", "9007199254740993\t0.5"])

    def test_02_a_timeout_ends_compiling(self):
        compiled = ("run", "--no-cache", "--pattern", "motif:6", "--tier", "native", "--device", "cpu", SMALL)
        self.assertLess(self.work_of(124, *compiled, "--timeout", "0.3"), self.work_of(0, *compiled) / 2)

    def test_03_lines_of_unlike_lengths(self):
        self.fails(3, "run", "--pattern", "edge", self.write("a.txt", "1 2 3 4 5\n2 3 4\n"),
                   says=["a.txt:2: ", "3 columns, those before have 5"])

    def test_04_commas_are_no_edges(self):
        self.fails(1, "run", "--pattern", "0,1,1,2,2,0", WIKI, says=["<pattern>:1:5", "did you mean `0-1,1-2,2-0`?"])

    def test_05_gpus_without_a_gpu(self):
        if self.matcha("run", "--pattern", "edge", SMALL, "--device", "cuda").returncode == 0:
            self.skipTest("there is a GPU")
        self.fails(4, "run", TRIANGLE, WIKI, "--gpus", "2", says=["`--gpus` asks for a GPU"])

    def test_06_rows_are_what_their_name_says(self):
        out = self.path("w.csv.gz")
        self.ok("run", "--pattern", "wedge", SMALL, "--matches", out)
        unpacked = subprocess.run(["gzip", "-dc", out], capture_output=True, text=True, check=True).stdout
        self.assertEqual(unpacked.split("\n")[0], "v0,v1,v2")
        self.fails(2, "run", "--pattern", "wedge", SMALL, "--matches", self.path("w.parquet"), says=[".arrow"])

    def test_07_headings(self):
        self.assertIn("csv, heading, source → target, 3 lines", self.said("run", "--pattern", "triangle", self.table()))

    def test_08_ids_that_are_text(self):
        rows = self.ok("run", "--pattern", "triangle", self.table(), "--matches", "-").split()
        self.assertEqual(sorted(rows), ["alice", "bob", "eve"])

    def test_09_columns_by_name(self):
        named = ["--src", "from", "--dst", "to", "--edge-label", "relation"]
        self.assertEqual(self.ok("run", "--pattern", "a-[:pays]-b", self.relations(), *named), "2\n")
        self.assertEqual(self.ok("run", TRIANGLE, "--in", f"G={self.relations()}:from,to"), "1\n")
        self.assertEqual(self.ok("run", TRIANGLE, "--in", f"G={self.relations()}:1,2", "--header", "yes"), "1\n")

    def test_10_motifs_have_names(self):
        text = dict(line.split() for line in self.ok("run", "--pattern", "motif:4", SMALL).splitlines())
        found = json.loads(self.ok("run", "--pattern", "motif:4", SMALL, "--json"))["result"]
        self.assertEqual({name: int(count) for name, count in text.items()}, found)
        self.assertIn("star:4", found)

    def test_11_patterns_and_examples_mean_the_same(self):
        done = self.matcha("run", "--pattern", "house", WIKI)
        self.assertEqual((done.stdout.decode(), self.ok("run", "examples/house.mt", WIKI)), (f"{HOUSES}\n",) * 2)
        self.assertIn("edge-induced (--induced vertex: ", done.stderr.decode())

    def test_12_arrows_that_shells_leave_alone(self):
        graph = self.write("g.txt", "1 2\n2 3\n3 1\n")
        self.assertEqual(self.ok("run", "--pattern", "a->b->c->a", graph, "--directed"), "1\n")
        self.fails(3, "run", "--pattern", "edge", self.write("bytes", bytes(range(128, 256)) * 4), says=["bytes:1"])

    def test_13_pairs_without_an_edge(self):
        counts = {self.ok("run", "--pattern", text, WIKI) for text in ("0-1,1-2,0~2", "0-1,1-2,0!2")}
        self.assertEqual(counts, {"12720413\n"})

    def test_14_patterns_are_drawn_with_names(self):
        self.assertEqual(self.ok("run", "--pattern", "a-b-c-a", WIKI), f"{WIKI_TRIANGLES}\n")

    def test_15_errors_point_into_the_pattern(self):
        graph, labels = self.labelled()
        self.fails(1, "run", "--pattern", "0:persn-1:x", graph, "--labels", labels,
                   says=["<pattern>:1:3", "\n    ^~~~~\n", "did you mean `person`?"])

    def test_16_labels_with_spaces_and_for_some(self):
        graph, labels = self.labelled()
        self.assertEqual(self.ok("run", "--pattern", '(a:person)-(b:"Big Corp")', graph, "--labels", labels), "1\n")

    def test_17_a_graph_file_with_arcs_says_so_itself(self):
        graph = self.path("d.mtg")
        self.ok("graph", "convert", self.labelled()[0], graph, "--directed")
        self.assertEqual(self.ok("run", "--pattern", "a->b", graph), "2\n")

    def test_18_a_stop_says_how_far_it_came(self):
        long = [MATCHA, "run", "--pattern", "path:7", WIKI]
        with subprocess.Popen(long, cwd=ROOT, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            while b"path:7" not in run.stderr.readline():
                self.assertIsNone(run.poll())
            time.sleep(0.5)
            run.send_signal(signal.SIGINT)
            said = run.communicate()[1].decode()
        self.assertEqual(run.returncode, 130, said)
        if "before there was a result" not in said:
            self.assertRegex(said, r"after [\d,]+ of 7,115 outer iterations, [\d.]+% of the work")

    def test_19_several_patterns_and_standard_input(self):
        self.assertEqual(self.ok("run", "--pattern", "edge", "--pattern", "wedge", "-", stdin=b"1 2\n2 3\n").split(),
                         ["edge", "2", "wedge", "1"])

    def test_20_the_query_alone(self):
        query = self.ok("build", TRIANGLE, "--emit=cuda", "--part", "query")
        self.assertLess(query.count("\n"), 100)
        self.assertGreater(self.ok("build", TRIANGLE, "--emit=cuda").count("\n"), 10 * query.count("\n"))

    def test_21_bench(self):
        found = json.loads(self.ok("bench", TRIANGLE, SMALL, "--runs", "2", "--cold-runs", "1", "--json"))
        self.assertGreater(found["median_ms"]["run"], 0)
        self.assertGreater(found["median_ms"]["compile"], 0)

    def test_22_hints_for_the_habits_of_python(self):
        for body, says in (
            ("    u, v = edges(G)\n    return 1\n", "`=`"),
            ("    t = (1, 2)\n    return 1\n", "a tuple is written `mk_tuple(val=[a, b])`"),
            ("    l = [x for x in vertices(G)]\n    return 1\n", "there are no comprehensions"),
        ):
            self.fails(1, "check", self.write("q.mt", "def f(G: Graph):\n" + body), says=[says, "hint: "])
        beyond = self.write("q.mt", "def f(G: Graph):\n    return get([1, 2, 3], 7)\n")
        done = self.matcha("run", beyond, SMALL)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("index 7 of a list of 3 items", done.stderr.decode())

    def test_23_modules_of_std_run(self):
        rows = self.ok("run", "std.clique", "--entry", "triangles_by_vertex", WIKI).splitlines()
        self.assertEqual(len(rows), 7115)
        self.assertEqual(sum(int(row.split("\t")[1]) for row in rows), 3 * WIKI_TRIANGLES)

    def test_24_limits_are_told(self):
        self.fails(1, "run", "--pattern", "clique:20", SMALL, says=["a number from 2 to 12"])
        self.assertIn("up to 12 vertices", " ".join((ROOT / "README.md").read_text().split()))

    def test_25_help_where_one_looks_for_it(self):
        short = self.ok("run", "--help")
        self.assertEqual(self.ok("help", "run"), short)
        self.assertEqual(self.ok("-V"), self.ok("--version"))
        self.assertLessEqual(max(map(len, short.splitlines())), 80)
        self.assertGreater(len(self.ok("run", "--help-all").splitlines()), len(short.splitlines()))


if __name__ == "__main__":
    main()
