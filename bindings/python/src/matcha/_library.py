"""The C interface of libmatcha (matcha.h), by ctypes. Calls release the GIL.

Nothing calls back into Python from a thread of the library: Python polls.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import re
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Callable, Iterable, Optional

from matcha._errors import Error, RunError, error_of
from matcha._options import STEPS

Handle = c_void_p

INT32, UINT32, INT64, UINT64, FLOAT64 = 1, 2, 3, 4, 5


class CColumn(ctypes.Structure):
    """`matcha_column`."""

    _fields_ = [("items", c_void_p), ("type", c_int32), ("stride", c_int64)]


class CTable(ctypes.Structure):
    """`matcha_table`."""

    _fields_ = [
        ("size", c_size_t),
        ("edge_count", c_size_t),
        ("sources", CColumn),
        ("targets", CColumn),
        ("edge_info", CColumn),
        ("edge_words", POINTER(c_char_p)),
        ("edge_word_count", c_size_t),
        ("vertex_count", c_size_t),
        ("vertices", CColumn),
        ("vertex_labels", CColumn),
        ("vertex_words", POINTER(c_char_p)),
        ("vertex_word_count", c_size_t),
        ("names", POINTER(c_char_p)),
        ("name_count", c_size_t),
    ]


class CEdgeList(ctypes.Structure):
    """`matcha_edge_list`."""

    _fields_ = [("count", c_size_t), ("sources", c_void_p), ("targets", c_void_p), ("info", c_void_p)]


OK, TIMEOUT, CANCELLED = 0, 124, 130
INT, FLOAT, BOOL, VERTEX, LIST, NAME, LABEL = 1, 2, 3, 4, 5, 6, 7

# name: (result, arguments); as in matcha.h.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "matcha_version": (c_char_p, []),
    "matcha_error_text": (c_char_p, [Handle]),
    "matcha_error_free": (None, [Handle]),
    "matcha_options_new": (Handle, []),
    "matcha_options_set": (c_int, [Handle, c_char_p, c_char_p, POINTER(Handle)]),
    "matcha_options_free": (None, [Handle]),
    "matcha_options_set_canceller": (None, [Handle, Handle]),
    "matcha_canceller_new": (Handle, []),
    "matcha_canceller_cancel": (None, [Handle]),
    "matcha_canceller_free": (None, [Handle]),
    "matcha_graph_read": (c_int, [c_char_p, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_graph_from_table": (c_int, [POINTER(CTable), Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_graph_from_csr": (
        c_int,
        [c_uint64, c_void_p, c_int, c_void_p, c_int, c_void_p, c_void_p, Handle, POINTER(Handle), POINTER(Handle)],
    ),
    "matcha_graph_join": (
        c_int,
        [POINTER(c_char_p), POINTER(Handle), POINTER(c_void_p), c_size_t, POINTER(Handle), POINTER(Handle)],
    ),
    "matcha_graph_with_list": (
        c_int,
        [Handle, c_char_p, POINTER(CColumn), c_size_t, c_size_t, POINTER(Handle), POINTER(Handle)],
    ),
    "matcha_graph_ids": (None, [Handle, c_void_p]),
    "matcha_graph_facts": (c_int, [Handle]),
    "matcha_graph_edge_list": (c_int, [Handle, POINTER(CEdgeList), POINTER(Handle)]),
    "matcha_graph_degrees": (None, [Handle, c_void_p]),
    "matcha_graph_vertex_labels": (None, [Handle, c_void_p]),
    "matcha_graph_neighbors": (c_int64, [Handle, c_int64, c_void_p, c_size_t]),
    "matcha_graph_rewired": (c_int, [Handle, c_uint64, POINTER(Handle), POINTER(Handle)]),
    "matcha_graph_significance": (
        c_int,
        [Handle, POINTER(Handle), c_size_t, c_uint64, c_uint64, Handle, POINTER(Handle), POINTER(Handle)],
    ),
    "matcha_graph_write": (c_int, [Handle, c_char_p, c_char_p, POINTER(Handle)]),
    "matcha_graph_write_named": (
        c_int,
        [Handle, POINTER(c_char_p), c_size_t, c_char_p, c_char_p, POINTER(Handle)],
    ),
    "matcha_graph_release": (c_int, [Handle, c_char_p, POINTER(Handle)]),
    "matcha_graph_vertices": (c_uint64, [Handle]),
    "matcha_graph_edges": (c_uint64, [Handle]),
    "matcha_graph_id_kind": (c_int, [Handle]),
    "matcha_graph_label": (c_size_t, [Handle, c_int64, c_char_p, c_size_t]),
    "matcha_graph_name": (c_size_t, [Handle, c_int64, c_char_p, c_size_t]),
    "matcha_graph_free": (None, [Handle]),
    "matcha_program_compile": (c_int, [c_char_p, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_program_pattern": (c_int, [c_char_p, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_program_free": (None, [Handle]),
    "matcha_program_signature": (c_char_p, [Handle]),
    "matcha_program_doc": (c_char_p, [Handle]),
    "matcha_program_name_count": (c_size_t, [Handle]),
    "matcha_program_name": (c_char_p, [Handle, c_size_t]),
    "matcha_program_list_kind": (c_int, [Handle, c_char_p, c_size_t]),
    "matcha_program_edges": (c_char_p, [Handle, c_size_t]),
    "matcha_program_emit": (c_int, [Handle, c_char_p, POINTER(Handle), POINTER(Handle)]),
    "matcha_explain": (c_int, [Handle, Handle, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_answer": (c_int, [Handle, Handle, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_graph_report": (c_int, [Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_doctor": (c_int, [POINTER(Handle), POINTER(Handle)]),
    "matcha_text_free": (None, [Handle]),
    "matcha_start": (c_int, [Handle, Handle, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_start_rows": (c_int, [Handle, Handle, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_next_rows": (c_int, [Handle, POINTER(Handle), c_int64]),
    "matcha_rows_count": (c_size_t, [Handle]),
    "matcha_rows_columns": (c_size_t, [Handle]),
    "matcha_rows_kind": (c_int, [Handle, c_size_t]),
    "matcha_rows_ints": (c_void_p, [Handle, c_size_t]),
    "matcha_rows_floats": (c_void_p, [Handle, c_size_t]),
    "matcha_rows_free": (None, [Handle]),
    "matcha_wait": (c_int, [Handle, c_int64]),
    "matcha_progress": (None, [Handle, POINTER(c_uint64), POINTER(c_uint64)]),
    "matcha_cancel": (None, [Handle]),
    "matcha_finish": (c_int, [Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_run_free": (None, [Handle]),
    "matcha_stream_open": (c_int, [POINTER(Handle), c_size_t, Handle, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_stream_put": (c_int, [Handle, c_int, POINTER(CColumn), POINTER(CColumn), c_size_t, POINTER(Handle)]),
    "matcha_stream_put_lines": (c_int, [Handle, c_char_p, c_size_t, POINTER(Handle)]),
    "matcha_stream_apply": (c_int, [Handle, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_stream_answer": (c_int, [Handle, c_size_t, POINTER(Handle), POINTER(Handle)]),
    "matcha_stream_changes": (c_int, [Handle, c_size_t, POINTER(Handle), POINTER(Handle)]),
    "matcha_stream_open_table": (c_int, [POINTER(c_char_p), c_size_t, Handle, POINTER(Handle), POINTER(Handle)]),
    "matcha_stream_changes_json": (c_int, [Handle, c_size_t, POINTER(Handle), POINTER(Handle)]),
    "matcha_stream_free": (None, [Handle]),
    "matcha_result_size": (c_size_t, [Handle]),
    "matcha_result_complete": (c_int, [Handle]),
    "matcha_result_interval": (c_int, [Handle, POINTER(c_double)]),
    "matcha_result_kind": (c_int, [Handle, c_size_t]),
    "matcha_result_words": (c_int, [Handle, c_size_t, POINTER(c_uint64)]),
    "matcha_result_float": (c_double, [Handle, c_size_t]),
    "matcha_result_rows": (c_size_t, [Handle, c_size_t]),
    "matcha_result_columns": (c_size_t, [Handle, c_size_t]),
    "matcha_result_column_kind": (c_int, [Handle, c_size_t, c_size_t]),
    "matcha_result_ints": (c_void_p, [Handle, c_size_t, c_size_t]),
    "matcha_result_floats": (c_void_p, [Handle, c_size_t, c_size_t]),
    "matcha_result_free": (None, [Handle]),
}


def _candidates() -> list[str]:
    """Possible paths of the library: only the file of MATCHA_LIBRARY if it is set; else those in the folder of this package
    and in the `lib` of its tree, as in `lib/python3/dist-packages/matcha`; else the system's."""
    named = os.environ.get("MATCHA_LIBRARY")
    if named:
        return [named]
    package = pathlib.Path(__file__).resolve().parent
    found = [*package.glob("libmatcha.so*"), *package.parents[min(2, len(package.parents) - 1)].glob("libmatcha.so.0")]
    return [*map(str, sorted(found)), "libmatcha.so.0"]


