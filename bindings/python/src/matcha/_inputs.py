"""Columns of ids and labels from Python data: arrays, lists, columns of frames.

An array of 32- or 64-bit ints is lent to the library as it lies. Anything else is converted; for an array,
a `CopyWarning` reports that.
"""

from __future__ import annotations

import ctypes
import warnings
from array import array
from numbers import Integral, Real
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from matcha import _library
from matcha._errors import CopyWarning

_TYPES = {("i", 4): _library.INT32, ("u", 4): _library.UINT32, ("i", 8): _library.INT64, ("u", 8): _library.UINT64}
_LETTERS = {_library.INT32: "i", _library.UINT32: "I", _library.INT64: "q", _library.UINT64: "Q"}
_FORMATS = {"i": "i", "l": "i", "q": "i", "n": "i", "I": "u", "L": "u", "Q": "u", "N": "u"}
_INT64_MIN = -(2**63)


class Ints:
    """Ints in memory: address, count, type and stride; `owner` keeps them."""

    def __init__(self, address: int, count: int, kind: int, stride: int, owner: Any) -> None:
        self.address = address
        self.count = count
        self.kind = kind
        self.stride = stride
        self.owner = owner

    def column(self) -> _library.CColumn:
        """As a column of the library. Even an empty column has an address; without one it would count as missing."""
        return _library.CColumn(self.address or 8, self.kind, self.stride)

    def last(self) -> int:
        """The last item; there is one."""
        letter = _LETTERS[self.kind]
        at = self.address + self.stride * (self.count - 1)
        return array(letter, ctypes.string_at(at, array(letter).itemsize))[0]


Names = list[Any]
Column = Union[Ints, Names]


def warn_of_copy(reason: str) -> None:
    """Warns that an input was copied."""
    warnings.warn(f"{reason}; the graph is made of a copy", CopyWarning, stacklevel=5)


def column_of(values: Any, called: str) -> Column:
    """Ints if all items are, else a list of names. Raises `ValueError` for a missing item, `TypeError` for a text or a
    mapping."""
    check_items(values, called)
    values = _without_mask(values)
    dtype = getattr(values, "dtype", None)
    if not hasattr(values, "__array_interface__") and (dtype is not None or hasattr(values, "to_numpy")):
        values = _plain(values)
        dtype = getattr(values, "dtype", None)
    if hasattr(values, "__array_interface__"):
        return _of_array(values, called)
    try:
        view = memoryview(values)
    except TypeError:
        return _of_items(values, called)
    return _of_buffer(view, called)


def packed(column: Ints, called: str) -> Ints:
    """The column with its items next to each other."""
    if column.stride == array(_LETTERS[column.kind]).itemsize:
        return column
    import numpy

    warn_of_copy(f"the items of `{called}` do not lie next to each other")
    copy = numpy.ascontiguousarray(column.owner)
    return Ints(copy.__array_interface__["data"][0], column.count, column.kind, copy.itemsize, copy)


def check_items(values: Any, called: str) -> None:
    """Refuses values that iterate over characters, bytes, or keys."""
    is_many = any(hasattr(values, name) for name in ("__iter__", "__getitem__", "__array_interface__", "to_numpy"))
    if not is_many or isinstance(values, (str, bytes, bytearray, Mapping)):
        raise TypeError(f"`{called}` is a sequence or an array, not a {type(values).__name__}")


def _without_mask(values: Any) -> Any:
    """A masked array of numpy as a list, with None for masked items."""
    return values.tolist() if hasattr(values, "filled") and hasattr(values, "mask") else values


def _plain(values: Any) -> Any:
    """A column of a frame, or an array of a tensor library, as a numpy array."""
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    import numpy

    return numpy.asarray(values)


def _of_array(values: Any, called: str) -> Column:
    import numpy

    if not isinstance(values, numpy.ndarray):  # A pandas Series, whose own array may be of another kind.
        values = _plain(values)
    if values.ndim != 1:
        raise ValueError(f"`{called}` has {values.ndim} dimensions instead of one")
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "f":
        return _of_floats(values, called)
    if kind not in "iu":
        return _of_items(values.tolist(), called)
    found = _TYPES.get((kind, size))
    if found is None or not values.dtype.isnative or not values.flags.aligned or values.strides[0] % size:
        warn_of_copy(f"`{called}` has items of type {values.dtype}, not ints of 32 or 64 bits as they lie in memory")
        values = numpy.ascontiguousarray(values, dtype=numpy.int64)
        found = _library.INT64
    if kind == "u" and size == 8 and values.size and int(values.max()) >= 2**63:
        return list(values.tolist())
    stride = values.strides[0] if values.size > 1 else values.itemsize
    return Ints(values.__array_interface__["data"][0], values.size, found, stride, values)


