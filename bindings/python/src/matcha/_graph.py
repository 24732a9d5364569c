"""Graphs in memory, made of files, arrays, data frames, and graphs of other libraries."""

from __future__ import annotations

import os
from array import array
from ctypes import POINTER, c_int64, cast
from typing import Any, Optional, Sequence

from matcha import _library


class Graph:
    """A graph that stays in memory and never changes; threads may share it.

    `Graph(u, v)` takes the ends of the edges as two arrays, lists or columns; `Graph(edges)` pairs, an array of two
    columns, a `scipy.sparse` matrix, or a graph of NetworkX or igraph; `Graph(frame, src="a", dst="b")` two columns of
    a data frame. Ids are ints, or anything else that is hashable and ordered, such as strings: answers are in the same.
    Loops and repeated edges are dropped. Without `directed` an edge joins both ends; a graph of NetworkX or igraph says
    itself whether it is directed.

    >>> import matcha as mt
    >>> mt.Graph([0, 1, 2], [1, 2, 0])
    Graph(3 vertices, 3 edges, undirected)
    >>> mt.count(mt.Graph([("a", "b"), ("b", "c"), ("c", "a")]), "triangle")
    1
    """

    def __init__(
        self,
        edges: Any,
        targets: Any = None,
        *,
        directed: Optional[bool] = None,
        src: Optional[str] = None,
        dst: Optional[str] = None,
    ) -> None:
        if (src is None) != (dst is None):
            raise TypeError("`src` and `dst` go together")
        sources, targets, found_directed = _ends(edges, targets, src, dst)
        self.directed: bool = bool(found_directed if directed is None else directed)
        self._names: Optional[list[Any]] = None
        self._vertices: Optional[list[Any]] = None
        columns = self._columns(sources, targets)
        self._owner = _library.make(
            "matcha_graph_from_edges",
            "matcha_graph_free",
            *(cast(_address(column), POINTER(c_int64)) for column in columns),
            len(columns[0]),
            _library.options({"directed": self.directed}).handle,
        )

    @classmethod
    def _read(cls, path: str, directed: bool, values: dict[str, Any]) -> Graph:
        made = cls.__new__(cls)
        made.directed = directed
        made._names = None
        made._vertices = None
        chosen = _library.options({"directed": directed, **values})
        made._owner = _library.make("matcha_graph_read", "matcha_graph_free", os.fsencode(path), chosen.handle)
        return made

    def _columns(self, sources: Any, targets: Any) -> tuple[Any, Any]:
        """Both ends as 64-bit ints; others than ints get numbers in their order, and are kept as names."""
        first, second = _ints(sources), _ints(targets)
        if first is None or second is None:
            sources, targets = list(sources), list(targets)
            self._names = sorted(set(sources) | set(targets))
            number = {name: at for at, name in enumerate(self._names)}
            first = array("q", (number[one] for one in sources))
            second = array("q", (number[one] for one in targets))
        if len(first) != len(second):
            raise ValueError(f"{len(first)} sources and {len(second)} targets")
        return first, second

    def _named(self, vertex: int) -> Any:
        return vertex if self._names is None else self._names[vertex]

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return int(_library.opened().matcha_graph_vertices(self._owner.handle))

    @property
    def edge_count(self) -> int:
        """The number of edges, each once; of arcs if it is directed."""
        return int(_library.opened().matcha_graph_edges(self._owner.handle))

    @property
    def vertices(self) -> list[Any]:
        """The ids of the vertices in ascending order."""
        if self._vertices is None:
            from matcha._program import Program

            self._vertices = [row[0] for row in Program("def main(G: Graph):\n    return vertices(G)\n")(self)]
        return self._vertices

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        edges = "arcs" if self.directed else "edges"
        return f"Graph({self.vertex_count} vertices, {self.edge_count} {edges}, {kind})"


def read(
    path: Any, *, directed: bool = False, labels: Any = None, timeout: Optional[float] = None
) -> Graph:
    """Reads a graph file: text, `.mtg` and all other formats of the command line, also compressed.

    `labels` is a file of vertex labels. Raises `InputError`, `ResourceError` and `Timeout`.
    """
    return Graph._read(
        os.fspath(path), directed, {"labels": None if labels is None else os.fspath(labels), "timeout": timeout}
    )


def _ends(edges: Any, targets: Any, src: Optional[str], dst: Optional[str]) -> tuple[Any, Any, bool]:
    """The columns of sources and targets, and whether they are of a directed graph."""
    if src is not None:
        return edges[src], edges[dst], False
    if targets is not None:
        return edges, targets, False
    if hasattr(edges, "tocoo"):  # scipy.sparse
        matrix = edges.tocoo()
        return matrix.row, matrix.col, False
    if hasattr(edges, "get_edgelist"):  # igraph
        pairs = edges.get_edgelist()
        _refuse_lone(edges.vcount() - len({end for pair in pairs for end in pair}))
        names = edges.vs["name"] if "name" in edges.vs.attributes() else None
        ends = [[pair[side] for pair in pairs] for side in (0, 1)]
        if names is not None:
            ends = [[names[one] for one in column] for column in ends]
        return ends[0], ends[1], bool(edges.is_directed())
    if hasattr(edges, "is_directed") and hasattr(edges, "edges"):  # NetworkX
        pairs = [(pair[0], pair[1]) for pair in edges.edges()]
        _refuse_lone(edges.number_of_nodes() - len({end for pair in pairs for end in pair}))
        return [one for one, _ in pairs], [other for _, other in pairs], bool(edges.is_directed())
    if getattr(edges, "ndim", None) == 2 and edges.shape[1] == 2:  # numpy
        return edges[:, 0], edges[:, 1], False
    pairs = list(edges)
    if any(len(pair) != 2 for pair in pairs):
        raise TypeError("edges are pairs of vertices")
    return [one for one, _ in pairs], [other for _, other in pairs], False


def _refuse_lone(count: int) -> None:
    """Vertices without edges cannot be told to the library by edges; dropping them could change an answer."""
    if count != 0:
        raise ValueError(f"{count} vertices have no edge; remove them first")


def _ints(column: Any) -> Any:
    """A contiguous column of 64-bit ints, without a copy if it is one; None if the items are no ints."""
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind is not None:
        import numpy

        if kind not in "iu":
            return None
        values = numpy.asarray(column)
        if kind == "u" and values.itemsize == 8 and values.size and int(values.max()) >= 2**63:
            return None
        return numpy.ascontiguousarray(values, dtype=numpy.int64)
    if isinstance(column, array) and column.typecode == "q":
        return column
    items: Sequence[Any] = column if isinstance(column, (list, tuple)) else list(column)
    if not all(isinstance(one, int) and -(2**63) <= one < 2**63 for one in items):
        return None
    return array("q", items)


def _address(column: Any) -> int:
    if isinstance(column, array):
        return column.buffer_info()[0]
    return int(column.ctypes.data)


__all__ = ["Graph", "read"]