@functools.lru_cache(maxsize=None)
def _opened() -> ctypes.CDLL:
    problems = []
    for path in _candidates():
        try:
            shared = ctypes.CDLL(path)
        except OSError as problem:
            problems.append(str(problem))
            continue
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(shared, name)
            function.restype = result
            function.argtypes = arguments
        return shared
    raise ImportError("libmatcha cannot be opened; MATCHA_LIBRARY may name its file: " + "; ".join(problems))


class _Process:
    """True if this process may use the library: a forked child has no threads of a library that was used."""

    used = False
    forked = False

    @classmethod
    def in_child(cls) -> None:
        cls.forked = cls.forked or cls.used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.in_child)


def opened() -> ctypes.CDLL:
    """The library, opened at the first call. Raises `ImportError` if there is none, `RunError` in a forked child."""
    if _Process.forked:
        raise RunError(
            "error: this process was forked from one that used matcha, and its threads are not here\n"
            "  hint: multiprocessing.set_start_method('spawn'), or make the graph in the child"
        )
    return _opened()


def raise_error(status: int, error: Handle, **facts: Any) -> None:
    """Raises the error of a call that gave the status, and frees it."""
    text = opened().matcha_error_text(error).decode(errors="replace") if error else ""
    opened().matcha_error_free(error)
    raise error_of(status, text, **facts)


