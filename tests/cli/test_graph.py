"""`matcha graph` and `matcha doctor`."""

import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import unittest

import cli


DUCK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int duckdb_open(const char* path, void** database) { *database = (void*)1; return path != NULL; }
int duckdb_connect(void* database, void** connection) { *connection = database; return 0; }
int duckdb_query(void* connection, const char* sql, void* result) {
  FILE* log = fopen(getenv("DUCK_TOLD"), "a");
  fprintf(log, "%s\n\n", sql);
  fclose(log);
  const char* to = strstr(sql, "TO '");
  if (to == NULL) return 0;
  if (getenv("DUCK_PROBLEM") != NULL) return 1;
  char path[999];
  sscanf(to, "TO '%998[^']", path);
  FILE *in = fopen(getenv("DUCK_ROWS"), "r"), *out = fopen(path, "w");
  for (int c; (c = fgetc(in)) != EOF;) fputc(c, out);
  fclose(in);
  return fclose(out);
}
const char* duckdb_result_error(void* result) { return getenv("DUCK_PROBLEM"); }
void duckdb_destroy_result(void* result) {}
void duckdb_disconnect(void** connection) {}
void duckdb_close(void** database) {}
"""


class Graphs(cli.CliTest):
    def info(self, path, *options):
        return json.loads(self.ok("graph", "info", path, "--json", *options))

    def test_written_to_an_open_descriptor(self):
        """Standard output that is a file gets the bytes where it is; the names of descriptors stay links."""
        for name in ("-", "/dev/stdout", "/dev/fd/1"):
            with open(self.path("out"), "w+b") as out:
                out.write(b"before\n")
                out.flush()
                command = [cli.MATCHA, "graph", "generate", "cycle", "-n", "3", "-o", name, "--format", "edges", "-q"]
                subprocess.run(command, stdout=out, check=True)
            self.assertEqual(self.bytes_of(self.path("out")), b"before\n# 3 vertices 3 undirected edges\n0 1\n0 2\n1 2\n")
            self.assertTrue(os.path.islink("/dev/stdout"))

    def test_links_and_modes_of_outputs(self):
        target = self.write("target.txt", "1 2\n")
        os.chmod(target, 0o600)
        os.symlink("target.txt", self.path("link.txt"))
        os.symlink("new.txt", self.path("dangling.txt"))
        for name, end in (("link.txt", "target.txt"), ("dangling.txt", "new.txt")):
            self.ok("graph", "generate", "cycle", "-n", "3", "-o", self.path(name), "-q")
            self.assertTrue(os.path.islink(self.path(name)))
            self.assertIn(b"3 vertices", self.bytes_of(self.path(end)))
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o600)
        self.assertEqual(sorted(os.listdir(self.folder)), ["dangling.txt", "link.txt", "new.txt", "target.txt"])

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

    def test_convert_reports_vertices_that_edge_lists_cannot_hold(self):
        for lines, says in (("0 1\n2 2\n", b"a vertex without edges is not"), ("0 1\n2 2\n3 3\n", b"2 vertices without edges are")):
            graph = self.write("g.txt", lines)
            for name, reported in (("h.txt", True), ("h.mtg", False), ("h.mtx", False), ("h.graph", False)):
                done = self.matcha("graph", "convert", graph, self.path(name))
                self.assertEqual((done.returncode, says in done.stderr), (0, reported), name)
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
        for pattern in ("clique:4", "cycle:4", "star:3")[:: cli.fewer(1, 3)]:
            for threads in ("1", "2")[:: cli.fewer(1, 2)]:
                words = ("run", "--pattern", pattern, path, "--json", "--threads", threads, "--engine", "program")
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
        # Drawn for a file or for a generated graph: the same, and in every format.
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

    def test_a_limit_of_files_is_an_error(self):
        """As a full disk is, with nothing half-written."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

        out = self.path("out")
        for code, *args in ((3, "graph", "convert", cli.WIKI, out + ".mtg"), (3, "graph", "convert", cli.WIKI, out + ".txt.gz"),
                            (5, "graph", "convert", cli.WIKI, out + ".mtg", "--memory", "1M"), (3, "graph", "generate", "rmat", "-o", out + ".mtg"),
                            (3, "run", "--no-cache", "--pattern", "edge", cli.WIKI, "--matches", out + ".tsv", "-q")):
            self.fails(code, *args, says="File too large", preexec_fn=limit)
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

    def test_a_random_graph_like_another(self):
        out, labels = self.path("like.mtg"), self.write("l.txt", "\n".join("xyz"[at % 3] for at in range(40)))
        given = self.path("given.mtg")
        self.ok("graph", "generate", "erdos-renyi", "-n", "40", "-m", "200", "-o", given)
        self.ok("graph", "convert", given, self.path("g.mtg"), "--labels", labels)
        like = ("graph", "generate", "like", self.path("g.mtg"))
        self.ok(*like, "-o", out, "--seed", "4")
        degrees = lambda file: self.ok("run", "--pattern", "0:x-1", file, "--quiet") + self.ok("run", "--pattern", "star:4", "--induced", "edge", file)
        self.assertEqual(degrees(self.path("g.mtg")), degrees(out))
        first = pathlib.Path(out).read_bytes()
        self.ok(*like, "-o", out, "--seed", "4")
        self.assertEqual(pathlib.Path(out).read_bytes(), first)
        self.ok(*like, "-o", out, "--seed", "5")
        self.assertNotEqual(pathlib.Path(out).read_bytes(), first)
        informed = self.write("i.txt", "0 1 x\n1 2 y\n")
        self.fails(2, "graph", "generate", "like", informed, "--edge-labels", "-o", out, says="are not rewired")
        self.fails(2, *like, "-o", out, "--memory", "20M", says="in memory")
        self.fails(3, "graph", "generate", "like", self.path("none"), "-o", out, says="No such file")
        bad = self.write("bad.txt", "0 1\n1 x\n")
        self.fails(3, "graph", "generate", "like", bad, "-o", out, says="bad.txt:2: error: expected a vertex id, found `x`")
        self.fails(2, "graph", "generate", "like", bad, "--keep-loops", "-o", out, says="`--keep-loops` is for directed graphs")

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

    @unittest.skipIf(cli.SANITIZED, "sanitizers take more addresses than a limit leaves")
    def test_out_of_memory(self):
        out = self.path("g.mtg")
        command = ["bash", "-c", 'ulimit -v 700000; exec "$@"', "bash", cli.MATCHA, "graph", "generate", "rmat", "--scale", "23", "-o", out]
        done = cli.subprocess.run(command, cwd=cli.ROOT, env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


class Pieces(cli.CliTest):
    """`--memory`: a graph is made in less memory than it takes, and its file has the same bytes."""
    ORDERS = (), ("--order", "degree")

    def report(self, done):
        """The report of a load, without its time."""
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

    def test_labels_names_and_formats(self):
        source = random.Random(28)
        pairs = [(source.randrange(1, 60), source.randrange(1, 60)) for _ in range(500)]
        used = sorted({v for pair in pairs for v in pair})
        ints = self.write("ints.txt", "".join(f"{u} {v}\n" for u, v in pairs))
        text = self.write("text.csv", "from,to\n" + "".join(f'"city ""{u * 37 % 61}""",town-{v * 17 % 61}\n' for u, v in pairs))
        large = self.write("large.txt", "".join(f"{2**63 + u if u % 3 else u} {v}\n" for u, v in pairs))
        triples = self.write("g.nt", "".join(f"<http://a/{u}> <http://p> {f'<http://a/{v}>' if v % 5 else f'{chr(34)}{v}{chr(34)}'} .\n" for u, v in pairs))
        # Labels of some, of all, and of vertices without edges; by id, in order, and in a table.
        some = self.write("some.txt", "".join(f"{v} {'red' if v % 2 else 'blue;green'}\n" for v in used[::3]) + "99 red\n")
        number = self.write("number.txt", "".join(f"{v % 3}\n" for v in used))
        table = self.write("table.csv", "name,colour\n" + "".join(f"{v},c{v % 4}\n" for v in range(1, 80)))
        words = self.write("words.csv", "name,colour\n" + "".join(f"{v},c{v % 4}\n" for v in range(1, 80)) + "other,c1\n")
        beyond = self.write("beyond.csv", "name\n" + "".join(f"{v}\n" for v in range(1, 80)) + f"{2**63 + 5}\n")
        matrices = [self.write(f"{kind}.mtx", f"%%MatrixMarket matrix coordinate pattern {kind}\n80 80 {len(pairs)}\n" + "".join(
            f"{max(pair)} {min(pair)}\n" for pair in pairs)) for kind in ("general", "symmetric")]
        listed = "".join(f"v {v} {v % 3}\n" for v in range(1, 64))
        tve = self.write("g.graph", "t # 0\n" + listed + "".join(f"e {u} {v} 0\n" for u, v in pairs))
        late_vertices = self.write("late.graph", "".join(f"e {u} {v}\n" for u, v in pairs) + listed)
        cases = [(ints, "--labels", some), (ints, "--labels", number), (ints, "--vertices", table, "--id", "name", "--label", "colour"),
                 (ints, "--vertices", words, "--id", "name", "--ids", "text"), (text,), (large,), (triples,), (triples, "--no-literals"), (ints, "--ids", "text"),
                 *((matrix,) for matrix in matrices), (matrices[1], "--vertices", beyond, "--id", "name"),
                 (matrices[1], "--vertices", words, "--id", "name", "--label", "colour", "--ids", "text"), (tve,), (late_vertices,)]
        for number, case in list(enumerate(cases))[:: cli.fewer(1, 2)]:
            for options in ((("--order", "degree"), ("--directed",)) if number % 2 else ((), ("--directed",))):
                with self.subTest(case=case, options=options):
                    self.both(["convert", case[0], "OUT"], *case[1:], *options)
        stored = self.path("stored.mtg")
        informed = self.write("informed.txt", "".join(f"{u} {v} {'ab'[u * v % 2]}\n" for u, v in pairs))
        for options in ("--labels", some), ("--labels", some, "--order", "degree"), ("--ids", "text", "--directed"):
            os.replace(self.both(["convert", ints, "OUT"], *options), stored)
            packed = self.path("packed.mtg.gz")
            pathlib.Path(packed).write_bytes(gzip.compress(pathlib.Path(stored).read_bytes()))
            for more in ((),) if "--directed" in options else ((), ("--order", "degree")):
                for file in (stored, packed):
                    with self.subTest(stored=options, options=more, file=file):
                        self.both(["convert", file, "OUT"], *more)
        torn = pathlib.Path(self.path("torn.mtg.gz"))
        torn.write_bytes(pathlib.Path(packed).read_bytes()[:-200])
        self.assertEqual(*(self.fails(3, "graph", "convert", torn, self.path("t.mtg"), *more, says="torn.mtg.gz") for more in ((), ("--memory", "17M"))))
        for options in ("--edge-labels",), ("--edge-labels", "--directed", "--keep-loops"):
            self.ok("graph", "convert", informed, stored, *options, "-q")
            with self.subTest(stored=options):
                self.both(["convert", stored, "OUT"], *options[2:])

    def test_labels_of_edges_and_times(self):
        source = random.Random(29)
        rows = [(source.randrange(40), source.randrange(40), source.randrange(4)) for _ in range(700)]
        rows += [(v, u, label) for u, v, label in rows[:100]] + rows[:50]
        source.shuffle(rows)
        words = self.write("words.txt", "".join(f"{u} {v} {'abcd'[label]}\n" for u, v, label in rows))
        numbers = self.write("numbers.txt", "".join(f"{u} {v} {label - 2}\n" for u, v, label in rows))
        mixed = self.write("mixed.csv", "from,to,what\n" + "".join(f"n{u},n{v},{'x y' if label == 3 else label}\n" for u, v, label in rows))
        many = self.write("many.txt", "".join(f"{u} {v} {1000 * u + at}\n" for at, (u, v, _) in enumerate(rows)))
        large = self.write("large.txt", "".join(f"{2**63 + u} {v} {label}\n" for u, v, label in rows))
        triples = self.write("g.nt", "".join(f"<http://a/{u}> <http://p/{label}> <http://a/{v}> .\n" for u, v, label in rows))
        matrix = self.write("g.mtx", f"%%MatrixMarket matrix coordinate integer symmetric\n40 40 {len(rows)}\n" + "".join(
            f"{max(u, v) + 1} {min(u, v) + 1} {label}\n" for u, v, label in rows))
        tve = self.write("g.graph", "".join(f"v {v} 0\n" for v in range(40)) + "".join(f"e {u} {v} {label}\n" for u, v, label in rows))
        labelled, arcs, loops = ("--edge-labels",), ("--edge-labels", "--directed"), ("--edge-labels", "--directed", "--keep-loops")
        cases = [(words, labelled), (words, arcs), (words, loops), (numbers, labelled), (numbers, arcs), (numbers, ("--temporal",)), (many, labelled),
                 (many, arcs), (many, ("--temporal",)), (mixed, labelled), (mixed, loops), (large, arcs), (triples, labelled), (triples, arcs),
                 (matrix, labelled), (matrix, arcs), (matrix, ("--temporal",)), (tve, labelled), (tve, loops),
                 (self.write("none.txt", "# nothing\n"), labelled), (self.write("loop.txt", "5 5 1\n"), labelled)]
        for file, options in cases[:: cli.fewer(1, 2)]:
            with self.subTest(file=file, options=options):
                self.both(["convert", file, "OUT"], *options)
        bad = self.write("bad.txt", "0 1 a\n1 2 -4\n2 3 -5\n")
        self.assertEqual(*(self.fails(3, "graph", "convert", bad, self.path("g.mtg"), "--edge-labels", *limit, says="-4") for limit in ((), ("--memory", "17M"))))

    def test_several_pieces_with_labels_of_edges(self):
        """Some hundred thousand arcs, of which a piece has a tenth."""
        plain, text = self.path("plain.txt"), self.path("labelled.txt")
        self.ok("graph", "generate", "rmat", "--scale", "12" if cli.SANITIZED else "15", "-o", plain, "-q")
        with open(plain, encoding="utf-8") as lines, open(text, "w", encoding="utf-8") as out:
            for at, line in enumerate(lines):
                out.write(f"{line.rstrip()} {at % 7}\n" if line[0] != "#" else line)
        for options in ("--edge-labels",), ("--edge-labels", "--directed"), ("--temporal",):
            with self.subTest(options=options):
                self.both(["convert", text, "OUT"], *options)

    def test_peak(self):
        """A graph of two million edges whose ids are text, with labels: with 32 MB it uses no more than that plus the memory of any command."""
        if cli.SANITIZED:
            self.skipTest("sanitizers have memory of their own")
        text, labels, out = self.path("g.txt"), self.write("labels.txt", "".join(f"{v} {v % 9}\n" for v in range(2**17))), self.path("g.mtg")
        self.ok("graph", "generate", "rmat", "--scale", "17", "-o", text, "-q")

        def peak(file, *words):
            script = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); " \
                     "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
            done = cli.subprocess.run(["python3", "-c", script, cli.MATCHA, "graph", "convert", file, out, "-q", *words],
                                      capture_output=True, text=True, check=True, env=self.environment())
            code, megabytes = map(int, done.stdout.split())
            self.assertEqual(code, 0)
            return megabytes

        words = "--ids", "text", "--labels", labels
        least, whole, bounded = peak(self.write("few.txt", "0 1\n")), peak(text, *words), peak(text, *words, "--memory", "32M")
        self.assertGreater(whole - least, 64)
        self.assertLess(bounded - least, 32, (least, whole, bounded))

    def test_rows_of_a_query(self):
        """A library that stands for DuckDB: it writes the rows for every query, and records its calls."""
        if shutil.which("gcc") is None:
            self.skipTest("there is no gcc")
        library, reported = self.path("duck.so"), self.path("reported.txt")
        self.write("duck.c", DUCK)
        cli.subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, self.path("duck.c")], check=True)
        rows = self.write("rows.csv", "from,to\n" + "".join(f"{v * v % 97},{v % 89}\n" for v in range(3000)))
        environment = self.environment(MATCHA_LIBDUCKDB=library, DUCK_ROWS=rows, DUCK_TOLD=reported)
        outs = [self.path(f"{name}.mtg") for name in ("file", "query", "pieces")]
        self.ok("graph", "convert", rows, outs[0], "-q")
        self.ok("graph", "convert", "--graph-sql", "from t;", outs[1], "-q", env=environment)
        self.assertEqual(pathlib.Path(reported).read_text(encoding="utf-8").count("\n\n"), 1)
        self.ok("graph", "convert", "--graph-sql", "from t;", outs[2], "--memory", "17M", "-q", env=environment)
        folder = os.path.dirname(outs[2])
        for part in ("SET memory_limit = '8912896B'", f"SET temp_directory = '{folder}'", "COPY (\nfrom t\n) TO '/proc/self/fd/"):
            self.assertIn(part, pathlib.Path(reported).read_text(encoding="utf-8"))
        self.assertEqual(len({pathlib.Path(out).read_bytes() for out in outs}), 1)
        short = self.environment(MATCHA_LIBDUCKDB=library, DUCK_ROWS=rows, DUCK_TOLD=reported, DUCK_PROBLEM="Out of Memory Error: no room")
        self.fails(5, "graph", "convert", "--graph-sql", "from t", outs[2], "--memory", "17M", env=short, says=["Out of Memory", "half of the memory limit"])
        self.fails(3, "graph", "convert", "--graph-sql", "from t", outs[2], env=short, says="Out of Memory")

    def test_problems_of_formats(self):
        out = self.path("g.mtg")
        limit = "--memory", "100M"
        stranger = self.write("stranger.graph", "v 1 0\nv 2 0\n" + "e 1 2\n" * 5 + "e 2 7\ne 1 2\ne 9 1\n")
        self.assertEqual(*(self.fails(3, "graph", "convert", stranger, out, *more, says=["stranger.graph:8", "`7`"]) for more in ((), limit)))
        few = self.write("few.txt", "0 1 7\n1 2 8\n1 2 9\n")
        informed, plain, packed = self.path("informed.mtg"), self.path("plain.mtg"), self.path("packed.mtg.gz")
        self.ok("graph", "convert", few, informed, "--temporal", "-q")
        self.ok("graph", "convert", few, plain, "-q")
        pathlib.Path(packed).write_bytes(gzip.compress(pathlib.Path(plain).read_bytes()))
        self.fails(3, "graph", "convert", informed, out, *limit, says="a .mtg with labels of edges, but no rows by label, cannot be read with a memory limit")
        self.fails(3, "graph", "convert", plain, out, *limit, "--labels", self.write("l.txt", "0 a\n"), says="a .mtg that gets labels")
        # Names take more than numbers do.
        names = self.write("names.txt", "".join(f"a-vertex-with-a-long-name-{v:08} b\n" for v in range(100_000)))
        self.fails(5, "graph", "convert", names, out, "--memory", "8M", says="ids that are text need more than the memory limit of 8388608")
        self.fails(5, "graph", "convert", names, out, "--memory", "20M", says=["100001 vertices", "raise it to"])
        # So are words, which are reported before all are read.
        words = self.write("words.txt", "".join(f"0 1 a-label-with-a-long-name-{v:08}\n" for v in range(100_000)) + "x\n")
        self.fails(5, "graph", "convert", words, out, "--edge-labels", "--memory", "12M", says="labels of edges that are words need more than the memory limit of 12582912")
        self.assertFalse(os.path.exists(out))

    def test_problems(self):
        out = self.path("g.mtg")
        few = self.write("few.txt", "0 1\n1 2\n")
        self.fails(2, "graph", "convert", few, self.path("g.txt"), "--memory", "100M", says=".mtg")
        self.fails(2, "graph", "convert", few, out, "--memory", "100M", "--random-labels", "2", says="whose labels are not drawn")
        self.fails(2, "graph", "convert", few, out, "--memory", "much", says="--memory")
        self.fails(5, "graph", "convert", few, out, "--memory", "1M", says=["3 vertices", "raise it to 11185"])
        self.fails(5, "graph", "generate", "star", "-n", "1000000", "-o", out, "--memory", "40M", says="1000000 vertices")
        self.fails(5, "graph", "generate", "erdos-renyi", "-n", "1000", "-m", "400000", "-o", out, "--memory", "12M", says="past the limits")
        self.fails(5, "graph", "generate", "gnp", "-n", "1500", "-p", "0.5", "-o", out, "--memory", "12M", says="past the limits")
        self.fails(3, "graph", "convert", self.write("bad.txt", "0 1\n0 x\n"), out, "--memory", "100M", says="bad.txt:2")
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
