# Harmonic closeness within two hops: 1 for each neighbour, 1/2 for each vertex at distance two: rows (vertex, closeness).
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph) -> List<Tuple<int, float>>:
    def row(v):
        near = neighbor(g, v)
        met = keys(count_by(flatten(apply(lambda w: neighbor(g, w), near))))
        far = size(apply(lambda w: w, cond=lambda w: w != v, diff(met, near)))
        return (v, size(near) + 0.5 * far)
    return apply(row, vertices(g))
