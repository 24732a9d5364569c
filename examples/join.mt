# A join-based algorithm (RapidMatch), Listing 1 of the Matcha paper: one list of edges for each edge of the query u0-u1,
# u0-u2, u1-u2, u0-u3, filtered by label beforehand.
# count: --in L01=examples/graphs/join/L01.txt --in L02=examples/graphs/join/L02.txt --in L03=examples/graphs/join/L03.txt --in L12=examples/graphs/join/L12.txt 36619

def RapidMatch(L01, L02, L03, L12):
    G02 = mk_graph(edges=L02)
    G03 = mk_graph(edges=L03)
    G12 = mk_graph(edges=L12)
    def f1(e):
        S0 = neighbor(G02, get(e, 0))
        S1 = neighbor(G12, get(e, 1))
        C2 = intersect(S0, S1)
        def f2(v2):
            C3 = diff(neighbor(G03, get(e, 0)), mk_list(val=[get(e, 1), v2]))
            return size(C3)
        return sum(apply(func=f2, cond=None, C2))
    return sum(apply(func=f1, cond=None, L01))
