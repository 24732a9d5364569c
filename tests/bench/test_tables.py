"""bench/tables on a graph of a few vertices, on the CPU."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")


class Tables(unittest.TestCase):
    def page(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            command = [sys.executable, "-B", "bench/tables", page, "--matcha", MATCHA, "--graph", "tests/graphs/random-20-seed2.txt",
                       "--repeats", "1", "--timeout", "100", *words]
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return page.read_text(), sorted(file.name for file in pathlib.Path(folder).glob("*.svg"))

    def test_cliques_and_motifs(self):
        text, pictures = self.page("--only", "cliques", "--only", "motifs")
        self.assertRegex(text, r"\| random-20-seed2 4-CL \| \d+ \| [\d.e-]+ \| [\d.e-]+ \|")
        self.assertRegex(text, r"\| random-20-seed2 3-MC \| \d+ \| [\d.e-]+ \| [\d.e-]+ \|")
        self.assertNotIn("Temporal", text.split("|---|")[-1])
        self.assertNotIn("differ", text)
        self.assertEqual(len(pictures), 10)

    def test_budget(self):
        text, _ = self.page("--only", "labelled", "--budget", "0")
        self.assertIn("| random-20-seed2 Q1 |  | … | … | … | … |", text)


if __name__ == "__main__":
    unittest.main()
