"""Vertices of several types, `Person;Admin`: patterns ask for types, whichever way they are matched."""

import itertools
import random

from cli import CliTest, main

TYPES = ["P", "A", "Q"]
WAYS = ([], ["--tier", "interp"], ["--algorithm", "extend"], ["--threads", 1])


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
                maps = sum(a in types[x] and b in types[y] and c in types[z]
                           for x, y, z in itertools.permutations(types, 3)
                           if frozenset((x, y)) in edges and frozenset((y, z)) in edges)
                count = maps // 2 if a == c else maps
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
        told = self.ok("run", "--pattern", "(x:P)-(y:P)", "--pattern", "(x:A)-(y:P)", graph, "--labels", labels)
        self.assertEqual([line.split()[-1] for line in told.splitlines()], ["2", "2"])


if __name__ == "__main__":
    main()
