"""NetworkX and Matcha give the same answers on random graphs."""

import itertools
import pickle
import random

import matcha as mt
import pytest

networkx = pytest.importorskip("networkx")

from matcha.nx import DiGraphMatcher, GraphMatcher  # noqa: E402
from networkx.algorithms import isomorphism  # noqa: E402

# Each pattern is compiled for each graph, so they are few.
PATTERNS = [networkx.path_graph(3), networkx.cycle_graph(4), networkx.star_graph(3), networkx.complete_graph(3)]
ARCS = [networkx.DiGraph(pairs) for pairs in ([(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 0)])]


def graph_of(chance, kind=networkx.Graph, most=8, words=False):
    """A random graph; some of its vertices and edges have the attribute `kind`. `words`: names of vertices are."""
    count = chance.randint(2, most)
    graph = kind()
    name = (lambda one: f"n{one}") if words else (lambda one: one)
    graph.add_nodes_from(map(name, range(count)))
    pairs = list(itertools.permutations(range(count), 2) if graph.is_directed() else itertools.combinations(range(count), 2))
    for a, b in chance.choices(pairs, k=chance.randint(0, 2 * count)):
        graph.add_edge(name(a), name(b))
    for facts in [*(graph.nodes[one] for one in graph), *(facts for _, _, facts in graph.edges(data=True))]:
        if chance.random() < 0.7:
            facts["kind"] = chance.randrange(2)
    return graph


def maps(found):
    return sorted((sorted(one.items(), key=repr) for one in found), key=repr)


def check(ours, theirs):
    for name in ("isomorphisms_iter", "subgraph_isomorphisms_iter", "subgraph_monomorphisms_iter"):
        assert maps(getattr(ours, name)()) == maps(getattr(theirs, name)()), name
    for name in ("is_isomorphic", "subgraph_is_isomorphic", "subgraph_is_monomorphic"):
        assert getattr(ours, name)() == getattr(theirs, name)(), name


def attributes(chance):
    node, edge = isomorphism.categorical_node_match("kind", 0), isomorphism.categorical_edge_match("kind", 1)
    return chance.choice([{}, {"node_match": node}, {"edge_match": edge}, {"node_match": node, "edge_match": edge}])


@pytest.mark.parametrize("seed", range(12))
def test_matcher(seed):
    chance = random.Random(seed)
    graph = graph_of(chance, words=chance.random() < 0.5)
    for pattern in (chance.choice(PATTERNS), graph_of(chance, most=4)):
        how = attributes(chance)
        check(GraphMatcher(graph, pattern, **how), isomorphism.GraphMatcher(graph, pattern, **how))


@pytest.mark.parametrize("seed", range(12))
def test_matcher_of_arcs(seed):
    chance = random.Random(seed)
    graph = graph_of(chance, networkx.DiGraph, 6)
    for pattern in (chance.choice(ARCS), graph_of(chance, networkx.DiGraph, most=3)):
        how = attributes(chance)
        check(DiGraphMatcher(graph, pattern, **how), isomorphism.DiGraphMatcher(graph, pattern, **how))


@pytest.mark.parametrize("seed", range(20))
def test_cliques(seed):
    graph = networkx.gnp_random_graph(5 + 3 * seed, 0.05 * (1 + seed % 15), seed=seed)
    graph.add_node("alone")
    ours = mt.count(mt.Graph(graph), "clique:maximal")
    sizes = [len(one) for one in networkx.find_cliques(graph)]
    assert ours == {size: sizes.count(size) for size in range(1, max(sizes) + 1)}
    every = [len(one) for one in networkx.enumerate_all_cliques(graph)]
    assert mt.count(mt.Graph(graph), "clique:*") == {size: every.count(size) for size in range(1, max(every) + 1)}


def test_other_kinds_of_graphs():
    """Multigraphs, arcs in a GraphMatcher and loops have their meaning in NetworkX."""
    chance = random.Random(4)
    many = [graph_of(chance, networkx.MultiGraph, size) for size in (6, 3)]
    check(GraphMatcher(*many), isomorphism.GraphMatcher(*many))
    mixed = graph_of(chance), many[1]
    check(GraphMatcher(*mixed), isomorphism.GraphMatcher(*mixed))
    many = [graph_of(chance, networkx.MultiDiGraph, size) for size in (5, 3)]
    check(DiGraphMatcher(*many), isomorphism.DiGraphMatcher(*many))
    arcs = networkx.DiGraph([(0, 1), (0, 3), (1, 2)]), networkx.DiGraph([(0, 1), (0, 2)])
    try:
        expected = len(list(isomorphism.GraphMatcher(*arcs).subgraph_isomorphisms_iter()))
    except Exception as problem:
        with pytest.raises(type(problem)):
            list(GraphMatcher(*arcs).subgraph_isomorphisms_iter())
    else:
        assert len(list(GraphMatcher(*arcs).subgraph_isomorphisms_iter())) == expected
    edges = networkx.path_graph(4), networkx.path_graph(2)
    with pytest.raises(Exception) as theirs:
        list(isomorphism.DiGraphMatcher(*edges).subgraph_isomorphisms_iter())
    with pytest.raises(theirs.type):
        list(DiGraphMatcher(*edges).subgraph_isomorphisms_iter())


