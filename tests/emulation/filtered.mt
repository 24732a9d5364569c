# Lists of what passes some conditions: of one column and of two, with repeats, with look-ups.
# count: tests/graphs/random-20-seed2.txt 2151

def filtered(G: Graph) -> int:
    def at(u):
        near = neighbor(G, u)
        pairs = apply(lambda v: mk_tuple(val=[v, size(neighbor(G, v)) - v % 7]), cond=lambda v: v % 11 != 3 and size(neighbor(G, v)) > 2, near)
        sizes = apply(lambda v: size(neighbor(G, v)), cond=lambda v: has_edge(G, v, u) and v % 3 > 0, near)
        def at_pair(p):
            v = get(p, 0)
            some = apply(lambda w: w, cond=lambda w: w > v and has_edge(G, w, u), neighbor(G, v))
            return size(intersect(some, near)) * 3 + sum(apply(lambda w: w % 9 + get(p, 1), some)) + size(intersect(sizes, some))
        return sum(apply(at_pair, pairs)) + sum(apply(lambda p: get(p, 1) * (get(p, 0) % 2), pairs)) - size(pairs) * size(sizes)
    return sum(apply(at, vertices(G)))
