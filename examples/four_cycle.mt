# 4-cycles (edge-induced), each counted once: v0 is its largest vertex, v1 > v3 are the two beside it, v2 is opposite.
# count: examples/graphs/wiki-vote.txt.gz 57654491

def four_cycle(G: Graph) -> int:
    def from_v0(v0):
        below = apply(lambda v: v, cond=lambda v: v < v0, neighbor(G, v0))
        def from_v1(v1):
            def from_v3(v3):
                opposite = intersect(neighbor(G, v1), neighbor(G, v3))
                return size(apply(lambda v2: v2, cond=lambda v2: v2 < v0, opposite))
            return sum(apply(from_v3, cond=lambda v3: v3 < v1, below))
        return sum(apply(from_v1, below))
    return sum(apply(from_v0, vertices(G)))
