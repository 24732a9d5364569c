"""Subgraphs one by one, by vertex extension (G2Miner, OSDI 2022; STMatch, SC 2022): each vertex is taken from a set made of the
neighbours of those before it, and an order between vertices that can change places keeps one match of each subgraph.

Each function gives the matches as rows; `size` of it counts them, and then the innermost rows are not made. Edge-induced, with
vertex-induced twins whose names end in _induced. listing.md shows which vertex has which number."""

def up_to(s, v):
    """The items of s below v."""
    return apply(lambda w: w, cond=lambda w: w < v, s)

def shared(g: Graph, u, v):
    return intersect(neighbor(g, u), neighbor(g, v))

def from_vertices(g: Graph, f):
    return flatten(apply(f, vertices(symmetric(g))))

def each(s, f):
    """The rows of f(v) for every v of s."""
    return flatten(apply(f, s))

def triangles(g: Graph) -> List<Tuple<int, 3>>:
    """a > b > c."""
    def at(a):
        def second(b):
            return apply(lambda c: mk_tuple(val=[a, b, c]), up_to(shared(g, a, b), b))
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def wedges(g: Graph) -> List<Tuple<int, 3>>:
    """a in the middle; b > c."""
    def at(a):
        near = neighbor(g, a)
        return each(near, lambda b: apply(lambda c: mk_tuple(val=[a, b, c]), up_to(near, b)))
    return from_vertices(g, at)

def wedges_induced(g: Graph) -> List<Tuple<int, 3>>:
    def at(a):
        near = neighbor(g, a)
        return each(near, lambda b: apply(lambda c: mk_tuple(val=[a, b, c]), up_to(diff(near, neighbor(g, b)), b)))
    return from_vertices(g, at)

# Four vertices

def four_stars(g: Graph) -> List<Tuple<int, 4>>:
    """a in the middle; b > c > d."""
    def at(a):
        near = neighbor(g, a)
        def second(b):
            return each(up_to(near, b), lambda c: apply(lambda d: mk_tuple(val=[a, b, c, d]), up_to(near, c)))
        return each(near, second)
    return from_vertices(g, at)

def four_stars_induced(g: Graph) -> List<Tuple<int, 4>>:
    def at(a):
        near = neighbor(g, a)
        def second(b):
            apart = up_to(diff(near, neighbor(g, b)), b)
            def third(c):
                return apply(lambda d: mk_tuple(val=[a, b, c, d]), up_to(diff(apart, neighbor(g, c)), c))
            return each(apart, third)
        return each(near, second)
    return from_vertices(g, at)

def four_paths(g: Graph) -> List<Tuple<int, 4>>:
    """Path c, a, b, d with a > b."""
    def at(a):
        def second(b):
            ends = diff(neighbor(g, b), [a])
            return each(
                diff(neighbor(g, a), [b]),
                lambda c: apply(lambda d: mk_tuple(val=[a, b, c, d]), diff(ends, [c]))
            )
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def four_paths_induced(g: Graph) -> List<Tuple<int, 4>>:
    def at(a):
        def second(b):
            left = diff(diff(neighbor(g, a), neighbor(g, b)), [b])
            right = diff(diff(neighbor(g, b), neighbor(g, a)), [a])
            return each(left, lambda c: apply(lambda d: mk_tuple(val=[a, b, c, d]), diff(right, neighbor(g, c))))
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def tailed_triangles(g: Graph) -> List<Tuple<int, 4>>:
    """Triangle a, b > c; d at a."""
    def at(a):
        def second(b):
            def third(c):
                return apply(lambda d: mk_tuple(val=[a, b, c, d]), diff(neighbor(g, a), [b, c]))
            return each(up_to(shared(g, a, b), b), third)
        return each(neighbor(g, a), second)
    return from_vertices(g, at)

def tailed_triangles_induced(g: Graph) -> List<Tuple<int, 4>>:
    def at(a):
        def second(b):
            apart = diff(diff(neighbor(g, a), neighbor(g, b)), [b])
            def third(c):
                return apply(lambda d: mk_tuple(val=[a, b, c, d]), diff(apart, neighbor(g, c)))
            return each(up_to(shared(g, a, b), b), third)
        return each(neighbor(g, a), second)
    return from_vertices(g, at)

