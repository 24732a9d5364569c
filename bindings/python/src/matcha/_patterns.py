"""Counting and listing patterns."""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, Optional, Sequence, Union, overload

from matcha._errors import error_of
from matcha._graph import Graph
from matcha._pattern_text import PatternLike, text_of
from matcha._program import Pattern, Program, Progress
from matcha._table import Column, Table, joined
from matcha._values import answer, param_texts

if TYPE_CHECKING:
    from matcha._options import MoreOptions, PatternOptions
    from typing_extensions import Unpack

Induced = Optional[Literal["edge", "vertex"]]
Match = Optional[Literal["iso", "homo", "edge"]]
Algorithm = Optional[Literal["auto", "extend", "join", "decompose"]]
Device = Optional[Literal["auto", "cpu", "cuda"]]


@overload
def count(graph: Graph, pattern: Literal["clique:*", "clique:maximal"], **options: Any) -> dict[int, int]: ...


@overload
def count(graph: Graph, pattern: PatternLike, **options: Any) -> int: ...


def count(
    graph: Graph,
    pattern: PatternLike,
    *,
    induced: Induced = None,
    embeddings: bool = False,
    match: Match = None,
    algorithm: Algorithm = None,
    device: Device = None,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    progress: Progress = False,
    **options: Unpack[MoreOptions],
) -> Union[int, dict[int, int]]:
    """The number of subgraphs that match the pattern, each once; with `embeddings`, the number of maps of the pattern.

    `pattern` is text as on the command line: `"a-b-c-a"`, a name such as `"house"` or `"clique:5"`; or a graph of
    NetworkX or igraph, where the attribute "label" of vertices and edges is the label to meet, or what the keywords
    `label` and `edge_label` name; or pairs of vertices, which are arcs if the graph is directed. `induced` is
    `"edge"` (any other edges among the matched vertices, the default) or `"vertex"` (none). `match="homo"` counts
    homomorphisms as SPARQL does, `match="edge"` maps with edges that all differ as Cypher does. `device` is `"cpu"` or
    `"cuda"`. With `progress` a bar is drawn, or a function gets the finished and the whole work. Other keywords are
    options of the command line, such as `plan`. Raises `ProgramError`, `UsageError`, `ResourceError`, and
    `Timeout` with the partial count.

    >>> import matcha as mt
    >>> square = mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])
    >>> mt.count(square, "cycle:4", induced="edge"), mt.count(square, "cycle:4", induced="vertex")
    (1, 0)
    >>> mt.count(square, [("a", "b"), ("b", "c"), ("c", "a")])
    2

    `"clique:*"` gives the cliques of each number of vertices, as a dict by that number; `"clique:maximal"` those that
    are in no larger one. The last number is that of the largest clique.

    >>> mt.count(square, "clique:*")
    {1: 4, 2: 5, 3: 2}
    >>> mt.count(square, "clique:maximal")
    {1: 0, 2: 0, 3: 2}
    """
    if options.get("within") is not None:
        raise error_of(2, "error: `count` is exact: `estimate` gives intervals\n")
    answer = asked_for(
        graph, pattern, induced=induced, embeddings=embeddings, match=match, algorithm=algorithm, device=device,
        threads=threads, timeout=timeout, progress=progress, **options,
    )
    if isinstance(pattern, str) and pattern.strip() in ("clique:*", "clique:maximal"):
        sizes = answer if isinstance(answer, tuple) else (answer,)
        return dict(enumerate((int(count) for count in sizes), 1))
    return sum(answer) if isinstance(answer, tuple) else sum(answer["v0"]) if isinstance(answer, Table) else int(answer)


def asked_for(
    graph: Graph, pattern: PatternLike, *, device: Optional[str] = None, threads: Optional[int] = None,
    timeout: Optional[float] = None, progress: Progress = False, simd: Optional[str] = None, **options: Any,
) -> Any:
    """The answer of a pattern as it is: a number, a tuple, a table or an estimate."""
    _check_form(options)
    return _pattern(graph, pattern, **options)(
        graph, threads=threads, timeout=timeout, device=device, simd=simd, progress=progress
    )


