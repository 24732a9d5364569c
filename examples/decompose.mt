# A decomposition-based algorithm (DecoMine), Listing 2 of the Matcha paper: u2 and u3 do not see each other, so for each
# edge u0-u1 their numbers are multiplied. The same query as join.mt, on the whole graph.
# count: examples/graphs/ca-grqc.txt.gz --labels examples/graphs/join/labels.txt 36619

def Decomine(edges):
    G = mk_graph(edges)

    # select vertices of a certain label from S
    def select(S, label):
        return apply(lambda v: v, cond=lambda v: vertex_label(G, v) == label, S)
    def f(e):
        S0 = neighbor(G, get(e, 0))
        S1 = neighbor(G, get(e, 1))
        C2 = select(intersect(S0, S1), 'a')
        S3 = select(S0, 'd')
        return size(C2) * size(S3)

    # iterate over edges that match (u0, u1)
    return sum(apply(
        func=f,
        cond=lambda e: vertex_label(G, get(e, 0)) == 'a' and vertex_label(G, get(e, 1)) == 'c',
        edges
    ))
