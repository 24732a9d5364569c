# The average number of neighbours of the neighbours of the vertices with each degree: rows (degree, average).
# count: examples/graphs/ca-grqc.txt.gz 65

def main(g: Graph) -> List<Tuple<int, float>>:
    degree = lambda v: size(neighbor(g, v))
    ends = sum_by(apply(lambda e: (degree(get(e, 0)), 1, degree(get(e, 1))), edges(g)))
    return apply(lambda d, s: (d, 1.0 * get(s, 1) / get(s, 0)), keys(ends), values(ends))
