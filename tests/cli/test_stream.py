"""`matcha stream`: answers after every batch against graphs that are walked by brute force."""

import gzip
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

from cli import LIMIT_S, LISTING, MATCHA, ROOT, TRIANGLE, CliTest, main

SHIM = os.environ.get("MATCHA_KILL_SHIM", "")


class Model:
    """A graph as sets."""

    def __init__(self, edges=()):
        self.edges = {frozenset(edge) for edge in edges}
        self.vertices = set().union(*self.edges) if self.edges else set()

    def apply(self, line):
        """Takes a line; whether it changes something."""
        op, *ids = line.split()
        before = (set(self.edges), set(self.vertices))
        ids = [int(one) for one in ids[:1 if "v" in op else 2]]
        if op in ("+", "e"):
            self.vertices.update(ids)
            if ids[0] != ids[1]:
                self.edges.add(frozenset(ids))
        elif op in ("-", "-e"):
            self.edges.discard(frozenset(ids))
        elif op == "v":
            self.vertices.add(ids[0])
        elif ids[0] in self.vertices:
            self.vertices.discard(ids[0])
            self.edges = {edge for edge in self.edges if ids[0] not in edge}
        return before != (self.edges, self.vertices)

    def triangles(self):
        near = {v: set() for v in self.vertices}
        for u, v in self.edges:
            near[u].add(v)
            near[v].add(u)
        return {frozenset((u, v, w)) for u, v in map(tuple, self.edges) for w in near[u] & near[v]}

    def text(self):
        return "".join("%d %d\n" % tuple(sorted(edge)) for edge in sorted(map(sorted, self.edges)))


def random_lines(seed, count, vertices=9):
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        op = draw.choice(["+", "+", "+", "e", "-", "-e", "v", "-v"] if draw.random() < 0.3 else ["+", "+", "-"])
        ids = [draw.randrange(vertices) * 7 - 5 for _ in range(1 if "v" in op else 2)]
        lines.append(" ".join([op, *map(str, ids)]))
    return lines


