# The triangles on every edge, as weights of a graph: rows (u, v, triangles) of the edges with u < v that are on any.
# count: examples/graphs/ca-grqc.txt.gz 12878

def main(g: Graph) -> Table<Tuple<int, 2>, int>:
    def sides(u):
        up = apply(lambda w: w, cond=lambda w: u < w, neighbor(g, u))
        def closed(v):
            third = apply(lambda w: w, cond=lambda w: v < w, intersect(up, neighbor(g, v)))
            return flatten(apply(lambda w: [(u, v), (v, w), (u, w)], third))
        return flatten(apply(closed, up))
    return count_by(flatten(apply(sides, vertices(g))))
