"""Labelled queries by decomposition (Chen, Qian: DecoMine, ASPLOS 2023): the query falls apart at a cutset, whose matches are walked; the
parts are counted for each and multiplied, less the choices in which parts meet. Counts embeddings of Q1 to Q6 of labelled.md."""

from std.query import split_q1, split_q2, split_q3, split_q4, split_q5, split_q6

def with_label(g: Graph, label):
    """A filter for lists: keeps the vertices with the label."""
    return lambda l: apply(lambda v: v, cond=lambda v: vertex_label(g, v) == label, l)

def starts(g: Graph, a, b):
    """The edges from label a to label b."""
    return apply(
        lambda e: e,
        cond=lambda e: vertex_label(g, get(e, 0)) == a and vertex_label(g, get(e, 1)) == b,
        edges(symmetric(g))
    )

def q1(g: Graph, l0: int, l1: int, l2: int, l3: int) -> int:
    """4-cycle: 01 12 23 03."""
    near = lambda v: neighbor(g, v)
    return split_q1(
        starts(g, l0, l1), near, near, near, near, near, with_label(g, l1), with_label(g, l2), with_label(g, l3)
    )

def q2(g: Graph, l0: int, l1: int, l2: int, l3: int) -> int:
    """Diamond: 01 02 12 03 13."""
    near = lambda v: neighbor(g, v)
    return split_q2(starts(g, l0, l1), near, near, near, near, with_label(g, l2), with_label(g, l3))

def q3(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int) -> int:
    """House: 01 12 23 03 04 14."""
    near = lambda v: neighbor(g, v)
    return split_q3(
        starts(g, l0, l1), near, near, near, near, near, with_label(g, l2), with_label(g, l3), with_label(g, l4)
    )

def q4(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int) -> int:
    """5-cycle: 01 12 23 34 04."""
    near = lambda v: neighbor(g, v)
    return split_q4(
        starts(g, l0, l1), near, near, near, near, near, with_label(g, l2), with_label(g, l3), with_label(g, l4)
    )

def q5(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int, l5: int) -> int:
    """Diamond with an edge at each end of its chord: 01 02 12 03 13 04 15."""
    near = lambda v: neighbor(g, v)
    return split_q5(
        starts(g, l0, l1), near, near, near, near, near, near, with_label(g, l2), with_label(g, l3), with_label(g, l4),
        with_label(g, l5)
    )

def q6(g: Graph, l0: int, l1: int, l2: int, l3: int, l4: int, l5: int) -> int:
    """Three triangles on an edge and an edge at one of its ends: 01 02 12 03 13 04 14 05."""
    near = lambda v: neighbor(g, v)
    return split_q6(
        starts(g, l0, l1), near, near, near, near, near, near, near, with_label(g, l2), with_label(g, l3),
        with_label(g, l4), with_label(g, l5)
    )
