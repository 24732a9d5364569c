"""Counts and rows by messages along trees, of patterns of arcs with labels: against every map, and against programs."""

import itertools
import json
import os
import pathlib
import random
import time

from cli import CliTest, fewer, main

WORDS = ["owns", "knows", "7"]
TYPES = ["x", "y", "z"]
# The vertices of arcs; all are trees and blocks of cycles through one vertex, or have two vertices without which there are no cycles.
SHAPES = {
    "arc": [(0, 1)], "path": [(0, 1), (1, 2), (2, 3)], "in and out": [(1, 0), (1, 2), (3, 2)], "star": [(0, 1), (2, 0), (0, 3)],
    "two ways": [(0, 1), (1, 0)], "twice": [(0, 1), (0, 1)], "triangle": [(0, 1), (1, 2), (2, 0)], "turned": [(0, 1), (1, 2), (0, 2)],
    "square": [(0, 1), (0, 2), (1, 3), (2, 3)], "kite": [(0, 1), (1, 2), (2, 0), (2, 3)], "diamond": [(0, 1), (2, 1), (0, 3), (2, 3), (0, 2)],
    "pentagon": [(0, 1), (2, 1), (2, 3), (4, 3), (0, 4)], "bow": [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)],
    "twice on a cycle": [(0, 1), (1, 2), (1, 2), (2, 0)], "tail on a tail": [(0, 1), (1, 2), (2, 0), (1, 3), (3, 4)],
    "fan": [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)], "cycle of six": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)],
    "clique": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], "wheel": [(0, 1), (2, 1), (2, 3), (3, 0), (0, 4), (1, 4), (4, 2), (4, 3)],
    "two triangles": [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)], "triangles and a path": [(0, 1), (1, 2), (2, 0), (2, 3), (4, 3), (4, 2), (0, 5)], "two and a way": [(0, 1), (1, 0), (0, 2), (2, 1), (1, 3), (3, 4), (4, 1), (4, 0)],
}


class Graph:
    """Random arcs with labels, loops and parallel ones among them, types of the vertices, and every map of a pattern."""

    def __init__(self, test, seed):
        source = random.Random(seed)
        self.ids = [3 * v + 1 for v in range(source.choice([4, 7]))]
        self.arcs = {(source.choice(self.ids), source.choice(self.ids), source.choice(WORDS)) for _ in range(6 * len(self.ids))}
        self.arcs |= {(self.ids[0], self.ids[1], word) for word in WORDS}
        self.types = {v: source.choice(TYPES) for v in self.ids}
        self.types.update(zip(self.ids, TYPES))
        self.text = test.write(f"g{seed}.txt", "".join(f"{u} {v} {l}\n" for u, v, l in sorted(self.arcs)))
        labels = test.write(f"t{seed}.txt", "".join(f"{v} {t}\n" for v, t in self.types.items()))
        self.given = [self.text, "--directed", "--labels", labels]
        # All ends of arcs are vertices; so are those that the labels name.
        self.packed = test.path(f"g{seed}.mtg")
        test.ok("graph", "convert", "--edge-labels", "--keep-loops", *self.given, self.packed)

    def all_maps(self, arcs, types, given, apart=lambda image, arcs: True):
        size = 1 + max(v for arc in arcs for v in arc[:2])
        choices = [[v for v in self.ids if types.get(p) in (None, self.types[v]) and given.get(p, v) == v] for p in range(size)]
        return [image for image in itertools.product(*choices)
                if all((image[u], image[v], l) in self.arcs for u, v, l in arcs) and apart(image, arcs)]

    def maps(self, *asked):
        return len(self.all_maps(*asked))


def text_of(arcs, types=None, given=None):
    parts = [f"{u}>{v}={l}" for u, v, l in arcs] + [f"{v}:{t}" for v, t in (types or {}).items()]
    return ",".join(parts + [f"{v}@{id}" for v, id in (given or {}).items()])


