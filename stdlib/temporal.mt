"""Temporal subgraphs by edge extension (Everest, PVLDB 2024): each step walks those edges that leave the last vertex within the
times that are left, found by search among the edges of the vertex in the order of time.

Edges are given as a list, a row each, with a list of their times. A match is a sequence of edges whose times ascend, from the
first to the last within `window`, and from each to the next within `gap2`, `gap3`, `gap4` (of the second, third and fourth edge).
They ascend strictly; with `ties`, edges of one time may follow each other. Its vertices differ. Parallel edges are edges of their
own. Where a cycle closes, the times of the edges back to its first vertex end the search of all others. temporal.md shows the
queries; motifs counts all shapes of two and three edges."""

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

def motifs(edges: List<Tuple<int, 2>>, times: List<int>, window: int = 86400) -> Tuple<int, 42>:
    """ab<ab, ab<ba, ab<ac, ab<ca, ab<bc, ab<cb, ab<cb<ab, ab<cb<ba, ab<cb<ac, ab<cb<ca, ab<cb<bc, ab<cb<cb, ab<bc<ab,
    ab<bc<ba, ab<bc<ac, ab<bc<ca, ab<bc<bc, ab<bc<cb, ab<ca<ab, ab<ca<ba, ab<ca<ac, ab<ca<ca, ab<ca<bc, ab<ca<cb,
    ab<ac<ab, ab<ac<ba, ab<ac<ac, ab<ac<ca, ab<ac<bc, ab<ac<cb, ab<ba<ab, ab<ba<ba, ab<ba<ac, ab<ba<ca, ab<ba<bc,
    ab<ba<cb, ab<ab<ab, ab<ab<ba, ab<ab<ac, ab<ab<ca, ab<ab<bc, ab<ab<cb: how many pairs and threes of edges ascend like
    this within the window. ab is an edge from a to b; a, b and c differ."""
    kept = apply(lambda e, t: e, cond=lambda e, t: get(e, 0) != get(e, 1), edges, times)
    when = apply(lambda e, t: t, cond=lambda e, t: get(e, 0) != get(e, 1), edges, times)
    g = mk_graph(kept, einfo=when)
    into = mk_graph(turned(kept), einfo=when)
    between = lambda u, v, low, high: size(apply(lambda x: x, cond=lambda x: x == v, neighbor(g, u, low, high)))
    def first(a, b, t1):
        end = t1 + window
        other = lambda c, t: c != a and c != b
        def on_three(c, t):
            return mk_tuple(val=[
                between(a, b, t, end), between(b, a, t, end), between(a, c, t, end), between(c, a, t, end),
                between(b, c, t, end), between(c, b, t, end)
            ])
        def on_two(t):
            same = between(a, b, t, end)
            back = between(b, a, t, end)
            return mk_tuple(val=[
                same,
                back,
                size(neighbor(g, a, t, end)) - same,
                size(neighbor(into, a, t, end)) - back,
                size(neighbor(g, b, t, end)) - back,
                size(neighbor(into, b, t, end)) - same
            ])
        pairs = on_two(t1)
        cb = sum(apply(on_three, cond=other, neighbor(into, b, t1, end), edge_info(into, b, t1, end)))
        bc = sum(apply(on_three, cond=other, neighbor(g, b, t1, end), edge_info(g, b, t1, end)))
        ca = sum(apply(on_three, cond=other, neighbor(into, a, t1, end), edge_info(into, a, t1, end)))
        ac = sum(apply(on_three, cond=other, neighbor(g, a, t1, end), edge_info(g, a, t1, end)))
        ba = sum(apply(
            lambda c, t: on_two(t), cond=lambda c, t: c == a, neighbor(g, b, t1, end), edge_info(g, b, t1, end)
        ))
        ab = sum(apply(
            lambda c, t: on_two(t), cond=lambda c, t: c == b, neighbor(g, a, t1, end), edge_info(g, a, t1, end)
        ))
        return mk_tuple(val=[
            get(pairs, 0), get(pairs, 1), get(pairs, 2), get(pairs, 3), get(pairs, 4), get(pairs, 5), get(cb, 0),
            get(cb, 1), get(cb, 2), get(cb, 3), get(cb, 4), get(cb, 5), get(bc, 0), get(bc, 1), get(bc, 2), get(bc, 3),
            get(bc, 4), get(bc, 5), get(ca, 0), get(ca, 1), get(ca, 2), get(ca, 3), get(ca, 4), get(ca, 5), get(ac, 0),
            get(ac, 1), get(ac, 2), get(ac, 3), get(ac, 4), get(ac, 5), get(ba, 0), get(ba, 1), get(ba, 2), get(ba, 3),
            get(ba, 4), get(ba, 5), get(ab, 0), get(ab, 1), get(ab, 2), get(ab, 3), get(ab, 4), get(ab, 5)
        ])
    from_one = lambda a: sum(apply(lambda b, t: first(a, b, t), neighbor(g, a), edge_info(g, a)))
    return sum(apply(from_one, vertices(g)))
