#!/usr/bin/env python3
"""Random programs with tables, compared with naive Python.

usage: random_tables.py MATCHA SEED PROGRAMS [--backends interp,plan,llvm,cpp,cuda] [--stop]

Each program is written once, in the words that Matcha and Python share; the operators are defined below on lists and
dicts. Every back end must give the answer of Python, or end with the error that Python's definition raises.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

INT_MIN, INT_MAX = -2**63, 2**63 - 1
LENIENT = False  # No errors: Matcha computes no value that nothing needs.


class RunEnds(Exception):
    """The run ends with an error."""


class Table:
    def __init__(self, rows, keys, zero):
        self.rows, self.keys, self.zero = rows, keys, zero


def one(values):
    return values[0] if len(values) == 1 else tuple(values)


def row_of(value):
    return value if isinstance(value, tuple) else (value,)


def checked(value):
    if not LENIENT and isinstance(value, int) and not isinstance(value, bool) and not INT_MIN <= value <= INT_MAX:
        raise RunEnds("integer overflow")
    return value


def folded(rows, keys, fold):
    groups = {}
    for row in rows:
        groups.setdefault(row[:keys], []).append(row[keys:])
    return {key: fold(values) for key, values in groups.items()}


def total(column):
    """Sums of floats are exact before they are rounded."""
    return math.fsum(column) if any(isinstance(cell, float) for cell in column) else sum(column)


def sum_by(rows, keys=1):
    table = folded(rows, keys, lambda values: tuple(total(column) for column in zip(*values)))
    for value in table.values():
        for cell in value:
            checked(cell)
    return Table({key: value for key, value in table.items() if any(value)}, keys, True)


def count_by(items):
    rows = [row_of(item) for item in items]
    return sum_by([row + (1,) for row in rows], len(rows[0]) if rows else 1)


def min_by(rows, keys=1):
    return Table(folded(rows, keys, min), keys, False)


def max_by(rows, keys=1):
    return Table(folded(rows, keys, max), keys, False)


def get(of, *key, default=None):
    if not isinstance(of, Table):
        if not 0 <= key[0] < len(of):
            raise RunEnds("no such item or key")
        return of[key[0]]
    if key in of.rows:
        return one(of.rows[key])
    if default is not None:
        return default
    if not of.zero and not LENIENT:
        raise RunEnds("no such item or key")
    return 0


def keys(table):
    return [one(key) for key in sorted(table.rows)]


def values(table):
    return [one(table.rows[key]) for key in sorted(table.rows)]


def size(of):
    return len(of.rows) if isinstance(of, Table) else len(of)


def apply(function, *lists):
    condition = lists[0] if callable(lists[0]) else None
    lists = lists[1:] if condition else lists
    if len({len(each) for each in lists}) > 1:
        raise RunEnds("lists of different lengths")
    return [function(*items) for items in zip(*lists) if condition is None or condition(*items)]


def top(n, items):
    return sorted(items, reverse=True)[:max(n, 0)]


def flatten(lists):
    return [item for each in lists for item in each]


def intersect(a, b):
    return [item for item in a if item in set(b)]


def diff(a, b):
    return [item for item in a if item not in set(b)]


def iterate(step, value, most):
    for _ in range(most):
        following = step(value)
        if same_state(following, value):
            return value
        value = following
    if LENIENT:
        return value
    raise RunEnds("no fixed point")


def repeat(step, value, rounds):
    for _ in range(rounds):
        value = step(value)
    return value


def same_state(a, b):
    return a.rows == b.rows if isinstance(a, Table) else a == b


class Writer:
    """Writes one program of a random seed. Names: G, the graph; v…, vertices; n…, ints; l…, lists; t…, tables."""

    def __init__(self, rng):
        self.rng, self.next, self.lines = rng, 0, []

    def name(self, letter):
        self.next += 1
        return f"{letter}{self.next}"

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def number(self, scope, depth=0):
        rng = self.rng
        choices = [str(rng.randrange(-3, 6))]
        choices += scope["v"] + scope["n"]
        choices += [f"size(neighbor(G, {v}))" for v in scope["v"]]
        choices += [f"size({name})" for name in scope["l"] + [t for t, *_ in scope["t"]]]
        for table, width, count, zeros in scope["t"]:
            if count == 1 and depth < 2:
                key = ", ".join(self.number(scope, 2) for _ in range(width))
                default = "" if zeros and rng.random() < .7 else f", default={rng.randrange(-2, 3)}"
                choices += [f"get({table}, {key}{default})"] * 3
        if depth < 2:
            choices.append(f"({self.number(scope, depth + 1)} {rng.choice('+-*')} {self.number(scope, depth + 1)})")
        return rng.choice(choices)

    def condition(self, scope):
        return f"{self.number(scope, 1)} {self.rng.choice(['<', '<=', '==', '!='])} {self.number(scope, 1)}"

    def ints(self, scope, depth=0):
        """A list of ints."""
        rng = self.rng
        choices = list(scope["l"]) + ["vertices(G)"] + [f"neighbor(G, {v})" for v in scope["v"]] * 2
        choices += [f"keys({t})" for t, width, _, _ in scope["t"] if width == 1] * 2
        choices += [f"values({t})" for t, _, count, _ in scope["t"] if count == 1]
        if depth < 2:
            choices += [f"{rng.choice(['intersect', 'diff'])}({self.ints(scope, depth + 1)}, "
                        f"{self.ints(scope, depth + 1)})"]
            if not scope["v"]:
                choices += [f"sort({self.ints(scope, depth + 1)})",
                            f"top({rng.randrange(0, 5)}, {self.ints(scope, depth + 1)})"]
                choices += [f"range({rng.randrange(0, 3)}, {rng.randrange(0, 6)})"]
            else:
                choices += [f"sort({self.ints(scope, depth + 1)})", f"range(size({self.ints(scope, depth + 1)}))"]
            x = self.name("x")
            inner = {**scope, "n": scope["n"] + [x]}
            choices.append(f"apply(lambda {x}: {self.number(inner, 1)}, lambda {x}: {self.condition(inner)}, "
                           f"{self.ints(scope, depth + 1)})")
        return rng.choice(choices)

    def rows(self, scope, width):
        """A list of rows of ints, and their number of columns."""
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0 and width == 2:
            return "edges(G)"
        if kind == 1 and len(scope["v"]) < 2:
            v, x = self.name("v"), self.name("x")
            inner = {**scope, "v": scope["v"] + [v], "n": scope["n"] + [x]}
            row = ", ".join(rng.choice([v, x, self.number(inner, 1)]) for _ in range(width))
            walked = rng.choice([f"neighbor(G, {v})", self.ints({**scope, "v": scope["v"] + [v]}, 1)])
            outer = "vertices(G)" if not scope["v"] else f"neighbor(G, {rng.choice(scope['v'])})"
            return f"flatten(apply(lambda {v}: apply(lambda {x}: ({row}), {walked}), {outer}))"
        x = self.name("x")
        inner = {**scope, "n": scope["n"] + [x]}
        row = ", ".join([rng.choice([x, self.number(inner, 1)])] + [self.number(inner, 1) for _ in range(width - 1)])
        return f"apply(lambda {x}: ({row}), {self.ints(scope, 1)})"

    def table(self, scope, depth):
        rng = self.rng
        name, width, count = self.name("t"), rng.choice([1, 1, 1, 2, 3]), rng.choice([1, 1, 1, 2])
        word = rng.choice(["sum_by", "sum_by", "count_by", "min_by", "max_by"])
        if word == "count_by":
            count = 1
            items = self.ints(scope) if width == 1 else self.rows(scope, width)
            self.line(depth, f"{name} = count_by({items})")
        else:
            given = f", keys={width}" if width > 1 else ""
            self.line(depth, f"{name} = {word}({self.rows(scope, width + count)}{given})")
        scope["t"].append((name, width, count, word in ("sum_by", "count_by")))

    def rounds(self, scope, depth):
        """Rounds over an int, a list or a table of one key and value."""
        rng = self.rng
        kind, x = rng.randrange(3), self.name("x")
        word = rng.choice([f"repeat({{}}, {{}}, {rng.randrange(1, 4)})", "iterate({}, {}, 6)"])
        if kind == 0:
            name = self.name("n")
            step = f"lambda {x}: {self.number({**scope, 'n': scope['n'] + [x]}, 1)}"
            self.line(depth, f"{name} = " + word.format(step, self.number(scope)))
            return scope["n"].append(name)
        if kind == 1:
            name = self.name("l")
            step = f"lambda {x}: {self.ints({**scope, 'l': scope['l'] + [x]}, 1)}"
            self.line(depth, f"{name} = " + word.format(step, self.ints(scope, 1)))
            return scope["l"].append(name)
        name, fold = self.name("t"), rng.choice(["sum_by", "min_by", "max_by"])
        inner = {**scope, "t": scope["t"] + [(x, 1, 1, fold == "sum_by")]}
        step = f"lambda {x}: {fold}({self.rows(inner, 2)})"
        self.line(depth, f"{name} = " + word.format(step, f"{fold}({self.rows(scope, 2)})"))
        return scope["t"].append((name, 1, 1, fold == "sum_by"))

    def value(self, scope):
        """An int of everything there is."""
        rng = self.rng
        if scope["t"] and rng.random() < .6:
            table, width, count, _ = rng.choice(scope["t"])
            k, x = self.name("k"), self.name("x")
            key = k if width == 1 else f"get({k}, {rng.randrange(width)})"
            value = x if count == 1 else f"get({x}, {rng.randrange(count)})"
            return f"sum(apply(lambda {k}, {x}: {key} {rng.choice('+*-')} {value}, keys({table}), values({table})))"
        if rng.random() < .5:
            return f"sum({self.ints(scope)})"
        return self.number(scope)

    def body(self, scope, depth):
        rng = self.rng
        scope = {name: list(entries) for name, entries in scope.items()}
        for _ in range(rng.randrange(1, 4)):
            kind = rng.randrange(5)
            if kind == 4 and depth == 1:
                self.rounds(scope, depth)
            elif kind == 0:
                name = self.name("l")
                self.line(depth, f"{name} = {self.ints(scope)}")
                scope["l"].append(name)
            elif kind == 1 and depth < 3:
                self.inner(scope, depth)
            else:
                self.table(scope, depth)
        return scope

    def inner(self, scope, depth):
        """A sum over vertices whose function has tables of its own."""
        function, v, name = self.name("f"), self.name("v"), self.name("n")
        self.line(depth, f"def {function}({v}):")
        inner = self.body({**scope, "v": scope["v"] + [v]}, depth + 1)
        self.line(depth + 1, f"return {self.value(inner)}")
        over = "vertices(G)" if not scope["v"] else f"neighbor(G, {self.rng.choice(scope['v'])})"
        self.line(depth, f"{name} = sum(apply({function}, {over}))")
        scope["n"].append(name)

    def program(self):
        rng = self.rng
        self.line(0, "def main(G: Graph):")
        scope = self.body({"v": [], "n": [], "l": [], "t": []}, 1)
        kind = rng.randrange(5)
        if kind == 4:
            row = f"get(r, 0), {rng.choice(['0.1', '0.5', '-0.3', '1e15'])} * get(r, 1)"
            self.line(1, f"rows = apply(lambda r: ({row}), {self.rows(scope, 2)})")
            self.line(1, f"return {rng.choice(['sum_by', 'sum_by', 'min_by', 'max_by'])}(rows)")
        elif kind == 0 and scope["t"]:
            self.line(1, f"return {rng.choice(scope['t'])[0]}")
        elif kind == 1:
            self.line(1, f"return {self.ints(scope)}")
        elif kind == 2:
            self.line(1, f"return sort({self.rows(scope, 2)})")
        else:
            self.line(1, f"return {self.value(scope)}")
        return "\n".join(self.lines) + "\n"


def oracle(program, adjacent):
    steps = itertools.count()

    def limited(*arguments):
        if next(steps) > 20000:
            raise RecursionError
        return apply(*arguments)

    def neighbor(_, v):
        return adjacent[v]

    space = {"Graph": None, "apply": limited, "neighbor": neighbor, "vertices": lambda _: sorted(adjacent), "flatten": flatten,
             "edges": lambda _: sorted((v, w) for v in adjacent for w in adjacent[v]), "intersect": intersect,
             "diff": diff, "size": size, "sum": lambda items: checked(sum(items)), "get": get, "keys": keys,
             "values": values, "sum_by": sum_by, "count_by": count_by, "min_by": min_by, "max_by": max_by,
             "sort": sorted, "top": top, "iterate": iterate, "repeat": repeat, "range": lambda *ends: list(range(*ends))}
    exec(program, space)  # The program is one of this file's own.
    result = space["main"](None)
    if isinstance(result, Table):
        result = [key + result.rows[key] for key in sorted(result.rows)]
    return [list(row) if isinstance(row, tuple) else row for row in result] if isinstance(result, list) else result


BACKENDS = {
    "interp": ["--backend", "interp"],
    "plan": ["--tier", "interp", "--threads", "2"],
    "llvm": ["--tier", "native", "--threads", "2"],
    "cuda": ["--device", "cuda"],
}


def answer(matcha, options, program, graph):
    command = [matcha, "run", program, graph, "--json", "--no-progress", *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)["result"]
    return said(done)


def said(done):
    """The error of a run that failed."""
    return next((line for line in done.stderr.splitlines() if "error" in line), f"exit {done.returncode}: {done.stderr}")


def cpp_answer(matcha, program, graph, folder):
    binary = os.path.join(folder, "program")
    made = subprocess.run([matcha, "build", program, "--emit=cpp", "-o", binary + ".cpp"], capture_output=True, text=True,
                          check=False)
    if made.returncode != 0:
        return said(made)
    subprocess.run(["g++", "-std=c++20", "-O0", "-pthread", binary + ".cpp", "-o", binary], check=True)
    stored = os.path.join(folder, "g.mtg")
    subprocess.run([matcha, "graph", "convert", graph, stored], capture_output=True, check=True)
    done = subprocess.run([binary, stored, "--json"], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)["result"]
    return said(done)


def graph_of(rng):
    n = rng.choice([1, 3, 5, 8, 12])
    ids = sorted(rng.sample(range(rng.choice([n, 3 * n])), n))
    density = rng.choice([.2, .4, .8])
    adjacent = {v: set() for v in ids}
    for v, w in itertools.combinations(ids, 2):
        if rng.random() < density:
            adjacent[v].add(w)
            adjacent[w].add(v)
    return {v: sorted(near) for v, near in adjacent.items() if near}


def matches(wanted, got, program, adjacent):
    global LENIENT  # pylint: disable=global-statement
    if isinstance(wanted, str) and not isinstance(got, str):
        LENIENT = True
        try:
            return oracle(program, adjacent) == got
        except (RunEnds, RecursionError, KeyError):
            return True
        finally:
            LENIENT = False
    if isinstance(wanted, str):
        return isinstance(got, str) and "error" in got and (wanted in got or "overflow" in got or "does not fit" in got)
    return wanted == got


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matcha")
    parser.add_argument("seed", type=int)
    parser.add_argument("programs", type=int)
    parser.add_argument("--backends", default="interp,plan,llvm")
    parser.add_argument("--stop", action="store_true")
    options = parser.parse_args()
    compared, unfit, refused, wrong = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.programs):
            rng = random.Random(options.seed * 1_000_003 + number)
            adjacent = graph_of(rng)
            program = Writer(rng).program()
            if not adjacent:
                continue
            try:
                wanted = oracle(program, adjacent)
            except RunEnds as error:
                wanted = str(error)
            except (RecursionError, KeyError):
                unfit += 1
                continue
            path, graph = os.path.join(folder, "p.mt"), os.path.join(folder, "g.txt")
            pathlib.Path(path).write_text(program, encoding="utf-8")
            edges = [f"{v} {w}" for v in adjacent for w in adjacent[v] if v < w]
            pathlib.Path(graph).write_text("\n".join(edges) + "\n", encoding="utf-8")
            for backend in options.backends.split(","):
                got = (cpp_answer(options.matcha, path, graph, folder) if backend == "cpp"
                       else answer(options.matcha, BACKENDS[backend], path, graph))
                compared += 1
                if isinstance(got, str) and ("[unbounded-list]" in got or "[target-limit]" in got):
                    refused += 1
                elif not matches(wanted, got, program, adjacent):
                    wrong += 1
                    print(f"program {number}, {backend}: {got}, expected {wanted}\n{program}{edges}", flush=True)
                    if options.stop:
                        return 1
    print(f"{compared} answers compared, {refused} refused, {unfit} programs unfit, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
