"""Cliques of any size, and of all sizes, by pivot trees."""

import csv
import json
import math
import pathlib
import random
import unittest
from cli import ROOT, SANITIZED, WIKI, CliTest, main

SMALL = "tests/graphs/random-12-seed1.txt"
SHARED = ROOT.parent / "shared"
WIKI_COUNTS = [7115, 100762, 608389, 2077903, 4514137, 6931312, 8113409, 7581407, 5744883, 3513435, 1712534, 654478, 191623,
               41433, 6207, 568, 23]  # fmt: skip


class CliquesTest(CliTest):
    def complete(self, size):
        return self.write(f"k{size}.txt", "".join(f"{u} {v}\n" for u in range(size) for v in range(u)))

    def test_sizes(self):
        lines = self.ok("run", "--pattern", "clique:*", WIKI, "-q").splitlines()
        self.assertEqual([line.split() for line in lines], [[str(k), str(n)] for k, n in enumerate(WIKI_COUNTS, 1)])
        answer = json.loads(self.ok("run", "--pattern", "clique:*", WIKI, "-q", "--json", "--threads", "2"))
        self.assertEqual(answer["result"], {str(k): n for k, n in enumerate(WIKI_COUNTS, 1)})
        self.assertEqual((answer["stats"]["engine"], answer["complete"]), ("cliques", True))
        for size in (5, 8, 12, 13, 17, 18, 5000):
            found = self.ok("run", "--pattern", f"clique:{size}", WIKI, "-q").strip()
            self.assertEqual(found, str(WIKI_COUNTS[size - 1] if size <= 17 else 0))
        self.assertEqual(self.ok("run", "--pattern", "K17", WIKI, "-q").strip(), "23")
        self.assertEqual(self.ok("run", "--pattern", "clique:*", "tests/graphs/empty.txt", "-q").split(), ["1", "0"])

    def test_as_programs(self):
        """The same numbers as loops over sets, on graphs in which ranks and ids differ."""
        for seed in range(4):
            random.seed(seed)
            graph = self.write("g.txt", "".join(f"{7 * u} {7 * v}\n" for u in range(40) for v in range(u) if random.random() < 0.6))
            for size in (5, 6, 7, 9):
                words = ("run", "--pattern", f"clique:{size}", graph, "-q", "--json", "--device", "cpu")
                tree, program = (json.loads(self.ok(*words, *more)) for more in ([], ["--engine", "program"]))
                self.assertEqual((tree["result"], tree["stats"]["engine"]), (program["result"], "cliques"))
                for simd in ("scalar", "avx2"):
                    self.assertEqual(json.loads(self.ok(*words, "--simd", simd))["result"], tree["result"])

    def test_numbers_of_all_widths(self):
        graph = self.complete(140)
        self.assertEqual(self.ok("run", "--pattern", "clique:70", graph, "-q").strip(), str(math.comb(140, 70)))
        found = json.loads(self.ok("run", "--pattern", "clique:*", graph, "-q", "--json"))["result"]
        self.assertEqual(found, {str(k): math.comb(140, k) for k in range(1, 141)})
        wide = self.complete(270)
        self.fails(4, "run", "--pattern", "clique:*", wide, "-q", says=["266 bits", "at most 256"])
        self.fails(4, "run", "--pattern", "clique:135", wide, "-q", says="135-cliques may be a number of 266 bits")
        self.assertEqual(self.ok("run", "--pattern", "clique:268", wide, "-q").strip(), "36315")

    def test_what_is_refused(self):
        for words, says in ((["--matches", "-"], "pivot trees count cliques, and list none"),
                            (["--limit", "1"], "pivot trees count cliques, and list none"),
                            (["--engine", "program"], "counted by pivot trees alone"),
                            (["--tier", "native"], "needs a compiled program"),
                            (["--embeddings"], "count once each"), (["--match", "homo"], "count once each"),
                            (["--verify"], "`--verify` is of patterns")):  # fmt: skip
            self.fails(2, "run", "--pattern", "clique:13", SMALL, *words, says=says)
        self.fails(1, "pattern", "clique:13", says="counted without a program")
        self.fails(1, "run", "--pattern", "clique:1", SMALL, says="`clique` takes a number")
        self.fails(2, "run", "--pattern", "clique:13", SMALL, "--directed", says="no")

    def test_per_vertex_and_edge(self):
        """As the orbits of motifs, and a multiple of the count of the graph."""
        for per, ends, orbit in (("vertex", 1, "clique4"), ("edge", 2, "clique4")):
            rows = [line.split("\t") for line in self.ok("run", "--pattern", "motif:4", WIKI, "-q", "--per", per).splitlines()]
            wanted = [[*row[:ends], row[rows[0].index(orbit)]] for row in rows[1:]]
            found = [line.split("\t") for line in self.ok("run", "--pattern", "clique:4", WIKI, "-q", "--per", per).splitlines()]
            self.assertEqual(found, [[*rows[0][:ends], "cliques"], *wanted])
        for size in (2, 5, 13, 18):
            for per, times in (("vertex", size), ("edge", size * (size - 1) // 2)):
                words = ("run", "--pattern", f"clique:{size}", WIKI, "-q", "--json", "--per", per)
                answer = json.loads(self.ok(*words))
                self.assertEqual(sum(row[-1] for row in answer["result"]), times * (WIKI_COUNTS[size - 1] if size < 18 else 0))
                self.assertEqual(answer["stats"]["engine"], "cliques")
                self.assertEqual(json.loads(self.ok(*words, "--threads", "2", "--simd", "scalar"))["result"], answer["result"])
        self.assertEqual(self.ok("run", "--pattern", "triangle", SMALL, "-q", "--per", "vertex", "--limit", "1").split()[:2], ["vertex", "cliques"])
        named = self.write("named.txt", "ann bob\nbob eve\neve ann\neve joe\n")
        self.assertEqual(self.ok("run", "--pattern", "K3", named, "-q", "--per", "vertex").split()[2:], ["ann", "1", "bob", "1", "eve", "1", "joe", "0"])
        for per, ends in (("vertex", 1), ("edge", 2)):
            rows = json.loads(self.ok("run", "--pattern", "clique:*", WIKI, "-q", "--json", "--per", per))["result"]
            for size in (5, 17):
                found = json.loads(self.ok("run", "--pattern", f"clique:{size}", WIKI, "-q", "--json", "--per", per))["result"]
                self.assertEqual([[*row[:ends], row[-1]] for row in rows if row[ends] == size], [row for row in found if row[-1]])
            for size, count in enumerate(WIKI_COUNTS[1:], 2):
                times = size if ends == 1 else size * (size - 1) // 2
                self.assertEqual(sum(row[-1] for row in rows if row[ends] == size), times * count)
            self.assertEqual({row[ends] for row in rows}, set(range(2, 18)))
        self.assertEqual(self.ok("run", "--pattern", "clique:*", SMALL, "-q", "--per", "edge", "--limit", "1").split()[:4], ["u", "v", "size", "cliques"])
        self.fails(1, "run", "--pattern", "clique:4", SMALL, "--per", "edge", "--embeddings", says="each once")
        self.fails(2, "run", "--pattern", "clique:4", SMALL, "--per", "edge", "--engine", "program", says="without a program")
        self.fails(2, "run", "--pattern", "clique:4", SMALL, "--per", "edge", "--engine", "search", says="one by one")
        for words, says in ((["--device", "cuda"], "a GPU has those of cliques at each vertex alone"), (["--shard", "0/2", "--ledger", self.path("part.ledger")], "in one process")):
            self.fails(2, "run", "--pattern", "clique:4", SMALL, "--per", "edge", *words, says=says)
        self.fails(2, "stream", "--pattern", "clique:4", SMALL, "--per", "vertex", "--updates", "-", says="")
        self.fails(4, "run", "--pattern", "clique:20", self.complete(130), "-q", "--per", "vertex", says="more than 63 bits")

    def test_shards(self):
        """All numbers of parts, in ledgers and a folder, have the answers of a whole run, of up to 256 bits."""
        wide = self.complete(140)
        gaps = self.write("gaps.txt", "".join(f"{9 * u} {9 * v}\n" for u in range(12) for v in range(u)))
        for words, shares in ((("clique:*", WIKI), 3), (("clique:8", WIKI), 2), (("clique:70", wide), 1), (("clique:*", wide), 2),
                              (("clique:5", gaps), 7), (("clique:*", gaps), 2), (("clique:30", gaps), 2),
                              (("clique:maximal", WIKI), 3), (("clique:maximal", gaps), 2), (("clique:maximal", self.write("alone.txt", "1 2\n2 3\n3 1\n9 9\n")), 2)):  # fmt: skip
            with self.subTest(words=words):
                run = ("run", "--pattern", *words, "-q")
                wanted = self.ok(*run)
                ledgers = [self.path(f"{i}.mtl") for i in range(shares)]
                for i, ledger in enumerate(ledgers):
                    pathlib.Path(ledger).unlink(missing_ok=True)
                    self.ok(*run, "--shard", f"{i}/{shares}", "--ledger", ledger, "--threads", str(1 + i % 2))
                self.assertEqual(self.ok("merge", *reversed(ledgers), "-q"), wanted)
                answer = json.loads(self.ok("merge", *ledgers, "-q", "--json"))
                self.assertEqual(answer["result"], json.loads(self.ok(*run, "--json"))["result"])
                folder = self.path("work" + "-".join(words).replace("/", "-").replace("*", "all"))
                for _ in range(2):
                    self.assertEqual(self.ok(*run, "--work", folder, "--simd", "scalar"), wanted)

    def test_maximal(self):
        lines = [[int(cell) for cell in line.split()] for line in self.ok("run", "--pattern", "clique:maximal", WIKI, "-q").splitlines()]
        self.assertEqual(([size for size, _ in lines], sum(count for _, count in lines), lines[-1]), (list(range(1, 18)), 459002, [17, 23]))
        answer = json.loads(self.ok("run", "--pattern", "clique:maximal", WIKI, "-q", "--json", "--threads", "2", "--simd", "scalar"))
        self.assertEqual((answer["result"], answer["stats"]["engine"]), ({str(k): n for k, n in lines}, "cliques"))
        # Vertices without an edge, which ids leave out, and one that has none.
        alone = self.write("alone.txt", "0 2\n2 4\n4 0\n4 9\n12 12\n")
        self.assertEqual(self.ok("run", "--pattern", "clique:maximal", alone, "-q").split(), ["1", "1", "2", "1", "3", "1"])
        self.assertEqual(self.ok("run", "--pattern", "clique:maximal", self.complete(70), "-q").split()[-2:], ["70", "1"])
        self.assertIn("maximal cliques below each vertex", self.ok("explain", "--pattern", "clique:maximal", SMALL))
        for words, says in ((["--device", "cuda"], "maximal cliques are found on a CPU"), (["--embeddings"], "count once each"),
                            (["--limit", "1"], "pivot trees count cliques, and list none"), (["--engine", "program"], "counted by pivot trees alone")):  # fmt: skip
            self.fails(2, "run", "--pattern", "clique:maximal", SMALL, *words, says=says)
        self.fails(1, "run", "--pattern", "clique:maximal", SMALL, "--per", "vertex", says="not at each row")

    def test_streams(self):
        """The total after each batch is that of a run, by all methods, with windows and words as ids."""
        draw = random.Random(5)
        edges, lines = set(), []
        for _ in range(150):
            u, v = draw.sample(range(11), 2)
            lines.append(f"{'+' if draw.random() < 0.8 else '-'} {u} {v}")
        lines[40:40] = ["+ 3 3", "-v 4", "+ 4 5", "+ 4 5", "- 7 7", "v 99"]
        asked = [("clique:3", "trees"), ("clique:6", "trees"), ("clique:20", "trees"), ("clique:*", "trees"), ("clique:maximal", "recompute")]
        texts = []
        for start in range(0, len(lines), 12):
            vertices = set() if not texts else texts[-1][1]
            for line in lines[start:start + 12]:
                op, *ids = line.split()
                pair = frozenset(ids)
                if op in ("+", "v"):
                    vertices = vertices | pair
                if op == "-v":
                    vertices, edges = vertices - pair, {one for one in edges if not pair & one}
                elif len(pair) == 2:
                    edges = edges | {pair} if op == "+" else edges - {pair}
            texts.append(("".join(" ".join(sorted(one)) + "\n" for one in sorted(edges, key=sorted)) + "".join(f"{v} {v}\n" for v in sorted(vertices)), vertices))
        for pattern, how in asked:
            # Edges by which the rank of an id is not its number; and words.
            for more, put in (([], lambda line: line), (["--recompute"], lambda line: line),
                              (["--ids", "text"], lambda line: " ".join(word if word in "+-v" or word == "-v" else f"p{word}" for word in line.split()))):  # fmt: skip
                done = self.matcha("stream", "--pattern", pattern, "--updates", "-", "--batch", 12, "--json", "-q", *more,
                                   *(["--engine", "trees"] if pattern == "clique:3" and not more else []),
                                   stdin="".join(put(line) + "\n" for line in lines).encode())
                answers = [json.loads(line) for line in done.stdout.splitlines()][:-1]
                self.assertEqual(len(answers), len(texts) + 1, done.stderr)
                for (text, _), answer in zip(texts, answers[1:]):
                    wanted = json.loads(self.ok("run", "--pattern", pattern, self.write("now.txt", text), "-q", "--json"))["result"]
                    if isinstance(wanted, dict):
                        wanted = list(wanted.values()) if len(wanted) > 1 else [*wanted.values(), 0]
                    self.assertEqual(answer["total"], wanted, (pattern, more))
                if not more and pattern != "clique:3":
                    # Trees that the machine delayed are left out for a while.
                    self.assertIn({one["how"] for one in answers[1:]} - {"recompute"}, [{how} - {"recompute"}, set()])
        complete = self.complete(140)
        reported = self.ok("stream", "--pattern", "clique:70", complete, "--updates", self.write("u.txt", "- 1 2\n+ 2 1\n"), "--each", "-q").splitlines()
        self.assertEqual([line.split()[-1] for line in reported], [str(n) for n in (math.comb(140, 70), math.comb(140, 70) - math.comb(138, 68), math.comb(140, 70))])
        timed = "".join(f"{u} {v} {10 * u + v}\n" for u in range(8) for v in range(u))
        for pattern in ("clique:5", "clique:*"):
            words = ("stream", "--pattern", pattern, "--temporal", "--window", "30", "--slide", "5", "--updates", self.write("t.txt", timed), "-q")
            self.assertEqual([line.split("total")[1] for line in self.ok(*words, "--engine", "trees").splitlines()],
                             [line.split("total")[1] for line in self.ok(*words, "--recompute").splitlines()])
        for words, says in ((["--directed"], "no"), (["--matches", "-"], "list none"), (["--engine", "delta"], "have no program")):  # fmt: skip
            self.fails(2, "stream", "--pattern", "clique:*", SMALL, "--updates", "-", *words, says=says)
        self.fails(2, "stream", "--pattern", "house", SMALL, "--updates", "-", "--engine", "trees", says="trees are of cliques without labels")

    def test_explained(self):
        text = self.ok("explain", "--pattern", "clique:14", WIKI)
        for words in ("by the engine `cliques`", "a pivot tree below each vertex", "nodes are expected", "41433"):
            self.assertIn(words, text.replace(",", ""))
        plan = json.loads(self.ok("explain", "--pattern", "clique:*", WIKI, "--json"))
        self.assertEqual(plan["engine"], "cliques")

    def test_served(self):
        requests = [{"id": 1, "pattern": "clique:*"}, {"id": 2, "pattern": "clique:17"}]
        done = self.matcha("serve", WIKI, stdin="".join(json.dumps(one) + "\n" for one in requests).encode())
        answers = {one["id"]: one["result"] for one in map(json.loads, done.stdout.splitlines()) if "id" in one}
        self.assertEqual(answers, {1: WIKI_COUNTS, 2: 23})

    @unittest.skipIf(SANITIZED, "takes minutes")
    @unittest.skipUnless((SHARED / "cliques-truth.csv").exists(), "../shared/cliques-truth.csv is not there")
    def test_published_counts(self):
        counts = {}
        with open(SHARED / "cliques-truth.csv") as lines:
            for row in csv.DictReader(lines):
                counts.setdefault(row["graph"], {})[row["k"]] = int(row["count"])
        for name, wanted in counts.items():
            graph = SHARED / "data" / f"{name}.txt.gz"
            if not graph.exists() or name == "facebook":  # That one takes as long as all others together.
                continue
            answer = json.loads(self.ok("run", "--pattern", "clique:*", str(graph), "-q", "--json"))
            del wanted["1"]  # Vertices without an edge are not in the file.
            self.assertEqual({k: n for k, n in answer["result"].items() if k != "1"}, wanted, name)


if __name__ == "__main__":
    main()
