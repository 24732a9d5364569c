"""Options as keywords: written by tests/api/test_options.py from the table that `matcha doc options --json` prints."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, TypedDict, Union


class SharedOptions(TypedDict, total=False):
    """Keywords of patterns and of programs."""

    tier: Optional[Literal["auto", "interp", "native"]]
    order: Optional[Literal["auto", "id", "degree"]]
    engine: Optional[Literal["parts", "messages", "search", "cliques", "identities", "sample", "patterns", "program"]]
    cache: Optional[str]
    group: Optional[Literal[0, 1, 2, 4, 8, 16, 32]]
    steal: Optional[Literal["none", "half", "timeout", "kernel"]]
    split: Optional[int]
    search: Optional[Literal["plain", "cached", "merging"]]
    stack: Optional[Literal["array", "paged"]]
    tau_us: Optional[int]
    chunk: Optional[int]
    tile: Optional[int]
    hubs: Optional[int]
    eager: Optional[bool]
    gpus: Optional[Union[int, Literal["all"]]]
    first_gpu: Optional[int]
    queue: Optional[int]
    fanout: Optional[int]
    kernels: Optional[int]
    scratch_mb: Optional[float]
    arena_mb: Optional[float]
    passes: Optional[str]
    disable_pass: Optional[Union[str, Sequence[str]]]


class MoreOptions(SharedOptions, total=False):
    """Keywords of patterns beside those that `count` and `match` name."""

    label: Any
    edge_label: Any
    plan: Optional[int]
    unlabelled: Optional[bool]
    unlabelled_edges: Optional[bool]
    simd: Optional[Literal["scalar", "avx2", "avx512", "avx512-vp2intersect"]]


class PatternOptions(MoreOptions, total=False):
    """All keywords of patterns and their runs."""

    induced: Optional[Literal["edge", "vertex"]]
    match: Optional[Literal["iso", "homo", "edge"]]
    embeddings: Optional[bool]
    algorithm: Optional[Literal["auto", "extend", "join", "decompose"]]
    timeout: Optional[float]
    device: Optional[Literal["auto", "cpu", "cuda"]]
    threads: Optional[int]


class ProgramOptions(SharedOptions, total=False):
    """Keywords of programs beside `entry`."""

    device: Optional[Literal["auto", "cpu", "cuda"]]


# The step that reads an option.
STEPS = {
    "entry": "program",
    "file": "program",
    "param": "program",
    "graph_sql": "graph",
    "src": "graph",
    "dst": "graph",
    "edge_label": "graph",
    "header": "graph",
    "format": "graph",
    "ids": "graph",
    "no_literals": "graph",
    "vertices": "graph",
    "id": "graph",
    "label": "graph",
    "labels": "graph",
    "edge_labels": "graph",
    "directed": "graph",
    "keep_loops": "graph",
    "induced": "pattern",
    "match": "pattern",
    "embeddings": "pattern",
    "algorithm": "pattern",
    "plan": "pattern",
    "unlabelled": "pattern",
    "unlabelled_edges": "pattern",
    "per": "pattern",
    "query": "pattern",
    "vertex_id": "pattern",
    "matches": "pattern",
    "time": "stream",
    "window": "stream",
    "edge_id": "stream",
    "strict": "stream",
    "limit": "run",
    "within": "program",
    "confidence": "program",
    "certain": "program",
    "seed": "program",
    "timeout": "run",
    "device": "program",
    "tier": "program",
    "threads": "run",
    "simd": "run",
    "order": "program",
    "engine": "program",
    "cache": "program",
    "recompute": "stream",
    "share": "run",
    "group": "program",
    "steal": "program",
    "split": "program",
    "search": "program",
    "stack": "program",
    "tau_us": "program",
    "chunk": "program",
    "tile": "program",
    "hubs": "program",
    "eager": "program",
    "gpus": "program",
    "first_gpu": "program",
    "queue": "program",
    "fanout": "program",
    "kernels": "program",
    "scratch_mb": "program",
    "arena_mb": "program",
    "passes": "program",
    "disable_pass": "program",
}
