"""Motifs of a symmetric graph: every connected pattern of 3, 4 and 5 vertices, counted once each.

Edge-induced counts come from counts at vertices, edges and pairs (Pinar, Seshadhri, Vishal: ESCAPE, WWW 2017; Chen, Qian: DecoMine,
ASPLOS 2023); vertex-induced ones from them, since each larger pattern holds a fixed number of copies of each smaller one. motif.md
has the identities. Names: a function gives one edge-induced count, unless it says otherwise."""

from std.clique import five_cliques, four_cliques, triangles
from std.graph import by_degree, reversed

def choose2(n):
    return n * (n - 1) / 2

def choose3(n):
    return choose2(n) * (n - 2) / 3

def choose4(n):
    return choose3(n) * (n - 3) / 4

def half(l):
    """The sum of a list of counts that meets everything twice."""
    return sum(l) / 2

def shared(g: Graph, u, v):
    """How many neighbours u and v have in common: the triangles on an edge."""
    return size(intersect(neighbor(g, u), neighbor(g, v)))

def by_vertex(g: Graph, f):
    """The sum of f(degree) over the vertices."""
    return sum(apply(lambda v: f(size(neighbor(g, v))), vertices(symmetric(g))))

def by_edge(g: Graph, f):
    """The sum of f(triangles, degree of one end, degree of the other) over the edges, each once."""
    def at(e):
        u = get(e, 0)
        v = get(e, 1)
        return f(shared(g, u, v), size(neighbor(g, u)), size(neighbor(g, v)))
    return sum(apply(at, cond=lambda e: get(e, 0) < get(e, 1), edges(symmetric(g))))

def by_corner(g: Graph, f):
    """The sum of f(degree, triangles at the vertex) over the vertices."""
    def at(u):
        near = neighbor(g, u)
        return f(size(near), half(apply(lambda v: shared(g, u, v), near)))
    return sum(apply(at, vertices(symmetric(g))))

def by_wedge(g: Graph, f):
    """The sum of f(common neighbours of the ends, degrees of the ends) over the paths of two edges, each once."""
    def at(u):
        near = neighbor(g, u)
        def first(a):
            da = size(neighbor(g, a))
            def second(b):
                return f(shared(g, a, b), da, size(neighbor(g, b)))
            return sum(apply(second, cond=lambda b: b < a, near))
        return sum(apply(first, near))
    return sum(apply(at, vertices(symmetric(g))))

def by_wedge_inside(g: Graph, f):
    """The sum of f(common neighbours of the ends, those of them that are neighbours of the middle) over the paths of two edges."""
    def at(u):
        near = neighbor(g, u)
        def first(a):
            around = intersect(near, neighbor(g, a))
            def second(b):
                return f(shared(g, a, b), size(intersect(around, neighbor(g, b))))
            return sum(apply(second, cond=lambda b: b < a, near))
        return sum(apply(first, near))
    return sum(apply(at, vertices(symmetric(g))))

def by_triangle(g: Graph, f):
    """The sum of f(u, v, w, 4-cliques on the triangle) over the triangles u > v > w, each once."""
    def at(u):
        def first(v):
            around = intersect(neighbor(g, u), neighbor(g, v))
            return sum(apply(
                lambda w: f(u, v, w, size(intersect(around, neighbor(g, w)))),
                cond=lambda w: w < v,
                around
            ))
        return sum(apply(first, cond=lambda v: v < u, neighbor(g, u)))
    return sum(apply(at, vertices(symmetric(g))))

# Three and four vertices

def wedges(g: Graph) -> int:
    return by_vertex(g, choose2)

def four_stars(g: Graph) -> int:
    return by_vertex(g, choose3)

def four_paths(g: Graph) -> int:
    counts = by_edge(g, lambda t, du, dv: mk_tuple(val=[(du - 1) * (dv - 1), t]))
    return get(counts, 0) - get(counts, 1)

def tailed_triangles(g: Graph) -> int:
    return by_edge(g, lambda t, du, dv: t * (du + dv - 4)) / 2

def diamonds(g: Graph) -> int:
    return by_edge(g, lambda t, du, dv: choose2(t))

def four_cycles(g: Graph) -> int:
    """From its largest vertex: u, its neighbours a > b, and what they share below u."""
    def at(u):
        near = apply(lambda v: v, cond=lambda v: v < u, neighbor(g, u))
        def first(a):
            def second(b):
                return size(apply(lambda c: c, cond=lambda c: c < u, intersect(neighbor(g, a), neighbor(g, b))))
            return sum(apply(second, cond=lambda b: b < a, near))
        return sum(apply(first, near))
    return sum(apply(at, vertices(symmetric(g))))

# Five vertices: trees