def four_cycles(g: Graph) -> List<Tuple<int, 4>>:
    """Cycle a, b, c, d with a the largest and b > d."""
    def at(a):
        near = up_to(neighbor(g, a), a)
        def second(b):
            def last(d):
                return apply(lambda c: mk_tuple(val=[a, b, c, d]), up_to(shared(g, b, d), a))
            return each(up_to(near, b), last)
        return each(near, second)
    return from_vertices(g, at)

def four_cycles_induced(g: Graph) -> List<Tuple<int, 4>>:
    def at(a):
        near = up_to(neighbor(g, a), a)
        def second(b):
            def last(d):
                return apply(lambda c: mk_tuple(val=[a, b, c, d]), up_to(diff(shared(g, b, d), neighbor(g, a)), a))
            return each(diff(up_to(near, b), neighbor(g, b)), last)
        return each(near, second)
    return from_vertices(g, at)

def diamonds(g: Graph) -> List<Tuple<int, 4>>:
    """Chord a > b; c > d."""
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                return apply(lambda d: mk_tuple(val=[a, b, c, d]), up_to(ends, c))
            return each(ends, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def diamonds_induced(g: Graph) -> List<Tuple<int, 4>>:
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                return apply(lambda d: mk_tuple(val=[a, b, c, d]), up_to(diff(ends, neighbor(g, c)), c))
            return each(ends, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def four_cliques(g: Graph) -> List<Tuple<int, 4>>:
    """a > b > c > d."""
    def at(a):
        def second(b):
            rest = up_to(shared(g, a, b), b)
            def third(c):
                return apply(lambda d: mk_tuple(val=[a, b, c, d]), up_to(intersect(rest, neighbor(g, c)), c))
            return each(rest, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

# Five vertices

def houses(g: Graph) -> List<Tuple<int, 5>>:
    """Cycle a, b, c, d with a > b; e joined to a and b."""
    def at(a):
        def second(b):
            roof = shared(g, a, b)
            def fourth(d):
                tops = diff(roof, [d])
                def third(c):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), diff(tops, [c]))
                return each(diff(shared(g, b, d), [a]), third)
            return each(diff(neighbor(g, a), [b]), fourth)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def houses_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        def second(b):
            roof = shared(g, a, b)
            right = diff(diff(neighbor(g, b), neighbor(g, a)), [a])
            def fourth(d):
                tops = diff(roof, neighbor(g, d))
                def third(c):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), diff(tops, neighbor(g, c)))
                return each(intersect(right, neighbor(g, d)), third)
            return each(diff(diff(neighbor(g, a), neighbor(g, b)), [b]), fourth)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def five_cycles(g: Graph) -> List<Tuple<int, 5>>:
    """Cycle a, b, c, d, e with a the largest and b > e."""
    def at(a):
        near = up_to(neighbor(g, a), a)
        def second(b):
            def fifth(e):
                def third(c):
                    return apply(lambda d: mk_tuple(val=[a, b, c, d, e]), diff(up_to(shared(g, c, e), a), [b]))
                return each(diff(up_to(neighbor(g, b), a), [e]), third)
            return each(up_to(near, b), fifth)
        return each(near, second)
    return from_vertices(g, at)

def five_cycles_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        near = up_to(neighbor(g, a), a)
        def second(b):
            left = diff(up_to(neighbor(g, b), a), neighbor(g, a))
            def fifth(e):
                right = diff(diff(up_to(neighbor(g, e), a), neighbor(g, a)), neighbor(g, b))
                def third(c):
                    return apply(lambda d: mk_tuple(val=[a, b, c, d, e]), intersect(right, neighbor(g, c)))
                return each(diff(left, neighbor(g, e)), third)
            return each(diff(up_to(near, b), neighbor(g, b)), fifth)
        return each(near, second)
    return from_vertices(g, at)

def bowties(g: Graph) -> List<Tuple<int, 5>>:
    """Triangles a, b > c and a, d > e with b > d."""
    def at(a):
        near = neighbor(g, a)
        def second(b):
            def third(c):
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), diff(up_to(shared(g, a, d), d), [c]))
                return each(diff(up_to(near, b), [c]), fourth)
            return each(up_to(shared(g, a, b), b), third)
        return each(near, second)
    return from_vertices(g, at)

