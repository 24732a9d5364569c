"""The contents of a graph for Python: vertices, edges, degrees, neighbours, and the graph in other forms."""

from __future__ import annotations

import ctypes
import os
import re
import warnings
from array import array
from ctypes import byref
from numbers import Integral
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Union

from matcha import _library
from matcha._errors import error_of
from matcha._inputs import Weights
from matcha._table import Column, Table, escaped

if TYPE_CHECKING:
    from matcha._graph import Graph

_VERTEX_LABELS, _EDGE_LABELS, _EDGE_FLOATS = 2, 4, 8
# The endings of formats that have places for labels of vertices and for vertices without edges.
_FULL_FORMATS = (".mtg", ".mtx", ".graph", ".lg")


class Views:
    """The part of `Graph` that shows its content. Columns are copies, made when they are first asked for."""

    directed: bool
    vertex_count: int
    edge_count: int
    vertices: Column
    _owner: Any
    _names: Any
    _labels: Any
    _ranks: Optional[dict[Any, int]]

    def __len__(self) -> int:
        return self.vertex_count

    def __iter__(self) -> Iterator[Any]:
        return iter(self.vertices)

    def __contains__(self, vertex: Any) -> bool:
        return self._neighbor_ids(vertex, 0) is not None

    __networkx_backend__ = "matcha"  #: NetworkX gives a graph of this class to `matcha.nx_backend`.

    def is_directed(self) -> bool:
        """The same as `directed`, for NetworkX."""
        return self.directed

    def is_multigraph(self) -> bool:
        """False, for NetworkX: patterns see parallel edges as one."""
        return False

    @property
    def nodes(self) -> Column:
        """The ids of the vertices, as `vertices`."""
        return self.vertices

    @property
    def edges(self) -> Table:
        """The edges: columns `source` and `target`, and `label` or `weight` if edges have one.

        Loops and parallel edges that the graph has are among them; `edge_count` does not count them.

        >>> import matcha as mt
        >>> list(mt.Graph([("ann", "bob"), ("bob", "cid")]).edges)
        [('ann', 'bob'), ('bob', 'cid')]
        """
        wanted = _library.CEdgeList()
        self._list_edges(wanted)
        count = wanted.count
        sources, targets, info = (array("q", bytes(8 * count)) for _ in range(3))
        wanted.sources, wanted.targets, wanted.info = (one.buffer_info()[0] for one in (sources, targets, info))
        self._list_edges(wanted)
        columns = {"source": self._ids(sources), "target": self._ids(targets)}
        if self._facts & _EDGE_LABELS:
            columns["label"] = self._labelled(info)
        elif self._facts & _EDGE_FLOATS:
            columns["weight"] = Column(info.buffer_info()[0], count, "f", info)
        return Table(columns, count)

    @property
    def labels(self) -> Optional[Column]:
        """The labels of the vertices, in the order of `vertices`; no label is the empty word. None: they have none."""
        if not self._facts & _VERTEX_LABELS:
            return None
        codes = array("q", bytes(8 * self.vertex_count))
        _library.opened().matcha_graph_vertex_labels(self._owner.handle, codes.buffer_info()[0])
        return self._labelled(codes)

    @property
    def degrees(self) -> Column:
        """The number of neighbours of each vertex, in the order of `vertices`; see `neighbors`."""
        made = array("q", bytes(8 * self.vertex_count))
        _library.opened().matcha_graph_degrees(self._owner.handle, made.buffer_info()[0])
        return Column(made.buffer_info()[0], len(made), "i", made)

    def degree(self, vertex: Any) -> int:
        """The number of neighbours of a vertex; see `neighbors`.

        Raises `KeyError` for a vertex that is not in the graph.
        """
        return len(self.neighbors(vertex))

    def neighbors(self, vertex: Any) -> Column:
        """The ids of the other vertices next to a vertex, ascending; of a directed graph those that its arcs lead to.

        Raises `KeyError` for a vertex that is not in the graph.

        >>> import matcha as mt
        >>> g = mt.Graph([0, 1, 2, 0], [1, 2, 0, 3])
        >>> list(g.neighbors(0)), g.degree(3), 7 in g, len(g)
        ([1, 2, 3], 1, False, 4)
        """
        found = self._neighbor_ids(vertex, 32)
        if found is None:
            raise KeyError(vertex)
        return self._ids(found)

    def summary(self) -> dict[str, Any]:
        """Numbers of the graph: vertices, edges, degrees, vertices without an edge, labels."""
        degrees = self.degrees
        count = len(degrees)
        pairs = count * (count - 1) / (1 if self.directed else 2)
        made: dict[str, Any] = {
            "directed": self.directed,
            "vertices": count,
            "edges": self.edge_count,
            "mean degree": sum(degrees) / count if count else 0.0,
            "max degree": max(degrees, default=0),
            "without edges" if not self.directed else "without arcs that leave": sum(1 for one in degrees if one == 0),
            "density": self.edge_count / pairs if pairs else 0.0,
        }
        labels = self.labels
        if labels is not None:
            made["vertex labels"] = len(set(labels))
        if self._facts & _EDGE_LABELS:
            made["edge labels"] = len(set(self.edges["label"]))
        return made

    def save(self, path: Any, *, labels: Any = None) -> None:
        """Writes a file in the format of its name: .mtg, .txt, .csv, .tsv, .mtx or .graph, also packed (.gz, .zst).

        `labels` is a file for the labels of vertices, for formats that have no place for them. Raises `UsageError`
        and `ResourceError`; `InputError` for ids and labels that the format cannot hold, such as the label "1.5", which a
        text file has for a number; and `TypeError` for ids that are neither text nor ints. Then no file is left. Warns of
        labels and vertices that the format has no place for, and of text that `read` would take for numbers.
        """
        if self._parts is not None:
            raise error_of(2, "error: a join is several graphs, and a file has one: save each of them\n")
        lost = self._lost_in(os.fspath(path), labels)
        if lost:
            warnings.warn(f"{lost} are not in {os.fspath(path)!r}, whose format has no place for them", stacklevel=2)
        if not _is_full(os.fspath(path)) and self._looks_like_numbers():
            warnings.warn(f'the ids are text that looks like numbers: read {os.fspath(path)!r} with `ids="text"`', stacklevel=2)
        paths = os.fsencode(path), None if labels is None else os.fsencode(labels)
        error = _library.Handle()
        if self._has_own_names():
            graph, texts = self._with_texts()
            names = (ctypes.c_char_p * len(texts))(*texts)
            status = _library.opened().matcha_graph_write_named(
                graph._owner.handle, names, len(texts), *paths, byref(error)
            )
        else:
            status = _library.opened().matcha_graph_write(self._owner.handle, *paths, byref(error))
        if status != _library.OK:
            _library.raise_error(status, error)

    def _lost_in(self, path: str, labels: Any) -> str:
        """The parts of the graph that a file of this name cannot hold."""
        if _is_full(path):
            return ""
        edges = self.edges
        alone = len(self) - len(set(edges["source"]) | set(edges["target"]))
        lost = [f"{alone} vertices without edges"] if alone else []
        if labels is None and self.labels is not None:
            lost.append("the labels of vertices")
        return " and ".join(lost)

    def _looks_like_numbers(self) -> bool:
        """True if some ids are text, and a reader of edge lists would take all for numbers."""
        ids = self._names or ()
        return any(isinstance(one, str) for one in ids) and all(re.fullmatch("-?[0-9]+", str(one)) for one in ids)

    def undirected(self) -> Graph:
        """The graph without directions: an edge where there is an arc, once."""
        return self._rebuilt(directed=False)

    def reversed(self) -> Graph:
        """The graph with all arcs turned round; of an undirected graph a copy."""
        return self._rebuilt(turned=True)

    def rewired(self, seed: int = 1) -> Graph:
        """A random graph with the same vertices, labels and degrees; of a directed one both degrees of each vertex.

        Pairs of edges exchange their ends, 20 tries an edge. The same seed gives the same graph. Raises `InputError`
        for graphs with loops or with labels of edges.

        >>> import matcha as mt
        >>> g = mt.Graph([0, 1, 2, 3, 4], [1, 2, 3, 4, 0])
        >>> list(g.rewired(7).degrees)
        [2, 2, 2, 2, 2]
        """
        from matcha._graph import Graph

        if not isinstance(seed, Integral) or not 0 <= seed < 2**64:
            raise ValueError("a seed is an int from 0 to 2**64 - 1")
        made = Graph.__new__(Graph)
        made._begin(self.directed)
        made._owner = _library.make("matcha_graph_rewired", "matcha_graph_free", self._owner.handle, int(seed))
        made._names = self._names
        return made

    def subgraph(self, vertices: Iterable[Any]) -> Graph:
        """The given vertices and all edges between them, with their labels. Raises `KeyError` for an unknown vertex.

        >>> import matcha as mt
        >>> mt.Graph([0, 1, 2, 0], [1, 2, 0, 3]).subgraph([0, 1, 3])
        Graph(3 vertices, 2 edges, undirected)
        """
        kept = list(dict.fromkeys(vertices))
        for one in kept:
            if one not in self:
                raise KeyError(one)
        return self._rebuilt(kept=kept)

    def to_networkx(self) -> Any:
        """A graph of NetworkX, with the labels as attributes `label`, and weights as `weight`.

        It is a multigraph if the graph has parallel edges.
        """
        import networkx

        edges = self.edges
        ends = list(zip(edges["source"], edges["target"]))
        is_multi = len(set(ends)) != len(ends)
        kinds = (networkx.DiGraph, networkx.MultiDiGraph) if self.directed else (networkx.Graph, networkx.MultiGraph)
        made = kinds[is_multi]()
        labels = self.labels
        if labels is None:
            made.add_nodes_from(self.vertices)
        else:
            made.add_nodes_from((vertex, {"label": label}) for vertex, label in zip(self.vertices, labels))
        for name in ("label", "weight"):
            if name in edges.columns:
                made.add_edges_from((a, b, {name: one}) for (a, b), one in zip(ends, edges[name]))
                return made
        made.add_edges_from(ends)
        return made

    def to_igraph(self) -> Any:
        """A graph of igraph; the ids are the attribute `name` of its vertices, labels `label`, and weights `weight`."""
        import igraph  # type: ignore[import]

        place = {vertex: at for at, vertex in enumerate(self.vertices)}
        edges = self.edges
        pairs = [(place[a], place[b]) for a, b in zip(edges["source"], edges["target"])]
        made = igraph.Graph(n=len(self), edges=pairs, directed=self.directed)
        made.vs["name"] = list(self.vertices)
        labels = self.labels
        if labels is not None:
            made.vs["label"] = list(labels)
        for name in ("label", "weight"):
            if name in edges.columns:
                made.es[name] = list(edges[name])
        return made

    def to_scipy(self) -> Any:
        """The adjacency matrix as a sparse array of SciPy (CSR): row i is vertex `vertices[i]`. Weights are its values."""
        import numpy
        import scipy.sparse  # type: ignore[import]

        ids = self._plain(self.vertices)
        edges = self.edges
        rows, columns = (numpy.searchsorted(ids, self._plain(edges[end])) for end in ("source", "target"))
        values = edges["weight"].to_numpy() if "weight" in edges.columns else numpy.ones(len(rows), dtype=numpy.int64)
        if not self.directed:
            rows, columns = numpy.concatenate([rows, columns]), numpy.concatenate([columns, rows])
            values = numpy.concatenate([values, values])
        return scipy.sparse.coo_array((values, (rows, columns)), shape=(len(ids), len(ids))).tocsr()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escaped(name)}</th><td>{escaped(f'{value:.4g}' if isinstance(value, float) else value)}</td></tr>"
            for name, value in self.summary().items()
        )
        return f"<table>{rows}</table>"

    def __reduce__(self) -> Any:
        if self._parts is not None:
            from matcha._join import joined

            return joined, (self._parts,)
        edges = self.edges
        columns = {name: _packed(column) for name, column in edges.columns.items()}
        labels = self.labels
        vertices = _packed(self.vertices)
        return _unpickled, (columns, vertices, None if labels is None else _packed(labels), self.directed)

    # The handle's data.

    @property
    def _facts(self) -> int:
        return int(_library.opened().matcha_graph_facts(self._owner.handle))

    def _list_edges(self, wanted: Any) -> None:
        error = _library.Handle()
        status = _library.opened().matcha_graph_edge_list(self._owner.handle, byref(wanted), byref(error))
        if status != _library.OK:
            _library.raise_error(status, error)

    def _ids(self, ids: array[int]) -> Column:
        return Column(ids.buffer_info()[0], len(ids), "i", ids, self._names)

    @staticmethod
    def _plain(column: Column) -> Any:
        """Its numbers without their names, as a numpy array."""
        return Column(column.address, len(column), column.kind, column).to_numpy()

    def _labelled(self, codes: array[int]) -> Column:
        labels = self._labels
        return Column.of((labels[code] for code in codes), "i", labels.names)

    def _neighbor_ids(self, vertex: Any, room: int) -> Optional[array[int]]:
        """The first ids of neighbours, at least `room` if there are as many; None: there is no such vertex."""
        position = self._position_of(vertex)
        if position is None:
            return None
        ids = array("q", bytes(8 * room))
        lib = _library.opened()
        found = lib.matcha_graph_neighbors(self._owner.handle, position, ids.buffer_info()[0], room)
        if found < 0:
            return None
        if found > room > 0:
            ids = array("q", bytes(8 * found))
            lib.matcha_graph_neighbors(self._owner.handle, position, ids.buffer_info()[0], found)
        return ids[:found]

    def _position_of(self, vertex: Any) -> Optional[int]:
        """The int of the library for an id; None: it is no id of this graph."""
        if self._names is None:
            try:
                whole = int(vertex.__index__())
            except AttributeError:
                return None
            return whole if -(2**63) <= whole < 2**63 else None
        if self._ranks is None:
            self._ranks = {name: at for at, name in enumerate(self._names)}
        try:
            return self._ranks.get(vertex)
        except TypeError:  # It has no hash, so it is no id.
            return None

    def _has_own_names(self) -> bool:
        raise NotImplementedError

    def _with_texts(self) -> tuple[Views, list[bytes]]:
        """The graph with the ids 0, 1, …, and the texts of its own ids, which ascend."""
        place_of: dict[bytes, int] = {}
        for vertex, place in zip(self.vertices, self.vertices._items):
            if not isinstance(vertex, (str, int)):
                raise TypeError(f"a file has ids that are text or ints, and not {vertex!r}")
            text = str(vertex).encode("utf-8", "surrogateescape")
            if not text or b"\0" in text:
                raise ValueError(f"the id {vertex!r} {'has a zero byte' if text else 'is empty'}: no file has such ids")
            if text in place_of:
                raise TypeError(f"two ids of the graph are the same text {str(vertex)!r}")
            place_of[text] = place
        texts = sorted(place_of)
        places = [place_of[text] for text in texts]
        if places == list(range(len(self._names))):
            return self, texts
        rank_of = {place: rank for rank, place in enumerate(places)}
        edges = self.edges
        sources, targets = ([rank_of[place] for place in edges[end]._items] for end in ("source", "target"))
        labels: Any = self.labels
        if labels is not None:
            by_place = dict(zip(self.vertices._items, labels))
            labels = [by_place[place] for place in places]
        return _made(sources, targets, _info_of(edges.columns), range(len(texts)), labels, self.directed), texts

    def _rebuilt(
        self, *, directed: Optional[bool] = None, turned: bool = False, kept: Optional[list[Any]] = None
    ) -> Graph:
        """A graph of the same edges, turned, between some vertices or without directions."""
        edges = self.edges
        sources, targets = edges["source"], edges["target"]
        info = _info_of(edges.columns)
        vertices: Union[Column, list[Any]] = self.vertices
        labels: Any = self.labels
        columns = [list(sources), list(targets)] + ([info] if info is not None else [])
        if kept is not None:
            inside = set(kept)
            rows = [row for row in zip(*columns) if row[0] in inside and row[1] in inside]
            columns = [list(column) for column in zip(*rows)] if rows else [[] for _ in columns]
            if labels is not None:
                of = dict(zip(self.vertices, labels))
                labels = [of[one] for one in kept]
            vertices = kept
        return _made(
            columns[1 if turned else 0],
            columns[0 if turned else 1],
            None if info is None else type(info)(columns[2]),
            vertices,
            labels,
            self.directed if directed is None else directed,
        )


