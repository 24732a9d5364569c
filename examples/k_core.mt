# The k-core: the vertices that stay when those with fewer than k neighbours are removed, again and again.
# count: examples/graphs/ca-grqc.txt.gz 917

def main(g: Graph, k: int = 5) -> List<int>:
    def step(left):
        inside = lambda v: sum(apply(lambda w: get(left, w), neighbor(g, v)))
        return count_by(apply(lambda v: v, cond=lambda v: k <= inside(v), keys(left)))

    return keys(iterate(step, count_by(vertices(g)), 1000000))
