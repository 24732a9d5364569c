# Triangles weighted by their edges, an edge by 1 / sqrt(degree * degree) of its ends: rows (vertex, weight of its triangles).
# count: examples/graphs/ca-grqc.txt.gz 3855

def main(g: Graph) -> Table<int, float>:
    degree = lambda v: size(neighbor(g, v))
    def weighted(e):
        u = get(e, 0)
        v = get(e, 1)
        return (u, v, 1.0 / sqrt(1.0 * degree(u) * degree(v)))
    weights = sum_by(apply(weighted, edges(g)), keys=2)

    def corners(u):
        up = apply(lambda w: w, cond=lambda w: u < w, neighbor(g, u))
        def closed(v):
            third = apply(lambda w: w, cond=lambda w: v < w, intersect(up, neighbor(g, v)))
            def rows(w):
                weight = get(weights, u, v) * get(weights, v, w) * get(weights, u, w)
                return [(u, weight), (v, weight), (w, weight)]
            return flatten(apply(rows, third))
        return flatten(apply(closed, up))
    return sum_by(flatten(apply(corners, vertices(g))))
