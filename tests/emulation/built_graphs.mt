# Graphs that a program builds from rows of its regions.

def paths(D: Graph) -> int:
    """Paths of two edges, weighed by their ends so that every neighbour counts at its place."""
    def from_v(v):
        near = neighbor(D, v)
        return sum(apply(lambda w: (w + 1) * sum(apply(lambda x: v + x, neighbor(D, w))), near))
    return sum(apply(from_v, vertices(D)))

def turned(G: Graph) -> int:
    """Rows that are not sorted by their sources."""
    D = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), cond=lambda e: get(e, 0) < get(e, 1), edges(G)))
    return paths(D)

def repeated(G: Graph) -> int:
    """Loops, and edges that are there many times."""
    D = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 1)]), edges(G)))
    return sum(apply(lambda e: size(neighbor(D, get(e, 0))) + get(e, 1), edges(D)))

def halves(G: Graph) -> int:
    """Neighbours above and below."""
    D = mk_graph(apply(lambda e: e, cond=lambda e: (get(e, 0) + get(e, 1)) % 3 != 0, edges(G)))
    def wedges(v):
        below = apply(lambda w: w, cond=lambda w: w < v, neighbor(D, v))
        return sum(apply(lambda w: size(intersect(below, neighbor(D, w))), cond=lambda w: v < w, neighbor(D, v)))
    return sum(apply(wedges, vertices(D)))

def weighed(G: Graph) -> int:
    """Edge information; equal edges keep the order of their list."""
    kept = lambda e: (get(e, 0) + get(e, 1)) % 3 != 0
    D = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 1)]), cond=kept, edges(G)),
                 einfo=apply(lambda e: get(e, 0) * 1000 + get(e, 1), cond=kept, edges(G)))
    def at_vertex(v):
        infos = edge_info(D, v)
        return sum(apply(lambda w, i: i * (1 + v % 7), neighbor(D, v), infos)) + get(infos, 0) * 10
    return sum(apply(at_vertex, cond=lambda v: size(neighbor(D, v)) > 0, vertices(D)))

def unequal(G: Graph) -> int:
    """Fewer items of edge information than edges."""
    D = mk_graph(apply(lambda e: e, edges(G)), einfo=apply(lambda e: get(e, 0), cond=lambda e: get(e, 0) < get(e, 1), edges(G)))
    return sum(apply(lambda v: sum(edge_info(D, v)), vertices(D)))

def labels_seen(D: Graph) -> int:
    def at_vertex(v):
        return sum(apply(lambda w: vertex_label(D, w) * (1 + v % 7), neighbor(D, v))) + 100 * vertex_label(D, v)
    return sum(apply(at_vertex, vertices(D)))

def rising(G: Graph) -> List<Tuple<int, 2>>:
    return apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1) and (get(e, 0) + get(e, 1)) % 3 != 0, edges(G))

def labelled(G: Graph) -> int:
    """Labels that a region finds, some of them twice, also of vertices without edges."""
    label = lambda e: mk_tuple(val=[get(e, 1), get(e, 1) % 5 - 2])
    return labels_seen(mk_graph(rising(G), vlabel=apply(label, edges(G))))

def labelled_by_input(G: Graph, L: List<Tuple<int, 2>>) -> int:
    """Labels that the host has."""
    return labels_seen(mk_graph(rising(G), vlabel=L))

def labelled_by_run(G: Graph) -> int:
    return labels_seen(mk_graph(rising(G)))

def labelled_twice(G: Graph) -> int:
    return labels_seen(mk_graph(rising(G), vlabel=apply(lambda e: mk_tuple(val=[get(e, 0), get(e, 1) % 2]), edges(G))))

def not_labelled(G: Graph) -> int:
    some = apply(lambda v: mk_tuple(val=[v, 7]), cond=lambda v: v % 2 == 0, vertices(G))
    return labels_seen(mk_graph(rising(G), vlabel=some))

def looked_at(G: Graph) -> int:
    """The host reads the graph, so it builds it."""
    D = mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(G)))
    return paths(D) + get(neighbor(D, get(vertices(D), 0)), 0)