def _of_floats(values: Any, called: str) -> Column:
    """Floats without fractions, as a frame has in a column of ints with gaps."""
    import numpy

    missing = numpy.flatnonzero(numpy.isnan(values))
    if missing.size:
        raise ValueError(f"row {int(missing[0])} of `{called}` has no value")
    whole = values.astype(numpy.int64)
    if not (whole == values).all():
        return list(values.tolist())
    warn_of_copy(f"`{called}` has floats")
    return Ints(whole.__array_interface__["data"][0], whole.size, _library.INT64, 8, whole)


def _of_buffer(view: memoryview, called: str) -> Column:
    kind = _TYPES.get((_FORMATS.get(view.format, ""), view.itemsize))
    if view.ndim != 1:
        raise ValueError(f"`{called}` has {view.ndim} dimensions instead of one")
    if kind is None or not view.contiguous:
        return _of_items(view.tolist(), called)
    if view.format in "QLN" and kind == _library.UINT64 and any(item >= 2**63 for item in view):
        return view.tolist()
    if view.readonly:
        # Without numpy, read-only memory has no address.
        copy = array("q", view.tolist())
        return Ints(copy.buffer_info()[0], len(copy), _library.INT64, 8, copy)
    held = (ctypes.c_char * view.nbytes).from_buffer(view)
    return Ints(ctypes.addressof(held), len(view), kind, view.itemsize, held)


def _of_items(values: Iterable[Any], called: str) -> Column:
    items = values if isinstance(values, list) else list(values)
    try:
        # `array` takes bools for ints, and anything with `__index__`.
        if all(type(one) is int for one in items) or not any(isinstance(one, (bool, str)) for one in items):
            made = array("q", items)
            return Ints(made.buffer_info()[0], len(made), _library.INT64, 8, made)
    except (TypeError, OverflowError):
        pass
    for row, one in enumerate(items):
        if _is_missing(one):
            raise ValueError(f"row {row} of `{called}` has no value")
    return items


