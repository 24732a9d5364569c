"""`matcha doc`, `matcha explain ID`, and running functions of the library."""

import gzip
import json
import re
import shlex

from cli import ROOT, TRIANGLE, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
SPARSE = "tests/graphs/sparse-ids.txt"


class LibraryTest(CliTest):
    def counts(self, path):
        """Triangles of each vertex and of each arc, from the file."""
        neighbours = {}
        for line in (ROOT / path).read_text().splitlines():
            if line and line[0] not in "#%":
                u, v = line.split()[:2]
                if u != v:
                    neighbours.setdefault(u, set()).add(v)
                    neighbours.setdefault(v, set()).add(u)
        by_edge = {(u, v): len(neighbours[u] & neighbours[v]) for u in neighbours for v in neighbours[u]}
        by_vertex = {u: sum(by_edge[u, v] for v in neighbours[u]) // 2 for u in neighbours}
        return by_vertex, by_edge

    def test_rows_have_their_vertices(self):
        for path in (SMALL, SPARSE):
            by_vertex, by_edge = self.counts(path)
            rows = self.ok("run", "std.clique", "--entry", "triangles_by_vertex", path).splitlines()
            self.assertEqual({v: int(n) for v, n in (row.split("\t") for row in rows)}, {**{row.split("\t")[0]: 0 for row in rows}, **by_vertex})
            rows = self.ok("run", "std.clique", "--entry", "triangles_by_edge", path).splitlines()
            self.assertEqual({(u, v): int(n) for u, v, n in (row.split("\t") for row in rows)}, by_edge)

    def test_modules_of_undirected_graphs_refuse_directed_ones(self):
        graph = self.write("graph.txt", "0 1\n1 2\n2 0\n2 3\n3 2\n")
        stored = self.path("graph.mtg")
        self.ok("graph", "convert", "-q", "--directed", graph, stored)
        for module, entry in (("motif", "four_motifs"), ("motif", "houses"), ("clique", "triangles"), ("clique", "triangles_by_edge"),
                              ("cycle", "wedges"), ("orbit", "induced_orbits"), ("listing", "triangles")):
            words = ("run", "-q", f"std.{module}", "--entry", entry)
            self.ok(*words, graph)
            self.fails(2, *words, "--directed", graph, says=["each edge goes both ways", "leave out --directed"])
            self.fails(3, *words, stored, says=["each edge goes both ways", "without --directed"])
        # A graph that the program makes may be anything.
        program = self.write("made.mt", "from std.clique import triangles_in\n\ndef main(g: Graph):\n"
                                        "    return sum(apply(lambda v: triangles_in(mk_graph(arcs(g)), neighbor(g, v)), vertices(g)))\n")
        self.ok("run", "-q", program, "--directed", graph)

    def test_forms(self):
        table = self.path("t.csv.gz")
        self.ok("run", "std.clique", "--entry", "triangles_by_vertex", SMALL, "--matches", table)
        with gzip.open(table, "rt") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "vertex,count")
        self.assertEqual(len(lines), 1 + len(self.ok("run", "std.clique", "--entry", "triangles_by_vertex", SMALL).splitlines()))
        report = json.loads(self.ok("run", "std.clique", "--entry", "triangles_by_vertex", WIKI, "--json"))
        self.assertEqual(sum(count for _, count in report["result"]), 3 * WIKI_TRIANGLES)
        self.assertIn("List<Tuple<int, 2>>", report["signature"])
        # Results other than lists by vertex are unchanged, and so is the list in a file.
        self.assertEqual(self.ok("run", "std.clique", "--entry", "triangles", WIKI).strip(), str(WIKI_TRIANGLES))
        self.assertNotIn("\t", self.ok("run", "stdlib/clique.mt", "--entry", "triangles_by_vertex", SMALL))
        self.assertIn("triangles(g: Graph) -> int", self.ok("check", "std.clique", "--entry", "triangles"))

    def test_errors(self):
        self.fails(2, "run", "std.click", "--entry", "triangles", SMALL, says=["there is no module `std.click`", "`std.clique`"])
        self.fails(2, "run", "std.clique", SMALL, says=["--entry", "matcha doc std.clique"])
        self.fails(1, "run", "std.clique", "--entry", "triangle", SMALL, says="triangle")
        file = self.write("std.clique", "def main(G: Graph) -> int:\n    return 7\n")
        self.assertEqual(self.ok("run", file, SMALL), "7\n")

    def test_doc(self):
        text = self.ok("doc", "std.clique")
        for word in ("std.clique\n  Cliques of a symmetric graph", "\n  triangles_by_vertex(g: Graph) -> List<int>\n",
                     "\n  common(g: Graph, e)\n      The vertices joined to both ends of an edge.\n", "\n# How many hold each vertex"):
            self.assertIn(word, text)
        listing = self.ok("doc")
        modules = {line.split()[0] for line in listing.splitlines()}
        self.assertEqual(modules, {f"std.{path.stem}" for path in (ROOT / "stdlib").glob("*.mt")})
        for module in modules:
            report = json.loads(self.ok("doc", module, "--json"))
            source = (ROOT / "stdlib" / f"{module[4:]}.mt").read_text()
            self.assertEqual([one["name"] for one in report["functions"]], re.findall(r"^def (\w+)", source, re.MULTILINE))
            for one in report["functions"]:
                self.assertTrue(one["signature"].startswith(one["name"] + "("), one)
        one = self.ok("doc", "std.clique", "common")
        self.assertIn("common(g: Graph, e)", one)
        self.assertNotIn("triangles", one.split("\n", 6)[-1])
        mine = self.write("q.mt", '"""About it."""\n\n# For all.\n\ndef f(G: Graph,\n      k: int = 3) -> int:\n    """Gives k.\n\n    Always."""\n    return k\n')
        self.assertEqual(self.ok("doc", mine), f"{mine}\n  About it.\n\n# For all.\n\n  f(G: Graph, k: int = 3) -> int\n      Gives k.\n\n      Always.\n")
        self.fails(2, "doc", "std.clique", "comon", says="`common`")
        self.fails(2, "doc", "std.cliqe", says="`std.clique`")
        self.fails(3, "doc", self.path("absent.mt"), says="absent.mt")
        self.fails(1, "doc", self.write("wrong.mt", "def f(:\n"), says="wrong.mt:1")


