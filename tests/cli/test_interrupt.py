"""Ctrl-C and `--timeout`: an orderly end with the partial result, marked as such. Waits are bounded; nothing is timed."""

import json
import os
import signal
import subprocess
import time
import unittest

import cli


DEEP = """
def main(G: Graph) -> int:
    def at_a(a):
        def at_b(b):
            def at_c(c):
                def at_d(d):
                    return sum(apply(lambda e: 1, cond=lambda e: (a + b + c + d + e) % 7 == 0, vertices(G)))
                return sum(apply(at_d, vertices(G)))
            return sum(apply(at_c, vertices(G)))
        return sum(apply(at_b, vertices(G)))
    return sum(apply(at_a, vertices(G)))
"""

BEFORE = """
def main(G: Graph) -> int:
    def at_a(a):
        def many(b):
            def at_c(c):
                return sum(apply(lambda d: 1, cond=lambda d: (a + b + c + d) % 7 == 0, vertices(G)))
            return sum(apply(at_c, vertices(G))) % 2 == 0
        some = apply(lambda b: b, cond=many, vertices(G))
        def at_e(e):
            return size(intersect(some, neighbor(G, e)))
        return sum(apply(at_e, neighbor(G, a)))
    return sum(apply(at_a, vertices(G)))
"""


class Interrupt(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.slow = self.write("slow.mt", cli.SLOW)
        self.pairs = self.write("pairs.mt", cli.PAIRS)
        # Days of work for the programs above.
        self.graph = self.generate("big.mtg", "grid", "--rows", "400", "--columns", "400")

    def start(self, *args):
        return subprocess.Popen(
            [cli.MATCHA, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment()
        )

    def wait_for_load(self, process):
        """Returns once the load report came, so that the run is about to begin."""
        line = process.stderr.readline()
        self.assertIn(b"160,000 vertices", line)
        time.sleep(0.5)

    def finish(self, process):
        try:
            return process.communicate(timeout=cli.LIMIT_S)
        finally:
            process.kill()

    def test_signals(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start("run", self.slow, self.graph)
            self.wait_for_load(process)
            process.send_signal(number)
            out, errors = self.finish(process)
            self.assertEqual(process.returncode, code)
            self.assertIn(b"partial result", errors)
            self.assertRegex(out, rb"^\d*\n?$")

    def test_second_signal_kills(self):
        # A pipe that nobody reads keeps the program busy writing after the first signal.
        process = self.start("run", self.pairs, self.graph, "--matches", "-")
        self.wait_for_load(process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.wait(cli.LIMIT_S)
        self.finish(process)
        self.assertIn(process.returncode, (-signal.SIGINT, 130))

    def test_timeout(self):
        done = self.matcha("run", self.slow, self.graph, "--timeout", "1", "--json")
        self.assertEqual(done.returncode, 124)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["complete"], answer["stopped_by"]), (False, "timeout"))
        self.assertEqual(answer["schema"], "matcha.run/1")
        self.assertIn(b"partial result", done.stderr)

    def test_timeout_deep_in_a_nest(self):
        # One item of the second loop takes weeks, and so does the list that an item of the other program needs first.
        for text in (DEEP, BEFORE):
            done = self.matcha("run", self.write("deep.mt", text), self.graph, "--timeout", "1", "--json")
            self.assertEqual(done.returncode, 124)
            self.assertFalse(json.loads(done.stdout)["complete"])

    def test_timeout_in_text(self):
        done = self.matcha("run", self.slow, self.graph, "--timeout", "1")
        self.assertEqual(done.returncode, 124)
        self.assertIn(b"partial result: stopped by --timeout", done.stderr)

    def test_timeout_of_nothing(self):
        done = self.matcha("run", self.slow, self.graph, "--timeout", "0", "--json")
        self.assertEqual(done.returncode, 124)
        self.assertIn(b"before there was a result", done.stderr)

    def test_timeout_while_loading(self):
        fifo = self.path("graph.txt")
        os.mkfifo(fifo)
        lines = b"".join(b"%d %d\n" % (i, i + 1) for i in range(100000))
        process = self.start("run", cli.TRIANGLE, fifo, "--timeout", "1")
        try:
            with open(fifo, "wb") as writer:
                for _ in range(1000000):
                    writer.write(lines)
        except BrokenPipeError:
            pass
        out, errors = self.finish(process)
        self.assertEqual((process.returncode, out), (124, b""))
        self.assertIn(b"stopped by --timeout", errors)

    def test_partial_matches_are_kept_and_marked(self):
        out = self.path("rows.tsv")
        done = self.matcha("run", self.pairs, self.graph, "--matches", out, "--timeout", "1", "--json")
        self.assertEqual(done.returncode, 124)
        answer = json.loads(done.stdout)
        self.assertIs(answer["complete"], False)
        with open(out, encoding="utf-8") as file:
            lines = file.read()
        self.assertTrue(lines.endswith("\n"))
        self.assertEqual(lines.count("\n"), answer["result"])
        self.assertEqual(self.leftovers(), [])

    def test_enough_time_changes_nothing(self):
        text = self.ok("run", cli.TRIANGLE, cli.WIKI, "--timeout", "1000")
        self.assertEqual(text, f"{cli.WIKI_TRIANGLES}\n")


if __name__ == "__main__":
    cli.main()
