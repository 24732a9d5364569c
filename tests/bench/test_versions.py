"""bench/versions: a version beside itself counts the same; one that counts differently, or is much slower, fails."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

MATCHA = str(pathlib.Path(os.environ.get("MATCHA", "build/bin/matcha")).resolve())


class Versions(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def version(self, name, text):
        """A program in place of `matcha`."""
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return file

    def bench(self, new):
        """(exit code, page)"""
        page = self.folder / "page.md"
        command = [sys.executable, "-B", "bench/versions", MATCHA, new, page, "tests/graphs/random-20-seed2.txt", "--repeat", "1",
                   "--timeout", "100", "--only", "triangle,4-motifs"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, page.read_text()

    def test_beside_itself(self):
        _, page = self.bench(MATCHA)
        self.assertIn("of 2 cells", page)
        self.assertNotIn("count differently", page)

    def test_another_count(self):
        other = self.version("other", f'exec {MATCHA} "$@" --embeddings')
        code, page = self.bench(other)
        self.assertEqual(code, 1, page)
        self.assertIn("they count differently", page)

    def test_slower(self):
        program = f'{MATCHA} "$@" | sed \'s/"compile":/"compile":1/\''
        code, page = self.bench(self.version("slower", program))
        self.assertEqual(code, 1, page)
        self.assertIn("above 1.10", page)


if __name__ == "__main__":
    unittest.main()
