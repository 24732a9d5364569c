"""Programs and patterns, and how they run."""

from __future__ import annotations

import os
from ctypes import byref, c_int64, c_uint64
from typing import Any, Callable, Iterator, Optional, Union

from matcha import _library
from matcha._graph import Graph
from matcha._library import Handle, Owner
from matcha._table import Table, column_of, joined

Progress = Union[bool, Callable[[int, int], None]]
_POLL_MS = 50


class Program:
    """A program in Matcha's language, from its text or from a `.mt` file.

    Calling it with a graph runs it; other parameters of its entry are given by name. It is compiled once for a graph
    and a set of parameters. `entry` names the function to run; other keywords are options of the command line.

    >>> import matcha as mt
    >>> degree_sum = mt.program("def main(G: Graph, k: int) -> int:\\n"
    ...                         "    return k * sum(apply(lambda v: size(neighbor(G, v)), vertices(G)))")
    >>> degree_sum(mt.Graph([0, 1], [1, 2]), k=10)
    40
    """

    def __init__(self, source: Any, *, entry: Optional[str] = None, **options: Any) -> None:
        text = os.fspath(source) if not isinstance(source, str) else source
        if "\n" not in text and text.endswith(".mt"):
            with open(text, encoding="utf-8") as file:
                text = file.read()
        self.text = text
        self._function = "matcha_program_compile"
        self._options: dict[str, Any] = {"entry": entry, **options}
        self._compiled: dict[tuple[tuple[str, Any], ...], Owner] = {}

    def __call__(
        self,
        graph: Graph,
        *,
        threads: Optional[int] = None,
        timeout: Optional[float] = None,
        progress: Progress = False,
        **params: Any,
    ) -> Any:
        """The answer: an int, float, bool, vertex or `Table`, or a tuple of them."""
        return self._run(graph, {"threads": threads, "timeout": timeout}, params, progress)

    def _handle(self, params: dict[str, Any]) -> Owner:
        key = tuple(sorted(params.items()))
        if key not in self._compiled:
            chosen = _library.options({**self._options, "param": [f"{name}={value}" for name, value in key]})
            self._compiled[key] = _library.make(
                self._function, "matcha_program_free", self.text.encode(), chosen.handle
            )
        return self._compiled[key]

    def _run(self, graph: Graph, options: dict[str, Any], params: dict[str, Any], progress: Progress) -> Any:
        lib = _library.opened()
        run = _start("matcha_start", self._handle(params), graph, options)
        with _Cancelled(run), _Watcher(progress) as report:
            while not lib.matcha_wait(run.handle, _POLL_MS):
                report(*_progress(run))
        return _finish(run, graph)

    def _blocks(self, graph: Graph, options: dict[str, Any]) -> Iterator[Table]:
        lib = _library.opened()
        run = _start("matcha_start_rows", self._handle({}), graph, options)
        with _Cancelled(run):
            while True:
                rows = Handle()
                found = lib.matcha_next_rows(run.handle, byref(rows), _POLL_MS)
                if found == 1:
                    yield _block(graph, Owner(rows, "matcha_rows_free"))
                elif found < 0:
                    break
        _finish(run, graph)


class Pattern(Program):
    """A pattern, as the command line takes it. See `count` and `match`."""

    def __init__(self, pattern: str, **options: Any) -> None:
        super().__init__(pattern, **options)
        self.text = pattern
        self._function = "matcha_program_pattern"


def program(source: Any, **options: Any) -> Program:
    """`Program(source, …)`: a callable."""
    return Program(source, **options)



def _start(function: str, compiled: Owner, graph: Graph, options: dict[str, Any]) -> Owner:
    chosen = _library.options(options)
    return _library.make(function, "matcha_run_free", compiled.handle, graph._owner.handle, chosen.handle)


def _progress(run: Owner) -> tuple[int, int]:
    done, total = c_uint64(), c_uint64()
    _library.opened().matcha_progress(run.handle, byref(done), byref(total))
    return done.value, total.value


class _Cancelled:
    """Ends the run when its body raises, as Ctrl-C does."""

    def __init__(self, run: Owner) -> None:
        self._run = run

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is not None:
            _library.opened().matcha_cancel(self._run.handle)
            _library.opened().matcha_wait(self._run.handle, -1)


class _Watcher:
    """Tells progress to a function, or as a line on standard error."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._shown = False

    def __enter__(self) -> Callable[[int, int], None]:
        return self._tell

    def _tell(self, done: int, total: int) -> None:
        if callable(self._progress):
            self._progress(done, total)
        elif self._progress and total:
            import sys

            sys.stderr.write(f"\r{done:,} of {total:,} ({100 * done // total}%)")
            sys.stderr.flush()
            self._shown = True

    def __exit__(self, *_: Any) -> None:
        if self._shown:
            import sys

            sys.stderr.write("\r\x1b[K")


def _finish(run: Owner, graph: Graph) -> Any:
    lib = _library.opened()
    done, total = _progress(run)
    result, error = Handle(), Handle()
    status = lib.matcha_finish(run.handle, byref(result), byref(error))
    owner = Owner(result, "matcha_result_free")
    answer = _answer(owner, graph) if result else None
    if status == _library.TIMEOUT:
        _library.raise_error(status, error, partial=answer, done=done, total=total)
    if status != _library.OK:
        _library.raise_error(status, error)
    return answer


def _answer(result: Owner, graph: Graph) -> Any:
    values = [_value(result, at, graph) for at in range(_library.opened().matcha_result_size(result.handle))]
    return values[0] if len(values) == 1 else tuple(values) if values else None


def _value(result: Owner, at: int, graph: Graph) -> Any:
    lib = _library.opened()
    kind = lib.matcha_result_kind(result.handle, at)
    if kind == _library.FLOAT:
        return lib.matcha_result_float(result.handle, at)
    if kind != _library.LIST:
        high = c_int64()
        low = lib.matcha_result_int(result.handle, at, byref(high))
        whole = (high.value << 64) | (low & (2**64 - 1))
        return bool(whole) if kind == _library.BOOL else graph._named(whole) if kind == _library.VERTEX else whole
    rows = lib.matcha_result_rows(result.handle, at)
    columns = {}
    for column in range(lib.matcha_result_columns(result.handle, at)):
        kind = lib.matcha_result_column_kind(result.handle, at, column)
        ints = lib.matcha_result_ints(result.handle, at, column)
        floats = lib.matcha_result_floats(result.handle, at, column)
        columns[f"v{column}"] = column_of(graph, kind, ints, floats, rows)
    return Table(columns, rows)



def _block(graph: Graph, rows: Owner) -> Table:
    lib = _library.opened()
    count = lib.matcha_rows_count(rows.handle)
    columns = {}
    for column in range(lib.matcha_rows_columns(rows.handle)):
        kind = lib.matcha_rows_kind(rows.handle, column)
        ints, floats = lib.matcha_rows_ints(rows.handle, column), lib.matcha_rows_floats(rows.handle, column)
        columns[f"v{column}"] = column_of(graph, kind, ints, floats, count)
    return Table(columns, count)


__all__ = ["Pattern", "Program", "Progress", "joined", "program"]
