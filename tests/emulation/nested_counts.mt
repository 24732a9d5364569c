# For each vertex, a count that takes three loops within one another before anything of the vertex is known.

def around(G, v):
    def from_u(u):
        def from_w(w):
            return sum(apply(lambda x: size(intersect(neighbor(G, x), neighbor(G, w))), intersect(neighbor(G, u), neighbor(G, w))))
        return sum(apply(from_w, neighbor(G, u)))
    return apply(from_u, neighbor(G, v))

def counts(G: Graph) -> List<Tuple<int, 2>>:
    return apply(lambda v: mk_tuple(val=[v, sum(around(G, v))]), vertices(G))

def least(G: Graph) -> int:
    return sum(apply(lambda v: min(around(G, v)), vertices(G)))
