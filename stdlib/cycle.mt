"""Cycles and paths of a symmetric graph, edge-induced, each counted once."""

def wedges(g: Graph) -> int:
    """Paths of two edges."""
    def by_middle(v):
        degree = size(neighbor(g, v))
        return degree * (degree - 1) / 2
    return sum(apply(by_middle, vertices(g)))

def four_cycles(g: Graph) -> int:
    """Every cycle has its largest id at `v` and the opposite corner at `w`."""
    def by_corner(v):
        near = neighbor(g, v)
        def by_opposite(w):
            shared = size(apply(lambda u: u, cond=lambda u: u < v, intersect(near, neighbor(g, w))))
            return shared * (shared - 1) / 2
        return sum(apply(by_opposite, cond=lambda w: w < v, vertices(g)))
    return sum(apply(by_corner, vertices(g)))
