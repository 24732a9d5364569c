"""Edges by time: slices in words of the language, conditions that become slices, std.temporal; against brute force."""

import os

import temporal_oracle as oracle
from cli import CliTest, fewer, main

BACK_ENDS = (["--backend", "interp"], ["--tier", "interp"], ["--tier", "native"], ["--tier", "native", "--threads", "2"])
CASES = int(os.environ.get("MATCHA_CASES", fewer(8, 3)))
FIRST = int(os.environ.get("MATCHA_SEED", 0))

# What the words give, in their order, for every vertex and three spans of times.
WORDS = """
def weighed(l):
    return sum(apply(lambda x, i: (i + 1) * x, l, range(size(l))))

def of(g: Graph, v, a, b):
    out = weighed(neighbor(g, v, a, b))
    times = edge_info(g, v, a, b)
    back = weighed(sources(g, v, a, b))
    return out + 3 * sum(apply(lambda t: t % 7, times)) + 5 * back + 11 * size(times)

def answer(g: Graph, v: List<int>, a: int, b: int):
    return mk_tuple(val=[sum(apply(lambda x: of(g, x, a, b), v)), sum(apply(lambda x: of(g, x, b, a), v)), sum(apply(lambda x: of(g, x, a, a + 3), v))])
"""
BUILT = WORDS + """
def main(edges: List<Tuple<int, 2>>, times: List<int>, a: int, b: int):
    g = mk_graph(edges, einfo=times)
    return answer(g, vertices(g), a, b)
"""
LOADED = WORDS + """
def main(g: Graph, a: int, b: int):
    return answer(g, vertices(g), a, b)
"""

# Conditions on times as they are written without the words. Each is a pair: the text, and the same for brute force.
CONDITIONS = [
    ("t1 < t2 and t2 - t1 <= w", lambda t1, t2, w: t1 < t2 and t2 - t1 <= w),
    ("t1 <= t2 and t2 <= t1 + w", lambda t1, t2, w: t1 <= t2 <= t1 + w),
    ("t1 < t2 < t1 + w", lambda t1, t2, w: t1 < t2 < t1 + w),
    ("t2 < t1 and t1 - t2 <= w", lambda t1, t2, w: t2 < t1 and t1 - t2 <= w),
    ("t1 - w <= t2 and t2 != t1", lambda t1, t2, w: t1 - w <= t2 != t1),
    ("t2 == t1 and c != get(e, 0)", None),
    ("w <= t2 - t1 and t2 <= 5", lambda t1, t2, w: w <= t2 - t1 and t2 <= 5),
    ("w < t1 - t2 and -4 < t2", lambda t1, t2, w: w < t1 - t2 and -4 < t2),
    ("t2 - t1 < w and c == get(e, 0)", None),
    ("t2 > t1 and t2 - t1 <= w and t2 - 2 <= w", lambda t1, t2, w: t2 > t1 and t2 - t1 <= w and t2 - 2 <= w),
]
CONDITIONS[5] = (CONDITIONS[5][0], lambda t1, t2, w, c, a: t2 == t1 and c != a)
CONDITIONS[8] = (CONDITIONS[8][0], lambda t1, t2, w, c, a: t2 - t1 < w and c == a)


def conditions_program():
    parts = []
    for text, _ in CONDITIONS:
        walk = f"apply(lambda c, t2: c + 2 * t2, cond=lambda c, t2: {text}, neighbor(g, get(e, 1)), edge_info(g, get(e, 1)))"
        parts.append(f"sum(apply(lambda e, t1: sum({walk}), edges, times))")
        count = f"apply(lambda c, t2: c, cond=lambda c, t2: {text}, neighbor(g, get(e, 1)), edge_info(g, get(e, 1)))"
        parts.append(f"sum(apply(lambda e, t1: size({count}), edges, times))")
    values = ", ".join(parts)
    return ("def main(edges: List<Tuple<int, 2>>, times: List<int>, w: int):\n    g = mk_graph(edges, einfo=times)\n"
            f"    return mk_tuple(val=[{values}])\n")


