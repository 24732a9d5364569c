"""The interface of NetworkX's matchers on Matcha."""

from __future__ import annotations

from typing import Any, Iterator

from matcha._graph import Graph
from matcha._patterns import blocks


class GraphMatcher:
    """As `networkx.algorithms.isomorphism.GraphMatcher`: finds the graph `pattern` in `graph`.

    Both are undirected graphs of NetworkX without loops; `pattern` has at most 12 vertices and no vertex without edges.
    """

    def __init__(self, graph: Any, pattern: Any) -> None:
        if graph.is_directed() or pattern.is_directed():
            raise ValueError("both graphs must be undirected")
        self._graph = Graph(graph)
        self._nodes = list(pattern.nodes())
        number = {node: at for at, node in enumerate(self._nodes)}
        self._pattern = ",".join(f"{number[a]}-{number[b]}" for a, b in pattern.edges())

    def subgraph_isomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """Maps from vertices of the graph to those of the pattern whose vertex-induced subgraphs are isomorphic."""
        return self._maps("vertex")

    def subgraph_monomorphisms_iter(self) -> Iterator[dict[Any, Any]]:
        """The same where the graph may have other edges among the vertices."""
        return self._maps("edge")

    def subgraph_is_isomorphic(self) -> bool:
        """Whether there is any vertex-induced one."""
        return next(self._first("vertex"), None) is not None

    def subgraph_is_monomorphic(self) -> bool:
        """Whether there is any."""
        return next(self._first("edge"), None) is not None

    def _first(self, induced: str) -> Iterator[dict[Any, Any]]:
        return self._maps(induced, limit=1)

    def _maps(self, induced: str, **options: Any) -> Iterator[dict[Any, Any]]:
        for block in blocks(self._graph, self._pattern, induced=induced, embeddings=True, **options):
            for row in block:
                yield dict(zip(row, self._nodes))


__all__ = ["GraphMatcher"]
