# Communities: in each round a vertex takes the label that most of its neighbours have, of several the least.
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph, rounds: int = 5) -> Table<int, int>:
    def step(label):
        votes = count_by(flatten(apply(lambda v: apply(lambda w: (v, get(label, w)), neighbor(g, v)), vertices(g))))
        best = max_by(apply(lambda k, n: (get(k, 0), n, -get(k, 1)), keys(votes), values(votes)))
        return min_by(apply(lambda v, b: (v, -get(b, 1)), keys(best), values(best)))

    return repeat(step, min_by(apply(lambda v: (v, v), vertices(g))), rounds)