def five_stars(g: Graph) -> int:
    return by_vertex(g, choose4)

def forks(g: Graph) -> int:
    """A star of three edges, one of them with a second edge behind it."""
    def at(t, du, dv):
        return choose2(du - 1) * (dv - 1) + choose2(dv - 1) * (du - 1) - t * (du + dv - 4)
    return by_edge(g, at)

def five_paths(g: Graph) -> int:
    def at(u):
        near = neighbor(g, u)
        ways = sum(apply(lambda v: size(neighbor(g, v)) - 1, near))
        same = sum(apply(lambda v: (size(neighbor(g, v)) - 1) * (size(neighbor(g, v)) - 1), near))
        return (ways * ways - same) / 2
    return sum(apply(at, vertices(symmetric(g)))) - 4 * four_cycles(g) - 2 * tailed_triangles(g) - 3 * triangles(g)

# Five vertices: one cycle

def five_cycles(g: Graph) -> int:
    """With every edge towards the larger degree, a 5-cycle has one source s and one sink, 4 + 1 or 3 + 2 edges apart, or two sources
    and two sinks. Each has one s -> a -> b where a way of three edges leads on to s; b is taken with all its a at once."""
    up = by_degree(g)
    down = reversed(up)
    def at(s):
        near = neighbor(up, s)
        def first(a):
            def second(b):
                middle = intersect(near, neighbor(down, b))
                ways = size(middle)
                closed = 1 if has_edge(up, s, b) else 0
                def third(c):
                    sinks = size(intersect(neighbor(up, b), neighbor(up, c)))
                    sources = size(intersect(neighbor(down, b), neighbor(down, c))) - closed
                    return (ways - (1 if has_edge(up, c, b) else 0)) * (sinks + sources)
                ahead = sum(apply(lambda c: size(intersect(near, neighbor(up, c))), neighbor(up, b)))
                twice = sum(apply(lambda x: size(intersect(near, neighbor(up, x))) - closed, middle))
                return ways * ahead + sum(apply(third, cond=lambda c: c != b, near)) - twice
            is_first = lambda b: get(intersect(near, neighbor(down, b)), 0) == a
            return sum(apply(second, cond=is_first, neighbor(up, a)))
        return sum(apply(first, near))
    return sum(apply(at, vertices(symmetric(g))))

def bulls(g: Graph) -> int:
    """A triangle with an edge at two of its corners."""
    return by_edge(g, lambda t, du, dv: t * (du - 2) * (dv - 2) - t * (t - 1))

def crickets(g: Graph) -> int:
    """A triangle with two edges at one corner."""
    return by_corner(g, lambda d, t: t * choose2(d - 2))

def long_tailed_triangles(g: Graph) -> int:
    """A triangle with a path of two edges at one corner."""
    def at(u):
        near = neighbor(g, u)
        here = apply(lambda v: shared(g, u, v), near)
        all = sum(here) / 2
        return sum(apply(lambda v, t: (all - t) * (size(neighbor(g, v)) - 1) - t * (t - 1), near, here))
    return sum(apply(at, vertices(symmetric(g))))

def banners(g: Graph) -> int:
    """A 4-cycle with an edge at one corner."""
    return by_wedge(g, lambda c, da, db: (c - 1) * (da + db - 4)) / 2 - 2 * diamonds(g)

# Five vertices: six and more edges

def houses(g: Graph) -> int:
    """A 4-cycle and a triangle on one of its edges."""
    def at(u):
        near = neighbor(g, u)
        here = apply(lambda v: shared(g, u, v), near)
        def first(a, ta):
            def second(b, tb):
                return (shared(g, a, b) - 1) * (ta + tb)
            return sum(apply(second, cond=lambda b, tb: b < a, near, here))
        return sum(apply(first, near, here))
    return sum(apply(at, vertices(symmetric(g)))) / 2 - 4 * diamonds(g)

def darts(g: Graph) -> int:
    """A diamond with an edge at one end of its chord."""
    return by_edge(g, lambda t, du, dv: choose2(t) * (du + dv - 6))

def kites(g: Graph) -> int:
    """A diamond with an edge at a corner off its chord."""
    def at(e):
        third = intersect(neighbor(g, get(e, 0)), neighbor(g, get(e, 1)))
        return (size(third) - 1) * sum(apply(lambda v: size(neighbor(g, v)) - 2, third))
    return sum(apply(at, cond=lambda e: get(e, 0) < get(e, 1), edges(symmetric(g)))) - 12 * four_cliques(g)

def butterflies(g: Graph) -> int:
    """Two triangles that share a vertex."""
    return by_corner(g, lambda d, t: choose2(t)) - 2 * diamonds(g)