def _is_full(path: str) -> bool:
    """True if the format of the name has places for all that a graph has."""
    return path.removesuffix(".gz").removesuffix(".zst").endswith(_FULL_FORMATS)


def _made(sources: Any, targets: Any, info: Any, vertices: Any, labels: Any, directed: bool) -> Graph:
    from matcha._graph import Graph

    return Graph(
        sources,
        targets,
        directed=directed,
        edge_label=info,
        vertices=list(vertices),
        label=None if labels is None else [one if one != "" else None for one in labels],
        keep_loops=directed and any(one == other for one, other in zip(sources, targets)),
    )


def _info_of(columns: Mapping[str, Any]) -> Optional[list[Any]]:
    """The labels of edges, or their weights."""
    if "weight" in columns:
        return Weights(columns["weight"])
    return list(columns["label"]) if "label" in columns else None


def _packed(column: Column) -> Any:
    """A column for a pickle: its bytes if it has numbers, else its items."""
    if column.names is not None:
        return list(column)
    return column.kind, ctypes.string_at(column.address, 8 * len(column)) if len(column) else b""


def _unpacked(packed: Any) -> Any:
    if isinstance(packed, list):
        return packed
    kind, raw = packed
    made = array({"i": "q", "f": "d"}[kind])
    made.frombytes(raw)
    return made.tolist()


def _unpickled(columns: dict[str, Any], vertices: Any, labels: Any, directed: bool) -> Graph:
    unpacked = {name: _unpacked(column) for name, column in columns.items()}
    return _made(
        unpacked["source"],
        unpacked["target"],
        _info_of(unpacked),
        _unpacked(vertices),
        None if labels is None else _unpacked(labels),
        directed,
    )


__all__ = ["Views"]
