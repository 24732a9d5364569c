def main(g: Graph):
    def f(v):
# expected-error@+1 {{a graph is built for each item of a list [graph-place]}}
        h = mk_graph(apply(lambda w: mk_tuple(val=[v, w]), neighbor(g, v)))
        return size(edges(h))
    return sum(apply(f, vertices(g)))