class StreamTest(CliTest):
    def stream(self, lines, *args, **kwargs):
        """Answers to lines of standard input."""
        return self.ok("stream", *args, "--updates", "-", stdin="".join(line + "\n" for line in lines).encode(),
                       **kwargs).splitlines()

    def objects(self, lines, *args, **kwargs):
        return [json.loads(line) for line in self.stream(lines, *args, "--json", **kwargs)]

    def test_totals_are_those_of_the_graph(self):
        graph = self.write("g.txt", "-5 2\n2 9\n9 -5\n9 16\n")
        lines = random_lines(3, 240)
        answers = self.stream(lines, TRIANGLE, graph, "--batch", 8)
        model = Model([(-5, 2), (2, 9), (9, -5), (9, 16)])
        self.assertEqual(answers[0], f"batch 0  total {len(model.triangles())}")
        before = len(model.triangles())
        self.assertEqual(len(answers), 31)
        for batch in range(1, 31):
            for line in lines[8 * batch - 8:8 * batch]:
                model.apply(line)
            now = len(model.triangles())
            self.assertEqual(answers[batch], f"batch {batch}  {now - before:+d}  total {now}")
            before = now
            if batch % 10 == 0 and model.edges:
                static = self.ok("run", TRIANGLE, self.write("now.txt", model.text()))
                self.assertEqual(static, f"{now}\n")

    def test_json_of_a_pattern(self):
        lines = ["+ 1 2", "+ 2 3", "+ 1 2", "+ 3 1", "- 9 8", "- 1 2", "+ 3 4"]
        first, *batches, end = self.objects(lines, "--pattern", "triangle", "--batch", 4)
        self.assertEqual((first["batch"], first["total"]), (0, 0))
        reported = batches[0]
        self.assertEqual(reported.pop("ms").keys(), {"wait", "apply", "match"})
        self.assertEqual(reported, {"schema": "matcha.stream/1", "batch": 1, "updates": 4, "inserted": 3, "deleted": 0,
                                "noops": 1, "late": 0, "plus": 1, "minus": 0, "delta": 1, "total": 1, "offset": 24,
                                "how": "delta"})
        self.assertEqual([batches[1][key] for key in ("updates", "noops", "plus", "minus", "total", "offset")],
                         [3, 1, 0, 1, 0, 42])
        self.assertEqual((end["end"], end["updates"], end["noops"], end["batches"]), (True, 7, 2, 2))
        self.assertEqual(end["latency_ms"].keys(), {"p50", "p99", "p99.9", "max"})

    def test_ways_to_cut(self):
        lines = random_lines(5, 30)
        ends = {}
        for name, args in {"one": ["--batch", 30], "each": ["--each"], "seven": ["--batch", 7], "auto": [],
                           "every": ["--every", "20ms"]}.items():
            answers = self.objects(lines, "--pattern", "triangle", *args)
            ends[name] = answers[-2]["total"]
            self.assertEqual(sum(one.get("updates", 0) for one in answers[:-1]), 30)
            self.assertEqual(sum(one.get("delta", 0) for one in answers[:-1]), answers[-2]["total"])
        self.assertEqual(len(set(ends.values())), 1, ends)
        self.assertEqual(len(self.objects(lines, "--pattern", "triangle", "--each")), 32)
        blank = self.objects(["+ 1 2", "", "", "+ 2 3", "+ 3 1", ""], "--pattern", "triangle", "--blank")
        self.assertEqual([one["updates"] for one in blank[1:-1]], [1, 2])

    def test_names(self):
        graph = self.write("people.txt", "ann bob\nbob eve\nzoë bob\n")
        rows, folder, out = self.path("names.tsv"), self.path("names"), self.path("names.txt")
        lines = ["+ eve ann", "+ dan ann", "+ dan bob", "- ann bob", "- nobody ann", "v carl", "+ zoë ann", "+ ann bob"]
        reported = self.stream(lines, "--pattern", "triangle", graph, "--each", "--matches", rows)
        self.assertEqual(reported, ["batch 0  total 0", "batch 1  +1 -0  total 1", "batch 2  +0 -0  total 1",
                                "batch 3  +1 -0  total 2", "batch 4  +0 -2  total 0", "batch 5  +0 -0  total 0",
                                "batch 6  +0 -0  total 0", "batch 7  +0 -0  total 0", "batch 8  +3 -0  total 3"])
        with open(rows, encoding="utf-8") as file:
            text = file.read()
        # New names come behind those of the graph, which ascend.
        self.assertEqual(text.splitlines()[:2], ["1\t+\tann\tbob\teve", "3\t+\tann\tbob\tdan"])
        self.assertEqual({line for line in text.splitlines() if line.startswith("8")},
                         {"8\t+\tann\tbob\teve", "8\t+\tann\tbob\tzoë", "8\t+\tann\tbob\tdan"})
        # The same in two runs, with the names of a checkpoint.
        updates = self.write("changes.txt", "\n".join(lines[:5]) + "\n")
        args = ("stream", "--pattern", "triangle", graph, "--updates", updates, "--batch", 1, "--state", folder, "--out",
                out, "--checkpoint", 2, "--matches", rows)
        self.ok(*args)
        self.write("changes.txt", "\n".join(lines) + "\n")
        self.ok(*args)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), reported)
        with open(rows, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        # Names are no numbers, and a pattern cannot give them.
        self.fails(2, "stream", "--pattern", "(a@ann)-(b)", graph, "--updates", updates, says="cannot give vertices")

    def test_threads(self):
        # Dense enough that the edges of a batch are shared.
        draw = random.Random(8)
        pairs = [f"{u} {v}" for u, v in itertools.combinations(range(50), 2) if draw.random() < 0.6]
        graph = self.write("dense.txt", "\n".join(pairs) + "\n")
        lines = random_lines(17, 40, 50) + ["- " + pair for pair in draw.sample(pairs, 40)]
        for pattern, cut in (("house", ["--batch", 40]), ("square", ["--batch", 60]), ("square", ["--each"])):
            answers, rows = [], self.path("rows.tsv")
            for threads in (1, 2, 4):
                listed = [] if pattern == "house" or cut == ["--each"] else ["--matches", rows]
                reported = self.stream(lines, "--pattern", pattern, graph, *cut, *listed, "--threads", threads)
                if listed:
                    with open(rows, encoding="utf-8") as file:
                        reported.append(file.read())
                answers.append(reported)
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0], answers[2])

    def test_rows(self):
        lines = random_lines(11, 200)
        rows = self.path("rows.tsv")
        for query in (["--pattern", "triangle"], [LISTING]):
            answers = self.objects(lines, *query, "--batch", 9, "--matches", rows)
            kept, model, batch = set(), Model(), 0
            changes = [line.split("\t") for line in (self.folder / "rows.tsv").read_text().splitlines()]
            for number, group in itertools.groupby(changes, key=lambda row: int(row[0])):
                for _, sign, *row in group:
                    match = frozenset(map(int, row))
                    self.assertEqual(match in kept, sign == "-")
                    (kept.add if sign == "+" else kept.remove)(match)
                while batch < number:
                    batch += 1
                    for line in lines[9 * batch - 9:9 * batch]:
                        model.apply(line)
                self.assertEqual(kept, model.triangles())
            self.assertEqual(answers[-2]["total"], len(kept))
            plus, minus = (sum(one.get(key, 0) for one in answers) for key in ("plus", "minus"))
            self.assertEqual((plus, minus), tuple(sum(row[1] == sign for row in changes) for sign in "+-"))

    def test_rows_do_not_depend_on_the_plan(self):
        # A new word, and then a graph of twice the size, have plans of their own.
        draw = random.Random(29)
        labels = [f"v {v} {draw.choice('abc')}" for v in range(30)]
        first = ["+ %d %d" % tuple(draw.sample(range(30), 2)) for _ in range(90)]
        later = ["+ %d %d" % tuple(draw.sample(range(1000, 1600), 2)) for _ in range(1300)]
        lines = [*labels, *first, "", "v 40 Zed", "", *later, ""]
        small, large = (Model(map(int, line.split()[1:]) for line in part) for part in (first, later))
        triangles = [(batch, *sorted(one)) for batch, model in ((1, small), (3, large)) for one in model.triangles()]
        wedges = [(1, x, y, z) for x, y, z in itertools.product(range(30), repeat=3)
                  if x < z and {frozenset((x, y)), frozenset((y, z))} <= small.edges
                  and all(labels[v].split()[2] in "ab" for v in (x, z))]
        for pattern, want in (("triangle", triangles), ("(x:'a'|'b')-(y),(y)-(z:'a'|'b')", wedges)):
            for way in ([], ["--recompute"]):
                self.stream(lines, "--pattern", pattern, "--blank", "--matches", self.path("rows.tsv"), *way)
                rows = [line.split("\t") for line in (self.folder / "rows.tsv").read_text().splitlines()]
                self.assertEqual({sign for _, sign, *_ in rows}, {"+"})
                self.assertEqual([(int(batch), *map(int, row)) for batch, _, *row in rows], sorted(want))

    def test_roots(self):
        program = self.write("degrees.mt", """def f(G: Graph):
    return apply(lambda v: mk_tuple(val=[v, size(neighbor(G, v))]), cond=lambda v: size(neighbor(G, v)) >= 2, vertices(G))
""")
        lines, rows, updates = random_lines(19, 200, 30), self.path("rows.tsv"), self.path("updates.txt")
        where = ["--updates", updates, "--batch", 9, "--matches", rows, "--out", self.path("out"), "--state", self.path("state")]
        # It stops once, and goes on.
        for count in (90, 200):
            self.write("updates.txt", "".join(line + "\n" for line in lines[:count]))
            self.ok("stream", program, *where, "--json")
        answers = [json.loads(line) for line in (self.folder / "out").read_text().splitlines()]
        changes = [line.split("\t") for line in (self.folder / "rows.tsv").read_text().splitlines()]
        model, kept = Model(), set()
        for answer in (one for one in answers if one.get("batch")):
            for line in lines[9 * answer["batch"] - 9:9 * answer["batch"]]:
                model.apply(line)
            before, degrees = len(kept), {v: sum(v in edge for edge in model.edges) for v in model.vertices}
            for number, sign, *row in changes:
                if int(number) == answer["batch"]:
                    (kept.add if sign == "+" else kept.remove)(tuple(map(int, row)))
            self.assertEqual(kept, {(v, degree) for v, degree in degrees.items() if degree >= 2})
            self.assertEqual(answer["total"], len(kept))
            self.assertEqual(answer["plus"] - answer["minus"], answer["total"] - before)
            self.assertEqual(answer["how"], "roots")
        self.assertEqual(max(answer.get("batch", 0) for answer in answers), 23)

    def test_reasons_for_recomputation(self):
        program = self.write("half.mt", """def f(G: Graph) -> int:
    return sum(apply(lambda v: size(neighbor(G, v)) / 2 + size(vertices(G)), vertices(G)))
""")
        reported = self.matcha("stream", program, "--updates", "-", "--batch", 2, "--json", stdin=b"+ 1 2\n+ 2 3\n")
        self.assertIn("all vertices are walked at one", reported.stderr.decode())
        self.assertEqual([json.loads(line).get("how") for line in reported.stdout.splitlines()][:2], ["recompute"] * 2)
        self.assertEqual(json.loads(reported.stdout.splitlines()[1])["total"], 10)

    def test_engines(self):
        # The chosen method is part of the first answer; each that offers gives the same totals.
        odd = self.write("odd.mt", """def f(G: Graph) -> int:
    return sum(apply(lambda v: 1, cond=lambda v: size(neighbor(G, v)) % 2 == 1, vertices(G)))
""")
        graph = self.write("g.txt", "".join(f"{v} {v + 1}\n" for v in range(3000)))
        lines = random_lines(29, 120, 30)
        for subject, offers in (([TRIANGLE], ["delta", "roots", "recompute"]), ([odd], ["roots", "recompute"]),
                                (["--pattern", "diamond"], ["delta", "recompute"]), (["--pattern", "0-1,2-3"], ["recompute"])):
            words = [*subject, graph, "--batch", 12]
            first, *answers = self.objects(lines, *words)
            ways = [one for one in first["engines"] if one["device"] == "cpu"]
            self.assertEqual([one["engine"] for one in ways if "refused" not in one], offers)
            self.assertEqual([one["engine"] for one in ways if one.get("chosen")], offers[:1])
            self.assertEqual([one.get("ns", 0) for one in ways[:len(offers)]], sorted(one["ns"] for one in ways[:len(offers)]))
            found = {one["how"] for one in answers if "how" in one} - {"recompute"}
            # Programs by vertex are recomputed for a while where the machine delayed them.
            self.assertIn(found, [set(offers[:1]) - {"recompute"}, *([set()] if offers[0] == "roots" else [])])
            totals = [one.get("total") for one in answers]
            for engine in ("delta", "roots", "recompute"):
                if engine not in offers:
                    self.fails(2, "stream", *words, "--updates", "-", "--engine", engine, says=f"`--engine {engine}` does not answer this")
                    continue
                forced, *others = self.objects(lines, *words, "--engine", engine)
                self.assertEqual([one["engine"] for one in forced["engines"] if one.get("chosen")], [engine])
                self.assertEqual([one.get("total") for one in others], totals)
        # Without totals the first batch has them.
        first, second, *_ = self.objects(lines, TRIANGLE, graph, "--batch", 12, "--no-total")
        self.assertTrue("engines" in first and "engines" not in second)

    def test_several_programs(self):
        answers = self.stream(["+ 1 2", "+ 2 3", "+ 3 1"], TRIANGLE, "--pattern", "a-b", "--batch", 3)
        self.assertEqual(answers, [f"batch 0  {TRIANGLE}  total 0", "batch 0  a-b  total 0",
                                   f"batch 1  {TRIANGLE}  +1  total 1", "batch 1  a-b  +3 -0  total 3"])

    def test_labels(self):
        graph = self.write("g.txt", "1 2\n2 3\n")
        labels = self.write("l.txt", "1 cat\n2 dog\n3 cat\n")
        answers = self.stream(["v 4 emu", "+ 2 4", "v 4 cat", "+ 5 2", "v 1 dog", "-v 3"], "--pattern",
                              "(a:'cat')-(b:'dog')", graph, "--labels", labels, "--each")
        self.assertEqual([line.split()[-1] for line in answers], ["2", "2", "2", "3", "3", "2", "1"])

    def test_rows_with_labels(self):
        # Words that come give others new numbers.
        graph, labels = self.write("g.txt", "1 2\n2 3\n"), self.write("l.txt", "1 cat\n2 dog\n3 cat\n")
        program = self.write("labels.mt", """def f(G: Graph):
    return apply(lambda v: mk_tuple(val=[v, vertex_label(G, v), size(neighbor(G, v))]), vertices(G))
""")
        lines, reported = ["+ 1 3", "v 3 dog", "v 4 bee", "+ 4 2", "v 1 ant", "- 1 2", "-v 3"], []
        for how in ([], ["--recompute"]):
            answers = self.objects(lines, program, graph, "--labels", labels, "--each", "--matches", self.path("rows"), *how)
            with open(self.path("rows"), encoding="utf-8") as rows:
                reported.append(([(one.get("total"), one.get("plus"), one.get("minus")) for one in answers], rows.read()))
        self.assertEqual(reported[0], reported[1])
        self.assertEqual(reported[0][0][4], (4, 2, 2))

    def test_labels_of_edges(self):
        answers = self.stream(["+ 1 2 pays", "+ 1 2 owes", "+ 2 3 pays", "- 1 2 pays", "+ 2 1 pays", "- 1 2"],
                              "--pattern", "a-[:pays]-b", "--each")
        self.assertEqual([line.split()[-1] for line in answers], ["0", "1", "1", "2", "1", "2", "1"])
        self.fails(3, "stream", "--pattern", "a-[:pays]-b", "--updates", self.write("u.txt", "+ 1 2 pays\n+ 1 2\n"),
                   "--batch", 5, "--no-total", says=["u.txt:2", "needs a label"])

    def test_negative_labels_and_words(self):
        # Words would get the codes -1, -2, ….
        edges = [self.write("g.txt", "1 2 -2\n2 3 -1\n3 4 7\n")]
        vertices = [self.write("h.txt", "1 2\n2 3\n"), "--labels", self.write("v.txt", "1 -2\n2 -1\n3 5\n")]
        cases = (edges, "a-[:7]-b", "+ 1 3 7", "+ 1 3 pays"), (vertices, "(a:5)-(b)", "+ 1 3", "v 4 cat")
        for (graph, pattern, number, word), way in itertools.product(cases, ([], ["--recompute"])):
            answers = self.stream([number], "--pattern", pattern, *graph, "--each", *way)
            self.assertEqual([line.split()[-1] for line in answers], ["1", "2"])
            self.fails(3, "stream", "--pattern", pattern, *graph, "--updates", self.write("u.txt", word + "\n"), "--each",
                       "--no-total", *way, says=["u.txt:1", "labels are words here, and negative numbers in the graph"])

    def test_directed(self):
        answers = self.stream(["+ 1 2", "+ 2 1", "+ 2 3", "- 2 1", "-v 2"], "--pattern", "a->b->c", "--directed", "--each")
        self.assertEqual([line.split()[-1] for line in answers], ["0", "0", "0", "1", "1", "0"])

    def window(self, lines, width, lateness, slide):
        """The effect of a window, computed directly: (updates, triangles) of each batch, and late lines."""
        waiting, latest, late, released = [], None, 0, []
        for u, v, t in lines:
            if latest is not None and latest - t > lateness:
                late += 1
                continue
            latest = t if latest is None else max(latest, t)
            waiting.append((u, v, t))
            ready = sorted((one for one in waiting if latest - one[2] >= lateness), key=lambda one: one[2])
            waiting = [one for one in waiting if latest - one[2] < lateness]
            released += ready
        released += sorted(waiting, key=lambda one: one[2])
        batches = []
        for at, (_, _, t) in enumerate(released):
            graph = Model((u, v) for u, v, s in released[:at + 1] if s > t - width and u != v)
            if batches and batches[-1][0] == t // slide:
                batches.pop()
            count = sum(1 for one in released[:at + 1] if one[2] // slide == t // slide)
            batches.append((t // slide, count, len(graph.triangles())))
        return batches, late

    def test_window(self):
        draw = random.Random(17)
        lines, time_now = [], 100
        for _ in range(300):
            time_now += draw.choice([0, 1, 1, 2, 9])
            lines.append((draw.randrange(8), draw.randrange(8), time_now - draw.choice([0, 0, 0, 3, 8])))
        text = [f"{u} {v} {t}" for u, v, t in lines]
        for width, lateness, slide in ((40, 0, 10), (40, 5, 10), (25, 3, 1), (7, 9, 60)):
            answers = self.objects(text, TRIANGLE, "--temporal", "--window", width, "--lateness", lateness, "--slide",
                                   slide)
            batches, late = self.window(lines, width, lateness, slide)
            self.assertEqual([(one["first_t"] // slide, one["updates"], one["total"]) for one in answers[1:-1]], batches)
            self.assertEqual(answers[-1]["late"], late)
            self.assertEqual(sum(one["late"] for one in answers[:-1]), late)

    def test_window_units(self):
        answers = self.stream(["1 2 0", "2 3 3600", "3 1 7200", "8 9 86400"], TRIANGLE, "--temporal", "--window", "1d",
                              "--slide", "1h")
        self.assertEqual([line.split()[-1] for line in answers], ["0", "0", "0", "1", "0"])

    def test_packed_updates(self):
        text = "".join(line + "\n" for line in random_lines(23, 5000, 40)).encode()
        plain = self.ok("stream", TRIANGLE, "--updates", self.write("u.txt", text), "--batch", 1000)
        packed = self.write("u.gz", gzip.compress(text))
        self.assertEqual(plain, self.ok("stream", TRIANGLE, "--updates", packed, "--batch", 1000))
        self.assertEqual(plain, self.ok("stream", TRIANGLE, "--updates", "-", "--batch", 1000,
                                        stdin=gzip.compress(text)))
        self.fails(3, "stream", TRIANGLE, "--no-total", "--batch", 100000, "--updates",
                   self.write("cut.gz", gzip.compress(text)[:-30]), says="gzip")

    def test_bad_input(self):
        bad = {"1 2": "`1` begins no update", '+ "1 2': "a quoted cell does not end in its line", "+ 1": "takes two ids", "+ 1 x": "`x` is no id", "+ 1 2 3 4": "takes two",
               "-v": "takes an id", "+ 1 99999999999999999999": "is no id", "+ 9999999999999999999 1": "is no id", "v 1 -4": "labels are words"}
        for line, says in bad.items():
            path = self.write("u.txt", f"+ 1 2\n# text\n{line}\n")
            self.fails(3, "stream", TRIANGLE, "--updates", path, "--batch", 9, "--no-total", says=["u.txt:3", says])
        self.fails(3, "stream", TRIANGLE, "--temporal", "--no-total", "--batch", 9, "--updates",
                   self.write("t.txt", "1 2 3\n1 2\n"), says=["t.txt:2", "`u v t`"])
        once = self.write("once.txt", "+ 1 2\n+ 2 1\n")
        self.fails(3, "stream", TRIANGLE, "--strict", "--batch", 9, "--no-total", "--updates", once,
                   says=["once.txt:2", "changes nothing", "the edge is there"])
        gone = self.write("gone.txt", "- 1 2\n")
        self.fails(3, "stream", TRIANGLE, "--strict", "--no-total", "--updates", gone, says=["gone.txt:1", "no such edge"])
        self.fails(3, "stream", TRIANGLE, "--updates", self.path("none.txt"), "--no-total", says="none.txt")
        long = self.write("long.txt", "+ 1 " + "2" * (1 << 21))
        self.fails(3, "stream", TRIANGLE, "--updates", long, "--no-total", says=["long.txt:1", "longer than 1 MiB"])
        for pattern, line, label in (("a:1-b", "v 1 1.0", "1.0"), ("a:1-b", "v 1 1e0", "1e0"), ("a-b=1", "+ 1 2 -.5", "-.5")):
            path = self.write("l.txt", f"# text\n{line}\n")
            self.fails(3, "stream", "--pattern", pattern, "--updates", path, "--no-total", says=["l.txt:2", f"`{label}`: labels"])

    def test_usage(self):
        empty = self.write("u.txt", "")
        for args, says in ((["--updates", empty], "no program"),
                           ([TRIANGLE, "a.txt", "b.txt", "--updates", empty], "one graph"),
                           ([TRIANGLE], "--updates"),
                           ([TRIANGLE, "--updates", empty, "--window", "1d"], "--temporal"),
                           ([TRIANGLE, "--updates", empty, "--temporal", "--window", "1y"], "takes a time such as"),
                           *(([TRIANGLE, "--updates", empty, "--temporal", option, time], "some length")
                             for option in ("--window", "--slide") for time in ("0", "00", "0s", "0d")),
                           ([TRIANGLE, "--updates", empty, "--each", "--batch", "3"], "--each"),
                           ([TRIANGLE, "--updates", empty, "--matches", self.path("r.tsv")], "return a list"),
                           (["--pattern", "a-b", "--updates", empty, "--matches", self.path("r.npy")], "r.npy"),
                           (["--pattern", "a-b", "--pattern", "a", "--updates", empty, "--matches", "-"], "one program"),
                           (["--pattern", "a-b", "--updates", empty, "--matches", "-", "--state", self.path("s")], "--out"),
                           (["--pattern", "a-[:x]-b", "--temporal", "--updates", empty], "times of edges"),
                           ([TRIANGLE, "--updates", empty, "--labels", "l.txt"], "`--labels` is for the graph"),
                           *(([TRIANGLE, "--updates", empty, *given], f"`{given[0]}` is for the graph") for given in (
                               ["--vertices", "v.txt"], ["--header", "yes"], ["--format", "edges"], ["--no-literals"],
                               ["--edge-label", "x"], ["--label", "x"], ["--src", "a", "--dst", "b"])),
                           ([TRIANGLE, "a.txt", "--updates", empty, "--graph-sql", "select 1, 2"], "both the graph"),
                           ([TRIANGLE, "a.txt:0,1,2", "--updates", empty], "needs 2 columns"),
                           (["--pattern", "a-b=x", "a.txt", "--src", "0", "--dst", "1", "--updates", empty],
                            "needs 3 columns")):
            self.fails(2, "stream", *args, says=says)
        self.fails(1, "stream", self.write("bad.mt", "def f(G: Graph) -> int:\n    return x\n"), "--updates", empty)
        self.fails(3, "stream", TRIANGLE, "--graph-sql", "select 1, 2", "--updates", empty,
                   env=self.environment(MATCHA_LIBDUCKDB=self.path("none.so")), says="DuckDB")
        self.fails(3, "stream", TRIANGLE, self.write("large.txt", "18446744073709551615 1\n"), "--updates", empty,
                   says="beyond 64 bits")

    def test_columns_of_the_graph(self):
        graph = self.write("g.csv", "7,1,2\n7,2,3\n7,1,3\n")
        self.assertEqual(self.stream([], TRIANGLE, graph + ":1,2"), ["batch 0  total 1"])

    def test_columns_of_updates(self):
        ends = ["--quiet", "--pattern", "triangle", "--batch", "3", "--temporal", "--updates"]
        path = self.write("u.csv", "tx;ts;payer;payee\n9;5;#a;b\n9;6;b;\"c;d\"\n8;7;\"c;d\";#a\n")
        last = "batch 1  +1 -0  total 1"
        for more in ([path], [path + ":payer,payee,ts"], [path, "--src", "payer", "--dst", "payee", "--time", "ts"]):
            self.assertEqual(self.ok("stream", *ends, *more).splitlines()[-1], last)
        wide = self.write("w.txt", "9 1 2 5\n9 2 3 6\n9 3 1 7\n")
        self.assertEqual(self.ok("stream", *ends, wide + ":1,2,3").splitlines()[-1], last)
        self.fails(3, "stream", *ends, wide, "--no-total", says=["w.txt:1: error", "which of them is the time?", "FILE:0,1,3"])
        self.fails(3, "stream", *ends, path + ":payer,payee,when", "--no-total", says=["no column `when`", "`ts`"])
        self.fails(2, "stream", *ends[:5], *ends[6:], path + ":payer,payee,ts", says="--temporal")
        graph = self.write("g.csv", "payer,payee\na,b\nb,c\n")
        for text in ("c a 7\n", "ts,payee,payer\n7,a,c\n"):
            updates = self.write("u.txt", text)
            self.assertEqual(self.ok("stream", graph, "--src", "payer", "--dst", "payee", *ends, updates).splitlines()[-1], last)

    def test_ids_of_the_first_update(self):
        each = ["stream", "--quiet", "--pattern", "triangle", "--batch", "3", "--updates"]
        last = "batch 1  +1 -0  total 1"
        for text in ("+ ann bob\n+ bob 7\n+ 7 ann\n", "\ufeff+ 1 2\n+ 2.0 3\n+ 3 1\n", "+\tann x\tbob\n+\tbob\tc\n+\tc\tann x\n"):
            self.assertEqual(self.ok(*each, self.write("u.txt", text)).splitlines()[-1], last)
        ends = self.write("e.txt", "+ 9223372036854775807 -9223372036854775808\n+ 999999999999999999 9223372036854775807\n"
                                   "+ 0999999999999999999 -9223372036854775808\n")
        self.assertEqual(self.ok(*each, ends).splitlines()[-1], last)
        for text in ("+ nan inf\n+ inf Bob\n+ Bob nan\n", "v nan\n+ nan a\n+ a 1_0\n+ 1_0 nan\n"):
            answer = self.ok(*each[:-3], "--batch", "4", "--updates", self.write("n.txt", text))
            self.assertEqual(answer.splitlines()[-1], last)
        self.fails(3, *each, self.write("p.txt", "+ 17 +1\n"), "--no-total", says=["p.txt:1: error", "`+1` is no id"])
        zeros = self.write("z.txt", "+ 07 7\n+ 7 8\n+ 8 07\n")
        self.assertEqual(self.ok(*each, zeros, "--ids", "text").splitlines()[-1], last)
        self.fails(3, *each, self.write("m.txt", "+ 1 2\n+ 2 bob\n"), "--no-total", says=["m.txt:2: error", "--ids text"])
        program = self.write("a.mt", "def f(G: Graph):\n    return sum(apply(lambda v: v + 1, vertices(G)))\n")
        self.fails(3, "stream", program, "--updates", self.write("n.txt", "+ a b\n"), "--no-total", says="computes with ids as numbers")

    def test_empty_stream(self):
        self.assertEqual(self.stream([], TRIANGLE), ["batch 0  total 0"])
        self.assertEqual(self.stream(["# nothing"], TRIANGLE, "--no-total"), [])

    def test_answers_come_while_it_waits(self):
        process = subprocess.Popen([MATCHA, "stream", TRIANGLE, "--updates", "-"], cwd=ROOT, env=self.environment(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.assertEqual(process.stdout.readline(), b"batch 0  total 0\n")
            for line, answer in ((b"+ 1 2\n", b"batch 1  +0  total 0\n"), (b"+ 2 3\n", b"batch 2  +0  total 0\n"),
                                 (b"+ 3 1\n", b"batch 3  +1  total 1\n")):
                process.stdin.write(line)
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), answer)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=LIMIT_S)
            self.assertEqual((process.returncode, out), (130, b""))
            self.assertIn(b"after batch 3", errors)
        finally:
            process.kill()
            process.wait()

    def test_stop_in_a_batch(self):
        """The last answered batch is reported, not the one being counted."""
        graph = self.write("dense.txt", "".join(f"{u} {v}\n" for u in range(60) for v in range(u) if (u, v) != (1, 0)))
        words = ["stream", "--pattern", "cycle:9", graph, "--updates", "-", "--no-total", "--json"]
        process = subprocess.Popen([MATCHA, *words], cwd=ROOT, env=self.environment(), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.stdin.write(b"+ 100 101\n")
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["batch"], 1)
            process.stdin.write(b"+ 0 1\n")
            process.stdin.flush()
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=LIMIT_S)
            self.assertEqual(process.returncode, 130)
            self.assertEqual([json.loads(out)[key] for key in ("end", "batches", "updates")], [True, 1, 1])
            self.assertIn(b"after batch 1\n1 update in 1 batch", errors)
        finally:
            process.kill()
            process.wait()

    def test_timeout(self):
        process = subprocess.Popen([MATCHA, "stream", TRIANGLE, "--updates", "-", "--timeout", "0.5"], cwd=ROOT,
                                   env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.wait(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 124)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


class StateTest(CliTest):
    """A stream that is killed and goes on."""

    def setUp(self):
        super().setUp()
        draw = random.Random(31)
        at = 0
        lines = []
        for _ in range(40):
            at += draw.choice([0, 1, 5])
            lines.append(f"{draw.randrange(6)} {draw.randrange(6)} {at - draw.choice([0, 2])}\n")
        self.times = self.write("times.txt", "# u v t\n" + "".join(lines))
        self.graph = self.write("g.txt", "0 1\n")

    def command(self, name, *more):
        return ["stream", "--pattern", "triangle", self.graph, "--updates", self.times, "--temporal", "--window", 20,
                "--lateness", 2, "--batch", 7, "--state", self.path(name), "--out", self.path(name + ".out"),
                "--matches", self.path(name + ".tsv"), "--checkpoint", 3, "--tier", "interp", *more]

    def read(self, name):
        return (self.folder / name).read_text()

    def outputs(self, name):
        return [self.read(name + ending) for ending in (".out", ".tsv")]

    def test_it_continues(self):
        self.ok(*self.command("whole"))
        whole = self.outputs("whole")
        self.assertEqual(len(whole[0].splitlines()), 7)
        self.ok(*self.command("whole"))
        self.assertEqual(self.outputs("whole"), whole)
        # More lines come, then a stop in the midst of the output.
        with open(self.times, "a") as file:
            file.write("1 2 900\n2 3 900\n1 3 901\n")
        self.ok(*self.command("whole"))
        longer = self.outputs("whole")
        self.assertTrue(longer[0].startswith(whole[0]))
        self.assertTrue(longer[0].endswith("total 1\n"), longer[0])
        with open(self.path("whole.out"), "a") as file:
            file.write("batch 8  +1")
        self.ok(*self.command("whole"))
        self.assertEqual(self.outputs("whole"), longer)

    def test_killed_after_every_call(self):
        if not SHIM:
            self.skipTest("there is no shim")
        self.ok(*self.command("whole"))
        whole = self.outputs("whole")
        for torn in ("", "1"):
            calls = 0
            while True:
                calls += 1
                name = f"k{calls}" + ("torn" if torn else "")
                extra = {"LD_PRELOAD": SHIM, "MATCHA_KILL_AT": str(calls)}
                if torn:
                    extra["MATCHA_KILL_TORN"] = torn
                done = self.matcha(*self.command(name), env=self.environment(**extra))
                if done.returncode == 0:
                    break
                self.assertEqual(done.returncode, 99, done.stderr)
                self.ok(*self.command(name))
                self.assertEqual(self.outputs(name), whole, f"killed after call {calls}")
            self.assertGreater(calls, 30)

    def test_full_disk(self):
        if not SHIM:
            self.skipTest("there is no shim")
        self.ok(*self.command("whole"))
        for calls in (1, 12, 25):
            name = f"f{calls}"
            extra = {"LD_PRELOAD": SHIM, "MATCHA_KILL_AT": str(calls), "MATCHA_KILL_FULL": "1"}
            done = self.matcha(*self.command(name), env=self.environment(**extra))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b"No space left", done.stderr)
            self.ok(*self.command(name))
            self.assertEqual(self.outputs(name), self.outputs("whole"))

    def test_late_lines_after_the_end(self):
        """Lines that waited are taken at the end of the input. One that comes before them later is too late."""
        args = ["stream", "--temporal", "--lateness", "10", "--window", "3", "--pattern", "a-b", "--state", self.path("l"),
                "--out", self.path("l.out"), "--json", "--updates"]
        updates = self.write("l.txt", "1 2 5\n2 3 9\n")
        self.ok(*args, updates)
        with open(updates, "a") as file:
            file.write("1 3 2\n7 8 11\n")
        self.ok(*args, updates)
        last = [json.loads(line) for line in self.read("l.out").splitlines()][-1]
        self.assertEqual((last["total"], last["late"]), (2, 1))

    def test_a_line_without_its_end(self):
        for end in ("\n", "\r\n"):
            name = f"cut{len(end)}"
            updates = self.write("cut.txt", f"# text{end}+ 2 17".encode())
            args = ["stream", "--pattern", "a-b", "--each", "--state", self.path(name), "--out", self.path(name + ".out"), "--updates", updates]
            self.ok(*args)
            self.write("cut.txt", f"# text{end}+ 2 17{end}- 2 17{end}bad{end}".encode())
            self.fails(3, *args, says=["cut.txt:4: error", "`bad`"])
            self.assertEqual(self.read(name + ".out").splitlines()[-1], "batch 2  +0 -1  total 0")
            self.write("cut.txt", f"# text{end}+ 2 1".encode())
            self.fails(3, *args, says="shorter than the part that was read before")

    def test_names_of_any_bytes(self):
        graph, program = (self.path(os.fsdecode(name)) for name in (b"g\xff.txt", b"p\xff.mt"))
        shutil.copy(os.path.join(ROOT, TRIANGLE), program)
        with open(graph, "wb") as file:
            file.write(b"1 2\n2 3\n")
        updates = self.write("u.txt", "+ 1 3\n")
        args = ["stream", program, graph, "--updates", updates, "--state", self.path("b"), "--out", self.path("b.out"), "--json"]
        self.ok(*args)
        self.ok(*args)
        self.assertEqual(json.loads(self.read("b.out").splitlines()[1])["total"], 1)
        pattern = ["--pattern", "a-b", program]
        answers = self.ok("stream", *pattern, graph, "--updates", updates, "--json").splitlines()
        self.assertIn("p\\xff.mt", " ".join(str(json.loads(line).get("program")) for line in answers))

    def test_pipe_continues(self):
        args = ["stream", TRIANGLE, "--updates", "-", "--batch", 2, "--state", self.path("p")]
        first = self.ok(*args, stdin=b"+ 1 2\n+ 2 3\n")
        self.assertEqual(first, "batch 0  total 0\nbatch 1  +0  total 0\n")
        # The reader of the pipe may or may not have received the last answer, so it is written again.
        second = self.ok(*args, stdin=b"+ 1 3\n")
        self.assertEqual(second, "batch 1  +0  total 0\nbatch 2  +1  total 1\n")

    def test_words_are_kept(self):
        graph = self.write("words.txt", "1 2\n")
        args = ["stream", "--pattern", "(a:'cat')-(b:'dog')", graph, "--updates", self.path("u.txt"), "--each",
                "--state", self.path("w"), "--out", self.path("w.out"), "--checkpoint", 2]
        lines = ["v 1 cat", "v 2 dog", "v 3 ant", "+ 2 3", "v 3 cat"]
        for count in range(1, 6):
            self.write("u.txt", "".join(line + "\n" for line in lines[:count]))
            self.ok(*args)
        self.assertEqual([line.split()[-1] for line in self.read("w.out").splitlines()], ["0", "0", "1", "1", "1", "2"])

    def test_bad_states(self):
        self.ok(*self.command("s"))
        state = self.folder / "s"
        self.fails(2, *self.command("s", "--slide", 10), says=["another stream", "slide"])
        self.fails(2, *self.command("s", "--embeddings"), says=["another stream", "programs"])
        self.fails(2, *self.command("s", "--match", "homo"), says=["another stream", "programs"])
        self.fails(2, *self.command("s", "--vertices", "more.txt"), says=["another stream", "vertices"])
        holder = subprocess.Popen([MATCHA, "stream", TRIANGLE, "--updates", "-", "--state", self.path("h")], cwd=ROOT,
                                  env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        try:
            holder.stdout.readline()
            self.fails(3, "stream", TRIANGLE, "--updates", "-", "--state", self.path("h"), says="another process")
        finally:
            holder.stdin.close()
            holder.stdout.close()
            holder.wait()
        (log,) = state.glob("*.log")
        (facts,) = state.glob("*.state")
        (graph,) = state.glob("*.mtg")
        for path, says in ((facts, "torn"), (graph, ".mtg")):
            kept = path.read_bytes()
            path.write_bytes(kept[:len(kept) // 2] + bytes([kept[len(kept) // 2] ^ 1]) + kept[len(kept) // 2 + 1:])
            self.fails(3, *self.command("s"), says=[path.name, says])
            path.write_bytes(kept)
        kept = facts.read_bytes()
        text = json.dumps({**json.loads(kept.splitlines()[0]), "feed": {"live": 7}}) + "\n"
        total = 0xCBF29CE484222325
        for byte in text.encode():
            total = (total ^ byte) * 0x100000001B3 % 2**64
        facts.write_text(f"{text}{total:016x}\n")
        self.fails(3, *self.command("s"), says=[facts.name, "no checkpoint of this version"])
        facts.write_bytes(kept)
        self.ok(*self.command("s"))
        self.assertTrue(log.exists())

    def test_only_this_user_keeps_a_state(self):
        """Links are not followed, and nothing is kept where others may write."""
        victim = self.write("victim", "keep\n")
        args = ["stream", TRIANGLE, "--updates", self.write("u.txt", "+ 1 2\n+ 2 3\n+ 3 1\n"), "--each", "--out", self.path("out")]
        for name in ("lock", "0.log", "0.state", "0.state.tmp", "0.mtg", "7.state"):
            folder = self.folder / f"s {name}"
            folder.mkdir()
            (folder / name).symlink_to(victim)
            self.fails(3, *args, "--state", folder, says=[name, "it is a link", "chmod"])
        os.mkfifo(self.folder / "s lock" / "1.log")
        (self.folder / "s lock" / "lock").unlink()
        self.fails(3, *args, "--state", self.folder / "s lock", says=["1.log", "it is no plain file"])
        (self.folder / "link").symlink_to(self.folder / "s 0.log")
        self.fails(3, *args, "--state", self.folder / "link", says=["it is a link"])
        self.assertEqual(self.read("victim"), "keep\n")
        open_folder = self.folder / "open"
        open_folder.mkdir()
        open_folder.chmod(0o777)
        self.fails(3, *args, "--state", open_folder, says=["it may be written by others", "chmod"])
        open_folder.chmod(0o755)
        for _ in range(2):
            self.ok(*args, "--state", open_folder, umask=0o002)
        (open_folder / "0.log").chmod(0o666)
        self.fails(3, *args, "--state", open_folder, says=["0.log", "it may be written by others"])

    def test_changed_outputs_are_errors(self):
        """A file of answers or rows that was shortened, or a log that was lost, is an error before a line is written."""
        updates = "".join(f"+ {u} {v}\n" for u in range(6) for v in range(u))
        for more in ([], ["--matches", self.path("out.tsv")], ["--json", "--pattern", "edge"]):
            for checkpoint in (4, 1000):
                args = ["stream", "--pattern", "triangle", *more, "--updates", self.write("u.txt", updates), "--each", "--state",
                        self.path("s"), "--out", self.path("out"), "--checkpoint", checkpoint, "--tier", "interp"]
                self.ok(*args)
                state = self.folder / "s"
                files = [path for path in [self.folder / "out", self.folder / "out.tsv"] if path.exists()]
                whole = {path: path.read_bytes() for path in [*files, *state.iterdir()]}
                (log,) = state.glob("*.log")
                stored = int(log.name.split(".")[0])

                def restore():
                    for path, content in whole.items():
                        path.write_bytes(content)

                def outputs():
                    return [re.sub(rb'"ms": {.*}', b"", path.read_bytes()) for path in files]

                before = outputs()
                # A tail that the log has is written again.
                for path in files:
                    for size in (len(whole[path]) - 1, len(whole[path]) - 20):
                        path.write_bytes(whole[path][:size])
                        self.ok(*args)
                        self.assertEqual(outputs(), before)
                        restore()
                if stored:
                    for path in files:
                        for changed in (b"", whole[path][:30], *([whole[path][9:]] if path.name == "out" else [])):
                            path.write_bytes(changed)
                            self.fails(3, *args, says=["was shortened or changed", "another folder"])
                            self.assertEqual(path.read_bytes(), changed)
                            restore()
                else:
                    for changed in (b"", whole[log][:-1]):
                        log.write_bytes(changed)
                        self.fails(3, *args, says=["was lost or cut", "another folder"])
                        self.assertEqual(outputs(), before)
                        restore()
                shutil.rmtree(state)
                for path in files:
                    path.unlink()

    def test_corrupt_log(self):
        args = ["stream", TRIANGLE, "--updates", self.write("u.txt", "+ 1 2\n+ 2 3\n+ 3 1\n"), "--each", "--state",
                self.path("c"), "--out", self.path("c.out")]
        self.ok(*args)
        log = self.folder / "c" / "0.log"
        whole, answers = log.read_bytes(), self.read("c.out")
        for cut in range(1, len(whole), 7):
            log.write_bytes(whole[:-cut])
            os.remove(self.path("c.out"))
            self.ok(*args)
            self.assertEqual(self.read("c.out"), answers)
            self.assertEqual(log.read_bytes(), whole)
        log.write_bytes(bytes([whole[0]]) + whole[1:60] + bytes([whole[60] ^ 1]) + whole[61:])
        self.fails(3, *args, says=["0.log", "corrupt after batch 0"])


if __name__ == "__main__":
    main()
