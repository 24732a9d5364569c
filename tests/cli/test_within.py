"""Counts within a width: intervals, or the exact count where that takes less time."""

import json
import os
import random
import unittest
from cli import WIKI, WIKI_TRIANGLES, CliTest, main

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
        for pattern in ("path:5", "cycle:5", "house", "star:5", "0-1,1-2,2-3,3-4,4-5", "0-1,1-2,2-3,3-4,4-5,0-2,1-3"):
            # A pair that is written not to be joined, as all are by `vertex`, makes the pattern no less symmetric.
            induced = [[option, "--induced", "vertex"] for option in (pattern, f"{pattern},0!4" if "," in pattern else pattern)]
            for options in ([pattern], [pattern, "--embeddings"], *induced):
                words = ("run", graph, "--pattern", *options)
                truth = int(self.ok(*words, "-q"))
                drawn = json.loads(self.ok(*words, "--within", "3%", "--engine", "sample", "--json"))["estimate"]
                self.assertEqual(drawn["method"], "sampled")
                # Fixed draws: wider than the promise, so that none of many cells fails by chance.
                self.assertLess(abs(drawn["value"] / truth - 1), 0.06, (pattern, options))

    def test_labels(self):
        """Each vertex has one label or none, in trees, at ends of edges beside them, and at the first edge."""
        random.seed(53)
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u in range(80) for v in range(u) if random.random() < 0.2))
        labels = self.write("l.txt", "".join(f"{v} {random.choice('abb')}\n" for v in range(80)))
        for pattern in ("(x:a)-(y)-(z:b)-(w)-(v:a)", "(x:a)-(y:b)-(z)-(w:b)-(x)", "(x:b)-(y:b)-(z:a)-(x)-(w:a)",
                        "(x)-(y)-(z)-(w:a)-(v)-(x)-(z)", "(x:a)-(y)-(z:a), (y)-(w:b), (y)-(v:b)"):
            words = ("run", "--pattern", pattern, graph, "--labels", labels)
            truth = int(self.ok(*words, "-q"))
            drawn = json.loads(self.ok(*words, "--within", "3%", "--engine", "sample", "--json"))["estimate"]
            self.assertEqual(drawn["method"], "sampled")
            self.assertLess(abs(drawn["value"] / truth - 1), 0.06, pattern)
        for pattern in ("(x:a|b)-(y)-(z)-(w)", "(x:a|b)-(y)-(x), (y)-(z)"):
            truth = self.ok("run", "--pattern", pattern, graph, "--labels", labels, "-q").strip()
            answer = self.ok("run", "--pattern", pattern, graph, "--labels", labels, "-q", "--within", "1%").strip()
            self.assertEqual(answer, f"{truth} (exact)")
            self.fails(2, "run", "--pattern", pattern, graph, "--labels", labels, "--within", "1%", "--engine", "sample")

    def test_arcs_and_labels_of_edges(self):
        """Drawn by the lists of arcs, of arcs backwards, and of each label; parallel edges are one pair."""
        random.seed(54)
        pairs = [(u, v) for u in range(60) for v in range(60) if u != v and random.random() < 0.2]
        arcs = self.write("arcs.txt", "".join(f"{u} {v}\n" for u, v in pairs))
        lines = [f"{u} {v} {label}\n" for u, v in pairs for label in random.choice(("a", "b", "ab"))]
        edges = self.write("edges.txt", "".join(lines))
        labels = self.write("l.txt", "".join(f"{v} {random.choice('xy')}\n" for v in range(60)))
        directed = (arcs, "--directed")
        for graph, pattern, options in (
                (directed, "a->b->c->d->a", []), (directed, "a->b->c, a->c, c->d", []), (directed, "a-b, b->c, d->c", []),
                (directed, "a->b<-c->d<-e", ["--embeddings"]), (directed, "b->a,b->c,b->d,a!c", ["--induced", "vertex"]),
                (directed, "a->b->c->a, a->d", ["--induced", "vertex"]),
                (directed, "a->b->c->d, a!c", []), (directed, "(a:x)->(b:y)->(c)->(d:x), a->c", ["--labels", labels]),
                ((edges, "--directed"), "a->b=a,b->c=b,c->d,a->d=a", []), ((edges, "--directed"), "a->b=a,a->b=b,b->c,c->d=b", []),
                ((edges, "--directed"), "a->b=a,b->c=a,c->d=a", ["--induced", "vertex"]), ((edges, "--directed"), "a-b=a,b->c=b,c->a", []),
                ((edges,), "a-b=a,b-c=b,c-d,d-a=a", []), ((edges,), "a-b=a,a-b=b,b-c=b,c-d=b,a-c", []),
                ((edges,), "(a:x)-[:a]-(b)-[:b]-(c:y)-(d)", ["--labels", labels]), ((edges,), "a-b=a,b-c=a,c-d=a,d-e=a", [])):
            words = ("run", "--pattern", pattern, *graph, *options)
            truth = int(self.ok(*words, "-q"))
            found = [json.loads(self.ok(*words, "--within", "3%", "--engine", "sample", "--json", "--threads", threads))["estimate"]
                     for threads in ("1", "3")]
            self.assertEqual(found[0], found[1], (pattern, "the same draws on any number of threads"))
            self.assertEqual(found[0]["method"], "sampled")
            self.assertLess(abs(found[0]["value"] / truth - 1), 0.06, (pattern, options, truth))
        for pattern in ("a->b=?,b->c=a", "a->b=a|b,b->c=a"):
            self.fails(2, "run", "--directed", "--pattern", pattern, edges, "--within", "1%", "--engine", "sample")
            truth = self.ok("run", "--directed", "--pattern", pattern, edges, "-q").strip()
            self.assertEqual(self.ok("run", "--directed", "--pattern", pattern, edges, "-q", "--within", "1%").strip(), f"{truth} (exact)")
        ring = self.write("ring.txt", "".join(f"{v} {(v + 1) % 100} r\n" for v in range(100)))
        for pattern in ("a->b->c->d", "a->b=r,b->c=r,c->d=r"):
            drawn = json.loads(self.ok("run", "--directed", "--pattern", pattern, ring, "--within", "1%", "--engine", "sample", "--json"))
            self.assertEqual(drawn["estimate"]["value"], 100, "all draws have one value")

    def shards(self, *words, parts=3):
        """The ledgers of all shards of a run."""
        files = [self.path(f"{len(words)}-{part}.mtl") for part in range(parts)]
        for part, file in enumerate(files):
            self.assertIn(f"shard {part}/{parts}: 100 of 100 units", self.ok(*words, "--shard", f"{part}/{parts}", "--ledger", file))
        return files

    def test_processes(self):
        """Each makes a part of the draws; their moments add up to those of one process, bit for bit."""
        graph = self.dense()
        for options in ([], ["--certain"], ["--seed", "7", "--confidence", "99%"]):
            words = ("run", "--pattern", PATH, graph, "--within", "2%", "--engine", "sample", *options)
            whole = json.loads(self.ok(*words, "--json"))["estimate"]
            merged = json.loads(self.ok("merge", "--json", *self.shards(*words)))
            self.assertEqual((merged["estimate"], merged["result"], merged["stopped_by"]), (whole, None, "within"))
        files = self.shards("run", "--pattern", PATH, graph, "--within", "2%", "--engine", "sample")
        self.assertRegex(self.ok("merge", "-q", *files), r"^\d+ ± [\d.]+% \(95%\)\n$")
        self.assertIn("missing", self.fails(3, "merge", *files[:2]))
        self.fails(3, "run", "--pattern", PATH, graph, "--within", "1%", "--engine", "sample", "--shard", "0/3", "--ledger", files[0],
                   says="the ledger is of another run")
        folder = self.path("folder")
        of_folder = json.loads(self.ok("run", "--pattern", PATH, graph, "--within", "2%", "--engine", "sample", "--work", folder, "--json"))
        whole = json.loads(self.ok("run", "--pattern", PATH, graph, "--within", "2%", "--engine", "sample", "--json"))
        self.assertEqual(of_folder["estimate"], whole["estimate"])
        exact = self.shards("run", "examples/triangle.mt", WIKI, "--within", "1%")
        self.assertEqual(self.ok("merge", "-q", *exact).strip(), f"{WIKI_TRIANGLES} (exact)")
        ledger = self.path("none.mtl")
        star = self.write("star.txt", "".join(f"0 {v}\n" for v in range(1, 3000)) + "1 2\n")
        self.fails(4, "run", "--pattern", "cycle:4", star, "--within", "1%", "--engine", "sample", "--shard", "0/2", "--ledger", ledger,
                   says="the draws give no interval")
        self.assertFalse(os.path.exists(ledger))

    def test_seeds_and_certain(self):
        words = ("run", "--pattern", PATH, self.dense(), "--within", "2%", "--engine", "sample", "--json")
        first, same, other, certain = (json.loads(self.ok(*words, *more))["estimate"] for more in (
            [], ["--seed", "1"], ["--seed", "2"], ["--certain"]))
        self.assertEqual(first, same)
        self.assertNotEqual(first["value"], other["value"])
        self.assertLess(abs(first["value"] / other["value"] - 1), 0.05)
        self.assertEqual(certain["method"], "certain")
        self.assertLessEqual(certain["half_width"], 0.02)
        self.assertGreater(certain["draws"], first["draws"])
        for option in (["--seed", "1"], ["--certain"], ["--confidence", "99%"]):
            self.fails(2, "run", "--pattern", PATH, SMALL, *option)

    def test_other_outputs(self):
        words = ("--pattern", PATH, self.dense(), "--within", "2%", "--engine", "sample")
        text = self.ok("run", "-q", *words).strip()
        plan = json.loads(self.ok("explain", "--json", *words))
        self.assertEqual((plan["answer"], plan["complete"]), (text, True))
        self.assertIn(text, self.ok("explain", *words))
        star = self.write("star.txt", "".join(f"0 {v}\n" for v in range(1, 3000)) + "".join(f"{v} {v + 1}\n" for v in range(1, 2999)))
        digits = self.ok("run", "-q", "--pattern", "star:12", star, "--within", "3%", "--engine", "sample").split(" ")[0]
        self.assertEqual(digits[5:], "0" * (len(digits) - 5))
        self.assertGreater(len(digits), 17)
        k100 = self.write("k100.txt", "".join(f"{u} {v}\n" for u in range(100) for v in range(u)))
        exact = self.ok("run", "--json", "--pattern", "clique:30", k100, "--within", "1%")
        self.assertRegex(exact, '"result": 29372339821610944823963760,(.|\\n)*"estimate": {"value":29372339821610944823963760,"low":29372339821610944823963760,')
        for several in ("motif:4", "clique:*"):
            found = json.loads(self.ok("run", "--json", "--pattern", several, SMALL, "--within", "1%"))
            self.assertEqual((found["complete"], found["estimate"]), (True, None))
        self.fails(4, "run", "--pattern", PATH, SMALL, "--within", "0.0000001%", "--engine", "sample", says="no interval of that width")

    def test_confidence(self):
        words = ("run", "--pattern", PATH, self.dense(), "--within", "0.5%", "--engine", "sample")
        usual, half, most, certain = (json.loads(self.ok(*words, "--json", *more))["estimate"] for more in (
            ["--confidence", "95%"], ["--confidence", "0.5"], ["--confidence", "99.9%"], ["--confidence", "0.999", "--certain"]))
        self.assertEqual(usual, json.loads(self.ok(*words, "--json"))["estimate"])
        self.assertEqual([one["confidence"] for one in (half, most, certain)], [0.5, 0.999, 0.999])
        self.assertTrue(half["draws"] < usual["draws"] < most["draws"] < certain["draws"])
        self.assertEqual(self.ok(*words, "-q", "--confidence", "99.9%").split()[3], "(99.9%)")
        for text in ("49%", "99.95%", "1", "x"):
            self.assertIn("99.9%", self.fails(2, *words, "--confidence", text))

    def test_serve(self):
        asked = [{"id": 1, "pattern": PATH, "options": {"within": "1%"}},
                 {"id": 2, "pattern": "triangle", "options": {"within": "1%"}},
                 {"id": 3, "pattern": "triangle", "options": {"seed": 1}},
                 {"id": 4, "pattern": "triangle", "options": {"within": "1%", "matches": True}},
                 {"id": 5, "pattern": PATH, "options": {"within": 0.01, "confidence": 0.95}},
                 {"id": 6, "pattern": PATH, "options": {"within": "0.5%", "engine": "sample"}}]
        drawn, exact, seed, rows, numbers, narrow = sorted(self.served(asked, self.dense()), key=lambda one: one["id"])
        self.assertEqual(numbers["estimate"], drawn["estimate"])
        # It goes on with the draws of the wider ones, and has the same answer as without them.
        alone = json.loads(self.ok("run", "--pattern", PATH, self.dense(), "--within", "0.5%", "--engine", "sample", "--json"))
        self.assertEqual(narrow["estimate"], alone["estimate"])
        self.assertEqual((drawn["result"], drawn["complete"], drawn["estimate"]["method"]), (None, False, "sampled"))
        self.assertEqual((exact["estimate"]["value"], exact["estimate"]["half_width"]), (exact["result"], 0))
        self.assertIn("`seed` is for `within`", json.dumps(seed))
        self.assertIn("`within` is not for rows", json.dumps(rows))

    def test_refused(self):
        for words in (["--limit", "5"], ["--exists"], ["--verify"], ["--matches", "-"]):
            self.assertIn("`--within` is not for", self.fails(2, "run", "--pattern", "house", SMALL, "--within", "1%", *words))
        for value in ("0", "100%", "-1%", "x"):
            self.fails(2, "run", "--pattern", "house", SMALL, "--within", value)
        error = self.fails(2, "run", "--pattern", "house", SMALL, "--engine", "sample")
        self.assertIn("`--within` gives the width", error)
        for match in ("homo", "edge"):
            self.assertIn("maps of a pattern are counted exactly",
                          self.fails(2, "run", "--pattern", "house", SMALL, "--engine", "sample", "--within", "1%", "--match", match))
        least = self.write("least.mt", "def main(G: Graph) -> int:\n    return min(apply(lambda v: size(neighbor(G, v)), vertices(G)))\n")
        error = self.fails(2, "run", least, SMALL, "--within", "1%", says=["least.mt:2:"])
        self.assertIn("`within` estimates a sum, and this is `min`", error)


if __name__ == "__main__":
    main()
