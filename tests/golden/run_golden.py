#!/usr/bin/env python3
"""Runs golden tests: a command named in the input file, its output compared with the sibling `.expected` file.

The first lines of an input (`#` comments in .mt and .run files, `//` comments in .mtir files) say what to do:

    # RUN: matcha build %s --emit=asg     the command; %s is the path of this file relative to the root
    # EXIT: 1                             expected exit status; 0 when not said
    # COUNT: 2 intersect                  the output holds the word `intersect` exactly twice

The expected text is standard output, then standard error under a line `--- stderr` when there is any. A file with COUNT lines
needs no `.expected`; any other does. An `.expected` over 60 lines fails: cut the input down or count nodes.
"""

import argparse
import difflib
import pathlib
import re
import shlex
import subprocess
import sys

MAX_LINES = 60
TIMEOUT_S = 300
DIRECTIVE = re.compile(r"^(?:#|//) (RUN|EXIT|COUNT): (.*?)\s*$")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*")


class GoldenError(Exception):
    """A message for the author of the test."""


class Directives:
    """The directives at the top of an input file."""

    def __init__(self, text):
        self.command = None
        self.exit_code = 0
        self.counts = []
        for line in text.splitlines():
            found = DIRECTIVE.match(line)
            if not found:
                continue
            key, value = found.groups()
            if key == "RUN":
                if self.command is not None:
                    raise GoldenError("more than one RUN line")
                self.command = value
            elif key == "EXIT":
                self.exit_code = int(value)
            else:
                number, word = value.split()
                self.counts.append((int(number), word))
        if self.command is None:
            raise GoldenError("no RUN line")


def run(directives, path, bin_dir):
    """Returns the output of the command, as it is compared."""
    words = [word.replace("%s", path) for word in shlex.split(directives.command)]
    program = bin_dir / words[0]
    if not program.exists():
        raise GoldenError(f"{program} is not built")
    done = subprocess.run(
        [str(program)] + words[1:], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False
    )
    output = done.stdout.decode("utf-8", "replace")
    errors = done.stderr.decode("utf-8", "replace")
    if done.returncode != directives.exit_code:
        raise GoldenError(f"exit status {done.returncode}, expected {directives.exit_code}\n{output}{errors}")
    if errors:
        output += ("" if output.endswith("\n") or not output else "\n") + "--- stderr\n" + errors
    return output


def check_counts(directives, path, output):
    """Compares the COUNT lines with the words of the output; comments of the output do not count."""
    code = "\n".join(line.split("//")[0] for line in output.splitlines())
    words = WORD.findall(code)
    if directives.counts and not pathlib.Path(path + ".expected").exists() and not any(number for number, _ in directives.counts):
        raise GoldenError("COUNT: a word that does not occur shows nothing alone; count one that does as well")
    for number, word in directives.counts:
        seen = words.count(word)
        if seen != number:
            raise GoldenError(f"COUNT: `{word}` occurs {seen} times, expected {number}\n{output}")


def check(path, bin_dir, update):
    """Runs one test; raises GoldenError when it fails. With `update` the expected text is written instead."""
    directives = Directives(pathlib.Path(path).read_text(encoding="utf-8"))
    output = run(directives, path, bin_dir)
    check_counts(directives, path, output)
    golden = pathlib.Path(path + ".expected")
    if not golden.exists() and directives.counts:
        return
    if output.count("\n") > MAX_LINES:
        raise GoldenError(f"{output.count(chr(10))} lines of output, more than {MAX_LINES}: cut the input or use COUNT")
    if update:
        if not golden.exists() or golden.read_text(encoding="utf-8") != output:
            golden.write_text(output, encoding="utf-8")
            print(f"wrote {golden}")
        return
    if not golden.exists():
        raise GoldenError(f"{golden} is missing; run `cmake --build build --target update-goldens`\n{output}")
    expected = golden.read_text(encoding="utf-8")
    if expected != output:
        lines = difflib.unified_diff(
            expected.splitlines(), output.splitlines(), str(golden), "output", lineterm="", n=3
        )
        raise GoldenError("output differs\n" + "\n".join(lines))


def main(argv):
    parser = argparse.ArgumentParser(description="golden tests")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of matcha and matcha-opt")
    parser.add_argument("--update", action="store_true", help="rewrite the expected texts")
    parser.add_argument("inputs", nargs="*", help="input files, relative to the current folder")
    options = parser.parse_args(argv)
    failed = 0
    for path in options.inputs:
        try:
            check(path, options.bin, options.update)
        except (GoldenError, ValueError, subprocess.TimeoutExpired) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
