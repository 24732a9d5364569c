"""How alike two graphs are by the orbits of their vertices."""

from __future__ import annotations

import math
from collections import Counter
from typing import Iterator, NamedTuple

from matcha._graph import Graph
from matcha._patterns import orbits
from matcha._table import Table

# Of the 15 orbits of 2 to 4 vertices, those that no sums of others give (Yaveroğlu et al. 2014), by their numbers.
_INDEPENDENT = (0, 2, 5, 7, 8, 10, 11, 6, 9, 4, 1)


class Agreement(NamedTuple):
    """How alike the degree distributions of orbits are, from 0 to 1: by both means over all orbits."""

    arithmetic: float
    geometric: float


def gdd_agreement(first: Graph, second: Graph, size: int = 5) -> Agreement:
    """The agreement of graphlet degree distributions of two undirected graphs (Pržulj 2007), with the orbits of 2 to `size` vertices.

    Of each orbit, the shares of vertices that are in it k times are divided by k and by their sum. The agreement of an
    orbit is 1 less the Euclidean distance of the two over the square root of 2. An orbit without vertices in one graph
    has zeros there, so that its agreement is 1 if the other graph has none either.

    >>> import matcha as mt
    >>> ring, path = mt.Graph([0, 1, 2, 3], [1, 2, 3, 0]), mt.Graph([0, 1, 2], [1, 2, 3])
    >>> mt.gdd_agreement(ring, ring).arithmetic
    1.0
    >>> round(mt.gdd_agreement(ring, path, 3).arithmetic, 3)
    0.583
    """
    agreements = []
    for one, other in zip(_orbits_of(first, size), _orbits_of(second, size)):
        shares, others = _scaled(one), _scaled(other)
        square = math.fsum((shares.get(k, 0.0) - others.get(k, 0.0)) ** 2 for k in {*shares, *others})
        agreements.append(1 - math.sqrt(square / 2))
    mean = math.fsum(agreements) / len(agreements)
    least = min(agreements)
    geometric = math.exp(math.fsum(map(math.log, agreements)) / len(agreements)) if least > 0 else 0.0
    return Agreement(mean, geometric)


def graphlet_correlation_distance(first: Graph, second: Graph) -> float:
    """The distance GCD-11 of two undirected graphs (Yaveroğlu et al. 2014): 0 for graphs whose orbits correlate alike.

    In each graph it takes the correlations by Spearman of each two of 11 orbits of up to four vertices, over all vertices
    and one more that is once in each orbit. The distance is that of Euclid between the two lists. Where an orbit has the
    same number at every vertex, its correlations are 0.

    >>> import matcha as mt
    >>> ring, path = mt.Graph([0, 1, 2, 3], [1, 2, 3, 0]), mt.Graph([0, 1, 2], [1, 2, 3])
    >>> mt.graphlet_correlation_distance(ring, ring), mt.graphlet_correlation_distance(ring, path) > 1
    (0.0, True)
    """
    pairs = zip(_correlations(first), _correlations(second))
    return math.sqrt(math.fsum((one - other) ** 2 for one, other in pairs))


def _orbits_of(graph: Graph, size: int) -> list[list[int]]:
    """The counts of each orbit, an item a vertex."""
    found: Table = orbits(graph, size)
    return [list(column) for name, column in found.columns.items() if name != "vertex"]


def _scaled(counts: list[int]) -> dict[int, float]:
    """By k, the number of vertices that are k times in the orbit, over k, over the sum of these; k at least 1."""
    scaled = {k: number / k for k, number in Counter(counts).items() if k}
    total = math.fsum(scaled.values())
    return {k: share / total for k, share in scaled.items()}


def _correlations(graph: Graph) -> Iterator[float]:
    """Those of each two of the independent orbits."""
    found = _orbits_of(graph, 4)
    centred = [_centred_ranks([*found[orbit], 1]) for orbit in _INDEPENDENT]
    for at, one in enumerate(centred):
        for other in centred[:at]:
            yield math.fsum(a * b for a, b in zip(one, other))


def _centred_ranks(values: list[int]) -> list[float]:
    """The ranks of values, equal ones share their mean; less the mean of all, divided so that squares add up to 1."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for at in order[begin:end]:
            ranks[at] = (begin + end - len(order)) / 2
        begin = end
    length = math.sqrt(math.fsum(rank * rank for rank in ranks))
    return [rank / length for rank in ranks] if length else ranks


__all__ = ["Agreement", "gdd_agreement", "graphlet_correlation_distance"]
