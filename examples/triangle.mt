# Triangles, each counted once: its vertices in descending order u > v > w.
# count: examples/graphs/wiki-vote.txt.gz 608389

def triangle(G: Graph) -> int:
    def from_u(u):
        def from_v(v):
            third = intersect(neighbor(G, u), neighbor(G, v))
            return size(apply(lambda w: w, cond=lambda w: w < v, third))
        return sum(apply(from_v, cond=lambda v: v < u, neighbor(G, u)))
    return sum(apply(from_u, vertices(G)))
