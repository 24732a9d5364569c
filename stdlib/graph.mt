"""Graphs made from graphs."""

def ascending(g: Graph) -> Graph:
    """Keeps the edges that lead to a larger id: every edge of a symmetric graph once."""
    return mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(g)))

def by_degree(g: Graph) -> Graph:
    """Keeps the edges that lead to a larger degree, or to a larger id if the degrees are equal: every edge of a symmetric graph
    once. With m edges, no vertex has more than sqrt(2m) successors."""
    def forward(e):
        u = get(e, 0)
        v = get(e, 1)
        du = size(neighbor(g, u))
        dv = size(neighbor(g, v))
        return du < dv or (du == dv and u < v)
    return mk_graph(apply(lambda e: e, cond=forward, edges(symmetric(g))))

def reversed(g: Graph) -> Graph:
    """The graph with every edge reversed."""
    return mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges(g)))

def count_edges(g: Graph) -> int:
    """Edges of a symmetric graph, each counted once."""
    return sum(apply(lambda e: get(e, 0) < get(e, 1), edges(g)))
