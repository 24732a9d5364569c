"""Exact subgraph matching: counts and matches of patterns in graphs of millions of edges.

>>> import matcha as mt
>>> g = mt.Graph([0, 1, 2, 0], [1, 2, 0, 3])
>>> mt.count(g, "triangle")
1
"""

from __future__ import annotations

from matcha._errors import CopyWarning, Error, InputError, ProgramError, ResourceError, RunError, Timeout, UsageError
from matcha._graph import Graph, read
from matcha._library import opened as _open
from matcha._patterns import blocks, count, match, motifs, participation
from matcha._program import Pattern, Program, program
from matcha._table import Table


def version() -> str:
    """The version of libmatcha."""
    return str(_open().matcha_version().decode())


__all__ = [
    "CopyWarning",
    "Error",
    "Graph",
    "InputError",
    "Pattern",
    "Program",
    "ProgramError",
    "ResourceError",
    "RunError",
    "Table",
    "Timeout",
    "UsageError",
    "blocks",
    "count",
    "match",
    "motifs",
    "participation",
    "program",
    "read",
    "version",
]
