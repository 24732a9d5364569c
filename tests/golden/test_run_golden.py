#!/usr/bin/env python3
"""Tests of the golden runner itself: it fails when it should."""

import os
import pathlib
import tempfile
import unittest

import run_golden

TOOL = """#!/bin/sh
case "$1" in
  cat) grep -v '^#' "$2" ;;
  fail) echo out; echo bad >&2; exit 3 ;;
esac
"""


class GoldenRunner(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = pathlib.Path(self.folder.name) / "bin"
        self.bin.mkdir()
        tool = self.bin / "tool"
        tool.write_text(TOOL)
        tool.chmod(0o755)

    def write(self, text, expected=None):
        path = os.path.join(self.folder.name, "case.mt")
        pathlib.Path(path).write_text(text)
        if expected is not None:
            pathlib.Path(path + ".expected").write_text(expected)
        return path

    def test_equal_output_passes(self):
        run_golden.check(self.write("# RUN: tool cat %s\nhello\n", "hello\n"), self.bin, False)

    def test_different_output_fails_with_a_diff(self):
        with self.assertRaisesRegex(run_golden.GoldenError, r"-hullo\n\+hello"):
            run_golden.check(self.write("# RUN: tool cat %s\nhello\n", "hullo\n"), self.bin, False)

    def test_missing_expected_fails(self):
        with self.assertRaisesRegex(run_golden.GoldenError, "missing"):
            run_golden.check(self.write("# RUN: tool cat %s\nhello\n"), self.bin, False)

    def test_no_run_line_fails(self):
        with self.assertRaisesRegex(run_golden.GoldenError, "no RUN line"):
            run_golden.check(self.write("hello\n", ""), self.bin, False)

    def test_exit_status_is_compared(self):
        with self.assertRaisesRegex(run_golden.GoldenError, "exit status 3"):
            run_golden.check(self.write("# RUN: tool fail\n", ""), self.bin, False)
        expected = "out\n--- stderr\nbad\n"
        run_golden.check(self.write("# RUN: tool fail\n# EXIT: 3\n", expected), self.bin, False)

    def test_counts_are_compared_without_comments(self):
        text = "# RUN: tool cat %s\n# COUNT: 2 intersect\nintersect intersect.count // intersect\n"
        with self.assertRaisesRegex(run_golden.GoldenError, "occurs 1 times"):
            run_golden.check(self.write(text), self.bin, False)
        run_golden.check(self.write(text + "x = intersect(a)\n"), self.bin, False)

    def test_absent_words_alone_fail(self):
        with self.assertRaisesRegex(run_golden.GoldenError, "shows nothing alone"):
            run_golden.check(self.write("# RUN: tool cat %s\n# COUNT: 0 union\nx\n"), self.bin, False)

    def test_long_output_fails(self):
        text = "# RUN: tool cat %s\n" + "line\n" * 61
        with self.assertRaisesRegex(run_golden.GoldenError, "61 lines"):
            run_golden.check(self.write(text, "line\n" * 61), self.bin, False)

    def test_update_writes_the_output(self):
        path = self.write("# RUN: tool cat %s\nhello\n", "old\n")
        run_golden.check(path, self.bin, True)
        self.assertEqual(pathlib.Path(path + ".expected").read_text(), "hello\n")

    def test_unknown_program_fails(self):
        with self.assertRaisesRegex(run_golden.GoldenError, "not built"):
            run_golden.check(self.write("# RUN: nothing %s\n", ""), self.bin, False)


if __name__ == "__main__":
    unittest.main()
