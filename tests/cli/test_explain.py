"""`matcha explain`: what it says of patterns, and pictures and pages that are well-formed, and
sizes that equal those of a search that shares nothing with the compiler."""

import itertools
import json
import re
import unittest
import xml.etree.ElementTree as xml

import cli

SMALL = "tests/graphs/random-20-seed2.txt"
LABELLED = ["tests/graphs/labelled.txt", "--labels", "tests/graphs/labelled.labels.txt"]
NAME, COLUMNS = 44, (18, 10, 18, 10, 18)


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
    """The rows of the table of sizes: [depth, name, estimated, its mean, actual, its mean, kept], figures as text."""
    rows = []
    for line in text.split("\nsizes\n")[1].split("\n\n")[0].splitlines()[1:]:
        if re.match(r"  (Estimated|Actual|Mean|Kept): ", line):
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
        self.assertEqual([number(row[4]) for row in rows], [len(near), sum(len(lower[u]) for u in walked), triangles])
        self.assertEqual([number(row[6]) for row in rows[:2]], [len(walked), sum(len(lower[u]) - 1 for u in walked)])
        mean = sum(len(lower[u]) for u in walked) / len(walked)
        self.assertEqual(rows[1][5], f"{mean:.1f}")
        self.assertEqual(rows[2][6], "")

    def check_pattern(self, pattern, edges, induced, graph, labels=None, wanted=None, path=None):
        text = self.ok("explain", "--pattern", pattern, "--induced", induced, "--algorithm", "extend",
                       "--disable-pass=prune-by-degree", *(path or [graph]))
        order, larger = plan(text)
        near = read_graph(graph)
        rows = sizes(text)
        loops = [row for row in rows if re.match(r"v\d+ ", row[1])]
        self.assertGreaterEqual(len(loops), len(order) - 2, pattern)
        # The program may choose which of the last two vertices it walks, each time.
        chooses = any(row[1].endswith(" to chosen") for row in rows)
        if chooses:
            self.assertEqual(len(loops), len(order), pattern)
            del loops[-2:]
        for level, row in enumerate(loops, 1):
            expected = partial_matches(near, edges, order, larger, level, labels, wanted, induced == "vertex")
            self.assertEqual(number(row[6]), expected, (pattern, induced, row))
            self.assertNotEqual(row[2], "", row)
        total = partial_matches(near, edges, order, larger, len(order), labels, wanted, induced == "vertex")
        given = [row for row in rows if row[1].startswith("add ")]
        self.assertEqual([number(row[4]) for row in given][-1 if chooses else 0:], [total], pattern)
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
            options += ["--engine", "program"]
            text = self.ok("explain", *options)
            self.assertRegex(text, rf"\n  result +{count}\n")
            given = [number(row[4]) for row in sizes(text) if row[1].startswith("add ")]
            self.assertIn(int(count), [sum(given), given[-1]], algorithm)

    def test_figures_do_not_depend_on_threads_and_splitting(self):
        tables = {str(sizes(self.ok("explain", "--pattern", "diamond", cli.WIKI, "--threads", n, "--engine", "program"))) for n in (1, 2, 7)}
        self.assertEqual(len(tables), 1)

    def test_lists_are_counted_and_not_kept(self):
        text = self.ok("explain", cli.LISTING, SMALL)
        count = int(self.ok("run", "examples/triangle.mt", SMALL))
        self.assertRegex(text, rf"\n  result +{count} items\n")
        self.assertIn(count, [number(row[4]) for row in sizes(text) if row[1].startswith("give ")])

    def test_every_example_has_figures(self):
        for path in sorted((cli.ROOT / "examples").glob("*.mt")):
            text = path.read_text()
            if text.count("Graph") and "vertex_label" not in text and "mk_graph" not in text:
                done = self.matcha("explain", path, SMALL, "--engine", "program")
                if done.returncode == 2:  # It has parameters that are not bound.
                    continue
                self.assertEqual(done.returncode, 0, (path, done.stderr))
                self.assertIn("\nsizes\n", done.stdout.decode())


