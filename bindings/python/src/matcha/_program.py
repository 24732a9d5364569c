"""Programs and patterns, and how they run."""

from __future__ import annotations

import os
import re
import sys
import threading
import weakref
from ctypes import byref, c_double, c_uint64
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional, Sequence, Union

from matcha import _library
from matcha._estimate import Estimate
from matcha._graph import Graph
from matcha._join import join
from matcha._library import Handle, Owner
from matcha._lists import graph_of, with_lists
from matcha._pattern_text import PatternLike, text_of
from matcha._progress import Bar
from matcha._table import Table, column_of, joined

if TYPE_CHECKING:
    import inspect

    from matcha._options import PatternOptions, ProgramOptions
    from typing_extensions import Unpack

Progress = Union[bool, Callable[[int, int], None]]
_POLL_MS = 50
# The number of values for which a program keeps compiled code.
_MOST_COMPILED = 64


class Counts(tuple[Any, ...]):
    """The numbers of a result, as a tuple; `counts["030T"]` is one of them by its name.

    >>> import matcha as mt
    >>> g = mt.Graph([0, 1, 2], [1, 2, 0], directed=True)
    >>> counts = mt.program("std.directed", entry="triads")(g)
    >>> counts["030C"], sum(counts), counts.as_dict()["300"]
    (1, 1, 0)
    """

    names: tuple[str, ...]

    def __new__(cls, values: Iterable[Any], names: Iterable[str]) -> Counts:
        made = super().__new__(cls, tuple(values))
        made.names = tuple(names)
        return made

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, str):
            return super().__getitem__(at)
        if at not in self.names:
            raise KeyError(f"no number is called {at!r}; the names are: {', '.join(self.names)}")
        return super().__getitem__(self.names.index(at))

    def __getnewargs__(self) -> Any:
        return tuple(self), self.names

    def as_dict(self) -> dict[str, Any]:
        """The numbers by their names."""
        return dict(zip(self.names, self))


