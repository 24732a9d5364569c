"""`matcha stream` on graphs whose edges have labels: answers after every batch against all maps of a pattern."""

import collections
import copy
import itertools
import json
import math
import random

from cli import CliTest, fewer, main

LABELS = ["x", "y", "z"]


class Graph:
    """Edges as triples, of an undirected graph with the smaller end first; vertices with their labels."""

    def __init__(self, directed):
        self.directed, self.edges, self.labels = directed, set(), {}

    def edge(self, u, v, label):
        return (u, v, label) if self.directed or u < v else (v, u, label)

    def apply(self, line):
        op, *words = line.split()
        if op == "+":
            u, v = int(words[0]), int(words[1])
            for end in (u, v):
                self.labels.setdefault(end, "")
            if u != v:
                self.edges.add(self.edge(u, v, words[2]))
        elif op == "-":
            u, v, _ = self.edge(int(words[0]), int(words[1]), None)
            self.edges -= {edge for edge in self.edges if edge[:2] == (u, v) and words[2:] in ([], [edge[2]])}
        elif op == "v":
            self.labels[int(words[0])] = words[1]
        else:
            self.labels.pop(int(words[0]), None)
            self.edges = {edge for edge in self.edges if int(words[0]) not in edge[:2]}

    def index(self):
        """By pair of vertices, in each direction that an edge has, its labels."""
        found = collections.defaultdict(set)
        for u, v, label in self.edges:
            found[u, v].add(label)
            if not self.directed:
                found[v, u].add(label)
        return found


def fitting(label, there):
    """How many edges between two vertices, by their labels, an edge of a pattern may be; a pair is one."""
    return int(bool(there)) if label is None else sum(one in there for one in label.split("|"))


class Pattern:
    """Edges as (u, v, label or none), pairs that must not be adjacent, and labels of vertices. A label `x|y` is one of
    the two."""

    def __init__(self, directed, edges, apart=(), labels=None):
        self.directed, self.apart, self.labels, self.edges = directed, apart, labels or {}, edges
        self.wanted = collections.defaultdict(set)
        for u, v, label in edges:
            for pair in ((u, v),) if directed else ((u, v), (v, u)):
                self.wanted[pair].add(label)
        self.size = 1 + max(max(pair) for pair in self.wanted)
        parts = ["%s%s%s%s" % (self.end(u), "->" if directed else "-", self.end(v), "=" + label if label else "")
                 for u, v, label in edges] + ["%s~%s" % (self.end(u), self.end(v)) for u, v in apart]
        self.text = ",".join(parts)

    def end(self, v):
        label = self.labels.get(v)
        return "(%s:'%s')" % ("abcdef"[v], label) if label else "abcdef"[v]

    def embeddings(self, graph, induced):
        index, found, image = graph.index(), set(), []
        apart = {pair for one in self.apart for pair in (one, one[::-1])}

        def fits(u, v):
            there = index.get((image[u], image[v]), ())
            wanted = self.wanted.get((u, v))
            if wanted:
                return all(fitting(label, there) for label in wanted)
            return not (there and (induced == "vertex" or (u, v) in apart))

        def extend():
            v = len(image)
            if v == self.size:
                found.add(tuple(image))
                return
            for x, label in graph.labels.items():
                if x in image or self.labels.get(v, label) != label:
                    continue
                image.append(x)
                if all(fits(u, v) and fits(v, u) for u in range(v)):
                    extend()
                image.pop()

        extend()
        return found

    def count(self, graph, induced):
        """The same, each as often as there are choices of edges."""
        index = graph.index()
        return sum(math.prod(fitting(label, index.get((image[u], image[v]), ())) for u, v, label in self.edges)
                   for image in self.embeddings(graph, induced))

    def automorphisms(self, induced):
        # Of vertex-induced matches no pair without an edge is adjacent.
        apart = {pair for one in self.apart for pair in (one, one[::-1]) if induced == "edge"}

        def keeps(p):
            pairs = itertools.permutations(range(self.size), 2)
            return (all(self.labels.get(v) == self.labels.get(p[v]) for v in range(self.size)) and
                    all(self.wanted.get((u, v)) == self.wanted.get((p[u], p[v])) and
                        ((u, v) in apart) == ((p[u], p[v]) in apart) for u, v in pairs))

        return [p for p in itertools.permutations(range(self.size)) if keeps(p)]


