"""Answers that are maintained while a graph changes."""

from __future__ import annotations

import ctypes
import json
import operator
import os
import re
import threading
from array import array
from ctypes import byref
from typing import Any, Iterable, Iterator, Optional, Union

from matcha import _inputs, _library, _sources
from matcha._errors import InputError
from matcha._graph import Graph
from matcha._inputs import Ints
from matcha._library import Handle, Owner
from matcha._pattern_text import PatternLike
from matcha._patterns import _pattern
from matcha._program import _POLL_MS, Pattern, Program, _block, _Cancelled, _value
from matcha._table import Column, Table
from matcha._update_lines import numbered

_ADD_EDGE, _REMOVE_EDGE, _ADD_VERTEX, _REMOVE_VERTEX = 1, 2, 3, 4
_NOTHING: Any = object()
_KINDS = {"+": _ADD_EDGE, "e": _ADD_EDGE, "-": _REMOVE_EDGE, "-e": _REMOVE_EDGE, "v": _ADD_VERTEX, "-v": _REMOVE_VERTEX}


class Batch:
    """The effect of one batch of updates. Values are tuples if the stream has several programs, or a program has several
    results.

    `total` is the answer after the batch, and `delta` the total less that before; `plus` and `minus` are the numbers of
    new and lost matches, or None if unknown. `updates` is the number of updates, of which `noops` changed nothing;
    `late` rows had earlier times than rows before them and were dropped. `inserted` and `deleted` are edges, net. `how`
    is the method: `"delta"` for the changed edges, `"roots"` for a program run at the vertices near the changes,
    `"trees"` for cliques, or `"recompute"`.
    """

    def __init__(self, answers: list[dict[str, Any]], totals: list[Any], changes: list[Optional[Table]]) -> None:
        facts = answers[0]
        self.number = int(facts["batch"])
        self.updates = int(facts["updates"])
        self.noops = int(facts["noops"])
        self.late = int(facts.get("late", 0))
        self.inserted = int(facts["inserted"])
        self.deleted = int(facts["deleted"])
        self.total = _one(totals)
        self.delta = _one([_tuples(answer.get("delta")) for answer in answers])
        self.plus = _one([answer.get("plus") for answer in answers])
        self.minus = _one([answer.get("minus") for answer in answers])
        self.how = _one([answer["how"] for answer in answers])
        self._changes = changes

    @property
    def added(self) -> Any:
        """The added rows, for a program that returns a list or a pattern with `matches=True`."""
        return _one([_rows(table, 1) for table in self._changes])

    @property
    def removed(self) -> Any:
        """The removed rows."""
        return _one([_rows(table, -1) for table in self._changes])

    def __repr__(self) -> str:
        return f"Batch({self.number}: {self.updates} updates, total {self.total})"


