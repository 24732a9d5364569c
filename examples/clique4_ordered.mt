# 4-cliques, each counted once: their vertices in descending order u > v > w > x. No graph is built, which pays on sparse
# graphs; clique4.mt orients by degree, which pays on skewed ones.
# count: examples/graphs/wiki-vote.txt.gz 2077903

def four_cliques(G: Graph) -> int:
    def from_u(u):
        def from_v(v):
            third = apply(lambda w: w, cond=lambda w: w < v, intersect(neighbor(G, u), neighbor(G, v)))
            def from_w(w):
                return size(apply(lambda x: x, cond=lambda x: x < w, intersect(third, neighbor(G, w))))
            return sum(apply(from_w, third))
        return sum(apply(from_v, cond=lambda v: v < u, neighbor(G, u)))
    return sum(apply(from_u, vertices(G)))
