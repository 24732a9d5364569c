# 4-cliques, each counted once, on a graph oriented from lower to higher degree: no vertex has many successors there.
# count: examples/graphs/wiki-vote.txt.gz 2077903

def four_cliques(G: Graph) -> int:
    def forward(e):
        u = get(e, 0)
        v = get(e, 1)
        du = size(neighbor(G, u))
        dv = size(neighbor(G, v))
        return du < dv or (du == dv and u < v)

    D = mk_graph(apply(lambda e: e, cond=forward, edges(G)))

    def at_edge(e):
        third = intersect(neighbor(D, get(e, 0)), neighbor(D, get(e, 1)))
        return sum(apply(lambda w: size(intersect(third, neighbor(D, w))), third))

    return sum(apply(at_edge, edges(D)))
