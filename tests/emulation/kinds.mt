# Loops that add to two sums under conditions of their own, with an `else`; sums inside the region, and of the region.
# count: tests/graphs/random-20-seed2.txt 3802

def kinds(G: Graph) -> int:
    few = lambda v: size(neighbor(G, v)) < 6
    def at(u):
        def second(v):
            common = intersect(neighbor(G, u), neighbor(G, v))
            some = size(apply(lambda w: w, cond=few, common))
            others = size(apply(lambda w: w, cond=lambda w: w % 3 == 1, common))
            weights = sum(apply(lambda w: 1 if few(w) else 2 * size(neighbor(G, w)), common))
            return some * others + weights
        return sum(apply(second, cond=lambda v: v < u, neighbor(G, u)))
    def apart(v):
        return size(neighbor(G, v)) if few(v) else v % 5 - 9
    return sum(apply(at, vertices(G))) + sum(apply(apart, vertices(G)))
