"""Counts by definition, on small graphs: nothing in common with the compiler. A pattern is a text of edges, `01 12 02`."""

import functools
import itertools

MOTIFS = {
    3: {"wedge": "01 12", "triangle": "01 02 12"},
    4: {"4-path": "01 12 23", "4-star": "01 02 03", "4-cycle": "01 03 12 23", "tailed-triangle": "01 02 12 23",
        "diamond": "01 02 12 13 23", "4-clique": "01 02 03 12 13 23"},
    5: {"5-path": "01 12 23 34", "5-star": "01 02 03 04", "fork": "01 02 03 34", "5-cycle": "01 04 12 23 34",
        "bull": "01 02 03 12 14", "cricket": "01 02 03 04 12", "long-tailed-triangle": "01 02 12 23 34",
        "banner": "01 03 04 12 23", "house": "01 03 04 12 14 23", "dart": "01 02 12 13 14 23",
        "kite": "01 02 12 13 23 34", "butterfly": "01 02 03 04 12 34", "K23": "02 03 04 12 13 14",
        "K23-plus-edge": "02 03 04 12 13 14 23", "gem": "01 04 12 14 23 24 34", "book3": "01 02 03 04 12 13 14",
        "4-clique-tail": "01 02 03 12 13 23 34", "wheel4": "01 03 04 12 14 23 24 34",
        "5-clique-minus-path": "01 02 03 12 13 23 24 34", "5-clique-minus-edge": "02 03 04 12 13 14 23 24 34",
        "5-clique": "01 02 03 04 12 13 14 23 24 34"},
}
EDGES = {name: text for patterns in MOTIFS.values() for name, text in patterns.items()}


def edges_of(text):
    return [(int(e[0]), int(e[1])) for e in text.split()]


def size_of(text):
    return 1 + max(max(e) for e in edges_of(text))


def adjacency(edges):
    near = {}
    for u, v in edges:
        near.setdefault(u, set()).add(v)
        near.setdefault(v, set()).add(u)
    return near


@functools.lru_cache(maxsize=None)
def copies(text, inside, induced):
    """Subgraphs of the pattern on all vertices of the graph with edge set `inside` (pairs u < v of 0 ... n-1)."""
    n = size_of(text)
    wanted = edges_of(text)
    if induced and len(wanted) != len(inside):
        return 0
    found = set()
    for place in itertools.permutations(range(n)):
        image = frozenset((min(place[u], place[v]), max(place[u], place[v])) for u, v in wanted)
        if image <= inside:
            found.add(image)
    return len(found)


def subsets(near, n):
    """Every n vertices with the edges among them, as numbers 0 ... n-1."""
    for chosen in itertools.combinations(sorted(near), n):
        yield chosen, frozenset((i, j) for i in range(n) for j in range(i + 1, n) if chosen[j] in near[chosen[i]])


# Places of a vertex in the patterns of 2 to 4 vertices, in the usual order: the pattern and one such vertex.
ORBITS = [("01", 0), ("01 12", 0), ("01 12", 1), ("01 02 12", 0), ("01 12 23", 0), ("01 12 23", 1), ("01 02 03", 1), ("01 02 03", 0),
          ("01 03 12 23", 0), ("01 02 12 23", 3), ("01 02 12 23", 0), ("01 02 12 23", 2), ("01 02 12 13 23", 0), ("01 02 12 13 23", 1),
          ("01 02 03 12 13 23", 0)]


def orbits(near, induced):
    """A row a vertex, ascending: the subgraphs that have it in each place."""
    vertices = sorted(near)
    rows = {v: [v] + [0] * len(ORBITS) for v in vertices}
    for column, (text, root) in enumerate(ORBITS, 1):
        n, wanted = size_of(text), edges_of(text)
        for chosen, inside in subsets(near, n):
            if induced and len(inside) != len(wanted):
                continue
            found = set()
            for place in itertools.permutations(range(n)):
                image = frozenset((min(place[u], place[v]), max(place[u], place[v])) for u, v in wanted)
                if image <= inside:
                    found.add((image, place[root]))
            for _, at in found:
                rows[chosen[at]][column] += 1
    return [rows[v] for v in vertices]


def subgraphs(near, text, induced=False):
    return sum(copies(text, inside, induced) for _, inside in subsets(near, size_of(text)))


def cliques(near, n):
    """The n-cliques as ascending tuples."""
    return [c for c in itertools.combinations(sorted(near), n)
            if all(v in near[u] for u, v in itertools.combinations(c, 2))]


def embeddings(near, text, labels, wanted):
    """Injective maps that keep edges and labels; vertex i of the pattern has label wanted[i]."""
    edges = edges_of(text)
    n = size_of(text)

    def extend(matched):
        i = len(matched)
        if i == n:
            return 1
        return sum(extend(matched + [v]) for v in near
                   if v not in matched and labels[v] == wanted[i]
                   and all(matched[a + b - i] in near[v] for a, b in edges if max(a, b) == i))
    return extend([])


def triads(vertices, arcs):
    """The 16 triads by their dyads: mutual, one-way, none, then by the way the one-way arcs go."""
    names = ["003", "012", "102", "021D", "021U", "021C", "111D", "111U", "030T", "030C", "201", "120D", "120U", "120C",
             "210", "300"]
    counts = dict.fromkeys(names, 0)
    arcs = set(arcs)
    for trio in itertools.combinations(vertices, 3):
        dyads = list(itertools.combinations(trio, 2))
        both = [d for d in dyads if d in arcs and d[::-1] in arcs]
        one = [d if d in arcs else d[::-1] for d in dyads if (d in arcs) != (d[::-1] in arcs)]
        code = f"{len(both)}{len(one)}{3 - len(both) - len(one)}"
        letter = ""
        out = {v: sum(a == v for a, _ in one) for v in trio}
        into = {v: sum(b == v for _, b in one) for v in trio}
        if code in ("021", "120"):
            letter = "D" if max(out.values()) == 2 else "U" if max(into.values()) == 2 else "C"
        elif code == "030":
            letter = "T" if max(out.values()) == 2 else "C"
        elif code == "111":
            # The vertex in both edges: D if the one-way arc enters it, U if it leaves it.
            middle = next(v for v in trio if sum(v in d for d in both + one) == 2)
            letter = "D" if into[middle] else "U"
        counts[code + letter] += 1
    return [counts[name] for name in names]


def temporal(rows, pattern, window, gaps):
    """Sequences of rows (u, v, t) that map the directed edges of the pattern, times ascending strictly, vertices different."""
    steps = [(e[0], e[1]) for e in pattern.split()]

    def extend(position, matched, first, last):
        if position == len(steps):
            return 1
        total = 0
        for u, v, t in rows:
            if position and not (last < t <= first + window and t - last <= gaps[position - 1]):
                continue
            now = dict(matched)
            if all(now.setdefault(name, vertex) == vertex for name, vertex in zip(steps[position], (u, v))):
                if len(set(now.values())) == len(now):
                    total += extend(position + 1, now, first if position else t, t)
        return total
    return extend(0, {}, None, None)