class Patterns(cli.CliTest):
    def test_without_a_graph_there_are_estimates(self):
        text = self.ok("explain", "--pattern", "house")
        rows = sizes(text)
        self.assertEqual(rows[0][2], "1,000,000")
        self.assertTrue(all(row[4:] == ["", "", ""] for row in rows))
        self.assertIn("for a typical social network", text)
        self.assertIn("subgraphs, edge-induced (--induced vertex", text)
        self.assertNotIn("this run", text)
        self.assertNotIn("\nsizes\n", self.ok("explain", cli.TRIANGLE).replace("  u in", ""))

    def test_no_run(self):
        text = self.ok("explain", "--pattern", "house", SMALL, "--no-run", "--engine", "program")
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

    def test_sample(self):
        options = ["--pattern", "diamond", "--induced", "edge", cli.WIKI, "--engine", "program"]
        self.assertEqual(sizes(self.ok("explain", *options, "--sample", "1")), sizes(self.ok("explain", *options)))
        text = self.ok("explain", *options, "--sample", "10")
        walked = sum(1 for i in range(7115) if i % 10 == 5)
        self.assertRegex(text, rf"\n  v\d in vertices of G .* {10 * walked:,} ")
        self.assertIn("One in 10 of the outermost positions", text)
        self.assertNotIn("\n  result", text)
        # Steps with dependents are walked in full: the arcs backwards.
        arcs = self.ok("explain", "--pattern", "0>1,1>2,2>0", "--directed", cli.WIKI, "--sample", "10")
        self.assertIn(f" {10 * walked:,} ", arcs)
        self.assertRegex(arcs, r"\n  \S+, \S+ in edges of G .* 103,689 |\n  \S+ in vertices of G .* 7,115 ")

    def test_timeout(self):
        # However slow the machine is, one of the two.
        done = self.matcha("explain", self.write("slow.mt", cli.SLOW), cli.WIKI, "--timeout", "4")
        self.assertEqual(done.returncode, 124, done.stderr)
        if done.stdout:
            self.assertIn(b"partial", done.stdout)
            self.assertIn(b"stopped by --timeout after", done.stdout)
            self.assertIn(b"partial result: stopped by --timeout", done.stderr)
        else:
            self.assertIn(b"stopped by --timeout before there was a result", done.stderr)

    def test_other_runs(self):
        """The decision and the plan of runs on a GPU, of a part of a run and with a limit of memory, which are not
        made; and the answer of orbits."""
        def chosen(text):
            return re.search(r"^ \* (\S+ on a \S+)", text, re.M).group(1)

        on_gpu = self.ok("explain", "--pattern", "house", SMALL, "--device", "cuda")
        self.assertEqual("program on a GPU", chosen(on_gpu))
        self.assertIn("schedule-regions", on_gpu)
        self.assertNotIn("\nthis run", on_gpu)
        self.assertIn("map-lanes", self.ok("explain", "--pattern", "house", "--device", "cuda"))

        orbits = self.ok("explain", "--pattern", "motif:4", "--per", "vertex", SMALL)
        self.assertEqual("identities on a CPU", chosen(orbits))
        self.assertRegex(orbits, r"\n  result +20 items\n")

        shard = self.ok("explain", "--pattern", "motif:4", SMALL, "--shard", "0/4")
        self.assertEqual("program on a CPU", chosen(shard))
        self.assertRegex(shard, r"\n   identities on a CPU +processes share the loops of a program\n")
        self.assertNotIn("\nthis run", shard)

        graph = f"{self.folder}/wiki.mtg"
        self.ok("graph", "convert", cli.WIKI, graph)
        parts = self.ok("explain", "--pattern", "triangle", graph, "--memory", "400K")
        self.assertEqual("parts on a CPU", chosen(parts))
        self.assertRegex(parts, r"\n   search on a CPU +the graph takes .* more than `--memory` allows\n")

        self.fails(2, "explain", "--pattern", "motif:4", "--per", "vertex", says="`--per` is about a graph")
        self.fails(2, "explain", cli.TRIANGLE, SMALL, "--sample", "5", "--device", "cuda", says="--sample")

    def test_wrong_uses(self):
        self.fails(2, "explain", cli.TRIANGLE, SMALL, "--sample", "5", "--no-run", says="--sample")
        self.fails(2, "explain", cli.TRIANGLE, SMALL, "--sample", "0")

        self.fails(2, "explain", says="FILE")
        self.fails(2, "explain", cli.TRIANGLE, SMALL, "--pattern", "house", says="--pattern")
        self.fails(2, "explain", "--pattern", "0>1,1>2", SMALL, says="--directed")
        self.fails(1, "explain", "--pattern", "0-", says="error")
        self.fails(3, "explain", "--pattern", "house", "no-such-file", says="no-such-file")