def conditions(rows, w):
    answers = []
    for _, holds in CONDITIONS:
        total = count = 0
        for a, b, t1 in rows:
            for u, c, t2 in rows:
                more = (c, a) if holds.__code__.co_argcount == 5 else ()
                if u == b and holds(t1, t2, w, *more):
                    total, count = total + c + 2 * t2, count + 1
        answers += [total, count]
    return answers


def words(rows, a, b):
    vertices = {end for row in rows for end in row[:2]}

    def total(low, high):
        out = 0
        for v in vertices:
            found = oracle.by_time(rows, v, low, high)
            times = [t for _, t in found]
            # The remainder has the sign of the dividend.
            out += oracle.weighed([w for w, _ in found]) + 3 * sum(abs(t) % 7 * (1 if t > 0 else -1) for t in times)
            out += 5 * oracle.weighed([w for w, _ in oracle.by_time(rows, v, low, high, back=True)]) + 11 * len(times)
        return out
    return [total(a, b), total(b, a), total(a, a + 3)]


class TimesTest(CliTest):
    def reported(self, wanted):
        return "\t".join(map(str, wanted)) + "\n"

    def rows(self, seed, **options):
        source = oracle.sources(seed)
        rows = oracle.edges(source, count=source.choice((0, 1, 5, 12, 25)), **options)
        file = self.write("e.txt", oracle.text(rows))
        return source, rows, ["--in", f"edges={file}:0,1", "--in", f"times={file}:2"], file

    def same(self, program, wanted, *arguments, back_ends=BACK_ENDS):
        for back_end in back_ends:
            found = self.ok("run", "-q", program, *arguments, *back_end)
            self.assertEqual(found, self.reported(wanted), (arguments, back_end))


