"""The 16 triads of a directed graph (Davis and Leinhardt 1972; Batagelj and Mrvar, Social Networks 23, 2001).

The arcs fall apart into one-way arcs and mutual pairs. Triangles are counted with intersections of their lists, pairs of edges at
a vertex with degrees, single edges with the number of vertices; each count less what the larger triads hold of it.

For graphs loaded with --directed; others are an error."""

from std.graph import reversed

def choose2(n):
    return n * (n - 1) / 2

def one_way(g: Graph) -> Graph:
    """The arcs whose reverse the graph lacks."""
    return mk_graph(apply(lambda e: e, cond=lambda e: not has_edge(g, get(e, 1), get(e, 0)), arcs(g)))

def mutual(g: Graph) -> Graph:
    """The arcs whose reverse the graph has too."""
    return mk_graph(apply(lambda e: e, cond=lambda e: has_edge(g, get(e, 1), get(e, 0)), arcs(g)))

def on_arcs(g: Graph, f):
    return sum(apply(lambda e: f(get(e, 0), get(e, 1)), edges(g)))

def triads(g: Graph) -> Tuple<int, 16>:
    """003, 012, 102, 021D, 021U, 021C, 111D, 111U, 030T, 030C, 201, 120D, 120U, 120C, 210, 300: how often each is induced by three
    vertices. At most 2.6 million vertices."""
    out = one_way(g)
    into = reversed(out)
    both = mutual(g)
    at_vertices = sum(apply(
        lambda v: mk_tuple(val=[
            choose2(size(neighbor(out, v))),
            choose2(size(neighbor(into, v))),
            size(neighbor(out, v)) * size(neighbor(into, v)),
            size(neighbor(both, v)) * size(neighbor(into, v)),
            size(neighbor(both, v)) * size(neighbor(out, v)),
            choose2(size(neighbor(both, v)))
        ]),
        vertices(g)
    ))

    t300 = on_arcs(both, lambda u, v: size(intersect(neighbor(both, u), neighbor(both, v)))) / 6
    t210 = on_arcs(out, lambda u, v: size(intersect(neighbor(both, u), neighbor(both, v))))
    t120c = on_arcs(both, lambda u, v: size(intersect(neighbor(out, u), neighbor(into, v))))
    t120u = on_arcs(both, lambda u, v: size(intersect(neighbor(out, u), neighbor(out, v)))) / 2
    t120d = on_arcs(both, lambda u, v: size(intersect(neighbor(into, u), neighbor(into, v)))) / 2
    t030t = on_arcs(out, lambda u, v: size(intersect(neighbor(out, u), neighbor(into, v))))
    t030c = on_arcs(out, lambda u, v: size(intersect(neighbor(into, u), neighbor(out, v)))) / 3

    t201 = get(at_vertices, 5) - t210 - 3 * t300
    t111u = get(at_vertices, 4) - 2 * t120u - t120c - t210
    t111d = get(at_vertices, 3) - 2 * t120d - t120c - t210
    t021c = get(at_vertices, 2) - t030t - 3 * t030c - t120c
    t021u = get(at_vertices, 1) - t030t - t120u
    t021d = get(at_vertices, 0) - t030t - t120d

    n = size(vertices(g))
    pairs = size(edges(both)) / 2
    t102 = pairs * (n - 2) - t111d - t111u - 2 * t201 - t120d - t120u - t120c - 2 * t210 - 3 * t300
    t012 = (
        size(edges(out)) * (n - 2) - 2 * (t021d + t021u + t021c) - t111d - t111u - 3 * (t030t + t030c)
        - 2 * (t120d + t120u + t120c) - t210
    )
    t003 = (
        choose2(n) * (n - 2) / 3 - t012 - t102 - t021d - t021u - t021c - t111d - t111u - t030t - t030c - t201 - t120d
        - t120u - t120c - t210 - t300
    )
    return mk_tuple(val=[
        t003, t012, t102, t021d, t021u, t021c, t111d, t111u, t030t, t030c, t201, t120d, t120u, t120c, t210, t300
    ])

def reciprocated(g: Graph) -> List<int>:
    """For every vertex, how many of its arcs have their reverse, in the order of vertices(g)."""
    both = mutual(g)
    return apply(lambda v: size(neighbor(both, v)), vertices(g))
