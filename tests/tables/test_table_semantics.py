#!/usr/bin/env python3
"""Cases of tables whose answers are known, on every back end: test_table_semantics.py MATCHA [--cpp]."""

import decimal
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

BACKENDS = {"interp": ["--backend", "interp"], "plan": ["--tier", "interp"], "llvm": ["--tier", "native"]}
TINY = 1 << 62

decimal.getcontext().prec = 60


def logarithm(x):
    return float(decimal.Decimal(x).ln())


# The body of `main(g: Graph)` on a path of the vertices 5, 7 and 9, and its answer; a text is a part of an error.
CASES = [
    ("return sum_by([(1, 2), (3, 4), (1, -5)])", [[1, -3], [3, 4]]),
    ("return sum_by([(1, 2), (3, 4), (1, -2)])", [[3, 4]]),
    # Vertices as keys of many rows: ints, floats and bools.
    ("return sum_by(flatten(apply(lambda v: apply(lambda i: (v, i), range(6)), vertices(g))))", [[5, 15], [7, 15], [9, 15]]),
    ("return sum_by(flatten(apply(lambda v: apply(lambda i: (v, 0.5), range(6)), vertices(g))))",
     [[5, 3.0], [7, 3.0], [9, 3.0]]),
    ("return max_by(flatten(apply(lambda v: apply(lambda i: (v, 0.5 * i), range(6)), vertices(g))))",
     [[5, 2.5], [7, 2.5], [9, 2.5]]),
    ("return sum_by(flatten(apply(lambda v: apply(lambda i: (v, i > 2), range(6)), vertices(g))))", [[5, 3], [7, 3], [9, 3]]),
    ("return sum_by([(1, 2, 7), (1, -2, 0), (0, 0, 0)])", [[1, 0, 7]]),
    (f"return sum_by([(1, {TINY}), (1, {TINY}), (1, {-TINY})])", [[1, TINY]]),
    (f"return sum_by([(1, {TINY}), (1, {TINY})])", "integer overflow"),
    (f"return sum_by([(1, 2, {-TINY}), (1, 2, {-TINY}), (1, 2, -1)], keys=2)", "integer overflow"),
    (f"l = apply(lambda i: i % 3, range(30))\n    return sum_by(apply(lambda x: (x, {TINY}), l))", "integer overflow"),
    (f"big = apply(lambda v: (v, {TINY}), flatten(apply(lambda v: vertices(g), vertices(g))))\n"
     f"    less = apply(lambda v: (v, {-TINY}), flatten(apply(lambda v: vertices(g), vertices(g))))\n"
     "    return sum_by(flatten([big, less, apply(lambda v: (v, 1), vertices(g))]))", [[5, 1], [7, 1], [9, 1]]),
    ("return sum_by([(1, 1e16), (1, 1.0), (1, -1e16)])", [[1, 1.0]]),
    ("return sum_by([(2, 0.1, 1), (2, 0.2, 1), (2, 0.3, 1)])", [[2, math.fsum([.1, .2, .3]), 3]]),
    ("return sum_by([(1, 0.5), (1, -0.5)])", []),
    ("return sum_by([(True, 2, True), (False, 3, True), (True, 2, True)], keys=2)", [[False, 3, 1], [True, 2, 2]]),
    ("return count_by([(1, False), (0, True), (1, False)])", [[0, True, 1], [1, False, 2]]),
    ("return count_by(apply(lambda e: get(e, 1), edges(g)))", [[5, 1], [7, 2], [9, 1]]),
    ("return min_by([(1, 2.5, 3), (1, 2.5, 1), (0, -0.0, 1), (0, 0.0, 0)])", [[0, -0.0, 1], [1, 2.5, 1]]),
    ("return max_by([(1, 2.5, 3), (1, 2.5, 1), (0, -0.0, 1), (0, 0.0, 0)])", [[0, 0.0, 0], [1, 2.5, 3]]),
    ("return max_by(apply(lambda e: (get(e, 0), size(neighbor(g, get(e, 1))), get(e, 1)), edges(g)))",
     [[5, 2, 7], [7, 1, 9], [9, 2, 7]]),
    ("t = sum_by([(1, 2)])\n    return (get(t, 1), get(t, 2), get(t, 2, default=9), size(t))", [2, 0, 9, 1]),
    ("t = min_by([(1, 2, 0.5)])\n    return (get(get(t, 1), 1), get(get(t, 4, default=(7, 1.5)), 0))", [.5, 7]),
    ("t = min_by([(1, 2)])\n    return get(t, 3)", "no such item or key"),
    ("t = count_by(vertices(g))\n    return (get(t, 7), get(t, 8), get(t, -1))", [1, 0, 0]),
    ("t = count_by(edges(g))\n    return (get(t, 5, 7), get(t, 5, 9), get(t, 6, 7))", [1, 0, 0]),
    ("t = count_by([1, 7, 7])\n    return sum(apply(lambda v: get(t, v), vertices(g)))", 2),
    ("return keys(count_by([3, 1, 3, 2]))", [1, 2, 3]),
    ("return values(sum_by([(3, 1, 1.5), (1, 2, 0.5)]))", [[2, .5], [1, 1.5]]),
    ("t = sum_by([(1, 2)]) if size(vertices(g)) > 5 else count_by([4, 4])\n    return t", [[4, 2]]),
    ("return sum(apply(lambda v: size(count_by(neighbor(g, v)) if v > 5 else sum_by([(v, 1), (9, 2)])), vertices(g)))",
     5),
    ("return sort([(2, 1), (1, 5), (2, 0), (1, 5)])", [[1, 5], [1, 5], [2, 0], [2, 1]]),
    ("return sort([0.0, -1.5, -0.0, 1e308 * 10.0 - 1e308 * 10.0, 2.0])", [-1.5, -0.0, 0.0, 2.0, math.nan]),
    ("return top(2, [True, False, True])", [True, True]),
    ("return top(5, [(1, 2.0), (3, 0.5)])", [[3, .5], [1, 2.0]]),
    ("return top(-1, [1, 2])", []),
    ("return range(3)", [0, 1, 2]),
    ("return range(3, 1)", []),
    ("return range(-2, 1)", [-2, -1, 0]),
    ("return size(apply(lambda i: i * i, range(-3, 3) if size(vertices(g)) == 3 else [1]))", 6),
    ("return size(apply(lambda i: i, range(3, -3) if size(vertices(g)) == 3 else [1]))", 0),
    ("return (1, 2.5)", [1, 2.5]),
    ("return sum(apply(lambda v: sum(range(size(neighbor(g, v)))), vertices(g)))", 1),
    ("return size(vertices(subgraph(g, [5, 7])))", 2),
    ("return edges(subgraph(g, [5, 7]))", [[5, 7], [7, 5]]),
    ("h = subgraph(g, [5, 9])\n    return (has_edge(h, 5, 9), size(neighbor(h, 9)))", [False, 0]),
    ("return neighbor(subgraph(g, [5, 9]), 7)", "no such item or key"),
    ("h = subgraph(subgraph(g, [7, 5]), [7, 9])\n    return (size(vertices(h)), size(neighbor(h, 7)))", [1, 0]),
    ("return iterate(lambda x: x / 2, 100, 50)", 0),
    ("return iterate(lambda x: x + 1, 0, 50)", "no fixed point"),
    ("return repeat(lambda x: 2 * x, 1, 10)", 1024),
    ("return repeat(lambda x: 2 * x, 1, 0)", 1),
    ("return repeat(lambda x: 2 * x, 1, 1)", 2),
    ("return repeat(lambda p: (get(p, 1), get(p, 0) + get(p, 1)), (0, 1), 10)", [55, 89]),
    ("return repeat(lambda x: 0.5 * x, 1.0, 3)", .125),
    ("return iterate(lambda l: flatten([l, diff(flatten(apply(lambda v: neighbor(g, v), l)), l)]), [5], 9)", [5, 7, 9]),
    ("return sum(repeat(lambda l: apply(lambda v: v * 2, l), vertices(g), 2))", 84),
    ("t = repeat(lambda t: sum_by(apply(lambda k, n: (k + 1, n * 2), keys(t), values(t))), count_by(vertices(g)), 3)\n"
     "    return t", [[8, 8], [10, 8], [12, 8]]),
    ("return (log(1.0), log(0.0), log(-1.0), log(1e308 * 10.0), sqrt(2.0), sqrt(-4.0), sqrt(0.0))",
     [0.0, -math.inf, math.nan, math.inf, math.sqrt(2), math.nan, 0.0]),
    ("return apply(lambda i: log(0.5 + i / 512.0), range(600))", [logarithm(.5 + i / 512) for i in range(600)]),
    ("return repeat(lambda l: flatten([[get(l, 0) * 0.5], l]), [5e-324 * 4503599627370496.0 * 2.0], 53)",
     [2.0**-1021 * .5**i for i in range(53, -1, -1)]),
    ("small = repeat(lambda l: flatten([[get(l, 0) * 0.0625], l]), [0.7], 269)\n    return apply(lambda x: log(x), small)",
     [logarithm(.7 * .0625**i) for i in range(269, -1, -1)]),
    ("return apply(lambda i: sqrt(1.0 * i), range(50))", [math.sqrt(i) for i in range(50)]),
    ("return sum(apply(lambda v: log(1.0 * v) - log(1.0 * v * 3), vertices(g)))",
     math.fsum(logarithm(v) - logarithm(3 * v) for v in (5, 7, 9))),
    ("return sum_by([])", []),
    ("return sum_by(flatten([]), keys=2)", []),
    ("return get(sum_by([]), 3)", 0),
    ("return iterate(lambda t: t, min_by([]), 3)", []),
    ("return sum_by([(1, 2)] if size(vertices(g)) > 5 else [])", []),
    ("return sum(apply(lambda p: get(p, 1), []))", 0),
    ("return size(range(-9223372036854775807, 9223372036854775807))", "out of memory"),
    ("return sum(range(4611686018427387904))", "out of memory"),
    ("t = count_by(edges(g))\n    return sum(apply(lambda e, n: n * get(t, e) + get(t, (5, 9), default=3), keys(t), values(t)))", 16),
    ("t = count_by(edges(g))\n    return sum(apply(lambda e: get(t, e), edges(g)))", 4),
    ("a = repeat(lambda x: x + 1, 0, 3)\n    return repeat(lambda y: y * a, 1, 2)", 9),
]


