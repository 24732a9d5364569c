"""`matcha stream` where vertices have labels, or edges any label: several types, choices, and rows in order."""

import itertools
import json
import random

from cli import CliTest, main

TYPES = ["P", "A", "Q"]


class Graph:
    """An undirected graph with sets of types."""

    def __init__(self):
        self.edges, self.types = set(), {}

    def apply(self, line):
        op, *words = line.split()
        ids = [int(word) for word in words[:1 if op == "v" else 2]]
        for v in ids if op != "-" else []:
            self.types.setdefault(v, frozenset())
        if op == "v":
            self.types[ids[0]] = frozenset(words[1].split(";"))
        elif op == "+" and ids[0] != ids[1]:
            self.edges.add(frozenset(ids))
        elif op == "-":
            self.edges.discard(frozenset(ids))

    def paths(self, wanted):
        """Maps of the path a-b-c, where a and b have one of the types that `wanted` says."""
        return {(a, b, c) for a, b, c in itertools.permutations(self.types, 3)
                if {a, b} in self.edges and {b, c} in self.edges and
                all(ones is None or self.types[v] & ones for v, ones in zip((a, b), wanted))}


class StreamVertexLabelsTest(CliTest):
    def objects(self, lines, *args):
        reported = self.ok("stream", *args, "--updates", "-", "--json", stdin="".join(line + "\n" for line in lines).encode())
        return [one for one in map(json.loads, reported.splitlines()) if "end" not in one]

    def check(self, seed, pattern, wanted, first, *args):
        """Random updates; all reported maps are compared; labels of several types come late."""
        draw = random.Random(seed)
        ids = range(1, 9)
        graph = Graph()
        start = [draw.sample(ids, 2) for _ in range(8)]
        for u, v in start:
            graph.apply(f"+ {u} {v}")
        labels = {v: draw.choice(first) for v in sorted(graph.types)}
        for v, label in labels.items():
            graph.apply(f"v {v} {label}")
        lines, states = [], [graph.paths(wanted)]
        for at in range(60):
            u, v = draw.sample(ids, 2)
            several = ";".join(draw.sample(TYPES, draw.choice([1, 2, 3]) if at >= 20 else 1))
            lines.append(draw.choice([f"+ {u} {v}", f"+ {u} {v}", f"- {u} {v}", f"v {u} {several}"]))
            graph.apply(lines[-1])
            if at % 4 == 3:
                states.append(graph.paths(wanted))
        answers = self.objects(lines, "--pattern", pattern, "--embeddings", "--batch", 4, *args,
                               self.write("g.txt", "".join("%d %d\n" % (u, v) for u, v in start)), "--labels",
                               self.write("l.txt", "".join("%d %s\n" % pair for pair in labels.items())))
        reported = [one["total"] for one in answers]
        self.assertEqual(reported, [len(state) for state in states], (seed, pattern, args))
        for answer, before, now in zip(answers[1:], states, states[1:]):
            self.assertEqual(answer["delta"], len(now) - len(before))
            if "plus" in answer:
                self.assertEqual((answer["plus"], answer["minus"]), (len(now - before), len(before - now)),
                                 (seed, pattern, args, answer))
        return answers

    def test_patterns_ask_for_types(self):
        for seed in range(4):
            for first in ([*TYPES, "P;A", "Q;P"], TYPES):
                for args in ([], ["--threads", 2], ["--recompute"]):
                    self.check(seed, "(a:P)-b-c", ({"P"}, None), first, *args)
                    answers = self.check(seed, "(a:P)-(b:A)-c", ({"P"}, {"A"}), first, *args)
                    self.assertEqual(answers[-1]["how"], "recompute")

    def test_rows_of_types_that_come(self):
        rows = self.path("rows.tsv")
        graph, labels = self.write("g.txt", "1 2\n3 4\n"), self.write("l.txt", "1 P\n2 Q\n3 Q\n4 Q\n")
        answers = self.objects(["+ 1 3", "v 2 A;P", "- 1 2", "v 1 P;Q"], "--pattern", "(a:P)-b", graph, "--labels", labels,
                               "--batch", 1, "--matches", rows)
        self.assertEqual([one["total"] for one in answers], [1, 2, 3, 1, 1])
        self.assertEqual(self.read(rows), ["0 + 1 2", "1 + 1 3", "2 + 2 1", "3 - 1 2", "3 - 2 1"])

    def test_one_of_several_patterns_is_recomputed(self):
        """Once types are added; the others continue as before. Two threads share the rest, which may be empty."""
        graph = self.write("g.txt", "1 2\n3 4\n2 3\n")
        labels = self.write("l.txt", "1 P\n2 Q\n3 A\n4 Q\n")
        draw = random.Random(5)
        lines = []
        for at in range(200):
            u, v = draw.sample(range(1, 8), 2)
            lines.append(draw.choice([f"+ {u} {v}", f"- {u} {v}", f"v {u} " + draw.choice(["P", "A;P" if at > 50 else "A"])]))
        others = ["--pattern", "a-b-c", "--pattern", "triangle", "--pattern", "(a:Q)-b"]
        for more in (others, []):
            reported = []
            for way in (["--threads", 2], ["--recompute"]):
                answers = self.objects(lines, "--pattern", "(a:P)-b-c", *more, graph, "--labels", labels, "--batch", 7, *way)
                reported.append([(one.get("program"), one["batch"], one["total"]) for one in answers])
            self.assertEqual(*reported)

    def test_another_label_of_a_choice_is_no_change(self):
        for seed in range(4):
            answers = self.check(seed, "(a:P|A)-b-c", ({"P", "A"}, None), TYPES)
            self.assertTrue(any("plus" in one for one in answers[1:]))
        graph, labels = self.write("g.txt", "1 2\n"), self.write("l.txt", "1 P\n2 Q\n")
        reported = self.objects(["v 1 A", "+ 3 1"], "--pattern", "(a:P|A)-b", graph, "--labels", labels, "--batch", 1)
        self.assertEqual([(one.get("plus"), one.get("minus"), one["total"]) for one in reported],
                         [(None, None, 1), (None, None, 1), (1, 0, 2)])

    def test_an_edge_of_any_label_is_another_with_another_label(self):
        graph = self.write("g.txt", "1 2 x\n3 4 x\n")
        for pattern, args in (("a-b=?", []), ("a-b=?s", []), ("a-b=?", ["--match", "homo"]),
                              ("a-b,b-c=x", ["--match", "edge"])):
            reported = self.objects(["- 1 2 x", "+ 1 2 y", "+ 4 5 x", "- 3 4 x"], "--pattern", pattern, *args, graph,
                                "--batch", 2)
            self.assertNotIn("plus", reported[1], (pattern, args))
            self.assertEqual(reported[2]["plus"] - reported[2]["minus"], reported[2]["delta"])
            self.assertEqual(reported[2]["total"], reported[1]["total"])

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read().replace("\t", " ").splitlines()

    def test_rows_ascend_below_0(self):
        """Patterns whose rows come from edges or from whole runs, and programs, whose columns may be any numbers."""
        graph, rows = self.write("g.txt", "-5 2\n2 -9\n"), self.path("rows.tsv")
        for args in ([], ["--recompute"]):
            self.objects(["+ 1 -5", "- 2 -5", "+ -1 7"], "--pattern", "a-b", graph, "--batch", 3, "--matches", rows, *args)
            self.assertEqual(self.read(rows), ["0 + -9 2", "0 + -5 2", "1 + -5 1", "1 - -5 2", "1 + -1 7"])
        program = self.write("p.mt", "def main(G: Graph):\n    return apply(lambda v: "
                             "mk_tuple(val=[2 - size(neighbor(G, v)), 0.5 - size(neighbor(G, v)), v]), vertices(G))\n")
        self.objects(["+ 2 3", "+ 2 4"], program, graph, "--batch", 2, "--matches", rows)
        self.assertEqual(self.read(rows), ["0 + 0 -1.5 2", "0 + 1 -0.5 -9", "0 + 1 -0.5 -5", "1 + -2 -3.5 2",
                                           "1 - 0 -1.5 2", "1 + 1 -0.5 3", "1 + 1 -0.5 4"])


if __name__ == "__main__":
    main()
