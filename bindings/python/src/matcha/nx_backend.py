"""A backend of NetworkX, from 3.2 on: `nx.triangles(G, backend="matcha")`, or `nx.triangles(g)` of a `matcha.Graph`.

NetworkX finds this module by the entry points `networkx.backends` and `networkx.backend_info` of the installed package. A
function is here if its answers are those of NetworkX, floats to the last bit. `can_run` refuses multigraphs, weights, and
graphs that are directed where they must not be, or the reverse; then NetworkX answers itself, or reports that the backend
does not implement the function.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, Callable, Iterator, Optional

from matcha._errors import Error
from matcha._graph import Graph
from matcha._patterns import blocks, cliques, count, orbits
from matcha._program import program

# The number of edges from which a call gains more time than the conversion of the graph takes.
_WORTH_EDGES = 1000
# Here loops count, or do in some versions of NetworkX.
_WITHOUT_LOOPS = ("robins_alexander_clustering", "square_clustering", "triadic_census")
_SEVERAL_NODES = (list, tuple, set, frozenset, dict, range)


def backend_info() -> dict[str, Any]:
    """The description of this backend in the documents of NetworkX."""
    return {
        "backend_name": "matcha",
        "project": "matcha",
        "package": "matcha",
        "short_summary": "Counts of subgraphs on all cores, exact.",
        "functions": {name: {"additional_docs": text} for name, text in _FUNCTIONS.items()},
    }


def convert_from_nx(graph: Any, **_: Any) -> Graph:
    """The graph without its attributes, which no function here reads, and without loops."""
    if isinstance(graph, Graph):
        return graph
    made = Graph(graph)
    made._nx_nodes = list(graph)  # type: ignore[attr-defined]
    return made


def convert_to_nx(found: Any, **_: Any) -> Any:
    """A graph of NetworkX for one of Matcha; other answers are as those of NetworkX."""
    return found.to_networkx() if isinstance(found, Graph) else found


def can_run(name: str, args: Any, kwargs: Any) -> Any:
    """True if the answer would be that of NetworkX, else the reason."""
    given = _bound(name, args, kwargs)
    graph = given["G"]
    if graph.is_multigraph():
        return "a multigraph"
    if graph.is_directed() != (name == "triadic_census"):
        return "a directed graph" if graph.is_directed() else "an undirected graph"
    if given.get("weight") is not None or given.get("cliques") is not None or given.get("separate_nodes"):
        return "an argument that is not read"
    if name in _WITHOUT_LOOPS and _has_loops(graph):
        return "loops"
    nodes = given.get("nodes", given.get("nodelist", given.get("nbunch")))
    if nodes is None:
        return True
    if name in ("triadic_census", "all_triangles"):
        return "some of the nodes"
    if _is_node(graph, nodes):
        return name != "average_clustering" or "a single node"
    if not isinstance(nodes, _SEVERAL_NODES):
        return "nodes that are no collection"
    return name != "node_clique_number" or all(one in graph for one in nodes) or "other nodes"


def should_run(name: str, args: Any, kwargs: Any) -> Any:
    """True if the answer is expected to be faster than that of NetworkX, else the reason."""
    given = _bound(name, args, kwargs)
    nodes = given.get("nodes")
    if nodes is not None and _is_node(given["G"], nodes):
        return "a single node"
    graph = given["G"]
    edges = graph.edge_count if isinstance(graph, Graph) else graph.number_of_edges()
    return edges >= _WORTH_EDGES or f"fewer than {_WORTH_EDGES} edges"


def triangles(G: Graph, nodes: Any = None) -> Any:
    """`networkx.triangles`."""
    return _of(G, nodes, _triangles(G))


def all_triangles(G: Graph, nbunch: Any = None) -> Iterator[tuple[Any, ...]]:
    """`networkx.all_triangles`, in another order."""
    for block in blocks(G, "triangle"):
        yield from block


def transitivity(G: Graph) -> float:
    """`networkx.transitivity`."""
    triples = sum(degree * (degree - 1) for degree in G.degrees)
    found = 2 * sum(_triangles(G).values())
    return 0 if found == 0 else found / triples


def clustering(G: Graph, nodes: Any = None, weight: Optional[str] = None) -> Any:
    """`networkx.clustering` of an undirected graph without weights."""
    degrees = _by_node(G, G.degrees)
    found = {node: 0 if t == 0 else 2 * t / (degrees[node] * (degrees[node] - 1)) for node, t in _triangles(G).items()}
    return _of(G, nodes, found)


def average_clustering(G: Graph, nodes: Any = None, weight: Optional[str] = None, count_zeros: bool = True) -> float:
    """`networkx.average_clustering` of an undirected graph without weights."""
    chosen = clustering(G, nodes).values()
    kept = [one for one in chosen if count_zeros or abs(one) > 0]
    return sum(kept) / len(kept)


def square_clustering(G: Graph, nodes: Any = None) -> Any:
    """`networkx.square_clustering`."""
    found = orbits(G, 4, induced="edge")
    degrees = _by_node(G, G.degrees)
    squares, threes = (dict(zip(found["vertex"], found[name])) for name in ("square", "triangle"))
    values = {}
    for node in _nodes(G):
        others = degrees[node] - 1
        reached = sum(degrees[one] for one in G.neighbors(node)) if others > 0 else 0
        possible = (reached - others - 1) * others - 2 * threes[node] - squares[node]
        values[node] = squares[node] / possible if others > 0 and possible > 0 else 0
    return _of(G, nodes, values)


def generalized_degree(G: Graph, nodes: Any = None) -> Any:
    """`networkx.generalized_degree`."""
    found: dict[Any, Counter[int]] = {node: Counter() for node in _nodes(G)}
    for u, v, threes in cliques(G, 3, by="edge"):
        found[u][threes] += 1
        found[v][threes] += 1
    return _of(G, nodes, found)


def node_clique_number(G: Graph, nodes: Any = None, cliques: Any = None, separate_nodes: bool = False) -> Any:
    """`networkx.node_clique_number`."""
    largest = dict.fromkeys(_nodes(G), 1)
    for vertex, size, _ in _all_cliques(G):
        largest[vertex] = max(largest[vertex], size)
    if nodes is None or _is_node(G, nodes):
        return _of(G, nodes, largest)
    return {node: largest[node] for node in nodes}


def triadic_census(G: Graph, nodelist: Any = None) -> dict[str, int]:
    """`networkx.triadic_census` of all nodes."""
    return dict(_triads()(G).as_dict())


def robins_alexander_clustering(G: Graph) -> float:
    """`networkx.bipartite.robins_alexander_clustering`."""
    if len(G) < 4 or G.edge_count < 3:
        return 0
    paths = count(G, "path:4", induced="edge")
    return 0 if paths == 0 else 4.0 * count(G, "square", induced="edge") / paths


_FUNCTIONS = {
    "all_triangles": "All of the graph, in another order.",
    "average_clustering": "Of undirected graphs without weights.",
    "clustering": "Of undirected graphs without weights.",
    "generalized_degree": "",
    "node_clique_number": "By the number of cliques of every size at each node.",
    "robins_alexander_clustering": "Of graphs without loops.",
    "square_clustering": "Of graphs without loops.",
    "transitivity": "Of undirected graphs.",
    "triadic_census": "Of all nodes, without loops.",
    "triangles": "",
}


@lru_cache(maxsize=None)
def _triads() -> Any:
    return program("std.directed", entry="triads")


def _triangles(graph: Graph) -> dict[Any, int]:
    found = cliques(graph, 3)
    return _by_node(graph, found["cliques"])


def _all_cliques(graph: Graph) -> Any:
    """Rows of vertex, size and number."""
    try:
        found = cliques(graph)
    except Error as problem:  # Their number may have more than 63 bits; that of maximal ones need not.
        raise NotImplementedError(str(problem)) from problem
    return zip(found["vertex"], found["size"], found["cliques"])


def _nodes(graph: Graph) -> list[Any]:
    """The vertices in NetworkX's order, if it is a graph of NetworkX that was converted."""
    known: Optional[list[Any]] = graph.__dict__.get("_nx_nodes")
    return list(graph.vertices) if known is None else known


def _by_node(graph: Graph, column: Any) -> dict[Any, Any]:
    """The values of a column that has one for each of `graph.vertices`, in the order of NetworkX."""
    found = dict(zip(graph.vertices, column))
    return {node: found[node] for node in _nodes(graph)}


def _is_node(graph: Any, nodes: Any) -> bool:
    try:
        return nodes is not None and nodes in graph
    except TypeError:  # It has no hash.
        return False


def _of(graph: Graph, nodes: Any, values: dict[Any, Any]) -> Any:
    """All values, that of a node, or those of some nodes; others than those of the graph are left out, as NetworkX does."""
    if nodes is None:
        return values
    return values[nodes] if _is_node(graph, nodes) else {one: values[one] for one in nodes if one in values}


def _has_loops(graph: Any) -> bool:
    if isinstance(graph, Graph):
        return bool(graph.__dict__.get("_keep_loops"))
    return any(node in near for node, near in graph.adjacency())


def _bound(name: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments by their names."""
    call: Callable[..., Any] = globals()[name]
    names = call.__code__.co_varnames[: call.__code__.co_argcount]
    return {**dict(zip(names, args)), **kwargs}
