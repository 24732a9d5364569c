# Motifs by keyed sums: four vertices, houses, cycles of five vertices, and the orbits of four vertices.

def choose2(n): return n * (n - 1) / 2
def choose3(n): return n * (n - 1) * (n - 2) / 6
def degree(g, v): return size(neighbor(g, v))
def below(g, v, a): return apply(lambda w: w, lambda w: w < a, neighbor(g, v))      # the neighbours of v below a
def above(g, v, a): return apply(lambda w: w, lambda w: a < w, neighbor(g, v))
def ways(g, a): return count_by(flatten(apply(lambda v: below(g, v, a), below(g, a, a))))   # by b: paths a - v - b, v and b below a
def four_motifs(g):                       # path, star, cycle, tailed triangle, diamond, clique; edge-induced (std.motif makes them vertex-induced)
    cycles = sum(apply(lambda a: sum(apply(choose2, values(ways(g, a)))), vertices(g)))
    def thirds_of(a):
        w = ways(g, a)
        return apply(lambda b: (b, a, get(w, b)), below(g, a, a))
    thirds = sum_by(flatten(apply(thirds_of, vertices(g))), keys=2)
    def at(u):
        d = degree(g, u)
        up = above(g, u, u)
        def on(v):
            both = intersect(up, above(g, v, v))
            t = get(thirds, u, v) + size(both)
            e = degree(g, v)
            cliques = sum(apply(lambda w: size(intersect(both, above(g, w, w))), both))
            return ((d - 1) * (e - 1) - t, t * (d + e - 4), choose2(t), cliques)
        return sum(apply(on, up))
    s = sum(apply(at, vertices(g)))
    return (get(s, 0), sum(apply(lambda v: choose3(degree(g, v)), vertices(g))), cycles, get(s, 1) / 2, get(s, 2), get(s, 3))
def by_triangle(g, f):                    # all rows that f(u, v, w, both) gives for u < v < w; both: what u and v share above v
    def over(u, v):
        both = intersect(above(g, u, u), above(g, v, v))
        return flatten(apply(lambda w: f(u, v, w, both), both))
    return flatten(apply(lambda u: flatten(apply(lambda v: over(u, v), above(g, u, u))), vertices(g)))
def triangles_by_edge(g): return sum_by(by_triangle(g, lambda u, v, w, both: [(u, v, 1), (v, w, 1), (u, w, 1)]), keys=2)   # u < v
def squares_by_edge(g):
    def at(a):
        w = ways(g, a)
        def over(v):
            others = apply(lambda b: (min(v, b), max(v, b), get(w, b) - 1), below(g, v, a))
            return flatten([others, [(v, a, sum(apply(lambda b: get(w, b) - 1, below(g, v, a))))]])
        return flatten(apply(over, below(g, a, a)))
    return sum_by(flatten(apply(at, vertices(g))), keys=2)
def houses(g):                            # edge-induced
    t = triangles_by_edge(g)
    squares = squares_by_edge(g)
    return sum(apply(lambda e, n: n * get(squares, e) - 4 * choose2(n), keys(t), values(t)))
def five_cycles(g):                       # edge-induced, from the highest vertex a: ways to both ends of an edge, less those that meet
    def at(a):
        w = ways(g, a)
        closed = sum(apply(lambda c, n: n * sum(apply(lambda d: get(w, d), above(g, c, c))), keys(w), values(w)))
        return closed - sum(apply(lambda d: size(below(g, d, a)) * get(w, d), below(g, a, a)))
    higher = lambda u, v, w, both: [size(above(g, u, w)) + size(above(g, v, w)) + size(above(g, w, w)) - 1]
    return sum(apply(at, vertices(g))) - sum(by_triangle(g, higher))
def orbits(g):                            # by vertex, edge-induced, the usual order
    t = triangles_by_edge(g)
    squares = squares_by_edge(g)
    on = lambda u, v: get(t, min(u, v), max(u, v))
    second = sum_by(apply(lambda v: (v, sum(apply(lambda w: degree(g, w) - 1, neighbor(g, v)))), vertices(g)))
    corner = sum_by(apply(lambda v: (v, sum(apply(lambda w: on(v, w), neighbor(g, v))) / 2), vertices(g)))
    def corners(u, v, w, both):
        tops = intersect(both, above(g, w, w))
        n = size(tops)
        here = [(u, on(v, w) - 1, n), (v, on(u, w) - 1, n), (w, on(u, v) - 1, n)]
        return flatten([here, apply(lambda x: (x, 0, 1), tops)])
    facing = sum_by(by_triangle(g, corners))
    def row(u):
        d = degree(g, u)
        n = get(corner, u)
        def at(v):
            e = degree(g, v)
            m = on(u, v)
            return (get(second, v), choose2(e - 1), get(corner, v) - m, m * (e - 2), choose2(m), get(squares, min(u, v), max(u, v)))
        s = sum(apply(at, neighbor(g, u)))
        f = get(facing, u)
        return (u, d, get(second, u), choose2(d), n, get(s, 0) - d * (d - 1) - 2 * n, (d - 1) * get(second, u) - 2 * n,
                get(s, 1), choose3(d), get(s, 5) / 2, get(s, 2), get(s, 3), n * (d - 2), get(f, 0), get(s, 4), get(f, 1))
    return apply(row, vertices(g))
