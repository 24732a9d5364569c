"""Labelled queries by joins (Sun, Sun, Che, Luo, He: RapidMatch, PVLDB 2020): a relation for each edge of the query, filtered by
label, reduced from the last vertices to the first by semi-joins, and joined vertex by vertex. Counts embeddings of the queries Q1
to Q6 of labelled.md; the label of ui is li."""

from std.query import extend_q1, extend_q2, extend_q3, extend_q4, extend_q5, extend_q6

def fits(g: Graph, e, a, b):
    return vertex_label(g, get(e, 0)) == a and vertex_label(g, get(e, 1)) == b

def relation(g: Graph, a, b) -> Graph:
    """The edges from label a to label b, as lists by their source: the candidates for one edge of the query."""
    return mk_graph(apply(lambda e: e, cond=lambda e: fits(g, e, a, b), edges(symmetric(g))))

def reduced(g: Graph, a, b, s: Graph) -> Graph:
    """The relation of a and b, semi-joined: its edges whose target is a source in relation s."""
    return mk_graph(apply(lambda e: e, cond=lambda e: fits(g, e, a, b) and has(s, get(e, 1)), edges(symmetric(g))))

def has(s: Graph, v):
    return size(neighbor(s, v)) > 0

def starts(g: Graph, a, b, left, right):
    """The edges from label a to label b, semi-joined: those whose ends satisfy left and right."""
    goes_on = lambda e: fits(g, e, a, b) and left(get(e, 0)) and right(get(e, 1))
    return apply(lambda e: e, cond=goes_on, edges(symmetric(g)))

def keep(l):
    """The list itself: relations have only edges that fit, so no filter is needed."""
    return l

def q1(g: Graph, l0: int, l1: int, l2: int, l3: int) -> int:
    """4-cycle: 01 12 23 03."""
    r03 = relation(g, l0, l3)
    r23 = relation(g, l2, l3)
    r12 = reduced(g, l1, l2, r23)
    left = lambda v: has(r03, v)
    right = lambda v: has(r12, v)
    return extend_q1(
        starts(g, l0, l1, left, right), lambda v: neighbor(r03, v), lambda v: neighbor(r12, v),
        lambda v: neighbor(r23, v), keep, keep
    )

def q2(g: Graph, l0: int, l1: int, l2: int, l3: int) -> int:
    """Diamond: 01 02 12 03 13."""
    r02 = relation(g, l0, l2)
    r03 = relation(g, l0, l3)
    r12 = relation(g, l1, l2)
    r13 = relation(g, l1, l3)
    left = lambda v: has(r02, v) and has(r03, v)
    right = lambda v: has(r12, v) and has(r13, v)
    return extend_q2(
        starts(g, l0, l1, left, right), lambda v: neighbor(r02, v), lambda v: neighbor(r03, v),
        lambda v: neighbor(r12, v), lambda v: neighbor(r13, v), keep, keep
    )

def q3(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int) -> int:
    """House: 01 12 23 03 04 14."""
    r32 = relation(g, l3, l2)
    r03 = reduced(g, l0, l3, r32)
    r04 = relation(g, l0, l4)
    r12 = relation(g, l1, l2)
    r14 = relation(g, l1, l4)
    left = lambda v: has(r03, v) and has(r04, v)
    right = lambda v: has(r12, v) and has(r14, v)
    return extend_q3(
        starts(g, l0, l1, left, right), lambda v: neighbor(r03, v), lambda v: neighbor(r04, v),
        lambda v: neighbor(r12, v), lambda v: neighbor(r14, v), lambda v: neighbor(r32, v), keep, keep, keep
    )

def q4(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int) -> int:
    """5-cycle: 01 12 23 34 04."""
    r43 = relation(g, l4, l3)
    r04 = reduced(g, l0, l4, r43)
    r23 = relation(g, l2, l3)
    r12 = reduced(g, l1, l2, r23)
    left = lambda v: has(r04, v)
    right = lambda v: has(r12, v)
    return extend_q4(
        starts(g, l0, l1, left, right), lambda v: neighbor(r04, v), lambda v: neighbor(r12, v),
        lambda v: neighbor(r23, v), lambda v: neighbor(r43, v), keep, keep, keep
    )

def q5(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int, l5: int) -> int:
    """Diamond with an edge at each end of its chord: 01 02 12 03 13 04 15."""
    r02 = relation(g, l0, l2)
    r03 = relation(g, l0, l3)
    r04 = relation(g, l0, l4)
    r12 = relation(g, l1, l2)
    r13 = relation(g, l1, l3)
    r15 = relation(g, l1, l5)
    left = lambda v: has(r02, v) and has(r03, v) and has(r04, v)
    right = lambda v: has(r12, v) and has(r13, v) and has(r15, v)
    return extend_q5(
        starts(g, l0, l1, left, right), lambda v: neighbor(r02, v), lambda v: neighbor(r03, v),
        lambda v: neighbor(r04, v), lambda v: neighbor(r12, v), lambda v: neighbor(r13, v), lambda v: neighbor(r15, v),
        keep, keep, keep, keep
    )

def q6(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int, l5: int) -> int:
    """Three triangles on an edge and an edge at one of its ends: 01 02 12 03 13 04 14 05."""
    r02 = relation(g, l0, l2)
    r03 = relation(g, l0, l3)
    r04 = relation(g, l0, l4)
    r05 = relation(g, l0, l5)
    r12 = relation(g, l1, l2)
    r13 = relation(g, l1, l3)
    r14 = relation(g, l1, l4)
    left = lambda v: has(r02, v) and has(r03, v) and has(r04, v) and has(r05, v)
    right = lambda v: has(r12, v) and has(r13, v) and has(r14, v)
    return extend_q6(
        starts(g, l0, l1, left, right), lambda v: neighbor(r02, v), lambda v: neighbor(r03, v),
        lambda v: neighbor(r04, v), lambda v: neighbor(r05, v), lambda v: neighbor(r12, v), lambda v: neighbor(r13, v),
        lambda v: neighbor(r14, v), keep, keep, keep, keep
    )
