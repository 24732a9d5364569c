"""`run --verify`: its comparisons, its messages, and that it detects a difference."""

import json
import os
import pathlib
import re
import subprocess

from cli import LIMIT_S, MATCHA, ROOT, TRIANGLE, WIKI, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"


class Verify(CliTest):
    def verified(self, *args):
        """The object `verified` of a run that is verified."""
        return json.loads(self.ok("run", *args, "--verify", "--json"))["verified"]

    def test_patterns_are_compared_with_all_maps(self):
        for pattern in ("house", "0-1,1-2,0~2", "motif:4", "a-b-c-d", "0-1,2-3"):
            found = self.verified("--pattern", pattern, SMALL)
            self.assertEqual(found["by"], "trying all maps of the pattern", pattern)
            self.assertIn(found["samples"], range(1, 25))  # 24, or as many as a second allows.
            self.assertGreater(found["with_matches"], 0, pattern)
            self.assertTrue(found["second_run"])
        for more in (["--induced", "vertex"], ["--embeddings"], ["--algorithm", "decompose"], ["--plan", "2"]):
            self.assertGreater(self.verified("--pattern", "diamond", SMALL, *more)["samples"], 0)

    def test_labels_and_arcs(self):
        graph = self.write("g.txt", "1 2 a\n2 3 b\n3 1 a\n3 4 b\n1 3 b\n4 2 a\n")
        labels = self.write("l.txt", "1 x\n2 y\n3 x\n4 y\n")
        self.assertGreater(self.verified("--pattern", "a:x-b:y", graph, "--labels", labels)["with_matches"], 0)
        self.assertGreater(self.verified("--pattern", "a:x-b", graph, "--labels", labels)["with_matches"], 0)
        self.assertGreater(self.verified("--pattern", "a->b->c", graph, "--directed")["with_matches"], 0)
        self.assertGreater(self.verified("--pattern", "a-b=a,b-c=b", graph)["with_matches"], 0)
        self.assertGreater(self.verified("--pattern", "a-[:b]->b->c", graph, "--directed")["with_matches"], 0)

    def test_programs_are_compared_with_the_interpreter(self):
        found = self.verified(TRIANGLE, WIKI)
        self.assertEqual(found["by"], "the interpreter on the program as written")
        self.assertGreater(found["with_matches"], 0)
        self.assertIn("compiled code", self.verified(TRIANGLE, WIKI, "--tier", "interp")["second_run"])
        self.assertIn("plans", self.verified(TRIANGLE, WIKI, "--tier", "native")["second_run"])
        # Lists come in any order.
        self.assertGreater(self.verified("std.clique", "--entry", "triangles_by_vertex", SMALL)["samples"], 0)

    def test_several_inputs_are_only_run_again(self):
        program = self.write("q.mt", "def f(G: Graph, l: List<int>) -> int:\n    return size(edges(G)) + size(l)\n")
        numbers = self.write("n.txt", "1\n2\n")
        found = self.verified(program, SMALL, "--in", f"l={numbers}")
        self.assertEqual((found["samples"], found["by"]), (0, None))
        self.assertTrue(found["second_run"])

    def test_people_get_a_line(self):
        done = self.matcha("run", "--pattern", "house", SMALL, "--pattern", "triangle", "--verify")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(re.findall(r"verified: the same on \d+ samples", done.stderr.decode())), 2)

    def test_a_difference_is_an_error(self):
        """The second run reads the program's graph once more, and finds another one in its place."""
        pipe = self.path("g.txt")
        os.mkfifo(pipe)
        command = [MATCHA, "run", TRIANGLE, pipe, "--verify"]
        with subprocess.Popen(command, cwd=ROOT, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            pathlib.Path(pipe).write_text("1 2\n2 3\n3 1\n", encoding="ascii")
            self.assertIn(b"3 edges", run.stderr.readline())  # It was read, and is closed.
            pathlib.Path(pipe).write_text("1 2\n2 3\n3 4\n", encoding="ascii")
            answer, said = run.communicate(timeout=LIMIT_S)
        self.assertEqual((run.returncode, answer), (4, b""), said)
        for word in (b"not verified", b"1 and 0", b"please report"):
            self.assertIn(word, said)

    def test_a_stop_prints_the_answer(self):
        """The second run counts by ids if that is slow; or the whole is done in time."""
        done = self.matcha("run", "--pattern", "path:7", "--algorithm", "decompose", WIKI, "--verify", "--timeout", "3")
        self.assertIn(done.returncode, (0, 124), done.stderr.decode())
        if done.returncode == 124 and "before there was a result" not in done.stderr.decode():
            self.assertRegex(done.stderr.decode(), "before the answer was verified|partial result")
            self.assertNotEqual(done.stdout, b"")

    def test_commands_that_it_refuses(self):
        self.fails(2, "run", TRIANGLE, "-", "--verify", says="standard input", stdin=b"1 2\n")
        for option in (["--matches", self.path("m.csv")], ["--limit", "2"], ["--exists"]):
            self.fails(2, "run", "--pattern", "edge", SMALL, "--verify", *option)


if __name__ == "__main__":
    main()
