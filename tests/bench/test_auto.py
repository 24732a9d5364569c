"""bench/auto on a graph of a few vertices, on the CPU."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")


class Auto(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def bench(self, *words):
        """(exit code, table, rows)"""
        rows = self.folder / "rows.json"
        command = [sys.executable, "-B", "bench/auto", "--matcha", MATCHA, "--graphs", "tests/graphs", "--graph", "random-20-seed2",
                   "--repeat", "1", "--timeout", "100", "--json", rows, *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout, json.loads(rows.read_text())

    def test_every_algorithm_and_times_that_are_kept(self):
        times = self.folder / "times.json"
        words = ["--pattern", "diamond", "--pattern", "motif:3", "--most", "1e9", "--times", times]
        code, table, rows = self.bench(*words)
        self.assertEqual(code, 0, table)
        self.assertEqual([row["case"].split(": ")[1] for row in rows], ["diamond, edge", "diamond, vertex", "motif:3, vertex"])
        for row in rows:
            self.assertIn(row["chosen"], row["ms"])
        self.assertIn("3 cases, 0 beyond", table)
        known = json.loads(times.read_text())
        self.assertEqual({entry["count"] for entry in known.values()} & {"341"}, {"341"})
        # Nothing is run again.
        self.bench(*words)
        self.assertEqual(json.loads(times.read_text()), known)

    def test_beyond_the_limit(self):
        times = self.folder / "times.json"
        words = ["--pattern", "diamond", "--times", times]
        self.bench(*words)
        known = json.loads(times.read_text())
        # The ratio is 1 at the least.
        code, table, rows = self.bench(*words, "--most", "1e-9")
        self.assertEqual(code, 1, table)
        self.assertEqual(json.loads(times.read_text()), known)


if __name__ == "__main__":
    unittest.main()
