"""Motifs and sets of patterns that are counted together by identities, without a program."""

import csv
import json
import random
import unittest
from cli import ROOT, CliTest, main

SMALL = "tests/graphs/random-12-seed1.txt"
SHARED = ROOT.parent / "shared"


class MotifsTest(CliTest):
    def test_as_programs(self):
        """The same numbers as the programs of the patterns, which enumerate."""
        random.seed(25)
        edges = {(u, v) for u in range(40) for v in range(u) if random.random() < (0.9 if v == 0 else 0.15)}
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        for options in ([], ["--induced", "edge"], ["--embeddings"], ["--threads", "2", "--simd", "scalar"]):
            for size in (3, 4, 5):
                common = ("run", "--pattern", f"motif:{size}", graph, "--device", "cpu", "--json", *options)
                together = json.loads(self.ok(*common))
                alone = json.loads(self.ok(*common, "--algorithm", "extend"))
                self.assertEqual(together["stats"]["backend"], "identities")
                self.assertNotEqual(alone["stats"]["backend"], "identities")
                self.assertEqual(together["result"], alone["result"], (options, size))
        words = ("--pattern", "house", "--pattern", "a-b-c-d-e-a", "--pattern", "gem", "--pattern", "edge", "--pattern", "path:6")
        lines = [json.loads(line) for line in self.ok("run", *words, graph, "--device", "cpu", "--json").splitlines()]
        self.assertEqual([one["stats"]["backend"] for one in lines[:3]], ["identities"] * 3)
        self.assertNotIn("identities", [one["stats"]["backend"] for one in lines[3:]])
        self.assertEqual([len(one["stats"].get("run_ms", [])) > 0 for one in lines[:3]], [True, False, False])
        for name, one in zip(words[1::2], lines):
            self.assertEqual(str(one["result"]), self.ok("run", "--pattern", name, graph, "--device", "cpu").strip())
        for options in (["--tier", "native"], ["--backend", "interp"], ["--algorithm", "decompose"]):
            answer = json.loads(self.ok("run", "--pattern", "motif:3", SMALL, "--json", "--device", "cpu", *options))
            self.assertNotEqual(answer["stats"]["backend"], "identities")
        self.assertIn("together by identities", self.matcha("explain", "--pattern", "motif:4", SMALL).stderr.decode())

    def test_stops(self):
        random.seed(1)
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u in range(900) for v in range(u) if random.random() < 0.5))
        common = ("run", "--pattern", "motif:5", graph, "--device", "cpu", "--threads", "1", "--timeout", "2")
        done = self.matcha(*common, "--json")
        self.assertEqual(done.returncode, 124, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["result"], answer["complete"], answer["stopped_by"]), (None, False, "timeout"))
        self.assertEqual(self.matcha(*common).stdout, b"")

    @unittest.skipUnless((SHARED / "ground_truth.csv").exists(), "the table of known counts is not there")
    def test_known_counts(self):
        with open(SHARED / "ground_truth.csv", newline="") as file:
            known = [row for row in csv.DictReader(file) if "6" not in row["pattern"] and "7" not in row["pattern"]]
        for graph in ("ca-grqc", "road-ny", "wikivote"):
            for induced in ("edge", "vertex"):
                rows = [row for row in known if (row["graph"], row["induced"]) == (graph, induced)]
                self.assertEqual(len(rows), 28)
                words = [word for row in rows for word in ("--pattern", row["edges"].replace(";", ","))]
                path = str(SHARED / "data" / f"{graph}.txt.gz")
                lines = self.ok("run", *words, path, "--induced", induced, "--device", "cpu", "--json").splitlines()
                answers = [json.loads(line) for line in lines]
                self.assertEqual({one["stats"]["backend"] for one in answers}, {"identities"})
                for row, one in zip(rows, answers):
                    self.assertEqual(one["result"], int(row["count"]), (graph, row["pattern"], induced))


if __name__ == "__main__":
    main()
