"""Several graphs as the inputs of one program."""

from __future__ import annotations

from array import array
from ctypes import c_char_p, c_void_p
from typing import Any, Sequence

from matcha import _library
from matcha._graph import Graph
from matcha._names import names_of


def join(**graphs: Graph) -> Graph:
    """Graphs over one set of vertices, for programs with several: each is for the parameter of its name.

    Vertices with the same id are the same vertex. Patterns and programs with one graph take the first. A program that
    is called with several graphs joins them itself; do it once for several programs, or to name the graphs.

    >>> import matcha as mt
    >>> both = mt.program("def main(old: Graph, new: Graph) -> int:\\n"
    ...                   "    return sum(apply(lambda v: size(intersect(neighbor(old, v), neighbor(new, v))), vertices(old)))")
    >>> march, may = mt.Graph([("ann", "bob"), ("bob", "eve")]), mt.Graph([("bob", "eve"), ("eve", "joe")])
    >>> both(mt.join(old=march, new=may))
    2
    >>> both(march, may)
    2
    """
    if not graphs:
        raise TypeError("join needs graphs: join(name=graph, …)")
    for name, graph in graphs.items():
        if not isinstance(graph, Graph):
            raise TypeError(f"`{name}` is a {type(graph).__name__}, not a matcha.Graph: matcha.Graph(…) makes one")
    names = (c_char_p * len(graphs))(*(name.encode() for name in graphs))
    handles = (_library.Handle * len(graphs))(*(graph._owner.handle for graph in graphs.values()))
    ids = pointers = union = None
    if _needs_common_ids(list(graphs.values())):
        union, ids = _common_ids(list(graphs.values()))
        pointers = (c_void_p * len(ids))(*(column.buffer_info()[0] for column in ids))
    made = Graph.__new__(Graph)
    first = next(iter(graphs.values()))
    made._begin(first.directed)
    made._owner = _library.make("matcha_graph_join", "matcha_graph_free", names, handles, pointers, len(graphs))
    made._names = names_of(made._owner.handle) if union is None else union
    made._device = first._device
    made._parts = dict(graphs)
    del ids
    return made


def joined(parts: dict[str, Graph]) -> Graph:
    """The join of graphs that a pickle kept."""
    return join(**parts)


def _needs_common_ids(graphs: Sequence[Graph]) -> bool:
    """True if the library cannot compare the ids: only Python has some, or text of Python is beside ints. Ids of files are
    text if those of another file are."""
    has_ints = any(graph._names is None and graph.vertex_count for graph in graphs)
    return any(graph._has_own_names() or (has_ints and graph._names is not None and not graph._file_facts()) for graph in graphs)


def _common_ids(graphs: Sequence[Graph]) -> tuple[list[Any], list[array[int]]]:
    """The names of all, and for each graph the positions of its vertices among them."""
    own = [list(graph.vertices) for graph in graphs]
    try:
        names = sorted({name for column in own for name in column})
    except TypeError as problem:
        raise TypeError(f"the vertices of graphs that are joined must have an order: {problem}") from None
    number = {name: at for at, name in enumerate(names)}
    return names, [array("q", map(number.__getitem__, column)) for column in own]


__all__ = ["join"]