class Owner:
    """A handle that is freed with its owner."""

    def __init__(self, handle: Handle, free: str) -> None:
        self.handle = handle
        self._free: Callable[[Handle], None] = getattr(_opened(), free)

    def __del__(self) -> None:
        if _Process is None:  # At the end of the interpreter names of modules are None.
            return
        # A forked child has the memory, but not the threads on which freeing some of it waits.
        if getattr(self, "handle", None) and not _Process.forked:
            self._free(self.handle)
        self.handle = Handle()


def python_number(value: Any) -> Any:
    """A number of numpy as one of Python; anything else as it is."""
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value


def options(values: dict[str, Any]) -> Owner:
    """Options by their names on the command line, with `_` for `-`; None leaves one unset, a list repeats it."""
    lib = opened()
    made = Owner(Handle(lib.matcha_options_new()), "matcha_options_free")
    for name, value in values.items():
        if value is None:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            one = python_number(one)
            text = str(one).lower() if isinstance(one, bool) else str(one)
            if "\0" in text:
                raise ValueError(f"the option `{name}` has a zero byte")
            error = Handle()
            status = lib.matcha_options_set(made.handle, name.replace("_", "-").encode(), text.encode(), byref(error))
            if status != OK:
                message = lib.matcha_error_text(error).decode(errors="replace")
                lib.matcha_error_free(error)
                raise error_of(status, _with_keywords(message))
    return made


@functools.lru_cache(maxsize=None)
def no_options() -> Owner:
    """The defaults of all options, for runs; never changed."""
    return options({})


def _with_keywords(message: str) -> str:
    """The message with the Python names of options."""
    names = r"(?<=^error: `)[\w-]+|(?<=option `)[\w-]+"
    if "there is no option" in message:
        names += r"|(?<=u mean `)[\w-]+|(?<=there are ).*"
    return re.sub(names, lambda found: found.group().replace("-", "_"), message)


_TAKERS = {"graph": "graphs", "program": "programs", "pattern": "patterns", "run": "runs", "stream": "streams"}


def check_keywords(taker: str, given: Iterable[str], *steps: str) -> None:
    """Raises an error for options that other steps read; the library refuses unknown ones."""
    for name in given:
        if STEPS.get(name, steps[0]) not in steps:
            raise error_of(2, f"error: {taker} takes no option `{name}`: it is one of {_TAKERS[STEPS[name]]}\n")


def make(function: str, free: str, *arguments: Any) -> Owner:
    """Calls a function that ends in `…, &handle, &error`."""
    if any(isinstance(one, bytes) and 0 in one for one in arguments):
        raise ValueError("a text for the library has a zero byte")
    handle, error = Handle(), Handle()
    _Process.used = True
    status = getattr(opened(), function)(*arguments, byref(handle), byref(error))
    if status != OK:
        raise_error(status, error)
    return Owner(handle, free)


def make_slowly(function: str, free: str, *arguments: Any, chosen: Owner) -> Owner:
    """The same for work of seconds, whose options come before the handle: Ctrl-C ends it.

    Python looks for signals in the main thread only, so the work goes to another one.
    """
    if threading.current_thread() is not threading.main_thread():
        return make(function, free, *arguments, chosen.handle)
    lib = opened()
    canceller = Owner(Handle(lib.matcha_canceller_new()), "matcha_canceller_free")
    lib.matcha_options_set_canceller(chosen.handle, canceller.handle)
    found: list[Owner] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(make(function, free, *arguments, chosen.handle))
        except BaseException as problem:
            failed.append(problem)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
    except BaseException:
        lib.matcha_canceller_cancel(canceller.handle)
        thread.join()
        raise
    if failed:
        raise failed[0]
    return found[0]


def text_of(function: str, *arguments: Any) -> str:
    """Calls a function that ends in `…, &text, &error`."""
    text = make(function, "matcha_text_free", *arguments)
    return ctypes.string_at(text.handle.value or 0).decode(errors="replace")


def string(value: Optional[bytes]) -> str:
    """A string of the library; NULL is empty."""
    return "" if value is None else value.decode(errors="replace")


__all__ = ["CColumn", "CTable", "Error", "Handle", "Owner", "make", "make_slowly", "opened", "options", "raise_error"]
