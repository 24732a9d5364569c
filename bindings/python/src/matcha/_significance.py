"""How often patterns occur, compared with random graphs: with the same degrees, or with the same edges at other times."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

from matcha import _library
from matcha._graph import Graph
from matcha._library import Handle, Owner, python_number
from matcha._lists import graph_of, with_lists
from matcha._pattern_text import PatternLike
from matcha._patterns import _pattern
from matcha._program import Program, Progress, awaited, program
from matcha._sources import has_nodes
from matcha._table import Column, Table
from matcha._views import Views

_TRIAD_VERTICES = 3


def significance(
    graph: Graph,
    patterns: Union[int, PatternLike, Iterable[PatternLike]] = 4,
    *,
    samples: int = 100,
    seed: int = 1,
    threads: Optional[int] = None,
    induced: Optional[str] = None,
    timeout: Optional[float] = None,
    progress: Progress = False,
) -> Table:
    """Counts of patterns beside those of random graphs with the same degrees, vertices and labels: a row a pattern.

    `patterns` is a number of vertices (all connected patterns of 2 to 6, vertex-induced; of a directed graph 3, its 16
    triads, or 4, its 199 connected patterns of arcs) or a list of patterns, or one pattern that is text or a graph. The columns are `pattern`, `count`, then
    `mean` and `std` of the random graphs, and

    - `z`: (count - mean) / std; 0 if count and mean are equal, infinite if only std is 0;
    - `p_more`, `p_less`: the share of graphs, this one among them, that have at least, at most as many.

    The random graphs are `graph.rewired(s)` for `samples` seeds from `seed` on, counted on `threads` threads (all, by
    default), so that the same arguments give the same table. Raises what `count` raises, and `ValueError`.
    `matcha motifs GRAPH --null 100` gives the same numbers.

    >>> import matcha as mt
    >>> ring = mt.Graph([0, 1, 2, 3, 4, 5, 0, 2, 4], [1, 2, 3, 4, 5, 0, 2, 4, 0])
    >>> found = mt.significance(ring, 3, samples=200)
    >>> list(found["pattern"]), list(found["count"])
    (['wedge', 'triangle'], [9, 4])
    """
    patterns = python_number(patterns)
    if isinstance(patterns, str) or isinstance(patterns, Views) or has_nodes(patterns):
        patterns = [patterns]
    elif not isinstance(patterns, int):
        patterns = list(patterns)
    named = _programs(graph, patterns, induced)
    names = [name for text, one in named for name in one._names() or [text]]
    options = {"threads": threads, "timeout": timeout}
    return _compared(graph, [one._handle({}) for _, one in named], names, samples, seed, options, progress)


def temporal_motifs(
    edges: Any,
    times: Any,
    window: int,
    *,
    samples: int = 100,
    seed: int = 1,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    progress: Progress = False,
) -> Table:
    """Counts of the 6 shapes of two directed edges and the 36 of three, on two or three vertices, in the order of their
    times and within `window`, beside those with the same times in another order: a row a shape.

    `edges` are pairs of ids, an array or frame of two columns, or a mapping of them; `times` are ints. `ab<bc<ca` is an
    edge from a to b, then one from b to c, then one from c to a: times ascend strictly, and the last is at most `window`
    after the first. Loops match nothing. The columns are those of `significance`, with `samples` orders of the times,
    each as likely, in place of random graphs. Raises what `significance` raises.
    `matcha motifs TABLE --within 1h --null 100` gives the same numbers; the program `std.temporal` counts alone.

    >>> import matcha as mt
    >>> found = mt.temporal_motifs([(0, 1), (1, 2), (2, 0), (0, 1)], [10, 20, 30, 90], 60, samples=50)
    >>> [(pattern, count) for pattern, count, *_ in found if count]
    [('ab<ca', 1), ('ab<bc', 3), ('ab<bc<ca', 1)]
    """
    motifs = program("std.temporal", entry="motifs")
    lists = {"edges": edges, "times": times}
    handle = motifs._handle({"window": python_number(window)})
    graph = with_lists(graph_of(handle, lists), handle, lists)
    options = {"threads": threads, "timeout": timeout}
    return _compared(graph, [handle], motifs._names(), samples, seed, options, progress)


def _compared(
    graph: Graph, owners: list[Owner], names: list[str], samples: int, seed: int, options: dict[str, Any], progress: Progress
) -> Table:
    samples, seed = map(python_number, (samples, seed))
    if samples < 1:
        raise ValueError(f"there are {samples} samples, and at least 1 is needed")
    if not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ValueError("a seed is an int from 0 to 2**64 - 1")
    handles = (Handle * len(owners))(*(one.handle for one in owners))
    chosen = _library.options(options)
    run = _library.make(
        "matcha_graph_significance", "matcha_run_free", graph._owner.handle, handles, len(owners), samples, seed, chosen.handle,
    )  # fmt: skip
    columns = awaited(run, graph, progress).columns.values()
    kept = Column.of(range(len(names)), "i", names)
    return Table(dict(zip(("pattern", "count", "mean", "std", "z", "p_more", "p_less"), (kept, *columns))), len(names))


def _programs(graph: Graph, patterns: Any, induced: Optional[str]) -> list[tuple[str, Program]]:
    """The names of the patterns, or of all patterns of a size, each with the program that counts it."""
    if not isinstance(patterns, int):
        names = [one if isinstance(one, str) else f"pattern {at}" for at, one in enumerate(patterns)]
        return [(name, _pattern(graph, one, induced=induced)) for name, one in zip(names, patterns)]
    if not graph.directed or patterns == _TRIAD_VERTICES + 1:
        text = f"{'directed-' if graph.directed else ''}motif:{patterns}"
        return [(text, _pattern(graph, text, induced=induced))]
    if patterns != _TRIAD_VERTICES or induced not in (None, "vertex"):
        raise ValueError("the patterns of a directed graph are its triads, of 3 vertices and vertex-induced, or of 4 vertices")
    return [("triads", program("std.directed", entry="triads"))]


__all__ = ["significance", "temporal_motifs"]
