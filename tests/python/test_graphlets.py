"""Distances of graphs by orbits, against orbits that are found by trying all vertices."""

import collections
import itertools
import math
import random

import matcha as mt
import pytest

np = pytest.importorskip("numpy")
nx = pytest.importorskip("networkx")

# In the order of Pržulj: a graph and one vertex of each of its orbits.
GRAPHLETS = [
    ([(0, 1)], [0]),
    ([(0, 1), (1, 2)], [0, 1]),
    ([(0, 1), (1, 2), (0, 2)], [0]),
    ([(0, 1), (1, 2), (2, 3)], [0, 1]),
    ([(0, 1), (0, 2), (0, 3)], [1, 0]),
    ([(0, 1), (1, 2), (2, 3), (0, 3)], [0]),
    ([(0, 1), (0, 2), (1, 2), (2, 3)], [3, 0, 2]),
    ([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], [0, 1]),
    ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], [0]),
]


def rooted(graph, root):
    made = nx.Graph(graph)
    nx.set_node_attributes(made, {v: v == root for v in made}, "root")
    return made


def brute_orbits(graph, most):
    """A row an orbit, an item a vertex."""
    kinds = [rooted(nx.Graph(edges), root) for edges, roots in GRAPHLETS for root in roots]
    kinds = [kind for kind in kinds if len(kind) <= most]
    counts = np.zeros((len(kinds), len(graph)), dtype=int)
    for size in range(2, most + 1):
        for chosen in itertools.combinations(graph, size):
            part = graph.subgraph(chosen)
            if nx.is_connected(part):
                for v in chosen:
                    mine = rooted(part, v)
                    [kind] = [at for at, one in enumerate(kinds) if len(one) == size and nx.is_isomorphic(
                        one, mine, node_match=lambda a, b: a["root"] == b["root"])]
                    counts[kind][v] += 1
    return counts


def pairs_of_graphs():
    random.seed(5)
    for _ in range(3):
        drawn = []
        for _ in range(2):
            graph = nx.gnp_random_graph(random.randint(7, 10), 0.4, seed=random.randint(0, 999))
            drawn.append(nx.convert_node_labels_to_integers(graph.subgraph(max(nx.connected_components(graph), key=len))))
        yield drawn


def test_agreement_is_that_of_the_definition():
    for drawn in pairs_of_graphs():
        all_counts = [brute_orbits(graph, 4) for graph in drawn]
        agreements = []
        for one, other in zip(*all_counts):
            most = max(one.max(), other.max(), 1)
            scaled = []
            for counts in (one, other):
                shares = np.array([(counts == k).sum() / k for k in range(1, most + 1)])
                scaled.append(shares / shares.sum() if shares.sum() else shares)
            agreements.append(1 - math.sqrt(((scaled[0] - scaled[1]) ** 2).sum()) / math.sqrt(2))
        found = mt.gdd_agreement(*[mt.Graph(list(graph.edges)) for graph in drawn], size=4)
        assert found.arithmetic == pytest.approx(np.mean(agreements))
        assert found.geometric == pytest.approx(np.prod(agreements) ** (1 / len(agreements)), abs=1e-9)


def spearman(matrix):
    """Of the columns; ranks by comparing every two."""
    ranks = np.array([[(column < x).sum() + ((column == x).sum() + 1) / 2 for x in column] for column in matrix])
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.corrcoef(ranks))


def test_distance_is_that_of_the_definition():
    independent = [0, 2, 5, 7, 8, 10, 11, 6, 9, 4, 1]
    for drawn in pairs_of_graphs():
        upper = []
        for graph in drawn:
            counts = brute_orbits(graph, 4)[independent]
            matrix = spearman(np.hstack([counts, np.ones((len(independent), 1), dtype=int)]))
            upper.append(matrix[np.triu_indices(len(independent), 1)])
        found = mt.graphlet_correlation_distance(*[mt.Graph(list(graph.edges)) for graph in drawn])
        assert found == pytest.approx(np.linalg.norm(upper[0] - upper[1]))


def test_orbits_of_edges_are_once_in_each_connected_set():
    graph = nx.gnp_random_graph(12, 0.4, seed=5)
    found = mt.orbits(mt.Graph(list(graph.edges)), 5, by="edge")
    names = list(found.columns)
    assert (len(names), names[:3], names[15], names[-1]) == (71, ["u", "v", "edge"], "path5-end", "clique5")
    wanted = collections.Counter(
        edge
        for chosen in itertools.combinations(graph, 5)
        if nx.is_connected(graph.subgraph(chosen))
        for edge in itertools.combinations(chosen, 2)
        if graph.has_edge(*edge)
    )
    for u, v, *counts in zip(*found.columns.values()):
        assert sum(counts[13:]) == wanted[u, v]


def test_distances_of_a_graph_and_itself_and_what_has_none():
    graph = mt.Graph([0, 1, 2, 0, 3], [1, 2, 0, 3, 4])
    assert mt.gdd_agreement(graph, graph) == (1.0, 1.0) and mt.graphlet_correlation_distance(graph, graph) == 0
    directed = mt.Graph([0, 1], [1, 2], directed=True)
    with pytest.raises(mt.Error):
        mt.gdd_agreement(graph, directed)


def brute_digraphs(graph, size):
    """Connected induced subgraphs by their class."""
    classes = []
    for chosen in itertools.combinations(graph, size):
        part = nx.DiGraph(graph.subgraph(chosen))
        if nx.is_weakly_connected(part):
            for one in classes:
                if nx.is_isomorphic(one[0], part):
                    one[1] += 1
                    break
            else:
                classes.append([part, 1])
    return classes


@pytest.mark.parametrize("size, kinds", [(2, 2), (3, 13), (4, 199)])
def test_directed_motifs_are_those_that_trying_finds(size, kinds):
    drawn = nx.gnp_random_graph(9, 0.35, seed=size, directed=True)
    graph = mt.Graph(list(drawn.edges), vertices=range(9), directed=True)
    found = mt.motifs(graph, size)
    assert len(found) == kinds
    by_brute = brute_digraphs(drawn, size)
    assert sum(found.values()) == sum(number for _, number in by_brute)
    named = {}
    for name, text in found.patterns.items():
        arcs = [part for edge in text.split(",") for part in arcs_of(edge)]
        named[name] = nx.DiGraph(arcs)
        assert not nx.is_isomorphic(named[name], nx.DiGraph()) and len(named[name]) == size
    for part, number in by_brute:
        [name] = [name for name, one in named.items() if nx.is_isomorphic(one, part)]
        assert found[name] == number, (name, number)
    if size == 3:
        census = nx.triadic_census(drawn)
        assert found == {name: census[name] for name in found}


def arcs_of(edge):
    """Those of `0>1`, or of `0-1`, which is both."""
    if ">" in edge:
        return [tuple(edge.split(">"))]
    if "<" in edge:
        return [tuple(reversed(edge.split("<")))]
    return [tuple(edge.split("-")), tuple(reversed(edge.split("-")))]