class ErrorPages(CliTest):
    def ids(self):
        table = (ROOT / "ir/support/diagnostics.def").read_text()
        return re.findall(r'^MATCHA_DIAGNOSTIC\(\w+, "([^"]+)", "(.*)"\)$', table, re.MULTILINE)

    def test_every_id_has_a_page(self):
        ids = self.ids()
        self.assertGreater(len(ids), 60)
        cases = "".join(path.read_text() for path in (ROOT / "tests/errors").rglob("*.mt"))
        for name, meaning in ids:
            page = self.ok("explain", name)
            self.assertTrue(page.startswith(f"{name}: {meaning}\n\nExample:\n\n    "), page)
            shown, _, mend = page.partition("\nHow to mend it:\n\n")
            self.assertGreater(len(mend), 30, page)
            if f"[{name}]" in cases:
                self.assertIn(f" [{name}]\n", shown)
            else:
                self.assertRegex(shown, r"matcha(-opt)? ")

    def test_examples_that_are_commands(self):
        """Those that need no file of the user's give the error that they are for."""
        tried = 0
        for name, _ in self.ids():
            command = re.search(r"\A.*\n\nExample:\n\n    matcha ((pattern|build examples)[^\n]*)\n", self.ok("explain", name))
            if not command or "PROGRAM" in command[1]:
                continue
            words = shlex.split(command[1])
            done = self.matcha(*words, "--diagnostics=json")
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(f'"{name}"'.encode(), done.stderr + done.stdout, words)
            tried += 1
        self.assertGreaterEqual(tried, 8)

    def test_words(self):
        page = self.ok("explain", "arg-type")
        self.assertIn("\n  error: argument `", page)
        self.assertRegex(page, r"\n +\^+\n  error: ")
        self.assertEqual(self.ok("explain", "[arg-type]"), page)
        self.fails(2, "explain", "arg-typ", says="did you mean `arg-type`?")
        self.fails(3, "explain", self.path("nothing.mt"), says="nothing.mt")
        here = self.write("syntax", (ROOT / TRIANGLE).read_text())
        self.assertIn("as written", self.ok("explain", here))


if __name__ == "__main__":
    main()
