"""How often patterns occur, beside random graphs with the same degrees."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Optional, Union

from matcha._graph import Graph
from matcha._library import python_number
from matcha._pattern_text import PatternLike
from matcha._patterns import count, motifs
from matcha._program import Progress, program
from matcha._progress import Bar
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

    >>> import matcha as mt
    >>> ring = mt.Graph([0, 1, 2, 3, 4, 5, 0, 2, 4], [1, 2, 3, 4, 5, 0, 2, 4, 0])
    >>> found = mt.significance(ring, 3, samples=200)
    >>> list(found["pattern"]), list(found["count"])
    (['wedge', 'triangle'], [9, 4])
    """
    patterns, samples, seed = map(python_number, (patterns, samples, seed))
    if samples < 1:
        raise ValueError(f"there are {samples} samples, and at least 1 is needed")
    if isinstance(patterns, str) or isinstance(patterns, Views) or has_nodes(patterns):
        patterns = [patterns]
    elif not isinstance(patterns, int):
        patterns = list(patterns)
    counts = _counter(graph.directed, patterns, induced)
    observed = counts(graph, threads)
    workers = threads or os.cpu_count() or 1
    sums, squares = ([0] * len(observed) for _ in range(2))
    more, less = ([1] * len(observed) for _ in range(2))
    with ThreadPoolExecutor(workers) as pool, Bar(progress) as tell:
        seeds = range(seed, seed + samples)
        for done, found in enumerate(pool.map(lambda one: counts(graph.rewired(one), 1), seeds), 1):
            for at, ((_, number), (_, drawn)) in enumerate(zip(observed, found)):
                sums[at] += drawn
                squares[at] += drawn * drawn
                more[at] += drawn >= number
                less[at] += drawn <= number
            tell(done, samples)
    rows = [_row(number, total, square, samples) for (_, number), total, square in zip(observed, sums, squares)]
    mean, std, z = zip(*rows) if rows else ((), (), ())
    columns = {
        "pattern": Column.of(range(len(observed)), "i", [name for name, _ in observed]),
        "count": _numbers(number for _, number in observed),
        "mean": Column.of(mean, "f"),
        "std": Column.of(std, "f"),
        "z": Column.of(z, "f"),
        "p_more": Column.of((one / (samples + 1) for one in more), "f"),
        "p_less": Column.of((one / (samples + 1) for one in less), "f"),
    }
    return Table(columns, len(observed))


def _counter(
    directed: bool, patterns: Any, induced: Optional[str]
) -> Callable[[Graph, Optional[int]], list[tuple[Any, int]]]:
    """A function that counts each pattern in a graph on some threads: names and counts, always in one order."""
    if not isinstance(patterns, int):
        names = [one if isinstance(one, str) else f"pattern {at}" for at, one in enumerate(patterns)]

        def one_count(graph: Graph, name: str, one: Any, threads: Optional[int]) -> tuple[str, int]:
            number = count(graph, one, induced=induced, threads=threads)
            if not isinstance(number, int):
                raise ValueError(f"`{name}` is several counts: give its patterns one by one, or a number of vertices")
            return name, number

        return lambda graph, threads: [one_count(graph, name, one, threads) for name, one in zip(names, patterns)]
    if not directed or patterns == _TRIAD_VERTICES + 1:
        return lambda graph, threads: list(motifs(graph, patterns, induced=induced, threads=threads).items())
    if patterns != _TRIAD_VERTICES or induced not in (None, "vertex"):
        raise ValueError("the patterns of a directed graph are its triads, of 3 vertices and vertex-induced, or of 4 vertices")
    triads: Any = program("std.directed", entry="triads")
    return lambda graph, threads: list(triads(graph, threads=threads).as_dict().items())


def _row(number: int, total: int, square: int, samples: int) -> tuple[float, float, float]:
    """Mean, standard deviation of a sample, and z."""
    mean = total / samples
    # The numerator is exact in ints.
    variance = (samples * square - total * total) / (samples * (samples - 1)) if samples > 1 else 0.0
    std = math.sqrt(variance)
    if number * samples == total:
        return mean, std, 0.0
    return mean, std, (number - mean) / std if std else math.copysign(math.inf, number - mean)


def _numbers(items: Iterable[int]) -> Column:
    """A column of ints; of floats if one is beyond 64 bits."""
    whole = list(items)
    fits = all(-(2**63) <= one < 2**63 for one in whole)
    return Column.of(whole, "i") if fits else Column.of(map(float, whole), "f")


__all__ = ["significance"]