def random_pattern(draw, directed, choices=True):
    """Connected, with 2 to 4 vertices; some edges have a label, or two, or with `choices` one of two."""
    size = draw.choice([2, 3, 3, 3, 4, 4])
    pairs = [(draw.randrange(v), v) for v in range(1, size)]
    for pair in itertools.combinations(range(size), 2):
        if pair not in pairs and draw.random() < 0.3:
            pairs.append(pair)
    edges = []
    for u, v in pairs:
        if directed and draw.random() < 0.5:
            u, v = v, u
        edges.append((u, v, draw.choice([None, "x", "x", "y", "y", "x|y" if choices else "z"])))
        if draw.random() < 0.2 and edges[-1][2]:
            edges.append((u, v, draw.choice(LABELS)))
        if directed and draw.random() < 0.2:
            edges.append((v, u, draw.choice([None, "x", "y"])))
    edges = list(dict.fromkeys(edges))
    if all(label is None for _, _, label in edges):
        return random_pattern(draw, directed, choices)
    joined = {frozenset(edge[:2]) for edge in edges}
    apart = [pair for pair in itertools.combinations(range(size), 2) if frozenset(pair) not in joined]
    apart = draw.sample(apart, 1) if apart and draw.random() < 0.3 else []
    labels = {v: draw.choice(["red", "blue"]) for v in range(size) if draw.random() < 0.15}
    # Names are letters in the order of the text, which is that of the columns.
    order = list(dict.fromkeys(v for edge in edges for v in edge[:2]))
    new = {v: i for i, v in enumerate(order)}
    return Pattern(directed, [(new[u], new[v], label) for u, v, label in edges],
                   [(new[u], new[v]) for u, v in apart], {new[v]: label for v, label in labels.items()})


def random_line(draw, vertices):
    u, v = draw.randrange(vertices), draw.randrange(vertices)
    what = draw.random()
    if what < 0.62:
        # The last one is asked for by no pattern.
        return f"+ {u} {v} {draw.choice([*LABELS, *LABELS, 'other'])}"
    if what < 0.85:
        return f"- {u} {v} {draw.choice([*LABELS, 'other'])}"
    if what < 0.92:
        return f"- {u} {v}"
    return f"v {u} {draw.choice(['red', 'blue', 'green'])}" if what < 0.98 else f"-v {u}"


