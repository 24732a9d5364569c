"""Rows of an answer, by columns."""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING, Any, Iterator, Union, overload

from matcha import _library

if TYPE_CHECKING:
    from matcha._graph import Graph


class Table:
    """Rows with named columns. Iterating gives tuples, `table["v0"]` a column, `table[3]` a row.

    Columns are arrays of 64-bit ints or floats, which numpy takes without a copy; vertices of a graph whose ids are
    no ints are lists of these.
    """

    def __init__(self, columns: dict[str, Any], rows: int) -> None:
        self.columns = columns
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns.values()) if self.columns else iter([()] * self._rows)

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: int) -> tuple[Any, ...]: ...
    def __getitem__(self, key: Union[str, int]) -> Any:
        if isinstance(key, str):
            return self.columns[key]
        return tuple(column[key] for column in self.columns.values())

    def to_numpy(self) -> Any:
        """A numpy array with a row a match."""
        import numpy

        return numpy.column_stack([numpy.asarray(column) for column in self.columns.values()])

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame({name: pandas.Series(column) for name, column in self.columns.items()})

    def __repr__(self) -> str:
        shown = "".join(f"\n  {row}" for _, row in zip(range(10), self))
        more = "" if self._rows <= 10 else "\n  …"
        return f"Table({self._rows} rows; {', '.join(self.columns)}){shown}{more}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_escaped(item)}</td>" for item in row) + "</tr>" for _, row in zip(range(20), self)
        )
        return f"<table><tr>{head}</tr>{rows}</table><p>{self._rows} rows</p>"


def _escaped(item: Any) -> str:
    return str(item).replace("&", "&amp;").replace("<", "&lt;")


def column_of(graph: Graph, kind: int, ints: int, floats: int, rows: int) -> Any:
    """A copy of a column of the library as an array; bools and named vertices as a list."""
    out = array("d" if kind == _library.FLOAT else "q")
    if rows:
        out.frombytes(ctypes.string_at(floats if kind == _library.FLOAT else ints, 8 * rows))
    if kind == _library.BOOL:
        return [item != 0 for item in out]
    if kind == _library.VERTEX and graph._names is not None:
        return [graph._named(item) for item in out]
    return out


def joined(blocks: list[Table]) -> Table:
    """All rows of some tables of one shape."""
    if not blocks:
        return Table({}, 0)
    columns = blocks[0].columns
    for block in blocks[1:]:
        for name, column in columns.items():
            column.extend(block.columns[name])
    return Table(columns, sum(map(len, blocks)))