SVG = "{http://www.w3.org/2000/svg}"
# Pattern, vertices, edges, pairs that must not be adjacent.
DRAWN = (
    ("triangle", 3, 3, 0),
    ("house", 5, 6, 0),
    ("0:a-1:'b <&> \"c\"'-2:17-3", 4, 3, 0),
    ("0>1,1>2,2>3,3>0", 4, 4, 0),
    ("0-1,1-2,2-3,3-0,0!2", 4, 4, 1),
    ("cycle:12", 12, 12, 0),
    ("clique:6", 6, 15, 0),
    ("0-1,2-3-4-2", 5, 4, 0),
    ("123456789012345678-7", 2, 1, 0),
    ("5", 1, 0, 0),
)


def of_class(root, name):
    return [node for node in root.iter() if name in node.get("class", "").split()]


def texts(root, name):
    return [node.text for node in of_class(root, name)]


class Pictures(cli.CliTest):
    def check_described(self, svg):
        """Title and description are there, and named by the picture."""
        self.assertEqual(svg.get("role"), "img")
        title, description = svg.get("aria-labelledby").split()
        self.assertEqual((svg[0].tag, svg[0].get("id")), (SVG + "title", title))
        self.assertEqual((svg[1].tag, svg[1].get("id")), (SVG + "desc", description))
        self.assertTrue(svg[0].text and svg[1].text)

    def test_patterns(self):
        for pattern, vertices, edges, anti in DRAWN:
            for algorithm in ("extend", "auto"):
                svg = xml.fromstring(self.ok("explain", "--pattern", pattern, "--induced", "edge", "--algorithm", algorithm,
                                             "--svg", "-"))
                self.check_described(svg)
                if algorithm == "auto":
                    continue
                self.assertEqual(len(of_class(svg, "vertex")), vertices, pattern)
                self.assertEqual(len(of_class(svg, "edge")), edges, pattern)
                self.assertEqual(len(of_class(svg, "anti")) - (anti > 0), anti, pattern)
                badges = sorted(map(int, texts(svg, "badge-text")))
                self.assertEqual(badges, sorted([1, *range(1, vertices + 1)]), pattern)

    def test_order_and_restrictions(self):
        options = ["--pattern", "house", "--induced", "edge", SMALL, "--algorithm", "extend"]
        order, larger = plan(self.ok("explain", *options))
        svg = xml.fromstring(self.ok("explain", *options, "--svg", "-"))
        self.assertEqual(texts(svg, "rule-text"), [f"{v} < {u}" for u, v in larger])
        words = svg[1].text
        self.assertIn("Order of the loops: " + ", ".join(order), words)
        loops = texts(svg, "loop-name")
        self.assertEqual([name.split()[0] for name in loops], order[: len(loops)])

    def test_arcs_and_labels(self):
        svg = xml.fromstring(self.ok("explain", "--pattern", "0>1,1>2,2>1", "--svg", "-"))
        heads = [edge.get("marker-end") is not None for edge in of_class(svg, "edge")]
        tails = [edge.get("marker-start") is not None for edge in of_class(svg, "edge")]
        self.assertEqual((sum(heads), sum(tails)), (2, 1))
        svg = xml.fromstring(self.ok("explain", "--pattern", "0:a-1:'b <&> \"c\"'", "--svg", "-"))
        self.assertEqual(texts(svg, "label"), ["'a'", "'b <&> \"c\"'"])
        self.assertIn("if (the label of v0 == label `a`)", texts(svg, "code"))

    def test_several_patterns(self):
        svg = xml.fromstring(self.ok("explain", "--pattern", "motif:4", "--svg", "-"))
        self.assertEqual(texts(svg, "title")[1:7], ["star:4", "path:4", "tailed-triangle", "square", "diamond", "clique:4"])
        svg = xml.fromstring(self.ok("explain", "--pattern", "0-1,1-2,2-3", "--induced", "vertex", "--algorithm",
                                      "decompose", "--svg", "-"))
        self.assertTrue(any(" × " in title for title in texts(svg, "title")))

    def test_counts_stand_below_the_patterns_of_a_motif(self):
        options = ["--pattern", "motif:3", SMALL]
        counts = [line.split()[1] for line in self.ok("run", *options).splitlines()]
        svg = xml.fromstring(self.ok("explain", *options, "--svg", "-"))
        self.assertEqual([text.replace(",", "") for text in texts(svg, "count")], counts)
        self.assertEqual(len(counts), 2)
        self.assertEqual(texts(xml.fromstring(self.ok("explain", "--pattern", "house", SMALL, "--svg", "-")), "count"), [])

    def test_arcs_with_a_label_each_are_drawn_apart(self):
        svg = xml.fromstring(self.ok("explain", "--pattern", "0>1=a,1>0=b", "--svg", "-"))
        self.assertEqual(sorted(texts(svg, "label")), ["'a'", "'b'"])
        arcs = of_class(svg, "edge")
        self.assertEqual([(arc.tag, arc.get("marker-start")) for arc in arcs], [(SVG + "path", None)] * 2)
        same = xml.fromstring(self.ok("explain", "--pattern", "0>1=a,1>0=a", "--svg", "-"))
        self.assertEqual(len(of_class(same, "edge")), 1)
        self.assertEqual(texts(same, "label"), ["'a'"])

    def test_figures_are_those_of_the_table(self):
        options = ["--pattern", "diamond", "--algorithm", "extend", SMALL]
        rows = sizes(self.ok("explain", *options))
        figures = texts(xml.fromstring(self.ok("explain", *options, "--svg", "-")), "figures")
        self.assertEqual([re.search(r"actual ([\d,]+)", text)[1] for text in figures], [row[4] for row in rows])
        page = xml.fromstring(self.ok("explain", *options, "--html", "-").removeprefix("<!DOCTYPE html>"))
        table = [t for t in page.iter("table") if [h.text for h in t.find("thead/tr")][0] == "step"][0]
        cells = [[cell.text or "" for cell in row][1:] for row in table.find("tbody")]
        self.assertEqual(cells, [row[2:] for row in rows])

    def test_boxes_nest_as_loops_do(self):
        svg = xml.fromstring(self.ok("explain", "--pattern", "clique:5", "--svg", "-"))
        boxes = [[float(box.get(key)) for key in ("x", "y", "width", "height")] for box in of_class(svg, "loop")]
        self.assertEqual(len(boxes), 4)
        for (x, y, width, height), (left, top, wide, high) in itertools.pairwise(boxes):
            self.assertTrue(x < left and y < top and left + wide < x + width and top + high < y + height)


