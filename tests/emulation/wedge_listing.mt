# All walks v, u, w over two edges: more rows than a ring of them holds.

def wedge_listing(G: Graph) -> List<Tuple<int, 3>>:
    def from_v(v):
        return flatten(apply(lambda u: apply(lambda w: mk_tuple(val=[v, u, w]), neighbor(G, u)), neighbor(G, v)))
    return flatten(apply(from_v, vertices(G)))
