"""Random property multigraphs with times, patterns with conditions on them, and their matches by brute force.

A graph is a table of lines, each a dict with src, dst, kind, amount, time and memo, and a table of vertices with age and city; None is null.
A pattern is a dict: `vertices` (name -> (label, [conditions])), `edges` ([(name, from, sign, to, kind, [conditions])]), `where`
([conditions]). A condition is a tuple such as ("<", left, right), ("and", …), ("not", c), ("null", v); a value is a number, a text, None,
True, False, ("col", name, column), or ("+", v, v), ("-", v, v), ("*", v, v). Nothing here is shared with the program that is tested."""

import itertools
from fractions import Fraction

KINDS = ["wire", "card", "cash"]
CITIES = ["rome", "oslo", "zürich", "bonn"]


def graph(source, vertices=5, lines=12, loops=True, nulls=0.15):
    """Lines and vertices: parallel edges, ties, loops, nulls and negative times among them."""
    null = lambda value: None if source.random() < nulls else value
    rows = []
    for _ in range(lines):
        u, v = source.randrange(vertices), source.randrange(vertices)
        if u == v and (not loops or source.random() < 0.6):
            v = (u + 1) % vertices
        rows.append({"src": u, "dst": v, "kind": source.choice(KINDS[:2] if source.random() < 0.8 else KINDS), "amount": null(source.randrange(-3, 9)),
                     "time": null(source.randrange(-6, 7)), "rate": null(source.choice([-1.5, 0.0, 0.25, 2.0, 3.0, 7.5])),
                     "memo": null(source.choice(["a", "b", "ab", "é"]))})
    if rows and source.random() < 0.5:
        rows += [dict(source.choice(rows))] * 2
    people = {v: {"id": v, "label": source.choice(["person", "bank"]), "age": null(source.randrange(4)), "city": null(source.choice(CITIES))}
              for v in range(vertices)}
    return rows, people


def value(term, bound):
    if not isinstance(term, tuple):
        return term
    if term[0] == "col":
        found = bound[term[1]]
        return found if term[2] is None else found[term[2]]
    parts = [value(part, bound) for part in term[1:]]
    if any(part is None for part in parts):
        return None
    return {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}[term[0]](*parts)


def exact(number):
    return Fraction(number) if isinstance(number, (int, float)) and not isinstance(number, bool) else number


def text_key(item):
    return item.encode() if isinstance(item, str) else exact(item)


def truth(term, bound):
    """True, False or None, for unknown."""
    sign = term[0] if isinstance(term, tuple) else None
    if sign == "and" or sign == "or":
        parts = [truth(part, bound) for part in term[1:]]
        ends = sign == "or"
        return ends if ends in parts else None if None in parts else not ends
    if sign == "not":
        inner = truth(term[1], bound)
        return None if inner is None else not inner
    if sign == "null":
        return value(term[1], bound) is None
    if sign in ("<", "<=", "=", "<>"):
        left, right = (value(part, bound) for part in term[1:])
        if left is None or right is None:
            return None
        left, right = text_key(left), text_key(right)
        return {"<": lambda: left < right, "<=": lambda: left <= right, "=": lambda: left == right, "<>": lambda: left != right}[sign]()
    return value(term, bound)


def conditions(pattern):
    """All conditions of a pattern, those in braces too, whose columns have the empty name there."""
    def named(term, name):
        if isinstance(term, tuple) and term[0] == "col" and term[1] == "":
            return ("col", name, term[2])
        return tuple(named(part, name) for part in term) if isinstance(term, tuple) else term
    found = list(pattern["where"])
    for name, (_, own) in pattern["vertices"].items():
        found += [named(term, name) for term in own]
    for name, _, _, _, _, own in pattern["edges"]:
        found += [named(term, name) for term in own]
    return found