class Stream:
    """Programs and patterns whose answers are maintained while a graph changes; made by `stream`.

    New names of vertices come after all others in the order of vertices, for programs that read it.

    Updates wait until the next `apply`, `count` or `delta` makes a batch of them. A batch is net: an edge that is
    inserted and deleted within it is not reported. The total is the result of `matcha.count` for the graph after the
    batch. Threads may share a stream; their calls take turns.
    """

    def __init__(
        self,
        graph: Graph,
        programs: tuple[Union[PatternLike, Program], ...],
        options: dict[str, Any],
        *,
        threads: Optional[int],
        strict: bool,
        recompute: bool,
        params: dict[str, Any],
        updates: Any,
        batch: int,
    ) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"a graph is a matcha.Graph, not a {type(graph).__name__}: matcha.Graph(…) makes one")
        if not programs:
            raise TypeError("a stream needs a pattern or a program")
        if batch < 1:
            raise ValueError(f"a batch has an update or more, not {batch}")
        device = options.pop("device", None)
        asked = [one if isinstance(one, Program) else _pattern(graph, one, **options) for one in programs]
        handles = [one._handle({} if isinstance(one, Pattern) else params, device) for one in asked]
        listed = (ctypes.c_void_p * len(handles))(*[one.handle.value for one in handles])
        chosen = _library.options({"threads": threads, "strict": strict, "recompute": recompute})
        self._owner = _library.make(
            "matcha_stream_open", "matcha_stream_free", listed, len(handles), graph._owner.handle, chosen.handle
        )
        self._row_names = [one._names() for one in asked]
        self._graph = _Changing(graph)
        self._given = updates
        self._batch = batch
        self._lock = threading.RLock()
        self._waiting: list[tuple[int, array[int], array[int]]] = []
        self._in_library = 0  # Updates that the library has and that wait for a batch.
        self._last: Optional[Batch] = None
        self._untold: Any = _NOTHING

    def add(self, u: Any, v: Any) -> None:
        """Adds an edge; its ends become vertices."""
        self._put(_ADD_EDGE, u, v)

    def remove(self, u: Any, v: Any) -> None:
        """Removes an edge with all its labels; its ends stay."""
        self._put(_REMOVE_EDGE, u, v)

    def add_vertex(self, vertex: Any, label: Union[int, str, None] = None) -> None:
        """Adds a vertex, or changes its label. Labels are ints from 0, or text."""
        if isinstance(label, str):
            # Words are sent as a line, in which blanks and commas would separate cells.
            if not label or any(one.isspace() or one == "," for one in label):
                raise ValueError(f"a label of an update has no blanks and no commas: {label!r}")
            with self._lock:
                # A word with a quote is a quoted cell.
                self._graph.decide(vertex)
                word = label if '"' not in label else '"' + label.replace('"', '""') + '"'
                self._lines(f"v {self._graph.number(vertex)} {word}")
            return
        label = None if label is None else operator.index(label)
        if label is not None and not 0 <= label < 2**63:
            raise ValueError(f"a label is text, or an int from 0: {label}")
        self._put(_ADD_VERTEX, vertex, None, -(2**63) if label is None else label)

    def remove_vertex(self, vertex: Any) -> None:
        """Removes a vertex with its edges."""
        self._put(_REMOVE_VERTEX, vertex, None, 0)

    def add_many(self, u: Any, v: Any = None) -> None:
        """Adds edges: their ends as two arrays, lists or columns, or as one array of two columns, or as pairs."""
        self._put_many(_ADD_EDGE, u, v)

    def remove_many(self, u: Any, v: Any = None) -> None:
        """Removes edges, given as for `add_many`."""
        self._put_many(_REMOVE_EDGE, u, v)

    def update(self, lines: Union[str, Iterable[str]]) -> None:
        """Applies lines in the form of the command line: `+ u v [label]`, `- u v [label]`, `v id [label]`, `-v id`.

        Text, or an iterable of lines, such as an open file. If vertices have names, a name with blanks or commas is
        written in double quotes, and a number is the name that is an int, if there is one. Raises `InputError` with
        the number of a line that is no update; then none of the lines is applied.
        """
        text = lines if isinstance(lines, str) else "\n".join(line.rstrip("\r\n") for line in lines)
        text = text.removeprefix("\ufeff")
        with self._lock:
            self._lines("\n".join(numbered(line, self._graph) for line in text.split("\n")))

    def apply(self, *, timeout: Optional[float] = None) -> Batch:
        """Makes a batch of the updates since the last one, and returns its effect.

        Before the first update it answers for the graph as it is, as batch 0. Raises `InputError` for an update that
        changes nothing where the stream is `strict`, and drops the batch; `Timeout`, and whatever a program raises,
        after which the stream is of no more use.
        """
        with self._lock:
            self._send()
            return self._apply(timeout)

    def count(self) -> Any:
        """The present total, after all updates so far."""
        with self._lock:
            self._send()
            if self._last is None or self._in_library:
                self._apply(None)
            assert self._last is not None
            return self._last.total

    def delta(self) -> Any:
        """The present total minus that of the last call, or, at the first one, that of the initial graph."""
        with self._lock:
            self._send()
            if self._in_library or self._last is None:
                self._apply(None)
            assert self._last is not None
            untold, self._untold = self._untold, _NOTHING
            return _zero(self._last.total) if untold is _NOTHING else untold

    def follow(self, updates: Any, batch: int = 1) -> Iterator[Batch]:
        """Applies updates in batches of a fixed size; yields each batch.

        `updates`: a path, or anything that gives lines, or tuples such as `("+", u, v)`, `("-", u, v)`, `("v", u)`.
        """
        if batch < 1:
            raise ValueError(f"a batch has an update or more, not {batch}")
        if isinstance(updates, (str, os.PathLike)):
            with open(updates, encoding="utf-8-sig") as opened:
                yield from self.follow(opened, batch)
            return
        coming = iter(updates)
        while True:
            if not self._take(coming, batch):
                return
            yield self.apply()

    def __iter__(self) -> Iterator[Batch]:
        """The batches of the `updates` given to the stream."""
        if self._given is None:
            raise TypeError("the stream was made without `updates`: stream(…, updates=…), or follow(updates)")
        given, self._given = self._given, ()
        return self.follow(given, self._batch)

    def _take(self, coming: Iterator[Any], most: int) -> int:
        """Takes up to `size` updates, fewer at the end; empty lines and comments do not count."""
        taken = 0
        while taken < most:
            one = next(coming, None)
            if one is None:
                return taken
            if isinstance(one, str):
                text = one.strip(" \t,\r\n")
                if not text or text.startswith(("#", "%", "//")):
                    continue
            taken += 1
            if isinstance(one, str):
                self.update(one)
            elif one and one[0] in _KINDS:
                kind = _KINDS[one[0]]
                of_edge = kind in (_ADD_EDGE, _REMOVE_EDGE)
                if len(one) != (3 if of_edge else 2) and not (kind == _ADD_VERTEX and len(one) == 3):
                    raise InputError(f"error: {one!r} is no update", 3)
                if of_edge:
                    self._put(kind, one[1], one[2])
                elif kind == _ADD_VERTEX:
                    self.add_vertex(*one[1:])
                else:
                    self.remove_vertex(one[1])
            else:
                raise InputError(f"error: {one!r} is no update", 3)
        return taken

    def _put(self, kind: int, u: Any, v: Any, second: Optional[int] = None) -> None:
        with self._lock:
            self._graph.decide(*([u] if second is not None else [u, v]))
            first = self._graph.number(u)
            if second is None:
                second = self._graph.number(v)
            if not self._waiting or self._waiting[-1][0] != kind:
                self._waiting.append((kind, array("q"), array("q")))
            _, firsts, seconds = self._waiting[-1]
            firsts.append(first)
            seconds.append(second)

    def _put_many(self, kind: int, u: Any, v: Any) -> None:
        columns = _sources._ends(u, v, None, None)
        with self._lock:
            self._graph.decide(*columns)
            first, second = (self._graph.numbers(column) for column in columns)
            if first.count != second.count:
                raise ValueError(f"{first.count} first ends and {second.count} second ends")
            self._send()
            self._put_columns(kind, first, second)

    def _put_columns(self, kind: int, first: Ints, second: Ints) -> None:
        a, b, error = first.column(), second.column(), Handle()
        status = _library.opened().matcha_stream_put(
            self._owner.handle, kind, byref(a), byref(b), first.count, byref(error)
        )
        if status != _library.OK:
            _library.raise_error(status, error)
        self._in_library += first.count

    def _lines(self, text: str) -> None:
        self._send()
        given, error = text.encode(errors="surrogateescape"), Handle()
        status = _library.opened().matcha_stream_put_lines(self._owner.handle, given, len(given), byref(error))
        if status != _library.OK:
            _library.raise_error(status, error)
        self._in_library += 1

    def _send(self) -> None:
        """Passes the waiting updates to the library. Those that it refuses are dropped, and the others stay."""
        while self._waiting:
            kind, first, second = self._waiting.pop(0)
            self._put_columns(
                kind, *(Ints(one.buffer_info()[0], len(one), _library.INT64, 8, one) for one in (first, second))
            )

    def _apply(self, timeout: Optional[float]) -> Batch:
        lib = _library.opened()
        # After a failure the totals are unknown until another batch has an answer.
        self._in_library, self._last = 0, None
        chosen = _library.options({"timeout": timeout})
        run = _library.make("matcha_stream_apply", "matcha_run_free", self._owner.handle, chosen.handle)
        with _Cancelled(run):
            while not lib.matcha_wait(run.handle, _POLL_MS):
                pass
        result, error = Handle(), Handle()
        status = lib.matcha_finish(run.handle, byref(result), byref(error))
        found = Owner(result, "matcha_result_free")
        if status != _library.OK:
            _library.raise_error(status, error)
        answers, totals, changes = [], [], []
        used = 0
        for at, names in enumerate(self._row_names):
            answer = json.loads(_library.text_of("matcha_stream_answer", self._owner.handle, at))
            many = isinstance(answer.get("total"), list)
            count = len(answer["total"]) if many else 1
            values = [_value(found, used + one, self._graph) for one in range(count)]  # type: ignore[arg-type]
            used += count
            answers.append(answer)
            totals.append(tuple(values) if many else values[0])
            changes.append(self._changes_of(at, names))
        made = Batch(answers, totals, changes)
        if made.number != 0:
            self._untold = made.delta if self._untold is _NOTHING else _sum(self._untold, made.delta)
        self._last = made
        return made

    def _changes_of(self, at: int, names: list[str]) -> Optional[Table]:
        rows, error = Handle(), Handle()
        status = _library.opened().matcha_stream_changes(self._owner.handle, at, byref(rows), byref(error))
        if status == 2:  # Its result is not a list.
            _library.opened().matcha_error_free(error)
            return None
        if status != _library.OK:
            _library.raise_error(status, error)
        return _block(self._graph, Owner(rows, "matcha_rows_free"), names)  # type: ignore[arg-type]


