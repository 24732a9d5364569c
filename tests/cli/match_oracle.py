"""Counts the matches of a pattern in a small graph by trying every map, as the reference of `test_semantics.py`.

A graph is `vertices`, `labels` (of vertices) and `edges`, a set of (u, v, label); an undirected edge has u <= v. A
pattern has vertices 0 … n-1 and `edges`, a list of (u, v, kind, value):

    pair       some edge, whatever its label; it counts once
    one        an edge of the label `value`
    several    an edge of one of the labels `value`; each counts
    any        an edge of any label; each counts
    variable   the same; all with the name `value` have the same label
"""

import itertools


class Graph:
    def __init__(self, vertices, labels, edges, directed):
        self.vertices, self.labels, self.directed = vertices, labels, directed
        self.edges = {e if directed else (min(e[:2]), max(e[:2]), e[2]) for e in edges}
        self.between = {}
        for u, v, label in self.edges:
            self.between.setdefault((u, v), []).append(label)

    def pair(self, u, v):
        return (u, v) if self.directed else (min(u, v), max(u, v))

    def found(self, u, v):
        return self.between.get(self.pair(u, v), [])


class Pattern:
    def __init__(self, size, edges, labels=(), constants=(), anti=()):
        self.size, self.edges = size, edges
        self.labels, self.constants, self.anti = dict(labels), dict(constants), list(anti)

    def text(self, sign):
        """As the command line takes it; `sign` is that of an edge."""
        def spelled(kind, value):
            return {"pair": "", "one": f"={value}", "any": "=?", "variable": f"=?{value}",
                    "several": "=" + "|".join(value) if kind == "several" else ""}[kind]

        parts = [f"{u}{sign}{v}{spelled(kind, value)}" for u, v, kind, value in self.edges]
        parts += [f"{u}~{v}" for u, v in self.anti]
        parts += [f"{v}:{'|'.join(words)}" for v, words in self.labels.items()]
        parts += [f"{v}@{vertex}" for v, vertex in self.constants.items()]
        return ",".join(parts)


def choices(graph, image, edge, counts_all):
    """The edges of the graph that the edge may be mapped to; None stands for a pair that some edge joins."""
    u, v, kind, value = edge
    labels = graph.found(image[u], image[v])
    pair = graph.pair(image[u], image[v])
    if kind == "pair" and not counts_all:
        return [None] if labels else []
    if kind == "one":
        labels = [label for label in labels if label == value]
    if kind == "several":
        labels = [label for label in labels if label in value]
    return [(*pair, label) for label in labels]


def ways(pattern, options, match):
    """How many ways there are to take one of the options of each edge."""
    found = 0
    for taken in itertools.product(*options):
        known, good = {}, True
        for (_, _, kind, name), edge in zip(pattern.edges, taken):
            if kind == "variable":
                good = good and known.setdefault(name, edge[2]) == edge[2]
        if match == "edge":
            good = good and len(set(taken)) == len(taken)
        found += good
    return found


def maps(graph, pattern, match):
    """The matches, as maps: `iso`, `homo` or `edge`."""
    has_labels = any(kind != "pair" for _, _, kind, _ in pattern.edges)
    counts_all = match == "edge"
    found = 0
    for image in itertools.product(graph.vertices, repeat=pattern.size):
        if match == "iso" and len(set(image)) < pattern.size:
            continue
        if any(graph.labels[image[v]] not in words for v, words in pattern.labels.items()):
            continue
        if any(image[v] != vertex for v, vertex in pattern.constants.items()):
            continue
        if any(graph.found(image[u], image[v]) or graph.found(image[v], image[u]) for u, v in pattern.anti):
            continue
        options = [choices(graph, image, edge, counts_all and has_labels) for edge in pattern.edges]
        if counts_all and not has_labels:
            # Without labels an edge is a pair, whatever joins it.
            options = [[graph.pair(image[u], image[v])] if graph.found(image[u], image[v]) else []
                       for u, v, _, _ in pattern.edges]
        if all(options):
            found += ways(pattern, options, match)
    return found


def automorphisms(pattern, directed):
    """The ways to rename the vertices that leave the pattern as it is. A variable that stands once is any label."""
    names = [value for _, _, kind, value in pattern.edges if kind == "variable"]

    def shape(order):
        def ends(u, v):
            return (order[u], order[v]) if directed else tuple(sorted((order[u], order[v])))
        def plain(kind, value):
            return ("any", "None") if kind == "variable" and names.count(value) == 1 else (kind, str(value))
        return (sorted((*ends(u, v), *plain(kind, value)) for u, v, kind, value in pattern.edges),
                sorted((order[v], str(words)) for v, words in pattern.labels.items()),
                sorted((order[v], str(vertex)) for v, vertex in pattern.constants.items()),
                sorted(tuple(sorted((order[u], order[v]))) for u, v in pattern.anti))

    whole = shape(range(pattern.size))
    return sum(shape(order) == whole for order in itertools.permutations(range(pattern.size)))
