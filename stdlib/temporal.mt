"""Temporal subgraphs by edge extension (Everest, PVLDB 2024): each step walks the edges that leave the last vertex, together with
their times, and keeps those that come later.

Edges are given as a list, a row each, with a list of their times. A match is a sequence of edges whose times ascend strictly, from
the first to the last within `window`, and from each to the next within `gap2`, `gap3`, `gap4` (of the second, third and fourth edge).
Its vertices differ. Parallel edges are edges of their own. temporal.md shows the queries."""

def q7(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904
) -> int:
    """A cycle of three edges: a -> b, b -> c, c -> a."""
    g = mk_graph(edges, einfo=times)
    def first(e, t1):
        a = get(e, 0)
        def second(c, t2):
            closes = lambda x, t3: x == a and t2 < t3 and t3 - t1 <= window and t3 - t2 <= gap3
            return size(apply(lambda x, t3: x, cond=closes, neighbor(g, c), edge_info(g, c)))
        follows = lambda c, t2: c != a and c != get(e, 1) and t1 < t2 and t2 - t1 <= window and t2 - t1 <= gap2
        return sum(apply(second, cond=follows, neighbor(g, get(e, 1)), edge_info(g, get(e, 1))))
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))

def q8(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904
) -> int:
    """A path of three edges: a -> b, b -> c, c -> d."""
    g = mk_graph(edges, einfo=times)
    def first(e, t1):
        a = get(e, 0)
        b = get(e, 1)
        def second(c, t2):
            goes = lambda d, t3: d != a and d != b and d != c and t2 < t3 and t3 - t1 <= window and t3 - t2 <= gap3
            return size(apply(lambda d, t3: d, cond=goes, neighbor(g, c), edge_info(g, c)))
        follows = lambda c, t2: c != a and c != b and t1 < t2 and t2 - t1 <= window and t2 - t1 <= gap2
        return sum(apply(second, cond=follows, neighbor(g, b), edge_info(g, b)))
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))

def four_edges(edges, times, window, gap2, gap3, gap4, third_end, fourth_end):
    """Sequences of four edges: a -> b, b -> c, then from c to a vertex d with third_end(a, b, c, d), and from d to one with
    fourth_end(a, b, c, d, it)."""
    g = mk_graph(edges, einfo=times)
    def first(e, t1):
        a = get(e, 0)
        b = get(e, 1)
        def second(c, t2):
            def third(d, t3):
                goes = lambda x, t4: fourth_end(a, b, c, d, x) and t3 < t4 and t4 - t1 <= window and t4 - t3 <= gap4
                return size(apply(lambda x, t4: x, cond=goes, neighbor(g, d), edge_info(g, d)))
            leaves = lambda d, t3: third_end(a, b, c, d) and t2 < t3 and t3 - t1 <= window and t3 - t2 <= gap3
            return sum(apply(third, cond=leaves, neighbor(g, c), edge_info(g, c)))
        follows = lambda c, t2: c != a and c != b and t1 < t2 and t2 - t1 <= window and t2 - t1 <= gap2
        return sum(apply(second, cond=follows, neighbor(g, b), edge_info(g, b)))
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))

def q9(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904, gap4: int = 4611686018427387904
) -> int:
    """A cycle of four edges: a -> b, b -> c, c -> d, d -> a."""
    other = lambda a, b, c, d: d != a and d != b and d != c
    back = lambda a, b, c, d, x: x == a
    return four_edges(edges, times, window, gap2, gap3, gap4, other, back)

def q10(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904, gap4: int = 4611686018427387904
) -> int:
    """A cycle of three edges that an edge leaves where it closed: a -> b, b -> c, c -> a, a -> d."""
    back = lambda a, b, c, d: d == a
    other = lambda a, b, c, d, x: x != a and x != b and x != c
    return four_edges(edges, times, window, gap2, gap3, gap4, back, other)
