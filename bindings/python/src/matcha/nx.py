"""NetworkX's matchers on Matcha.

`GraphMatcher` and `DiGraphMatcher` are NetworkX's classes, with the search done by Matcha where it can: simple graphs of
the kind of the class, and patterns of at most 12 vertices. Else NetworkX searches, also where a subclass has methods of
its own for the search, such as `semantic_feasibility`, so that answers are always the same.
"""

from __future__ import annotations

from typing import Any, Iterator

from matcha._graph import Graph
from matcha._patterns import match

_Theirs: Any
_TheirsDirected: Any
try:
    import networkx  # type: ignore[import]
    from networkx.algorithms import isomorphism  # type: ignore[import]

    _Theirs, _TheirsDirected = isomorphism.GraphMatcher, isomorphism.DiGraphMatcher
except ImportError:  # The classes can be inspected, but not instantiated.
    _Theirs = _TheirsDirected = object

_MOST_VERTICES = 12
# Methods that NetworkX's search calls and a subclass may override.
_ASKED = ("semantic_feasibility", "syntactic_feasibility", "candidate_pairs_iter", "match", "initialize")


class _Search:
    """The search of a matcher by Matcha, for its graphs at the time of its construction."""

    def __init__(self, matcher: Any, arc: str) -> None:
        self.matcher = matcher
        self._seen = self._graphs()
        self._graph = Graph(matcher.G1)
        self._nodes = list(matcher.G2.nodes())
        number = {node: at for at, node in enumerate(self._nodes)}
        lone = [str(number[node]) for node in self._nodes if matcher.G2.degree(node) == 0]
        self._text = ",".join(lone + [f"{number[a]}{arc}{number[b]}" for a, b in matcher.G2.edges()])

    @staticmethod
    def can(matcher: Any, theirs: Any, directed: bool) -> bool:
        """True if Matcha can answer the request. `theirs`: the class of NetworkX."""
        if any(getattr(type(matcher), name) is not getattr(theirs, name) or name in vars(matcher) for name in _ASKED):
            return False
        for graph in (matcher.G1, matcher.G2):
            if graph.is_directed() != directed or graph.is_multigraph() or networkx.number_of_selfloops(graph):
                return False
        if set(matcher.G2) != matcher.G2_nodes:  # NetworkX uses the nodes at the time of the matcher's construction.
            return False
        edges = matcher.G2.number_of_edges()
        return bool(2 <= matcher.G2.number_of_nodes() <= _MOST_VERTICES and edges > 0)

    def _graphs(self) -> list[Any]:
        """The inputs of a search; attributes are read during it."""
        return [list(seen) for graph in (self.matcher.G1, self.matcher.G2) for seen in (graph.nodes, graph.edges)]

    def is_of_now(self) -> bool:
        """True if the graphs of the matcher are unchanged."""
        return self._seen == self._graphs()

    def maps(self, induced: str) -> Iterator[dict[Any, Any]]:
        """Maps from nodes of the graph to those of the pattern."""
        self.matcher.mapping = {}
        for block in match(self._graph, self._text, induced=induced, embeddings=True).blocks():
            for row in block:
                found = dict(zip(row, self._nodes))
                if self._suits(found):
                    self.matcher.mapping = found
                    yield dict(found)

    def _suits(self, found: dict[Any, Any]) -> bool:
        """True if attributes match, by the functions given to the matcher."""
        one, other = self.matcher.G1, self.matcher.G2
        node_match = getattr(self.matcher, "node_match", None)
        edge_match = getattr(self.matcher, "edge_match", None)
        if node_match is not None and not all(node_match(one.nodes[a], other.nodes[b]) for a, b in found.items()):
            return False
        if edge_match is None:
            return True
        back = {b: a for a, b in found.items()}
        return all(edge_match(one[back[a]][back[b]], facts) for a, b, facts in other.edges(data=True))


class _Matcher:
    """The common part of both matchers."""

    _theirs: Any
    _directed = False
    G1: Any
    G2: Any

    def _maps(self, induced: str, theirs: Any) -> Iterator[dict[Any, Any]]:
        if not _Search.can(self, self._theirs, self._directed):
            return theirs()  # type: ignore[no-any-return]
        kept = vars(self).get("_search")
        if kept is None or not kept.is_of_now():
            kept = vars(self)["_search"] = _Search(self, ">" if self._directed else "-")
        search: _Search = kept
        return search.maps(induced)

    def isomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """Maps between the nodes of the two graphs that keep edges both ways."""
        theirs = super().isomorphisms_iter  # type: ignore[misc]
        same = self.G1.number_of_nodes() == self.G2.number_of_nodes()
        if same and self.G1.number_of_edges() == self.G2.number_of_edges():
            yield from self._maps("vertex", theirs)
        else:
            yield from theirs()

    def subgraph_isomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """Maps from nodes of G1 to all of G2 whose node-induced subgraphs are isomorphic."""
        yield from self._maps("vertex", super().subgraph_isomorphisms_iter)  # type: ignore[misc]

    def subgraph_monomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """The same where G1 may have other edges among the nodes."""
        yield from self._maps("edge", super().subgraph_monomorphisms_iter)  # type: ignore[misc]


class GraphMatcher(_Matcher, _Theirs):  # type: ignore[misc]
    """`networkx.algorithms.isomorphism.GraphMatcher(G1, G2, node_match, edge_match)`: finds the graph G2 in G1."""

    _theirs = _Theirs


class DiGraphMatcher(_Matcher, _TheirsDirected):  # type: ignore[misc]
    """`networkx.algorithms.isomorphism.DiGraphMatcher(G1, G2, node_match, edge_match)`."""

    _theirs = _TheirsDirected
    _directed = True


__all__ = ["DiGraphMatcher", "GraphMatcher"]
