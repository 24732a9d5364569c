"""`matcha graph` and `matcha doctor`."""

import json
import os
import pathlib
import random
import re
import unittest

import cli


class Graphs(cli.CliTest):
    def info(self, path, *options):
        return json.loads(self.ok("graph", "info", path, "--json", *options))

    def bytes_of(self, path):
        with open(path, "rb") as file:
            return file.read()

    def triangles(self, path, *options):
        return int(self.ok("run", cli.TRIANGLE, path, "-q", *options))

    def test_convert_keeps_the_graph(self):
        source = "tests/graphs/sparse-ids.txt"
        before = self.info(source)
        for name in ("g.mtg", "g.txt", "g.graph", "g.txt.gz", "g.graph.zst", "g.el", "g.tsv.zst"):
            path = self.path(name)
            self.ok("graph", "convert", source, path)
            after = self.info(path)
            for key in ("vertices", "edges", "max_degree", "min_id", "max_id"):
                self.assertEqual(after[key], before[key], (name, key))
            self.assertEqual(self.triangles(path), self.triangles(source))
        self.assertEqual(self.leftovers(), [])

    def test_convert_to_matrix_market(self):
        path = self.path("g.mtx")
        self.ok("graph", "convert", cli.WIKI, path)
        self.assertEqual(self.triangles(path), cli.WIKI_TRIANGLES)

    def test_convert_with_labels(self):
        graph, labels = "tests/graphs/labelled.txt", "tests/graphs/labelled.labels.txt"
        before = self.info(graph, "--labels", labels)
        self.assertTrue(before["labels"])
        for name in ("g.mtg", "g.graph"):
            self.ok("graph", "convert", graph, self.path(name), "--labels", labels)
            self.assertEqual(self.info(self.path(name))["labels"], before["labels"])
        done = self.matcha("graph", "convert", graph, self.path("g.txt"), "--labels", labels)
        self.assertIn(b"warning: the labels are not in the new file", done.stderr)
        self.ok("graph", "convert", graph, self.path("g.txt"), "--labels", labels, "--labels-out", self.path("l.txt"))
        self.assertEqual(self.info(self.path("g.txt"), "--labels", self.path("l.txt"))["labels"], before["labels"])

    def test_convert_tells_of_vertices_that_edge_lists_cannot_hold(self):
        for lines, says in (("0 1\n2 2\n", b"a vertex without edges is not"), ("0 1\n2 2\n3 3\n", b"2 vertices without edges are")):
            graph = self.write("g.txt", lines)
            for name, told in (("h.txt", True), ("h.mtg", False), ("h.mtx", False), ("h.graph", False)):
                done = self.matcha("graph", "convert", graph, self.path(name))
                self.assertEqual((done.returncode, says in done.stderr), (0, told), name)
        self.assertEqual(self.matcha("graph", "convert", cli.WIKI, self.path("h.txt"), "-q").stderr, b"")

    def test_an_order_by_degree_is_stored_and_taken(self):
        path, labelled = self.path("g.mtg"), self.path("l.mtg")
        self.ok("graph", "convert", cli.WIKI, path, "--order", "degree")
        self.ok("graph", "convert", "tests/graphs/labelled.txt", labelled, "--labels", "tests/graphs/labelled.labels.txt",
                "--order", "degree")
        self.assertIn("by degree with the largest first", self.ok("graph", "info", path))
        for file, source in ((path, cli.WIKI), (labelled, "tests/graphs/labelled.txt")):
            before, after = self.info(source), self.info(file)
            for key in ("vertices", "edges", "max_degree", "min_id", "max_id"):
                self.assertEqual(after[key], before[key], (file, key))
        for pattern in ("clique:4", "cycle:4", "star:3"):
            for threads in ("1", "2"):
                words = ("run", "--pattern", pattern, path, "--json", "--threads", threads)
                by_degree, by_id = json.loads(self.ok(*words)), json.loads(self.ok(*words, "--order", "id"))
                self.assertEqual(by_degree["result"], by_id["result"])
                if pattern == "clique:4":
                    self.assertIn("by degree, largest first (that order is kept; ", by_degree["stats"]["order"]["is"])
                    self.assertIn("by id", by_id["stats"]["order"]["is"])
        # Rows have the ids of the file, and programs that compare ids get them.
        rows = [sorted(sorted(row.split()) for row in
                       self.ok("run", "--pattern", "triangle", file, "--matches", "-", "-q").splitlines())
                for file in (path, cli.WIKI)]
        self.assertTrue(rows[0] == rows[1])
        self.assertEqual(len(rows[0]), cli.WIKI_TRIANGLES)
        self.assertEqual(self.ok("run", cli.LISTING, path, "-q"), self.ok("run", cli.LISTING, cli.WIKI, "-q"))

    def test_random_labels(self):
        # Drawn for a file or for what is generated: the same, and in every format.
        plain, graph, text, again = (self.path(name) for name in ("p.mtg", "g.mtg", "g.graph", "h.graph"))
        words = ("--random-labels", "3", "--random-edge-labels", "2")
        self.ok("graph", "generate", "erdos-renyi", "-n", "40", "-m", "200", "-o", plain)
        self.ok("graph", "generate", "erdos-renyi", "-n", "40", "-m", "200", "-o", graph, *words)
        self.ok("graph", "convert", plain, text, *words)
        self.ok("graph", "convert", graph, again, "--edge-labels")
        self.assertTrue(self.bytes_of(text) == self.bytes_of(again))
        self.assertEqual(self.info(plain)["edges"], self.info(graph, "--edge-labels")["edges"])
        facts = self.info(graph, "--edge-labels")
        self.assertEqual((len(facts["labels"]), len(facts["edge_labels"])), (3, 2))
        counts = [int(self.ok("run", "--pattern", f"a:1-b:2={label}", graph, "-q")) for label in (1, 2)]
        self.assertTrue(all(counts))
        self.ok("graph", "convert", plain, again, *words, "--label-seed", "2")
        self.assertFalse(self.bytes_of(text) == self.bytes_of(again))
        done = self.matcha("graph", "convert", graph, again, "--random-edge-labels", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"have labels or numbers already", done.stderr)

    def test_where_no_order_can_be_stored(self):
        out = self.path("g.mtg")
        self.fails(2, "graph", "convert", cli.WIKI, self.path("g.txt"), "--order", "degree", says=".mtg")
        self.fails(2, "graph", "convert", cli.WIKI, out, "--directed", "--order", "degree", says="undirected")
        self.assertEqual(os.listdir(self.folder), [])

    def test_convert_problems(self):
        self.fails(2, "graph", "convert", cli.WIKI, self.path("g.xyz"), says=["says no format", "--format"])
        self.fails(2, "graph", "convert", cli.WIKI, self.path("g.mtg.gz"), says="not packed")
        self.fails(3, "graph", "convert", cli.WIKI, self.path("no/such/g.mtg"), says="cannot write")
        self.fails(3, "graph", "convert", cli.WIKI, "/dev/full", "--format", "edges", says="/dev/full")
        self.assertEqual(os.listdir(self.folder), [])

    def test_convert_onto_itself(self):
        path = self.write("g.txt", "0 1\n1 0\n1 1\n1 2\n2 0\n")
        self.ok("graph", "convert", path, path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual([line for line in file if line[0] != "#"], ["0 1\n", "0 2\n", "1 2\n"])

    def test_convert_to_standard_output(self):
        done = self.matcha("graph", "convert", "tests/graphs/clique-6.txt", "-")
        edges = [line for line in done.stdout.splitlines() if not line.startswith(b"#")]
        self.assertEqual((done.returncode, len(edges)), (0, 15))

    def test_info(self):
        facts = self.info(cli.WIKI)
        self.assertEqual((facts["vertices"], facts["edges"], facts["degree"]["max"]), (7115, 100762, 1065))
        self.assertEqual(sum(facts["degree"]["histogram"]), 7115)
        text = self.ok("graph", "info", cli.WIKI)
        self.assertIn("vertices       7115", text)
        self.assertEqual(self.info("tests/graphs/duplicates-loops.txt")["directed"], False)
        self.assertEqual(self.info("tests/graphs/duplicates-loops.txt", "--directed")["directed"], True)

    def test_generate(self):
        for kind, options, vertices, edges in (
            ("clique", ["-n", 7], 7, 21),
            ("star", ["-n", 7], 7, 6),
            ("path", ["-n", 7], 7, 6),
            ("cycle", ["-n", 7], 7, 7),
            ("grid", ["--rows", 3, "--columns", 4], 12, 17),
            ("bipartite", ["--left", 3, "--right", 4], 7, 12),
            ("erdos-renyi", ["-n", 20, "-m", 50], 20, 50),
        ):
            path = self.generate(f"{kind}.mtg", kind, *options)
            facts = self.info(path)
            self.assertEqual((facts["vertices"], facts["edges"]), (vertices, edges), kind)

    def test_seeds(self):
        for kind, options in (("rmat", ["--scale", 8]), ("gnp", ["-n", 100, "-p", "0.1"]), ("erdos-renyi", ["-n", 100, "-m", 300])):
            texts = []
            for seed in (1, 1, 2):
                with open(self.generate("g.txt", kind, *options, "--seed", seed), encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertEqual(texts[0], texts[1])
            self.assertNotEqual(texts[0], texts[2])

    def test_generate_problems(self):
        out = self.path("g.mtg")
        self.fails(2, "graph", "generate", "cycle", "-n", "2", "-o", out)
        self.fails(2, "graph", "generate", "gnp", "-n", "10", "-p", "1.5", "-o", out)
        self.fails(2, "graph", "generate", "erdos-renyi", "-n", "3", "-m", "4", "-o", out)
        self.fails(2, "graph", "generate", "clique", "-o", out, says="vertices")
        self.fails(2, "graph", "generate", "clique", "-n", "5", says="output")
        self.fails(2, "graph", "generate", "dodecahedron", "-o", out, says="`dodecahedron`")
        self.fails(5, "graph", "generate", "clique", "-n", "4000000000", "-o", out)
        self.assertFalse(os.path.exists(out))


class Pieces(cli.CliTest):
    """`--memory`: a graph is made in less memory than it takes, and its file has the same bytes."""
    ORDERS = (), ("--order", "degree")

    def report(self, done):
        """What a load says, without the time it took."""
        return re.sub(rb"; read .*", b"", done.stderr)

    def both(self, words, *options):
        """The same command without and with a limit; the file of the first."""
        files, reports = [self.path("all.mtg"), self.path("pieces.mtg")], []
        for file, limit in zip(files, ([], ["--memory", "17M"])):
            done = self.matcha("graph", *[file if word == "OUT" else word for word in words], *options, *limit)
            self.assertEqual(done.returncode, 0, done.stderr)
            reports.append(self.report(done).replace(os.fsencode(file), b"OUT"))
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(*(pathlib.Path(file).read_bytes() for file in files))
        return files[0]

    def test_several_pieces(self):
        # Two million arcs, of which a piece has half a million.
        scale = "14" if cli.SANITIZED else "16"
        words = ["generate", "rmat", "--scale", scale, "-o", "OUT"]
        text = self.path("g.txt")
        self.ok("graph", "convert", self.both(words, "--order", "degree"), text, "-q")
        for options in (("--order", "degree"), ("--directed",)):
            self.both(["convert", text, "OUT"], *options)

    def test_all_sorts_of_ids(self):
        source = random.Random(5)
        for name, spread in (("dense", lambda v: v), ("negative", lambda v: 3 * v - 1000), ("wide", lambda v: v * 2**40 + 7)):
            lines = [(spread(source.randrange(300)), spread(source.randrange(300))) for _ in range(4000)]
            path = self.write(f"{name}.csv", "from,to\n" + "".join(f"{u},{v}\n" for u, v in lines))
            for options in (), ("--order", "degree"), ("--directed",):
                with self.subTest(ids=name, options=options):
                    self.both(["convert", path, "OUT"], *options)
        for text in "# nothing\n", "5 5\n":
            self.both(["convert", self.write("small.txt", text), "OUT"])
        self.both(["generate", "star", "-n", "1000", "-o", "OUT"], "--order", "degree")

    def test_problems(self):
        out = self.path("g.mtg")
        few = self.write("few.txt", "0 1\n1 2\n")
        self.fails(2, "graph", "convert", few, self.path("g.txt"), "--memory", "100M", says=".mtg")
        self.fails(2, "graph", "convert", few, out, "--memory", "100M", "--random-labels", "2", says="without labels")
        self.fails(2, "graph", "convert", few, out, "--memory", "much", says="--memory")
        self.fails(5, "graph", "convert", few, out, "--memory", "1M", says=["3 vertices", "raise it to 11185"])
        self.fails(5, "graph", "generate", "star", "-n", "1000000", "-o", out, "--memory", "40M", says="1000000 vertices")
        self.fails(5, "graph", "generate", "erdos-renyi", "-n", "1000", "-m", "400000", "-o", out, "--memory", "12M", says="past the limits")
        self.fails(5, "graph", "generate", "gnp", "-n", "1500", "-p", "0.5", "-o", out, "--memory", "12M", says="past the limits")
        self.fails(3, "graph", "convert", self.write("text.txt", "a b\nb c\n"), out, "--memory", "100M", says=["text", "memory limit"])
        self.fails(3, "graph", "convert", self.write("bad.txt", "0 1\n0 x\n"), out, "--memory", "100M", says="bad.txt:2")
        self.fails(3, "graph", "convert", self.write("g.graph", "t 1 0\nv 0 0 0\n"), out, "--memory", "100M", says="memory limit")
        self.assertEqual([name for name in os.listdir(self.folder) if "mtg" in name], [])


class Doctor(cli.CliTest):
    def test_json(self):
        facts = json.loads(self.ok("doctor", "--json"))
        self.assertEqual(facts["schema"], "matcha.doctor/2")
        self.assertIn("scalar", facts["cpu"]["simd"])
        self.assertIn(facts["cpu"]["simd_used"], facts["cpu"]["simd"])
        self.assertGreater(facts["cpu"]["usable_threads"], 0)
        self.assertIn("error", facts["cuda"]["libcuda"])
        for part in ("matcha", "llvm", "tbb", "antlr"):
            self.assertTrue(facts["versions"][part])

    def test_text(self):
        text = self.ok("doctor")
        for word in ("LLVM", "simd", "threads", "memory", "libcuda", "libnvrtc", "cache", "terminal"):
            self.assertIn(word, text)

    def test_cache_folder(self):
        def cache(**variables):
            env = self.environment(**variables)
            for name in ("MATCHA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
                if name not in variables:
                    env.pop(name, None)
            return json.loads(self.ok("doctor", "--json", env=env))["cache"]

        own, xdg, home = self.path("own"), self.path("xdg"), self.path("home")
        self.assertEqual(cache(MATCHA_CACHE_DIR=own, XDG_CACHE_HOME=xdg, HOME=home)["folder"], own + "/code")
        self.assertEqual(cache(XDG_CACHE_HOME=xdg, HOME=home)["folder"], xdg + "/matcha/code")
        self.assertEqual(cache(XDG_CACHE_HOME="relative", HOME=home)["folder"], home + "/.cache/matcha/code")
        self.assertEqual(cache(HOME=home)["folder"], home + "/.cache/matcha/code")
        none = cache()
        self.assertEqual((none["folder"], none["files"]), ("", 0))
        self.assertIn("neither MATCHA_CACHE_DIR, XDG_CACHE_HOME nor HOME", none["error"])
        self.assertIn("cannot be written", cache(MATCHA_CACHE_DIR=self.write("file", "in the way"))["error"])


if __name__ == "__main__":
    cli.main()
