"""`--matches` and `--limit`: rows in files and pipes, exact limits, nothing half-written."""

import gzip
import itertools
import json
import math
import os
import resource
import subprocess
import unittest
import xml.etree.ElementTree as xml

import cli

GRAPH = "examples/graphs/ca-grqc.txt.gz"
TRIANGLES = 48260
MIXED = """
def most(G: Graph):
    return mk_tuple(val=[max(vertices(G)), 1.0 / size(vertices(G)), size(vertices(G)) == 2])

def main(G: Graph):
    def near(v):
        return apply(lambda w: mk_tuple(val=[v, w / 2.0, w < v, w]), neighbor(G, v))
    return flatten(apply(near, vertices(G)))
"""


class Matches(cli.CliTest):
    def rows(self, path):
        with open(path, encoding="utf-8") as file:
            return [tuple(map(int, line.split("\t"))) for line in file]

    def test_file(self):
        out = self.path("rows.tsv")
        self.assertEqual(self.ok("run", cli.LISTING, GRAPH, "--matches", out), f"{TRIANGLES}\n")
        rows = self.rows(out)
        self.assertEqual(len(rows), TRIANGLES)
        self.assertEqual(len(set(rows)), TRIANGLES)
        self.assertTrue(all(u > v > w for u, v, w in rows))
        self.assertEqual(self.leftovers(), [])
        ordered = [tuple(map(int, line.split("\t"))) for line in self.ok("run", cli.LISTING, GRAPH).splitlines()]
        self.assertEqual(set(ordered), set(rows))

    def test_pairs_without_an_edge_are_alike(self):
        """A pair that is named has no less symmetry than the others, where no pair may have an edge."""
        star = self.write("star.txt", "1 2\n1 3\n1 4\n1 5\n")
        for algorithm in ("join", "extend"):
            args = ["run", "--pattern", "a-b,a-c,a-d,b~c", star, "--induced", "vertex", "--algorithm", algorithm, "--device", "cpu"]
            self.assertEqual(self.ok(*args), "4\n")
            self.assertEqual(len(self.ok(*args, "--matches", "-").splitlines()), 4)

    def test_count_and_exists(self):
        labels = self.write("labels.txt", "".join(f"{v} L{v % 3}\n" for v in range(3112)))
        graph = self.write("graph.txt", "".join(f"{v} {(v + step) % 3112}\n" for v in range(3112) for step in (1, 2, 5)))
        some = ["--pattern", "a:L0-b:L1-c:L2-a", graph, "--labels", labels, "--device", "cpu"]
        every = {name: int(self.ok("run", *some, "--algorithm", name)) for name in ("auto", "join", "extend")}
        self.assertEqual(len(set(every.values())), 1, every)
        for name, total in every.items():
            with self.subTest(algorithm=name):
                args = ["run", *some, "--algorithm", name]
                self.assertEqual(self.ok(*args, "--limit", "7", "--count"), "7\n")
                self.assertEqual(self.ok(*args, "--limit", str(total + 5), "--count"), f"{total}\n")
                self.assertEqual(len(set(self.ok(*args, "--limit", "7").splitlines())), 7)
                self.assertEqual(len(set(self.ok(*args, "--matches", "-").splitlines())), total)
                self.assertEqual(self.ok(*args, "--exists"), "true\n")
                answer = json.loads(self.ok(*args, "--limit", "7", "--count", "--json"))
                self.assertEqual((answer["result"], answer["complete"], answer["stopped_by"]), (7, False, "limit"))
                self.assertEqual(answer["stats"]["backend"], "tiers" if name == "extend" else "search")
                self.assertEqual("parse" in answer["stats"]["compile_ms"], name == "extend")
                answer = json.loads(self.ok(*args, "--exists", "--json"))
                self.assertEqual((answer["result"], answer["complete"]), (True, True))
        none = ["run", "--pattern", "a:L0-b:L0-c:L0-a", graph, "--labels", labels, "--device", "cpu", "--exists"]
        self.assertEqual(self.ok(*none), "false\n")
        self.assertEqual(self.ok(*none, "--algorithm", "extend"), "false\n")
        self.assertEqual(self.ok("run", cli.LISTING, GRAPH, "--limit", "9", "--count"), "9\n")
        self.assertEqual(self.ok("run", cli.LISTING, GRAPH, "--exists"), "true\n")
        self.fails(2, "run", "examples/triangle.mt", GRAPH, "--exists", says="`--exists` is for programs that return a list")
        self.fails(2, "run", cli.LISTING, GRAPH, "--count", says="--limit")

    def test_alike_vertices(self):
        """Patterns with many automorphisms: each subgraph is met once, not once for each of them."""
        def cube(dimensions):
            return [(v, v ^ 1 << i) for v in range(1 << dimensions) for i in range(dimensions) if v < v ^ 1 << i]

        def both(sides):
            return [(f"a{i}", f"b{j}") for i in range(sides) for j in range(sides)]

        def star(leaves):
            return [("h", f"x{i}") for i in range(leaves)]

        def tree(branches):
            return [("h", f"m{i}") for i in range(branches)] + [(f"m{i}", f"x{i}{j}") for i in range(branches) for j in range(3)]

        clique = lambda size: list(itertools.combinations(range(size), 2))
        one = lambda v: "x"
        hub = lambda v: "h" if v == "h" else "x"
        turns = lambda v: "xy"[v % 2]
        cases = [
            (clique(13), clique(13), one, 1, ()),
            (clique(13), clique(15), one, math.comb(15, 13), ("--algorithm", "join")),
            (clique(12), clique(14), turns, math.comb(7, 6) ** 2, ()),
            (clique(12), clique(14), one, math.comb(14, 12), ("--induced", "vertex")),
            (both(6), both(7), one, 7 * 7, ()),
            (both(6), both(6), one, 1, ("--induced", "vertex")),
            (cube(4), cube(4), one, 1, ()),
            (cube(4), cube(5), one, 10, ()),
            (star(20), star(23), hub, math.comb(23, 20), ()),
            (star(20), star(23), hub, math.comb(23, 20), ("--directed",)),
            (star(20), star(22), hub, math.comb(22, 20), ("--directed", "--induced", "vertex")),
            (star(63), star(70), hub, math.comb(70, 63), ()),
            (star(8), star(90), hub, math.comb(90, 8), ("--directed", "--induced", "vertex")),
            (tree(9), tree(9), one, 1, ()),
            (tree(9), tree(9), one, 1, ("--directed",)),
        ]
        for pattern, edges, label, count, more in cases:
            sign = "->" if "--directed" in more else "-"
            text = ",".join(f"(v{u}:{label(u)}){sign}(v{w}:{label(w)})" for u, w in pattern)
            graph = self.write("g.txt", "".join(f"{u} {w}\n" for u, w in edges))
            vertices = {v for edge in edges for v in edge}
            labels = self.write("l.txt", "".join(f"{v} {label(v)}\n" for v in vertices))
            args = ["run", "--quiet", *more, "--pattern", text, graph, "--labels", labels, "--device", "cpu"]
            with self.subTest(pattern=text, options=more):
                self.assertEqual(self.ok(*args), f"{count}\n")
                self.assertEqual(self.ok(*args, "--exists"), "true\n")
                self.assertEqual(self.ok(*args, "--limit", "3", "--count"), f"{min(count, 3)}\n")
                rows = self.ok(*args, "--limit", "2000").splitlines()
                self.assertEqual(len({frozenset(row.split()) for row in rows}), min(count, 2000))

    def drawn(self, *args):
        """The words of each kind in the picture of the matches."""
        out = self.path("matches.svg")
        count = self.ok("run", *args, "--matches", out)
        words, root = {}, xml.parse(out).getroot()
        for node in root.iter():
            words.setdefault(node.get("class"), []).append(node.text)
        return int(count), words, root

    def test_pictures(self):
        edges = self.write("edges.txt", "10 11\n11 12\n12 10\n12 7000001\n")
        count, words, root = self.drawn("--pattern", "triangle", edges)
        self.assertEqual(count, 1)
        self.assertEqual((len(words["vertex"]), len(words["edge"])), (3, 3))
        self.assertEqual(sorted(words["vertex-name"]), ["10", "11", "12"])
        self.assertRegex(root[1].text, r"^Matches: 1[012], 1[012], 1[012]\.$")
        # An id that is too long for its circle stands beside it; with labels, these too.
        labels = self.write("labels.txt", "10 red\n11 blue\n12 red\n7000001 blue\n")
        count, words, _ = self.drawn("--pattern", "0:red-1:blue", edges, "--labels", labels)
        self.assertEqual(count, 3)
        self.assertEqual(sorted(words["vertex-name"]), ["10", "11", "11", "12", "12"])
        self.assertEqual(sorted(words["label"]), ["7000001: blue", "blue", "blue", "red", "red", "red"])

    def test_the_first_matches_are_drawn(self):
        self.assertEqual(self.drawn("--pattern", "triangle", GRAPH)[0], 12)
        count, words, _ = self.drawn("--pattern", "triangle", GRAPH, "--limit", "3")
        self.assertEqual((count, len(words["vertex"])), (3, 9))
        count, words, _ = self.drawn("--pattern", "clique:6", "tests/graphs/star-8.txt")
        self.assertEqual((count, words.get("vertex")), (0, None))
        done = self.matcha("run", "--pattern", "edge", GRAPH, "--matches", self.path("a.svg"))
        self.assertIn(b"12 matches are drawn", done.stderr)

    def test_pictures_are_of_patterns(self):
        self.fails(2, "run", cli.LISTING, GRAPH, "--matches", self.path("a.svg"), says="pattern")
        self.assertEqual(self.leftovers(), [])

    def test_suffixes(self):
        small = "tests/graphs/clique-6.txt"
        texts = {}
        for name in ("rows", "rows.tsv", "rows.txt", "rows.csv"):
            self.ok("run", cli.LISTING, small, "--threads", "1", "--matches", self.path(name))
            with open(self.path(name), encoding="utf-8") as file:
                texts[name] = sorted(file.read().splitlines())
        self.assertEqual(len(texts["rows"]), 20)
        self.assertEqual(texts["rows"], texts["rows.tsv"])
        self.assertEqual(texts["rows"], texts["rows.txt"])
        self.assertEqual([row.replace("\t", ",") for row in texts["rows"]] + ["c0,c1,c2"], texts["rows.csv"])
        for name in ("w.json", "w.json.gz", "w.parquet", "w.gz.csv.xz"):
            self.fails(2, "run", cli.LISTING, small, "--matches", self.path(name), says=[name, ".tsv, .csv, .txt, .ndjson, .npy and .arrow"])
            self.assertFalse(os.path.exists(self.path(name)))

    def test_packed(self):
        # More rows than a block of the packer holds.
        wanted = sorted(self.ok("run", cli.LISTING, GRAPH).splitlines())
        for name in ("r.csv.gz", "r.tsv.gz", "r.txt.gz", "r.gz"):
            self.assertEqual(self.ok("run", cli.LISTING, GRAPH, "--matches", self.path(name)), f"{TRIANGLES}\n")
            with gzip.open(self.path(name), "rt") as file:
                lines = file.read().splitlines()
            if name == "r.csv.gz":
                self.assertEqual(lines.pop(0), "c0,c1,c2")
            self.assertEqual(sorted(line.replace(",", "\t") for line in lines), wanted)
        read = self.write("add.mt", "def f(x: List<int>):\n    return sum(x)\n")
        packed = self.path("r.tsv.zst")
        self.ok("run", cli.LISTING, GRAPH, "--matches", packed)
        with open(packed, "rb") as file:
            self.assertEqual(file.read(4), b"\x28\xb5\x2f\xfd")
        for column in range(3):
            total = sum(int(row.split()[column]) for row in wanted)
            self.assertEqual(int(self.ok("run", read, "--in", f"x={packed}:{column}")), total)
        # Nothing is packed as well, and a stop leaves a whole file.
        for name in ("none.csv.gz", "none.tsv.gz"):
            self.ok("run", cli.LISTING, GRAPH, "--limit", "0", "--matches", self.path(name))
            with gzip.open(self.path(name), "rt") as file:
                self.assertEqual(file.read(), "c0,c1,c2\n" if "csv" in name else "")
        self.assertEqual(self.leftovers(), [])

    def test_headings(self):
        small = "tests/graphs/clique-6.txt"
        for pattern, heading in (("wedge", "v0,v1,v2"), ("7-3,3-20", "v3,v7,v20")):
            out = self.path("rows.csv")
            self.ok("run", "--pattern", pattern, "--induced", "edge", small, "--matches", out)
            with open(out, encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertEqual((lines[0], len(lines)), (heading, 61))
        one = self.write("one.mt", "def f(G: Graph):\n    return vertices(G)\n")
        self.ok("run", one, small, "--matches", self.path("one.csv"), "--limit", "1")
        with open(self.path("one.csv"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"^c0\n\d\n$")

    def test_rows_of_several_types(self):
        # An id of more than 53 bits stays whole beside floats, wherever it is printed.
        graph = self.write("wide.txt", "9007199254740993 2\n")
        program = self.write("mixed.mt", MIXED)
        rows = "2\t4503599627370496.0\tfalse\t9007199254740993\n9007199254740993\t1.0\ttrue\t2\n"
        out = self.path("rows.tsv")
        for backend in ("llvm", "interp"):
            self.assertEqual(self.ok("run", program, graph, "--backend", backend), rows)
            self.ok("run", program, graph, "--backend", backend, "--matches", out)
            with open(out, encoding="utf-8") as file:
                self.assertEqual(file.read(), rows)
            answer = json.loads(self.ok("run", program, graph, "--backend", backend, "--json"))
            self.assertEqual(
                answer["result"], [[2, 4503599627370496.0, False, 9007199254740993], [9007199254740993, 1.0, True, 2]]
            )
            self.assertEqual([[type(cell) for cell in row] for row in answer["result"]], [[int, float, bool, int]] * 2)
            line = self.ok("run", program, graph, "--backend", backend, "--entry", "most")
            self.assertEqual(line, "9007199254740993\t0.5\ttrue\n")
        self.assertIn(
            "List<Tuple<int, float, bool, int>>", json.loads(self.ok("run", program, graph, "--json"))["signature"]
        )

    def test_standard_output(self):
        done = self.matcha("run", cli.LISTING, GRAPH, "--matches", "-")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout.splitlines()), TRIANGLES)
        self.assertIn(f"{TRIANGLES} matches".encode(), done.stderr)

    def test_json(self):
        out = self.path("rows.tsv")
        answer = json.loads(self.ok("run", cli.LISTING, GRAPH, "--matches", out, "--json"))
        self.assertEqual((answer["result"], answer["complete"], answer["matches"]), (TRIANGLES, True, out))

    def test_exact_limit(self):
        small = "tests/graphs/clique-6.txt"
        for backend, threads, graph, total in (
            ("llvm", "1", GRAPH, TRIANGLES), ("llvm", "2", GRAPH, TRIANGLES), ("interp", "1", small, 20)
        ):
            for limit in (0, 1, 7, total - 1, total, total + 1)[:: cli.fewer(1, 2)]:
                out = self.path("rows.tsv")
                wanted = min(limit, total)
                options = ["--limit", limit, "--threads", threads, "--backend", backend]
                text = self.ok("run", cli.LISTING, graph, "--matches", out, *options)
                self.assertEqual(text, f"{wanted}\n")
                self.assertEqual(len(set(self.rows(out))), wanted)
                if threads == "1":
                    self.assertEqual(len(self.ok("run", cli.LISTING, graph, *options).splitlines()), wanted)

    def test_limit_in_json(self):
        answer = json.loads(self.ok("run", cli.LISTING, GRAPH, "--limit", "5", "--json"))
        self.assertEqual(len(answer["result"]), 5)
        self.assertEqual((answer["complete"], answer["stopped_by"]), (False, "limit"))
        answer = json.loads(self.ok("run", cli.LISTING, "tests/graphs/clique-6.txt", "--limit", "50", "--json"))
        self.assertEqual((len(answer["result"]), answer["complete"]), (20, True))

    def test_file_that_cannot_be_written(self):
        self.fails(3, "run", cli.LISTING, GRAPH, "--matches", str(self.folder), says="directory")
        self.fails(3, "run", cli.LISTING, GRAPH, "--matches", self.path("no/such/folder"), says="No such file")

    def test_failure_leaves_the_old_file(self):
        out = self.write("rows.tsv", "precious\n")
        program = self.write(
            "q.mt", "def f(G: Graph, d: int):\n    return apply(lambda v: v / d, vertices(G))\n"
        )
        self.fails(4, "run", program, GRAPH, "--param", "d=0", "--matches", out, says="division by zero")
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious\n")
        self.assertEqual(self.leftovers(), [])

    def test_closed_standard_output(self):
        out = self.path("rows.tsv")
        command = [cli.MATCHA, "run", cli.LISTING, GRAPH, "--matches", out]
        done = subprocess.run(
            ["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment(),
            timeout=cli.LIMIT_S, check=False,
        )
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write standard output", done.stderr)
        self.assertEqual(len(self.rows(out)), TRIANGLES)

    def test_links_and_devices(self):
        target = self.write("target.tsv", "old\n")
        os.symlink(target, self.path("link.tsv"))
        self.ok("run", cli.LISTING, GRAPH, "--matches", self.path("link.tsv"))
        self.assertTrue(os.path.islink(self.path("link.tsv")))
        self.assertEqual(len(self.rows(target)), TRIANGLES)
        self.ok("run", cli.LISTING, GRAPH, "--matches", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))

    @unittest.skipIf(os.environ.get("MATCHA_SANITIZE"), "sanitizers keep freed memory")
    def test_memory_does_not_grow_with_the_matches(self):
        # 90,000 rows and 9,000,000 rows: the larger run may not take the room of its rows (72 MB as pairs of ints).
        program = self.write("q.mt", cli.PAIRS)
        sizes = []
        for side in (300, 3000):
            graph = self.generate(f"g{side}.mtg", "path", "-n", side)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            text = self.ok("run", program, graph, "--matches", "/dev/null")
            self.assertEqual(int(text), side * side)
            sizes.append(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
        self.assertLess(sizes[1] - sizes[0], 40 * 1024)


if __name__ == "__main__":
    cli.main()
