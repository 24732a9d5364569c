"""The inputs of `Graph`: recognized, and turned into columns."""

from __future__ import annotations

from collections import Counter
from typing import Any, Mapping, Optional

from matcha import _frames, _inputs
from matcha._inputs import Column, Labels


class Edges:
    """Pairs of ids, with labels and other columns."""

    def __init__(self, sources: Column, targets: Column, directed: bool = False) -> None:
        self.sources = sources
        self.targets = targets
        self.directed = directed
        self.edge_labels: Optional[tuple[Labels, int]] = None
        self.vertices: Optional[Column] = None
        self.vertex_labels: Optional[tuple[Labels, int]] = None


class Rows:
    """Neighbours of the vertices 0, 1, …, one row after the other."""

    def __init__(self, offsets: Column, targets: Column, directed: bool = False) -> None:
        self.offsets = offsets
        self.targets = targets
        self.directed = directed


def has_nodes(edges: Any) -> bool:
    """True for a graph of another library, which has labels of its own."""
    return _is_igraph(edges) or _is_networkx(edges)


def check_keywords(edges: Any, targets: Any, src: Any, vertices: Any, id: Any, label: Any) -> None:
    """Refuses arguments that nothing would read."""
    has_own = has_nodes(edges)
    if src is not None and targets is not None:
        raise TypeError("`src` and `dst` are columns of a data frame, beside which there are no other targets")
    if has_own and (src is not None or targets is not None):
        raise TypeError("a graph of NetworkX or igraph has its own edges: it is the only argument beside keywords of labels")
    if has_own and (vertices is not None or id is not None):
        raise TypeError("a graph of NetworkX or igraph has its own vertices: `label` names an attribute of them")
    if vertices is None and id is not None:
        raise TypeError("`id` needs `vertices`")
    if vertices is None and label is not None and not has_own:
        raise TypeError("`label` needs `vertices`")


def _is_igraph(edges: Any) -> bool:
    return hasattr(edges, "get_edgelist") and hasattr(edges, "vs")


def _is_networkx(edges: Any) -> bool:
    return hasattr(edges, "is_directed") and hasattr(edges, "adjacency") and hasattr(edges, "edges")


def _is_array(value: Any) -> bool:
    if hasattr(value, "dtype"):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _is_frame(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        or hasattr(value, "__dataframe__")
        or (hasattr(value, "__arrow_c_stream__") and not hasattr(value, "dtype"))
        or hasattr(value, "columns")
    )


def read(
    edges: Any, targets: Any, src: Any, dst: Any, edge_label: Any, vertices: Any, id: Any, label: Any, directed: Any
) -> Any:
    """`Edges` or `Rows`. `directed`: the caller's argument, or None. An undirected graph of NetworkX or igraph that is
    taken as directed has both arcs of each edge."""
    if src is None and targets is None:
        if hasattr(edges, "tocsr") and hasattr(edges, "nnz"):
            return _of_scipy(edges, edge_label, vertices, label)
        if _is_igraph(edges):
            return _of_igraph(edges, edge_label, label, bool(directed))
        if _is_networkx(edges):
            return _of_networkx(edges, edge_label, label, bool(directed))
        if isinstance(edges, tuple) and len(edges) == 2 and all(map(_is_array, edges)):
            return Rows(_inputs.column_of(edges[0], "offsets"), _inputs.column_of(edges[1], "targets"))
        if _is_frame(edges):
            raise TypeError("a data frame needs the names of its columns: Graph(frame, src=…, dst=…)")
    made = Edges(*_ends(edges, targets, src, dst))
    if edge_label is not None:
        by_name = src is not None and isinstance(edge_label, str)
        values = _frames.column_by_name(edges, edge_label, "edge_label") if by_name else edge_label
        made.edge_labels = _inputs.labels_of(values, "edge_label", of_edges=True)
    if vertices is not None:
        if id is not None:
            if label is not None:
                label = _frames.column_by_name(vertices, label, "label")
            vertices = _frames.column_by_name(vertices, id, "id")
        elif _is_frame(vertices):
            raise TypeError("a data frame of vertices needs the name of its column of ids: vertices=frame, id=…")
        made.vertices = _inputs.column_of(vertices, "vertices")
        if label is not None:
            made.vertex_labels = _inputs.labels_of(label, "label", of_edges=False)
    return made


