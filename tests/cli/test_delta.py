"""`matcha pattern --delta`: the matches added by one edge, compared with the counts with it and without it."""

import json
import random

from cli import CliTest, fewer, main

PATTERNS = ["edge", "triangle", "diamond", "tailed-triangle", "house", "star:4", "bull", "(a:1)-(b:2)-(c:1)",
            "(a:1)-(b)-(c:2)-(a)", "a-b-c-d,a~d"]


class DeltaTest(CliTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(5)
        self.labels = self.write("labels.txt", "".join(f"{v} {1 + v % 3 % 2}\n" for v in range(12)))
        self.pairs = [(u, v) for u in range(12) for v in range(u)]

    def count(self, pattern, edges, *options):
        # Every vertex has an edge.
        graph = self.write("graph.txt", "".join(f"{u} {v}\n" for u, v in sorted(edges)))
        return int(self.ok("run", "--pattern", pattern, graph, "--labels", self.labels, *options))

    def test_difference_of_counts(self):
        for pattern in PATTERNS[:: fewer(1, 4)]:
            for options in (["--induced", "edge"], ["--induced", "vertex", "--embeddings"]):
                edges = {(v + 1, v) for v in range(11)} | set(self.random.sample(self.pairs, 22))
                edge = self.random.choice(sorted(edges - {(v + 1, v) for v in range(11)}))
                if self.random.random() < 0.5:
                    edge = edge[1], edge[0]
                program = self.write("delta.mt", self.ok("pattern", pattern, "--delta", *options))
                after = self.count(pattern, edges, *options)
                without = edges - {edge, edge[::-1]}
                before = self.count(pattern, without, *options)
                graph = self.write("graph.txt", "".join(f"{u} {v}\n" for u, v in sorted(without)))
                found = self.ok("run", program, graph, "--labels", self.labels, "--param", f"a={edge[0]}", "--param",
                                f"b={edge[1]}")
                self.assertEqual(int(found), after - before, (pattern, options))

    def test_reads_well(self):
        text = self.ok("pattern", "triangle", "--delta")
        self.assertIn("def delta(G: Graph, a: int, b: int) -> int:", text)
        self.assertIn("c2 = intersect(neighbor(G, v0), neighbor(G, v1))", text)
        text = self.ok("pattern", "wedge", "--delta", "--induced", "vertex")
        self.assertIn("return edge_v0_v1(G, a, b) - no_edge_v0_v2(G, a, b) + edge_v1_v0(G, a, b)", text)

    def test_words_and_names(self):
        for pattern in ("(a:person)-(b:shop)-(G:person)", "delta-x-def,delta~def"):
            program = self.write("delta.mt", self.ok("pattern", pattern, "--delta"))
            self.assertFalse(self.matcha("check", program).stderr, pattern)

    def test_equals_a_stream(self):
        edges, lines, states = {(0, 1), (1, 2), (2, 3)}, [], []
        for _ in range(4):
            u, v = self.random.sample(range(7), 2)
            edge = max(u, v), min(u, v)
            known = {(max(e), min(e)) for e in edges}
            lines.append(f"{'-' if edge in known else '+'} {u} {v}")
            known.discard(edge)
            states.append((edge, known, lines[-1][0] == "+"))
            edges = known | {edge} if states[-1][2] else known
        start = self.write("start.txt", "0 1\n1 2\n2 3\n" + "".join(f"{v} {v}\n" for v in range(7)))
        updates = self.write("updates.txt", "\n".join(lines))
        program = self.write("delta.mt", self.ok("pattern", "tailed-triangle", "--delta"))
        for how in ([], ["--recompute"]):
            reported = self.ok("stream", "--pattern", "tailed-triangle", start, "--updates", updates, "--each", "--json", *how)
            deltas = [json.loads(line).get("delta") for line in reported.splitlines()][1:-1]
            self.assertEqual(len(deltas), len(states))
            for (edge, without, comes), delta in zip(states, deltas):
                graph = self.write("graph.txt", "".join(f"{u} {v}\n" for u, v in without) +
                                   "".join(f"{v} {v}\n" for v in range(7)))
                found = self.ok("run", program, graph, "--param", f"a={edge[0]}", "--param", f"b={edge[1]}")
                self.assertEqual(int(found) * (1 if comes else -1), delta)

    def test_errors(self):
        for pattern in ("a->b", "a-b,c-d", "a-b=3", "motif:4"):
            self.assertIn("delta", self.fails(1, "pattern", pattern, "--delta"))
        self.assertIn("injective", self.fails(1, "pattern", "square", "--delta", "--match", "homo"))


if __name__ == "__main__":
    main()