def maps(rows, people, pattern, match, directed, keep_loops, by_line):
    """Every map: the images of vertices and edges (numbers of lines), by name."""
    tests = conditions(pattern)
    names = list(pattern["vertices"])
    lines = []
    for number, row in enumerate(rows):
        if row["src"] == row["dst"] and not keep_loops:
            continue
        lines.append(number)
    found = []
    for images in itertools.product(people, repeat=len(names)):
        vertex = dict(zip(names, images))
        if match == "iso" and len(set(images)) != len(images):
            continue
        if any(label and people[vertex[name]]["label"] != label for name, (label, _) in pattern["vertices"].items()):
            continue
        choices = []
        for name, a, sign, b, kind, _ in pattern["edges"]:
            u, v = vertex[a], vertex[b]
            fit = []
            for number in lines:
                ends = (rows[number]["src"], rows[number]["dst"])
                fits = ends == (u, v) or (sign == "-" and ends == (v, u))
                if fits and (kind is None or rows[number]["kind"] == kind):
                    fit.append(number)
            choices.append(fit if by_line else fit[:1])
        for edges in itertools.product(*choices):
            if match != "homo" and len(set(edges)) != len(edges):
                continue
            bound = {name: dict(people[vertex[name]]) for name in names}
            for name in names:
                bound[name][None] = vertex[name]
            for (name, *_), number in zip(pattern["edges"], edges):
                bound[name] = dict(rows[number])
            if all(truth(test, bound) is True for test in tests):
                found.append((images, edges))
    return found


def renamed(term, names):
    """The condition with other names, in a form that is equal for operands in another order."""
    if not isinstance(term, tuple):
        return ("value", repr(term))
    if term[0] == "col":
        return ("col", names.get(term[1], term[1]), term[2])
    parts = [renamed(part, names) for part in term[1:]]
    if term[0] in ("and", "or", "=", "<>", "+", "*"):
        parts.sort(key=repr)
    return (term[0], *parts)


def orbits(pattern, found, by_line):
    """The maps up to the automorphisms of the pattern that keep labels, kinds and conditions."""
    names = list(pattern["vertices"])
    tests = conditions(pattern)
    def flat(term):
        return [part for inner in term[1:] for part in flat(inner)] if isinstance(term, tuple) and term[0] == "and" else [term]
    tests = [part for term in tests for part in flat(term)]
    asked = {repr(renamed(test, {})) for test in tests}
    turns = []
    edges = pattern["edges"]
    for images in itertools.permutations(names):
        to = dict(zip(names, images))
        if any(pattern["vertices"][name][0] != pattern["vertices"][to[name]][0] for name in names):
            continue
        for order in itertools.permutations(range(len(edges))):
            def same(edge, other):
                ends = (to[edge[1]], to[edge[3]])
                fits = ends == (other[1], other[3]) or (edge[2] == "-" and ends == (other[3], other[1]))
                return fits and edge[2] == other[2] and edge[4] == other[4]
            if not all(same(edge, edges[at]) for edge, at in zip(edges, order)):
                continue
            mapped = dict(to)
            mapped.update({edge[0]: edges[at][0] for edge, at in zip(edges, order)})
            if {repr(renamed(test, mapped)) for test in tests} == asked:
                turns.append(([names.index(name) for name in images], order))
    left, count = set(found), []
    while left:
        one = left.pop()
        count.append(one)
        for vertices, order in turns:
            left.discard((tuple(one[0][v] for v in vertices), tuple(one[1][e] for e in order)))
    return count


def term_text(term):
    if not isinstance(term, tuple):
        return "null" if term is None else "'" + term + "'" if isinstance(term, str) else str(term).lower() if isinstance(term, bool) else repr(term)
    if term[0] == "col":
        return term[2] if term[1] == "" else term[1] if term[2] is None else f"{term[1]}.{term[2]}"
    if term[0] == "not":
        return f"not ({term_text(term[1])})"
    if term[0] == "null":
        return f"{term_text(term[1])} is null"
    return "(" + f" {term[0]} ".join(term_text(part) for part in term[1:]) + ")"


