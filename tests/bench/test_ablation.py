"""bench/ablation on a graph of a few vertices, on the CPU."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from liar import liar

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")


class Ablation(unittest.TestCase):
    def bench(self, *words, matcha=MATCHA):
        """(exit code, text of the page, rows by program)"""
        page = self.folder / "page.md"
        command = [sys.executable, "-B", "bench/ablation", page, "--matcha", matcha, "--graphs", "tests/graphs", "--graph",
                   "random-20-seed2", "--repeat", "1", "--timeout", "100", *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        rows = json.loads(page.with_suffix(".json").read_text())["rows"]
        return done.returncode, page.read_text(), {row["program"]: row for row in rows}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_passes_and_threads(self):
        code, page, rows = self.bench("--program", "diamonds")
        self.assertEqual(code, 0, page)
        self.assertEqual(rows["diamonds"]["count"], 341)
        variants = rows["diamonds"]["variants"]
        self.assertEqual({variant["status"] for variant in variants.values()}, {"ok"})
        self.assertLessEqual({"base", "without fuse", "without restrict", "1 thread"}, set(variants))
        # There is no program without it.
        self.assertNotIn("without plan-memory", variants)
        for heading in ("## Without a pass", "## Passes that cost", "## Other schedules", "### listing"):
            self.assertIn(heading, page)

    def test_schedules_only(self):
        code, page, rows = self.bench("--program", "Q1, join", "--program", "four cliques", "--no-passes", "--threads", "4")
        self.assertEqual(code, 0, page)
        self.assertEqual(rows["four cliques"]["count"], 30)
        self.assertEqual(list(rows["Q1, join"]["variants"]), ["base", "1 thread", "2 threads"])
        self.assertNotIn("## Without a pass", page)

    def test_other_counts(self):
        code, page, _ = self.bench("--program", "diamonds", "--no-schedules", matcha=liar(self.folder, MATCHA, "restrict"))
        self.assertEqual(code, 1)
        self.assertIn("without restrict gives 342, all passes 341", page)


if __name__ == "__main__":
    unittest.main()