class Matches(Table):
    """Matches of a pattern, a row each. They are looked for when they are first looked at, and then stay.

    `blocks()` gives them as they are found, in memory that does not grow, and so does `__arrow_c_stream__`.
    """

    def __init__(
        self, graph: Graph, asked: Program, options: dict[str, Any], device: Optional[str], labels: Sequence[str] = (),
        progress: Progress = False,
    ) -> None:
        super().__init__({}, 0)
        self._labels = labels  # The columns with labels of edges.
        self._graph = graph
        self._asked = asked
        self._run_options = options
        self._run_device = device
        self._progress = progress
        self._found = False

    @property
    def columns(self) -> dict[str, Column]:
        """The columns by their names, in order."""
        if not self._found:
            whole = joined(list(self.blocks()), self._asked._names())
            self._columns, self._rows, self._found = whole.columns, len(whole), True
        return self._columns

    def blocks(self) -> Iterator[Table]:
        """Tables of some thousand rows each; the run waits for the caller."""
        if self._found:
            yield Table(self._columns, self._rows)
        else:
            yield from self._asked._blocks(self._graph, self._run_options, self._run_device, self._progress)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule of a stream of record batches, which are computed on demand."""
        from matcha._arrow import capsule_of

        kinds = {name: self._graph._labels.names if name in self._labels else self._graph._names
                 for name in self._asked._names()}  # fmt: skip
        shape = Table({name: Column.of((), names=names) for name, names in kinds.items()}, 0)
        return capsule_of(shape, self.blocks())


def match(
    graph: Graph,
    pattern: PatternLike,
    *,
    limit: Optional[int] = None,
    induced: Induced = None,
    embeddings: bool = False,
    match: Match = None,
    algorithm: Algorithm = None,
    device: Device = None,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    progress: Progress = False,
    **options: Unpack[MoreOptions],
) -> Matches:
    """The matches as a table with a row each, at most `limit` of them, and a column for each vertex of the pattern.

    Those of a graph or of pairs, which `count` describes, are `v0`, `v1`, …, in the order of its vertices. The matches
    are looked for when the table is first looked at: then errors of the run are raised.

    >>> import matcha as mt
    >>> m = mt.match(mt.Graph([0, 1, 2], [1, 2, 0]), "edge")
    >>> sorted(map(sorted, m)), list(m.columns)
    ([[0, 1], [0, 2], [1, 2]], ['v0', 'v1'])
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"a graph is a matcha.Graph, not a {type(graph).__name__}: matcha.Graph(…) makes one")
    _check_form(options)
    run_options = {"limit": limit, "threads": threads, "timeout": timeout, "simd": options.pop("simd", None)}
    asked = _pattern(graph, pattern, induced=induced, embeddings=embeddings, match=match, algorithm=algorithm,
                     matches=True, **options)  # fmt: skip
    return Matches(graph, asked, run_options, device, progress=progress)


def query(
    graph: Graph,
    text: str,
    *,
    params: Optional[Mapping[str, Any]] = None,
    device: Optional[str] = None,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    progress: Progress = False,
) -> Union[int, bool, Table]:
    """The answer to a query of SPARQL or Cypher, with the meaning of its language.

    A count (`SELECT (COUNT(*) AS ?n)`, `RETURN count(*)`) is an int, `ASK` a bool; other queries give a table with a
    row a match and a column for each vertex, or label of an edge, that it returns. The graph is directed, and
    it is made with `keep_loops=True`, as queries see loops; edges without labels have no type. Raises `ProgramError`
    with the place of unsupported syntax, `UsageError`, `ResourceError` and `Timeout`.

    Cypher that is more than one pattern is answered, too, on one thread: columns are nodes, numbers, texts, lists, and
    None. A relationship is its place in `graph.edges`, a path a tuple of nodes and relationships. `params` are the
    values of its `$NAME`.

    >>> import matcha as mt
    >>> g = mt.Graph([1, 2, 2], [2, 1, 3], directed=True, edge_label=["knows", "knows", "owns"], keep_loops=True)
    >>> mt.query(g, "MATCH (a)-[:knows]->(b)-[:owns]->(c) RETURN count(*)")
    1
    >>> list(mt.query(g, "SELECT ?c ?a { ?a <knows> ?b . ?b <owns> ?c }")), mt.query(g, "ASK { ?a <owns> <1> }")
    ([(3, 1)], False)
    >>> sorted(mt.query(g, "MATCH (a)-[r]->(b) RETURN a, type(r)"))
    [(1, 'knows'), (2, 'knows'), (2, 'owns')]
    >>> list(mt.query(g, "MATCH (a) OPTIONAL MATCH (a)-[:owns]->(b) RETURN a, b, $x AS x ORDER BY a", params={"x": 7}))
    [(1, None, 7), (2, 3, 7), (3, None, 7)]
    """
    if not isinstance(text, str):
        raise TypeError(f"a query is text, not a {type(text).__name__}")
    asked = Pattern(text, query=True, param=param_texts(params)) if params else _pattern(graph, text, query=True)
    wanted = json.loads(asked.emit("query"))
    if "statement" in wanted:
        table = answer(graph, asked, timeout, device)
        return int(next(iter(table))[0]) if wanted["answer"] == "count" else table
    if params:
        raise error_of(2, "error: the query has no parameters\n")
    if wanted["answer"] == "count":
        found = asked(graph, threads=threads, timeout=timeout, device=device, progress=progress)
        return sum(found["v0"]) if isinstance(found, Table) else int(found)
    limit = 1 if wanted["answer"] == "exists" else wanted.get("limit")
    rows = Matches(graph, asked, {"limit": limit, "threads": threads, "timeout": timeout}, device,
                   wanted.get("labels", ()), progress)  # fmt: skip
    return len(rows) > 0 if wanted["answer"] == "exists" else rows


