"""Temporal subgraphs by edge extension (Everest, PVLDB 2024): each step walks those edges that leave the last vertex within the
times that are left, found by search among the edges of the vertex in the order of time.

Edges are given as a list, a row each, with a list of their times. A match is a sequence of edges whose times ascend, from the
first to the last within `window`, and from each to the next within `gap2`, `gap3`, `gap4` (of the second, third and fourth edge).
They ascend strictly; with `ties`, edges of one time may follow each other. Its vertices differ. Parallel edges are edges of their
own. Where a cycle closes, the times of the edges back to its first vertex end the search of all others. temporal.md shows the
queries."""

def turned(edges):
    return apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges)

def q7(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904, ties: bool = False
) -> int:
    """A cycle of three edges: a -> b, b -> c, c -> a."""
    g = mk_graph(edges, einfo=times)
    into = mk_graph(turned(edges), einfo=times)
    before = 1 if ties else 0
    def first(e, t1):
        a = get(e, 0)
        b = get(e, 1)
        back = edge_info(into, a, t1 - before, t1 + window)
        last = get(back, size(back) - 1)
        def second(c, t2):
            end = min(last, t2 + gap3)
            return size(apply(lambda x: x, cond=lambda x: x == c, neighbor(into, a, t2 - before, end)))
        end = min(last, t1 + gap2)
        steps = apply(
            second,
            cond=lambda c,
            t2: c != a and c != b,
            neighbor(g, b, t1 - before, end),
            edge_info(g, b, t1 - before, end)
        )
        return sum(steps) if size(back) > 0 else 0
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))

def q8(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904, ties: bool = False
) -> int:
    """A path of three edges: a -> b, b -> c, c -> d."""
    g = mk_graph(edges, einfo=times)
    before = 1 if ties else 0
    def first(e, t1):
        a = get(e, 0)
        b = get(e, 1)
        def second(c, t2):
            others = lambda d: d != a and d != b and d != c
            return size(apply(lambda d: d, cond=others, neighbor(g, c, t2 - before, min(t1 + window, t2 + gap3))))
        end = min(t1 + window, t1 + gap2)
        return sum(apply(
            second,
            cond=lambda c,
            t2: c != a and c != b,
            neighbor(g, b, t1 - before, end),
            edge_info(g, b, t1 - before, end)
        ))
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))

def q9(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904, gap4: int = 4611686018427387904, ties: bool = False
) -> int:
    """A cycle of four edges: a -> b, b -> c, c -> d, d -> a."""
    g = mk_graph(edges, einfo=times)
    into = mk_graph(turned(edges), einfo=times)
    before = 1 if ties else 0
    def first(e, t1):
        a = get(e, 0)
        b = get(e, 1)
        back = edge_info(into, a, t1 - before, t1 + window)
        last = get(back, size(back) - 1)
        def second(c, t2):
            def third(d, t3):
                end = min(last, t3 + gap4)
                return size(apply(lambda x: x, cond=lambda x: x == d, neighbor(into, a, t3 - before, end)))
            end = min(last, t2 + gap3)
            return sum(apply(
                third,
                cond=lambda d,
                t3: d != a and d != b and d != c,
                neighbor(g, c, t2 - before, end),
                edge_info(g, c, t2 - before, end)
            ))
        end = min(last, t1 + gap2)
        steps = apply(
            second,
            cond=lambda c,
            t2: c != a and c != b,
            neighbor(g, b, t1 - before, end),
            edge_info(g, b, t1 - before, end)
        )
        return sum(steps) if size(back) > 0 else 0
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))

def q10(
    edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400, gap2: int = 4611686018427387904,
    gap3: int = 4611686018427387904, gap4: int = 4611686018427387904, ties: bool = False
) -> int:
    """A cycle of three edges that an edge leaves where it closed: a -> b, b -> c, c -> a, a -> d."""
    g = mk_graph(edges, einfo=times)
    into = mk_graph(turned(edges), einfo=times)
    before = 1 if ties else 0
    def first(e, t1):
        a = get(e, 0)
        b = get(e, 1)
        back = edge_info(into, a, t1 - before, t1 + window)
        last = get(back, size(back) - 1)
        def second(c, t2):
            def third(x, t3):
                others = lambda d: d != a and d != b and d != c
                return size(apply(lambda d: d, cond=others, neighbor(g, a, t3 - before, min(t1 + window, t3 + gap4))))
            end = min(last, t2 + gap3)
            return sum(apply(
                third,
                cond=lambda x,
                t3: x == c,
                neighbor(into, a, t2 - before, end),
                edge_info(into, a, t2 - before, end)
            ))
        end = min(last, t1 + gap2)
        steps = apply(
            second,
            cond=lambda c,
            t2: c != a and c != b,
            neighbor(g, b, t1 - before, end),
            edge_info(g, b, t1 - before, end)
        )
        return sum(steps) if size(back) > 0 else 0
    return sum(apply(first, cond=lambda e, t1: get(e, 0) != get(e, 1), edges, times))