class Program:
    """A program in Matcha's language, from its text, a `.mt` file or a module of the library such as
    `std.clique`: a function of a graph, or of several.

    Calling it with its graphs runs it; other parameters of its entry are given by name, and `help` shows them. It is
    compiled once for a graph and a set of parameters. `entry` names the function to run; other keywords are options of
    the command line. Raises `ProgramError` where the text is wrong.

    >>> import matcha as mt
    >>> degree_sum = mt.program("def main(G: Graph, k: int = 2) -> int:\\n"
    ...                         "    'k times the sum of the degrees.'\\n"
    ...                         "    return k * sum(apply(lambda v: size(neighbor(G, v)), vertices(G)))")
    >>> degree_sum(mt.Graph([0, 1], [1, 2]), k=10)
    40
    >>> import inspect
    >>> print(degree_sum.__doc__, inspect.signature(degree_sum))
    k times the sum of the degrees. (G: 'Graph', *, k: 'int' = 2) -> 'int'
    """

    def __init__(self, source: Any, *, entry: Optional[str] = None, **options: Unpack[ProgramOptions]) -> None:
        _library.check_keywords("a program", options, "program")
        text = os.fspath(source)
        file = None
        if "\n" not in text and text.endswith(".mt"):
            file = text
            with open(text, encoding="utf-8") as opened:
                text = opened.read()
        self._prepare("matcha_program_compile", text, {"entry": entry, "file": file, **options})
        signature = _library.string(_library.opened().matcha_program_signature(self._handle({}).handle))
        self.__name__ = signature.split("(")[0]
        self.__doc__ = _library.string(_library.opened().matcha_program_doc(self._handle({}).handle)) or signature
        self.__signature__ = _signature_of(signature)

    def _prepare(self, function: str, text: str, options: dict[str, Any]) -> None:
        self.text = text
        self._function = function
        self._options = options
        self._compiled: dict[tuple[Optional[str], ...], Owner] = {}
        self._lock = threading.Lock()
        # The graphs of the last call, and their join.
        self._joined: Optional[tuple[list[tuple[str, weakref.ref[Graph]]], Graph]] = None
        self._handle({})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_compiled", "_lock", "_joined")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare(self._function, self.text, self._options)

    def __call__(
        self,
        *graphs: Graph,
        threads: Optional[int] = None,
        timeout: Optional[float] = None,
        device: Optional[str] = None,
        simd: Optional[str] = None,
        progress: Progress = False,
        **params: Any,
    ) -> Any:
        """The answer: an int, float, bool, vertex or `Table`, or a tuple of them, `Counts` where they have names.

        A program with several graphs takes them in the order of its parameters or by their names, or one that
        `matcha.join` made. A list is given by the name of its parameter: an array or a sequence; of tuples, rows or
        columns. Its vertices are ids of the graph.
        """
        named = {name: value for name, value in params.items() if isinstance(value, Graph)}
        takes_list = self._parameters("List")
        lists = {name: value for name, value in params.items() if name in takes_list and name not in named}
        params = {name: value for name, value in params.items() if name not in named and name not in lists}
        has_graph = bool(graphs or named or self._parameters("Graph") or not lists)
        graph = self._graph_of(graphs, named) if has_graph else graph_of(self._handle({}), lists)
        if lists:
            graph = with_lists(graph, self._handle({}), lists)
        return self._run(graph, {"threads": threads, "timeout": timeout, "simd": simd}, params, progress, device)

    def _parameters(self, kind: str) -> list[str]:
        """The names of the parameters whose types begin with this text."""
        signature = getattr(self, "__signature__", None)
        parameters = [] if signature is None else list(signature.parameters.values())
        return [one.name for one in parameters if str(one.annotation).startswith(kind)]

    def _graph_of(self, graphs: Sequence[Graph], named: dict[str, Graph]) -> Graph:
        """One graph: the given one, or a join of all."""
        names = self._parameters("Graph")
        if len(graphs) + len(named) == 0:
            raise TypeError(f"it is called with {'a graph' if len(names) < 2 else 'graphs: ' + ', '.join(names)}")
        if len(graphs) == 1 and not named:
            return graphs[0]
        unknown = [name for name in named if name not in names]
        if unknown:
            raise TypeError(f"no graph is called {unknown[0]!r} there; the graphs are: {', '.join(names)}")
        if len(graphs) > len(names):
            raise TypeError(f"{len(graphs)} graphs are given, and it takes {max(len(names), 1)}")
        given: dict[str, Graph] = dict(zip(names, graphs))
        twice = [name for name in named if name in given]
        if twice:
            raise TypeError(f"the graph {twice[0]!r} is given twice")
        given.update(named)
        if len(names) == 1:
            return given[names[0]]
        key = [(name, weakref.ref(graph)) for name, graph in given.items() if isinstance(graph, Graph)]
        last = self._joined
        if last is None or last[0] != key:
            last = self._joined = (key, join(**given))
        return last[1]

    def emit(self, stage: str = "kernel") -> str:
        """A stage of its compilation as text, as `matcha build --emit` prints it: "ast", "asg", "ir", "kernel", "llvm",
        "cpp", "cuda"; or of a pattern "source", the program that finds it, and "svg", its picture."""
        return _library.text_of("matcha_program_emit", self._handle({}).handle, stage.encode())

    def _handle(self, params: dict[str, Any], device: Optional[str] = None) -> Owner:
        # By their texts: as values 0.0 and -0.0 are equal, and so are 1, 1.0 and True.
        texts = [f"{name}={value}" for name, value in sorted(params.items())]
        key = (device, *texts)
        with self._lock:
            if key not in self._compiled:
                kept = self._options.get("param") or []
                given = [kept] if isinstance(kept, str) else [*kept]
                chosen = _library.options({"device": device, **self._options, "param": given + texts})
                made = _library.make(self._function, "matcha_program_free", self.text.encode(), chosen.handle)
                if len(self._compiled) >= _MOST_COMPILED:
                    del self._compiled[next(iter(self._compiled))]
                self._compiled[key] = made
            return self._compiled[key]

    def _run(
        self, graph: Graph, options: dict[str, Any], params: dict[str, Any], progress: Progress, device: Optional[str]
    ) -> Any:
        if not isinstance(graph, Graph):
            raise TypeError(f"a graph is a matcha.Graph, not a {type(graph).__name__}: matcha.Graph(…) makes one")
        run = _start("matcha_start", self._handle(params, device or graph._device), graph, options)
        answer = awaited(run, graph, progress)
        names = self._names() if isinstance(answer, tuple) else []
        return Counts(answer, names) if names and len(names) == len(answer) else answer

    def _blocks(
        self, graph: Graph, options: dict[str, Any], device: Optional[str] = None, progress: Progress = False
    ) -> Iterator[Table]:
        lib = _library.opened()
        names = self._names()
        run = _start("matcha_start_rows", self._handle({}, device or graph._device), graph, options)
        with _Cancelled(run), Bar(progress) as tell:
            while True:
                rows = Handle()
                found = lib.matcha_next_rows(run.handle, byref(rows), _POLL_MS)
                tell(*_progress(run))
                if found == 1:
                    yield _block(graph, Owner(rows, "matcha_rows_free"), names)
                elif found < 0:
                    break
        _finish(run, graph)

    def _names(self) -> list[str]:
        """Names of the columns of matches, of the patterns of a motif, or of the numbers of a result."""
        lib, handle = _library.opened(), self._handle({}).handle
        return [
            _library.string(lib.matcha_program_name(handle, at)) for at in range(lib.matcha_program_name_count(handle))
        ]

    def _texts(self) -> list[str]:
        """Of each pattern."""
        lib, handle = _library.opened(), self._handle({}).handle
        found: list[str] = []
        while True:
            text = lib.matcha_program_edges(handle, len(found))
            if text is None:
                return found
            found.append(text.decode())

    def __repr__(self) -> str:
        return f"<matcha program {_library.string(_library.opened().matcha_program_signature(self._handle({}).handle))}>"


