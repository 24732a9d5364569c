"""Graphs made from graphs."""

def ascending(g: Graph) -> Graph:
    """Keeps the edges that lead to a larger id: every edge of a symmetric graph once."""
    return mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(g)))

def count_edges(g: Graph) -> int:
    """Edges of a symmetric graph, each counted once."""
    return sum(apply(lambda e: get(e, 0) < get(e, 1), edges(g)))