class Times(TimesTest):
    def test_words(self):
        built, loaded = self.write("built.mt", BUILT), self.write("loaded.mt", LOADED)
        for seed in range(FIRST, FIRST + CASES):
            source, rows, inputs, file = self.rows(seed)
            if not rows:
                continue
            a, b = source.randint(-8, 8), source.randint(-8, 8)
            span = ["--param", f"a={a}", "--param", f"b={b}"]
            self.same(built, words(rows, a, b), *inputs, *span)
            # A graph from a file has the edges by target, then by time.
            kept = sorted(row for row in rows if row[0] != row[1])
            if kept:
                self.same(loaded, words(kept, a, b), file, "--temporal", *span)

    def test_conditions(self):
        program = self.write("conditions.mt", conditions_program())
        for seed in range(FIRST + 1000, FIRST + 1000 + CASES):
            source, rows, inputs, _ = self.rows(seed)
            w = source.choice((-3, -1, 0, 1, 2, 4, 30))
            self.same(program, conditions(rows, w), *inputs, "--param", f"w={w}")

    def test_standard_queries(self):
        steps = {"q7": "ab bc ca", "q8": "ab bc cd", "q9": "ab bc cd da", "q10": "ab bc ca ad"}
        for seed in range(FIRST + 2000, FIRST + 2000 + max(CASES // 2, 2)):
            source, rows, inputs, _ = self.rows(seed)
            window, gaps = source.choice((3, 6, 20)), [source.choice((1, 4, 2**62)) for _ in range(3)]
            for ties in (False, True):
                wanted = []
                calls = []
                for name, pattern in steps.items():
                    edges = pattern.split()
                    wanted.append(oracle.chains(rows, edges, oracle.ordered(window, gaps, ties)))
                    given = "".join(f", gap{i + 2}={gaps[i]}" for i in range(len(edges) - 1))
                    calls.append(f"{name}(edges, times, window={window}{given}, ties={ties})")
                program = self.write("q.mt", "from std.temporal import q7, q8, q9, q10\n"
                                     "def main(edges: List<Tuple<int, 2>>, times: List<int>):\n"
                                     f"    return mk_tuple(val=[{', '.join(calls)}])\n")
                self.same(program, wanted, *inputs)

    def test_ends_of_64_bits(self):
        """A slice compares sums and differences that do not fit 64 bits as they are; the words take any times."""
        built, slices = self.write("built.mt", BUILT), self.write("slices.mt", """
def main(edges: List<Tuple<int, 2>>, times: List<int>, w: int):
    g = mk_graph(edges, einfo=times)
    near = lambda b: neighbor(g, b)
    info = lambda b: edge_info(g, b)
    after = lambda e, t1: size(apply(lambda c, t: c, cond=lambda c, t: t - t1 <= w, near(get(e, 1)), info(get(e, 1))))
    before = lambda e, t1: size(apply(lambda c, t: c, cond=lambda c, t: w <= t1 - t, near(get(e, 1)), info(get(e, 1))))
    sums = lambda e, t1: size(apply(lambda c, t: c, cond=lambda c, t: t1 + w <= t, near(get(e, 1)), info(get(e, 1))))
    less = lambda e, t1: size(apply(lambda c, t: c, cond=lambda c, t: t <= t1 - w, near(get(e, 1)), info(get(e, 1))))
    return mk_tuple(val=[sum(apply(f, edges, times)) for_each_f])
""".replace("[sum(apply(f, edges, times)) for_each_f]",
            "[" + ", ".join(f"sum(apply({f}, edges, times))" for f in ("after", "before", "sums", "less")) + "]"))
        compiled = BACK_ENDS[1:] + (["--backend", "interp"],)
        for seed in range(FIRST + 3000, FIRST + 3000 + CASES):
            source, rows, inputs, _ = self.rows(seed, ends=True)
            w = source.choice((oracle.LEAST, oracle.LEAST + 1, -5, 0, 5, oracle.LARGEST - 1, oracle.LARGEST))
            pairs = [(t1, t2) for _, b, t1 in rows for u, _, t2 in rows if u == b]
            wanted = [sum(t2 - t1 <= w for t1, t2 in pairs), sum(w <= t1 - t2 for t1, t2 in pairs),
                      sum(t1 + w <= t2 for t1, t2 in pairs), sum(t2 <= t1 - w for t1, t2 in pairs)]
            self.same(slices, wanted, *inputs, "--param", f"w={w}", back_ends=compiled)
            a, b = source.choice((oracle.LEAST, -2, oracle.LARGEST)), source.choice((oracle.LEAST, 3, oracle.LARGEST))
            counts = self.write("counts.mt", """
def main(edges: List<Tuple<int, 2>>, times: List<int>, a: int, b: int):
    g = mk_graph(edges, einfo=times)
    return sum(apply(lambda v: size(neighbor(g, v, a, b)), vertices(g)))
""")
            self.same(counts, [sum(a < t <= b for _, _, t in rows)], *inputs, "--param", f"a={a}", "--param", f"b={b}")

    def test_errors(self):
        for body, says in (
            ("neighbor(g, 1, to=3)", "takes both ends of a span of times, or neither"),
            ("edge_info(g, 1, 3)", "takes both ends of a span of times, or neither"),
            ("neighbor(g, 1, 'a', 3)", "number"),
            ("neighbor(g, 1, 2.5, 3)", "expected `int`"),
        ):
            file = self.write("e.mt", f"def main(g: Graph):\n    return size({body})\n")
            self.fails(1, "check", file, says=says)
        file = self.write("f.mt", "def main(e: List<Tuple<int, 2>>, x: List<float>):\n    g = mk_graph(e, einfo=x)\n    return size(neighbor(g, 1, 2, 3))\n")
        self.fails(1, "check", file, says="the information on the edges here has type `float`")


if __name__ == "__main__":
    main()