class Pattern(Program):
    """A pattern as text for the command line, or as a graph or pairs. See `count` and `match`."""

    def __init__(self, pattern: PatternLike, **given: Unpack[PatternOptions]) -> None:
        options: dict[str, Any] = dict(given)
        _library.check_keywords("a pattern", options, "pattern", "program")
        text = text_of(pattern, False, options.pop("label", None), options.pop("edge_label", None))
        self._prepare("matcha_program_pattern", text, options)

    def __repr__(self) -> str:
        return f"<matcha pattern {self.text}>"


def program(source: Any, *, entry: Optional[str] = None, **options: Unpack[ProgramOptions]) -> Program:
    """`Program(source, …)`: a program as a function.

    >>> import matcha as mt
    >>> mt.program("def main(G: Graph) -> int:\\n    return size(vertices(G))")(mt.Graph([0, 1], [1, 2]))
    3
    """
    return Program(source, entry=entry, **options)


_TYPES = {"int": int, "float": float, "bool": bool}


def _signature_of(text: str) -> inspect.Signature:
    """Of `name(G: Graph, k: int = 2) -> int`."""
    import inspect  # Importing it takes as long as the rest of the package.

    inside, result = text.split("(", 1)[1].rsplit(") -> ", 1)
    parameters = []
    leads = True  # Only graphs stand before it.
    for at, one in enumerate(re.findall(r"(\w+): ((?:[^,<]|<(?:[^<>]|<[^<>]*>)*>)+)", inside)):
        name, rest = one
        kind, _, default = rest.partition(" = ")
        value = inspect.Parameter.empty
        if default:
            value = default == "True" if kind == "bool" else _TYPES.get(kind, str)(default)
        leads = leads and kind.startswith("Graph")
        way = inspect.Parameter.POSITIONAL_OR_KEYWORD if at == 0 or leads else inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, way, default=value, annotation=kind))
    return inspect.Signature(parameters, return_annotation=result)


