# The ten vertices on the most triangles: rows (triangles, vertex), the most first.
# count: examples/graphs/ca-grqc.txt.gz 10

def main(g: Graph) -> List<Tuple<int, 2>>:
    def corners(u):
        up = apply(lambda w: w, cond=lambda w: u < w, neighbor(g, u))
        def closed(v):
            third = apply(lambda w: w, cond=lambda w: v < w, intersect(up, neighbor(g, v)))
            return flatten(apply(lambda w: [u, v, w], third))
        return flatten(apply(closed, up))

    triangles = count_by(flatten(apply(corners, vertices(g))))
    return top(10, apply(lambda v, n: (n, v), keys(triangles), values(triangles)))
