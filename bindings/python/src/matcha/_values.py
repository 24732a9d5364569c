"""Answers of queries that are more than one pattern: columns of values of any type."""

from __future__ import annotations

import ctypes
import json
import math
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

from matcha import _library
from matcha._table import Column, Table

if TYPE_CHECKING:
    from matcha._graph import Graph
    from matcha._program import Program


class Values(Column):
    """A column in which items are missing, or are lists, or have several types: objects of Python."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.address, self.kind, self.names = 0, "o", None
        self._items = list(items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        raise AttributeError("the column is no array of numbers; to_numpy() gives an array of objects")

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        raise BufferError("the column is no array of numbers")

    def head(self, count: int) -> Column:
        """The first items."""
        return Values(self._items[:count])

    def part(self, which: slice) -> Column:
        """Some items."""
        return Values(self._items[which])

    def __reduce__(self) -> Any:
        return Values, (self._items,)

    def to_numpy(self) -> Any:
        """A numpy array of objects."""
        import numpy

        found = numpy.empty(len(self._items), dtype=object)
        for at, item in enumerate(self._items):
            found[at] = item
        return found

    def type_of_items(self) -> Optional[type]:
        """That of all items that are there; None if none is. Raises `TypeError` where Arrow has no column for them."""
        kinds = {type(item) for item in self._items if item is not None}
        if len(kinds) > 1 or not kinds <= {bool, int, float, str}:
            raise TypeError(f"a column of Arrow has one type, and this one has: {', '.join(sorted(kind.__name__ for kind in kinds))}")
        return next(iter(kinds), None)


def param_texts(params: Mapping[str, Any]) -> list[str]:
    """Parameters of a query as options. Raises `TypeError` for values of other types, `ValueError` for what no option
    can hold: numbers that are not finite, text with a zero byte, and `=` in a name."""
    return [f"{name}={_param_text(name, value)}" for name, value in params.items()]


def _param_text(name: str, value: Any) -> str:
    value = _library.python_number(value)
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(f"a parameter is a number, a bool, text or None, and {name!r} is a {type(value).__name__}")
    if "=" in name or "\0" in name or (isinstance(value, str) and "\0" in value):
        raise ValueError(f"the parameter {name!r} has a zero byte or `=` in its name, or a zero byte in its text")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"a parameter is a finite number, and {name!r} is {float(value)}")
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    # Subclasses, as of numpy and enum, write themselves in other ways.
    if isinstance(value, int):
        return int.__repr__(value)
    return float.__repr__(value) if isinstance(value, float) else "'" + str.__str__(value) + "'"


def answer(graph: Graph, asked: Program, timeout: Optional[float], device: Optional[str]) -> Table:
    """Rows as a table. A relationship is its place in `graph.edges`, a path a tuple of nodes and relationships."""
    chosen = _library.options({"timeout": timeout})
    text = _library.make_slowly(
        "matcha_answer", "matcha_text_free", asked._handle({}, device).handle, graph._owner.handle, chosen=chosen
    )
    found = json.loads(ctypes.string_at(text.handle.value or 0), object_hook=lambda one: _marked(graph, one))
    columns = list(zip(*found["rows"])) or [()] * len(found["columns"])
    return Table({name: _column_of(items) for name, items in zip(found["columns"], columns)}, len(found["rows"]))


def _marked(graph: Graph, one: dict[str, Any]) -> Any:
    if "node" in one:
        return graph._named(one["node"])
    if "path" in one:
        return tuple(one["path"])
    return one["edge"] if "edge" in one else float(one["float"]) if "float" in one else one


def _column_of(items: Sequence[Any]) -> Column:
    kinds = {type(item) for item in items}
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        kind = {bool: "b", int: "i", float: "f"}[next(iter(kinds))]
        if kind != "i" or all(-(2**63) <= item < 2**63 for item in items):
            return Column.of(items, kind)
    if kinds == {str}:
        places: dict[Union[str, int], int] = {}
        codes = [places.setdefault(item, len(places)) for item in items]
        return Column.of(codes, "i", list(places))
    return Values(items) if items else Column.of(())


__all__ = ["Values", "answer", "param_texts"]
