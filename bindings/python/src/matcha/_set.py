"""Sets of graphs: many small graphs of one file, kept as one graph with a part for each."""

from __future__ import annotations

import re
from typing import Any

from matcha._graph import Graph, read
from matcha._patterns import match


class GraphSet:
    """Graphs of one file, with counts for each. Made by `read_set`.

    `graph` is one graph that has all of them, without edges between; its ids are text `graph:vertex` where
    there are several.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        known = int(graph._file_facts().get("graphs", 1))
        self._size = known if known > 1 else _graphs_of_ids(graph)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"<matcha.GraphSet: {self._size} graphs>"

    def count(self, pattern: str, **options: Any) -> list[int]:
        """The number of matches in each graph, in the order of the file; `options` are those of `match`.

        The pattern is matched once for all graphs, so a small graph costs a few microseconds. It has to be connected.

        >>> import pathlib, tempfile
        >>> import matcha as mt
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name, "two.g6")
        >>> _ = path.write_text("Bw\\nC~\\nBo\\n")
        >>> mt.read_set(path).count("triangle"), mt.read_set(path).contains("triangle")
        ([1, 4, 0], [True, True, False])
        >>> folder.cleanup()
        """
        counts = [0] * self._size
        for row in match(self.graph, pattern, **options):
            counts[int(row[0].split(":", 1)[0]) if self._size > 1 else 0] += 1
        return counts

    def contains(self, pattern: str, **options: Any) -> list[bool]:
        """For each graph, whether it contains the pattern; `options` are those of `match`."""
        return [number != 0 for number in self.count(pattern, **options)]


def _graphs_of_ids(graph: Graph) -> int:
    """By the ids `0:3`, `1:0`, … that a set has in a file of another format, without graphs at the end that have no
    vertex; 1 if an id has another form."""
    ids = [re.fullmatch("([0-9]+):[0-9]+", one) if isinstance(one, str) else None for one in graph.vertices]
    numbers = {int(one[1]) for one in ids if one is not None}
    return max(numbers) + 1 if numbers and None not in ids and 0 in numbers else 1


def read_set(path: Any, **options: Any) -> GraphSet:
    """Reads a file with several graphs, `t # 0`, `t # 1`, … or a line of graph6 each; `options` are those of `read`."""
    return GraphSet(read(path, **options))


__all__ = ["GraphSet", "read_set"]