def with_labels(shape, source, words=None):
    """Each arc with a label; arcs between the same vertices have labels that differ."""
    words = words or WORDS
    arcs = []
    for u, v in shape:
        taken = [l for x, y, l in arcs if (x, y) == (u, v)]
        arcs.append((u, v, source.choice([word for word in words if word not in taken])))
    return arcs


class TestMessages(CliTest):
    def answer(self, pattern, *more):
        found = json.loads(self.ok("run", "--json", "--keep-loops", "--pattern", pattern, *more))
        return found["result"], found["stats"]["backend"]

    def answers(self, patterns, *more):
        """Results and engines of many patterns that one command asks for, and whether each result is complete."""
        words = [word for pattern in patterns for word in ("--pattern", pattern)]
        lines = self.ok("run", "--json", "--keep-loops", "--match", "homo", *words, *more).splitlines()
        found = [json.loads(line) for line in lines]
        return [(one["result"], one["stats"]["backend"], one["complete"]) for one in found]

    def cases(self, graph, source):
        """For each shape its pattern and maps: of arcs with labels alone, and with types and given vertices of some."""
        for shape in SHAPES.values():
            arcs, size = with_labels(shape, source), 1 + max(map(max, shape))
            types = {v: source.choice(TYPES) for v in range(size) if source.random() < 0.25}
            given = {v: source.choice(graph.ids) for v in range(size) if source.random() < 0.1}
            for these, those in (({}, {}), (types, given)):
                yield text_of(arcs, these, those), graph.all_maps(arcs, these, those)

    def check(self, cases, found, wanted):
        """Compares the answers with `wanted` of the maps of each pattern."""
        self.assertEqual(len(found), len(cases))
        for (pattern, maps), answer in zip(cases, found):
            with self.subTest(pattern=pattern):
                self.assertEqual(answer, wanted(maps))

    def test_maps_are_those_of_brute_force(self):
        for seed in range(fewer(4, 2)):
            graph = Graph(self, seed)
            cases = list(self.cases(graph, random.Random(100 + seed)))
            patterns = [pattern for pattern, _ in cases]
            asked = [([graph.packed, "--threads", threads], "messages") for threads in ("1", "3")]
            if seed == 0:
                asked += [(graph.given, "messages"), ([graph.packed, "--tier", "native"], "llvm")]
            for words, engine in asked:
                self.check(cases, self.answers(patterns, *words), lambda maps: (len(maps), engine, True))

    def asked(self, patterns, options, graph):
        """The answers of one server to many patterns, each with its options, in their order."""
        requests = [{"id": at, "pattern": pattern, "options": own} for at, (pattern, own) in enumerate(zip(patterns, options))]
        answers = self.served(requests, graph.packed, "--directed", "--edge-labels", "--keep-loops")
        self.assertEqual([one for one in answers if one["status"] != "ok"], [])
        return sorted(answers, key=lambda one: one["id"])

    def test_rows_are_those_of_brute_force(self):
        half = lambda maps: max(len(maps) // 2, 1)
        for seed in range(fewer(2, 1)):
            graph = Graph(self, seed)
            cases = [case for case in self.cases(graph, random.Random(300 + seed)) if len(case[1]) <= 20000]
            patterns = [pattern for pattern, _ in cases]
            for options in ({"threads": 1}, {"threads": 3}) + (({"tier": "native"},) if seed == 0 else ()):
                every = {"match": "homo", "matches": True, "limit": 30000, **options}
                found = self.asked(patterns, [every] * len(cases), graph)
                self.check(cases, [(sorted(map(tuple, one["result"])), one["complete"]) for one in found], lambda maps: (maps, True))
            some = [{"match": "homo", "matches": True, "limit": half(maps)} for _, maps in cases]
            for (pattern, maps), one in zip(cases, self.asked(patterns, some, graph)):
                with self.subTest(pattern=pattern):
                    rows = set(map(tuple, one["result"]))
                    self.assertEqual((len(one["result"]), len(rows)), (min(half(maps), len(maps)),) * 2)
                    self.assertTrue(rows <= set(maps))
            # One pattern a command, which says how it was answered.
            for pattern, maps in cases[:: len(cases) // 8]:
                words = ("run", "--json", "--keep-loops", "--match", "homo", "--pattern", pattern, graph.packed)
                for more, wanted in ((["--limit", "30000"], maps), (["--count", "--limit", str(half(maps))], min(half(maps), len(maps))), (["--exists"], bool(maps))):
                    with self.subTest(pattern=pattern, options=more):
                        one = json.loads(self.ok(*words, *more))
                        result = sorted(map(tuple, one["result"])) if more[0] == "--limit" else one["result"]
                        self.assertEqual((result, one["stats"]["backend"]), (wanted, "messages"))

    def test_rows_of_servers_and_queries(self):
        graph = Graph(self, 3)
        arcs = [(0, 1, "owns"), (2, 1, "knows"), (2, 0, "owns")]
        wanted = sorted(graph.all_maps(arcs, {}, {}))
        self.assertTrue(wanted)
        pattern = {"pattern": text_of(arcs), "options": {"match": "homo", "matches": True}}
        requests = [{"id": 1, **pattern}, {"id": 2, "pattern": pattern["pattern"], "options": {**pattern["options"], "limit": 2}}]
        done = self.matcha("serve", graph.packed, "--directed", "--edge-labels", "--keep-loops", "--device", "cpu", stdin="".join(json.dumps(each) + "\n" for each in requests).encode())
        _, every, some = map(json.loads, done.stdout.splitlines())
        self.assertEqual((sorted(map(tuple, every["result"])), every["complete"]), (wanted, True))
        self.assertEqual((len(some["result"]), some["complete"]), (2, False))
        text = "PREFIX : <> SELECT ?b ?a WHERE { ?a :owns ?b . ?c :knows ?b . ?c :owns ?a }"
        found = self.ok("query", text, graph.packed).splitlines()
        self.assertEqual(found[0], "b,a")
        self.assertEqual(sorted(found[1:]), sorted(f"{b},{a}" for a, b, _ in wanted))
        found = self.ok("query", text.replace("?b ?a", "?c"), graph.packed).splitlines()
        self.assertEqual((found[0], sorted(found[1:])), ("c", sorted(str(c) for _, _, c in wanted)))

    def test_labels_that_keep_vertices_apart_are_enough(self):
        def vertices_differ(image, _):
            return len(set(image)) == len(image)
        for seed in range(fewer(4, 1)):
            graph, source = Graph(self, seed), random.Random(200 + seed)
            for shape in (SHAPES["triangle"], SHAPES["turned"], SHAPES["two ways"]):
                arcs, size = with_labels(shape, source), 1 + max(map(max, shape))
                types = dict(enumerate(source.sample(TYPES, size)))
                self.assertEqual(self.answer(text_of(arcs, types), graph.packed), (graph.maps(arcs, types, {}, vertices_differ), "messages"))
                # Without them a program distinguishes vertices.
                self.assertNotEqual(self.answer(text_of(arcs), graph.packed)[1], "messages")

    def test_arcs_that_differ_by_label(self):
        def arcs_differ(image, arcs):
            return len({(image[u], image[v], l) for u, v, l in arcs}) == len(arcs)
        for seed in range(fewer(4, 1)):
            graph = Graph(self, seed)
            for arcs, backend in (([(0, 1, "owns"), (1, 2, "knows"), (2, 0, "7")], True), ([(0, 1, "owns"), (1, 2, "owns")], False)):
                found = self.answer(text_of(arcs), graph.packed, "--match", "edge")
                self.assertEqual((found[0], found[1] == "messages"), (graph.maps(arcs, {}, {}, arcs_differ), backend))

    def test_labels_that_are_any_or_one_of_several(self):
        def count(graph, arcs):
            """Maps, each with all choices of an edge for every arc; `?p` is the same label wherever it stands."""
            named = {l for _, _, l in arcs if l.startswith("?") and l != "?"}
            found = 0
            for image in itertools.product(graph.ids, repeat=1 + max(v for arc in arcs for v in arc[:2])):
                for words in itertools.product(WORDS, repeat=len(named)):
                    shared, ways = dict(zip(sorted(named), words)), 1
                    for u, v, l in arcs:
                        ways *= sum((image[u], image[v], word) in graph.arcs for word in (WORDS if l == "?" else [shared[l]] if l in named else l.split("|")))
                    found += ways
            return found
        kinds = ["?", "?", "?p", "?p", "?q", "owns|knows", "owns|7", "owns", "knows"]
        by_messages = 0
        for seed in range(fewer(4, 1)):
            graph, source = Graph(self, seed), random.Random(400 + seed)
            for name, shape in SHAPES.items():
                if max(map(max, shape)) > 3:
                    continue
                arcs = [(u, v, source.choice(kinds)) for u, v in shape]
                while len(set(arcs)) < len(arcs):
                    arcs = [(u, v, source.choice(kinds)) for u, v in shape]
                with self.subTest(seed=seed, shape=name, arcs=arcs):
                    found = self.answer(text_of(arcs), graph.packed, "--match", "homo")
                    self.assertEqual(found[0], count(graph, arcs))
                    by_messages += found[1] == "messages"
        self.assertGreater(by_messages, 20 if fewer(True, False) else 5)
        # Each for the same reason as a fixed label.
        graph = Graph(self, 0)
        for arcs in ([(0, 1, "?p"), (1, 0, "?p")], [(0, 1, "?p"), (1, 2, "?p"), (2, 3, "?q"), (3, 0, "?q")], [(0, 1, "owns"), (1, 2, "knows"), (0, 2, "?p")], [(0, 1, "owns|knows"), (1, 2, "?")], [(0, 1, "?")]):
            self.assertEqual(self.answer(text_of(arcs), graph.packed, "--match", "homo"), (count(graph, arcs), "messages"))
        # No two edges of a match are one: these may be.
        for pattern, apart in (("0>1=owns|7,1>2=knows", True), ("0>1=owns|7,1>2=7", False), ("0>1=?,1>2=knows", False)):
            self.assertEqual(self.answer(pattern, graph.packed, "--match", "edge")[1] == "messages", apart, pattern)
        # A named label is for one edge there, also where types keep edges apart.
        typed = "0>1=?p,1>0=?p,0:x,1:y"
        self.assertEqual(self.answer(typed, graph.packed)[1], "messages")
        self.fails(1, "run", "--keep-loops", "--match", "edge", "--pattern", typed, graph.packed, says="stands on 2 edges")

    def test_questions_of_other_engines(self):
        graph = Graph(self, 0)
        clique = list(itertools.combinations(range(5), 2))
        arcs = with_labels(clique, random.Random(1))
        found = self.answer(text_of(arcs), graph.packed, "--match", "homo")
        self.assertEqual(found[0], graph.maps(arcs, {}, {}))
        self.assertNotEqual(found[1], "messages")
        for pattern in ("0>1=owns,1>2", "0>1=owns,0>0=7", "0>1=owns,2>3=7", "0>1=owns,1>2=7,0!2"):
            self.assertNotEqual(self.answer(pattern, graph.packed, "--match", "homo")[1], "messages", pattern)
        for more in (["--algorithm", "extend"], ["--plan", "2"], ["--tier", "interp"], ["--backend", "interp"]):
            self.assertNotEqual(self.answer("0>1=owns,1>2=7", graph.packed, "--match", "homo", *more)[1], "messages", more)

    def test_a_vertex_with_many_arcs_is_walked_from_the_other_side(self):
        # Rows of a hub are searched, or reached from the few vertices on the other side.
        ids = range(3000)
        arcs = [(0, v, "a") for v in ids[1:]] + [(v, v + 1, "a") for v in ids[1:-1]] + [(v, 0, "b") for v in ids[1::7]]
        graph = self.path("hub.mtg")
        self.ok("graph", "convert", "--directed", "--edge-labels", self.write("hub.txt", "".join(f"{u} {v} {l}\n" for u, v, l in arcs)), graph)
        there = set(arcs)
        out = {}
        for u, v, l in arcs:
            out.setdefault((u, l), []).append(v)
        closed = sum(1 for u, v, l in arcs if l == "a" for w in out.get((v, "a"), []) if (u, w, "a") in there)
        self.assertEqual(json.loads(self.ok("run", "--json", "--match", "homo", "--pattern", "0>1=a,1>2=a,0>2=a", graph))["result"], closed)
        back = sum(1 for u, v, l in arcs if l == "a" for w in out.get((v, "a"), []) if (w, u, "b") in there)
        self.assertEqual(json.loads(self.ok("run", "--json", "--match", "homo", "--pattern", "0>1=a,1>2=a,2>0=b", graph))["result"], back)

    def test_many_maps(self):
        pairs = [(u, v) for u in range(60) for v in range(60, 120)]
        graph = self.write("many.txt", "".join(f"{u} {v} a\n{v} {u} b\n" for u, v in pairs))
        path = ",".join(f"{v}>{v + 1}={'ab'[v % 2]}" for v in range(11))
        self.assertEqual(self.ok("run", "--quiet", "--directed", "--match", "homo", "--pattern", path, graph), f"{60**12}\n")
        # Beyond 2^63 and up to 2^127 counts are right, then there is none.
        for leaves, size, wanted in ((5, 6000, 6000**5), (11, 2900, 2900**11), (11, 3100, None)):
            star = self.write("star.txt", "".join(f"0 {v} x\n" for v in range(1, size + 1)))
            run = ["run", "--quiet", "--directed", "--match", "homo", "--pattern", ",".join(f"a->b{i}=x" for i in range(leaves)), star]
            if wanted is None:
                self.fails(4, *run, says="overflow")
            else:
                self.assertEqual(self.ok(*run), f"{wanted}\n")

    def test_several_patterns_and_servers(self):
        graph = Graph(self, 2)
        patterns = [with_labels(shape, random.Random(3)) for shape in (SHAPES["square"], SHAPES["path"])]
        given = [word for arcs in patterns for word in ("--pattern", text_of(arcs))]
        lines = self.ok("run", "--keep-loops", "--match", "homo", *given, graph.packed).splitlines()
        self.assertEqual([int(line.split()[-1]) for line in lines], [graph.maps(arcs, {}, {}) for arcs in patterns])


class TestNotes(CliTest):
    """A `.mtg` is looked through once a day, and again when it changes."""

    def test_a_file_that_changed_is_looked_through_again(self):
        graph = Graph(self, 1)
        cache = self.path("cache")
        environment = self.environment(MATCHA_CACHE_DIR=cache)
        given = ["run", "--json", "--keep-loops", "--match", "homo", "--pattern", "0>1=owns,1>2=knows", graph.packed]
        time.sleep(3.1)  # A file that has just been written may still change unseen.
        first = json.loads(self.ok(*given, env=environment))
        self.assertTrue(any(name.endswith(".mtg") for name in os.listdir(os.path.join(cache, "code"))))
        again = json.loads(self.ok(*given, env=environment))
        self.assertEqual((first["result"], first["graph"]), (again["result"], again["graph"]))
        content = bytearray(pathlib.Path(graph.packed).read_bytes())
        content[-3] ^= 0x40
        pathlib.Path(graph.packed).write_bytes(content)
        self.fails(3, *given, env=environment, says="corrupt")
        self.fails(3, *given, "--no-cache", env=environment, says="corrupt")


if __name__ == "__main__":
    main()