def said(done):
    return next((line for line in done.stderr.splitlines() if "error" in line or "line" in line), done.stderr)


def emitted(matcha, program, graph, folder):
    binary = os.path.join(folder, "program")
    subprocess.run([matcha, "build", program, "--emit=cpp", "-o", binary + ".cpp"], capture_output=True, check=True)
    subprocess.run(["g++", "-std=c++20", "-O0", "-pthread", binary + ".cpp", "-o", binary], check=True)
    return [binary, graph + ".mtg", "--json"]


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, float):
        number = math.nan if a in (None, "nan", "NaN") else a
        if a is None and math.isinf(b):
            return True  # JSON has no infinity.
        return isinstance(number, (int, float)) and (number == b and math.copysign(1, number) == math.copysign(1, b) or
                                                     number != number and b != b)
    return a == b and type(a) is type(b)


def main():
    matcha, wrong, compared = sys.argv[1], 0, 0
    backends = ["cpp"] if "--cpp" in sys.argv else list(BACKENDS)
    cases = CASES[::6] if "--cpp" in sys.argv else CASES
    with tempfile.TemporaryDirectory() as folder:
        program, graph = os.path.join(folder, "p.mt"), os.path.join(folder, "g.txt")
        pathlib.Path(graph).write_text("5 7\n7 9\n", encoding="utf-8")
        subprocess.run([matcha, "graph", "convert", graph, graph + ".mtg"], capture_output=True, check=True)
        for body, wanted in cases:
            pathlib.Path(program).write_text(f"def main(g: Graph):\n    {body}\n", encoding="utf-8")
            for backend in backends:
                command = (emitted(matcha, program, graph, folder) if backend == "cpp"
                           else [matcha, "run", program, graph, "--json", "--no-progress", *BACKENDS[backend]])
                done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
                got = json.loads(done.stdout)["result"] if done.returncode == 0 else said(done)
                right = isinstance(got, str) and wanted in got if isinstance(wanted, str) else same(got, wanted)
                compared += 1
                if not right:
                    wrong += 1
                    print(f"{backend}: {got}, expected {wanted}\n    {body}")
    print(f"{compared} answers, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
