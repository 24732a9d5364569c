# Temporal cycles of three edges u -> v -> w -> u whose times ascend strictly and lie within `window` seconds. The search
# goes edge by edge (Everest): each step walks the neighbours of the last vertex together with the times of those edges.
# count: --in edges=examples/graphs/collegemsg.temporal.txt.gz:0,1 --in times=examples/graphs/collegemsg.temporal.txt.gz:2 1653

def temporal_cycle(edges: List<Tuple<int, 2>>, times: List<int>, window: int = 3600) -> int:
    G = mk_graph(edges, einfo=times)

    def first(e, t1):
        u = get(e, 0)
        v = get(e, 1)

        def second(w, t2):
            closes = lambda x, t3: x == u and t2 < t3 and t3 <= t1 + window
            return size(apply(lambda x, t3: x, cond=closes, neighbor(G, w), edge_info(G, w)))

        follows = lambda w, t2: w != u and t1 < t2 and t2 <= t1 + window
        return sum(apply(second, cond=follows, neighbor(G, v), edge_info(G, v)))

    return sum(apply(first, edges, times))
