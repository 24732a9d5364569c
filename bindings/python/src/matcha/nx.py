"""NetworkX's matchers on Matcha.

`GraphMatcher` and `DiGraphMatcher` are NetworkX's classes, with the search done by Matcha where it can: simple graphs and
patterns of at most 12 vertices. Else NetworkX searches, so that answers are always the same.
"""

from __future__ import annotations

from typing import Any, Iterator, Optional

from matcha._graph import Graph
from matcha._patterns import match

_Theirs: Any
_TheirsDirected: Any
try:
    import networkx  # type: ignore[import]
    from networkx.algorithms import isomorphism  # type: ignore[import]

    _Theirs, _TheirsDirected = isomorphism.GraphMatcher, isomorphism.DiGraphMatcher
except ImportError:  # The classes can be looked at, but not made.
    _Theirs = _TheirsDirected = object

_MOST_VERTICES = 12


class _Search:
    """The search of a matcher by Matcha."""

    def __init__(self, matcher: Any, arc: str) -> None:
        self.matcher = matcher
        self._graph: Optional[Graph] = None
        self._nodes = list(matcher.G2.nodes())
        number = {node: at for at, node in enumerate(self._nodes)}
        lone = [str(number[node]) for node in self._nodes if matcher.G2.degree(node) == 0]
        self._text = ",".join(lone + [f"{number[a]}{arc}{number[b]}" for a, b in matcher.G2.edges()])

    @staticmethod
    def can(matcher: Any) -> bool:
        """Whether Matcha can do what is asked."""
        for graph in (matcher.G1, matcher.G2):
            if graph.is_multigraph() or networkx.number_of_selfloops(graph):
                return False
        edges = matcher.G2.number_of_edges()
        return bool(2 <= matcher.G2.number_of_nodes() <= _MOST_VERTICES and edges > 0)

    def maps(self, induced: str) -> Iterator[dict[Any, Any]]:
        """Maps from nodes of the graph to those of the pattern."""
        if self._graph is None:
            self._graph = Graph(self.matcher.G1)
        for block in match(self._graph, self._text, induced=induced, embeddings=True).blocks():
            for row in block:
                found = dict(zip(row, self._nodes))
                if self._suits(found):
                    self.matcher.mapping = found
                    yield dict(found)

    def _suits(self, found: dict[Any, Any]) -> bool:
        """Whether attributes match, as the functions say that the matcher was given."""
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
    """What both matchers have."""

    _arc = "-"
    G1: Any
    G2: Any

    def _maps(self, induced: str, theirs: Any) -> Iterator[dict[Any, Any]]:
        if not _Search.can(self):
            return theirs()  # type: ignore[no-any-return]
        kept = self.__dict__.get("_search")
        if kept is None:
            kept = self.__dict__["_search"] = _Search(self, self._arc)
        search: _Search = kept
        return search.maps(induced)

    def isomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """Maps between the nodes of the two graphs that keep edges both ways."""
        same = self.G1.number_of_nodes() == self.G2.number_of_nodes()
        if same and self.G1.number_of_edges() == self.G2.number_of_edges():
            yield from self._maps("vertex", super().isomorphisms_iter)  # type: ignore[misc]

    def is_isomorphic(self) -> bool:
        """Whether there is one of these maps."""
        return next(self.isomorphisms_iter(), None) is not None

    def subgraph_isomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """Maps from nodes of G1 to all of G2 whose node-induced subgraphs are isomorphic."""
        yield from self._maps("vertex", super().subgraph_isomorphisms_iter)  # type: ignore[misc]

    def subgraph_monomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """The same where G1 may have other edges among the nodes."""
        yield from self._maps("edge", super().subgraph_monomorphisms_iter)  # type: ignore[misc]

    def subgraph_is_isomorphic(self) -> bool:
        """Whether there is any node-induced one."""
        return next(self.subgraph_isomorphisms_iter(), None) is not None

    def subgraph_is_monomorphic(self) -> bool:
        """Whether there is any."""
        return next(self.subgraph_monomorphisms_iter(), None) is not None


class GraphMatcher(_Matcher, _Theirs):  # type: ignore[misc]
    """`networkx.algorithms.isomorphism.GraphMatcher(G1, G2, node_match, edge_match)`: finds the graph G2 in G1."""


class DiGraphMatcher(_Matcher, _TheirsDirected):  # type: ignore[misc]
    """`networkx.algorithms.isomorphism.DiGraphMatcher(G1, G2, node_match, edge_match)`."""

    _arc = ">"


__all__ = ["DiGraphMatcher", "GraphMatcher"]
