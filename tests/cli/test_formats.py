"""Formats of graphs: recognized and read, named in errors, and written so that they read back."""

import gzip
import json
import os

import cli

TRIANGLE = ["run", "--pattern", "triangle"]
C6 = "6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n1 5\n"
GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="label" attr.type="string"/>
<key id="d1" for="edge" attr.name="kind" attr.type="string"><default>single</default></key>
<key id="d2" for="node" attr.name="charge" attr.type="int"/>
<graph edgedefault="directed">
<node id="n0"><data key="d0">C</data><data key="d2">1</data></node>
<node id="n1"><data key="d0">N</data><data key="d2">2</data></node>
<node id="n2"><data key="d0">C &amp; O</data><data key="d2">1</data></node>
<edge source="n0" target="n1"/><edge source="n1" target="n2"><data key="d1">double</data></edge>
<edge source="n2" target="n0"/>
</graph></graphml>
"""
GML = """Creator "a test"
graph
[
  directed 1
  node [ id 1 label "C" charge 1 ]
  node [ id 2 label "N" graphics [ x 1 y 2 ] charge 2 ]
  node [ id 3 label "C &amp; O" charge 1 ]
  edge [ source 1 target 2 kind "single" ]
  edge [ source 2 target 3 kind "double" ]
  edge [ source 3 target 1 kind "single" ]
]
"""
PAJEK = '%\n*Vertices 3\r\n1 "C" 0.1 0.2\r\n2 N\r\n3 "C & O"\r\n*Arcs\r\n1 2 1\r\n2 3 2\r\n*Edges\r\n1 3 1\r\n'


class FirstLines(cli.CliTest):
    def report(self, text, *options, pattern="edge"):
        done = self.matcha("run", "--pattern", pattern, self.write("g.in", text), *options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return int(done.stdout), done.stderr.decode().splitlines()[0]

    def test_a_first_edge_of_sparse_ids_is_no_size(self):
        # Four of eleven vertices have edges.
        path = self.write("sparse.txt", "11 5\n5 4\n4 11\n11 3\n4 3\n3 5\n")
        self.assertEqual(self.ok("run", "--quiet", "--pattern", "edge", path), "6\n")
        path = self.write("half.txt", "6 3\n0 1\n1 2\n2 0\n")
        self.assertEqual(self.ok("run", "--quiet", "--pattern", "edge", path), "3\n")

    def test_a_size_line_is_not_an_edge(self):
        for text, edges, vertices, size in (
            ("4 3\n0 1\n1 2\n2 3\n", 3, 4, "4 3"),  # ORCA
            ("7 3\n1 2\n2 4\n7 1\n", 3, 7, "7 3"),  # from 1, with isolated vertices
            ("3 2\n0 1\n1 0\n1 2\n2 1\n", 2, 3, "3 2"),  # both directions
            ("3\n0 1\n1 2\n", 2, 3, "3"),
            ("13\n3\n0 5\n4 3\n12 1\n", 3, 13, "13 3"),  # two lines
            ("3 3 0\n1 2\n2 3\n3 1\n", 3, 3, "3 3 0"),
            ("3 3 2\n1 2 9\n2 3 9\n", 2, 3, "3 3 2"),  # rows, columns and entries
        ):
            for line_end in ("\n", "\r\n"):
                found, said = self.report(text.replace("\n", line_end))
                self.assertEqual(found, edges, text)
                self.assertIn(f"`{size}` at the top is the size", said)
                self.assertIn(f"{vertices} vertices", said)

    def test_other_lines_are_edges(self):
        for text, edges in (
            ("4 3\n0 1\n1 2\n", 3),  # another number of edges
            ("3 3\n0 1\n1 2\n2 3\n", 3),  # 3 is not below 3, and there is a 0; one loop
            ("4 1\n0 1\n1 2\n", 3),  # twice as many lines, but not both directions
            ("3 0\n", 1),
            ("3 1\n2 1\n", 2),  # a star; one line below fits by chance
            ("5 2 7\n1 2 3\n3 4 1\n", 3),  # an edge with its weight
        ):
            found, said = self.report(text)
            self.assertEqual(found, edges, text)
            self.assertNotIn("size", said)
        columns = self.write("c.in", "9 1 2\n8 2 3\n")
        self.assertEqual(self.ok("run", "--pattern", "edge", f"{columns}:1,2", "--quiet"), "2\n")
        self.assertEqual(self.report("4 3\n0 1\n1 2\n2 3\n", "--header", "no")[0], 4)
        self.assertEqual(self.report("4 7\n0 1\n1 2\n2 3\n", "--header", "yes")[0], 3)

    def test_a_size_that_may_be_an_edge_is_an_error(self):
        for text, edges in (
            ("3 2\n3 1\n2 1\n", 2),  # a triangle, or two edges
            ("7 5\n7 4\n1 7\n1 5\n5 4\n1 4\n", 5),
            ("6 3\n1 2\n2 3\n6 1\n", 3),
        ):
            path = self.write("both.txt", text)
            self.fails(3, *TRIANGLE, path, says=["both.txt:1:", "may be the size of the graph or an edge", "--header"])
            self.assertEqual(self.report(text, "--header", "yes")[0], edges)
            self.assertEqual(self.report(text, "--header", "no")[0], edges + 1)

        # With --directed both arcs of an edge are no sign of a size with half as many edges.
        path = self.write("arcs.txt", "2 1\n0 1\n1 0\n")
        arcs = ("run", "--pattern", "a->b", "--directed", "-q", path)
        self.fails(3, *arcs, says=["arcs.txt:1:", "may be the size of the graph or an edge"])
        self.assertEqual([self.ok(*arcs, "--header", word) for word in ("yes", "no")], ["2\n", "3\n"])
        self.assertEqual(self.report("2 1\n0 1\n1 0\n")[0], 1)

    def test_a_size_is_bounded_by_the_file(self):
        path = self.write("huge.in", "4000000000\n0 1\n1 2\n")
        self.fails(5, *TRIANGLE, path, says=["huge.in:1:", "4000000000 vertices for 2 entries"])

    def test_metis(self):
        for text, edges in (
            ("% c\n4 3\n2 3 4\n1\n1\n1\n", 3),
            ("5 3\n2\n1 3\n2\n\n\n", None),  # two edges, three declared
            ("5 2\n2\n1 3\n2\n\n\n", 2),
            ("5 3 011 1\n7 2 1 3 1\n8 1 1\n9 1 1 4 5\n1 3 5\n3\n", 3),
            ("3 3\n2 3\n1 3\n1 2\n", 3),  # the same edges either way
        ):
            path = self.write("m.graph", text)
            if edges is None:
                self.fails(3, *TRIANGLE, path, says=["m.graph:1:", "declares 3 edges"])
            else:
                self.assertEqual(self.ok("run", "--pattern", "edge", path), f"{edges}\n")
        weights = self.write("w.graph", "3 2 11\n7 2 5\n8 1 5 3 6\n7 2 6\n")
        self.assertEqual(self.ok("run", "--pattern", "a:7-b:8", "--quiet", weights), "2\n")
        self.assertEqual(self.ok("run", "--pattern", "0-1=6", "--quiet", weights), "1\n")

    def test_a_file_that_may_be_metis_or_edges_is_an_error_that_names_both(self):
        for text in (C6, "3 3 1\n2 1 3 1\n1 1 3 1\n1 1 2 1\n"):
            path = self.write("c6.graph", text)
            self.fails(3, *TRIANGLE, path, says=["c6.graph:1:", "METIS", "edges", "--format metis", "--format edges"])
        self.assertEqual(self.ok(*TRIANGLE, path, "--format", "metis"), "1\n")
        path = self.write("c6.graph", C6)
        self.assertEqual(self.ok(*TRIANGLE, path, "--format", "metis"), "0\n")
        self.assertEqual(self.ok(*TRIANGLE, path, "--format", "edges"), "2\n")


class OtherShapes(cli.CliTest):
    def test_weights_of_metis_on_even_lines(self):
        path = self.write("c4.graph", "4 4 1\n2 9 4 9\n1 9 3 9\n2 9 4 9\n3 9 1 9\n")
        self.assertEqual(self.ok("run", "--pattern", "cycle:4", path), "1\n")

    def test_matrices_and_rows_of_neighbours_are_no_edges(self):
        rows = ["0 1 1 0", "1 0 1 1", "1 1 0 1", "0 1 1 0"]
        wide = [" ".join(str(int(abs(u - v) == 1)) for v in range(120)) for u in range(120)]
        for lines in (rows, [row.replace(" ", ",") for row in rows], ["0 1 1", "1 0 1", "1 1 0"], wide):
            path = self.write("m.txt", "\n".join(lines) + "\n")
            self.fails(3, *TRIANGLE, path, says=["m.txt:1:", "adjacency matrix"])
            self.ok(*TRIANGLE, path + ":0,1")
        # An edge list may have such cells.
        for lines in (["0 1 1", "1 0 0", "0 1 0"], rows[:3]):
            self.ok(*TRIANGLE, self.write("e.txt", "\n".join(lines) + "\n"))
        path = self.write("n.txt", "1: 2 3\n2: 1 3\n3: 1 2\n")
        self.fails(3, *TRIANGLE, path, says=["n.txt:1:", "neighbours"])
        self.assertEqual(self.ok("run", "--pattern", "edge", path, "--ids", "text"), "3\n")

    def test_decimal_commas(self):
        for text in ("1;2;0,5\n2;3;0,5\n3;1;0,5\n", "1|2|0,5\n2|3|0,5\n3|1|0,5\n", "src;dst;w\n1;2;0,5\n2;3;0\n3;1;1,5\n"):
            self.assertEqual(self.ok(*TRIANGLE, self.write("w.csv", text)), "1\n")
        self.fails(3, *TRIANGLE, self.write("i.csv", "1;2,5\n2,5;1\n"), says=["i.csv:1:", "`2,5`"])


class Foreign(cli.CliTest):
    def test_formats_that_are_not_read_are_named_with_the_way_round(self):
        for text, name, way in (
            ("graph G {\n a -- b;\n}\n", "DOT", "GraphML"),
            ("/* x */ strict digraph \"my g\"\n{ a -> b }\n", "DOT", "GraphML"),
            ('{"nodes":[{"id":1}],"links":[]}', "JSON", "jq"),
            ("[\n [0, 1]\n]\n", "JSON", "jq"),
            ("<!DOCTYPE html>\n<html><body>404</body></html>\n", "HTML", "download"),
            ('<?xml version="1.0"?>\n<gexf><graph/></gexf>\n', "GEXF", "GraphML"),
            ('<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="x"/>\n', "RDF/XML", "N-Triples"),
            ("@prefix ex: <http://e/> .\nex:a ex:b ex:c .\n", "Turtle", "N-Triples"),
            ('<?xml version="1.0"?>\n<svg/>\n', "XML", "GraphML"),
            ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "Git LFS", "git lfs pull"),
            ("PAR1\0\0", "Parquet", "--graph-sql"),
            ("mol\n  RDKit\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n", "MOL", "RDKit"),
        ):
            self.fails(3, *TRIANGLE, self.write("a.x", text), says=[name, way])

    def test_addresses_are_not_read(self):
        for address in ("https://example.invalid/g.csv", "s3://some/g.csv"):
            self.fails(3, *TRIANGLE, address, says=[address, "curl", "--graph-sql"])


class Read(cli.CliTest):
    def test_every_format_gives_edges_labels_and_direction(self):
        for name, text in (("a.graphml", GRAPHML), ("a.gml", GML)):
            path = self.write(name, text)
            self.assertEqual(self.ok(*TRIANGLE, path, "--quiet"), "1\n", name)
            self.assertEqual(self.ok("run", "--pattern", "a:C-b:N", path, "--quiet"), "1\n")
            self.assertEqual(self.ok("run", "--pattern", "a:'C & O'", path, "--quiet"), "1\n")
            self.assertEqual(self.ok("run", "--pattern", "a:1-b:1", path, "--label", "charge", "--quiet"), "1\n")
            kinds = ["--edge-label", "kind", "--quiet"]
            self.assertEqual(self.ok("run", "--pattern", "0-1=single", path, *kinds), "2\n")
            self.assertEqual(self.ok("run", "--pattern", "a->b->c->a", path, "--directed", "--quiet"), "1\n")
            said = self.matcha(*TRIANGLE, path).stderr.decode()
            self.assertIn("the file is directed, `--directed` keeps its arcs", said)
            self.fails(3, "run", "--pattern", "0-1=x", path, "--edge-label", "colour", says=[name, "colour"])
        path = self.write("a.net", PAJEK)
        self.assertEqual(self.ok(*TRIANGLE, path, "--quiet"), "1\n")
        self.assertEqual(self.ok("run", "--pattern", "a:C-b:N", path, "--quiet"), "1\n")
        self.assertEqual(self.ok("run", "--pattern", "0-1=2", path, "--quiet"), "1\n")
        self.assertEqual(self.ok("run", "--pattern", "a->b", path, "--directed", "--quiet"), "4\n")
        for text in ("c x\np sp 3 3\na 1 2 4\na 2 3 4\na 3 1 4\n", "p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n",
                     "p tw 3 3\n1 2\n2 3\n1 3\n", "Bw\n", ">>graph6<<Bw\n", ":BcN\n", "*Vertices 3\n*Edgeslist\n1 2 3\n2 3\n"):
            self.assertEqual(self.ok(*TRIANGLE, self.write("a.txt", text), "--quiet"), "1\n", text)
        for name, both, half in (("a.col", "p edge 3 2\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n", "p edge 3 4\ne 1 2\ne 2 3\n"),
                                 ("a.lg", "t 2 1\nv 0 1\nv 1 1\ne 0 1\ne 1 0\n", "t 2 2\nv 0 1\nv 1 1\ne 0 1\n")):
            for text, is_half in ((both, False), (half, True)):
                said = self.matcha("run", "--pattern", "edge", self.write(name, text))
                self.assertEqual((said.returncode, b"the file has half as many" in said.stderr), (0, is_half), text)
        entities = self.write("e.gml", 'graph [ node [ id 1 label "&amp;#65;" ] node [ id 2 label "&#65;&lt;&amp;lt;" ] edge [ source 1 target 2 ] ]\n')
        self.assertEqual(self.ok("run", "--pattern", "a:'&#65;'-b:'A<&lt;'", entities, "--quiet"), "1\n")
        packed = self.path("a.graphml.gz")
        with gzip.open(packed, "wt") as file:
            file.write(GRAPHML.replace("\n", ""))
        self.assertEqual(self.ok(*TRIANGLE, packed, "--quiet"), "1\n")

    def test_matrix_market_as_repositories_write_it(self):
        for banner in ("%%MatrixMarket matrix coordinate pattern symmetric", "%%matrixmarket MATRIX Coordinate Pattern Symmetric\r",
                       "%%MatrixMarket  matrix  coordinate  pattern  general "):
            path = self.write("m.mtx", f"{banner}\n%\n3 3 3\n2 1\n3 1\n3 2\n")
            self.assertEqual(self.ok(*TRIANGLE, path, "--quiet"), "1\n", banner)
        dense = self.write("d.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n")
        self.fails(3, *TRIANGLE, dense, says=["d.mtx:1:", "`array`", "coordinate"])

    def test_a_set_of_graphs_is_one_graph_of_parts(self):
        lines = "t # 0\nv 0 2\nv 1 1\ne 0 1 1\nt # 1\nv 0 2\nv 1 1\nv 2 1\ne 0 1 1\ne 0 2 1\nt # -1\n"
        for path in (self.write("s.lg", lines), self.write("s.txt", lines.replace("t #", "# t"))):
            self.assertEqual(self.ok("run", "--pattern", "a:2-b:1", path, "--quiet"), "3\n")
        rows = self.ok("run", "--pattern", "a:2-b:1", path, "--limit", "9", "--quiet")
        self.assertEqual(sorted(rows.split()), sorted("0:0 0:1 1:0 1:1 1:0 1:2".split()))
        each = ["run", "--pattern", "a:2-b:1", path, "--per", "graph", "--quiet"]
        self.assertEqual(self.ok(*each), "0\t1\n1\t2\n")
        self.assertEqual(json.loads(self.ok(*each, "--json"))["graphs"], [1, 2])
        self.fails(2, *each, "--limit", "2", says="--per graph")
        graphml = GRAPHML.replace("</graphml>", GRAPHML[GRAPHML.index("<graph ") :])
        for name, text, one in (("s.graphml", graphml, GRAPHML), ("s.gml", GML + GML[GML.index("graph") :], GML)):
            several, alone = self.write(name, text), self.write(f"one-{name}", one)
            self.assertEqual(self.ok(*TRIANGLE, several, "--quiet"), "2\n", name)
            each = self.ok(*TRIANGLE, several, "--per", "graph", "--quiet")
            self.assertEqual(each, "0\t1\n1\t1\n")
            rows = [self.ok(*TRIANGLE, path, "--limit", "9", "--quiet").split() for path in (several, alone)]
            self.assertEqual(sorted(rows[0]), sorted(f"{graph}:{row}" for graph in (0, 1) for row in rows[1]))
        six = self.write("s.g6", "Bw\nBw\n")
        self.assertEqual(self.ok(*TRIANGLE, six, "--quiet"), "2\n")
        self.assertIn("a set of 2 graphs", self.matcha(*TRIANGLE, six).stderr.decode())
        self.fails(2, "run", "--pattern", "a-b,c-d", six, says="not connected")


class Bad(cli.CliTest):
    def test_malformed_files_are_refused_at_their_line(self):
        for name, text, line, says in (
            ("a.gr", "p sp 3 3\na 1 2 4\na 2 9 4\n", 2 + 1, "outside 1…3"),
            ("b.gr", "p sp 3 3\na 1 2 4\n", 1, "declares 3 arcs"),
            ("c.col", "p edge 3 1\ne 1 x\n", 2, "found `x`"),
            ("d.cnf", "p cnf 3 1\n1 2 0\n", 1, "formula"),
            ("a.gml", "graph [\n node [ id 1 ]\n edge [ source 1 target 3 ]\n]\n", 3, "`3`"),
            ("b.gml", "graph [\n node [ id 1 ]\n node [ id 1 ]\n]\n", 3, "second time"),
            ("e.gml", "graph [\n directed 2\n]\n", 2, "`directed` is 0 or 1"),
            ("f.gml", "graph [\n Node [ id 1 ]\n]\n", 2, "expected `node`, found `Node`"),
            ("d.graphml", GRAPHML.replace('edgedefault="directed"', 'edgedefault="dirceted"'), 6, "not `dirceted`"),
            ("e.col", "p edge 4 2\ne 1 2\ne 2 3\ne 3 4\ne 1 4\n", 1, "declares 2 edges"),
            ("f.col", "p edge 4 1\ne 1 2\ne 1 2\n", 1, "declares 1 edges"),
            ("c.gml", "graph [\n node [ id 1 label \"x ]\n", 2, "does not end"),
            ("d.gml", "graph [\n node [ id 1\n", 3, "`]` is missing"),
            ("a.graphml", GRAPHML.replace('target="n1"', 'target="n7"'), 10, "`n7`"),
            ("b.graphml", GRAPHML.replace("</graph>", ""), 12, "not XML"),
            ("c.graphml", '<!DOCTYPE x [<!ENTITY a "b">]>\n<graphml><graph><node id="&a;"/></graph></graphml>\n', 1, "entities"),
            ("a.net", "*Vertices 2\n*Arcs\n1 3\n", 3, "outside 1…2"),
            ("b.net", "*Vertices 2\n*Matrix\n0 1\n1 0\n", 2, "`*Matrix`"),
            ("a.g6", ">>graph6<<Dw\n", 1, "graph6"),
            ("a.metis", "3 2\n2\n1 9\n2\n", 3, "outside 1…3"),
            ("b.metis", "3 2\n2 3\n1\n1 2\n", 1, "neighbours"),
        ):
            self.fails(3, *TRIANGLE, self.write(name, text), says=[f"{name}:{line}:", says])
        for name, text in (("h.gr", "p sp 1000000000000 1\na 1 2 3\n"), ("h.net", "*Vertices 4000000000\n*Edges\n1 2\n"),
                           ("h.metis", "4000000000 1\n2\n1\n")):
            self.fails(5, *TRIANGLE, self.write(name, text), *(["--format", "metis"] if name == "h.metis" else []),
                       says=[f"{name}:1:", "vertices"])


class Written(cli.CliTest):
    def round_trip(self, text, name, *options, read=()):
        """The rows of all edges of a text, and those of the file that `graph convert` makes of it."""
        first, second = self.write("in.txt", text), self.path(name)
        self.ok("graph", "convert", first, second, "--quiet", *options)
        listing = ["run", "--pattern", "edge", "--limit", "99", "--quiet"]
        given = [option for option in options if option in ("--ids", "text", "--header", "no")]
        return (sorted(self.ok(*listing, path, *more)) for path, more in ((first, given), (second, read)))

    def test_text_ids_read_back(self):
        for text in ("a b\n", "source target2\ntarget2 x\n", '"a;b" "c|d"\n', '"#a" b\nb "say ""x"""\n'):
            before, after = self.round_trip(text, "out.txt", "--header", "no")
            self.assertEqual(before, after, text)
        before, after = self.round_trip("007 8\n8 x9\n", "out.txt", "--ids", "text", read=("--ids", "text"))
        self.assertEqual(before, after)
        done = self.matcha("graph", "convert", self.write("n.txt", "007 008\n"), self.path("n.el"), "--ids", "text")
        self.assertIn("--ids text", done.stderr.decode())

    def test_a_matrix_names_its_ids_and_labels(self):
        """All values are numbers, as other readers require; comments explain them."""
        edges = self.write("g.csv", 'source,target,label\n"a b",#c,Mr. Hi\n#c,7,likes\n7,"a b",3\n')
        vertices = self.write("v.csv", 'id,label\n"a b","x, y"\n#c,5\nalone,z\n')
        first, second, back = self.path("g.mtg"), self.path("g.mtx.gz"), self.path("h.mtg")
        kept = ["--directed", "--edge-labels", "--quiet"]
        self.ok("graph", "convert", edges, first, "--vertices", vertices, "--id", "id", "--label", "label", *kept)
        self.ok("graph", "convert", first, second, "--quiet")
        self.ok("graph", "convert", second, back, *kept)
        with open(first, "rb") as one, open(back, "rb") as other:
            self.assertEqual(one.read(), other.read())
        with gzip.open(second, "rt") as file:
            text = file.read()
        data = [line.split() for line in text.splitlines() if not line.startswith("%")]
        self.assertEqual(text.splitlines()[:2], ["%%MatrixMarket matrix coordinate integer general", "% matcha-names 1 text"])
        self.assertEqual((data[0], len(data)), (["4", "4", "3"], 4))
        self.assertTrue(all(len(line) == 3 and all(cell.lstrip("-").isdecimal() for cell in line) for line in data))
        for ids in ("-3 4\n4 9\n", "0 1\n1 2\n", "18446744073709551615 1\n", "9 8\n"):
            before, after = self.round_trip(ids, "ids.mtx")
            self.assertEqual(before, after, ids)

    def test_a_damaged_table_of_names_is_an_error(self):
        banner, size = "%%MatrixMarket matrix coordinate integer general\n", "2 2 1\n1 2 -1\n"
        for table, line, says in (
            ("% matcha-names 2 int\n", 2, "version `2`"),
            ("% matcha-names 1 words\n", 2, "`words`"),
            ("% matcha-names 1 text\n% id 1 a\n", 2, "1 ids, and the matrix 2 rows"),
            ("% matcha-names 1 text\n% id 1 b\n% id 2 a\n", 4, "not above"),
            ("% matcha-names 1 text\n% id 2 a\n", 3, "does not follow"),
            ("% matcha-names 1 int 1\n% label 3 x\n", 3, "no row 3"),
            ("% matcha-names 1 int 1\n% edge-label x y\n", 3, "a value"),
            ("% matcha-names 1 int 9223372036854775807\n", 2, "beyond 64 bits"),
        ):
            path = self.write("bad.mtx", banner + table + size)
            self.fails(3, *TRIANGLE, path, says=[f"bad.mtx:{line}:", says])
        # Of other programs such comments are comments.
        self.assertEqual(self.ok("run", "--pattern", "edge", self.write("c.mtx", banner + "% id 9 x\n" + size), "--quiet"), "1\n")
        words = self.write("w.mtx", banner + "% matcha-names 1 int 1\n% edge-label -1 soon\n" + size)
        self.fails(3, "graph", "convert", words, self.path("w.mtg"), "--temporal", says="give them names")

    def test_tables_are_written_by_name(self):
        path = self.write("in.txt", "1 2 likes\n2 3 9\n")
        for name, first in (("out.csv", "source,target,label\n1,2,likes\n"), ("out.tsv", "source\ttarget\tlabel\n1\t2\tlikes\n")):
            out = self.path(name)
            self.ok("graph", "convert", path, out, "--edge-labels", "--header", "no", "--quiet")
            with open(out, encoding="utf-8") as file:
                self.assertTrue(file.read().startswith(first))
            self.assertEqual(self.ok("run", "--pattern", "0-1=likes", out, "--quiet"), "1\n")

    def test_a_written_edge_list_has_no_size_line(self):
        path, out = self.write("hub.txt", "5 2\n5 3\n5 4\n"), self.path("out.txt")
        self.ok("graph", "convert", path, out, "--quiet", "--header", "no", "--directed")
        self.assertEqual(self.ok("run", "--pattern", "edge", out, "--quiet"), "3\n")

    def test_data_that_a_format_cannot_hold_is_an_error(self):
        text = self.write("t.txt", "a b\nb c\n")
        self.fails(3, "graph", "convert", text, self.path("t.graph"), "--header", "no", says="ids that are integers")
        self.assertFalse(os.path.exists(self.path("t.graph")))
        self.fails(2, "graph", "convert", text, self.path("t.gml"), says=["no format that is written", ".csv"])
        labels = self.write("l.txt", '1 "Big Corp"\n2 x\n')
        edges = self.write("e.txt", "1 2\n")
        self.fails(3, "graph", "convert", edges, self.path("l.graph"), "--labels", labels, says="`Big Corp`")
        before, after = self.round_trip("10 20\n20 30\n", "gap.mtx")
        self.assertEqual(before, after)


if __name__ == "__main__":
    cli.main()