def text(pattern):
    """The pattern as the program reads it."""
    def braces(own):
        return " {" + ", ".join(map(term_text, own)) + "}" if own else ""
    chains = []
    for name, a, sign, b, kind, own in pattern["edges"]:
        ends = [f"({v}{':' + pattern['vertices'][v][0] if pattern['vertices'][v][0] else ''}{braces(pattern['vertices'][v][1])})" for v in (a, b)]
        shown = "" if name.startswith("_") else name
        chains.append(f"{ends[0]}-[{shown}{':' + kind if kind else ''}{braces(own)}]{sign if sign == '-' else '->'}{ends[1]}")
    where = " where " + ", ".join(map(term_text, pattern["where"])) if pattern["where"] else ""
    return ", ".join(chains) + where


SHAPES = ["ab", "ab bc", "ab bc ca", "ab ac", "ab cb", "ab ba", "ab ab", "ab bc cd", "ab bc ca ad", "ab bc cd da", "ab cd", "ab bc cb", "ab ab ab", "ab ac ad"]


def pattern(source, directed, by_line, shapes=SHAPES):
    """A random pattern; without lines, conditions are about vertices alone and edges have no names."""
    shape = source.choice(shapes).split()
    vertices = {}
    for name in dict.fromkeys("".join(shape)):
        own = [("<", ("col", "", "age"), source.randrange(5))] if source.random() < 0.15 else []
        vertices[name] = (source.choice(["person", "bank"]) if source.random() < 0.15 else None, own)
    edges, all_edges = [], []
    if not by_line:  # An edge that is written twice is one.
        shape = list(dict.fromkeys(shape if directed else ("".join(sorted(pair)) for pair in shape)))
    for at, (a, b) in enumerate(shape):
        name = f"e{at}" if by_line else f"_{at}"
        own = []
        if by_line and source.random() < 0.2:
            own = [source.choice([("<", 2, ("col", "", "amount")), ("=", ("col", "", "memo"), "a"), ("null", ("col", "", "rate")),
                                  ("not", ("=", ("col", "", "memo"), "ab")), ("<=", ("col", "", "rate"), 2)])]
        edges.append((name, a, ">" if directed else "-", b, source.choice(KINDS[:2]) if by_line and source.random() < 0.15 else None, own))
        all_edges.append(name)
    where = []
    edge = lambda column: ("col", source.choice(all_edges), column)
    vertex = lambda column: ("col", source.choice(list(vertices)), column)
    def one(deep=0):
        kinds = ["time", "window", "amount", "memo", "rate", "mixed"] if by_line else []
        kind = source.choice(kinds + ["age", "city", "same", "id"] + (["or", "not", "and", "null"] if deep < 2 else []))
        sign = source.choice(["<", "<=", "=", "<>"])
        if kind in ("or", "and"):
            return (kind, one(deep + 1), one(deep + 1))
        if kind == "not":
            return ("not", one(deep + 1))
        if kind == "null":
            return ("null", edge("time") if by_line else vertex("age"))
        if kind == "time":
            return (sign, edge("time"), edge("time"))
        if kind == "window":
            return (sign, ("-", edge("time"), edge("time")), source.randrange(-3, 6))
        if kind == "amount":
            return (sign, ("+", edge("amount"), source.randrange(3)), ("*", 2, edge("amount")))
        if kind == "rate":
            return (sign, edge("rate"), ("*", 0.5, edge("rate")))
        if kind == "mixed":
            return (sign, edge("amount"), ("*", 0.75, edge("rate")))
        if kind == "memo":
            return (sign, edge("memo"), edge("memo"))
        if kind == "age":
            return (sign, vertex("age"), vertex("age"))
        if kind == "city":
            return (sign, vertex("city"), vertex("city"))
        if kind == "id":
            return (sign, vertex("id"), ("+", vertex("id"), 1))
        return (source.choice(["=", "<>"]), vertex(None), vertex(None))
    for _ in range(source.randrange(0 if by_line else 1, 4)):
        where.append(one())
    if by_line and len(all_edges) > 1 and source.random() < 0.5:
        where += [("<", ("col", a, "time"), ("col", b, "time")) for a, b in zip(all_edges, all_edges[1:])]
    return {"vertices": vertices, "edges": edges, "where": where}
