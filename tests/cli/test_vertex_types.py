"""Vertices of several types, `Person;Admin`: patterns ask for types, whichever way they are matched."""

import itertools
import random

from cli import CliTest, fewer, main

TYPES = ["P", "A", "Q"]
WAYS = ([], ["--tier", "interp"], ["--algorithm", "extend"], ["--threads", 1])


def matches(types, edges, wanted, pairs):
    """The maps of a pattern, by subgraph: two maps are one if they have the same vertices and edges, and the same
    vertices where the pattern asks for no type, or for one of several. `wanted`: the types of each pattern vertex, any
    of which will do; None: any vertex."""
    found = {}
    for image in itertools.permutations(types, len(wanted)):
        if not all(words is None or words & set(types[v]) for v, words in zip(image, wanted)):
            continue
        laid = frozenset(frozenset((image[u], image[w])) for u, w in pairs)
        if laid <= edges:
            kinds = (None if words is None else "one" if len(words) == 1 else frozenset(words) for words in wanted)
            found.setdefault((frozenset(zip(image, kinds)), laid), []).append(image)
    return found


class VertexTypesTest(CliTest):
    def test_every_way_to_a_count(self):
        for seed in range(2):
            draw = random.Random(seed)
            edges = {frozenset(draw.sample(range(9), 2)) for _ in range(14)}
            types = {v: draw.sample(TYPES, draw.choice([1, 1, 2, 3])) for v in sorted(set().union(*edges))}
            graph = self.write("g.txt", "".join("%d %d\n" % tuple(edge) for edge in edges))
            labels = self.write("l.txt", "".join("%d %s\n" % (v, ";".join(types[v])) for v in types))
            for a, b, c in itertools.product("PAQ", repeat=3):
                if (a, c) > (c, a):
                    continue
                found = matches(types, edges, [{a}, {b}, {c}], [(0, 1), (1, 2)])
                maps, count = sum(map(len, found.values())), len(found)
                args = ("--pattern", f"(x:{a})-(y:{b})-(z:{c})", graph, "--labels", labels)
                missing = {a, b, c} - set(itertools.chain(*types.values()))
                if missing:
                    self.fails(1, "run", *args, says="no vertex or edge has the label")
                    continue
                for way in draw.sample(WAYS, 2):
                    self.assertEqual(self.ok("run", *args, *way), f"{count}\n", (seed, args, way))
                self.assertEqual(self.ok("run", *args, "--embeddings"), f"{maps}\n", (seed, args))
                self.assertEqual(self.ok("run", *args, "--exists"), "true\n" if count else "false\n", (seed, args))
                self.assertEqual(self.ok("run", *args, "--limit", 2, "--count"), f"{min(2, count)}\n", (seed, args))
                self.assertEqual(len(self.ok("run", *args, "--matches", "-").splitlines()), count, (seed, args))

    def test_shapes(self):
        """Triangles, squares and stars whose vertices ask for a type, one of several, or none."""
        shapes = [(2, [(0, 1)]), (3, [(0, 1), (1, 2), (0, 2)]), (4, [(0, 1), (1, 2), (2, 3), (0, 3)]), (4, [(0, 1), (0, 2), (0, 3)])]
        for seed in range(fewer(4, 2)):
            draw = random.Random(seed)
            edges = {frozenset(draw.sample(range(7), 2)) for _ in range(13)}
            types = {v: draw.sample(TYPES, draw.choice([1, 2, 2, 3])) for v in sorted(set().union(*edges))}
            types.update({10: ["P"], 11: ["A"], 12: ["Q"]})
            graph = self.write("g.txt", "".join("%d %d\n" % tuple(edge) for edge in edges))
            labels = self.write("l.txt", "".join(f"{v} {';'.join(types[v])}\n" for v in types))
            isolated = self.write("v.txt", "10\n11\n12\n")
            for size, pairs in shapes:
                wanted = [draw.choice([{"P"}, {"A"}, {"Q"}, {"P"}, {"A"}, {"P", "Q"}, None]) for _ in range(size)]
                found = matches(types, edges, wanted, pairs)
                label = ["" if words is None else ":" + "|".join(sorted(words)) for words in wanted]
                text = ",".join(f"(v{u}{label[u]})-(v{w}{label[w]})" for u, w in pairs)
                args = ("--pattern", text, graph, "--labels", labels, "--vertices", isolated)
                with self.subTest(seed=seed, pattern=text):
                    self.assertEqual(self.ok("run", *args, "--verify"), f"{len(found)}\n")
                    rows = [tuple(map(int, row.split())) for row in self.ok("run", *args, "--matches", "-").splitlines()]
                    listed = [key for row in rows for key, maps in found.items() if row in maps]
                    self.assertEqual(set(listed), set(found))
                    self.assertEqual((len(listed), len(rows)), (len(found), len(found)))

    def test_labels_elsewhere(self):
        """They change no answer: not of a graph, and not of a stream when they come."""
        patterns = {"a:s-b:t": 1, "a:s-b:s": 1, "a:s-b": 2, "a:s|t-b:s": 2, "a:s|t-b:t|s": 1}
        for more in ("", "3 s\n", "3 s\n4 t\n", "3 r;s\n4 t;r\n"):
            labels = self.write("l.txt", "1 t;s\n2 t;s\n" + more)
            isolated = self.write("v.txt", "1\n" + "".join(line.split()[0] + "\n" for line in more.splitlines()))
            graph = self.write("g.txt", "1 2\n")
            for pattern, count in patterns.items():
                args = ("--pattern", pattern, graph, "--labels", labels, "--vertices", isolated, "--verify")
                self.assertEqual(self.ok("run", *args), f"{count}\n", (pattern, more))
        labels, updates = self.write("l.txt", "1 t;s\n2 t;s\n"), self.write("u.txt", "v 3 s\nv 4 r;t\n+ 3 4\n- 1 2\n")
        for pattern, count in patterns.items():
            rows = self.path("rows.txt")
            self.ok("stream", "--pattern", pattern, graph, "--labels", labels, "--updates", updates, "--batch", 1, "--matches", rows)
            with open(rows, encoding="utf-8") as file:
                changes = [line.split()[0] for line in file]
            self.assertEqual((changes.count("0"), changes.count("1"), changes.count("2"), changes.count("4")),
                             (count, 0, 0, count), pattern)

    def test_names(self):
        """Between blanks, also where each line has a `;`, which is between the columns of other tables."""
        graph = self.write("names.txt", "ann bob\nbob eve\neve ann\n")
        for lines in ("ann P;A\nbob P;Q\neve Q;A\n", "ann\tP;A\nbob\tP;Q\neve\tQ;A\n", "bob P;Q\nann P\neve A;Q\n"):
            labels = self.write("l.txt", lines)
            self.assertEqual(self.ok("run", "--pattern", "(x:P)-(y:P)", graph, "--labels", labels), "1\n", lines)
            self.assertEqual(self.ok("run", "--pattern", "(x:P)-(y:Q)", graph, "--labels", labels), "3\n", lines)
        labels = self.write("l.txt", "ann;P\nbob;P\neve;Q\n")
        self.assertEqual(self.ok("run", "--pattern", "(x:P)-(y:Q)", graph, "--labels", labels), "2\n")

    def test_several_patterns(self):
        graph, labels = self.write("g.txt", "1 2\n2 3\n"), self.write("l.txt", "1 P;A\n2 P\n3 A;P\n")
        reported = self.ok("run", "--pattern", "(x:P)-(y:P)", "--pattern", "(x:A)-(y:P)", graph, "--labels", labels)
        self.assertEqual([line.split()[-1] for line in reported.splitlines()], ["2", "2"])


if __name__ == "__main__":
    main()
