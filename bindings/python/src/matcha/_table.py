"""Rows of an answer, by columns."""

from __future__ import annotations

import csv
import ctypes
import io
from array import array
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Sequence, Union, overload

from matcha import _library

if TYPE_CHECKING:
    from matcha._graph import Graph


_CODES = {"i": "q", "f": "d", "b": "b"}  # Of arrays, by the kinds of columns.


class Column(Sequence[Any]):
    """Immutable numbers in memory: a sequence, and an array for other libraries without a copy.

    Ids of a graph whose vertices have names are positions among these in memory, and names as a sequence.

    >>> import matcha as mt
    >>> ids = mt.Graph([0, 1, 2], [1, 2, 0]).vertices
    >>> list(ids), ids[-1], ids[:2]
    ([0, 1, 2], 2, [0, 1])
    """

    def __init__(self, address: int, count: int, kind: str, owner: Any, names: Optional[Sequence[Any]] = None) -> None:
        self.address = address
        self.kind = kind  #: `i`: 64-bit ints, `f`: doubles, `b`: bools, a byte each.
        self.names = names  #: Of the ids that it has, or None.
        self._owner = owner  # Of the memory.
        item: Any = {"i": ctypes.c_int64, "f": ctypes.c_double, "b": ctypes.c_bool}[kind]
        self._items: Any = (item * count).from_address(address) if count else (item * 0)()
        self._items.owner = owner  # An iterator outlives its column.

    @classmethod
    def of(cls, items: Iterable[Any], kind: str = "i", names: Optional[Sequence[Any]] = None) -> Column:
        """A column of some numbers, copied."""
        made = array(_CODES[kind], items)
        return cls(made.buffer_info()[0], len(made), kind, made, names)

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: Union[int, slice]) -> Any:
        found = self._items[at]
        if self.names is None:
            return found
        return [self.names[one] for one in found] if isinstance(at, slice) else self.names[found]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items) if self.names is None else map(self.names.__getitem__, self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Column, list, tuple, array)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self.names is not None:
            raise AttributeError("a column of names is no array of numbers; to_numpy() gives an array of objects")
        letters = {"i": "<i8", "f": "<f8", "b": "|b1"}
        return {"shape": (len(self),), "typestr": letters[self.kind], "data": (self.address or 8, True), "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        """A capsule of the numbers in place; they must not be written to."""
        from matcha._dlpack import capsule_of

        if self.names is not None:
            raise BufferError("a column of names is no array of numbers")
        return capsule_of(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A table of this one column."""
        return Table({"": self}, len(self)).__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> Any:
        if self.names is None:
            return _unpickled, (bytes(self._items), self.kind, None)
        used = sorted(set(self._items))  # The names of these alone.
        place = {item: at for at, item in enumerate(used)}
        items = array("q", map(place.__getitem__, self._items))
        return _unpickled, (items.tobytes(), self.kind, [self.names[item] for item in used])

    def head(self, count: int) -> Column:
        """The first items, on this memory."""
        return Column(self.address, min(count, len(self)), self.kind, self, self.names)

    def part(self, which: slice) -> Column:
        """Some items, copied."""
        return Column.of(self._items[which], self.kind, self.names)

    def to_numpy(self) -> Any:
        """A read-only numpy array on this memory; of names, an array of objects."""
        import numpy

        if self.names is None:
            return numpy.asarray(self)
        plain = Column(self.address, len(self), self.kind, self._owner).to_numpy()
        names = numpy.empty(len(self.names), dtype=object)
        names[:] = self.names
        return names[plain]

    def to_pandas(self) -> Any:
        """A pandas series."""
        import pandas  # type: ignore[import]

        return pandas.Series(self.to_numpy())

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:10]))
        return f"Column([{shown}])" if len(self) <= 10 else f"Column([{shown}, …], {len(self)} items)"


def _unpickled(raw: bytes, kind: str, names: Optional[list[Any]]) -> Column:
    items = array(_CODES[kind])
    items.frombytes(raw)
    return Column.of(items, kind, names)


