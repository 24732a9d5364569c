"""Patterns that are graphs of other libraries, or pairs, as text."""

from __future__ import annotations

from itertools import repeat
from typing import Any, Iterable, Optional, Union

from matcha import _inputs, _sources
from matcha._views import Views

# The forms of a pattern: text, a graph of Matcha, NetworkX or igraph, or pairs of vertices.
PatternLike = Union[str, Iterable[tuple[Any, Any]], Any]

_WANTED = "a pattern is text, a graph of Matcha, NetworkX or igraph, or pairs of vertices"


def text_of(
    pattern: PatternLike, directed: bool, label: Optional[str] = None, edge_label: Optional[str] = None
) -> str:
    """The text of a pattern; `directed`: pairs are arcs.

    Vertex i of the text is the i-th of the graph, of pairs the i-th in the order in which they appear. The attributes
    `label` and `edge_label`, both "label" by default, of a vertex or edge are the label that it asks for. A graph
    of Matcha has its own labels. Raises `TypeError` for anything else.
    """
    is_graph = _sources.has_nodes(pattern)
    if not is_graph and (label is not None or edge_label is not None):
        raise TypeError("`label` and `edge_label` are attributes of a pattern that is a graph of NetworkX or igraph")
    if isinstance(pattern, str):
        return pattern
    label, edge_label = label or "label", edge_label or "label"
    if _sources._is_networkx(pattern):
        nodes = [(node, facts.get(label)) for node, facts in pattern.nodes(data=True)]
        edges = [(a, b, facts.get(edge_label)) for a, b, facts in pattern.edges(data=True)]
        return _text(nodes, edges, bool(pattern.is_directed()))
    if _sources._is_igraph(pattern):
        labels = pattern.vs[label] if label in pattern.vs.attributes() else [None] * pattern.vcount()
        of_edges = pattern.es[edge_label] if edge_label in pattern.es.attributes() else [None] * pattern.ecount()
        edges = [(a, b, label) for (a, b), label in zip(pattern.get_edgelist(), of_edges)]
        return _text(list(enumerate(labels)), edges, bool(pattern.is_directed()))
    if isinstance(pattern, Views):
        if "weight" in pattern.edges.columns:
            raise ValueError("a pattern cannot ask for weights of edges")
        # The empty word is no label; 0 is one.
        names = [None if name == "" else name for name in pattern.labels or ()]
        nodes = list(zip(pattern.vertices, names or repeat(None)))
        edges = [(a, b, None if name in ([], [""]) else name[0]) for a, b, *name in pattern.edges]
        return _text(nodes, edges, pattern.directed)
    pairs = _pairs(pattern)
    return _text([(one, None) for one in dict.fromkeys(one for pair in pairs for one in pair)],
                 [(a, b, None) for a, b in pairs], directed)  # fmt: skip


def _pairs(pattern: Any) -> list[tuple[Any, Any]]:
    given = pattern.tolist() if hasattr(pattern, "tolist") else pattern
    if not hasattr(given, "__iter__") or isinstance(given, (bytes, dict)):
        raise TypeError(f"{_WANTED}, not a {type(pattern).__name__}")
    pairs = []
    for pair in given:
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise TypeError(f"{_WANTED}, and {pair!r} is not a pair")
        a, b = pair
        pairs.append((a, b))
    return pairs


def _text(nodes: list[tuple[Any, Any]], edges: list[tuple[Any, Any, Any]], directed: bool) -> str:
    if not nodes:
        raise ValueError("the pattern has no vertices")
    number = {node: at for at, (node, _) in enumerate(nodes)}
    parts = [f"{at}{_label(':', label)}" for at, (_, label) in enumerate(nodes)]
    parts += [f"{number[a]}{'>' if directed else '-'}{number[b]}{_label('=', label)}" for a, b, label in edges]
    return ",".join(parts) if len(nodes) > 1 or edges else f"({parts[0]})"


def _label(sign: str, label: Any) -> str:
    """The label with its sign; empty if there is none."""
    types: Optional[Any] = _inputs._types(label, "label", 0)
    if _inputs._is_missing(types):
        return ""
    whole = _inputs._whole(types)
    word = str(types if whole is None else whole)
    if not word:
        raise ValueError("a pattern cannot ask for an empty label; leave it out to ask for none")
    quote = '"' if "'" in word else "'"
    return f"{sign}{quote}{word}{quote}"
