# The local clustering coefficient of every vertex: rows (vertex, coefficient).
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph) -> List<Tuple<int, float>>:
    def corners(u):
        up = apply(lambda w: w, cond=lambda w: u < w, neighbor(g, u))
        def closed(v):
            third = apply(lambda w: w, cond=lambda w: v < w, intersect(up, neighbor(g, v)))
            return flatten(apply(lambda w: [u, v, w], third))
        return flatten(apply(closed, up))

    triangles = count_by(flatten(apply(corners, vertices(g))))
    def row(v):
        d = size(neighbor(g, v))
        return (v, 2.0 * get(triangles, v) / (d * (d - 1)) if d > 1 else 0.0)
    return apply(row, vertices(g))
