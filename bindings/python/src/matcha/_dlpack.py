"""DLPack: columns for the libraries of tensors, without a copy.

https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matcha._table import Column


class _Managed(ctypes.Structure):
    """`DLManagedTensor`, with `DLTensor` in it."""


_Deleter: Any = CFUNCTYPE(None, POINTER(_Managed))

_Managed._fields_ = [
    ("data", c_void_p),
    ("device_type", c_int32),
    ("device_id", c_int32),
    ("ndim", c_int32),
    ("code", c_uint8),
    ("bits", c_uint8),
    ("lanes", c_uint16),
    ("shape", POINTER(c_int64)),
    ("strides", POINTER(c_int64)),
    ("byte_offset", c_uint64),
    ("manager_ctx", c_void_p),
    ("deleter", _Deleter),
]

_NAME = b"dltensor"
_CODES = {"i": (0, 64), "f": (2, 64), "b": (6, 8)}

# Tensors in use by consumers, by address, with the objects that they need.
_lent: dict[int, Any] = {}


def _delete(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


_Destructor: Any = CFUNCTYPE(None, c_void_p)
_python = ctypes.pythonapi
# In a destructor the capsule has no references: only its address may be passed on.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, ctypes.c_char_p, c_void_p)(("PyCapsule_New", _python))


def _end_capsule(capsule: int) -> None:
    # The consumer of the tensor renamed the capsule, and calls the deleter.
    if _is_valid(capsule, _NAME):
        _lent.pop(_pointer(capsule, _NAME), None)


_c_delete = _Deleter(_delete)
_c_end_capsule = _Destructor(_end_capsule)


def capsule_of(column: Column) -> Any:
    """A capsule `dltensor` of the memory of a column."""
    code, bits = _CODES[column.kind]
    shape, strides = (c_int64 * 1)(len(column)), (c_int64 * 1)(1)
    managed = _Managed(column.address or None, 1, 0, 1, code, bits, 1, shape, strides, 0, None, _c_delete)
    address = ctypes.addressof(managed)
    _lent[address] = (managed, shape, strides, column)
    return _new(address, _NAME, ctypes.cast(_c_end_capsule, c_void_p))
