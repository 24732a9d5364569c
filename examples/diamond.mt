# Diamonds (4-cliques less an edge, edge-induced), each counted once: two common neighbours of the ends of its chord.
# count: examples/graphs/wiki-vote.txt.gz 40544543

def diamond(G: Graph) -> int:
    def at_chord(e):
        c = size(intersect(neighbor(G, get(e, 0)), neighbor(G, get(e, 1))))
        return c * (c - 1) / 2
    return sum(apply(at_chord, cond=lambda e: get(e, 0) < get(e, 1), edges(G)))
