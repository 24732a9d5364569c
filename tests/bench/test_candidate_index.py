"""bench/candidate_index on a graph of a few vertices: its sizes are those of an index that is built entry by entry."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")
GRAPH = pathlib.Path("tests/graphs/random-20-seed2.txt")
PATTERNS = {"diamonds": "01 02 12 03 13", "four_cliques": "01 02 03 12 13 23", "p5": "01 02 03 04 12 23 34 14"}


def built(near, labels, edges):
    """(candidates, bytes) of the index of EGSM, from its entries."""
    arcs = edges + [(v, u) for u, v in edges]
    size = 1 + max(map(max, edges))
    around = {i: [v % 4 for u, v in arcs if u == i] for i in range(size)}
    fits = {i: [v for v in near if labels[v] == i % 4 and all(sum(labels[w] == label for w in near[v]) >= around[i].count(label) for label in range(4))]
            for i in range(size)}
    total = 0
    for u, w in arcs:
        buckets = -(-2 * len(fits[u]) // 8)
        total += 2 * (8 * buckets * 4 + 8 * buckets * 8)
        total += 4 * sum(1 for v in fits[u] for other in near[v] if other in fits[w])
    frequent = max(sum(1 for v in near if labels[v] == label) for label in {i % 4 for i in range(size)})
    return sum(map(len, fits.values())), total + 4 * len(arcs) * frequent


class CandidateIndex(unittest.TestCase):
    def test_sizes(self):
        pairs = [tuple(map(int, line.split()[:2])) for line in GRAPH.read_text().splitlines() if line and line[0] not in "#%"]
        near = {}
        for u, v in pairs:
            if u != v:
                near.setdefault(u, set()).add(v)
                near.setdefault(v, set()).add(u)
        source = random.Random(4)
        labels = {v: source.randrange(4) for v in sorted(near)}
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            command = [sys.executable, "-B", "bench/candidate_index", page, "--matcha", MATCHA, "--graphs", GRAPH.parent, "--graph", GRAPH.stem, "--device", "cpu"]
            for name in PATTERNS:
                command += ["--pattern", name]
            subprocess.run([str(word) for word in command], check=True)
            rows = {row["pattern"]: row for row in json.loads(page.with_suffix(".json").read_text())["rows"]}
            text = page.read_text()
        self.assertEqual(list(rows), list(PATTERNS))
        for name, edges in PATTERNS.items():
            wanted = built(near, labels, [(int(edge[0]), int(edge[1])) for edge in edges.split()])
            self.assertEqual((rows[name]["candidates"], rows[name]["index"]), wanted, name)
            self.assertEqual((rows[name]["ours"], rows[name]["status"]), (8 * len(near), "ok"))
            self.assertIn(f"| {GRAPH.stem} | {name} |", text)


if __name__ == "__main__":
    unittest.main()
