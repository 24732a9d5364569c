"""bench/gpu with a table of peers for small graphs, on the CPU."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")
PEERS = {
    "graphs": {"random-20-seed2": {"edges": 2}},
    "patterns": {"triangle": "01 02 12", "4-clique": "01 02 03 12 13 23", "diamond": "01 02 12 13 23", "3-motif": "motif:3"},
    "sources": {"cpu": "figures of a test"},
    "tables": {
        "walked": {"device": "cpu", "peers": ["slow"], "induced": "edge",
                   "columns": ["triangle", "4-clique", "diamond, vertex-induced", "3-motif, vertex-induced"],
                   "ms": {"random-20-seed2": "1e9 1e-9 >900 1e9", "random-12-seed1": "- 1e9", "nowhere": "1"}},
        "both": {"device": "cpu", "peers": ["a", "b"], "induced": "edge", "counted": True, "columns": ["triangle", "diamond"],
                 "ms": {"random-20-seed2": "-/2e9 wrong/1e9"}},
        "labelled": {"device": "cpu", "peers": ["a"], "induced": "edge", "labels": 2, "columns": ["triangle"],
                     "ms": {"random-20-seed2": "1e9"}},
    },
}


class Gpu(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "peers.json").write_text(json.dumps(PEERS))
        self.truth("random-20-seed2,triangle,0-1;0-2;1-2,edge,77")

    def truth(self, line):
        (self.folder / "truth.csv").write_text(f"graph,pattern,edges,induced,count\n{line}\n")

    def bench(self, *words, matcha=MATCHA):
        """(exit code, text of the page, rows by table, graph and query)"""
        page = self.folder / "page.md"
        command = [sys.executable, "-B", "bench/gpu", page, "--matcha", matcha, "--device", "cpu", "--graphs", "tests/graphs",
                   "--peers", self.folder / "peers.json", "--truth", self.folder / "truth.csv", "--timeout", "100", "--repeat", "1"]
        done = subprocess.run([str(word) for word in [*command, *words]], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        rows = json.loads(page.with_suffix(".json").read_text())["rows"]
        return done.returncode, page.read_text(), {(row["table"], row["graph"], row["query"]): row for row in rows}

    def test_all_cells(self):
        code, page, rows = self.bench("--counted", "--ahead", "3")
        self.assertEqual(code, 0, page)
        self.assertEqual(len(rows), 9)
        statuses = {key: row["status"] for key, row in rows.items()}
        self.assertEqual(statuses.pop(("walked", "nowhere", "triangle")), "not here")
        self.assertEqual(set(statuses.values()), {"ok"}, page)
        triangle = rows["walked", "random-20-seed2", "triangle"]
        self.assertEqual(triangle["count"], 77)
        self.assertTrue(triangle["checked"])
        self.assertLess(triangle["ratio"], 1)
        self.assertIn("triangle.mt", triangle["programs"])
        self.assertIn("std.clique triangles", triangle["programs"])
        self.assertIn("counted", triangle)
        self.assertEqual(rows["walked", "random-20-seed2", "3-motif, vertex-induced"]["count"][0], 77)
        self.assertIn("pattern, join, embeddings", rows["labelled", "random-20-seed2", "triangle"]["programs"])
        # A tool that lists all matches is also a peer of one that counts them; one that did not end is not.
        self.assertEqual(rows["both", "random-20-seed2", "triangle"]["best_peer"], {"ms": 1e9, "name": "slow"})
        self.assertNotIn("ratio", rows["walked", "random-20-seed2", "diamond, vertex-induced"])

    def test_page(self):
        code, page, _ = self.bench("--only", "walked", "--graph", "random-20-seed2")
        self.assertEqual(code, 0, page)
        self.assertIn("| random-20-seed2 | triangle | 77 ✓ | 1e9 |", page)
        self.assertRegex(page, r"- random-20-seed2: 4-clique \(walked\): \d+ times")
        self.assertIn("**random-20-seed2** has 76 edges here, 2 where", page)
        self.assertNotIn("## both", page)

    def test_wrong_count(self):
        self.truth("random-20-seed2,triangle,0-1;0-2;1-2,edge,78")
        code, page, rows = self.bench("--only", "both")
        self.assertEqual(code, 1)
        self.assertEqual(rows["both", "random-20-seed2", "triangle"]["status"], "wrong or failed")
        self.assertIn("gives 77, right is 78", page)

    def test_spent_budget(self):
        code, page, rows = self.bench("--budget", "0")
        self.assertEqual(code, 0)
        self.assertIn("## Not reached", page)
        self.assertEqual(rows["both", "random-20-seed2", "triangle"]["status"], "not reached")

    def test_continued(self):
        """Measurements of an earlier page are not repeated."""
        code, _, before = self.bench("--only", "both", "--query", "triangle")
        self.assertEqual(code, 0)
        earlier = (self.folder / "page.json").rename(self.folder / "earlier.json")
        code, page, rows = self.bench("--only", "both", "--continue", earlier)
        self.assertEqual(code, 0)
        key = "both", "random-20-seed2", "triangle"
        self.assertEqual(rows[key], before[key])
        self.assertEqual(rows["both", "random-20-seed2", "diamond"]["status"], "ok")
        self.assertIn("| both | 2 | 2 | 0 |", page)

    def test_timeout(self):
        stuck = self.folder / "stuck"
        stuck.write_text("#!/bin/sh\nexit 124\n")
        stuck.chmod(0o755)
        code, page, rows = self.bench("--only", "both", matcha=stuck)
        self.assertEqual(code, 0)
        self.assertIn("## Timed out", page)
        self.assertEqual(rows["both", "random-20-seed2", "diamond"]["status"], "timeout")


if __name__ == "__main__":
    unittest.main()
