# Tailed triangles, vertex-induced, each counted once: u has the tail, v > w are the other corners, and the end of the tail
# is a neighbour of u that is none of v or w.
# count: examples/graphs/wiki-vote.txt.gz 283932309

def tailed_triangle_induced(G: Graph) -> int:
    def from_u(u):
        def from_v(v):
            not_v = diff(neighbor(G, u), neighbor(G, v))
            third = intersect(neighbor(G, u), neighbor(G, v))
            return sum(apply(lambda w: size(diff(diff(not_v, [v]), neighbor(G, w))), cond=lambda w: w < v, third))
        return sum(apply(from_v, neighbor(G, u)))
    return sum(apply(from_u, vertices(G)))
