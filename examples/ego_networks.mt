# The edges among the neighbours of each vertex, by its ego network: rows (vertex, neighbours, edges among them).
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph) -> List<Tuple<int, 3>>:
    def row(v):
        ego = subgraph(g, neighbor(g, v))
        return (v, size(vertices(ego)), sum(apply(lambda w: size(neighbor(ego, w)), vertices(ego))) / 2)
    return apply(row, vertices(g))
