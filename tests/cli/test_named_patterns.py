"""Patterns with names and drawn arrows, errors in their text, and several patterns on one graph."""

import json
from cli import WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-12-seed1.txt"
LABELLED = ["tests/graphs/labelled.txt", "--labels", "tests/graphs/labelled.labels.txt"]


class NamedPatternTest(CliTest):
    def setUp(self):
        super().setUp()
        self.arcs = self.write("pays.txt", "1 2 pays\n2 3 pays\n3 1 owns\n1 4 pays\n4 3 owns\n3 4 owns\n")
        self.labels = self.write("kinds.txt", "1 person\n2 account\n3 bank\n4 account\n")
        self.graph = [self.arcs, "--labels", self.labels, "--directed"]

    def test_drawn_arrows(self):
        text = "(a:person)-[:pays]->(b:account)-[:owns]-(c)"
        self.assertEqual(self.ok("run", "--pattern", text, *self.graph), "1\n")
        for same in ("(c)-[:owns]-(b:account)<-[:pays]-(a:person)", "a:person->b:account=pays,b-c=owns",
                     "( a : person ) - [ : pays ] -> ( b : account ) - [ :owns ] - ( )", "1:person>2:account=pays,2-3=owns"):
            self.assertEqual(self.ok("run", "--pattern", same, *self.graph), "1\n", same)
        self.assertEqual(self.ok("run", "--pattern", "a-b-c-a", WIKI), f"{WIKI_TRIANGLES}\n")
        self.assertEqual(self.ok("run", "--pattern", "a-b-c,a~c", SMALL),
                         self.ok("run", "--pattern", "wedge", "--induced", "vertex", SMALL))

    def test_names_are_columns(self):
        text = "(buyer:person)-[:pays]->(b:account),b-c=owns"
        rows = self.path("rows.csv")
        self.ok("run", "--pattern", text, *self.graph, "--matches", rows)
        with open(rows, encoding="utf-8") as file:
            self.assertEqual(file.read(), "buyer,b,c\n1,4,3\n")
        found = json.loads(self.ok("run", "--pattern", text, *self.graph, "--limit", "5", "--json"))
        self.assertEqual((found["columns"], found["result"]), (["buyer", "b", "c"], [[1, 4, 3]]))
        self.assertIn("mk_tuple(val=[buyer, b, c])", self.ok("pattern", text, "--matches"))
        self.assertIn("lambda buyer: buyer", self.ok("pattern", text))
        for name in ("buyer", "b"):
            self.assertRegex(self.ok("explain", "--pattern", text, "--svg", "-"), f">{name}[<:]")

    def test_names_change_no_counts(self):
        """Names that the program has for something else, and names that join to one another."""
        for text in ("x-e-G-x", "c_a-a-b,a_b-a,a-c_a", "v0-v2-v0_1-v1", "_a-x_-a-_a", "def-size-lambda-def,in",
                     "at_a-a-n_a-start_a,common1-a"):
            names = []
            for word in text.replace(",", "-").split("-"):
                if word not in names:
                    names.append(word)
            numbered = ",".join("-".join(str(names.index(word)) for word in part.split("-")) for part in text.split(","))
            for options in ([], ["--induced", "vertex"], ["--embeddings"], ["--algorithm", "decompose"], ["--algorithm", "join"]):
                ours = self.matcha("run", "--pattern", text, SMALL, *options)
                theirs = self.matcha("run", "--pattern", numbered, SMALL, *options)
                self.assertEqual((ours.returncode, ours.stdout), (theirs.returncode, theirs.stdout), (text, options))

    def test_errors_are_in_the_pattern(self):
        """Never in a program that the user has not seen."""
        errors = self.fails(1, "run", "--pattern", "(a:persn)-[:pays]->(b)", *self.graph, says="did you mean `person`?")
        self.assertIn("<pattern>:1:4: error", errors)
        self.assertIn("(a:persn)-[:pays]->(b)\n", errors)
        self.assertRegex(errors, r"\n +\^~*\n")
        self.assertIn("<pattern>:1:3: error", self.fails(1, "run", "--pattern", "0:redd-1:blue", *LABELLED))
        errors = self.fails(1, "run", "--pattern", "(a:persn)-[:pay]->(b:persn)", *self.graph)
        for place in ("<pattern>:1:4:", "<pattern>:1:13:"):
            self.assertEqual(errors.count(place), 1, errors)
        self.assertIn("<pattern>:1:3:", self.fails(3, "run", "--pattern", "0:7-1", SMALL, says="--labels"))
        self.assertIn("<pattern>:1:4:", self.fails(1, "explain", "--pattern", "(a:persn)-(b)", *self.graph[:3]))
        self.assertIn("<pattern>:1:4:", self.fails(1, "pattern", "(a:persn)-(b)", self.arcs, "--graph-labels", self.labels))
        self.assertIn("<labels>:1:3:", self.fails(1, "pattern", "a-b-c", self.arcs, "--graph-labels", self.labels,
                                                  "--labels", ",,persn"))
        query = self.write("q.graph", "t 2 1\nv 0 person\nv 1 persn\ne 0 1\n")
        self.assertIn("q.graph:3:5:", self.fails(1, "run", "--pattern", query, self.arcs, "--labels", self.labels))
        self.assertIn("<pattern>:1:1:", self.fails(2, "run", "--pattern", "a->b", SMALL, says="--directed"))
        listed = json.loads(self.matcha("run", "--pattern", "(a:persn)-(b)", *self.graph[:3], "--diagnostics=json").stderr)
        self.assertEqual([(one["file"], one["column"], one["length"], one["id"]) for one in listed],
                         [("<pattern>", 4, 5, "unknown-label")])

    def test_a_label_with_a_slash_is_no_file(self):
        labels = self.write("l.txt", "".join(f"{v} a/b\n" for v in range(1, 5)))
        self.assertEqual(self.ok("run", "--pattern", "(u:'a/b')-(v)", self.arcs, "--labels", labels), "10\n")