class Page(cli.CliTest):
    def page(self, *args):
        text = self.ok("explain", *args, "--html", "-")
        self.assertTrue(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">"))
        return text, xml.fromstring(text.removeprefix("<!DOCTYPE html>"))

    def test_sections(self):
        text, page = self.page("--pattern", "house", "--induced", "edge", SMALL, "--engine", "program")
        self.assertEqual([h.text for h in page.iter("h2")], [
            "What is counted", "Engines", "Pattern and matching order", "Plans considered", "Loops as they run", "Sizes",
            "Program", "Passes", "Memory of each thread", "In a stream", "Times"])
        self.assertEqual(len(list(page.iter("h1"))), 1)
        pictures = [svg.get("id") for svg in page.iter(SVG + "svg")]
        self.assertEqual([name for name in pictures if "sign" not in name], ["pattern-0", "nest"])
        self.assertIn("house: 0-1,0-3,0-4,1-2,1-4,2-3; subgraphs, edge-induced", text)
        self.assertIn("Each subgraph counts once", text)
        self.assertIn("prefers-color-scheme: dark", text)
        count = self.ok("run", "--pattern", "house", "--induced", "edge", SMALL).strip()
        self.assertEqual(page.find(".//p[@class='answer']/strong").text, count)
        for table in page.iter("table"):
            self.assertTrue(table.find("caption/span").text)
            self.assertTrue(all(head.get("scope") == "col" for head in table.find("thead/tr")))
        ids = [node.get("id") for node in page.iter() if node.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        for link in re.findall(r"url\(#([^)]*)\)", text):
            self.assertIn(link, ids)

    def test_times(self):
        text, page = self.page("--pattern", "diamond", "--induced", "edge", SMALL, "--engine", "program")
        self.assertNotRegex(text, r"\de[+-]?\d+ ?m?s\b")
        plans = [table for table in page.iter("table") if "algorithm" in "".join(table.itertext())][0]
        self.assertEqual([head.text for head in plans.find("thead/tr")],
                         ["order | restrictions", "algorithm", "estimated", "times the first", "actual"])
        times = [[row[2].text, row[4].text] for row in plans.find("tbody")]
        for estimated, actual in times:
            self.assertRegex(estimated, r"^\d+(\.\d+)? m?s$")
            self.assertRegex(actual or "", r"^\d+(\.\d+)? m?s$" if [estimated, actual] == times[0] else "^$")
        taken = self.ok("explain", "--pattern", "diamond", "--induced", "edge", SMALL, "--threads", "1", "--engine", "program")
        self.assertRegex(taken, r"\n  the first was estimated at [\d.]+ m?s of one core; it took [\d.]+ m?s on 1 thread\n")
        self.assertNotIn("the first was estimated", self.ok("explain", "--pattern", "diamond"))

    def test_nothing_is_loaded(self):
        for args in (["--pattern", "motif:4"], [cli.TRIANGLE, SMALL]):
            text = self.page(*args)[0].replace("http://www.w3.org/2000/svg", "")
            for word in ("http", "<script", "src=", "<link", "@import", "<iframe", "<object", "href"):
                self.assertNotIn(word, text)

    def test_every_pattern(self):
        for pattern, *_ in DRAWN:
            self.page("--pattern", pattern)
        self.page("--pattern", "0:red-1:blue-2", *LABELLED, "--no-run")

    def test_all_text_is_escaped(self):
        attack = "</code></pre><script>alert(1)</script> & \"x\" 'y'"
        text = f"# {attack}\n" + (cli.ROOT / cli.TRIANGLE).read_text()
        path = self.write("a<b>&'\"c.mt", text)
        shown, page = self.page(path, SMALL)
        self.assertNotIn("<script", shown)
        self.assertEqual(page.find(".//pre/code").text, text)
        self.assertIn(path, [p.text for p in page.iter("p")])

    def test_programs_that_return_lists_and_tuples(self):
        count = self.ok("run", cli.TRIANGLE, SMALL).strip()
        _, page = self.page(cli.LISTING, SMALL)
        self.assertEqual(page.find(".//p[@class='answer']/strong").text, f"{count} items")

    def test_counts_of_motifs(self):
        counts = [line.split() for line in self.ok("run", "--pattern", "motif:4", SMALL).splitlines()]
        _, page = self.page("--pattern", "motif:4", SMALL)
        rows = [[cell.text for cell in row] for row in page.iter("tr")]
        for name, count in counts:
            self.assertIn([name, f"{int(count):,}"], rows)
        text = self.ok("explain", "--pattern", "motif:4", SMALL)
        for name, count in counts:
            self.assertRegex(text, rf"\n  (result  )? +{name} +{int(count):,}\n")

    def test_names_of_vertices(self):
        svg = xml.fromstring(self.ok("explain", "--pattern", "(payer)-(b)-(c)-(payer)", "--svg", "-"))
        self.assertEqual(sorted(texts(svg, "vertex-name")), ["b", "c"])
        self.assertIn("payer", texts(svg, "label"))


class Files(cli.CliTest):
    def test_files_appear_instead_of_the_text(self):
        svg, html = self.path("x.svg"), self.path("x.html")
        self.assertEqual(self.ok("explain", cli.TRIANGLE, SMALL, "--svg", svg, "--html", html), "")
        xml.parse(svg)
        self.assertIn("<h1>", (self.folder / "x.html").read_text())
        self.assertEqual(self.leftovers(), [])

    def test_files_that_cannot_be_written(self):
        for option in ("--svg", "--html"):
            for path in (self.path("no/such/folder.svg"), self.folder, "/dev/full"):
                self.fails(3, "explain", cli.TRIANGLE, option, path, says="cannot write")
        svg = self.path("x.svg")
        self.fails(3, "explain", cli.TRIANGLE, "--svg", svg, "--html", self.path("no/x.html"), says="cannot write")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_failure_keeps_the_old_file(self):
        kept = self.write("x.svg", "before")
        wrong = self.write("wrong.mt", "def f(G: Graph) -> int:\n    return nothing\n")
        self.fails(1, "explain", wrong, "--svg", kept, says="nothing")
        self.fails(3, "explain", cli.TRIANGLE, "no-such-graph", "--svg", kept, says="no-such-graph")
        self.fails(3, "explain", "--pattern", "0:1-1", SMALL, "--svg", kept, says="label")
        self.assertEqual((self.folder / "x.svg").read_text(), "before")
        self.assertEqual(self.leftovers(), [])

    def test_how_a_stream_answers(self):
        def reported(*words):
            text = self.ok("explain", *words)
            return text.split("\nin a stream\n")[1].split("\n\n")[0].splitlines()

        self.assertEqual(reported("--pattern", "diamond"),
                         ["  by what each edge changes (`delta`), in 3 places of the pattern", "  edge v0-v1: walk v2, count v3",
                          "  edge v1-v0: walk v2, count v3", "  edge v1-v2: count v0 v3"])
        self.assertIn("  edge v1>v2 'y': count v0", reported("--pattern", "0>1='x',1>2='y'"))
        self.assertIn("pair that must not be adjacent", " ".join(reported("--pattern", "path:3", "--induced", "vertex")))
        odd = self.write("odd.mt", "def f(G: Graph) -> int:\n    return sum(apply(lambda v: 1, cond=lambda v: size(neighbor(G, v)) % 2 == 1, vertices(G)))\n")
        self.assertEqual(reported(odd)[1], "  read of each: its degrees")
        self.assertIn("roots", reported(odd, SMALL)[0])
        self.assertEqual(reported("--pattern", "0-1,2-3"), ["  run again after each batch (`recompute`): the pattern is not connected"])
        edges, types = self.write("e.txt", "1 2\n3 4\n"), self.write("t.txt", "1 P;A\n2 A\n3 P\n4 Q\n")
        self.assertEqual(reported("--pattern", "(a:P)-b", edges, "--labels", types),
                         ["  run again after each batch (`recompute`): vertices have several types"])
        self.assertIn("`delta`", reported("--pattern", "(a:Q)-b", edges, "--labels", types)[0])
        # Each method has a cost or a reason.
        text = self.ok("explain", "--pattern", "diamond", SMALL, "--engine", "identities", "--device", "cpu")
        table = text.split("\nengines of a stream, ")[1].splitlines()[1:4]
        self.assertRegex(table[0], r"^ \* delta on a CPU +[\d.]+ us$")
        self.assertEqual(table[2], "   roots on a CPU        it is for programs, and this is a pattern")
        plan = json.loads(self.ok("explain", odd, SMALL, "--device", "cpu", "--json"))["stream"]["engines"]
        self.assertEqual([one["engine"] for one in plan if one.get("chosen")], ["roots"])
        self.assertEqual([one["engine"] for one in plan if one.get("refused") and one["device"] == "cpu"], ["delta", "trees"])
        # A stream takes no lists.
        listed = self.write("listed.mt", "def f(G: Graph, some: List<int>) -> int:\n    return size(some)\n")
        self.assertNotIn("in a stream", self.ok("explain", listed))
        self.assertIn("<h2>In a stream</h2>", self.ok("explain", odd, "--html", "-"))

    def test_one_file_for_both_is_an_error(self):
        path = self.path("x.out")
        self.fails(2, "explain", cli.TRIANGLE, "--svg", path, "--html", path, says="the same file")
        self.fails(2, "explain", cli.TRIANGLE, "--svg", "-", "--html", "-", says="the same file")
        self.fails(2, "explain", cli.TRIANGLE, "--svg", path, "--html", self.path("y/../x.out"), says="the same file")
        there = self.write("there.svg", "")
        (self.folder / "link.html").symlink_to(there)
        self.fails(2, "explain", cli.TRIANGLE, "--svg", there, "--html", self.path("link.html"), says="the same file")
        self.fails(2, "explain", cli.TRIANGLE, "--svg", path, "--dot", says="--dot")
        self.assertFalse((self.folder / "x.out").exists())


class Beside(cli.CliTest):
    """Two plans of one question in two columns."""

    def rows(self, *options):
        text = self.ok("explain", "--pattern", "diamond", "--induced", "edge", SMALL, "--engine", "program", *options)
        rows = [(line[:96].rstrip(), line[97:98], line[99:]) for line in text.splitlines()]
        self.assertTrue(all(sign in " <>|" for _, sign, _ in rows), text)
        return rows

    def test_the_columns_are_the_two_explanations(self):
        rows = self.rows("--no-run", "--beside", "--algorithm extend")
        alone = self.ok("explain", "--pattern", "diamond", "--induced", "edge", SMALL, "--engine", "program", "--no-run")
        left = [line for line, sign, _ in rows if sign != ">"]
        self.assertEqual(len(left), len(alone.splitlines()))
        both = [(a, b) for a, sign, b in rows if sign in ("", " ") and a]
        self.assertIn(("as written", "as written"), both)
        self.assertTrue(any(sign == "|" for _, sign, _ in rows))
        self.assertIn("decompose", " ".join(a for a, _, _ in rows))

    def test_other_options_are_refused(self):
        for option in ("--json", "--dot", "--svg=x.svg", "--html=x.html"):
            self.fails(2, "explain", cli.TRIANGLE, SMALL, option, "--beside", "--order id", says="`--beside` prints two columns")
        self.fails(2, "explain", cli.TRIANGLE, SMALL, "--beside", "--oder id", says=["--beside", "--oder"])
        self.fails(2, "explain", "--pattern", "house", SMALL, "--beside", "--engine nothing", says="nothing")

    def test_join_of_another_engine(self):
        """Where the algorithm has no program, the search answers, and is shown."""
        graph = self.write("arcs.txt", "0 1\n1 2\n2 0\n")
        for pattern in ("a->b->c->a", "a->b, c->d"):
            words = ("--pattern", pattern, graph, "--directed", "--algorithm", "join")
            ran, plan = (json.loads(self.ok(verb, "--json", *words)) for verb in ("run", "explain"))
            self.assertEqual((plan["engine"], plan["answer"]), (ran["stats"]["engine"], str(ran["result"])))

    def test_chains_of_lists(self):
        """Each list of candidates is made of others, several times: the analysis of loops ends."""
        program = self.write("chain.mt", self.ok("pattern", "clique:8", "--algorithm", "join"))
        triangle = self.write("triangle.txt", "0 1\n1 2\n2 0\n")
        self.assertEqual(self.ok("run", "-q", program, triangle), "0\n")
        self.ok("explain", program, triangle)


if __name__ == "__main__":
    cli.main()