def two_by_threes(g: Graph) -> int:
    """K(2,3): three common neighbours of a pair."""
    return by_wedge(g, lambda c, da, db: (c - 1) * (c - 2)) / 6

def two_by_threes_plus_edge(g: Graph) -> int:
    """K(2,3) with an edge between two of the three."""
    return by_wedge_inside(g, lambda c, x: (c - 2) * x) / 2

def gems(g: Graph) -> int:
    """A vertex joined to all of a path of four."""
    def at(u, v, w, x):
        a = shared(g, u, v) - 1
        b = shared(g, u, w) - 1
        c = shared(g, v, w) - 1
        return a * b + a * c + b * c - 3 * x
    return by_triangle(g, at)

def three_books(g: Graph) -> int:
    """Three triangles on one edge."""
    return by_edge(g, lambda t, du, dv: choose3(t))

def four_clique_tails(g: Graph) -> int:
    """A 4-clique with an edge at one corner."""
    def at(u, v, w, x):
        return x * (size(neighbor(g, u)) + size(neighbor(g, v)) + size(neighbor(g, w)) - 9)
    return by_triangle(g, at) / 3

def four_wheels(g: Graph) -> int:
    """A vertex joined to all of a 4-cycle."""
    return by_wedge_inside(g, lambda c, x: x * (x - 1)) / 4

def five_cliques_minus_path(g: Graph) -> int:
    """A 4-clique and a vertex joined to two of it."""
    def at(e):
        third = intersect(neighbor(g, get(e, 0)), neighbor(g, get(e, 1)))
        return sum(apply(lambda v: size(intersect(third, neighbor(g, v))), third)) / 2 * (size(third) - 2)
    return sum(apply(at, cond=lambda e: get(e, 0) < get(e, 1), edges(symmetric(g))))

def five_cliques_minus_edge(g: Graph) -> int:
    """Two 4-cliques that share a triangle."""
    return by_triangle(g, lambda u, v, w, x: choose2(x))

# All of them

def three_motifs(g: Graph) -> Tuple<int, 2>:
    """All connected patterns of three vertices, edge-induced, in the order of motif.md."""
    return mk_tuple(val=[wedges(g), triangles(g)])

def induced_three_motifs(g: Graph) -> Tuple<int, 2>:
    """All connected patterns of three vertices, vertex-induced, in the order of motif.md."""
    all = three_motifs(g)
    triangle = get(all, 1)
    wedge = get(all, 0) - 3 * triangle
    return mk_tuple(val=[wedge, triangle])

def four_motifs(g: Graph) -> Tuple<int, 6>:
    """All connected patterns of four vertices, edge-induced, in the order of motif.md."""
    return mk_tuple(val=[
        four_paths(g), four_stars(g), four_cycles(g), tailed_triangles(g), diamonds(g), four_cliques(g)
    ])

def induced_four_motifs(g: Graph) -> Tuple<int, 6>:
    """All connected patterns of four vertices, vertex-induced, in the order of motif.md."""
    all = four_motifs(g)
    four_clique = get(all, 5)
    diamond = get(all, 4) - 6 * four_clique
    tailed_triangle = get(all, 3) - 4 * diamond - 12 * four_clique
    four_cycle = get(all, 2) - diamond - 3 * four_clique
    four_star = get(all, 1) - tailed_triangle - 2 * diamond - 4 * four_clique
    four_path = get(all, 0) - 4 * four_cycle - 2 * tailed_triangle - 6 * diamond - 12 * four_clique
    return mk_tuple(val=[four_path, four_star, four_cycle, tailed_triangle, diamond, four_clique])

def five_motifs(g: Graph) -> Tuple<int, 21>:
    """All connected patterns of five vertices, edge-induced, in the order of motif.md."""
    return mk_tuple(val=[
        five_paths(g), five_stars(g), forks(g), five_cycles(g), bulls(g), crickets(g), long_tailed_triangles(g),
        banners(g), houses(g), darts(g), kites(g), butterflies(g), two_by_threes(g), two_by_threes_plus_edge(g),
        gems(g), three_books(g), four_clique_tails(g), four_wheels(g), five_cliques_minus_path(g),
        five_cliques_minus_edge(g), five_cliques(g)
    ])

