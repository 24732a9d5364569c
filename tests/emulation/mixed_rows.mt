# Rows of several types: vertices, whose ids may have 64 bits, beside floats and bools; a sum of such rows in a condition.
# count: tests/graphs/random-20-seed2.txt 138

def mixed_rows(G: Graph) -> List<Tuple<int, float, bool, int, float>>:
    def about(v):
        near = neighbor(G, v)
        return sum(apply(lambda w: mk_tuple(val=[size(neighbor(G, w)), 0.5, w < v]), near))
    def rows(v):
        total = about(v)
        share = lambda w: get(total, 1) / size(neighbor(G, w))
        half = lambda w: mk_tuple(val=[v, share(w), get(total, 2) > 1, w, 0.25 * get(total, 0)])
        return apply(half, cond=lambda w: share(w) < 0.75 or w < v, neighbor(G, v))
    return flatten(apply(rows, vertices(G)))
