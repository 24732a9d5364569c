"""Graphs in memory, made of files, arrays, data frames, and graphs of other libraries."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from array import array
from ctypes import byref
from typing import Any, Optional, Sequence, Union

from matcha import _inputs, _library
from matcha._errors import InputError
from matcha._inputs import Ints, Labels
from matcha._lent import Lent
from matcha._names import EdgeLabels, names_of
from matcha._table import Column
from matcha._views import Views

# Smaller graphs are sorted too fast to be interrupted by Ctrl-C.
_SLOW_EDGES = 100_000


class Graph(Views):
    """A graph that stays in memory and never changes; threads may share it.

    - `Graph(u, v)`: the ends of the edges as two arrays, lists or columns.
    - `Graph(edges)`: pairs, an array of two columns, a `scipy.sparse` matrix, or a graph of NetworkX or igraph.
    - `Graph(frame, src="a", dst="b")`: two columns of a data frame, of any library.
    - `Graph((offsets, targets))`: the neighbours of vertex `v` are `targets[offsets[v]:offsets[v + 1]]`.

    Ids are ints, or anything else that is hashable, such as strings: answers have the same ids. Loops and repeated
    edges are dropped, loops unless `keep_loops` is given. Without `directed` an edge joins both ends; a graph of
    NetworkX or igraph is directed as its type is, and an undirected one has both arcs of each edge with
    `directed=True`.

    `edge_label` are labels of the edges, one each: a sequence, or the name of a column of the frame, or of an attribute
    in NetworkX and igraph. `vertices` are ids of vertices, which need no edge, and `label` their labels: sequences; or,
    where `vertices` is a frame, the names of its columns: `vertices=nodes, id="id", label="kind"`. Labels are ints or
    text; those of vertices may be lists of types. If one is None, NaN or missing, the vertex or edge has no label:
    no label of a pattern matches it. `edge_label` may be numbers that are not whole: information for
    programs. `keep_loops` keeps loops, of a directed graph: patterns with labels of edges, and maps (`match="homo"` or
    `"edge"`), see them.

    Arrays of 32- or 64-bit ints are read where they are. A `CopyWarning` reports a conversion. Rows
    of 64-bit offsets and 32-bit targets are not even sorted: the graph borrows them, and they must not be changed.

    >>> import matcha as mt
    >>> mt.Graph([0, 1, 2], [1, 2, 0])
    Graph(3 vertices, 3 edges, undirected)
    >>> mt.count(mt.Graph([("a", "b"), ("b", "c"), ("c", "a")]), "triangle")
    1
    >>> people = {"who": ["ann", "bob", "eve"], "kind": ["staff", "staff", "guest"]}
    >>> g = mt.Graph({"from": ["ann", "bob"], "to": ["bob", "eve"], "what": ["calls", "pays"]}, src="from", dst="to",
    ...              edge_label="what", vertices=people, id="who", label="kind")
    >>> list(mt.match(g, "0:staff-1:guest"))
    [('bob', 'eve')]
    """

    directed: bool
    _names: Optional[Sequence[Any]]
    _vertices: Optional[Column]
    _device: Optional[str]
    _owner: _library.Owner

    def __init__(
        self,
        edges: Any,
        targets: Any = None,
        *,
        directed: Optional[bool] = None,
        src: Any = None,
        dst: Any = None,
        edge_label: Any = None,
        vertices: Any = None,
        id: Any = None,
        label: Any = None,
        keep_loops: bool = False,
    ) -> None:
        from matcha import _sources

        if (src is None) != (dst is None):
            raise TypeError("`src` and `dst` go together")
        _sources.check_keywords(edges, targets, src, vertices, id, label)
        given = _sources.read(edges, targets, src, dst, edge_label, vertices, id, label, directed)
        self._begin(given.directed if directed is None else directed)
        if keep_loops and not self.directed:
            raise ValueError("`keep_loops` is for directed graphs")
        self._keep_loops = keep_loops
        if isinstance(given, _sources.Rows):
            if edge_label is not None or vertices is not None:
                raise TypeError("rows of neighbours have no labels and no other vertices; give edges as pairs")
            try:
                self._take_rows(given)
            except InputError as problem:
                if not isinstance(given, _sources.Matrix):
                    raise
                _inputs.warn_of_copy(f"the matrix is not that of an undirected graph as it lies ({problem})")
                self._take_table(given.pairs())
        else:
            self._take_table(given)

    def _begin(self, directed: bool) -> None:
        if directed not in (True, False):
            raise TypeError(f"`directed` is True or False, not {directed!r}")
        self.directed = bool(directed)
        self._keep_loops = False
        self._names = None
        self._known_labels: Optional[EdgeLabels] = None
        self._places: Optional[dict[str, int]] = None  # Of own names.
        self._vertices = None
        self._ranks: Optional[dict[Any, int]] = None  # The positions of names, made by the first `vertex in graph`.
        self._device = None
        self._parts: Optional[dict[str, Graph]] = None  # Of a join.

    @classmethod
    def _read(cls, path: str, directed: bool, values: dict[str, Any]) -> Graph:
        made = cls.__new__(cls)
        made._begin(False if directed is None else directed)
        made._keep_loops = bool(values.get("keep_loops"))
        chosen = _library.options({"directed": made.directed, **values})
        made._owner = _library.make_slowly("matcha_graph_read", "matcha_graph_free", os.fsencode(path), chosen=chosen)
        made._names = names_of(made._owner.handle)
        if made._file_facts().get("guessed_size"):
            warnings.warn(
                f"the first line of {path!r} is taken as the size of the graph, not as an edge: "
                '`header="yes"` asks for that, and `header="no"` reads it as an edge',
                stacklevel=3,
            )
        return made

    def _file_facts(self) -> dict[str, Any]:
        """How its file was read; empty for a graph of no file."""
        return json.loads(_library.text_of("matcha_graph_report", self._owner.handle)) or {}

    @property
    def report(self) -> Optional[str]:
        """How its file was read: the format, the number of dropped loops and repeats, remarks. None for a graph of no file."""
        return self._file_facts().get("text")

    def _take_table(self, given: Any) -> None:
        columns = [given.sources, given.targets] + ([given.vertices] if given.vertices is not None else [])
        if not all(isinstance(column, Ints) for column in columns):
            self._names, columns = _inputs.numbered([_inputs.as_names(column) for column in columns])
        sources, targets = columns[:2]
        if sources.count != targets.count:
            raise ValueError(f"{sources.count} sources and {targets.count} targets")
        table = _library.CTable(ctypes.sizeof(_library.CTable), sources.count, sources.column(), targets.column())
        if len(columns) > 2:
            table.vertex_count, table.vertices = columns[2].count, columns[2].column()
        if self._names is not None:
            table.names, table.name_count = _inputs.texts_of(self._names), len(self._names)
        kept: list[Optional[Labels]] = []
        for called, labels, count in (
            ("edge", given.edge_labels, sources.count),
            ("vertex", given.vertex_labels, table.vertex_count),
        ):
            if labels is None:
                continue
            made, found = labels
            if found != count:
                raise ValueError(f"{found} labels for {count} {'edges' if called == 'edge' else 'vertices'}")
            kept.append(made)
            setattr(table, "edge_info" if called == "edge" else "vertex_labels", made.column)
            setattr(table, called + "_words", made.words)
            setattr(table, called + "_word_count", made.count)
        chosen = _library.options({"directed": self.directed, "keep_loops": self._keep_loops or None})
        if sources.count < _SLOW_EDGES:
            self._owner = _library.make("matcha_graph_from_table", "matcha_graph_free", byref(table), chosen.handle)
        else:
            self._owner = _library.make_slowly(
                "matcha_graph_from_table", "matcha_graph_free", byref(table), chosen=chosen
            )
        del kept

    def _take_rows(self, given: Any) -> None:
        offsets, targets = given.offsets, given.targets
        if not isinstance(offsets, Ints) or not isinstance(targets, Ints) or offsets.count == 0:
            raise ValueError("offsets and targets are ints, and there is one offset more than vertices")
        if offsets.last() != targets.count:
            raise ValueError(f"the last offset is {offsets.last()}, and there are {targets.count} targets")
        offsets, targets = _inputs.packed(offsets, "offsets"), _inputs.packed(targets, "targets")
        chosen = _library.options({"directed": self.directed})
        lent = Lent((offsets, targets))
        try:
            self._owner = _library.make(
                "matcha_graph_from_csr",
                "matcha_graph_free",
                offsets.count - 1,
                offsets.address or 8,
                offsets.kind,
                targets.address or 8,
                targets.kind,
                lent.release,
                lent.user,
                chosen.handle,
            )
        except BaseException:
            lent.forget()
            raise

    def _named(self, vertex: int) -> Any:
        return vertex if self._names is None else self._names[vertex]

    def _has_own_names(self) -> bool:
        """True if names of ids are known only in Python, and the library knows their positions."""
        return self._names is not None and _library.opened().matcha_graph_id_kind(self._owner.handle) != _library.NAME

    def _place_of(self, name: str) -> Union[int, str]:
        """The position of the id with this text; `none`: there is none."""
        if self._places is None:
            self._places = {str(name): place for place, name in enumerate(self._names or ())}
        return self._places.get(name, "none")

    @property
    def _labels(self) -> EdgeLabels:
        """The labels of its edges that occurred in answers."""
        if self._known_labels is None:
            self._known_labels = EdgeLabels(self._owner.handle)
        return self._known_labels

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return int(_library.opened().matcha_graph_vertices(self._owner.handle))

    @property
    def edge_count(self) -> int:
        """The number of edges, each counted once; if it is directed, of arcs."""
        return int(_library.opened().matcha_graph_edges(self._owner.handle))

    @property
    def vertices(self) -> Column:
        """The ids of the vertices in ascending order."""
        if self._vertices is None:
            ids = array("q", bytes(8 * self.vertex_count))
            _library.opened().matcha_graph_ids(self._owner.handle, ids.buffer_info()[0])
            self._vertices = Column(ids.buffer_info()[0], len(ids), "i", ids, self._names)
        return self._vertices

    def to(self, device: str) -> Graph:
        """Keeps a copy on a device, "cuda", until `release`; patterns and programs run there by default.

        Gives the graph itself. "cpu" undoes this. Raises `RunError` if there is no GPU.
        """
        from matcha._patterns import count

        if device not in ("cpu", "cuda"):
            raise ValueError(f"there is no device {device!r}: cpu, cuda")
        if device == "cuda":
            count(self, "edge", device="cuda")
        self._device = device
        return self

    def release(self, device: str = "cuda") -> None:
        """Frees the copies of the graph on a device. Running runs keep theirs until they end."""
        error = _library.Handle()
        status = _library.opened().matcha_graph_release(self._owner.handle, device.encode(), byref(error))
        if status != _library.OK:
            _library.raise_error(status, error)
        self._device = None

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        edges = "arcs" if self.directed else "edges"
        return f"Graph({self.vertex_count} vertices, {self.edge_count} {edges}, {kind})"


def read(
    path: Any = None,
    *,
    directed: bool = False,
    labels: Any = None,
    edge_labels: bool = False,
    keep_loops: bool = False,
    src: Any = None,
    dst: Any = None,
    edge_label: Any = None,
    header: Optional[str] = None,
    ids: Optional[str] = None,
    vertices: Any = None,
    id: Any = None,
    label: Any = None,
    sql: Optional[str] = None,
    no_literals: bool = False,
    format: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Graph:
    """Reads a graph file: text, tables, `.mtg` and all other formats of the command line, also compressed.

    `src` and `dst` are the columns of a table that have the ends of edges, names of its heading or numbers from 0, and
    `edge_label` the one of their labels; `header` is "auto", "yes" or "no", and `ids="text"` has numbers taken as text.
    `vertices` is a file of vertices with the columns `id` and `label`; `labels` a file of vertex labels. With
    `edge_labels` the third column has labels of the edges, and with `keep_loops` a directed graph has its loops too.
    Of GraphML and GML `label` and `edge_label` are attributes. `format` is a word of `--format` of the command line,
    such as "metis", if the bytes of the file do not determine it. `report` of the graph says how the file was read.
    `sql`, instead of a path, is a query for DuckDB. Raises `InputError`, `ResourceError`, `UsageError` and `Timeout`.

    >>> import pathlib, tempfile
    >>> import matcha as mt
    >>> folder = tempfile.TemporaryDirectory()
    >>> calls = pathlib.Path(folder.name, "calls.csv")
    >>> _ = calls.write_text("day,from,to\\n1,ann,bob\\n1,bob,eve\\n2,eve,ann\\n")
    >>> mt.count(mt.read(calls, src="from", dst="to"), "triangle")
    1
    >>> folder.cleanup()
    """
    chosen = {
        "labels": None if labels is None else os.fspath(labels),
        "edge_labels": edge_labels or None,
        "keep_loops": keep_loops or None,
        "src": src,
        "dst": dst,
        "edge_label": edge_label,
        "header": header,
        "ids": ids,
        "vertices": None if vertices is None else os.fspath(vertices),
        "id": id,
        "label": label,
        "graph_sql": sql,
        "no_literals": no_literals or None,
        "format": format,
        "timeout": timeout,
    }
    return Graph._read("" if path is None else os.fspath(path), directed, chosen)


__all__ = ["Graph", "read"]