def induced_five_motifs(g: Graph) -> Tuple<int, 21>:
    """All connected patterns of five vertices, vertex-induced, in the order of motif.md."""
    all = five_motifs(g)
    five_clique = get(all, 20)
    five_clique_minus_edge = get(all, 19) - 10 * five_clique
    five_clique_minus_path = get(all, 18) - 6 * five_clique_minus_edge - 30 * five_clique
    four_wheel = get(all, 17) - 3 * five_clique_minus_edge - 15 * five_clique
    four_clique_tail = get(all, 16) - 2 * five_clique_minus_path - 6 * five_clique_minus_edge - 20 * five_clique
    three_book = get(all, 15) - five_clique_minus_path - 3 * five_clique_minus_edge - 10 * five_clique
    gem = get(all, 14) - 4 * four_wheel - 4 * five_clique_minus_path - 18 * five_clique_minus_edge - 60 * five_clique
    two_by_three_plus_edge = (
        get(all, 13) - 4 * four_wheel - five_clique_minus_path - 9 * five_clique_minus_edge - 30 * five_clique
    )
    two_by_three = (
        get(all, 12) - two_by_three_plus_edge - three_book - 2 * four_wheel - five_clique_minus_path
        - 4 * five_clique_minus_edge - 10 * five_clique
    )
    butterfly = (
        get(all, 11) - gem - 2 * four_wheel - 2 * five_clique_minus_path - 6 * five_clique_minus_edge - 15 * five_clique
    )
    kite = (
        get(all, 10) - 2 * two_by_three_plus_edge - 2 * gem - 3 * four_clique_tail - 8 * four_wheel
        - 8 * five_clique_minus_path - 24 * five_clique_minus_edge - 60 * five_clique
    )
    dart = (
        get(all, 9) - 2 * gem - 6 * three_book - 3 * four_clique_tail - 4 * four_wheel - 10 * five_clique_minus_path
        - 24 * five_clique_minus_edge - 60 * five_clique
    )
    house = (
        get(all, 8) - 4 * two_by_three_plus_edge - 2 * gem - 12 * four_wheel - 6 * five_clique_minus_path
        - 24 * five_clique_minus_edge - 60 * five_clique
    )
    banner = (
        get(all, 7) - 2 * house - dart - kite - 6 * two_by_three - 8 * two_by_three_plus_edge - 4 * gem - 6 * three_book
        - 3 * four_clique_tail - 16 * four_wheel - 12 * five_clique_minus_path - 30 * five_clique_minus_edge
        - 60 * five_clique
    )
    long_tailed_triangle = (
        get(all, 6) - 2 * house - 2 * kite - 4 * butterfly - 6 * two_by_three_plus_edge - 6 * gem - 3 * four_clique_tail
        - 16 * four_wheel - 12 * five_clique_minus_path - 30 * five_clique_minus_edge - 60 * five_clique
    )
    cricket = (
        get(all, 5) - 2 * dart - 2 * butterfly - 3 * gem - 6 * three_book - 3 * four_clique_tail - 4 * four_wheel
        - 8 * five_clique_minus_path - 15 * five_clique_minus_edge - 30 * five_clique
    )
    bull = (
        get(all, 4) - house - 2 * dart - 2 * kite - 4 * two_by_three_plus_edge - 5 * gem - 6 * three_book
        - 6 * four_clique_tail - 12 * four_wheel - 14 * five_clique_minus_path - 30 * five_clique_minus_edge
        - 60 * five_clique
    )
    five_cycle = (
        get(all, 3) - house - 2 * two_by_three_plus_edge - gem - 4 * four_wheel - 2 * five_clique_minus_path
        - 6 * five_clique_minus_edge - 12 * five_clique
    )
    fork = (
        get(all, 2) - 2 * bull - 2 * cricket - long_tailed_triangle - 2 * banner - 4 * house - 5 * dart - 4 * kite
        - 4 * butterfly - 6 * two_by_three - 10 * two_by_three_plus_edge - 10 * gem - 12 * three_book
        - 9 * four_clique_tail - 20 * four_wheel - 20 * five_clique_minus_path - 36 * five_clique_minus_edge
        - 60 * five_clique
    )
    five_star = (
        get(all, 1) - cricket - dart - butterfly - gem - 2 * three_book - four_clique_tail - four_wheel
        - 2 * five_clique_minus_path - 3 * five_clique_minus_edge - 5 * five_clique
    )
    five_path = (
        get(all, 0) - 5 * five_cycle - bull - 2 * long_tailed_triangle - 2 * banner - 7 * house - 2 * dart - 4 * kite
        - 4 * butterfly - 6 * two_by_three - 14 * two_by_three_plus_edge - 10 * gem - 6 * three_book
        - 6 * four_clique_tail - 24 * four_wheel - 18 * five_clique_minus_path - 36 * five_clique_minus_edge
        - 60 * five_clique
    )
    return mk_tuple(val=[
        five_path, five_star, fork, five_cycle, bull, cricket, long_tailed_triangle, banner, house, dart, kite,
        butterfly, two_by_three, two_by_three_plus_edge, gem, three_book, four_clique_tail, four_wheel,
        five_clique_minus_path, five_clique_minus_edge, five_clique
    ])
