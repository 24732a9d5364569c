# A projection: the pairs u < v with at least `least` common neighbours, with their number: rows (u, v, common).
# count: examples/graphs/ca-grqc.txt.gz 4318

def main(g: Graph, least: int = 10) -> List<Tuple<int, 3>>:
    def pairs(w):
        near = neighbor(g, w)
        above = lambda u: apply(lambda v: (u, v), cond=lambda v: u < v, near)
        return flatten(apply(above, near))
    shared = count_by(flatten(apply(pairs, vertices(g))))
    many = lambda pair, n: least <= n
    return apply(lambda pair, n: (get(pair, 0), get(pair, 1), n), cond=many, keys(shared), values(shared))
