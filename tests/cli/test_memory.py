"""`run --memory`: in a graph that does not fit, a pattern is counted in parts of it, and all else reads it in its file; answers are those of the plain run."""

import json
import os
import pathlib
import random
import re

import cli
from cli import TRIANGLE
from small_patterns import connected_patterns

GRQC = "examples/graphs/ca-grqc.txt.gz"
SANITIZED = bool(os.environ.get("MATCHA_SANITIZE"))
ALL = bool(os.environ.get("MATCHA_TEST_ALL"))


class Memory(cli.CliTest):
    def converted(self, *words):
        name = self.path(f"{len(os.listdir(self.folder))}.mtg")
        self.ok("graph", "convert", words[0], name, *words[1:], "-q")
        return name

    def quarter(self, graph):
        """A quarter of the graph's memory: at least that of its file."""
        return str(pathlib.Path(graph).stat().st_size // 4)

    def both(self, graph, *words, memory=None):
        wanted = self.ok("run", "--pattern", *words, graph, "--device", "cpu", "-q")
        done = self.matcha("run", "--pattern", *words, graph, "--memory", memory or self.quarter(graph))
        reported = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout.decode()), (0, wanted), reported)
        self.assertRegex(reported, r"memory: the graph takes .* it is counted in \d+ parts")
        return reported

    def test_all_patterns_of_3_to_5_vertices(self):
        """The sets of motifs are all connected patterns of a size; the plain run counts them by identities."""
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
        reported = self.both(graph, "triangle")
        parts, subgraphs = map(int, re.search(r"in (\d+) parts, in (\d+) subgraphs of at most 3", reported).groups())
        self.assertEqual(subgraphs, sum((parts, parts * (parts - 1) // 2, parts * (parts - 1) * (parts - 2) // 6)))
        answer = json.loads(self.ok("run", "--pattern", "triangle", graph, "--memory", self.quarter(graph), "--json"))
        self.assertEqual((answer["result"], answer["complete"]), (48260, True))
        # With memory enough, and without a note.
        self.assertEqual(self.ok("run", TRIANGLE, graph, "--memory", "1G", "-q"), f"{answer['result']}\n")

    def in_place(self, graph, *words, memory=None, says="read from the file"):
        """Programs that are not counted in parts find the same rows, in any order."""
        wanted = self.ok("run", *words, "--device", "cpu", "-q")
        done = self.matcha("run", *words, "--memory", memory or self.quarter(graph))
        reported = done.stderr.decode()
        self.assertEqual((done.returncode, sorted(done.stdout.decode().split("\n"))), (0, sorted(wanted.split("\n"))), reported)
        self.assertIn(says, reported)
        return reported

    def test_examples(self):
        """Those that take a graph; the others take lists of edges."""
        ran = 0
        for program in sorted(pathlib.Path("examples").glob("*.mt")):
            for arguments in re.findall(r"^# count: (.*) -?\d+$", program.read_text(encoding="utf-8"), re.M):
                words = arguments.split()
                if "(G: Graph)" not in program.read_text(encoding="utf-8") or (SANITIZED and ran == 3):
                    continue
                for order in ([], ["--order", "degree"])[: 1 if SANITIZED or ran % 2 else 2]:
                    with self.subTest(program=program.name, order=order):
                        graph = self.converted(*words, *order)
                        self.in_place(graph, str(program), graph, says="programs are not counted in parts")
                ran += 1
        self.assertGreaterEqual(ran, 3 if SANITIZED else 12)

    def test_patterns_that_have_no_parts(self):
        """Of all kinds: with arrows, labels of vertices and of edges; counted, and listed."""
        dice = random.Random(28)
        arcs = [(dice.randrange(60), dice.randrange(60), dice.choice("xyz")) for _ in range(900)]
        text = self.write("arcs.txt", "".join(f"{u} {v} {label}\n" for u, v, label in arcs))
        labels = self.write("labels.txt", "".join(f"{v} {'ab'[v % 2]}\n" for v in range(60)))
        graphs = {
            "directed": self.converted(text, "--directed", "--labels", labels),
            "informed": self.converted(text, "--directed", "--edge-labels", "--labels", labels),
            "plain": self.converted(text, "--labels", labels),
        }
        patterns = [(size, edges) for size in (3, 4, 5) for edges in connected_patterns(size)]
        self.assertEqual(len(patterns), 2 + 6 + 21)
        for number, (size, edges) in enumerate(patterns):
            if not ALL and number % (16 if SANITIZED else 2):
                continue
            vertices = [f"{v}:{'ab'[dice.randrange(2)]}" if dice.randrange(2) else str(v) for v in range(size)]
            arrows = ",".join("-".join((vertices[u], vertices[v])).replace("-", ">") for u, v in edges)
            labelled = ",".join(f"{vertices[u]}>{vertices[v]}={dice.choice('xyz')}" for u, v in edges)
            for kind, pattern in (("directed", arrows), ("informed", labelled), ("plain", ",".join(f"{u}-{v}" for u, v in edges))):
                more = ["--induced", dice.choice(("edge", "vertex"))]
                if kind == "plain":
                    more += ["--count", "--limit", "1000000000"] if size > 3 else ["--matches", "-"]
                with self.subTest(kind=kind, pattern=pattern, more=more):
                    graph = graphs[kind]
                    self.in_place(graph, "--pattern", pattern, graph, *more)

    def test_other_ways_to_run_in_place(self):
        graph = self.converted(GRQC)
        self.in_place(graph, "--pattern", "0@5-1,1-2", graph, says="names vertices")
        self.in_place(graph, TRIANGLE, graph, "--backend", "interp")
        self.in_place(graph, "--pattern", "triangle", graph, "--backend", "interp", says="--backend")
        self.in_place(graph, "--pattern", "triangle", graph, memory="100", says="no parts of it are small enough")
        self.in_place(graph, "examples/wedge.mt", graph, "--tier", "native")
        folder = self.path("work")
        self.in_place(graph, "--pattern", "triangle", graph, "--work", folder, says="several processes")
        # Ranks by degree are those of the file.
        ranked = self.converted(GRQC, "--order", "degree")
        self.in_place(ranked, TRIANGLE, ranked, "--order", "degree")

    def test_little_of_the_file_is_in_memory(self):
        """A graph of 125 MB with 4 MB: less than half of it is resident at a time, however many threads read it.

        Linux counts resident pages per processor, so its sums and its peaks may be off by some megabytes.
        """
        if SANITIZED:
            self.skipTest("sanitizers have memory of their own")
        graph = self.generate("g.mtg", "rmat", "--scale", "18", "--edge-factor", "60")
        program = self.write("m.mt", "def most(G: Graph) -> int:\n    return max(apply(lambda v: max(neighbor(G, v)) if size(neighbor(G, v)) > 0 else 0, vertices(G)))\n")
        small = self.generate("s.mtg", "rmat", "--scale", "6")
        self.ok("run", program, small, "-q")  # Its code is kept.

        def peak(*words):
            script = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); " \
                     "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
            done = cli.subprocess.run(["python3", "-c", script, cli.MATCHA, "run", program, *words, "-q"],
                                      capture_output=True, text=True, check=True, env=self.environment())
            code, megabytes = map(int, done.stdout.split())
            self.assertEqual(code, 0)
            return megabytes

        whole = peak(graph) - peak(small)
        self.assertGreater(whole, 90)
        for more in (["--threads", "1"], ["--threads", "2"], ["--threads", "2", "--tier", "native"]):
            bounded = peak(graph, "--memory", "4M", *more) - peak(small, *more)
            self.assertLess(bounded, whole // 2, (more, whole, bounded))

    def test_refusals(self):
        graph = self.converted(GRQC)
        words = ("--memory", self.quarter(graph), "-q")
        labels = self.write("labels", "".join(f"{v} {v % 3}\n" for v in range(30000)))
        self.fails(5, "run", TRIANGLE, graph, *words, "--tune", says=["--tune", "leave out --tune"])
        self.fails(5, "run", TRIANGLE, graph, *words, "--verify", says=["--verify"])
        self.fails(5, "run", TRIANGLE, graph, *words, "--order", "degree", says=["matcha graph convert --order degree"])
        self.fails(5, "run", "--pattern", "motif:4", "--per", "vertex", graph, *words, says=["--per"])
        self.fails(5, "run", "--pattern", "triangle", graph, *words, "--algorithm", "join", says=["candidates"])
        self.fails(5, "run", "--pattern", "0:1-1:2,1-2", graph, *words, "--labels", labels, says=["matcha graph convert --labels"])
        for cliques in ("clique:*", "clique:maximal", "clique:13"):
            self.fails(5, "run", "--pattern", cliques, graph, *words, says=["cliques of all sizes", "a size up to 12"])
        program = self.write("list.mt", "def edges(edges: List<Tuple<int, 2>>) -> int:\n    return size(edges)\n")
        self.fails(5, "run", program, graph, *words, says=["a list of edges", "take a `Graph`"])
        self.fails(5, "run", "--pattern", "triangle", GRQC, "--memory", "10K", "-q", says=["memory limit"])
        self.fails(2, "run", "--pattern", "triangle", graph, *words, "--device", "cuda", says=["--memory"])
        self.fails(2, "run", "--pattern", "triangle", "--pattern", "house", graph, *words, says=["--memory"])
        for bytes_ in ("0", "-1", "5X", "G", "20000000T", "1.5G"):
            self.fails(2, "run", "--pattern", "triangle", graph, f"--memory={bytes_}", says=["no number of bytes"])


if __name__ == "__main__":
    cli.main()