def blocks(
    graph: Graph, pattern: PatternLike, *, limit: Optional[int] = None, progress: Progress = False,
    **options: Unpack[PatternOptions],
) -> Iterator[Table]:
    """`match(…).blocks()`: the matches in blocks as they are found, in bounded memory."""
    return match(graph, pattern, limit=limit, progress=progress, **options).blocks()


class Motifs(dict[str, int]):
    """Counts of patterns by their names; drawn in notebooks."""

    patterns: dict[str, str]  #: Their texts.

    def _repr_html_(self) -> str:
        from matcha._draw import motifs_html

        return motifs_html(self)


def motifs(graph: Graph, size: int, *, progress: Progress = False, **given: Unpack[PatternOptions]) -> Motifs:
    """How often each connected pattern of `size` vertices (2 to 6) occurs, vertex-induced, by its name.

    A pattern without a name is called by its edges. `induced="edge"` counts them with any other edges. In a directed
    graph they are patterns of arcs: 13 of 3 vertices, which have the names of triads, 199 of 4, which is the most.

    >>> import matcha as mt
    >>> mt.motifs(mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2]), 3)
    {'wedge': 2, 'triangle': 2}
    """
    options, run_options = _divided(given)
    asked = _pattern(graph, f"{'directed-' if graph.directed else ''}motif:{size}", **options)
    answer = asked(graph, progress=progress, **run_options)
    names = asked._names()
    counts = list(answer["v0"]) if isinstance(answer, Table) else answer if isinstance(answer, tuple) else (answer,)
    found = Motifs(zip(names, counts))
    found.patterns = dict(zip(names, asked._texts()))
    return found


def orbits(
    graph: Graph, size: int = 4, *, by: str = "vertex", progress: Progress = False, **given: Unpack[PatternOptions]
) -> Table:
    """How often each vertex is in each place of the connected patterns of 2 to `size` vertices: a row a vertex.

    The first column is `vertex`, the others are the orbits by name, in the usual order: 15 for `size=4`, 73 for
    `size=5`, which is the most. With `by="edge"` a row an edge, with its ends `u` and `v` and 13 or 69 orbits. Counts
    are vertex-induced; `induced="edge"` counts patterns with any other edges, too.

    >>> import matcha as mt
    >>> found = mt.orbits(mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2]), 3)
    >>> {name: list(column) for name, column in found.columns.items()}
    {'vertex': [0, 1, 2, 3], 'edge': [3, 2, 3, 2], 'wedge-end': [0, 2, 0, 2], 'wedge-middle': [1, 0, 1, 0], \
'triangle': [2, 1, 2, 1]}
    """
    return _counts_at(graph, f"motif:{size}", by, progress, given)


