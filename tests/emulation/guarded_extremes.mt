# Extremes that are read only where their list has items: of lists that do not depend on the loop, empty or not.
# count: tests/graphs/random-20-seed2.txt 705

def guarded_extremes(G: Graph) -> int:
    def degree(v):
        return size(neighbor(G, v))
    many = apply(degree, cond=lambda v: size(neighbor(G, v)) > 1000, vertices(G))
    some = apply(degree, cond=lambda v: size(neighbor(G, v)) > 2, vertices(G))
    def at(v):
        near = apply(degree, cond=lambda w: w > v, neighbor(G, v))
        most = max(many) if size(many) > 0 else 3
        least = min(some) if size(some) > 0 else 5
        return most * degree(v) + least + (max(near) if size(near) > 0 else 7)
    return sum(apply(at, vertices(G)))