def test_methods_of_a_subclass():
    class Low(GraphMatcher):
        def semantic_feasibility(self, one, other):
            return one <= 2 and super().semantic_feasibility(one, other)

    class LowArcs(DiGraphMatcher):
        def syntactic_feasibility(self, one, other):
            return one <= 2 and super().syntactic_feasibility(one, other)

    class Renamed(GraphMatcher):
        pass

    whole, path = networkx.complete_graph(5), networkx.path_graph(3)
    assert len(list(Low(whole, path).subgraph_monomorphisms_iter())) == 6
    assert not Low(whole, path).subgraph_is_isomorphic() and not Low(whole, networkx.path_graph(4)).subgraph_is_monomorphic()
    arcs = whole.to_directed(), networkx.path_graph(3, networkx.DiGraph)
    assert len(list(LowArcs(*arcs).subgraph_monomorphisms_iter())) == 6
    assert len(list(Renamed(whole, path).subgraph_monomorphisms_iter())) == 60
    one = GraphMatcher(whole, path)
    assert len(list(one.subgraph_monomorphisms_iter())) == 60
    one.semantic_feasibility = lambda a, b: a <= 2
    assert len(list(one.subgraph_monomorphisms_iter())) == 6


def test_graphs_that_change():
    """A matcher looks at its graphs when it is asked."""
    graph, pattern = networkx.path_graph(5), networkx.path_graph(3)
    ours, theirs = GraphMatcher(graph, pattern), isomorphism.GraphMatcher(graph, pattern)
    check(ours, theirs)
    graph.remove_edge(0, 1)
    graph.add_edge(0, 4)  # As many edges as before.
    check(ours, theirs)
    graph.add_edge("new", 4)
    check(ours, theirs)
    pattern.add_edge(0, 2)
    check(ours, theirs)
    graph.add_edge(2, 4)
    check(ours, theirs)
    ours.G1 = theirs.G1 = networkx.complete_graph(4)
    check(ours, theirs)


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
    apart = networkx.path_graph(3)
    apart.add_node(9)
    for pair in itertools.permutations((apart, networkx.path_graph(3))):
        check(GraphMatcher(*pair), isomorphism.GraphMatcher(*pair))
    ours = GraphMatcher(graph, networkx.path_graph(2))
    assert ours.subgraph_is_isomorphic() and set(ours.mapping.values()) == {0, 1}
    assert isinstance(ours, isomorphism.GraphMatcher)


def test_triads():
    triads = mt.program("std.directed", entry="triads")
    for seed in range(3):
        graph = graph_of(random.Random(seed), networkx.DiGraph)
        found = triads(mt.Graph(graph))
        assert found.as_dict() == networkx.triadic_census(graph) and found["030T"] == found[8]
        assert pickle.loads(pickle.dumps(found)).names == found.names
    with pytest.raises(KeyError, match="no number is called '030'; the names are: 003, 012"):
        found["030"]
    undirected = mt.Graph(networkx.path_graph(3))
    for entry in ("triads", "reciprocated"):
        with pytest.raises(mt.UsageError, match="asks for the arcs of `g`, and the graph has lost its own"):
            mt.program("std.directed", entry=entry)(undirected)
    both = mt.program("from std.directed import triads\n\ndef main(old: Graph, new: Graph) -> int:\n"
                      "    return size(edges(old)) + get(triads(new), 0)\n")
    assert both(undirected, mt.Graph([1, 2], [2, 3], directed=True)) == 4
    with pytest.raises(mt.UsageError, match="arcs of `new`"):
        both(mt.Graph([1, 2], [2, 3], directed=True), undirected)


class OfIgraph:
    """The parts of an igraph graph that are used."""

    class Items:
        def __init__(self, **values):
            self.values = values
            self.attributes = values.keys

        def __getitem__(self, name):
            return self.values[name]

    def __init__(self, edges, of_vertices, of_edges, directed=False):
        self.vs, self.es = self.Items(label=of_vertices), self.Items(label=of_edges)
        self.get_edgelist = lambda: edges
        self.vcount, self.ecount = lambda: len(of_vertices), lambda: len(edges)
        self.is_directed = lambda: directed


