"""Orbits of a symmetric graph: how often each vertex, or edge, is in each place of the connected patterns of 2 to 4 vertices.

By identities over the neighbours of the vertex (Hočevar, Demšar: ORCA, Bioinformatics 2014; Pashanasangi, Seshadhri: EVOKE, WSDM 2020). The
orbits are in the usual order (Pržulj, Bioinformatics 2007). orbit.md has their names."""

from std.motif import choose2, choose3, half, shared

def degree(g: Graph, v):
    return size(neighbor(g, v))

def ways(g: Graph, u):
    """Paths of two edges from u."""
    return sum(apply(lambda v: degree(g, v) - 1, neighbor(g, u)))

def triangles_at(g: Graph, u):
    return half(apply(lambda v: shared(g, u, v), neighbor(g, u)))

def at_neighbors(g: Graph, u):
    """Sums over the neighbours v of u."""
    def at(v):
        t = shared(g, u, v)
        d = degree(g, v)
        return mk_tuple(val=[d - 1, t, choose2(d - 1), ways(g, v), triangles_at(g, v) - t, t * (d - 2), choose2(t)])
    return sum(apply(at, neighbor(g, u)))

def at_pairs(g: Graph, u):
    """Sums over the pairs v > w of neighbours of u: squares; diamonds with u at a corner, and three times 4-cliques where v and w are adjacent."""
    near = neighbor(g, u)
    def first(v):
        around = intersect(near, neighbor(g, v))
        squares = sum(apply(lambda w: shared(g, v, w) - 1, cond=lambda w: w < v, near))
        corners = sum(apply(lambda w: shared(g, v, w) - 1, cond=lambda w: w < v, around))
        cliques = sum(apply(lambda w: size(intersect(around, neighbor(g, w))), cond=lambda w: w < v, around))
        return mk_tuple(val=[squares, corners, cliques])
    return sum(apply(first, near))

def row(g: Graph, u):
    d = degree(g, u)
    n = at_neighbors(g, u)
    p = at_pairs(g, u)
    second = get(n, 0)
    t = get(n, 1) / 2
    return mk_tuple(val=[
        u, d, second, choose2(d), t, get(n, 3) - d * (d - 1) - 2 * t, (d - 1) * second - 2 * t, get(n, 2), choose3(d),
        get(p, 0), get(n, 4), get(n, 5), t * (d - 2), get(p, 1), get(n, 6), get(p, 2) / 3
    ])

def induced(c):
    """Each larger pattern holds some copies of a smaller one with the vertex in its place."""
    o14 = get(c, 15)
    o13 = get(c, 14) - 3 * o14
    o12 = get(c, 13) - 3 * o14
    o11 = get(c, 12) - 2 * o13 - 3 * o14
    o10 = get(c, 11) - 2 * o12 - 2 * o13 - 6 * o14
    o9 = get(c, 10) - 2 * o12 - 3 * o14
    o8 = get(c, 9) - o12 - o13 - 3 * o14
    o7 = get(c, 8) - o11 - o13 - o14
    o6 = get(c, 7) - o9 - o10 - 2 * o12 - o13 - 3 * o14
    o5 = get(c, 6) - 2 * o8 - o10 - 2 * o11 - 2 * o12 - 4 * o13 - 6 * o14
    o4 = get(c, 5) - 2 * o8 - 2 * o9 - o10 - 4 * o12 - 2 * o13 - 6 * o14
    t = get(c, 4)
    return mk_tuple(val=[
        get(c, 0), get(c, 1), get(c, 2) - 2 * t, get(c, 3) - t, t, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14
    ])

def orbits(g: Graph) -> List<Tuple<int, 16>>:
    """A row a vertex: its edge-induced counts."""
    return apply(lambda u: row(g, u), vertices(symmetric(g)))

def induced_orbits(g: Graph) -> List<Tuple<int, 16>>:
    """The same, vertex-induced, as `matcha run --pattern motif:4 --per vertex` has them."""
    return apply(lambda u: induced(row(g, u)), vertices(symmetric(g)))
