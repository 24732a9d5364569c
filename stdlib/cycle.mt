"""Cycles and paths of a symmetric graph, edge-induced, each counted once."""

def wedges(g: Graph) -> int:
    """Paths of two edges."""
    def by_middle(v):
        degree = size(neighbor(g, v))
        return degree * (degree - 1) / 2
    return sum(apply(by_middle, vertices(symmetric(g))))

def four_cycles(g: Graph) -> int:
    """From the largest vertex a: its neighbours b > d below a, and the common neighbours of these below a."""
    def at(a):
        near = apply(lambda v: v, cond=lambda v: v < a, neighbor(g, a))
        def second(b):
            def last(d):
                return size(apply(lambda c: c, cond=lambda c: c < a, intersect(neighbor(g, b), neighbor(g, d))))
            return sum(apply(last, cond=lambda d: d < b, near))
        return sum(apply(second, near))
    return sum(apply(at, vertices(symmetric(g))))
