"""Counts within a width: intervals, or the exact count where that takes less time."""

import json
import random
import unittest
from cli import WIKI, CliTest, main

SMALL = "tests/graphs/random-12-seed1.txt"
PATH = "path:6"


class WithinTest(CliTest):
    def dense(self):
        """A graph whose paths of six vertices take long to count, and are a large part of its walks."""
        random.seed(51)
        edges = [(u, v) for u in range(400) for v in range(u) if random.random() < 0.2]
        return self.write("dense.txt", "".join(f"{u} {v}\n" for u, v in edges))

    def test_exact_where_that_is_faster(self):
        for pattern, graph in (("house", SMALL), ("clique:6", WIKI), ("triangle", SMALL)):
            truth = self.ok("run", "--pattern", pattern, graph, "-q").strip()
            self.assertEqual(self.ok("run", "--pattern", pattern, graph, "-q", "--within", "1%").strip(), f"{truth} (exact)")
        for program in ("examples/triangle.mt", "examples/house.mt"):
            truth = self.ok("run", program, SMALL, "-q").strip()
            self.assertEqual(self.ok("run", program, SMALL, "-q", "--within", "1%").strip(), f"{truth} (exact)")
        answer = json.loads(self.ok("run", "--pattern", "triangle", SMALL, "--within", "0.01", "--json"))
        estimate = answer["estimate"]
        self.assertEqual((estimate["method"], estimate["value"], estimate["half_width"]), ("exact", answer["result"], 0))
        self.assertTrue(answer["complete"])

    def test_interval(self):
        graph = self.dense()
        answers = [json.loads(self.ok("run", "--pattern", PATH, graph, "--within", "1%", "--json", "--threads", threads))
                   for threads in ("1", "2")]
        self.assertEqual(answers[0]["estimate"], answers[1]["estimate"], "the same draws on any number of threads")
        answer = answers[0]
        estimate = answer["estimate"]
        self.assertEqual((answer["result"], answer["complete"], answer["stopped_by"]), (None, False, "within"))
        self.assertEqual((answer["stats"]["engine"], estimate["method"], estimate["confidence"]), ("sample", "sampled", 0.95))
        self.assertLessEqual(estimate["half_width"], 0.01)
        text = self.ok("run", "--pattern", PATH, graph, "--within", "1%", "-q").split()
        self.assertEqual((text[1], text[3]), ("±", "(95%)"))
        self.assertLessEqual(abs(int(text[0]) / estimate["value"] - 1), 1e-4)
        self.assertGreaterEqual(float(text[2].rstrip("%")), 100 * estimate["half_width"])
        narrow = json.loads(self.ok("run", "--pattern", PATH, graph, "--within", "0.1%", "--json"))["estimate"]
        self.assertGreater(narrow["draws"], estimate["draws"])
        lines = self.ok("run", "--pattern", PATH, "--pattern", "wedge", graph, "--within", "1%", "-q").splitlines()
        self.assertIn("±", lines[0])
        self.assertIn("(exact)", lines[1])

    def test_truth(self):
        """The same pattern by a program, where it is done in time."""
        random.seed(52)
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u in range(60) for v in range(u) if random.random() < 0.2))
        for pattern in ("path:5", "cycle:5", "house", "star:5", "0-1,1-2,2-3,3-4,4-5,0-2,1-3"):
            for options in ([], ["--embeddings"], ["--induced", "vertex"]):
                words = ("run", "--pattern", pattern, graph, *options)
                truth = int(self.ok(*words, "-q"))
                drawn = json.loads(self.ok(*words, "--within", "3%", "--engine", "sample", "--json"))["estimate"]
                self.assertEqual(drawn["method"], "sampled")
                # Fixed draws: wider than the promise, so that none of many cells fails by chance.
                self.assertLess(abs(drawn["value"] / truth - 1), 0.06, (pattern, options))

    def test_refused(self):
        for words in (["--limit", "5"], ["--exists"], ["--verify"], ["--matches", "-"]):
            self.assertIn("`--within` is not for", self.fails(2, "run", "--pattern", "house", SMALL, "--within", "1%", *words))
        for value in ("0", "100%", "-1%", "x"):
            self.fails(2, "run", "--pattern", "house", SMALL, "--within", value)
        error = self.fails(2, "run", "--pattern", "house", SMALL, "--engine", "sample")
        self.assertIn("`--within` gives the width", error)
        least = self.write("least.mt", "def main(G: Graph) -> int:\n    return min(apply(lambda v: size(neighbor(G, v)), vertices(G)))\n")
        error = self.fails(2, "run", least, SMALL, "--within", "1%", says=["least.mt:2:"])
        self.assertIn("`--within` estimates a sum, and this is `min`", error)


if __name__ == "__main__":
    main()
