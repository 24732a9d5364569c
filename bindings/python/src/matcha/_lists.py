"""Lists as the inputs of a program, beside its graph."""

from __future__ import annotations

from array import array
from ctypes import c_size_t
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from matcha import _library
from matcha._graph import Graph
from matcha._inputs import Ints, as_names, check_items, column_of

if TYPE_CHECKING:
    from matcha._library import Owner


def kinds_of(program: Owner, name: str) -> list[int]:
    """The kinds of the columns of the program's list parameter `name`."""
    kinds: list[int] = []
    while True:
        kind = _library.opened().matcha_program_list_kind(program.handle, name.encode(), c_size_t(len(kinds)))
        if kind == 0:
            return kinds
        kinds.append(kind)


def columns_of(values: Any, count: int, called: str) -> list[Any]:
    """`count` columns, from an array with as many, a frame, a mapping of columns, or rows."""
    if count == 1:
        return [values]
    if isinstance(values, Mapping):
        columns = list(values.values())
    elif hasattr(values, "columns") and hasattr(values, "__getitem__"):
        columns = [values[name] for name in values.columns]
    elif getattr(values, "ndim", None) == 2:
        columns = [values[:, at] for at in range(values.shape[1])]
    else:
        check_items(values, called)
        rows = []
        for at, row in enumerate(values):
            if not isinstance(row, Iterable) or isinstance(row, (str, bytes)):
                raise TypeError(f"row {at} of `{called}` is a {type(row).__name__}, and has no {count} items")
            rows.append(tuple(row))
        wrong = next((at for at, row in enumerate(rows) if len(row) != count), None)
        if wrong is not None:
            raise ValueError(f"row {wrong} of `{called}` has {len(rows[wrong])} items, and the parameter takes {count}")
        columns = [[row[at] for row in rows] for at in range(count)]
    if len(columns) != count:
        raise ValueError(f"`{called}` has {len(columns)} columns, and the parameter takes {count}")
    return columns


def with_lists(graph: Graph, program: Owner, lists: dict[str, Any]) -> Graph:
    """The graph with lists for parameters of the program, by name. Everything else is shared with `graph`."""
    for name, values in lists.items():
        kinds = kinds_of(program, name)
        kept = [
            _converted(column, kind, graph, name)
            for column, kind in zip(columns_of(values, len(kinds), name), kinds)
        ]
        counts = {column.count for column in kept}
        if len(counts) != 1:
            raise ValueError(f"the columns of `{name}` are not of one length")
        columns = (_library.CColumn * len(kept))(*(column.column() for column in kept))
        made = Graph.__new__(Graph)
        made._begin(graph.directed)
        made._names, made._vertices, made._device = graph._names, graph._vertices, graph._device
        made._owner = _library.make(
            "matcha_graph_with_list",
            "matcha_graph_free",
            graph._owner.handle,
            name.encode(),
            columns,
            len(kept),
            counts.pop(),
        )
        graph = made
    return graph


def graph_of(program: Owner, lists: dict[str, Any]) -> Graph:
    """A graph without edges, of the vertices that the lists name."""
    ids: list[Any] = []
    for name, values in lists.items():
        kinds = kinds_of(program, name)
        for column, kind in zip(columns_of(values, len(kinds), name), kinds):
            if kind == _library.VERTEX:
                ids += as_names(column_of(column, name))
    return Graph([], [], vertices=sorted(set(ids)))


def _converted(values: Any, kind: int, graph: Graph, called: str) -> Ints:
    if kind == _library.FLOAT:
        check_items(values, called)
        try:
            floats = array("d", values)
        except TypeError as problem:
            raise TypeError(f"`{called}` takes floats: {problem}") from None
        return Ints(floats.buffer_info()[0], len(floats), _library.FLOAT64, 8, floats)
    if getattr(getattr(values, "dtype", None), "kind", None) in ("M", "m"):
        raise TypeError(f"`{called}` takes ints, and these are of type {values.dtype}: divide by a unit, such as a second, for ints")
    column = column_of(values, called)
    if kind == _library.VERTEX and graph._names is not None:
        return _places(as_names(column), graph._names, called)
    if not isinstance(column, Ints):
        wrong = next(item for item in column if type(item) is not int or not -(2**63) <= item < 2**63)
        raise TypeError(f"`{called}` takes {'ids of vertices' if kind == _library.VERTEX else 'ints'}, not {wrong!r}")
    return column


def _places(ids: Sequence[Any], names: Sequence[Any], called: str) -> Ints:
    """The positions of the ids among the names of the vertices."""
    place = {name: at for at, name in enumerate(names)}
    for at, one in enumerate(ids):
        if one not in place:
            raise ValueError(f"item {at} of `{called}`: no graph has the vertex {one!r}")
    found = array("q", map(place.__getitem__, ids))
    return Ints(found.buffer_info()[0], len(found), _library.INT64, 8, found)


__all__ = ["graph_of", "with_lists"]