class Table:
    """Rows with named columns. Iterating gives tuples, `table["v0"]` a `Column`, `table[3]` a row and
    `table[1:4]` a `Table`.

    It is a table for every library that takes Arrow's `__arrow_c_stream__`, such as Polars, DuckDB and PyArrow.
    """

    def __init__(self, columns: dict[str, Column], rows: int) -> None:
        self._columns = columns
        self._rows = rows

    @property
    def columns(self) -> dict[str, Column]:
        """The columns by their names, in order."""
        return self._columns

    def blocks(self) -> Iterator[Table]:
        """The same in parts."""
        yield self

    def __len__(self) -> int:
        _ = self.columns
        return self._rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns.values()) if self.columns else iter([()] * self._rows)

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, key: slice) -> Table: ...
    def __getitem__(self, key: Union[str, int, slice]) -> Any:
        if isinstance(key, str):
            return self.columns[key]
        if isinstance(key, slice):
            parts = {name: column.part(key) for name, column in self.columns.items()}
            return Table(parts, len(range(len(self))[key]))
        return tuple(column[key] for column in self.columns.values())

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self), len(self.columns)

    def __reduce__(self) -> Any:
        return Table, (dict(self.columns), len(self))

    def head(self, count: int = 5) -> Table:
        """The first rows, as a table."""
        count = max(0, min(count, len(self)))
        return Table({name: column.head(count) for name, column in self.columns.items()}, count)

    def to_csv(self, path: Any = None, *, header: bool = True) -> Optional[str]:
        """Writes rows of CSV, block by block, to a path or an open text file; without one it gives the text.

        >>> import matcha as mt
        >>> sorted(mt.orbits(mt.Graph([("ann", "bob")]), 2).to_csv().splitlines())
        ['ann,1', 'bob,1', 'vertex,edge']
        """
        if path is None:
            text = io.StringIO()
            self.to_csv(text, header=header)
            return text.getvalue()
        if not hasattr(path, "write"):
            with open(path, "w", encoding="utf-8", newline="") as file:
                return self.to_csv(file, header=header)
        writer = csv.writer(path, lineterminator="\n")
        begun = False
        for block in self.blocks():
            if header and not begun:
                writer.writerow(block.columns)
            begun = True
            writer.writerows(block)
        if header and not begun:
            writer.writerow(self.columns)
        return None

    def to_arrow(self) -> Any:
        """A table of PyArrow, from 14 on."""
        import pyarrow  # type: ignore[import]

        return pyarrow.table(self)

    def to_polars(self) -> Any:
        """A data frame of Polars, from 1.3 on."""
        import polars  # type: ignore[import]

        return polars.DataFrame(self)

    def to_numpy(self) -> Any:
        """A numpy array with a row a match."""
        import numpy

        columns = [column.to_numpy() for column in self.columns.values()]
        return numpy.column_stack(columns) if columns else numpy.empty((len(self), 0), dtype=numpy.int64)

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        import pandas

        return pandas.DataFrame({name: column.to_numpy() for name, column in self.columns.items()})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule of a stream of record batches; numbers are not copied."""
        from matcha._arrow import capsule_of

        return capsule_of(self, self.blocks())

    def __repr__(self) -> str:
        shown = "".join(f"\n  {row}" for _, row in zip(range(10), self))
        more = "" if len(self) <= 10 else "\n  …"
        return f"{type(self).__name__}({self._rows} rows; {', '.join(self.columns)}){shown}{more}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escaped(name)}</th>" for name in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escaped(item)}</td>" for item in row) + "</tr>" for _, row in zip(range(20), self)
        )
        return f"<table><tr>{head}</tr>{rows}</table><p>{len(self):,} rows</p>"


def escaped(item: Any) -> str:
    """Text for HTML."""
    return str(item).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def column_of(graph: Graph, kind: int, ints: int, floats: int, rows: int, owner: Any) -> Column:
    """A column of the library, on the memory of `owner`."""
    if kind == _library.FLOAT:
        return Column(floats or 0, rows, "f", owner)
    if kind == _library.BOOL:
        words: Any = (ctypes.c_int64 * rows).from_address(ints) if rows else ()
        return Column.of(words, "b")
    if kind == _library.LABEL:
        codes: Any = (ctypes.c_int64 * rows).from_address(ints) if rows else ()
        labels = graph._labels
        return Column.of(map(labels.__getitem__, codes), "i", labels.names)
    return Column(ints or 0, rows, "i", owner, graph._names if kind in (_library.VERTEX, _library.NAME) else None)


def joined(blocks: list[Table], names: Sequence[str]) -> Table:
    """All rows of some tables with the same columns; `names`: of the columns if there are no tables."""
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        return Table({name: Column.of(()) for name in names}, 0)
    columns = {}
    for name, first in blocks[0].columns.items():
        out = array(_CODES[first.kind])
        for block in blocks:
            column = block.columns[name]
            if len(column):
                out.frombytes(ctypes.string_at(column.address, len(column) * out.itemsize))
        columns[name] = Column(out.buffer_info()[0], len(out), first.kind, out, first.names)
    return Table(columns, sum(map(len, blocks)))
