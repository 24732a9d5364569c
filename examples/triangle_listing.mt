# All triangles as rows u, v, w with u > v > w. `--matches FILE` streams them; their number is that of triangle.mt.
# count: examples/graphs/ca-grqc.txt.gz 48260

def triangle_listing(G: Graph) -> List<Tuple<int, 3>>:
    def from_u(u):
        def from_v(v):
            third = intersect(neighbor(G, u), neighbor(G, v))
            return apply(lambda w: mk_tuple(val=[u, v, w]), cond=lambda w: w < v, third)
        return flatten(apply(from_v, cond=lambda v: v < u, neighbor(G, u)))
    return flatten(apply(from_u, vertices(G)))
