# Tailed triangles (a triangle and an edge that leaves it, edge-induced), each counted once: the triangles at the vertex
# with the tail, times its other neighbours.
# count: examples/graphs/wiki-vote.txt.gz 421175645

def tailed_triangle(G: Graph) -> int:
    def at_vertex(u):
        corners = sum(apply(lambda v: size(intersect(neighbor(G, u), neighbor(G, v))), neighbor(G, u)))
        return corners / 2 * (size(neighbor(G, u)) - 2)
    return sum(apply(at_vertex, vertices(G)))
