"""Motifs and sets of patterns that are counted together by identities, without a program."""

import csv
import functools
import itertools
import json
import random
import unittest
from cli import ROOT, SANITIZED, WIKI, CliTest, main

SMALL = "tests/graphs/random-12-seed1.txt"
SHARED = ROOT.parent / "shared"


@functools.cache
def key_of(size, edges, root):
    """A key that a graph of `size` vertices and one of its edges share with all that are isomorphic."""
    return size, min(
        (tuple(sorted(tuple(sorted((place[u], place[v]))) for u, v in edges)), tuple(sorted((place[root[0]], place[root[1]]))))
        for place in itertools.permutations(range(size))
    )


def is_connected(size, edges):
    reached = {0}
    for _ in range(size):
        reached.update(v for edge in edges if reached & set(edge) for v in edge)
    return len(reached) == size


def orbits_of_edges():
    """The names of the table in docs/motifs.md, by keys of the pattern and the edge."""
    found = {}
    for line in (ROOT / "docs" / "motifs.md").read_text().split("| ORCA |")[1].splitlines()[2:]:
        _, names, pattern, roots = (cell.strip() for cell in line.strip("| ").split(" | "))
        walks = [[ord(letter) - ord("a") for letter in walk.split("-")] for walk in pattern.strip("`").split(", ")]
        edges = frozenset((min(step), max(step)) for walk in walks for step in zip(walk, walk[1:]))
        for name, root in zip(names.split(", "), roots.split(", "), strict=True):
            found[key_of(1 + max(map(max, edges)), edges, (ord(root[0]) - ord("a"), ord(root[2]) - ord("a")))] = name.strip("`")
    return found


