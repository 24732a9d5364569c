"""bench/runtime on a graph of a few vertices, on the CPU."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from liar import liar

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")


class Runtime(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def bench(self, *words, matcha=MATCHA):
        """(exit code, text of the page, rows)"""
        page = self.folder / "page.md"
        command = [sys.executable, "-B", "bench/runtime", page, "--matcha", matcha, "--device", "cpu", "--graphs", "tests/graphs",
                   "--graph", "random-20-seed2", "--first-graph", "random-20-seed2", "--timeout", "100", *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, page.read_text(), json.loads(page.with_suffix(".json").read_text())["rows"]

    def test_every_table(self):
        code, page, rows = self.bench("--program", "diamond", "--program", "labelled p3", "--program", "p6", "--first", "triangle", "--shared",
                                      "clique5@random-20-seed2", "--gpus", "1", "2", "--repeat", "2")
        self.assertEqual(code, 0, page)
        for heading in ("## From the command to the first kernel", "## Stealing", "## Several GPUs", "## Repeated"):
            self.assertIn(heading, page)
        self.assertNotIn("## Problems", page)
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        # Three runs of the first kernel, six schedules and two times two repeats of three programs, one program on one and on two.
        self.assertEqual(len(rows), 3 + 3 * (6 + 4) + 2)

    def test_counts_that_differ(self):
        code, page, rows = self.bench("--program", "diamond", "--only", "stealing", matcha=liar(self.folder, MATCHA, "half"))
        self.assertEqual(code, 1)
        self.assertIn("diamond on random-20-seed2 --steal half: 342, before 341", page)

    def test_no_budget(self):
        code, page, rows = self.bench("--program", "diamond", "--only", "repeats", "--budget", "0")
        self.assertEqual((code, rows), (0, []))


if __name__ == "__main__":
    unittest.main()