class StreamEdgeLabelsTest(CliTest):
    def answers(self, patterns, lines, *args):
        """For each pattern the answers of its batches."""
        patterns = [word for pattern in patterns for word in ("--pattern", pattern)]
        text = self.ok("stream", *patterns, "--updates", "-", "--json", *args,
                       stdin="".join(line + "\n" for line in lines).encode())
        found = collections.defaultdict(list)
        for one in map(json.loads, text.splitlines()):
            if "end" not in one:
                found[one.get("program", "")].append(one)
        return list(found.values())

    def states(self, directed, lines, size):
        """The graph after each batch, the first one is empty."""
        graph = Graph(directed)
        yield graph
        for first in range(0, len(lines), size):
            for line in lines[first:first + size]:
                graph.apply(line)
            yield graph

    def check_totals(self, seed, directed, induced, size, *args, count=fewer(6, 3), lines=40, vertices=6):
        draw = random.Random(seed)
        # Programs go by their text.
        patterns = list({one.text: one for one in (random_pattern(draw, directed) for _ in range(count))}.values())
        lines = [random_line(draw, vertices) for _ in range(lines)]
        embeddings = draw.random() < 0.5
        args = [*args, "--induced", induced, "--batch", size] + ["--directed"] * directed + ["--embeddings"] * embeddings
        expected = [[] for _ in patterns]
        for graph in self.states(directed, lines, size):
            for reported, pattern in zip(expected, patterns):
                reported.append(pattern.count(graph, induced))
        for pattern, counts, reported in zip(patterns, expected, self.answers([one.text for one in patterns], lines, *args)):
            where = (seed, pattern.text, induced, args)
            share = 1 if embeddings else len(pattern.automorphisms(induced))
            self.assertEqual([one["total"] for one in reported], [one // share for one in counts], where)
            self.assertEqual({one["how"] for one in reported}, {"recompute" if "--recompute" in args else "delta"}, where)
            if induced == "edge" and not pattern.apart and "--recompute" not in args:
                gains = [(one["plus"], one["minus"]) for one in reported[1:]]
                self.assertEqual([plus - minus for plus, minus in gains], [one["delta"] for one in reported[1:]], where)
        return patterns, lines, args

    def check_rows(self, seed, directed, induced, size, *args, lines=40, vertices=6):
        draw = random.Random(seed)
        pattern = random_pattern(draw, directed, False)
        lines = [random_line(draw, vertices) for _ in range(lines)]
        embeddings = draw.random() < 0.5
        rows = self.path("rows.tsv")
        args = [*args, "--induced", induced, "--batch", size] + ["--directed"] * directed + ["--embeddings"] * embeddings
        (reported,) = self.answers([pattern.text], lines, *args, "--matches", rows)
        self.assertEqual({one["how"] for one in reported[1:]}, {"delta"}, (seed, pattern.text))
        moves = [range(pattern.size)] if embeddings else pattern.automorphisms(induced)
        kept = set()
        with open(rows, encoding="utf-8") as file:
            changes = [line.split() for line in file]
        by_batch = collections.defaultdict(list)
        for batch, sign, *row in changes:
            by_batch[int(batch)].append((sign, tuple(map(int, row))))
        for batch, graph in enumerate(self.states(directed, lines, size)):
            for sign, row in by_batch[batch]:
                self.assertEqual(row in kept, sign == "-", (seed, pattern.text, batch, row))
                (kept.add if sign == "+" else kept.remove)(row)
            whole = pattern.embeddings(graph, induced)
            self.assertEqual({tuple(row[v] for v in move) for row in kept for move in moves}, whole,
                             (seed, pattern.text, induced, batch))
            self.assertEqual(len(kept) * len(moves), len(whole), (seed, pattern.text, batch))

    def test_totals(self):
        self.check_totals(1, False, "edge", 1)
        self.check_totals(2, False, "vertex", 7, "--threads", 2)
        self.check_totals(3, True, "edge", 4)
        self.check_totals(4, True, "vertex", 1)

    def test_rows(self):
        for seed in range(4):
            self.check_rows(10 + seed, seed % 2 == 1, ["edge", "vertex"][seed // 2], [1, 5, 20, 3][seed])

    def test_pairs_that_are_not_adjacent_anyway(self):
        draw = random.Random(4)
        lines = [random_line(draw, 7) for _ in range(60)]
        *_, graph = self.states(False, lines, 60)
        path = self.write("g.txt", "".join("%d %d %s\n" % edge for edge in graph.edges))
        for edges, apart in (([(0, 1, "x"), (0, 2, "x"), (0, 3, "x")], [(1, 2)]),
                             ([(0, 1, None), (0, 2, None), (0, 3, "y")], [(1, 3)]),
                             ([(0, 1, "x"), (0, 2, "x|y"), (0, 3, "x|y"), (0, 3, "y")], [(2, 3)])):
            pattern = Pattern(False, edges, apart)
            expected = pattern.count(graph, "vertex") // len(pattern.automorphisms("vertex"))
            self.assertGreater(expected, 0, pattern.text)
            (reported,) = self.answers([pattern.text], lines, "--batch", 60, "--induced", "vertex")
            self.assertEqual((reported[-1]["total"], reported[-1]["how"]), (expected, "delta"), pattern.text)
            self.assertEqual(int(self.ok("run", "--pattern", pattern.text, path, "--induced", "vertex")), expected,
                             pattern.text)

    def test_programs(self):
        programs = {
            # For each of these, the pattern whose embeddings are counted once.
            "sum(apply(lambda v: size(intersect(neighbor(G, u, 'x'), neighbor(G, v, 'y'))), neighbor(G, u, 'x')))":
                (1, [(0, 1, "x"), (0, 2, "x"), (1, 2, "y")]),
            "sum(apply(lambda v: size(apply(lambda w: w, cond=lambda w: w < v, intersect(neighbor(G, u, 'x'), "
            "neighbor(G, v, 'x')))), cond=lambda v: v < u, neighbor(G, u, 'x')))":
                (6, [(0, 1, "x"), (0, 2, "x"), (1, 2, "x")]),
            "size(neighbor(G, u, 'z')) * (size(neighbor(G, u, 'z')) - 1) / 2": (2, [(0, 1, "z"), (0, 2, "z")]),
            "size(neighbor(G, u, 'y'))": (1, [(0, 1, "y")]),
        }
        draw = random.Random(7)
        lines = [random_line(draw, 7) for _ in range(60)]
        graphs = [copy.deepcopy(graph) for graph in self.states(False, lines, 4)]
        for body, (share, edges) in programs.items():
            for vertices in ("vertices(G)", "vertices(G, '%s')" % edges[0][2])[:fewer(2, 1)]:
                text = "def f(G: Graph) -> int:\n    def at_u(u):\n        return %s\n    return sum(apply(at_u, %s))\n"
                program = self.write("p.mt", text % (body, vertices))
                (reported,) = self.answers([], lines, program, "--batch", 4)
                pattern = Pattern(False, edges)
                self.assertEqual([one["total"] for one in reported],
                                 [pattern.count(graph, "edge") // share for graph in graphs], body)
                self.assertEqual({one["how"] for one in reported}, {"delta"}, body)
        # Edges of any label are walked one by one.
        body = "sum(apply(lambda u: size(neighbor(G, u)) + size(neighbor(G, u, 'x')), vertices(G)))"
        program = self.write("p.mt", "def f(G: Graph) -> int:\n    return %s\n" % body)
        (reported,) = self.answers([], lines, program, "--batch", 4)
        self.assertEqual([one["total"] for one in reported],
                         [2 * len(graph.edges) + 2 * sum(edge[2] == "x" for edge in graph.edges) for graph in graphs])
        self.assertEqual({one["how"] for one in reported}, {"recompute"})

    def test_equals_recomputation(self):
        patterns, lines, args = self.check_totals(20, False, "edge", 6)
        texts = [one.text for one in patterns]
        for delta, anew in zip(self.answers(texts, lines, *args), self.answers(texts, lines, *args, "--recompute")):
            for one, other in zip(delta, anew):
                keys = ("total", "delta", "plus", "minus", "inserted", "deleted", "noops")
                self.assertEqual([one.get(key) for key in keys], [other.get(key) for key in keys])


if __name__ == "__main__":
    main()
