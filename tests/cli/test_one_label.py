"""Patterns whose edges all have one label, on undirected graphs: as the same patterns without it on the lines that have it."""

import json
import random

from cli import CliTest, fewer, main

EDGES = {"triangle": "a-b,b-c,c-a", "square": "a-b,b-c,c-d,d-a", "wedge": "a-b,b-c", "house": "a-b,b-c,c-d,d-a,a-e,b-e",
         "clique:4": "a-b,a-c,a-d,b-c,b-d,c-d", "star": "a-b,a-c,a-d"}
TYPES = ["x", "y"]


def labelled(edges, label):
    return ",".join(f"{edge}={label}" for edge in edges.split(","))


class Graphs:
    """Random edges with labels, parallel ones among them, and types of the vertices: whole, and those of one label alone."""

    def __init__(self, test, seed):
        source = random.Random(seed)
        count = source.choice([6, 12, 30])
        ids = [5 * v + 2 for v in range(count)]
        lines = [(source.choice(ids), source.choice(ids), source.choice(["knows", "likes", "3"])) for _ in range(5 * count)]
        lines.append((ids[0], ids[1], "knows"))
        every = sorted({end for line in lines for end in line[:2]})
        # Both types are there.
        types = TYPES + [source.choice(TYPES) for _ in every[2:]]
        self.types = test.write(f"types{seed}.txt", "".join(f"{v} {t}\n" for v, t in zip(every, types)))
        self.whole = test.write(f"whole{seed}.txt", "".join(f"{u} {v} {l}\n" for u, v, l in lines))
        # A line of every vertex keeps its type known; loops are left out.
        self.part = test.write(f"part{seed}.txt", "".join(f"{v} {v}\n" for v in every) +
                               "".join(f"{u} {v}\n" for u, v, l in lines if l == "knows"))


class TestOneLabel(CliTest):
    def answer(self, pattern, graph, *more):
        return json.loads(self.ok("run", "--pattern", pattern, graph, "--json", *more))

    def rows(self, pattern, graph, *more):
        return sorted(self.ok("run", "--pattern", pattern, graph, "--matches", "-", *more).splitlines())

    def test_counts_and_rows_are_those_of_its_lines(self):
        for seed in range(fewer(3, 1)):
            graphs = Graphs(self, seed)
            packed = self.path(f"whole{seed}.mtg")
            self.ok("graph", "convert", "--edge-labels", graphs.whole, packed)
            for name, edges in EDGES.items():
                with self.subTest(seed=seed, pattern=name):
                    asked = labelled(edges, "knows")
                    for more in ([], ["--embeddings"], ["--match", "homo"], ["--tier", "native"], ["--order", "degree"]):
                        wanted = self.answer(edges, graphs.part, *more)["result"]
                        for graph in (graphs.whole, packed):
                            self.assertEqual(self.answer(asked, graph, *more)["result"], wanted, more)
                    self.assertEqual(self.rows(asked, packed), self.rows(edges, graphs.part))
                    typed = ",".join(f"({v}:{TYPES[i % 2]})" for i, v in enumerate(sorted(set(edges) - set("-,"))))
                    self.assertEqual(self.answer(f"{asked},{typed}", graphs.whole, "--labels", graphs.types)["result"],
                                     self.answer(f"{edges},{typed}", graphs.part, "--labels", graphs.types)["result"])

    def test_programs_that_read_other_edges_are_not_cut(self):
        # A wedge of `knows` whose ends like each other is not vertex-induced.
        graph = self.write("g.txt", "1 2 knows\n2 3 knows\n1 3 likes\n3 4 knows\n")
        self.assertEqual(self.answer("a-b=knows,b-c=knows", graph)["result"], 2)
        self.assertEqual(self.answer("a-b=knows,b-c=knows", graph, "--induced", "vertex")["result"], 1)
        self.assertEqual(self.answer("a-b=knows,b-c=knows,a~c", graph)["result"], 1)
        self.assertEqual(self.answer("a-b=knows,b-c=likes", graph)["result"], 3)

    def test_messages_are_about_the_question(self):
        graph = self.write("g.txt", "1 2 knows\n2 3 knows\n1 3 likes\n")
        found = self.answer("a-b=knows,b-c=knows", graph)
        self.assertIn("knows", json.dumps(found["pattern"]))
        self.assertEqual(found["graph"]["edges"], 3)
        self.fails(1, "run", "--pattern", "a-b=knwos,b-c=knwos", graph, says="knwos")
        self.assertEqual(self.answer("a-b=7,b-c=7", self.write("n.txt", "1 2 7\n2 3 7\n1 3 8\n"))["result"], 1)
        self.assertEqual(self.answer("a-b=9,b-c=9", self.path("n.txt"))["result"], 0)

    def test_explain_shows_the_same_plan(self):
        graph = self.write("g.txt", "1 2 knows\n2 3 knows\n1 3 knows\n")
        self.assertIn("knows", self.ok("explain", "--pattern", "a-b=knows,b-c=knows,c-a=knows", graph))


if __name__ == "__main__":
    main()
