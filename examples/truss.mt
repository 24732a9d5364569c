# The k-truss: the edges u < v that stay when those on fewer than k - 2 triangles are removed, again and again.
# count: examples/graphs/ca-grqc.txt.gz 7012

def main(g: Graph, k: int = 5) -> List<Tuple<int, 2>>:
    def step(left):
        def on(e):
            u = get(e, 0)
            v = get(e, 1)
            return sum(apply(lambda w: get(left, u, w) * get(left, v, w), intersect(neighbor(g, u), neighbor(g, v))))
        return count_by(apply(lambda e: e, cond=lambda e: k - 2 <= on(e), keys(left)))

    truss = iterate(step, count_by(edges(g)), 1000000)
    return apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), keys(truss))