def cliques(graph: Graph, size: Optional[int] = None, *, by: str = "vertex", progress: Progress = False, **given: Unpack[PatternOptions]) -> Table:
    """How many cliques of `size` vertices each vertex is in: a row a vertex, with the columns `vertex` and `cliques`.

    With `by="edge"` a row an edge, with its ends `u` and `v`. `size` is any number from 2 on; without it there is a row
    for each size of which a vertex or edge has cliques, with the column `size`. Counts of more than 63 bits are an
    error; `count(graph, "clique:20")` has those of the whole graph.

    >>> import matcha as mt
    >>> found = mt.cliques(mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2]), 3)
    >>> {name: list(column) for name, column in found.columns.items()}
    {'vertex': [0, 1, 2, 3], 'cliques': [2, 1, 2, 1]}
    """
    return _counts_at(graph, f"clique:{'*' if size is None else size}", by, progress, given)


def _counts_at(graph: Graph, pattern: str, by: str, progress: Progress, given: Any) -> Table:
    """A row for each vertex or edge."""
    if by not in ("vertex", "edge"):
        raise ValueError(f"counts are those of a vertex or an edge, not of {by!r}")
    options, run_options = _divided(given)
    asked = _pattern(graph, pattern, per=by, **options)
    answer: Table = asked(graph, progress=progress, **run_options)
    return Table(dict(zip(asked._names(), answer.columns.values())), len(answer))


def participation(graph: Graph, pattern: PatternLike, *, by: str = "vertex", **options: Unpack[PatternOptions]) -> Column:
    """For each of `graph.vertices`, in that order, the number of matches that it is in, each match once.

    >>> import matcha as mt
    >>> g = mt.Graph([0, 1, 2, 2], [1, 2, 0, 3])
    >>> list(zip(g.vertices, mt.participation(g, "triangle")))
    [(0, 1), (1, 1), (2, 1), (3, 0)]
    """
    if by != "vertex":
        raise ValueError(f"matches are counted by vertex, not by {by!r}")
    ids = graph.vertices
    found = match(graph, pattern, **options).blocks()
    try:
        import numpy
    except ImportError:
        return _counted(ids, found)
    plain = Column(ids.address, len(ids), "i", ids).to_numpy()
    counts = numpy.zeros(len(ids), dtype=numpy.int64)
    for block in found:
        earlier: list[Any] = []  # Only maps may have a vertex in several places of a match.
        for column in block.columns.values():
            seen = Column(column.address, len(column), "i", column).to_numpy()
            is_new = numpy.ones(len(seen), dtype=bool)
            for other in earlier:
                is_new &= seen != other
            earlier += [seen] if options.get("match") in ("homo", "edge") else []
            counts += numpy.bincount(numpy.searchsorted(plain, seen[is_new]), minlength=len(ids))
    return Column(counts.__array_interface__["data"][0], len(ids), "i", counts)


def _counted(ids: Column, found: Iterator[Table]) -> Column:
    """Without numpy."""
    place = {vertex: at for at, vertex in enumerate(ids)}
    counts = array("q", bytes(8 * len(ids)))
    for block in found:
        for row in block:
            for vertex in set(row):
                counts[place[vertex]] += 1
    return Column.of(counts)


def _check_form(options: Any) -> None:
    """Refuses options that change the form of an answer: each function has its own."""
    for name in ("per", "matches", "query"):
        if options.get(name):
            hint = "`orbits` and `cliques` count by vertex or edge, `match` has the matches, `query` reads queries"
            raise error_of(2, f"error: counts and matches take no option `{name}`\n  hint: {hint}\n")


def _divided(given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a pattern, and those of its run."""
    _check_form(given)
    options = dict(given)
    return options, {name: options.pop(name, None) for name in ("threads", "timeout", "device", "simd")}


def _pattern(graph: Graph, pattern: PatternLike, **options: Any) -> Program:
    """Compiled once for a graph and options, and cached with the graph."""
    if not isinstance(graph, Graph):
        raise TypeError(f"a graph is a matcha.Graph, not a {type(graph).__name__}: matcha.Graph(…) makes one")
    text = text_of(pattern, graph.directed, options.pop("label", None), options.pop("edge_label", None))
    key = (text, repr(options))
    kept = graph.__dict__.setdefault("_patterns", {})
    if key not in kept:
        made = Pattern(text, **options)
        if graph._has_own_names():
            named = json.loads(made.emit("vertices"))
            if named:
                made = Pattern(text, vertex_id=[f"{graph._place_of(name)} {name}" for name in named], **options)
        kept[key] = made
    found: Program = kept[key]
    return found


__all__ = ["Matches", "Motifs", "blocks", "cliques", "count", "match", "motifs", "orbits", "participation", "query"]