class _Changing:
    """The names of the vertices of a graph, if it has names, and of added vertices."""

    def __init__(self, graph: Graph) -> None:
        self.names: Optional[list[Any]] = None if graph._names is None else list(graph._names)
        self._numbers = {name: at for at, name in enumerate(self.names or ())}
        # If the graph has no vertices, the first update decides whether vertices are named.
        self._first_decides = self.names is None and graph.vertex_count == 0

    @property
    def _names(self) -> Optional[list[Any]]:
        return self.names

    def _named(self, vertex: int) -> Any:
        return vertex if self.names is None else self.names[vertex]

    def decide(self, *ends: Any) -> None:
        """Ends of edges, or columns of them, that will be added."""
        self.decide_names(any(not (hasattr(end, "__index__") or isinstance(end, Ints)) for end in ends))

    def decide_names(self, is_named: bool) -> None:
        """True if the next update has names and not ints."""
        if self._first_decides and is_named:
            self.names = []
        self._first_decides = False

    def named_in(self, cell: str) -> Any:
        """The vertex of a cell: by its name or its int, or a new one."""
        if cell not in self._numbers and re.fullmatch("-?[0-9]+", cell) and int(cell) in self._numbers:
            return int(cell)
        return cell

    def number(self, vertex: Any) -> int:
        """The library's number of a vertex, which may be new."""
        if self.names is None:
            if isinstance(vertex, (str, bytes)):
                raise TypeError(f"the ids of the graph are ints of 64 bits, and so are those of its updates: {vertex!r}")
            number = operator.index(vertex)
            if not -(2**63) <= number < 2**63:
                raise ValueError(f"an id is an int of 64 bits: {vertex}")
            return number
        known = self._numbers.setdefault(vertex, len(self.names))
        if known == len(self.names):
            self.names.append(vertex)
        return known

    def numbers(self, column: Union[Ints, list[Any]]) -> Ints:
        """The same for many."""
        if self.names is None:
            if isinstance(column, list):
                raise TypeError("the ids of the graph are ints of 64 bits, and so are those of its updates")
            return column
        made = array("q", map(self.number, _inputs.as_names(column)))
        return Ints(made.buffer_info()[0], len(made), _library.INT64, 8, made)


