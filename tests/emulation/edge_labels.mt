# A pattern whose edges have labels, on a graph with parallel edges, as `matcha pattern 0-1=1,1-2=2,2-0` writes it.
# count: tests/graphs/random-20-seed2.txt 105

def with_label(G: Graph, label: int):
    """The pairs that edges with the label join, each once."""
    def from_v(v):
        joined = apply(lambda w, l: w, cond=lambda w, l: l == label, neighbor(G, v), edge_info(G, v))
        return apply(lambda w: mk_tuple(val=[v, w]), intersect(vertices(G), joined))
    return mk_graph(flatten(apply(from_v, vertices(G))))

def adjacent(G: Graph):
    """The pairs that edges of any label join, each once."""
    def from_v(v):
        return apply(lambda w: mk_tuple(val=[v, w]), intersect(vertices(G), neighbor(G, v)))
    return mk_graph(flatten(apply(from_v, vertices(G))))

def edge_labels(G: Graph) -> int:
    # Every edge has the label 0 or 1, many have 2 as well.
    has = lambda e, l: get(e, 0) % 3 * (get(e, 1) % 3) != 0 if l == 2 else (get(e, 0) % 2 + get(e, 1) % 2) % 2 == l
    labels = mk_list(val=[0, 1, 2])
    lines = flatten(apply(lambda l: apply(lambda e: e, cond=lambda e: has(e, l), edges(G)), labels))
    P = mk_graph(lines, einfo=flatten(apply(lambda l: apply(lambda e: l, cond=lambda e: has(e, l), edges(G)), labels)))
    P_1 = with_label(P, 1)
    P_2 = with_label(P, 2)
    P_any = adjacent(P)
    def at_v1(v1):
        def at_v0(v0):
            both = intersect(neighbor(P_2, v1), neighbor(P_any, v0))
            return size(apply(lambda v2: v2, cond=lambda v2: v2 != v0, both))
        return sum(apply(at_v0, neighbor(P_1, v1)))
    return sum(apply(at_v1, vertices(P)))
