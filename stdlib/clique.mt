"""Cliques of a symmetric graph, each counted once."""

from std.graph import ascending

def triangles(g: Graph) -> int:
    up = ascending(g)
    def by_edge(e):
        return size(intersect(neighbor(up, get(e, 0)), neighbor(up, get(e, 1))))
    return sum(apply(by_edge, edges(up)))

def four_cliques(g: Graph) -> int:
    up = ascending(g)
    def by_edge(e):
        common = intersect(neighbor(up, get(e, 0)), neighbor(up, get(e, 1)))
        return sum(apply(lambda v: size(intersect(common, neighbor(up, v))), common))
    return sum(apply(by_edge, edges(up)))

def five_cliques(g: Graph) -> int:
    up = ascending(g)
    def by_edge(e):
        common = intersect(neighbor(up, get(e, 0)), neighbor(up, get(e, 1)))
        def by_third(v):
            closed = intersect(common, neighbor(up, v))
            return sum(apply(lambda w: size(intersect(closed, neighbor(up, w))), closed))
        return sum(apply(by_third, common))
    return sum(apply(by_edge, edges(up)))
