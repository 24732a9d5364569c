#!/usr/bin/env python3
"""The runner of documents: it must fail if a page shows other output, and write the actual output."""

import contextlib
import io
import pathlib
import stat
import tempfile
import unittest

import run_docs

# Stands in for matcha: `check` fails for files with the word `bad`, other calls print their arguments and a time.
STUB = """#!/bin/sh
if [ "$1" = check ]; then ! grep -q bad "$2"; exit; fi
echo "args: $*; took 0.12 s"
"""


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        stub = self.root / "matcha"
        stub.write_text(STUB)
        stub.chmod(stub.stat().st_mode | stat.S_IXUSR)

    def run_page(self, text, *options):
        """The exit status, all that was printed, and the page as it is then."""
        page = self.root / "page.md"
        page.write_text(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = run_docs.main(["--bin", str(self.root), *options, str(page)])
        return status, out.getvalue(), page.read_text()

    def test_commands(self):
        right = "```console\n$ matcha run x\nargs: run x; took 9.87 s\n$ echo a\na\n```\n"
        self.assertEqual(self.run_page(right)[0], 0)
        status, out, page = self.run_page(right.replace("run x;", "run y;"))
        self.assertEqual(status, 1)
        self.assertIn("-args: run y;", out)
        self.assertIn("run y;", page)

    def test_parts_left_out(self):
        page = "```console\n$ seq 5\n1\n…\n5\n$ echo one two three\none … three\n```\n"
        self.assertEqual(self.run_page(page)[0], 0)
        self.assertEqual(self.run_page(page.replace("\n5\n", "\n6\n"))[0], 1)

    def test_a_failure_is_said(self):
        self.assertEqual(self.run_page("```console\n$ false\n```\n")[0], 1)
        self.assertEqual(self.run_page("```console\n$ false\n$ echo $?\n1\n```\n")[0], 0)
        self.assertEqual(self.run_page("```console\n$ false | cat\n```\n")[0], 1)

    def test_here_documents_and_one_folder(self):
        page = "```console\n$ cat > a.txt << EOF\n1 2\nEOF\n```\n\ntext\n\n```console\n$ cat a.txt\n1 2\n```\n"
        self.assertEqual(self.run_page(page)[0], 0)

    def test_python(self):
        page = "```python\n>>> x = 20\n>>> x + 1\n21\n>>> for i in range(2):\n...     print(i)\n0\n1\n>>> 1 / 0\n" \
               "Traceback (most recent call last):\n    ...\nZeroDivisionError: division by zero\n```\n\n" \
               "```python\nassert x == 20\n```\n"
        self.assertEqual(self.run_page(page)[0], 0)
        self.assertEqual(self.run_page(page.replace("\n21\n", "\n22\n"))[0], 1)
        self.assertEqual(self.run_page(page.replace("x == 20", "x == 21"))[0], 1)

    def test_a_missing_library_skips_the_block(self):
        status, out, _ = self.run_page("```python\n>>> import no_such_library\n>>> 1\n2\n```\n")
        self.assertEqual(status, 0)
        self.assertIn("there is no no_such_library", out)

    def test_programs(self):
        self.assertEqual(self.run_page("```mt\ngood\n```\n")[0], 0)
        self.assertEqual(self.run_page("```mt\nbad\n```\n")[0], 1)
        saved = "```mt\n# wrong.mt\nbad\n```\n\n```console\n$ tail -1 wrong.mt\nbad\n```\n"
        self.assertEqual(self.run_page(saved)[0], 0)

    def test_update(self):
        text = "a\n\n```console\n$ seq 2\n$ echo three\n```\n\n```python\n>>> 3 + 4\n\n>>> 'b'\n'c'\n```\nend\n"
        status, _, page = self.run_page(text, "--update")
        self.assertEqual(status, 0)
        self.assertEqual(page, "a\n\n```console\n$ seq 2\n1\n2\n$ echo three\nthree\n```\n\n"
                               "```python\n>>> 3 + 4\n7\n\n>>> 'b'\n'b'\n```\nend\n")
        self.assertEqual(self.run_page(page)[0], 0)


if __name__ == "__main__":
    unittest.main()