def _is_missing(value: Any) -> bool:
    """True for `None`, NaN, and the missing values of libraries of frames."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # `pandas.NA` is neither equal nor unequal to itself.
        return type(value).__name__ == "NAType"


def as_names(column: Column) -> Names:
    """Its items."""
    if isinstance(column, list):
        return column
    if isinstance(column.owner, array):
        return column.owner.tolist()
    if hasattr(column.owner, "tolist"):
        return list(column.owner.tolist())
    return list(memoryview(column.owner).cast("B").cast(_LETTERS[column.kind]))


def numbered(columns: Sequence[Names]) -> tuple[Names, list[Ints]]:
    """All names that occur, in their order if they have one, and the position of each item among them."""
    distinct = dict.fromkeys(name for column in columns for name in column)
    try:
        names = sorted(distinct)
    except TypeError:
        names = list(distinct)
    number = {name: at for at, name in enumerate(names)}
    out = []
    for column in columns:
        made = array("q", map(number.__getitem__, column))
        out.append(Ints(made.buffer_info()[0], len(made), _library.INT64, 8, made))
    return names, out


def texts_of(names: Names) -> Any:
    """The names for the library; None if some are no text that it can hold: it knows only their positions then."""
    if not all(isinstance(name, str) and name and "\0" not in name for name in names):
        return None
    texts = [name.encode("utf-8", "surrogateescape") for name in names]
    return (ctypes.c_char_p * len(texts))(*texts) if texts == sorted(set(texts)) else None


class Weights(list[float]):
    """Numbers of edges that are no labels, though all may be whole."""


class Labels:
    """Labels of edges or vertices, in the form of the library."""

    def __init__(self, column: _library.CColumn, words: list[str], owner: Any) -> None:
        self.column = column
        self.count = len(words)
        self.words = (ctypes.c_char_p * max(len(words), 1))(*(word.encode("utf-8", "surrogateescape") for word in words))
        self._owner = owner


def labels_of(values: Any, called: str, *, of_edges: bool) -> tuple[Labels, int]:
    """Labels and how many. Words may be any text. `None`, NaN and the like are no label, which is the empty word.

    Of edges, numbers that are not whole are taken too; all have one then. Of vertices, lists of types are.
    """
    if isinstance(values, Weights):
        return _floats(values), len(values)
    if isinstance(values, (set, frozenset)):
        raise TypeError(f"`{called}` is a sequence or an array: a set has no order")
    check_items(values, called)
    values = _without_mask(values)
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if kind is not None and hasattr(values, "to_numpy"):  # A column of ints may have missing items.
        values = _plain(values)
        kind = values.dtype.kind
    if kind == "f" and of_edges:
        import numpy

        plain = numpy.ascontiguousarray(values, dtype=numpy.float64)
        missing = numpy.isnan(plain)
        if (plain[~missing] % 1 != 0).any():
            if missing.any():
                raise ValueError(f"row {int(numpy.flatnonzero(missing)[0])} of `{called}` has no value")
            address = plain.__array_interface__["data"][0]
            return Labels(_library.CColumn(address or 8, _library.FLOAT64, 0), [], plain), plain.size
    if kind is not None and kind in "iu":
        column = column_of(values, called)
        if isinstance(column, Ints):
            if column.kind == _library.INT64:
                _check_reserved(column.owner, called)
            return Labels(column.column(), [], column), column.count
    whole = getattr(values, "tolist", None) or getattr(values, "to_pylist", None)
    items = list(values) if whole is None else whole()
    return _labels_of_items(items, called, of_edges), len(items)


def _labels_of_items(items: list[Any], called: str, of_edges: bool) -> Labels:
    if not of_edges:
        items = [_types(one, called, row) for row, one in enumerate(items)]
    missing = [_is_missing(one) for one in items]
    there = [one for one, gone in zip(items, missing) if not gone]
    if of_edges and there and all(map(_is_number, there)) and any(one % 1 for one in there):
        if True in missing:
            raise ValueError(f"row {missing.index(True)} of `{called}` has no value")
        return _floats(there)
    whole = [_whole(one) for one in there]
    if None not in whole:
        for row, one in enumerate(items):
            if not missing[row] and not _INT64_MIN < (_whole(one) or 0) < 2**63:
                raise ValueError(f"row {row} of `{called}` is {one!r}: labels are ints above -2**63 and below 2**63")
        codes = array("q", (_INT64_MIN if gone else _whole(one) or 0 for one, gone in zip(items, missing)))
        return Labels(_library.CColumn(codes.buffer_info()[0] or 8, _library.INT64, 0), [], codes)
    words = list(dict.fromkeys(map(str, there)))
    if any("\0" in word for word in words):
        row = next(row for row, one in enumerate(items) if "\0" in str(one))
        raise ValueError(f"row {row} of `{called}` has a zero byte")
    number = {word: at for at, word in enumerate(words)}
    codes = array("q", (_INT64_MIN if gone else number[str(one)] for one, gone in zip(items, missing)))
    return Labels(_library.CColumn(codes.buffer_info()[0], _library.INT64, 0), words, codes)


def _floats(items: Iterable[float]) -> Labels:
    numbers = array("d", items)
    return Labels(_library.CColumn(numbers.buffer_info()[0] or 8, _library.FLOAT64, 0), [], numbers)


def _check_reserved(values: Any, called: str) -> None:
    """Refuses the int that means no label."""
    import numpy

    rows = numpy.flatnonzero(numpy.asarray(values) == _INT64_MIN)
    if rows.size:
        raise ValueError(f"row {int(rows[0])} of `{called}` is -2**63: labels are ints above that")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _types(value: Any, called: str, row: int) -> Any:
    """The label of a vertex; a list, tuple or set of types as one, with `;` between."""
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
        value = value.tolist()
    if not isinstance(value, (list, tuple, set, frozenset)):
        return value
    if any(_is_missing(one) or ";" in str(one) for one in value):
        raise ValueError(f"row {row} of `{called}` has a type that is missing, or has a `;`")
    return ";".join(sorted(set(map(str, value))))


def _whole(value: Any) -> Optional[int]:
    if isinstance(value, Integral) or not _is_number(value):
        return int(value) if _is_number(value) else None
    return int(value) if float(value).is_integer() else None
