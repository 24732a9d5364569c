# PageRank with damping .85: rows (vertex, rank).
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph, rounds: int = 40) -> Table<int, float>:
    n = size(vertices(g))
    alone = apply(lambda v: v, cond=lambda v: size(neighbor(g, v)) == 0, vertices(g))

    def step(rank):
        given = lambda v: apply(lambda w: (w, get(rank, v) / size(neighbor(g, v))), neighbor(g, v))
        flow = sum_by(flatten(apply(given, vertices(g))))
        rest = sum(apply(lambda v: get(rank, v), alone)) / n
        return sum_by(apply(lambda v: (v, 0.15 / n + 0.85 * (get(flow, v) + rest)), vertices(g)))

    return repeat(step, sum_by(apply(lambda v: (v, 1.0 / n), vertices(g))), rounds)