def test_patterns_that_are_graphs():
    graph = mt.Graph(networkx.complete_graph(4))
    cycle = networkx.cycle_graph(["x", "y", "z"])
    for pattern in (cycle, [("x", "y"), ("y", "z"), ("z", "x")], ((0, 1), [1, 2], (2, 0)), zip("abc", "bca")):
        assert mt.count(graph, pattern) == 4
    assert list(mt.match(graph, cycle).columns) == ["v0", "v1", "v2"]
    assert len(mt.match(graph, cycle, limit=1)) == 1 and sum(map(len, mt.blocks(graph, cycle))) == 4
    assert list(mt.participation(graph, cycle)) == [3, 3, 3, 3]
    assert mt.explain(graph, cycle).answer == "4" and mt.Pattern(cycle)(graph) == 4
    assert mt.stream(graph, cycle, [(0, 1)]).count() == (4, 6)
    numpy = pytest.importorskip("numpy")
    assert mt.count(graph, numpy.array([[0, 1], [1, 2]]), embeddings=True) == 24
    lone = networkx.path_graph(2)
    lone.add_node(5)
    assert mt.count(graph, lone) == mt.count(graph, "0-1,2")


def test_labels_and_arcs_of_pattern_graphs():
    people = networkx.DiGraph([("ann", "bob"), ("bob", "inc"), ("cid", "inc")])
    people.add_nodes_from([("ann", {"job": "it's"}), ("bob", {"job": "Mr. Hi"}), ("inc", {"job": 7})])
    networkx.set_edge_attributes(people, {("ann", "bob"): "knows", ("bob", "inc"): "pays"}, "how")
    graph = mt.Graph(people, label="job", edge_label="how")
    pattern = networkx.DiGraph([(0, 1)])
    assert mt.count(graph, pattern) == mt.count(graph, [(0, 1)]) == 3
    pattern.nodes[1]["label"] = "Mr. Hi"
    assert list(mt.match(graph, pattern)) == [("ann", "bob")]
    pattern.nodes[1]["label"], pattern.edges[0, 1]["label"] = 7.0, "pays"
    assert list(mt.match(graph, pattern)) == [("bob", "inc")]
    networkx.set_node_attributes(pattern, {0: "Mr. Hi"}, "job")
    networkx.set_edge_attributes(pattern, "pays", "how")
    assert mt.count(graph, pattern, label="job", edge_label="how") == mt.count(graph, "0:'Mr. Hi'>1,0>1=pays") == 1
    with pytest.raises(TypeError, match="attributes of a pattern that is a graph"):
        mt.count(graph, "a->b", label="job")
    assert list(mt.match(graph, OfIgraph([(0, 1)], ["Mr. Hi", None], ["pays"], True))) == [("bob", "inc")]
    assert mt.count(mt.Graph(people.to_undirected(), directed=True), [("a", "b")]) == 6
    with pytest.raises(mt.UsageError, match="the pattern has arcs"):
        mt.count(mt.Graph([(0, 1)]), pattern)
    with pytest.raises(mt.ProgramError, match="quotes"):
        pattern.nodes[1]["label"] = "it's"
        mt.count(graph, pattern)
    with pytest.raises(ValueError, match="empty label"):
        pattern.nodes[1]["label"] = ""
        mt.count(graph, pattern)
    for wrong, said in ((7, "not a int"), ([1, 2], "1 is not a pair"), (["ab"], "'ab' is not a pair")):
        with pytest.raises(TypeError, match=f"a pattern is text, a graph of Matcha, NetworkX or igraph, or pairs.*{said}"):
            mt.count(graph, wrong)
    with pytest.raises(ValueError, match="no vertices"):
        mt.count(graph, networkx.Graph())
    with pytest.raises(TypeError, match="a query is text"):
        mt.query(graph, pattern)


@pytest.mark.parametrize("seed", range(8))
def test_counts(seed):
    chance = random.Random(seed)
    graph = graph_of(chance)
    ours = mt.Graph(graph)
    assert ours.vertex_count == graph.number_of_nodes() and ours.edge_count == graph.number_of_edges()
    triangles = networkx.triangles(graph)
    assert mt.count(ours, "triangle") == sum(triangles.values()) // 3
    assert dict(zip(ours.vertices, mt.participation(ours, "triangle"))) == triangles
    wedges = sum(degree * (degree - 1) // 2 for _, degree in graph.degree())
    found = mt.motifs(ours, 3)
    assert found["wedge"] + 3 * found["triangle"] == wedges
    arcs = mt.Graph(graph, directed=True)
    assert arcs.edge_count == networkx.DiGraph(graph).number_of_edges() == mt.count(arcs, "a->b")
    pattern = chance.choice(PATTERNS)
    assert mt.count(ours, pattern, embeddings=True) == len(list(GraphMatcher(graph, pattern).subgraph_monomorphisms_iter()))