def stream(
    graph: Optional[Graph],
    *programs: Union[PatternLike, Program],
    updates: Any = None,
    batch: int = 1,
    params: Optional[dict[str, Any]] = None,
    strict: bool = False,
    recompute: bool = False,
    threads: Optional[int] = None,
    **options: Any,
) -> Stream:
    """Maintains the answers of patterns and programs while the graph changes; the given graph stays unchanged.

    For patterns, and programs that count patterns, the matches of each changed edge update the answer; other programs
    are run again after each batch, and so are all with `recompute`. `options` are those of the patterns: `induced`,
    `embeddings`, `matches`; `params` are parameters of the programs. With `strict` an update that changes nothing is an
    `InputError`. With `updates`, which `Stream.follow` describes, iterate over the stream: it gives a `Batch` for every
    `batch` of them.

    Without a graph, `stream(None, …)`, the patterns are about the lines of a table, and may have conditions on its
    columns; `Stream.add_many` takes data frames, Arrow tables and dicts of columns. `options` are then also `directed`,
    `src`, `dst`, `time`, `window`, `edge_id`, `edge_label`, `ids`, `vertices`, `id`, `label` and `labels`, as those of
    `matcha stream --temporal`.

    >>> import matcha as mt
    >>> s = mt.stream(mt.Graph([0, 1, 2], [1, 2, 3]), "triangle")
    >>> s.add(0, 2)
    >>> s.count()
    1
    >>> s.add(1, 3)
    >>> s.remove(0, 1)
    >>> batch = s.apply()
    >>> batch.plus, batch.minus, batch.total, s.delta()
    (1, 1, 1, 1)
    >>> for batch in mt.stream(mt.Graph([0, 1], [1, 2]), "triangle", updates=["+ 0 2", "- 0 1"]):
    ...     print(batch.delta, batch.total)
    1 1
    -1 0
    >>> paid = mt.stream(None, "(a)-[x {sum > 9}]->(b)-[y]->(c) where x < y", directed=True, time="at", matches=True)
    >>> paid.add_many({"src": ["ann", "bob"], "dst": ["bob", "eve"], "at": [1, 2], "sum": [10, 7.5]})
    >>> list(paid.apply().added)
    [('ann', 'bob', 'eve', 0, 1)]
    """
    if graph is None:
        from matcha._table_stream import TableStream

        if updates is not None or params or strict:
            raise TypeError("a stream of a table has no parameters, and takes lines: add_many(table)")
        return TableStream(programs, {**options, "recompute": recompute or None, "threads": threads})
    return Stream(
        graph,
        programs,
        options,
        threads=threads,
        strict=strict,
        recompute=recompute,
        params=params or {},
        updates=updates,
        batch=batch,
    )


def _one(values: list[Any]) -> Any:
    """For one program, the value itself."""
    return values[0] if len(values) == 1 else tuple(values)


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sum(a: Any, b: Any) -> Any:
    """The sum of numbers, or of tuples item by item; None if one is unknown."""
    if a is None or b is None:
        return None
    return tuple(map(_sum, a, b)) if isinstance(a, tuple) else a + b


def _zero(total: Any) -> Any:
    """The neutral value of `_sum`."""
    if isinstance(total, tuple):
        return tuple(map(_zero, total))
    return total - total if isinstance(total, (int, float)) and not isinstance(total, bool) else None


def _rows(table: Optional[Table], sign: int) -> Optional[Table]:
    """The rows with one sign in their last column, without that column."""
    if table is None:
        return None
    *names, last = table.columns
    kept = [at for at, one in enumerate(table[last]) if one == sign]
    columns = {}
    for name in names:
        column = table[name]
        columns[name] = Column.of((column._items[at] for at in kept), column.kind, column.names)
    return Table(columns, len(kept))


__all__ = ["Batch", "Stream", "stream"]
