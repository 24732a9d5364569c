# Wedges (paths of two edges, edge-induced), each counted once: two neighbours of the middle vertex.
# count: examples/graphs/wiki-vote.txt.gz 14545580

def wedge(G: Graph) -> int:
    def pairs(v):
        d = size(neighbor(G, v))
        return d * (d - 1) / 2
    return sum(apply(pairs, vertices(G)))
