"""Arrow's C data interface, declared here: tables in and out without a copy and without a library.

https://arrow.apache.org/docs/format/CDataInterface.html
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from array import array
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence

from matcha._values import Values

if TYPE_CHECKING:
    from matcha._table import Column, Table


class CSchema(ctypes.Structure):
    """`struct ArrowSchema`."""


class CArray(ctypes.Structure):
    """`struct ArrowArray`."""


class CStream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


_ReleaseSchema: Any = CFUNCTYPE(None, POINTER(CSchema))
_ReleaseArray: Any = CFUNCTYPE(None, POINTER(CArray))
_ReleaseStream: Any = CFUNCTYPE(None, POINTER(CStream))
_GetSchema: Any = CFUNCTYPE(c_int, POINTER(CStream), POINTER(CSchema))
_GetNext: Any = CFUNCTYPE(c_int, POINTER(CStream), POINTER(CArray))
# The producer owns the text; with `c_char_p` Python would try to free it.
_GetLastError: Any = CFUNCTYPE(c_void_p, POINTER(CStream))

CSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(CSchema))),
    ("dictionary", POINTER(CSchema)),
    ("release", _ReleaseSchema),
    ("private_data", c_void_p),
]
CArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(CArray))),
    ("dictionary", POINTER(CArray)),
    ("release", _ReleaseArray),
    ("private_data", c_void_p),
]
CStream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetNext),
    ("get_last_error", _GetLastError),
    ("release", _ReleaseStream),
    ("private_data", c_void_p),
]

_EIO = 5
_STREAM_NAME = b"arrow_array_stream"

# Objects that a structure needs while its consumer has it, by its `private_data`; its release removes them.
_kept: dict[int, Any] = {}
_numbers = itertools.count(1)


def _keep(value: Any) -> int:
    number = next(_numbers)
    _kept[number] = value
    return number


def _release(structure: Any, none: Any) -> None:
    """Releases the parts that were not moved, then this one."""
    for at in range(structure.n_children):
        _release_part(structure.children[at])
    if structure.dictionary:
        _release_part(structure.dictionary)
    _kept.pop(structure.private_data, None)
    structure.release = none


def _release_part(part: Any) -> None:
    if part.contents.release:
        part.contents.release(part)


def _release_schema(schema: Any) -> None:
    _release(schema.contents, _ReleaseSchema())


def _release_array(made: Any) -> None:
    _release(made.contents, _ReleaseArray())


def _release_stream(stream: Any) -> None:
    _kept.pop(stream.contents.private_data, None)
    stream.contents.release = _ReleaseStream()


_c_release_schema = _ReleaseSchema(_release_schema)
_c_release_array = _ReleaseArray(_release_array)
_c_release_stream = _ReleaseStream(_release_stream)


def _fill_schema(
    schema: CSchema, form: bytes, name: str, children: Sequence[CSchema] = (), dictionary: Optional[CSchema] = None
) -> None:
    pointers = (POINTER(CSchema) * max(len(children), 1))(*[ctypes.pointer(child) for child in children])
    schema.format = form
    schema.name = name.encode()
    schema.metadata = None
    schema.flags = 0
    schema.n_children = len(children)
    schema.children = pointers
    schema.dictionary = ctypes.pointer(dictionary) if dictionary is not None else POINTER(CSchema)()
    schema.release = _c_release_schema
    schema.private_data = _keep((form, schema.name, pointers, children, dictionary))


def _fill_array(
    made: CArray,
    length: int,
    buffers: Sequence[int],
    owner: Any,
    children: Sequence[CArray] = (),
    dictionary: Optional[CArray] = None,
) -> None:
    pointers = (POINTER(CArray) * max(len(children), 1))(*[ctypes.pointer(child) for child in children])
    addresses = (c_void_p * len(buffers))(*buffers)
    made.length = length
    made.null_count = made.offset = 0
    made.n_buffers = len(buffers)
    made.n_children = len(children)
    made.buffers = addresses
    made.children = pointers
    made.dictionary = ctypes.pointer(dictionary) if dictionary is not None else POINTER(CArray)()
    made.release = _c_release_array
    made.private_data = _keep((pointers, addresses, owner, children, dictionary))


def _schema_of(column: Column, name: str) -> CSchema:
    schema = CSchema()
    if isinstance(column, Values):
        _fill_schema(schema, _FORMATS[column.type_of_items()], name)
        schema.flags = 2  # Items may be missing.
    elif column.names is None:
        _fill_schema(schema, {"f": b"g", "b": b"b"}.get(column.kind, b"l"), name)
    else:
        words = CSchema()
        _fill_schema(words, b"u", "")
        _fill_schema(schema, b"l", name, dictionary=words)
    return schema


def _array_of(column: Column) -> CArray:
    made = CArray()
    if isinstance(column, Values):
        _fill_values(made, column)
    elif column.kind == "b":
        bits = bytearray((len(column) + 7) // 8)
        for at, item in enumerate(column):
            bits[at >> 3] |= item << (at & 7)
        held = (ctypes.c_char * max(len(bits), 1)).from_buffer(bits or bytearray(1))
        _fill_array(made, len(column), [0, ctypes.addressof(held)], held)
    elif column.names is None:
        _fill_array(made, len(column), [0, column.address], column)
    else:
        words = CArray()
        text = [str(name).encode() for name in column.names]
        ends = array("i", itertools.accumulate(map(len, text), initial=0))
        joined = ctypes.create_string_buffer(b"".join(text))
        addresses = [0, ends.buffer_info()[0], ctypes.addressof(joined)]
        _fill_array(words, len(text), addresses, (ends, joined))
        _fill_array(made, len(column), [0, column.address], column, dictionary=words)
    return made


_FORMATS = {None: b"n", int: b"l", float: b"g", bool: b"b", str: b"u"}


def _bits(items: Sequence[Any]) -> Any:
    bits = bytearray((len(items) + 7) // 8 or 1)
    for at, item in enumerate(items):
        bits[at >> 3] |= bool(item) << (at & 7)
    return (ctypes.c_char * len(bits)).from_buffer(bits)


def _fill_values(made: CArray, column: Values) -> None:
    kind, items = column.type_of_items(), list(column)
    if kind is None:
        _fill_array(made, len(items), [], column)
        made.null_count = len(items)
        return
    there = _bits([item is not None for item in items])
    if kind is bool:
        held: tuple[Any, ...] = (there, _bits(items))
        addresses = [ctypes.addressof(one) for one in held]
    elif kind is str:
        text = [(item or "").encode() for item in items]
        ends = array("i", itertools.accumulate(map(len, text), initial=0))
        joined = ctypes.create_string_buffer(b"".join(text))
        held = (there, ends, joined)
        addresses = [ctypes.addressof(there), ends.buffer_info()[0], ctypes.addressof(joined)]
    else:
        numbers = array("q" if kind is int else "d", [item or 0 for item in items])
        held = (there, numbers)
        addresses = [ctypes.addressof(there), numbers.buffer_info()[0]]
    _fill_array(made, len(items), addresses, held)
    made.null_count = sum(item is None for item in items)


class _Stream:
    """Tables with the same columns as a stream of record batches. `shape`: a table with these columns."""

    def __init__(self, shape: Table, tables: Iterator[Table]) -> None:
        self.shape = shape
        self.tables = tables
        self.error = ctypes.create_string_buffer(b"")


def _get_schema(stream: Any, schema: Any) -> int:
    kept: _Stream = _kept[stream.contents.private_data]
    children = [_schema_of(column, name) for name, column in kept.shape.columns.items()]
    _fill_schema(schema.contents, b"+s", "", children)
    return 0


def _get_next(stream: Any, out: Any) -> int:
    kept: _Stream = _kept[stream.contents.private_data]
    try:
        table = next(kept.tables, None)
        if table is None:
            out.contents.release = _ReleaseArray()
        else:
            _fill_array(out.contents, len(table), [0], table, [_array_of(one) for one in table.columns.values()])
        return 0
    except BaseException as problem:  # Nothing may be raised through C.
        kept.error = ctypes.create_string_buffer(str(problem).encode() or type(problem).__name__.encode())
        return _EIO


def _get_last_error(stream: Any) -> Any:
    return ctypes.addressof(_kept[stream.contents.private_data].error)


_Destructor: Any = CFUNCTYPE(None, c_void_p)
_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
_python.PyCapsule_GetPointer.restype = c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]
# In a destructor the capsule has no references: only its address may be passed on.
_pointer_of_dying = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))
_streams: dict[int, CStream] = {}


def _end_capsule(capsule: int) -> None:
    address = _pointer_of_dying(capsule, _STREAM_NAME)
    stream = _streams.pop(address, None)
    if stream is not None and stream.release:
        stream.release(ctypes.pointer(stream))


_c_get_schema = _GetSchema(_get_schema)
_c_get_next = _GetNext(_get_next)
_c_get_last_error = _GetLastError(_get_last_error)
_c_end_capsule = _Destructor(_end_capsule)


def capsule_of(shape: Table, tables: Iterator[Table]) -> Any:
    """A capsule `arrow_array_stream` of tables with the same columns; the consumer releases it."""
    for column in shape.columns.values():
        if isinstance(column, Values):
            column.type_of_items()
    stream = CStream(_c_get_schema, _c_get_next, _c_get_last_error, _c_release_stream, _keep(_Stream(shape, tables)))
    address = ctypes.addressof(stream)
    _streams[address] = stream
    return _python.PyCapsule_New(address, _STREAM_NAME, ctypes.cast(_c_end_capsule, c_void_p))


_LETTERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}


class _Batch:
    """A borrowed record batch, released with the last column that is made of it."""

    def __init__(self) -> None:
        self.array = CArray()

    def __del__(self) -> None:
        if self.array.release:
            self.array.release(ctypes.pointer(self.array))


def read_columns(source: Any, names: Sequence[Any], called: str) -> list[Any]:
    """Columns of an object with `__arrow_c_stream__`; ints of a single batch are not copied."""
    capsule = source.__arrow_c_stream__()
    stream = CStream.from_address(_python.PyCapsule_GetPointer(capsule, _STREAM_NAME))
    here = ctypes.pointer(stream)
    schema = CSchema()
    try:
        _check(stream, stream.get_schema(here, ctypes.pointer(schema)))
        fields = [schema.children[at].contents for at in range(schema.n_children)]
        known = [(field.name or b"").decode() for field in fields]
        for name in names:
            if name not in known:
                raise KeyError(f"`{called}`: there is no column {name!r}; there are: {', '.join(known)}")
        at = [known.index(name) for name in names]
        parts: list[list[Any]] = [[] for _ in names]
        while True:
            batch = _Batch()
            _check(stream, stream.get_next(here, ctypes.pointer(batch.array)))
            if not batch.array.release:
                break
            for column, index in zip(parts, at):
                whole = batch.array
                column.append(_items(whole.children[index].contents, fields[index], whole.offset, whole.length, batch))
        return [_joined(column) for column in parts]
    finally:
        if schema.release:
            schema.release(ctypes.pointer(schema))
        if stream.release:
            stream.release(here)


def _check(stream: CStream, status: int) -> None:
    if status:
        address = stream.get_last_error(ctypes.pointer(stream))
        text = ctypes.string_at(address).decode(errors="replace") if address else ""
        raise OSError(status, text or "the Arrow stream failed")


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, list) for part in parts):
        return [item for part in parts for item in part]
    from matcha._inputs import warn_of_copy

    if not parts:
        return array("q")
    warn_of_copy("the Arrow stream has several batches")
    out = array(parts[0].format)
    for part in parts:
        out.frombytes(part.cast("B"))
    return out


def _items(child: CArray, schema: CSchema, first: int, count: int, batch: _Batch) -> Any:
    """Items of a column: a memory view of numbers, or a list."""
    form = (schema.format or b"").decode()
    first += child.offset
    if child.dictionary:
        codes = _numbers_at(child, form, first, count, batch)
        words = child.dictionary.contents
        found = list(_items(words, schema.dictionary.contents, 0, words.length, batch))
        values: Any = [found[code] if 0 <= code < len(found) else None for code in codes]  # Of a missing item, any.
    elif form in _LETTERS:
        values = _numbers_at(child, form, first, count, batch)
    elif form in ("u", "U"):
        values = _texts(child, "i" if form == "u" else "q", first, count)
    elif form == "vu":
        values = _views(child, first, count)
    else:
        raise TypeError(f"Arrow columns of format `{form}` are not taken: ints, floats and text are")
    if child.null_count == 0 or not child.buffers[0]:
        return values
    there = ctypes.string_at(child.buffers[0], (first + count + 7) // 8)
    return [one if there[at >> 3] >> (at & 7) & 1 else None for at, one in enumerate(values, first)]


def _numbers_at(child: CArray, form: str, first: int, count: int, batch: _Batch) -> memoryview:
    letter = _LETTERS[form]
    size = struct.calcsize(letter)
    if count == 0:
        return memoryview(array(letter))
    held = (ctypes.c_char * (count * size)).from_address(child.buffers[1] + first * size)
    held.batch = batch  # type: ignore[attr-defined]
    return memoryview(held).cast("B").cast(letter)


def _texts(child: CArray, letter: str, first: int, count: int) -> list[str]:
    ends = array(letter)
    if count == 0:
        return []
    ends.frombytes(ctypes.string_at(child.buffers[1] + first * ends.itemsize, (count + 1) * ends.itemsize))
    data = ctypes.string_at(child.buffers[2] + ends[0], ends[-1] - ends[0]) if ends[-1] != ends[0] else b""
    return [data[begin - ends[0] : end - ends[0]].decode() for begin, end in zip(ends, ends[1:])]


def _views(child: CArray, first: int, count: int) -> list[str]:
    out = []
    for at in range(first, first + count):
        address = child.buffers[1] + 16 * at
        length, _, buffer, offset = struct.unpack("<iiii", ctypes.string_at(address, 16))
        short = length <= 12
        out.append(ctypes.string_at(address + 4 if short else child.buffers[2 + buffer] + offset, length).decode())
    return out
