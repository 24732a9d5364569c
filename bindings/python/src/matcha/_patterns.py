"""Counting and listing patterns."""

from __future__ import annotations

from typing import Any, Iterator, Optional

from matcha._graph import Graph
from matcha._program import Pattern, Program, Progress
from matcha._table import Table, joined

# As `motif:K` lists them (docs/cli.md).
_MOTIFS = {3: ("wedge", "triangle"), 4: ("star:4", "path:4", "tailed-triangle", "square", "diamond", "clique:4")}


def count(
    graph: Graph,
    pattern: str,
    *,
    induced: Optional[str] = None,
    embeddings: bool = False,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    progress: Progress = False,
    **options: Any,
) -> int:
    """The number of subgraphs that match the pattern, each once; with `embeddings`, each way to lay it.

    `pattern` is text as on the command line: `"0-1,1-2,2-0"`, a name such as `"house"` or `"clique:5"`. `induced` is
    `"vertex"` (no other edges among the matched vertices) or `"edge"` (any). Other keywords are options of the command
    line, such as `algorithm`. Raises `ProgramError`, `UsageError`, `ResourceError`, and `Timeout` with the partial count.

    >>> import matcha as mt
    >>> square = mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])
    >>> mt.count(square, "cycle:4", induced="edge"), mt.count(square, "cycle:4", induced="vertex")
    (1, 0)
    """
    asked = _pattern(graph, pattern, induced=induced, embeddings=embeddings, **options)
    answer = asked(graph, threads=threads, timeout=timeout, progress=progress)
    return sum(answer) if isinstance(answer, tuple) else int(answer)


def match(
    graph: Graph,
    pattern: str,
    *,
    limit: Optional[int] = None,
    induced: Optional[str] = None,
    embeddings: bool = False,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    **options: Any,
) -> Table:
    """The matches as a `Table` with a row each, at most `limit` of them; column `v0` is the pattern's vertex 0.

    >>> import matcha as mt
    >>> sorted(map(sorted, mt.match(mt.Graph([0, 1, 2], [1, 2, 0]), "edge")))
    [[0, 1], [0, 2], [1, 2]]
    """
    return joined(list(blocks(graph, pattern, limit=limit, induced=induced, embeddings=embeddings, threads=threads,
                              timeout=timeout, **options)))  # fmt: skip


def blocks(
    graph: Graph,
    pattern: str,
    *,
    limit: Optional[int] = None,
    induced: Optional[str] = None,
    embeddings: bool = False,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    **options: Any,
) -> Iterator[Table]:
    """The same in blocks as they are found, in memory that does not grow. The run waits while blocks are not taken."""
    asked = _pattern(graph, pattern, induced=induced, embeddings=embeddings, matches=True, **options)
    return asked._blocks(graph, {"limit": limit, "threads": threads, "timeout": timeout})


def motifs(graph: Graph, size: int, **options: Any) -> dict[str, int]:
    """How often each connected pattern of 3 or 4 vertices occurs, vertex-induced, by its name.

    >>> import matcha as mt
    >>> mt.motifs(mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2]), 3)
    {'wedge': 2, 'triangle': 2}
    """
    if size not in _MOTIFS:
        raise ValueError(f"motifs of 3 or 4 vertices have names, not of {size}")
    run_options = {name: options.pop(name, None) for name in ("threads", "timeout")}
    answer = _pattern(graph, f"motif:{size}", **options)(graph, progress=options.pop("progress", False), **run_options)
    return dict(zip(_MOTIFS[size], answer))


def participation(graph: Graph, pattern: str, *, induced: Optional[str] = None, **options: Any) -> dict[Any, int]:
    """For each vertex, the number of matches that it is in.

    >>> import matcha as mt
    >>> mt.participation(mt.Graph([0, 1, 2, 2], [1, 2, 0, 3]), "triangle")
    {0: 1, 1: 1, 2: 1, 3: 0}
    """
    found = dict.fromkeys(graph.vertices, 0)
    for block in blocks(graph, pattern, induced=induced, **options):
        for column in block.columns.values():
            for vertex in column:
                found[vertex] += 1
    return found


def _pattern(graph: Graph, pattern: str, **options: Any) -> Program:
    """Compiled once for a graph and options, and kept with the graph."""
    key = (pattern, tuple(sorted((name, str(value)) for name, value in options.items())))
    kept = graph.__dict__.setdefault("_patterns", {})
    if key not in kept:
        kept[key] = Pattern(pattern, **options)
    found: Program = kept[key]
    return found