def _start(function: str, compiled: Owner, graph: Graph, options: dict[str, Any]) -> Owner:
    chosen = _library.options(options) if any(one is not None for one in options.values()) else _library.no_options()
    return _library.make(function, "matcha_run_free", compiled.handle, graph._owner.handle, chosen.handle)


def awaited(run: Owner, graph: Graph, progress: Progress) -> Any:
    """The answer of a run, once it has ended."""
    lib = _library.opened()
    with _Cancelled(run):
        if not lib.matcha_wait(run.handle, _POLL_MS):
            with Bar(progress) as tell:
                while not lib.matcha_wait(run.handle, _POLL_MS):
                    tell(*_progress(run))
    return _finish(run, graph)


def _progress(run: Owner) -> tuple[int, int]:
    done, total = c_uint64(), c_uint64()
    _library.opened().matcha_progress(run.handle, byref(done), byref(total))
    return done.value, total.value


class _Cancelled:
    """Ends the run if its body raises, as with Ctrl-C."""

    def __init__(self, run: Owner) -> None:
        self._run = run

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is not None:
            _library.opened().matcha_cancel(self._run.handle)
            _library.opened().matcha_wait(self._run.handle, -1)


def _finish(run: Owner, graph: Graph) -> Any:
    lib = _library.opened()
    result, error = Handle(), Handle()
    status = lib.matcha_finish(run.handle, byref(result), byref(error))
    owner = Owner(result, "matcha_result_free")
    answer = _answer(owner, graph) if result else None
    if status == _library.TIMEOUT:
        done, total = _progress(run)
        _library.raise_error(status, error, partial=answer, done=done, total=total)
    if status != _library.OK:
        _library.raise_error(status, error)
    return answer


def _answer(result: Owner, graph: Graph) -> Any:
    interval = (c_double * 4)()
    if _library.opened().matcha_result_interval(result.handle, interval):
        value, half_width, draws, hits = interval
        return Estimate(value, half_width, int(draws), int(hits), exact=False)
    values = [_value(result, at, graph) for at in range(_library.opened().matcha_result_size(result.handle))]
    return values[0] if len(values) == 1 else tuple(values) if values else None


def _value(result: Owner, at: int, graph: Graph) -> Any:
    lib = _library.opened()
    kind = lib.matcha_result_kind(result.handle, at)
    if kind == _library.FLOAT:
        return lib.matcha_result_float(result.handle, at)
    if kind != _library.LIST:
        words = (c_uint64 * 4)()
        negative = lib.matcha_result_words(result.handle, at, words)
        whole = int.from_bytes(bytes(words), sys.byteorder) - (negative << 256)
        return bool(whole) if kind == _library.BOOL else graph._named(whole) if kind in (_library.VERTEX, _library.NAME) else whole
    rows = lib.matcha_result_rows(result.handle, at)
    columns = {}
    for column in range(lib.matcha_result_columns(result.handle, at)):
        kind = lib.matcha_result_column_kind(result.handle, at, column)
        ints = lib.matcha_result_ints(result.handle, at, column)
        floats = lib.matcha_result_floats(result.handle, at, column)
        columns[f"v{column}"] = column_of(graph, kind, ints, floats, rows, result)
    return Table(columns, rows)


def _block(graph: Graph, rows: Owner, names: list[str]) -> Table:
    lib = _library.opened()
    count = lib.matcha_rows_count(rows.handle)
    columns = {}
    for column in range(lib.matcha_rows_columns(rows.handle)):
        kind = lib.matcha_rows_kind(rows.handle, column)
        ints, floats = lib.matcha_rows_ints(rows.handle, column), lib.matcha_rows_floats(rows.handle, column)
        name = names[column] if column < len(names) else f"v{column}"
        columns[name] = column_of(graph, kind, ints, floats, count, rows)
    return Table(columns, count)


__all__ = ["Counts", "Pattern", "Program", "Progress", "awaited", "joined", "program"]
