"""Exact subgraph matching: counts and matches of patterns in graphs of millions of edges.

>>> import matcha as mt
>>> g = mt.Graph([0, 1, 2, 0], [1, 2, 0, 3])
>>> mt.count(g, "triangle")
1
"""

from __future__ import annotations

from typing import Any

from matcha._cluster import Cluster, cluster, dask, ray
from matcha._doctor import doctor
from matcha._errors import (
    CopyWarning,
    Diagnostic,
    Error,
    InputError,
    ProgramError,
    ResourceError,
    RunError,
    Timeout,
    UsageError,
)
from matcha._estimate import Estimate, estimate
from matcha._explain import Explanation, explain
from matcha._graph import Graph, read
from matcha._graphlets import Agreement, gdd_agreement, graphlet_correlation_distance
from matcha._join import join
from matcha._library import opened as _open
from matcha._patterns import Matches, Motifs, blocks, cliques, count, match, motifs, orbits, participation, query
from matcha._program import Counts, Pattern, Program, program
from matcha._set import GraphSet, read_set
from matcha._significance import significance, temporal_motifs
from matcha._stream import Batch, Stream, stream
from matcha._table import Column, Table


def version() -> str:
    """The version of libmatcha."""
    return str(_open().matcha_version().decode())


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext matcha`: cells `%%matcha g` with a program or a pattern, and `%matcha g house`."""
    from matcha._magic import load

    load(shell)


__all__ = [
    "Agreement",
    "Batch",
    "Cluster",
    "Column",
    "CopyWarning",
    "Counts",
    "Diagnostic",
    "Error",
    "Estimate",
    "Explanation",
    "Graph",
    "GraphSet",
    "InputError",
    "Matches",
    "Motifs",
    "Pattern",
    "Program",
    "ProgramError",
    "ResourceError",
    "RunError",
    "Stream",
    "Table",
    "Timeout",
    "UsageError",
    "blocks",
    "cliques",
    "cluster",
    "count",
    "dask",
    "doctor",
    "estimate",
    "explain",
    "gdd_agreement",
    "graphlet_correlation_distance",
    "join",
    "match",
    "motifs",
    "orbits",
    "participation",
    "program",
    "query",
    "ray",
    "read",
    "read_set",
    "significance",
    "stream",
    "temporal_motifs",
    "version",
]


def __dir__() -> list[str]:
    return sorted(__all__)
