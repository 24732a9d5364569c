#!/usr/bin/env python3
"""Runs the code blocks of documents and compares what they print with what the page says.

The blocks of a page run from top to bottom in one folder that holds `examples` and `stdlib` and is empty otherwise:

    console   each `$ command` in bash; the lines below are what it prints, standard error first. Here-documents work. A
              command that fails must be followed by `$ echo $?`.
    python    `>>>` as in a doctest, anything else as a script. One namespace for the page. A block that imports a
              library that is not there is skipped, and said to be.
    mt        a program: `matcha check` must take it. `# NAME.mt` as its first line saves it under that name; a program
              called `wrong…` is saved and not checked.
    c         with a `main`: compiled for its errors, with matcha.h.

Tabs that are printed stand as blanks. In expected text `…` stands for anything within a line, and a line with nothing but `…`
or `...` for any lines. Times, sizes of memory, numbers of threads, SIMD tiers and versions may differ. Blocks of other languages
(`sh`, `sql`, `text`) are not run.

`--update` writes what was printed into the page, where it differs.
"""

import argparse
import contextlib
import difflib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 300
FENCE = re.compile(r"^(`{3,}|~{3,})\s*([A-Za-z0-9_+-]*)")
HERE_DOCUMENT = re.compile(r"<<\s*'?(\w+)'?")
# Times and sizes of memory, with the blanks that align them; versions; temporary folders.
VARIABLE = (
    # On an overloaded machine, commands of milliseconds take seconds.
    (re.compile(r"[ \t]*\b\d[\d.,]*(?:e[+-]?\d+)? ?(?:ns|µs|us|ms|s|min)(?![A-Za-z])"), " # s"),
    (re.compile(r"[ \t]*\b\d[\d.,]*(?:e[+-]?\d+)? ?(MiB|GiB|KiB)(?![A-Za-z])"), r" # \1"),
    (re.compile(r"\b\d+\.\d+\.\d+\b"), "#.#.#"),
    (re.compile(r"\bon \d+ threads?\b"), "on # threads"),
    (re.compile(r"^(  simd +)[a-z0-9-]+$"), r"\1#"),
    (re.compile(r"/tmp/[A-Za-z0-9_./-]+"), "/tmp/#"),
)
ANY_LINES = "\0"


class Block:
    """A fenced block: `first` is the number of the line below its fence, from 0."""

    def __init__(self, language, first, lines):
        self.language = language
        self.first = first
        self.lines = lines
        self.printed = list(lines)


def blocks_of(text):
    """The fenced blocks of a page, in order."""
    lines = text.split("\n")
    found, at = [], 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if not fence:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not re.match(re.escape(fence.group(1)) + r"\s*$", lines[end]):
            end += 1
        found.append(Block(fence.group(2), at + 1, lines[at + 1 : end]))
        at = end + 1
    return found


def normal(line):
    """A line without the parts that vary from run to run."""
    for pattern, instead in VARIABLE:
        line = pattern.sub(instead, line)
    return line.rstrip()


def fits(expected, printed):
    """Whether the printed lines are the expected ones, in which `…` stands for anything."""
    parts = []
    for line in expected:
        if line.strip() in ("…", "..."):
            parts.append(ANY_LINES)
        else:
            parts.append(".*".join(re.escape(part) for part in normal(line).split("…")) + "\n")
    pattern = "".join("(?:.*\n)*?" if part == ANY_LINES else part for part in parts)
    return re.fullmatch(pattern, "".join(normal(line) + "\n" for line in printed)) is not None


def without_blank_end(lines):
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