class MotifsTest(CliTest):
    def test_directed_motifs(self):
        arcs = self.write("arcs.txt", "0 1\n1 2\n2 0\n2 3\n3 2\n")
        asked = ("run", "--quiet", "--directed", "--pattern")
        three = dict(line.split() for line in self.ok(*asked, "directed-motif:3", arcs).splitlines())
        self.assertEqual(len(three), 13)
        self.assertEqual({name: count for name, count in three.items() if count != "0"}, {"030C": "1", "111U": "1", "111D": "1"})
        four = dict(line.split() for line in self.ok(*asked, "directed-motif:4", arcs).splitlines())
        self.assertEqual(len(four), 199)
        [(name, count)] = [(name, count) for name, count in four.items() if count != "0"]
        self.assertEqual((count, self.ok(*asked, name, arcs, "--induced", "vertex").strip()), ("1", "1"))
        by_edges = dict(line.split() for line in self.ok(*asked, "directed-motif:3", arcs, "--induced", "edge").splitlines())
        for name, text in (("021D", "a<-b->c"), ("021C", "a->b->c"), ("201", "a->b->a,b->c->b")):
            self.assertEqual(by_edges[name], self.ok(*asked, text, arcs).strip(), name)
        self.fails(2, "run", "--directed", "--pattern", "motif:3", arcs, says="directed-motif:3")
        self.fails(2, "run", "--pattern", "directed-motif:3", arcs, says="--directed")
        self.fails(1, "run", "--directed", "--pattern", "directed-motif:3", arcs, "--per", "vertex", says="[pattern-plan]")
        self.fails(1, "run", "--directed", "--pattern", "directed-motif:5", arcs, says="2 to 4")

    def test_edges_that_differ(self):
        """A pattern alone may be counted by others; all motifs have their own counts."""
        for size in (3, 4):
            counts = dict(line.split() for line in self.ok("run", "--quiet", "--pattern", f"motif:{size}", SMALL, "--match", "edge").splitlines())
            self.assertEqual(len(counts), {3: 2, 4: 6}[size])
            for name, count in counts.items():
                alone = self.ok("run", "--quiet", "--pattern", name, SMALL, "--match", "edge", "--algorithm", "extend")
                self.assertEqual(alone.strip(), count, name)

    def test_one_pattern(self):
        """Planning a program of five vertices takes longer than identities, also of a small graph; one of three does not."""
        for pattern, graph, backend in (("house", WIKI, "identities"), ("house", SMALL, "identities"), ("triangle", SMALL, "tiers")):
            words = ("run", "--pattern", pattern, graph, "--device", "cpu", "--json", "-q")
            answer = json.loads(self.ok(*words))
            self.assertEqual(answer["stats"]["backend"], backend)
            program = json.loads(self.ok(*words, "--algorithm", "extend"))
            self.assertEqual((answer["result"], program["stats"]["backend"]), (program["result"], "tiers"))

    def test_as_programs(self):
        """The same numbers as the programs of the patterns, which enumerate."""
        random.seed(25)
        edges = {(u, v) for u in range(40) for v in range(u) if random.random() < (0.9 if v == 0 else 0.15)}
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        for options in ([], ["--induced", "edge"], ["--embeddings"], ["--threads", "2", "--simd", "scalar"]):
            for size in (4, 5):
                common = ("run", "--pattern", f"motif:{size}", graph, "--device", "cpu", "--json", *options)
                together = json.loads(self.ok(*common))
                alone = json.loads(self.ok(*common, "--algorithm", "extend"))
                self.assertEqual(together["stats"]["backend"], "identities")
                self.assertNotIn("parse", together["stats"]["compile_ms"], "no program is read to know what it gives")
                self.assertNotEqual(alone["stats"]["backend"], "identities")
                self.assertEqual(together["result"], alone["result"], (options, size))
        words = ("--pattern", "house", "--pattern", "a-b-c-d-e-a", "--pattern", "gem", "--pattern", "edge", "--pattern", "path:6")
        lines = [json.loads(line) for line in self.ok("run", *words, graph, "--device", "cpu", "--json").splitlines()]
        self.assertEqual([one["stats"]["backend"] for one in lines[:3]], ["identities"] * 3)
        self.assertNotIn("identities", [one["stats"]["backend"] for one in lines[3:]])
        self.assertEqual([len(one["stats"].get("run_ms", [])) > 0 for one in lines[:3]], [True, False, False])
        for name, one in zip(words[1::2], lines):
            self.assertEqual(str(one["result"]), self.ok("run", "--pattern", name, graph, "--device", "cpu").strip())
        for options in (["--tier", "native"], ["--backend", "interp"], ["--algorithm", "decompose"]):
            answer = json.loads(self.ok("run", "--pattern", "motif:4", SMALL, "--json", "--device", "cpu", *options))
            self.assertNotEqual(answer["stats"]["backend"], "identities")
        explained = ("explain", "--pattern", "motif:4", SMALL)
        self.assertIn("as it runs, by the engine `identities`", self.ok(*explained))
        self.assertIn("identities on a CPU", self.ok(*explained, "--html", "-"))

    def test_programs_that_count_patterns_are_not_compiled(self):
        """The loops are analysed, and their passes for a CPU run only if the loops do."""
        for words in (["examples/house.mt"], ["std.motif", "--entry", "five_cycles"]):
            stats = json.loads(self.ok("run", *words, WIKI, "--json", "--device", "cpu"))["stats"]
            self.assertEqual(stats["engine"], "patterns")
            self.assertFalse({"passes", "tiers", "llvm"} & stats["compile_ms"].keys(), stats["compile_ms"])

    def test_engines_that_refuse(self):
        for engine, why in (("search", "a search matches one pattern"), ("messages", "messages match one pattern"),
                            ("parts", "the graph is in memory")):
            says = f"`--engine {engine}` does not answer this: {why}"
            for verb in ("run", "explain", "bench"):
                self.fails(2, verb, "--pattern", "motif:4", SMALL, "--engine", engine, says=says)
        self.fails(2, "explain", "--pattern", "motif:4", "--engine", "program", says="give a graph")
        self.fails(2, "explain", "--pattern", "motif:4", SMALL, "--json", "--dot", says="`--json`")

    def test_orbits(self):
        """The rows compared with the counts of the patterns, in all formats."""
        random.seed(26)
        edges = {(u, v) for u in range(30) for v in range(u) if random.random() < 0.3}
        graph = self.write("g.txt", "".join(f"{u + 100} {v + 100}\n" for u, v in edges))
        common = ("run", "--pattern", "motif:4", graph)
        motifs = json.loads(self.ok(*common, "--json"))["result"]
        text = self.ok(*common, "--per", "vertex").splitlines()
        names = text[0].split("\t")
        self.assertEqual((len(names), names[:3], names[-1]), (16, ["vertex", "edge", "wedge-end"], "clique4"))
        rows = [[int(cell) for cell in line.split("\t")] for line in text[1:]]
        self.assertEqual([row[0] for row in rows], sorted({v + 100 for edge in edges for v in edge}))
        sums = dict(zip(names, map(sum, zip(*rows))))
        self.assertEqual(sums["edge"], 2 * len(edges))
        places = {"path:4": "path4", "star:4": "star4", "square": "square", "diamond": "diamond", "clique:4": "clique4",
                  "tailed-triangle": "tailed-triangle"}
        for name, count in motifs.items():
            self.assertEqual(sum(total for place, total in sums.items() if place.startswith(places[name])), 4 * count, name)
        for induced, wanted in (("vertex", rows), ("edge", None)):
            answer = json.loads(self.ok(*common, "--per", "vertex", "--induced", induced, "--json"))
            self.assertEqual((answer["columns"], answer["complete"], answer["stats"]["backend"]), (names, True, "identities"))
            self.assertEqual(answer["result"] == rows, wanted == rows)
        by_edge = self.ok(*common, "--per", "edge").splitlines()
        self.assertEqual(by_edge[0].split("\t")[:3], ["u", "v", "edge"])
        self.assertEqual({(int(line.split()[1]) - 100, int(line.split()[0]) - 100) for line in by_edge[1:]}, edges)
        file = self.path("rows.csv")
        self.assertEqual(self.ok(*common, "--per", "vertex", "--matches", file), f"{len(rows)}\n")
        with open(file, newline="") as written:
            self.assertEqual(list(csv.reader(written)), [names] + [[str(cell) for cell in row] for row in rows])
        lines = self.path("rows.ndjson")
        self.ok(*common, "--per", "vertex", "--limit", "5", "--matches", lines)
        with open(lines) as written:
            self.assertEqual([list(json.loads(line).values()) for line in written], rows[:5])
        five = self.ok("run", "--pattern", "motif:5", graph, "--per", "vertex").splitlines()
        names = five[0].split("\t")
        self.assertEqual((len(names), names[16], names[-1]), (74, "path5-end", "clique5"))
        self.assertEqual([line.split("\t")[:16] for line in five], [line.split("\t") for line in text])
        sums = dict(zip(names, map(sum, zip(*([int(cell) for cell in line.split("\t")] for line in five[1:])))))
        motifs = json.loads(self.ok("run", "--pattern", "motif:5", graph, "--json"))["result"]
        for name in ("fork", "bull", "lollipop", "banner", "cricket", "house", "gem", "bowtie", "kite", "dart"):
            self.assertEqual(sum(total for place, total in sums.items() if place.startswith(name)), 5 * motifs[name], name)
        three = self.ok("run", "--pattern", "motif:3", graph, "--per", "vertex", "--threads", "2").splitlines()
        self.assertEqual([line.split("\t")[:3] for line in three], [line.split("\t")[:3] for line in text])
        words = self.write("w.txt", "ann bob\nbob cid\ncid ann\n")
        self.assertIn("ann\t2\t0\t0\t1", self.ok("run", "--pattern", "motif:3", words, "--per", "vertex", "--induced", "vertex"))

    def test_orbits_of_edges(self):
        """Every orbit of the table in the manual against all sets of 2 to 5 vertices, and against the motifs of the graph."""
        orbits = orbits_of_edges()
        names = ["u", "v", "edge", *orbits.values()]
        self.assertEqual((len(orbits), len(names)), (68, 71))
        random.seed(49)
        for vertices, density in ((12, 0.3), (11, 0.5), (10, 0.8)):
            edges = sorted((u, v) for v in range(vertices) for u in range(v) if random.random() < density)
            graph = self.write("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
            wanted = {edge: dict.fromkeys(names[2:], 0) | {"edge": 1} for edge in edges}
            for size in (3, 4, 5):
                for chosen in itertools.combinations(range(vertices), size):
                    inside = [(i, j) for i, j in itertools.combinations(range(size), 2) if (chosen[i], chosen[j]) in wanted]
                    if not is_connected(size, inside):
                        continue
                    for i, j in inside:
                        wanted[chosen[i], chosen[j]][orbits[key_of(size, frozenset(inside), (i, j))]] += 1
            rows = [[*edge, *counts.values()] for edge, counts in wanted.items()]
            for threads in ("1", "2"):
                found = json.loads(self.ok("run", "--pattern", "motif:5", graph, "--per", "edge", "--json", "--threads", threads))
                self.assertEqual((found["columns"], found["stats"]["backend"]), (names, "identities"))
                self.assertEqual(found["result"], rows)
            motifs = json.loads(self.ok("run", "--pattern", "motif:5", graph, "--json"))["result"]
            sums = dict(zip(names, map(sum, zip(*rows))))
            for name, size in (("fork", 4), ("bull", 5), ("cricket", 5), ("house", 6), ("gem", 7), ("bowtie", 6), ("kite", 6), ("dart", 6)):
                total = sum(number for orbit, number in sums.items() if orbit.startswith(name))
                self.assertEqual(total, size * motifs[name], name)

    def test_orbits_that_cannot_be_counted(self):
        per = ("--per", "vertex", SMALL)
        for pattern in ("motif:6", "diamond", "a-b-c"):
            self.fails(1, "run", "--pattern", pattern, *per, says=["[pattern-plan]", "motif:5"])
        self.fails(1, "run", "--pattern", "motif:6", "--per", "edge", SMALL, says=["[pattern-plan]", "each of the edges", "motif:5"])
        self.fails(1, "run", "--pattern", "motif:4", "--embeddings", *per, says="[pattern-plan]")
        self.fails(2, "run", "--pattern", "motif:4", *per, "--tune", says="--tune")
        for options in (["--backend", "interp"], ["--device", "cuda"], ["--tier", "native"], ["--exists"], ["--verify"]):
            self.fails(2, "run", "--pattern", "motif:4", *per, *options, says="--per")
        self.fails(2, "run", "--pattern", "motif:4", "--pattern", "motif:3", *per, says="--per")
        self.fails(2, "run", "examples/triangle.mt", *per, says="--per")
        self.fails(2, "run", "--pattern", "motif:4", *per, "--directed", says="arcs")

    def test_stops(self):
        random.seed(1)
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u in range(900) for v in range(u) if random.random() < 0.5))
        common = ("run", "--pattern", "motif:5", graph, "--device", "cpu", "--threads", "1")
        answer = json.loads(self.timed_out(*common, "--json", began=lambda done: done.stdout).stdout)
        self.assertEqual((answer["result"], answer["complete"], answer["stopped_by"]), (None, False, "timeout"))
        self.assertEqual(self.timed_out(*common, began=lambda done: b"edge list" in done.stderr).stdout, b"")

    @unittest.skipUnless((SHARED / "ground_truth.csv").exists(), "the table of known counts is not there")
    def test_known_counts(self):
        with open(SHARED / "ground_truth.csv", newline="") as file:
            known = [row for row in csv.DictReader(file) if "6" not in row["pattern"] and "7" not in row["pattern"]]
        for graph in ("ca-grqc", "road-ny", "wikivote"):
            for induced in ("edge", "vertex"):
                rows = [row for row in known if (row["graph"], row["induced"]) == (graph, induced)]
                self.assertEqual(len(rows), 28)
                words = [word for row in rows for word in ("--pattern", row["edges"].replace(";", ","))]
                path = str(SHARED / "data" / f"{graph}.txt.gz")
                lines = self.ok("run", *words, path, "--induced", induced, "--device", "cpu", "--json").splitlines()
                answers = [json.loads(line) for line in lines]
                self.assertLessEqual({one["stats"]["backend"] for one in answers}, {"identities", "cliques"})
                for row, one in zip(rows, answers):
                    self.assertEqual(one["result"], int(row["count"]), (graph, row["pattern"], induced))

    @unittest.skipIf(SANITIZED, "compiling takes too long under sanitizers")
    def test_timeout_in_a_large_program(self):
        # Its region is compiled as many functions, which end one another.
        def began(done):
            """Compiled code was walking the graph."""
            stats = json.loads(done.stdout)["stats"] if done.stdout else {}
            return "native" in (stats.get("tier") or "") and stats["positions_total"] > 0

        done = self.timed_out("run", "--pattern", "motif:6", WIKI, "--device", "cpu", "--json", first=4, began=began)
        self.assertTrue(began(done), done.stdout)
        self.assertIsNone(json.loads(done.stdout)["result"])  # None of its sums is a result before all are.
        self.assertIn(b"stopped by --timeout before there was a result", done.stderr)


if __name__ == "__main__":
    main()
