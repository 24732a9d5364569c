"""Files that are missing, broken or strange: the right exit code, a message with the file and line, nothing half-written."""

import gzip
import os
import pathlib
import unittest

import cli


class BadGraphs(cli.CliTest):
    def bad(self, path, *says, code=3):
        """Every verb that loads says the same."""
        for verb in (["run", cli.TRIANGLE, path], ["graph", "info", path], ["graph", "convert", path, self.path("out.mtg")]):
            self.fails(code, *verb, says=says)
        self.assertFalse(os.path.exists(self.path("out.mtg")))
        self.assertEqual(self.leftovers(), [])

    def test_missing(self):
        self.bad(self.path("nowhere.txt"), "nowhere.txt", "No such file")

    def test_folder(self):
        self.bad(str(self.folder), "directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_not_readable(self):
        path = self.write("secret.txt", "0 1\n")
        os.chmod(path, 0)
        self.bad(path, "Permission denied")

    def test_empty_file(self):
        self.bad(self.write("empty.txt", ""), "empty.txt", "empty")

    def test_truncated_gzip(self):
        packed = gzip.compress(b"".join(b"%d %d\n" % (i, i + 1) for i in range(20000)))
        self.bad(self.write("cut.txt.gz", packed[: len(packed) // 2]), "cut.txt.gz")

    def test_broken_gzip(self):
        packed = bytearray(gzip.compress(b"0 1\n1 2\n" * 1000))
        packed[len(packed) // 2] ^= 0xFF
        self.bad(self.write("bad.txt.gz", bytes(packed)), "bad.txt.gz")

    def test_line_that_is_no_edge(self):
        self.bad(self.write("g.txt", "# a comment\n0 1\n1 2\nhello world\n"), "g.txt:4:")
        self.bad(self.write("h.txt", "0 1\n7\n"), "h.txt:2:")
        self.bad(self.write("bytes", bytes(range(128, 256)) * 4), "bytes:1")

    def test_ids_beyond_64_bits(self):
        self.bad(self.write("g.txt", "0 1\n1 99999999999999999999\n"), "g.txt:2:")

    def test_flipped_byte(self):
        path = self.generate("g.mtg", "clique", "-n", "50")
        data = bytearray(pathlib.Path(path).read_bytes())
        for at in (len(data) // 2, len(data) - 9, 5):
            changed = bytearray(data)
            changed[at] ^= 0x40
            if bytes(changed) == bytes(data):
                continue
            self.bad(self.write("flipped.mtg", bytes(changed)), "flipped.mtg")

    def test_truncated_mtg(self):
        path = self.generate("g.mtg", "clique", "-n", "50")
        data = pathlib.Path(path).read_bytes()
        self.bad(self.write("cut.mtg", data[: len(data) - 100]), "cut.mtg")

    def test_labels(self):
        graph = self.write("g.txt", "0 1\n1 2\n")
        short = self.write("short.txt", "1\n2\n")
        self.fails(3, "run", cli.TRIANGLE, graph, "--labels", short, says="short.txt")
        self.fails(3, "run", cli.TRIANGLE, graph, "--labels", self.path("none.txt"), says="none.txt")

    def test_no_edges_is_fine(self):
        self.assertEqual(self.ok("run", cli.TRIANGLE, "tests/graphs/empty.txt"), "0\n")

    def test_unlike_numbers_of_columns(self):
        path = self.write("a.txt", "1 2 3 4 5\n# three\n2 3 4\n")
        self.bad(path, "a.txt:3: error: the line has 3 columns, those before have 5", "FILE:0,1")
        self.bad(self.write("b.csv", "1,2\n2,3,4\n"), "b.csv:2: error: the line has 3 columns, those before have 2")
        self.fails(3, "run", "examples/temporal_cycle.mt", "--in", f"edges={path}", "--in", f"times={path}:2", says="a.txt:3:")
        # Chunks of lines are compared with each other.
        lines = ["%d %d\n" % (i, i + 1) for i in range(400000)]
        lines[-1] = "0 1 2\n"
        self.bad(self.write("long.txt", "".join(lines)), "long.txt:400000: error: the line has 3 columns")
        self.assertEqual(self.ok("run", "--pattern", "edge", f"{path}:0,1"), "2\n")
        # Blanks, a comma at the end of a line and a comment are no columns.
        self.assertEqual(self.ok("run", "--pattern", "edge", self.write("c.txt", "1 2\n2 3 \t\n3,4,\n4 5 # last\n")), "4\n")

    def test_columns_of_a_graph(self):
        path = self.write("e.csv", "x,1,7,2\ny,2,7,3\nz,3,7,1\n")
        self.assertEqual(self.ok("run", cli.TRIANGLE, f"{path}:3,1"), "1\n")
        self.assertEqual(self.ok("run", cli.TRIANGLE, "--in", f"G={path}:1,3"), "1\n")
        self.fails(2, "run", cli.TRIANGLE, f"{path}:1", says="needs 2 columns, 1 is given")
        self.fails(3, "run", cli.TRIANGLE, f"{path}:1,4", says=["e.csv:1:", "4 columns, 5 are needed"])
        matrix = self.write("m.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
        self.fails(3, "run", cli.TRIANGLE, f"{matrix}:0,1", says="only the columns of edge lists")

    def test_column_that_is_missing(self):
        path = self.write("msg.txt", "0 1 5\n1 2\n")
        self.fails(
            3, "run", "examples/temporal_cycle.mt", "--in", f"edges={path}:0,1", "--in", f"times={path}:2", says="msg.txt:2:"
        )

    def test_lists_of_different_length(self):
        edges = self.write("e.txt", "0 1\n1 2\n2 0\n")
        times = self.write("t.txt", "1\n2\n")
        self.fails(4, "run", "examples/temporal_cycle.mt", "--in", f"edges={edges}", "--in", f"times={times}:0")

    def test_more_lines_than_memory_is_not_tried(self):
        # The widest ids are fine.
        path = self.write("wide.txt", "-9223372036854775808 9223372036854775807\n9223372036854775807 0\n0 -9223372036854775808\n")
        self.assertEqual(self.ok("run", cli.TRIANGLE, path), "1\n")


class BadPrograms(cli.CliTest):
    def test_missing(self):
        self.fails(3, "run", self.path("no.mt"), cli.WIKI, says=["no.mt", "No such file"])
        self.fails(3, "check", str(self.folder), says="directory")

    def test_error_in_the_query(self):
        path = self.write("q.mt", "def f(G: Graph):\n    return intersct(G, G)\n")
        for verb in ("check", "run", "build", "explain"):
            self.fails(1, verb, path, says=["q.mt:2:12: error:", "[unknown-name]", "intersect"])

    def test_words_of_other_languages(self):
        for name, hint in (("len", "size(list)"), ("degree", "size(neighbor(g, v))"), ("neighbors", "did you mean `neighbor`?")):
            path = self.write("q.mt", f"def f(G: Graph):\n    return {name}(vertices(G))\n")
            self.fails(1, "check", path, says=["q.mt:2:12: error:", "[unknown-name]", hint])
        self.fails(1, "check", self.write("q.mt", "def f(G: Graph):\n    return true\n"), says="write `True`")
        for name, hint in (("graph", "Graph"), ("list<int>", "List"), ("Int", "int")):
            path = self.write("q.mt", f"def f(x: {name}):\n    return x\n")
            self.fails(1, "check", path, says=["expected a type", f"did you mean `{hint}`?"])

    def test_bytes_that_are_no_text(self):
        for name in (b"no\xff\xe2\x82.mt", b"\xc3\xa4\xed\xa0\x80.mt"):
            done = self.matcha("run", os.fsdecode(name), cli.WIKI)
            self.assertEqual(done.returncode, 3)
            self.assertIn("\\x", done.stderr.decode("utf-8"))
        self.assertIn("\u00e4\\xed\\xa0\\x80.mt", done.stderr.decode("utf-8"))

    def test_devices_without_an_end(self):
        graph = "tests/graphs/clique-6.txt"
        for args, says in ((["run", "/dev/zero", graph], "longer than 64 MiB"), (["run", "--pattern", "/dev/zero", graph], "longer than 64 MiB"),
                           (["run", "--patterns", "/dev/zero", graph], "longer than 64 MiB"),
                           (["query", "/dev/zero", graph], "longer than 64 MiB"), (["merge", "/dev/zero"], "no ledger of a run")):
            self.fails(3, *args, says=says)
        # A large file of another kind is not read.
        with open(self.path("large"), "wb") as file:
            file.truncate(1 << 40)
        self.fails(3, "merge", self.path("large"), says="no ledger of a run")
        self.fails(3, "run", "--pattern", "edge", graph, "--labels", self.path("large"), says="large")

    def test_encodings(self):
        text = "def f(G: Graph):\n    return size(vertices(G))  # ü\n"
        self.fails(1, "check", self.write("latin.mt", text.encode("latin-1")), says=["latin.mt:2:", "[encoding]"])
        self.fails(1, "check", self.write("wide.mt", text.encode("utf-16")), says="[encoding]")
        self.fails(1, "check", self.write("nul.mt", b"def f(G: Graph):\n    return\0 1\n"), says="nul.mt")
        self.fails(1, "check", self.write("empty.mt", b""), says="[no-entry]")

    def test_nested_brackets(self):
        for opening, closing in (("(", ")"), ("[", "]")):
            text = "def f(G: Graph):\n    return " + opening * 10000 + "1" + closing * 10000 + "\n"
            self.fails(1, "check", self.write("deep.mt", text), says="deep.mt:2:")

    def test_nesting_of_functions(self):
        text = "def f(G: Graph):\n    return " + "size(" * 3000 + "G" + ")" * 3000 + "\n"
        self.fails(1, "check", self.write("deep.mt", text), says="deep.mt:2:")

    def test_run_time_error_has_a_place(self):
        path = self.write("q.mt", "def f(G: Graph, d: int = 0):\n    return size(vertices(G)) / d\n")
        for backend in ("llvm", "interp"):
            errors = self.fails(4, "run", path, cli.WIKI, "--backend", backend, "-q", says=["q.mt:2:", "division by zero", "^"])
            self.assertNotIn("[", errors.splitlines()[0])

    def test_unknown_label_word(self):
        program = self.write(
            "q.mt",
            "def f(G: Graph):\n    return size(apply(lambda v: v, cond=lambda v: vertex_label(G, v) == 'prson', vertices(G)))\n",
        )
        graph = self.write("g.txt", "0 1\n")
        labels = self.write("l.txt", "person\nplace\n")
        self.fails(1, "run", program, graph, "--labels", labels, says=["q.mt:2:", "prson", "person"])

    def test_labels_with_blanks_want_quotes(self):
        graph, labels = self.write("k.txt", "1 2\n"), self.write("l.csv", 'id,label\n1,Mr. Hi\n2,x\n')
        for pattern in ("a:Mr. Hi-b", "a-b:Mr. Hi"):
            self.fails(1, "run", "--pattern", pattern, graph, "--labels", labels, says=["`Mr.`", "stands in quotes: `'Mr. Hi'`"])
        self.assertEqual(self.ok("run", "--quiet", "--pattern", "a:'Mr. Hi'-b", graph, "--labels", labels), "1\n")

    def test_labels_files_with_the_label_first(self):
        graph = self.write("names.txt", "ann bob\nbob cid\n")
        turned = self.write("turned.txt", "red ann\nblue bob\n")
        self.fails(3, "run", "--pattern", "(a:red)", graph, "--header", "no", "--labels", turned,
                   says=["turned.txt:1:", "no id of the labels file", "--id 1 --label 0"])
        numbers, codes = self.write("n.txt", "1 2\n2 3\n"), self.write("codes.txt", "70 1\n80 2\n")
        self.fails(3, "run", "--pattern", "(a:70)", numbers, "--labels", codes, says=["codes.txt:1:", "--id 1 --label 0"])
        more = self.write("more.txt", "70 9\n80 2\n")
        self.assertEqual(self.ok("run", "--quiet", "--pattern", "(a:9)", numbers, "--labels", more), "1\n")

    def test_labels_that_are_not_given(self):
        for backend in ("llvm", "interp"):
            options = ["--backend", backend, "-q"]
            self.fails(4, "run", "examples/labelled.mt", "tests/graphs/clique-6.txt", *options, says=["labelled.mt:", "--labels FILE"])

    def test_unknown_entry(self):
        self.fails(1, "run", cli.TRIANGLE, cli.WIKI, "--entry", "tringle", says="tringle")

    def test_an_error_prints_no_trace(self):
        errors = self.fails(3, "run", cli.TRIANGLE, "nowhere.txt")
        self.assertLessEqual(len(errors.splitlines()), 3)

    def test_hints_for_python(self):
        for text, hint in (
            ("    u, v = G\n    return 1", "a tuple is not taken apart by names; its parts are `get(t, 0)`"),
            ("    return [x for x in vertices(G)]", "there are no comprehensions; `apply(lambda x: f(x), cond="),
            ("    return sum(x for x in vertices(G))", "there are no comprehensions"),
        ):
            self.fails(1, "check", self.write("q.mt", f"def f(G: Graph):\n{text}\n"), says=f"hint: {hint}")

    def test_an_index_out_of_range_is_named(self):
        graph = self.write("g.txt", "0 1\n1 2\n")
        for text, hint in (
            ("    return get([1, 2, 3], n)", "index 7 of a list of 3 items"),
            ("    return sum(apply(lambda v: get(neighbor(G, v), n - 6), cond=lambda v: v == 2, vertices(G)))",
             "index 1 of a list of 1 item"),
            ("    return sum(apply(lambda v: get(neighbor(G, v), 0 - n), cond=lambda v: v == 1, vertices(G)))",
             "index -7 of a list of 2 items"),
            ("    return get(max_by(edges(G)), n)", "the table has no such key; `default=` says its value"),
            ("    t = max_by(edges(G))\n    return sum(apply(lambda v: get(t, v + n), vertices(G)))",
             "the table has no such key; `default=` says its value"),
        ):
            program = self.write("q.mt", f"def f(G: Graph, n: int = 7):\n{text}\n")
            for backend in ("llvm", "interp"):
                self.fails(4, "run", program, graph, "--backend", backend,
                           says=["q.mt:", "error: no such item or key", f"hint: {hint}"])


class BadPatterns(cli.CliTest):
    def test_a_graph_instead_of_a_pattern(self):
        # As a shell leaves `--pattern 0>1,1>2 GRAPH`.
        for path in (cli.WIKI, self.generate("g.mtg", "clique", "-n", "3"), self.generate("g.txt.zst", "clique", "-n", "3")):
            errors = self.fails(2, "run", "--pattern", path, says=[f"`{path}` is a graph, not a pattern", "in quotes"])
            self.assertNotIn("\\x", errors)

    def test_signs_that_shells_leave_alone(self):
        for plain, other in (("0>1,1>2,0>2", "0->1->2,0->2"), ("0>1,1>2,0!2", "0->1,1>2,0~2"), ("0-1,1-2,0!2", "0-1-2~0")):
            self.assertEqual(self.ok("pattern", plain), self.ok("pattern", other))
        self.fails(1, "pattern", "0-1~2=a", says="vertices 1 and 2 have no edge that could have a label")
        self.fails(1, "pattern", "0-1?2", says=["`0~1`", "single quotes"])

    def test_arcs_of_a_mtg_need_no_option(self):
        text = self.write("arcs.txt", "0 1\n1 2\n2 0\n2 3\n")
        graph = self.path("arcs.mtg")
        self.ok("graph", "convert", text, graph, "--directed")
        self.assertEqual(self.ok("run", "--pattern", "0->1->2->0", graph), "1\n")
        self.fails(2, "run", "--pattern", "0->1->2->0", text, says=["the pattern has arcs", "add --directed"])


if __name__ == "__main__":
    cli.main()