def bowties_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        near = neighbor(g, a)
        def second(b):
            rest = diff(near, neighbor(g, b))
            def third(c):
                apart = diff(rest, neighbor(g, c))
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), up_to(intersect(apart, neighbor(g, d)), d))
                return each(up_to(apart, b), fourth)
            return each(up_to(shared(g, a, b), b), third)
        return each(near, second)
    return from_vertices(g, at)

# The patterns of T-DFS (ICDE 2024), besides P1, the diamond, and P2, the 4-clique

def p3(g: Graph) -> List<Tuple<int, 5>>:
    """4-clique a > b, c > d; e joined to a and b."""
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), diff(ends, [c, d]))
                return each(up_to(intersect(ends, neighbor(g, c)), c), fourth)
            return each(ends, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def p3_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                apart = diff(diff(ends, neighbor(g, c)), [c])
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), diff(apart, neighbor(g, d)))
                return each(up_to(intersect(ends, neighbor(g, c)), c), fourth)
            return each(ends, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def p4(g: Graph) -> List<Tuple<int, 5>>:
    """a > b joined; c > d joined to both; e joined to c and d."""
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), diff(shared(g, c, d), [a, b]))
                return each(up_to(ends, c), fourth)
            return each(ends, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def p4_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                far = diff(diff(diff(neighbor(g, c), neighbor(g, a)), neighbor(g, b)), [a, b])
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), intersect(far, neighbor(g, d)))
                return each(up_to(diff(ends, neighbor(g, c)), c), fourth)
            return each(ends, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def p5(g: Graph) -> List<Tuple<int, 5>>:
    """Cycle b, c, d, e, all joined to a; b is the largest of them and c > e."""
    def at(a):
        near = neighbor(g, a)
        def second(b):
            ring = up_to(intersect(near, neighbor(g, b)), b)
            below = up_to(near, b)
            def third(c):
                other = intersect(below, neighbor(g, c))
                def fifth(e):
                    return apply(lambda d: mk_tuple(val=[a, b, c, d, e]), intersect(other, neighbor(g, e)))
                return each(up_to(ring, c), fifth)
            return each(ring, third)
        return each(near, second)
    return from_vertices(g, at)

def p5_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        near = neighbor(g, a)
        def second(b):
            ring = up_to(intersect(near, neighbor(g, b)), b)
            below = diff(up_to(near, b), neighbor(g, b))
            def third(c):
                other = intersect(below, neighbor(g, c))
                def fifth(e):
                    return apply(lambda d: mk_tuple(val=[a, b, c, d, e]), intersect(other, neighbor(g, e)))
                return each(diff(up_to(ring, c), neighbor(g, c)), fifth)
            return each(ring, third)
        return each(near, second)
    return from_vertices(g, at)

def p6(g: Graph) -> List<Tuple<int, 5>>:
    """Triangle a > b > c; d > e joined to all of it."""
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                all = intersect(ends, neighbor(g, c))
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), up_to(all, d))
                return each(all, fourth)
            return each(up_to(ends, b), third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def p6_induced(g: Graph) -> List<Tuple<int, 5>>:
    def at(a):
        def second(b):
            ends = shared(g, a, b)
            def third(c):
                all = intersect(ends, neighbor(g, c))
                def fourth(d):
                    return apply(lambda e: mk_tuple(val=[a, b, c, d, e]), up_to(diff(all, neighbor(g, d)), d))
                return each(all, fourth)
            return each(up_to(ends, b), third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)

def p7(g: Graph) -> List<Tuple<int, 5>>:
    """The 5-clique a > b > c > d > e."""
    def at(a):
        def second(b):
            third_set = up_to(shared(g, a, b), b)
            def third(c):
                fourth_set = up_to(intersect(third_set, neighbor(g, c)), c)
                def fourth(d):
                    return apply(
                        lambda e: mk_tuple(val=[a, b, c, d, e]),
                        up_to(intersect(fourth_set, neighbor(g, d)), d)
                    )
                return each(fourth_set, fourth)
            return each(third_set, third)
        return each(up_to(neighbor(g, a), a), second)
    return from_vertices(g, at)
