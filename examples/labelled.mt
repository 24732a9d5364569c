# A labelled query: a triangle of labels 0, 1, 2 with a tail of label 3 at the vertex of label 0. The four labels differ, so
# embeddings and subgraphs are the same number.
# count: examples/graphs/wiki-vote.txt.gz --labels examples/graphs/wiki-vote.labels.txt.gz 73992

def labelled(G: Graph) -> int:
    def select(S, label):
        return apply(lambda v: v, cond=lambda v: vertex_label(G, v) == label, S)

    def at_edge(e):
        u0 = get(e, 0)
        u1 = get(e, 1)
        third = select(intersect(neighbor(G, u0), neighbor(G, u1)), 2)
        tail = select(neighbor(G, u0), 3)
        return size(third) * size(tail)

    wanted = lambda e: vertex_label(G, get(e, 0)) == 0 and vertex_label(G, get(e, 1)) == 1
    return sum(apply(at_edge, cond=wanted, edges(G)))