class SeveralPatternsTest(CliTest):
    def test_one_graph_a_line_each(self):
        done = self.matcha("run", "--pattern", "triangle", "--pattern", "a-b-c", "--pattern", "motif:3", SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(b"edge list"), 1, done.stderr)
        alone = {name: int(self.ok("run", "--pattern", name, SMALL)) for name in ("triangle", "a-b-c")}
        motifs = [line.split() for line in self.ok("run", "--pattern", "motif:3", SMALL).splitlines()]
        wanted = [[name, str(count)] for name, count in alone.items()] + motifs
        self.assertEqual([line.split() for line in done.stdout.decode().splitlines()], wanted)

    def test_file_and_json(self):
        file = self.write("patterns.txt", "# all of them\n\ntriangle  # cliques\n  (a)-(b)-(c)\r\nmotif:3\ngraph6:Bw\n")
        lines = self.ok("run", "--patterns", file, SMALL, "--json").splitlines()
        objects = [json.loads(line) for line in lines]
        self.assertEqual([one["given"].strip() for one in objects], ["triangle", "(a)-(b)-(c)", "motif:3", "graph6:Bw"])
        self.assertEqual(objects[0]["result"], objects[3]["result"])
        self.assertEqual(objects[0]["result"], objects[2]["result"]["triangle"])
        self.assertEqual(objects[0]["schema"], "matcha.run/1")
        done = self.matcha("run", "--patterns", "-", SMALL, stdin=b"triangle\n")
        self.assertEqual(done.stdout.decode().split(), ["triangle", str(objects[0]["result"])])

    def test_orders_and_labels_of_edges(self):
        """The same counts as alone, whatever the others made of the graph."""
        texts = ["clique:4", "house", "0-1=a,1-2=b", "cycle:4", "0-1,1-2=a", "path:4"]
        graph = self.write("g.txt", "".join(f"{u} {v} {'ab'[(u * v) % 2]}\n" for u in range(9) for v in range(u) if (u + v) % 3))
        for options in ([], ["--order", "id"], ["--induced", "vertex"], ["--threads", "1"], ["--tune"]):
            words = [word for text in texts for word in ("--pattern", text)]
            together = [line.split()[-1] for line in self.ok("run", *words, graph, *options, "--device", "cpu").splitlines()]
            alone = [self.ok("run", "--pattern", text, graph, *options, "--device", "cpu").strip() for text in texts]
            self.assertEqual(together, alone, options)

    def test_errors_of_all_come_first(self):
        done = self.matcha("run", "--pattern", "triangle", "--pattern", "a-b$", "--pattern", "(a", SMALL)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for place in (b"<pattern 2>:1:4:", b"<pattern 3>:1:3:"):
            self.assertIn(place, done.stderr)
        self.assertNotIn(b"edge list", done.stderr)
        file = self.write("p.txt", "triangle\n\n  0:redd-1\n(a:blu)-(b)\n")
        done = self.matcha("run", "--patterns", file, *LABELLED)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for place in (b"p.txt:3:5:", b"p.txt:4:4:"):
            self.assertIn(place, done.stderr)
        both = ["--pattern", "0-1", "--pattern", "0>1"]
        self.fails(2, "run", *both, SMALL, says=["<pattern 2>:1:1", "arcs"])
        self.assertEqual(self.fails(3, "run", *both[:2], *both[:2], "no-such-file", says="no-such-file").count("no-such-file"), 1)
        self.fails(1, "run", "--pattern", "clique:4", "--pattern", "cycle:5", "--algorithm", "decompose", SMALL,
                   says=["<pattern 1>:1:1", "does not fit"])

    def test_usage(self):
        self.fails(2, "run", "--pattern", "edge", "--pattern", "edge", SMALL, "--limit", "3", says="for one pattern")
        self.fails(2, "run", "--pattern", "edge", "--pattern", "", SMALL, says="there is no pattern")
        self.fails(2, "run", "--pattern", "edge", "--pattern", "wedge", says="G")
        self.fails(3, "run", "--patterns", self.path("missing"), SMALL, says=["missing", "cannot open"])
        self.fails(3, "run", "--patterns", self.write("empty.txt", "# nothing\n"), SMALL, says="there are no patterns")
        self.fails(1, "run", "--pattern", "house,kite", SMALL, says="--pattern A --pattern B")

    def test_stops(self):
        slow = ["--algorithm", "extend", "--order", "id", "--threads", "1", "--device", "cpu"]
        patterns = ("--pattern", "edge", "--pattern", "path:7", "--pattern", "edge")
        done = self.timed_out("run", *patterns, WIKI, *slow, began=lambda done: b"path:7" in done.stdout)
        lines = done.stdout.decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["edge", "path:7"])
        self.assertIn(b"1 of 3 patterns were not run", done.stderr)


if __name__ == "__main__":
    main()
