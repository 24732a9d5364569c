"""`run --memory`: a pattern in a graph that does not fit is counted in parts of it, and has the count of the plain run."""

import json
import os
import pathlib
import re

import cli
from cli import TRIANGLE

GRQC = "examples/graphs/ca-grqc.txt.gz"
SANITIZED = bool(os.environ.get("MATCHA_SANITIZE"))


class Memory(cli.CliTest):
    def converted(self, *words):
        name = self.path(f"{len(os.listdir(self.folder))}.mtg")
        self.ok("graph", "convert", words[0], name, *words[1:], "-q")
        return name

    def quarter(self, graph):
        """A quarter of what the graph takes: at least that of its file."""
        return str(pathlib.Path(graph).stat().st_size // 4)

    def both(self, graph, *words, memory=None):
        wanted = self.ok("run", "--pattern", *words, graph, "--device", "cpu", "-q")
        done = self.matcha("run", "--pattern", *words, graph, "--memory", memory or self.quarter(graph))
        told = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout.decode()), (0, wanted), told)
        self.assertRegex(told, r"memory: the graph takes .* it is counted in \d+ parts")
        return told

    def test_all_patterns_of_3_to_5_vertices(self):
        """The sets of motifs are all connected patterns of so many vertices; the plain run counts them by identities."""
        graph = self.generate("g.mtg", "rmat", "--scale", "7", "--edge-factor", "6")
        half = str(pathlib.Path(graph).stat().st_size // 2)
        for size in (3, 4) if SANITIZED else (3, 4, 5):
            for induced in ("vertex", "edge"):
                with self.subTest(size=size, induced=induced):
                    self.both(graph, f"motif:{size}", "--induced", induced, memory=half if size == 5 else None)

    def test_other_patterns(self):
        text = self.generate("g.txt", "rmat", "--scale", "8", "--edge-factor", "4")
        by_id, by_degree = self.converted(text), self.converted(text, "--order", "degree")
        for words in ((by_id, "clique:4"), (by_degree, "house"), (by_degree, "0-1,1-2,2-3,0!2", "--embeddings"),
                      (by_id, "path:3", "--match", "homo"))[:: 3 if SANITIZED else 1]:
            with self.subTest(words=words):
                self.both(*words)
        # Words and numbers as labels, and vertices without any.
        self.write("labels", "".join(f"{v} {('a', 'b', '7')[v % 3]}\n" for v in range(0, 200)))
        labelled = self.converted(text, "--labels", self.path("labels"))
        for pattern in ("a:a-b:b-c:a", "a:a-b-c:7-d:b-a", "x:7-y:7,y-z,z:a-x")[:: 2 if SANITIZED else 1]:
            with self.subTest(pattern=pattern):
                self.both(labelled, pattern)

    def test_plan_and_json(self):
        graph = self.converted(GRQC)
        told = self.both(graph, "triangle")
        parts, subgraphs = map(int, re.search(r"in (\d+) parts, in (\d+) subgraphs of at most 3", told).groups())
        self.assertEqual(subgraphs, sum((parts, parts * (parts - 1) // 2, parts * (parts - 1) * (parts - 2) // 6)))
        answer = json.loads(self.ok("run", "--pattern", "triangle", graph, "--memory", self.quarter(graph), "--json"))
        self.assertEqual((answer["result"], answer["complete"]), (48260, True))
        # With memory enough, and without a note.
        self.assertEqual(self.ok("run", TRIANGLE, graph, "--memory", "1G", "-q"), f"{answer['result']}\n")

    def test_what_is_not_counted_in_parts(self):
        graph = self.converted(GRQC)
        words = ("--memory", self.quarter(graph), "-q")
        self.fails(5, "run", TRIANGLE, graph, *words, says=["programs are not counted in parts"])
        self.fails(5, "run", "--pattern", "triangle", graph, *words, "--matches", self.path("m.csv"), says=["rows"])
        self.fails(5, "run", "--pattern", "0@5-1,1-2", graph, *words, says=["names vertices"])
        self.fails(5, "run", "--pattern", "triangle", graph, "--memory", "100", "-q", says=["no parts"])
        self.fails(5, "run", "--pattern", "triangle", GRQC, "--memory", "10K", "-q", says=["memory limit"])
        self.fails(5, "run", "--pattern", "triangle", graph, *words, "--backend", "interp", says=["--backend"])
        self.fails(2, "run", "--pattern", "triangle", graph, *words, "--device", "cuda", says=["--memory"])
        self.fails(2, "run", "--pattern", "triangle", "--pattern", "house", graph, *words, says=["--memory"])
        for bytes_ in ("0", "-1", "5X", "G", "20000000T", "1.5G"):
            self.fails(2, "run", "--pattern", "triangle", graph, f"--memory={bytes_}", says=["no number of bytes"])


if __name__ == "__main__":
    cli.main()
