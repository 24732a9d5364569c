# RUN: matcha build %s --emit=cpp
# COUNT: 2 w.walk
# COUNT: 2 w.leave
# COUNT: 1 w.count_intersect
# COUNT: 1 w.finish_positions
# COUNT: 2 work_on_region_0
# COUNT: 1 host.bind
# COUNT: 0 w.buffer

def triangle(G: Graph) -> int:
    def from_u(u):
        def from_v(v):
            third = intersect(neighbor(G, u), neighbor(G, v))
            return size(apply(lambda w: w, cond=lambda w: w < v, third))
        return sum(apply(from_v, cond=lambda v: v < u, neighbor(G, u)))
    return sum(apply(from_u, vertices(G)))
