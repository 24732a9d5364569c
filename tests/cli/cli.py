"""Helpers of the tests of the command line: running the program, small programs and graphs in a folder of their own."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Far longer than any command takes; only a hang reaches it.
LIMIT_S = 300
SANITIZED = bool(os.environ.get("MATCHA_SANITIZE"))


def fewer(whole, part):
    """Rounds of a random test: `whole`, or `part` if sanitizers make each of them slow."""
    return part if SANITIZED else whole


# The message of a stop before the run had found anything.
TOO_EARLY = b"before there was a result"

TRIANGLE = "examples/triangle.mt"
LISTING = "examples/triangle_listing.mt"
WIKI = "examples/graphs/wiki-vote.txt.gz"
WIKI_TRIANGLES = 608389

# Counts pairs of pairs of vertices: as slow as the square of its graph.
SLOW = """
def slow(G: Graph) -> int:
    def with_pair(u, v):
        return sum(apply(lambda e: 1 if get(e, 0) + get(e, 1) == u + v else 0, edges(G)))
    return sum(apply(lambda u: sum(apply(lambda v: with_pair(u, v), vertices(G))), vertices(G)))
"""
# As many rows as there are pairs of vertices.
PAIRS = """
def pairs(G: Graph) -> List<Tuple<int, 2>>:
    return flatten(apply(lambda u: apply(lambda v: mk_tuple(val=[u, v]), vertices(G)), vertices(G)))
"""


def wait_until_caught(process, number):
    """Returns once the process has a handler for the signal: before, that ends it at once, as any program."""
    give_up = time.monotonic() + LIMIT_S
    while time.monotonic() < give_up and process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            caught = int(re.search(r"^SigCgt:\s*([0-9a-f]+)$", status.read(), re.M)[1], 16)
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError(f"signal {number} is not caught; exit code {process.poll()}")


class CliTest(unittest.TestCase):
    """A test case with a folder, a clean environment and short words for commands."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="matcha-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content):
        """A file in the test's folder; its path as text."""
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        return str(path)

    def path(self, name):
        return str(self.folder / name)

    def environment(self, **extra):
        clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "CLICOLOR_FORCE")}
        clean["MATCHA_NUM_THREADS"] = "2"
        clean["MATCHA_CACHE_DIR"] = self.path("cache")
        clean.update(extra)
        return clean

    def matcha(self, *args, stdin=None, env=None, **kwargs):
        """Runs the program; standard input is empty unless given. Output as text."""
        return subprocess.run(
            [MATCHA, *map(str, args)],
            input=stdin if stdin is not None else b"",
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
            cwd=ROOT,
            env=env or self.environment(),
            **kwargs,
        )

    def ok(self, *args, **kwargs):
        """Runs a command that must succeed; its standard output."""
        done = self.matcha(*args, **kwargs)
        self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout!r}\n{done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def served(self, requests, *args):
        """All answers of `matcha serve` to requests that come at once, in any order; the first line is left out."""
        lines = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in requests)
        ready, *answers = map(json.loads, self.ok("serve", *args, "--device", "cpu", stdin=lines).splitlines())
        self.assertEqual(ready["schema"], "matcha.serve/1")
        return answers

    def fails(self, code, *args, says=(), **kwargs):
        """Runs a command that must fail with `code`, say each of `says` on stderr and nothing on stdout."""
        done = self.matcha(*args, **kwargs)
        errors = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"{args}\n{done.stdout!r}\n{errors}")
        self.assertEqual(done.stdout, b"", args)
        self.assertIn("error: ", errors)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, errors)
        return errors

    def generate(self, name, kind, *options):
        """A generated graph in the test's folder."""
        path = self.path(name)
        self.ok("graph", "generate", kind, *options, "-o", path)
        return path

    def timed_out(self, *args, first=1, began=lambda done: TOO_EARLY not in done.stderr, **kwargs):
        """What became of a command without end under `--timeout`. How long it takes to begin is the machine's: it gets more
        and more time, from `first` seconds on, until `began` says that it was stopped where the test wants it stopped."""
        for seconds in (first, 4 * first, 16 * first, 64 * first):
            done = self.matcha(*args, "--timeout", seconds, **kwargs)
            self.assertEqual(done.returncode, 124, f"{args}\n{done.stdout!r}\n{done.stderr.decode(errors='replace')}")
            if began(done):
                break
        return done

    def work_of(self, *args, **kwargs):
        """A command, and the seconds of processor time that it took: other work on the machine adds little to them."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.matcha(*args, **kwargs)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def leftovers(self):
        """Names in the folder that look like unfinished files."""
        return [path.name for path in self.folder.iterdir() if ".tmp" in path.name]


def main():
    unittest.main(verbosity=1)