class Page:
    """Runs the blocks of one page."""

    def __init__(self, path, options):
        self.path = path
        self.shown = os.path.relpath(path, ROOT)
        self.update = options.update
        self.text = path.read_text(encoding="utf-8")
        self.problems, self.skipped = [], []
        self.status, self.status_line = 0, None
        self.names = {"__name__": "__main__"}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="matcha-docs-"))
        for name in ("examples", "stdlib"):
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = dict(os.environ)
        self.environment.update(
            PATH=f"{options.bin.resolve()}:{os.environ['PATH']}", HOME=str(self.folder), NO_COLOR="1", LC_ALL="C.UTF-8",
            CUDA_VISIBLE_DEVICES="", PYTHONPATH=str(ROOT / "bindings/python/src"), PYTHONDONTWRITEBYTECODE="1",
            COLUMNS="100")  # fmt: skip
        if options.libmatcha:
            self.environment["MATCHA_LIBRARY"] = str(options.libmatcha.resolve())
        self.has_library = options.libmatcha is not None

    def problem(self, line, text):
        self.problems.append(f"{self.shown}:{line + 1}: {text}")

    def compare(self, line, what, expected, printed):
        """Notes a difference; gives the lines that the page should have."""
        expected, printed = without_blank_end(expected), without_blank_end(printed)
        if fits(expected, printed):
            return expected
        if not self.update:
            difference = "\n".join(difflib.unified_diff(expected, printed, "page", "printed", lineterm="", n=3))
            self.problem(line, f"`{what}` prints something else\n{difference}")
        return printed

    def command(self, text):
        """The output of a command, with the status of the one before as `$?`."""
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail\n(exit {self.status})\n{text}"], cwd=self.folder, env=self.environment, timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        # A program whose reader, such as `head`, has seen enough may end by SIGPIPE.
        self.status = 0 if done.returncode == 128 + signal.SIGPIPE else done.returncode
        return done.stdout.decode("utf-8", "replace").expandtabs(8).split("\n")

    def check_status(self):
        if self.status != 0 and self.status_line is not None:
            self.problem(self.status_line, f"exit status {self.status}, and no `$ echo $?` says so")
        self.status, self.status_line = 0, None

    def console(self, block):
        lines, at, out = block.lines, 0, []
        if lines and not lines[0].startswith("$ "):
            self.problem(block.first, "a console block begins with a command")
        while at < len(lines):
            start = at
            here = HERE_DOCUMENT.search(lines[at])
            if here:
                while at + 1 < len(lines) and lines[at] != here.group(1):
                    at += 1
            else:
                while lines[at].endswith("\\") and at + 1 < len(lines):
                    at += 1
            at += 1
            command = "\n".join([lines[start][2:], *lines[start + 1 : at]])
            if command.strip() != "echo $?":
                self.check_status()
            first = at
            while at < len(lines) and not lines[at].startswith("$ "):
                at += 1
            blank = [""] * (at - first - len(without_blank_end(lines[first:at])))
            printed = self.command(command)
            if self.status != 0:
                self.status_line = block.first + start
            if command.strip() == "echo $?":
                self.status, self.status_line = 0, None
            out += lines[start:first]
            out += self.compare(block.first + start, command, lines[first:at], printed) + blank
        block.printed = out

    def missing(self, block):
        """A library that the block imports and that is not there; None: nothing is missing."""
        for name in re.findall(r"^(?:>>> |\.\.\. )?\s*(?:import|from) (\w+)", "\n".join(block.lines), re.M):
            if name == "matcha" and not self.has_library:
                return "libmatcha"
            if name != "matcha" and importlib.util.find_spec(name) is None:
                return name
        return None

    def python(self, block):
        missing = self.missing(block)
        if missing:
            self.skipped.append(f"{self.shown}:{block.first + 1}: not run: there is no {missing}")
            return
        if not any(line.startswith(">>>") for line in block.lines):
            printed, failed = self.evaluate("\n".join(block.lines) + "\n", "exec")
            if failed:
                self.problem(block.first, "the script fails\n" + "\n".join(printed))
            return
        lines, at, out = block.lines, 0, []
        while at < len(lines):
            if not lines[at].startswith(">>>"):
                out.append(lines[at])
                at += 1
                continue
            start, at = at, at + 1
            while at < len(lines) and lines[at].startswith("... "):
                at += 1
            first = at
            while at < len(lines) and lines[at].strip() and not lines[at].startswith(">>>"):
                at += 1
            source = "\n".join(line[4:] for line in lines[start:first]) + "\n"
            printed, _ = self.evaluate(source, "single")
            out += lines[start:first]
            out += self.compare(block.first + start, source.strip(), lines[first:at], printed)
        block.printed = out

    def evaluate(self, source, mode):
        """The output of a piece of Python, and whether it raises; then the end of the traceback is printed."""
        printed, failed = io.StringIO(), False
        with contextlib.redirect_stdout(printed), contextlib.chdir(self.folder):
            try:
                exec(compile(source, "<page>", mode), self.names)  # pylint: disable=exec-used
            except Exception as error:  # pylint: disable=broad-except
                failed = True
                print("Traceback (most recent call last):\n    ...\n" +
                      "".join(traceback.format_exception_only(type(error), error)).rstrip())
        return printed.getvalue().split("\n"), failed

    def program(self, block):
        name = re.match(r"# ([A-Za-z0-9_-]+\.mt)\b", block.lines[0] if block.lines else "")
        file = self.folder / (name.group(1) if name else "block.mt")
        file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if name and name.group(1).startswith("wrong"):
            return
        printed = self.command(f"matcha check {file.name}")
        if self.status != 0 or any("warning" in line for line in printed):
            self.problem(block.first, "the program is not clean\n" + "\n".join(printed))
        self.status = 0

    def c_program(self, block):
        if not any(re.search(r"\bmain\b", line) for line in block.lines):
            return
        (self.folder / "block.c").write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        printed = self.command(f"cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -I {ROOT / 'api'} block.c")
        if self.status != 0:
            self.problem(block.first, "it does not compile\n" + "\n".join(printed))
        self.status = 0

    def run(self):
        kinds = {"console": self.console, "python": self.python, "mt": self.program, "c": self.c_program}
        blocks = blocks_of(self.text)
        os.environ.update(self.environment)
        if str(ROOT / "bindings/python/src") not in sys.path:
            sys.path.insert(0, str(ROOT / "bindings/python/src"))
        ran = 0
        try:
            for block in blocks:
                if block.language in kinds:
                    ran += 1
                    kinds[block.language](block)
            self.check_status()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        if self.update:
            self.write(blocks)
        return ran

    def write(self, blocks):
        lines = self.text.split("\n")
        for block in reversed(blocks):
            lines[block.first : block.first + len(block.lines)] = block.printed
        if "\n".join(lines) != self.text:
            self.path.write_text("\n".join(lines), encoding="utf-8")
            print(f"wrote {self.shown}")


def main(argv):
    parser = argparse.ArgumentParser(description="runs the blocks of documents")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of matcha")
    parser.add_argument("--library", dest="libmatcha", type=pathlib.Path, help="libmatcha.so; without it Python that needs it is skipped")
    parser.add_argument("--update", action="store_true", help="write what was printed into the pages")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    options = parser.parse_args(argv)
    problems = []
    for path in options.pages:
        page = Page(path.resolve(), options)
        ran = page.run()
        problems += page.problems
        print("\n".join([*page.skipped, f"{page.shown}: {ran} blocks"]))
    if problems:
        print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
