"""`matcha pattern` and `matcha run --pattern`: programs for patterns."""

import itertools
import json
import math
import re
import unittest
import xml.etree.ElementTree as xml

from cli import ROOT, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-12-seed1.txt"
LABELLED = ["tests/graphs/labelled.txt", "--labels", "tests/graphs/labelled.labels.txt"]


class PatternTest(CliTest):
    def test_program_describes_its_count_and_runs(self):
        text = self.ok("pattern", "house")
        for word in ("# Pattern house: 0-1,0-3,0-4,1-2,1-4,2-3", "edge-induced", "subgraphs (each once)", "2 automorphisms",
                     "def house(G: Graph) -> int:"):
            self.assertIn(word, text)
        path = self.write("house.mt", text)
        self.assertEqual(self.ok("run", path, SMALL), self.ok("run", "--pattern", "house", SMALL))

    def test_more_automorphisms_than_64_bits_hold(self):
        # 22 of 24 leaves that are alike: each subgraph has 22! maps.
        def run(leaves, taken, *options):
            lines = [f"v {v} {int(v > 0)}\n" for v in range(leaves + 1)] + [f"e 0 {v}\n" for v in range(1, leaves + 1)]
            star = "0:0-" + ",0-".join(f"{v}:1" for v in range(1, taken + 1))
            return int(self.ok("run", "--pattern", star, self.write("star.graph", "".join(lines)), "--device", "cpu", "--induced", "edge",
                               "--algorithm", "join", *options))

        self.assertEqual(run(24, 22), math.comb(24, 22))
        self.assertEqual(run(24, 22, "--embeddings"), math.perm(24, 22))
        self.assertEqual(run(24, 22, "--limit", "100", "--count"), 100)
        # A limit that is not reached takes as long as there are subsets of the leaves.
        self.assertEqual(run(16, 14, "--limit", "1000", "--count"), math.comb(16, 14))

    def test_programs_have_no_warnings(self):
        for name in ("clique:4", "house", "motif:3", "0>1,1>2,0!2", "0-1,2-3", "0:a-1-2:b", "(x)-[:e]->(G)~(a_b),(v0_1)-(a)",
                     "size-common1-c_a-at_b-_x-x_,def-größe"):
            for options in ([], ["--induced", "vertex"], ["--embeddings"], ["--algorithm", "extend"],
                            ["--algorithm", "decompose"], ["--algorithm", "join"]):
                if self.matcha("pattern", name, *options).returncode == 1:
                    self.assertIn("--algorithm", options)
                    continue
                path = self.write("q.mt", self.ok("pattern", name, *options))
                done = self.matcha("check", path)
                self.assertEqual((done.returncode, done.stderr), (0, b""), (name, options, done.stderr))

    def test_commas_are_no_edges(self):
        errors = self.fails(1, "run", "--pattern", "0,1,1,2,2,0", WIKI, says=["vertex 1 stands here again", "`0-1,1-2,2-0`"])
        self.assertIn("<pattern>:1:5", errors)
        self.fails(1, "pattern", "3;3,4", says="`0,1` are two vertices without one")
        for fine in ("0,1", "0,1,2", "0-1,1,2,2", "0:a,1,0"):
            self.ok("pattern", fine)

    def test_patterns_of_8_vertices(self):
        for name in ("clique:8", "cycle:8", "path:8", "star:8", "wheel:7", "graph6:G?r@`_"):
            self.ok("pattern", name)

    def test_counts(self):
        self.assertEqual(int(self.ok("run", "--pattern", "triangle", WIKI)), WIKI_TRIANGLES)
        self.assertEqual(int(self.ok("run", "--pattern", "triangle", "--embeddings", WIKI)), 6 * WIKI_TRIANGLES)
        self.assertEqual(int(self.ok("run", WIKI, "--pattern", "0-1,1-2,2-0", "--backend", "llvm")), WIKI_TRIANGLES)
        self.assertEqual(int(self.ok("run", "--pattern", "diamond", "--induced", "vertex", WIKI)), 28077125)
        self.assertEqual(int(self.ok("run", "--pattern", "diamond", WIKI)), 40544543)
        for induced, count in (("edge", 421175645), ("vertex", 283932309)):
            self.assertEqual(int(self.ok("run", "--pattern", "tailed-triangle", "--induced", induced, WIKI)), count)
        for induced in ("edge", "vertex"):
            counts = {self.ok("run", "--pattern", "tailed-triangle", "--induced", induced, "--algorithm", algorithm,
                              "tests/graphs/random-20-seed2.txt") for algorithm in ("extend", "join", "decompose")}
            self.assertEqual(len(counts), 1, counts)

    def test_plans_give_one_count(self):
        for name in ("house", "gem"):
            plans = self.ok("pattern", name, SMALL, "--list").splitlines()
            counts = {self.ok("run", "--pattern", name, SMALL, "--plan", str(n + 1)) for n in range(len(plans))}
            self.assertEqual(len(counts), 1, counts)
            for wrong in (["house", "--plan", str(len(plans) + 1)], ["motif:3", "--plan", "2"]):
                done = self.matcha("pattern", *wrong, SMALL)
                self.assertEqual(done.returncode, 1, wrong)
                self.assertIn(b"[pattern-plan]", done.stderr)

    def test_estimates_are_drawn_from_the_graph(self):
        # The last estimate is that of all matches.
        for name, induced, count in (("clique:4", "edge", 2077903), ("tailed-triangle", "vertex", 283932309)):
            text = self.ok("explain", "--pattern", name, "--induced", induced, "--algorithm", "extend", "--no-run", WIKI)
            figures = [int(word.replace(",", "")) for word in re.findall(r"\b[0-9]{1,3}(?:,[0-9]{3})+\b", text.split("\nsizes\n")[1])]
            self.assertTrue(any(0.7 < figure / count < 1.4 for figure in figures), (name, figures))

    def test_plans_for_a_gpu(self):
        cpu, gpu = (self.ok("pattern", "house", SMALL, "--device", device, "--list") for device in ("cpu", "cuda"))
        self.assertNotEqual(cpu, gpu)
        self.assertIn("on a GPU, for a graph of 12 vertices", self.ok("pattern", "house", SMALL, "--device", "cuda"))

    def test_motifs_of_6_vertices(self):
        # A region that is compiled as many functions. Every connected set of six vertices is one of the motifs.
        near = {}
        with open(ROOT / SMALL, encoding="utf-8") as lines:
            for line in lines:
                if line[0] not in "#%":
                    u, v = line.split()[:2]
                    near.setdefault(u, set()).add(v)
                    near.setdefault(v, set()).add(u)

        def connected(vertices):
            seen = {vertices[0]}
            while more := {v for u in seen for v in near[u] & set(vertices)} - seen:
                seen |= more
            return len(seen) == len(vertices)

        counts = [int(line.split()[-1]) for line in self.ok("run", "--pattern", "motif:6", SMALL).splitlines()]
        self.assertEqual(len(counts), 112)
        self.assertEqual(sum(counts), sum(map(connected, itertools.combinations(near, 6))))
        interpreted = self.ok("run", "--pattern", "motif:6", SMALL, "--backend", "interp")
        self.assertEqual(counts, [int(line.split()[-1]) for line in interpreted.splitlines()])

    def test_motifs_of_4_vertices(self):
        self.assertEqual(self.ok("run", "--pattern", "motif:4", WIKI).splitlines(),
                         ["star:4           1127174796", "path:4           1048807458", "tailed-triangle   283932309",
                          "square             23343657", "diamond            28077125", "clique:4            2077903"])
        self.assertEqual(json.loads(self.ok("run", "--pattern", "motif:4", "--induced", "edge", WIKI, "--json"))["result"],
                         {"star:4": 1475572967, "path:4": 1903444290, "tailed-triangle": 421175645, "square": 57654491,
                          "diamond": 40544543, "clique:4": 2077903})

    def test_names_of_motifs(self):
        """Every name is a pattern with that count, and `--list` has it."""
        for size in (3, 5):
            counts = json.loads(self.ok("run", "--pattern", f"motif:{size}", SMALL, "--json"))["result"]
            self.assertEqual(len(counts), {3: 2, 5: 21}[size])
            words = [word for name in counts for word in ("--pattern", name)]
            alone = self.ok("run", *words, "--induced", "vertex", SMALL).splitlines()
            self.assertEqual({line.split()[0]: int(line.split()[1]) for line in alone}, counts)
            listed = self.ok("pattern", f"motif:{size}", "--list").split()
            for name in counts:
                self.assertIn(name, listed)
        done = self.matcha("explain", "--pattern", "motif:3", SMALL)
        for name, count in json.loads(self.ok("run", "--pattern", "motif:3", SMALL, "--json"))["result"].items():
            self.assertRegex(done.stdout.decode(), rf"{name} +{count:,}\n")

    def test_json_and_notes_tell_the_semantics(self):
        answer = json.loads(self.ok("run", "--pattern", "diamond", SMALL, "--json"))
        self.assertEqual(answer["program"], "<pattern>")
        self.assertEqual(answer["pattern"], "pattern diamond: 0-1,0-2,1-2,1-3,2-3; subgraphs, edge-induced "
                         "(--induced vertex: only those without further edges)")
        done = self.matcha("run", "--pattern", "diamond", "--induced", "vertex", "--embeddings", SMALL)
        self.assertIn(b"embeddings, vertex-induced (--induced edge: those with further edges too)", done.stderr)
        done = self.matcha("run", "--pattern", "clique:4", SMALL)
        self.assertIn(b"edge- and vertex-induced alike", done.stderr)
        self.assertIn(b"vertex-induced (--induced edge", self.matcha("run", "--pattern", "motif:3", SMALL).stderr)

    def test_patterns_agree_with_examples(self):
        for name in ("house", "diamond"):
            self.assertEqual(self.ok("run", "--pattern", name, SMALL), self.ok("run", f"examples/{name}.mt", SMALL))

    def test_matches_are_rows_in_the_order_of_the_vertices(self):
        vertex = ["--induced", "vertex"]
        rows = self.ok("run", "--pattern", "0-1,1-2", *vertex, "--matches", "-", SMALL).splitlines()
        count = int(self.ok("run", "--pattern", "0-1,1-2", *vertex, SMALL))
        self.assertEqual(len(rows), count)
        lines = (ROOT / SMALL).read_text().splitlines()
        edges = {tuple(map(int, line.split())) for line in lines if line[0] != "#"}
        edges |= {(v, u) for u, v in edges}
        for row in rows:
            a, b, c = map(int, row.split())
            self.assertTrue((a, b) in edges and (b, c) in edges and (a, c) not in edges, row)
        self.assertEqual(len(self.ok("run", "--pattern", "0-1,1-2", "--limit", "3", SMALL).splitlines()), 3)

    def test_labels(self):
        program = self.ok("pattern", "0-1,1-2", "--labels", "a,,7")
        self.assertIn("vertex_label(G, v0) == 'a'", program)
        self.assertIn("vertex_label(G, v2) == 7", program)
        self.fails(1, "run", "--pattern", "0:redd-1", *LABELLED, says="red")
        self.fails(3, "run", "--pattern", "0:1-1", SMALL, says="label")

    def test_as_many_vertices_as_there_may_be(self):
        graph = self.write("path.txt", "\n".join(f"{v} {v + 1}" for v in range(63)))
        labels = self.write("labels.txt", "\n".join(str(v % 3) for v in range(64)))
        path = "-".join(f"{v}:{v % 3}" for v in range(64))
        with_edges = ["run", "--pattern", path, graph, "--labels", labels]
        self.assertEqual(self.ok(*with_edges), "1\n")
        self.assertEqual(len(self.ok(*with_edges, "--matches", "-").split()), 64)

    def test_induced_patterns_of_many_vertices(self):
        graph = self.write("path.txt", "\n".join(f"{v} {v + 1}" for v in range(31)))
        labels = self.write("labels.txt", "\n".join(str(v % 3) for v in range(32)))
        path = "-".join(f"{v}:{v % 3}" for v in range(32))
        self.assertEqual(len(self.ok("run", "--pattern", path, "--induced", "vertex", "--matches", "-", graph, "--labels",
                                     labels).split()), 32)

    def test_files(self):
        query = self.write("q.graph", "t 3 3\nv 0 0 2\nv 1 0 2\nv 2 0 2\ne 0 1\ne 1 2\ne 0 2\n")
        self.assertIn("vertex_label(G, v0) == 0", self.ok("pattern", query))
        self.assertEqual(int(self.ok("run", "--pattern", query, "--unlabelled", WIKI)), WIKI_TRIANGLES)
        self.assertEqual(int(self.ok("run", "--pattern", self.write("q.g6", "Bw\n"), WIKI)), WIKI_TRIANGLES)
        stmatch = self.write("q.g", "t # 0\nv 0 0\nv 1 0\nv 2 0\ne 0 1 0\ne 0 2 0\n")
        self.assertEqual(self.ok("run", "--pattern", stmatch, SMALL, "--unlabelled"), self.ok("run", "--pattern", "wedge", SMALL))

    def test_edge_lists(self):
        """In a file they are a pattern; weights at the end of a line do not count as the `1` of that format."""
        for text, same in (("0 1\n1 2\n2 0\n", "triangle"), ("# p\n0\t1\n", "0-1"), ("0 1\n1 2\n2 0 1\n", "0-1,1-2,2!0")):
            self.assertEqual(self.ok("run", "--pattern", self.write("p.txt", text), SMALL), self.ok("run", "--pattern", same, SMALL))
        self.fails(1, "run", "--pattern", self.write("p.txt", "0  1 5\n"), SMALL, says=["p.txt:1:6:", "`5`", "[pattern-syntax]"])
        self.fails(1, "pattern", "0 1-2", says="<pattern>:1:2:")
        joined = self.ok("pattern", "0-1,1-2,2:7,3")
        for text in ("0-1 1-2 2:7 3", "3\n0-1-2:7\n", "3 # alone\n0-1 ,1-2 2:7"):
            self.assertEqual(self.ok("pattern", self.write("p.txt", text)), joined, text)

    def test_directed(self):
        graph = self.write("arcs.txt", "0 1\n1 2\n2 0\n1 0\n3 4\n4 5\n5 3\n")
        self.assertEqual(self.ok("run", "--pattern", "0>1>2>0", "--directed", graph), "2\n")
        self.assertEqual(self.ok("run", "--pattern", "0>1>2>0", "--induced", "vertex", "--directed", graph), "1\n")
        self.assertEqual(self.ok("run", "--pattern", "a->b->c->a", "--directed", graph), "2\n")
        self.fails(2, "run", "--pattern", "0>1", graph, says=["arcs", "--directed"])
        self.fails(2, "run", "--pattern", "0-1", "--directed", graph, says="has none")

    def test_graphs_that_keep_arcs_without_being_asked(self):
        """A wrong count otherwise: such a graph has neighbours on one side only."""
        times = self.write("times.txt", "0 1 5\n1 2 5\n2 0 5\n")
        arcs, edges = self.path("arcs.mtg"), self.path("edges.mtg")
        self.ok("graph", "convert", times, arcs, "--directed")
        self.ok("graph", "convert", times, edges)
        for verb in (["run", "--pattern", "triangle"], ["explain", "--pattern", "triangle"], ["pattern", "triangle"]):
            self.fails(2, *verb, arcs, says=["the graph keeps its arcs", "has none"])
            self.assertNotEqual(self.ok(*verb, edges), "")
        self.fails(2, "run", "--pattern", "0-1=5", "--temporal", times, says="the graph keeps its arcs")
        for options in ([], ["--directed"]):
            self.assertEqual(self.ok("run", "--pattern", "0>1>2>0", *options, arcs), "1\n")
        self.assertEqual(self.ok("run", "--pattern", "0>1>2>0", "--in", f"G={arcs}"), "1\n")
        self.assertNotEqual(self.ok("explain", "--pattern", "0>1>2>0", arcs), "")
        self.fails(2, "run", "--pattern", "0>1>2>0", edges, says="the pattern has arcs")
        self.fails(3, "run", "--pattern", "0>1>2>0", "--directed", edges, says=["edges.mtg", "undirected", "--directed"])
        for option in ("--directed", "--temporal"):
            self.fails(3, "graph", "info", edges, option, says=["undirected", option])

    def test_disconnected(self):
        graph = self.write("two.txt", "0 1\n2 3\n4 5\n")
        self.assertEqual(self.ok("run", "--pattern", "0-1,2-3", graph), "3\n")

    def test_list(self):
        lines = self.ok("pattern", "house", "--list", WIKI).splitlines()
        self.assertGreater(len(lines), 1)
        costs = [float(line.split()[1]) for line in lines]
        self.assertEqual(costs, sorted(costs))
        self.assertIn("tailed-triangle", self.ok("pattern", "motif:4", "--list"))

    def test_output_file(self):
        self.ok("pattern", "triangle", "-o", self.path("t.mt"))
        self.assertEqual(int(self.ok("run", self.path("t.mt"), WIKI)), WIKI_TRIANGLES)

    def test_pictures(self):
        svg = xml.fromstring(self.ok("pattern", "0:a>1,1>2=x,0!2", "--svg", "-"))
        kinds = [node.get("class") for node in svg.iter() if node.get("class")]
        self.assertEqual([kinds.count(kind) for kind in ("vertex", "edge", "badge", "rule")], [3, 2, 0, 0])
        self.assertEqual(sorted(node.text for node in svg.iter() if node.get("class") == "label"), ["'a'", "'x'"])
        file = self.path("motifs.svg")
        self.assertEqual(self.ok("pattern", "motif:4", "--svg", file), "")
        titles = [node.text for node in xml.parse(file).getroot().iter() if node.get("class") == "title"]
        self.assertEqual(titles, ["star:4", "path:4", "tailed-triangle", "square", "diamond", "clique:4"])
        self.fails(3, "pattern", "triangle", "--svg", "no/such/folder/a.svg", says="no/such/folder")

    def test_options_of_patterns_mean_nothing_for_programs(self):
        for option in (["--induced", "edge"], ["--embeddings"], ["--algorithm", "join"], ["--plan", "1"], ["--unlabelled"]):
            for verb in ("run", "explain"):
                self.fails(2, verb, "examples/triangle.mt", SMALL, *option, says=[option[0], "requires --pattern"])
        self.fails(2, "run", "--pattern", "", SMALL, says="there is no pattern")

    def test_errors(self):
        self.fails(1, "pattern", "0-1,1-*", says=["<pattern>:1:7: error", "[pattern-syntax]"])
        self.fails(1, "run", "--pattern", "triangel", SMALL, says="did you mean `triangle`?")
        self.fails(1, "run", "--pattern", "motif:3", "--matches", "-", SMALL, says="[pattern-plan]")
        self.fails(1, "pattern", "clique:4", "--algorithm", "decompose", says=["does not fit", "[pattern-plan]"])
        self.fails(1, "pattern", "0>1", "--algorithm", "join", says="does not fit")
        self.fails(1, "pattern", "house", "--algorithm", "decompose", "--matches", says="cannot list")
        self.fails(3, "pattern", self.path("missing.graph"), says="cannot read the pattern")
        self.fails(2, "run", says="FILE is required")
        self.fails(2, "run", "--pattern", "triangle", "q.mt", SMALL, says="leave the program out")
        self.fails(2, "run", "--pattern", "triangle", "q.mt", says="leave the program out")
        self.fails(2, "run", "--pattern", "triangle", says="G")
        query = self.write("long.graph", "\n".join(f"v {v} 0" for v in range(20)) + "\n"
                           + "\n".join(f"e {v} {v + 1}" for v in range(19)))
        self.fails(1, "pattern", query, "--unlabelled", says="[pattern-size]")


if __name__ == "__main__":
    main()
