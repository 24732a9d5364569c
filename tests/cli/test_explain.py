"""`matcha explain`: what it says of patterns, and sizes that equal those of a search that shares nothing with the compiler."""

import itertools
import re
import unittest

import cli

SMALL = "tests/graphs/random-20-seed2.txt"
LABELLED = ["tests/graphs/labelled.txt", "--labels", "tests/graphs/labelled.labels.txt"]
NAME, COLUMNS = 48, (18, 18, 12, 18)


def read_graph(path):
    """The neighbours of each vertex, both ways."""
    near = {}
    for line in (cli.ROOT / path).read_text().splitlines():
        if line.strip() and line[0] not in "#%":
            u, v = map(int, line.split()[:2])
            if u != v:
                near.setdefault(u, set()).add(v)
                near.setdefault(v, set()).add(u)
    return near


def sizes(text):
    """The rows of the table of sizes: [depth, name, estimated, actual, mean, kept], figures as text."""
    rows = []
    for line in text.split("\nsizes\n")[1].split("\n\n")[0].splitlines()[1:]:
        if re.match(r"  (estimated|actual|kept): ", line):
            continue
        name, rest = line[2 : 2 + NAME], line[2 + NAME :]
        row = [(len(name) - len(name.lstrip())) // 2, name.strip()]
        for width in COLUMNS:
            row.append(rest[: width + 1].strip())
            rest = rest[width + 1 :]
        rows.append(row)
    return rows


def number(text):
    return int(text.replace(",", ""))


def plan(text):
    """Order and restrictions of the plan that was taken."""
    line = text.split("plans, the first is taken\n")[1].splitlines()[0]
    order, _, restrictions = line.split("x  ", 1)[1].partition(" | ")
    return order.split(), [tuple(one.split(" > ")) for one in restrictions.split(", ") if one]


def partial_matches(near, edges, order, larger, level, labels=None, wanted=None, induced=False):
    """Matches of the first `level` vertices of the order that satisfy the restrictions and have the degrees."""
    names = order[:level]
    degree = {v: sum(v in edge for edge in edges) for v in order}
    vertices = sorted(near)
    found = 0

    def fits(placed, v, image):
        if image in placed.values() or len(near[image]) < degree[v] * (order.index(v) < 2 and level > 0 and not wanted):
            return False
        if wanted and wanted.get(v) is not None and labels[image] != wanted[v]:
            return False
        for u, other in placed.items():
            joined = (u, v) in edges or (v, u) in edges
            if joined != (image in near[other]) and (joined or induced):
                return False
            if ((u, v) in larger and other < image) or ((v, u) in larger and image < other):
                return False
        return True

    def extend(placed):
        nonlocal found
        if len(placed) == len(names):
            found += 1
            return
        v = names[len(placed)]
        for image in vertices:
            if fits(placed, v, image):
                extend({**placed, v: image})

    extend({})
    return found


class Sizes(cli.CliTest):
    def test_a_program_by_hand(self):
        near = read_graph(SMALL)
        lower = {u: sorted(v for v in near[u] if v < u) for u in near}
        walked = [u for u in near if len(lower[u]) >= 2]
        triangles = sum(len(set(lower[u]) & set(lower[v])) for u in near for v in lower[u])
        rows = sizes(self.ok("explain", cli.TRIANGLE, SMALL))
        self.assertEqual([row[0] for row in rows], [0, 1, 2])
        self.assertEqual([number(row[3]) for row in rows], [len(near), sum(len(lower[u]) for u in walked), triangles])
        self.assertEqual([number(row[5]) for row in rows[:2]], [len(walked), sum(len(lower[u]) - 1 for u in walked)])
        mean = sum(len(lower[u]) for u in walked) / len(walked)
        self.assertEqual(rows[1][4], f"{mean:.1f}")
        self.assertEqual(rows[2][5], "")

    def check_pattern(self, pattern, edges, induced, graph, labels=None, wanted=None, path=None):
        text = self.ok("explain", "--pattern", pattern, "--induced", induced, "--algorithm", "extend",
                       "--disable-pass=demand", *(path or [graph]))
        order, larger = plan(text)
        near = read_graph(graph)
        rows = sizes(text)
        loops = [row for row in rows if re.match(r"v\d+ ", row[1])]
        self.assertGreaterEqual(len(loops), len(order) - 2, pattern)
        for level, row in enumerate(loops, 1):
            expected = partial_matches(near, edges, order, larger, level, labels, wanted, induced == "vertex")
            self.assertEqual(number(row[5]), expected, (pattern, induced, row))
            self.assertNotEqual(row[2], "", row)
        total = partial_matches(near, edges, order, larger, len(order), labels, wanted, induced == "vertex")
        given = [row for row in rows if row[1].startswith("add ")]
        self.assertEqual([number(row[3]) for row in given], [total], pattern)
        self.assertRegex(text, rf"\n  result +{total}\n")

    def test_patterns_by_search(self):
        def pairs(*ends):
            return [(f"v{u}", f"v{v}") for u, v in ends]

        for induced in ("edge", "vertex"):
            self.check_pattern("house", pairs((0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3)), induced, SMALL)
            self.check_pattern("clique:4", pairs(*itertools.combinations(range(4), 2)), induced, SMALL)
            self.check_pattern("0-1,1-2,2-3", pairs((0, 1), (1, 2), (2, 3)), induced, SMALL)

    def test_labelled_path(self):
        lines = (cli.ROOT / LABELLED[2]).read_text().splitlines()
        labels = {int(line.split()[0]): line.split()[1] for line in lines if line.strip() and line[0] != "#"}
        first, second = sorted(set(labels.values()))[:2]
        edges = [("v0", "v1"), ("v1", "v2")]
        self.check_pattern(f"0:{first}-1:{second},1-2:{first}", edges, "edge", LABELLED[0], labels,
                           {"v0": first, "v1": second, "v2": first}, LABELLED)

    def test_every_algorithm_adds_up_to_the_count(self):
        for algorithm in ("extend", "join", "decompose"):
            options = ["--pattern", "tailed-triangle", "--induced", "edge", "--algorithm", algorithm, SMALL]
            count = self.ok("run", *options).strip()
            text = self.ok("explain", *options)
            self.assertRegex(text, rf"\n  result +{count}\n")
            given = [number(row[3]) for row in sizes(text) if row[1].startswith("add ")]
            self.assertIn(int(count), [sum(given), given[-1]], algorithm)

    def test_figures_do_not_depend_on_threads_and_splitting(self):
        tables = {str(sizes(self.ok("explain", "--pattern", "diamond", cli.WIKI, "--threads", n))) for n in (1, 2, 7)}
        self.assertEqual(len(tables), 1)

    def test_lists_are_counted_and_not_kept(self):
        text = self.ok("explain", cli.LISTING, SMALL)
        count = int(self.ok("run", "examples/triangle.mt", SMALL))
        self.assertRegex(text, rf"\n  result +{count} items\n")
        self.assertIn(count, [number(row[3]) for row in sizes(text) if row[1].startswith("give ")])

    def test_every_example_has_figures(self):
        for path in sorted((cli.ROOT / "examples").glob("*.mt")):
            text = path.read_text()
            if text.count("Graph") and "vertex_label" not in text and "mk_graph" not in text:
                done = self.matcha("explain", path, SMALL)
                if done.returncode == 2:  # It has parameters that are not bound.
                    continue
                self.assertEqual(done.returncode, 0, (path, done.stderr))
                self.assertIn("\nsizes\n", done.stdout.decode())


class Patterns(cli.CliTest):
    def test_without_a_graph_there_are_estimates(self):
        text = self.ok("explain", "--pattern", "house")
        rows = sizes(text)
        self.assertEqual(rows[0][2], "1,000,000")
        self.assertTrue(all(row[3:] == ["", "", ""] for row in rows))
        self.assertIn("for a typical social network", text)
        self.assertIn("subgraphs, vertex-induced", text)
        self.assertNotIn("this run", text)
        self.assertNotIn("\nsizes\n", self.ok("explain", cli.TRIANGLE).replace("  u in", ""))

    def test_no_run(self):
        text = self.ok("explain", "--pattern", "house", SMALL, "--no-run")
        self.assertEqual(sizes(text)[0][2], "20")
        self.assertIn("for this graph", text)
        self.assertNotIn("this run", text)

    def test_arcs_parts_and_many_vertices(self):
        for pattern in ("0>1,1>2,2>0", "0-1,2-3", "cycle:12", "motif:4", "0-1,1-2,0!2"):
            for algorithm in ("auto", "extend"):
                self.ok("explain", "--pattern", pattern, "--algorithm", algorithm)
        directed = self.ok("explain", "--pattern", "0>1,1>2,2>0", SMALL, "--directed")
        count = self.ok("run", "--pattern", "0>1,1>2,2>0", SMALL, "--directed").strip()
        self.assertRegex(directed, rf"\n  result +{count}\n")

    def test_wrong_uses(self):
        self.fails(2, "explain", says="FILE")
        self.fails(2, "explain", cli.TRIANGLE, SMALL, "--pattern", "house", says="--pattern")
        self.fails(2, "explain", "--pattern", "0>1,1>2", SMALL, says="--directed")
        self.fails(1, "explain", "--pattern", "0-", says="error")
        self.fails(3, "explain", "--pattern", "house", "no-such-file", says="no-such-file")


if __name__ == "__main__":
    cli.main()
