"""Streams of the lines of a table, whose columns conditions of patterns name."""

from __future__ import annotations

import ctypes
import datetime
import json
import re
import threading
from typing import Any, Iterable, Mapping, Optional, Union

from matcha import _library
from matcha._frames import column_by_name
from matcha._stream import _NOTHING, Batch, Stream
from matcha._table import Column, Table

_PLAIN = re.compile(r"[\w.:+-]*\Z")


class TableStream(Stream):
    """Patterns with conditions on the columns of a table whose lines arrive one after the other, and expire by a window.

    Made by `stream(None, …)`. Answers are those of `matcha stream --temporal`.
    """

    def __init__(self, patterns: tuple[Any, ...], options: dict[str, Any]) -> None:
        if not patterns or not all(isinstance(one, str) for one in patterns):
            raise TypeError("a stream of a table has patterns, which are text")
        chosen = _library.options(options)
        texts = (ctypes.c_char_p * len(patterns))(*[one.encode() for one in patterns])
        self._owner = _library.make(
            "matcha_stream_open_table", "matcha_stream_free", texts, len(patterns), chosen.handle
        )
        self._row_names = [[] for _ in patterns]
        self._graph = None  # type: ignore[assignment]
        self._has_rows = bool(options.get("matches"))
        self._columns: Optional[list[str]] = None  # Of the rows so far.
        self._has_lines = False
        self._given, self._batch = None, 1
        self._lock = threading.RLock()
        self._waiting = []
        self._in_library = 0
        self._last: Optional[Batch] = None
        self._untold: Any = _NOTHING

    def add_many(self, u: Any, v: Any = None) -> None:
        """Adds the rows of a data frame, an Arrow table or a dict of columns, in its order. All have the same columns.

        Times ascend: a row with an earlier time than one before is late, and left out (`Batch.late`).
        """
        if v is not None:
            raise TypeError("a stream of a table takes a table: add_many(table)")
        names = _names_of(u)
        with self._lock:
            if self._has_lines:
                raise TypeError("the rows so far are lines of text: update(lines)")
            wanted = self._columns or names
            if set(names) != set(wanted):
                raise ValueError(f"the columns are {', '.join(names)}; those before were {', '.join(wanted)}")
            cells = [_cells(column_by_name(u, name, "table"), name) for name in wanted]
            if len({len(column) for column in cells}) > 1:
                raise ValueError("the columns differ in length")
            lines = [",".join(row) for row in zip(*cells)]
            if self._columns is None:
                lines.insert(0, ",".join(map(_cell, wanted)))
            self._lines("".join(line + "\n" for line in lines))
            self._columns = wanted

    def update(self, lines: Union[str, Iterable[str]]) -> None:
        """Lines of the table as a file has them; the first one has the names of the columns."""
        text = lines if isinstance(lines, str) else "".join(line.rstrip("\r\n") + "\n" for line in lines)
        with self._lock:
            if self._columns is not None:
                raise TypeError("the rows so far came by add_many: add_many(table)")
            self._lines(text)
            self._has_lines = True

    def _put(self, kind: int, u: Any, v: Any, second: Optional[int] = None) -> None:
        raise TypeError("a stream of a table takes rows, which leave with their window: add_many(table)")

    def _put_many(self, kind: int, u: Any, v: Any) -> None:
        self._put(kind, u, v)

    def _changes_of(self, at: int, names: list[str]) -> Optional[Table]:
        if not self._has_rows:
            return None
        found = json.loads(_library.text_of("matcha_stream_changes_json", self._owner.handle, at))
        rows = [*found["added"], *found["removed"]]
        columns = {name: _column([row[place] for row in rows]) for place, name in enumerate(found["columns"])}
        columns[""] = Column.of([1] * len(found["added"]) + [-1] * len(found["removed"]))
        return Table(columns, len(rows))


def _column(values: list[Any]) -> Column:
    """Ints as they are; texts as places among these."""
    if all(isinstance(one, int) for one in values):
        return Column.of(values)
    names = list(dict.fromkeys(values))
    place = {name: at for at, name in enumerate(names)}
    return Column.of((place[one] for one in values), "i", names)


def _names_of(table: Any) -> list[str]:
    """The names of the columns of a table."""
    names: Any = None
    if isinstance(table, Mapping):
        names = table.keys()
    elif hasattr(table, "column_names"):  # Of PyArrow, and of the interchange protocol.
        names = table.column_names() if callable(table.column_names) else table.column_names
    elif hasattr(table, "columns"):
        names = table.columns
    if names is None:
        raise TypeError(f"{type(table).__name__} is no table: it has no columns with names")
    return [str(name) for name in names]


def _cells(column: Any, name: str) -> list[str]:
    """The items of a column as the cells of a file; empty: there is no value."""
    # In pandas a missing number is a NaN.
    is_pandas = type(column).__module__.startswith("pandas")
    if getattr(getattr(column, "dtype", None), "kind", "") == "M" and not is_pandas:
        import numpy

        values: Any = ["" if one == "NaT" else one for one in numpy.datetime_as_string(column)]
    else:
        lists = (getattr(column, one) for one in ("to_pylist", "to_list", "tolist") if hasattr(column, one))
        values = next((one() for one in lists), column)
    cells = []
    for value in values:
        is_missing = value is None or type(value).__name__ in ("NAType", "NaTType")
        is_missing = is_missing or (is_pandas and isinstance(value, float) and value != value)
        try:
            cells.append("" if is_missing else _cell(value))
        except TypeError:
            raise TypeError(f"column {name!r} has an item that is no cell of a table: {value!r}") from None
        except ValueError:
            raise ValueError(f"column {name!r} has a text with a line feed: {value!r}") from None
    return cells


def _cell(value: Any) -> str:
    value = _library.python_number(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if not isinstance(value, str):
        raise TypeError
    if "\n" in value or "\r" in value:
        raise ValueError
    return value if _PLAIN.match(value) else '"' + value.replace('"', '""') + '"'


__all__ = ["TableStream"]
