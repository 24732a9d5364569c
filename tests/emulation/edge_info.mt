# Edge information of vertices and of truth values.
# count: tests/graphs/random-20-seed2.txt 6122

def edge_info_kinds(G: Graph) -> int:
    kept = lambda e: (get(e, 0) % 3 + get(e, 1) % 3) % 3 != 0
    turned = apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 1)]), cond=kept, edges(G))
    D = mk_graph(turned, einfo=apply(lambda e: get(e, 0), cond=kept, edges(G)))
    B = mk_graph(apply(lambda e: e, edges(G)), einfo=apply(lambda e: get(e, 0) < get(e, 1), edges(G)))

    def at_vertex(v):
        near = neighbor(D, v)
        sources = edge_info(D, v)
        both = size(intersect(sources, neighbor(G, v))) + size(diff(sources, mk_list(val=[v])))
        weighed = sum(apply(lambda w, u: size(neighbor(G, u)) * (1 + w % 5), near, sources))
        rising = sum(apply(lambda w, up: w % 1000, cond=lambda w, up: up, neighbor(B, v), edge_info(B, v)))
        return both + weighed + rising * 3 + get(sources, 0) % 1000 * 7

    return sum(apply(at_vertex, cond=lambda v: size(neighbor(D, v)) > 0, vertices(G)))