def _ends(edges: Any, targets: Any, src: Any, dst: Any) -> tuple[Column, Column]:
    if src is not None:
        return (
            _inputs.column_of(_frames.column_by_name(edges, src, "src"), str(src)),
            _inputs.column_of(_frames.column_by_name(edges, dst, "dst"), str(dst)),
        )
    if targets is not None:
        return _inputs.column_of(edges, "sources"), _inputs.column_of(targets, "targets")
    if getattr(edges, "ndim", None) == 2 and edges.shape[1] == 2:  # numpy
        return _inputs.column_of(edges[:, 0], "sources"), _inputs.column_of(edges[:, 1], "targets")
    pairs = list(edges)
    if any(isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2 for pair in pairs):
        raise TypeError("edges are pairs of vertices")
    return (
        _inputs.column_of([one for one, _ in pairs], "sources"),
        _inputs.column_of([other for _, other in pairs], "targets"),
    )


def _of_scipy(matrix: Any, edge_label: Any, vertices: Any, label: Any) -> Any:
    """The rows of a CSR matrix unchanged if they form a graph; else its entries as pairs."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix has {matrix.shape[0]} rows and {matrix.shape[1]} columns")
    if edge_label is not None or vertices is not None or label is not None:
        raise TypeError("a matrix has no labels; give its entries as pairs: coo = m.tocoo(); Graph(coo.row, coo.col)")
    if matrix.format != "csr":
        _inputs.warn_of_copy(f"the matrix is of format {matrix.format}, not csr")
        matrix = matrix.tocsr()
    return Matrix(matrix)


class Matrix(Rows):
    """The rows of a CSR matrix, or its entries where they are not sorted, are on the diagonal, or go one way only."""

    def __init__(self, matrix: Any) -> None:
        indices = matrix.indices[: matrix.indptr[-1]]  # There may be room behind the entries.
        super().__init__(_inputs.column_of(matrix.indptr, "indptr"), _inputs.column_of(indices, "indices"))
        self._matrix = matrix

    def pairs(self) -> Edges:
        """The entries; every row is a vertex."""
        import numpy

        entries = self._matrix.tocoo()
        made = Edges(_inputs.column_of(entries.row, "rows"), _inputs.column_of(entries.col, "columns"))
        made.vertices = _inputs.column_of(numpy.arange(self._matrix.shape[0]), "rows")
        return made


def _of_igraph(graph: Any, edge_label: Any, label: Any, directed: bool) -> Edges:
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    if len(set(names)) != len(names):
        name = Counter(names).most_common(1)[0][0]
        raise ValueError(f"two vertices have the name {name!r}: without the attribute `name` ids are numbers from 0")
    pairs = [(names[one], names[other]) for one, other in graph.get_edgelist()]
    edge_labels = _attribute(graph.es, edge_label, "edge_label") if isinstance(edge_label, str) else edge_label
    labels = _attribute(graph.vs, label, "label") if isinstance(label, str) else label
    return _of_graph(graph, pairs, list(names), edge_labels, labels, directed)


def _attribute(items: Any, name: str, called: str) -> Any:
    if name not in items.attributes():
        raise KeyError(f"`{called}`: there is no attribute {name!r}")
    return items[name]


def _of_networkx(graph: Any, edge_label: Any, label: Any, directed: bool) -> Edges:
    pairs = list(graph.edges())
    if isinstance(edge_label, str):
        edge_label = [facts.get(edge_label) for _, _, facts in graph.edges(data=True)]
    if isinstance(label, str):
        label = [facts.get(label) for _, facts in graph.nodes(data=True)]
    return _of_graph(graph, pairs, list(graph.nodes()), edge_label, label, directed)


def _of_graph(
    graph: Any, pairs: list[Any], vertices: list[Any], edge_labels: Any, labels: Any, directed: bool
) -> Edges:
    is_directed = bool(graph.is_directed())
    if directed and not is_directed:
        if edge_labels is not None:
            edge_labels = [*edge_labels, *(one for one, (a, b) in zip(edge_labels, pairs) if a != b)]
        pairs = pairs + [(b, a) for a, b in pairs if a != b]
    made = Edges(
        _inputs.column_of([one for one, _ in pairs], "sources"),
        _inputs.column_of([other for _, other in pairs], "targets"),
        is_directed,
    )
    made.vertices = _inputs.column_of(vertices, "vertices")
    if edge_labels is not None:
        made.edge_labels = _inputs.labels_of(edge_labels, "edge_label", of_edges=True)
    if labels is not None:
        made.vertex_labels = _inputs.labels_of(labels, "label", of_edges=False)
    return made
