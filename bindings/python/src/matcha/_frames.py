"""Columns of data frames, of any library: by name, by Arrow's C stream, or by the interchange protocol."""

from __future__ import annotations

import ctypes
from array import array
from typing import Any, Mapping


def column_by_name(frame: Any, name: Any, called: str) -> Any:
    """A column as an array, a list, or the frame's own type. Raises `KeyError` if there is none."""
    if isinstance(frame, Mapping) or hasattr(frame, "__getitem__"):
        try:
            return frame[name]
        except (KeyError, IndexError, TypeError, ValueError) as problem:
            raise KeyError(f"`{called}`: there is no column {name!r}") from problem
        except Exception as problem:  # Each library has its own class.
            raise KeyError(f"`{called}`: there is no column {name!r}") from problem
    if hasattr(frame, "__arrow_c_stream__"):
        from matcha._arrow import read_columns

        return read_columns(frame, [name], called)[0]
    if hasattr(frame, "__dataframe__"):
        return _interchanged(frame.__dataframe__(), name, called)
    raise TypeError(f"{type(frame).__name__} is no data frame: it has neither columns by name nor __arrow_c_stream__")


# Of the interchange protocol: kinds of a column, and its representation of missing values.
_INT, _UINT, _FLOAT, _STRING, _CATEGORICAL = 0, 1, 2, 21, 23
_LETTERS = {(_INT, 8): "b", (_INT, 16): "h", (_INT, 32): "i", (_INT, 64): "q", (_UINT, 8): "B", (_UINT, 16): "H",
            (_UINT, 32): "I", (_UINT, 64): "Q", (_FLOAT, 32): "f", (_FLOAT, 64): "d"}  # fmt: skip


def _interchanged(frame: Any, name: Any, called: str) -> Any:
    if name not in list(frame.column_names()):
        raise KeyError(f"`{called}`: there is no column {name!r}")
    column = frame.get_column_by_name(name)
    if column.null_count:
        raise ValueError(f"`{called}`: column {name!r} has {column.null_count} rows without a value")
    parts = [_chunk(chunk, called) for chunk in column.get_chunks()]
    whole = parts[0]
    for part in parts[1:]:
        whole.extend(part)
    return whole


def _chunk(column: Any, called: str) -> Any:
    kind, bits = int(column.dtype[0]), int(column.dtype[1])
    buffers = column.get_buffers()
    if kind == _STRING:
        offsets, offset_type = buffers["offsets"]
        ends = _copied(offsets, _LETTERS[(_INT, int(offset_type[1]))], column.size() + 1, int(column.offset))
        data = ctypes.string_at(buffers["data"][0].ptr, ends[-1]) if ends[-1] else b""
        return [data[first:last].decode() for first, last in zip(ends, ends[1:])]
    if kind == _CATEGORICAL:
        described = column.describe_categorical
        words = described["categories"] if isinstance(described, dict) else described[2]
        found = [_chunk(one, called) for one in words.get_chunks()][0] if hasattr(words, "get_chunks") else words
        code_kind = int(buffers["data"][1][0]), int(buffers["data"][1][1])
        codes = _copied(buffers["data"][0], _LETTERS[code_kind], column.size(), int(column.offset))
        return [found[code] for code in codes]
    if (kind, bits) not in _LETTERS:
        raise TypeError(f"`{called}`: columns of this type are not taken")
    return _copied(buffers["data"][0], _LETTERS[(kind, bits)], column.size(), int(column.offset))


def _copied(buffer: Any, letter: str, count: int, first: int = 0) -> Any:
    out = array(letter)
    if count:
        out.frombytes(ctypes.string_at(buffer.ptr + first * out.itemsize, count * out.itemsize))
    return out
