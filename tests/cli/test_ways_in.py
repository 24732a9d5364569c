"""Files that are read as they are meant: headings, labels of vertices, directions, and graphs that are written and read back."""

import json

import cli


class WaysIn(cli.CliTest):
    def count(self, pattern, *words):
        return int(self.ok("run", "--quiet", "--pattern", pattern, *words))

    def test_negative_labels_are_written(self):
        graph, labels = self.write("g.txt", "1 2\n2 3\n"), self.write("l.txt", "1 -1\n2 -5\n3 -1\n")
        self.assertEqual(self.count("a:'-1'-b:'-5'", graph, "--labels", labels), 2)
        for name in ("o.mtx", "o.lg", "o.mtg"):
            self.ok("graph", "convert", graph, self.path(name), "--labels", labels)
            self.assertEqual(self.count("a:'-1'-b:'-5'", self.path(name)), 2, name)
        self.ok("graph", "convert", graph, self.path("o.txt"), "--labels", labels, "--labels-out", self.path("o.lab"))
        self.assertEqual(self.count("a:'-1'-b:'-5'", self.path("o.txt"), "--labels", self.path("o.lab")), 2)

    def test_names_that_end_in_id_are_no_heading(self):
        graph = self.write("g.txt", "ann david\nann zoe\ndavid zoe\n")
        labels = self.write("l.txt", "david red\nann blue\nzoe red\n")
        self.assertEqual(self.count("0:red-1:blue", graph, "--labels", labels), 2)
        self.fails(3, "run", "--pattern", "edge", self.write("e.txt", "david madrid\nann bob\nbob carl\n"), says="a heading?")
        edges = self.write("one.csv", "source,target\nann,bob\n")
        vertices = self.write("v.csv", "person,paid,type\nann,7,x\nbob,8,y\n")
        self.assertEqual(self.count("a:x-b:y", edges, "--vertices", vertices, "--id", "person", "--label", "type"), 1)
        labels = self.write("l.csv", "shopkeeperid,type\nann,x\nbob,y\n")
        self.assertEqual(self.count("a:x-b:y", edges, "--labels", labels), 1)
        for heading in ("user_id", "userId", "UserID", "node.id", "uid", "customerid", "vertex", "name"):
            vertices = self.write("v.csv", f"{heading},type\nann,x\nbob,y\n")
            self.assertEqual(self.count("a:x-b:y", edges, "--vertices", vertices), 1, heading)

    def test_labels_that_are_written_are_read_back(self):
        # Vertex 4 has no edge: its label is not that of another vertex.
        text = "t 4 2\nv 1 a\nv 2 a\nv 3 a\nv 4 b\ne 1 2\ne 2 3\n"
        graph = self.write("i.lg", text)
        self.assertEqual(self.count("x:a-y:b", graph), 0)
        self.ok("graph", "convert", graph, self.path("i.txt"), "--labels-out", self.path("i.lab"))
        self.assertEqual(self.count("x:a-y:b", self.path("i.txt"), "--labels", self.path("i.lab")), 0)
        self.assertEqual(self.count("x:a-y:a", self.path("i.txt"), "--labels", self.path("i.lab")), 2)

    def test_one_label_a_line(self):
        labels = self.write("l.txt", "a\na\na\nb\n")
        # Those of 0 to 3, of which 2 has no edge.
        self.assertEqual(self.count("x:a-y:b", self.write("zero.txt", "0 1\n1 3\n"), "--labels", labels), 1)
        # Those of 1 to 4, or of 0 to 3.
        self.fails(3, "run", "--pattern", "x:a-y:b", self.write("one.txt", "1 2\n2 3\n"), "--labels", labels, says="labels")

    def test_words_of_a_mtg_are_no_numbers_of_a_list(self):
        table = self.write("w.csv", "source,target,label\n1,2,likes\n2,3,pays\n")
        self.ok("graph", "convert", table, self.path("w.mtg"), "--directed", "--edge-labels")
        program = self.write("l.mt", "def main(l: List<Tuple<int, 3>>):\n    return l\n")
        self.fails(3, "run", program, "--in", f"l={self.path('w.mtg')}", says="labels that are words")

    def test_a_table_of_vertices_leaves_the_labels_of_a_mtg(self):
        graph = self.write("a.lg", "t 3 2\nv 1 x\nv 2 y\nv 3 x\ne 1 2\ne 2 3\n")
        vertices = self.write("v.csv", "id,label\n9,z\n1,w\n")
        self.ok("graph", "convert", graph, self.path("a.mtg"))
        for name in ("a.lg", "a.mtg"):
            self.assertEqual(self.count("a:x-b:y", self.path(name), "--vertices", vertices), 2, name)

    def test_an_edge_of_a_set_is_one_arc(self):
        one = "t # 0\nv 0 C\nv 1 N\ne 0 1\n"
        for text, arcs in ((one, 1), (one + one.replace("# 0", "# 1"), 2)):
            graph = self.write("s.lg", text)
            self.assertEqual(self.count("a->b", graph, "--directed"), arcs)
            self.assertEqual(self.count("a:C->b:N", graph, "--directed"), arcs)
            self.assertEqual(self.count("edge", graph), arcs)

    def test_skew_symmetric_numbers_change_their_sign(self):
        for kind, value in (("integer", "5"), ("real", "2.5")):
            graph = self.write("k.mtx", f"%%MatrixMarket matrix coordinate {kind} skew-symmetric\n3 3 1\n2 1 {value}\n")
            self.assertEqual(self.count("a->b", graph, "--directed"), 2)
            if kind == "integer":
                out = self.ok("graph", "convert", graph, "-", "--directed", "--edge-labels")
                self.assertEqual(sorted(out.splitlines())[1:], [f"1 2 -{value}", f"2 1 {value}"])

    def test_vertices_decide_in_little_memory_too(self):
        edges, vertices = self.write("m.csv", "source,target\n"), self.write("v.csv", "id,label\nn0,x\n")
        for memory in ([], ["--memory", "14M"]):
            self.ok("graph", "convert", edges, self.path("a.mtg"), "--vertices", vertices, *memory)
            self.assertIn("n0", self.ok("graph", "info", self.path("a.mtg")))

    def test_ids_that_look_like_numbers_are_noted(self):
        graph = self.write("g.csv", "source,target\n+1,007\n")
        self.ok("graph", "convert", graph, self.path("x.mtg"), "--ids", "text")
        done = self.matcha("graph", "convert", self.path("x.mtg"), self.path("x.csv"))
        self.assertIn(b"read the file with `--ids text`", done.stderr)
        self.assertEqual(self.count("edge", self.path("x.csv"), "--ids", "text"), 1)

    def test_random_graphs(self):
        graphs = self.write("two.lg", "t # 0\nv 0 C\nv 1 C\ne 0 1\nt # 1\nv 0 C\nv 1 C\ne 0 1\n")
        self.fails(3, "graph", "generate", "like", graphs, "-o", self.path("r.txt"), says="different graphs")
        self.fails(2, "motifs", "3", graphs, "--null", "5", says="different graphs")
        # The leaves of a clique are permuted, however few exchanges are possible: 2 of 6 permutations keep one in its place.
        size = 12
        edges = [f"{a} {b}" for a in range(size) for b in range(a)] + [f"{size + leaf} {leaf}" for leaf in range(3)]
        labels = [f"{v} {'p' if v == 0 else 'q' if v == size else 'z'}" for v in range(size + 3)]
        out = self.ok("motifs", "--quiet", "--json", "--pattern", "a:p-b:q", self.write("k.txt", "\n".join(edges) + "\n"),
                      "--labels", self.write("k.lab", "\n".join(labels) + "\n"), "--null", "200")
        self.assertAlmostEqual(json.loads(out)["counts"][0]["mean"], 1 / 3, delta=0.1)


if __name__ == "__main__":
    cli.main()
