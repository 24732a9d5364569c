"""NetworkX and Matcha give the same answers on random graphs."""

import itertools

import matcha as mt
import pytest

networkx = pytest.importorskip("networkx")
hypothesis = pytest.importorskip("hypothesis")

from hypothesis import strategies as st  # noqa: E402
from matcha.nx import DiGraphMatcher, GraphMatcher  # noqa: E402
from networkx.algorithms import isomorphism  # noqa: E402

FEW = hypothesis.settings(max_examples=25, deadline=None, derandomize=True)
# Each pattern is compiled for each graph, so they are few.
PATTERNS = [networkx.path_graph(3), networkx.cycle_graph(4), networkx.star_graph(3), networkx.complete_graph(3)]


@st.composite
def graphs(draw, directed=False, most=9):
    count = draw(st.integers(2, most))
    pairs = itertools.permutations(range(count), 2) if directed else itertools.combinations(range(count), 2)
    graph = networkx.DiGraph() if directed else networkx.Graph()
    graph.add_nodes_from(f"n{one}" for one in range(count))
    kept = draw(st.lists(st.sampled_from(list(pairs)), unique=True, max_size=24))
    graph.add_edges_from((f"n{a}", f"n{b}") for a, b in kept)
    return graph


def maps(found):
    return sorted(sorted(one.items()) for one in found)


def check(ours, theirs):
    for name in ("isomorphisms_iter", "subgraph_isomorphisms_iter", "subgraph_monomorphisms_iter"):
        assert maps(getattr(ours, name)()) == maps(getattr(theirs, name)()), name
    for name in ("is_isomorphic", "subgraph_is_isomorphic", "subgraph_is_monomorphic"):
        assert getattr(ours, name)() == getattr(theirs, name)(), name


@FEW
@hypothesis.given(graphs(), st.sampled_from(PATTERNS))
def test_matcher(graph, pattern):
    check(GraphMatcher(graph, pattern), isomorphism.GraphMatcher(graph, pattern))


@FEW
@hypothesis.given(graphs(directed=True, most=7), st.sampled_from([
    networkx.DiGraph([(0, 1), (1, 2)]), networkx.DiGraph([(0, 1), (1, 2), (2, 0)]), networkx.DiGraph([(0, 1), (1, 0)])]))
def test_matcher_of_arcs(graph, pattern):
    check(DiGraphMatcher(graph, pattern), isomorphism.DiGraphMatcher(graph, pattern))


def test_attributes_and_odd_patterns():
    graph = networkx.gnp_random_graph(8, 0.5, seed=3)
    for node in graph:
        graph.nodes[node]["kind"] = node % 2
    for at, (a, b) in enumerate(graph.edges()):
        graph.edges[a, b]["kind"] = at % 2
    pattern = networkx.path_graph(3)
    networkx.set_node_attributes(pattern, 1, "kind")
    networkx.set_edge_attributes(pattern, 0, "kind")
    how = {"node_match": isomorphism.categorical_node_match("kind", 0),
           "edge_match": isomorphism.categorical_edge_match("kind", 0)}
    check(GraphMatcher(graph, pattern, **how), isomorphism.GraphMatcher(graph, pattern, **how))
    lone = networkx.Graph([(0, 1)])
    lone.add_node(2)
    check(GraphMatcher(graph, lone), isomorphism.GraphMatcher(graph, lone))
    loop = networkx.Graph([(0, 1), (1, 1)])
    check(GraphMatcher(graph, loop), isomorphism.GraphMatcher(graph, loop))
    same = networkx.relabel_nodes(graph, lambda node: f"n{node}")
    check(GraphMatcher(graph, same), isomorphism.GraphMatcher(graph, same))
    ours = GraphMatcher(graph, networkx.path_graph(2))
    assert ours.subgraph_is_isomorphic() and set(ours.mapping.values()) == {0, 1}
    assert isinstance(ours, isomorphism.GraphMatcher)


@FEW
@hypothesis.given(graphs())
def test_counts(graph):
    ours = mt.Graph(graph)
    assert ours.vertex_count == graph.number_of_nodes() and ours.edge_count == graph.number_of_edges()
    triangles = networkx.triangles(graph)
    assert mt.count(ours, "triangle") == sum(triangles.values()) // 3
    assert dict(zip(ours.vertices, mt.participation(ours, "triangle"))) == triangles
    wedges = sum(degree * (degree - 1) // 2 for _, degree in graph.degree())
    found = mt.motifs(ours, 3)
    assert found["wedge"] + 3 * found["triangle"] == wedges
