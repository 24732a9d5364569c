# Two sums over the neighbours of a vertex: one of what is known of a neighbour, one of sets that are counted.

def two_sums(G: Graph) -> int:
    degrees = sum(apply(lambda v: sum(apply(lambda u: size(neighbor(G, u)) * 3, neighbor(G, v))), vertices(G)))
    common = sum(apply(lambda v: sum(apply(lambda u: size(intersect(neighbor(G, v), neighbor(G, u))), neighbor(G, v))), vertices(G)))
    return degrees + common
