# Values that have the names of the emitter's own: of the lanes of a group that fill a list, of their items, of their
# loops, and of types.
#
# count: tests/graphs/random-20-seed2.txt 33455
def main(G: Graph) -> int:
    def of(item2, Totals):
        near = apply(lambda u: u, cond=lambda u: size(neighbor(G, u)) + size(neighbor(G, item2)) > Totals, neighbor(G, item2))
        return sum(apply(lambda passes: size(intersect(near, neighbor(G, passes))) + size(neighbor(G, passes)), near))
    def weigh(v):
        from_at = sum(apply(lambda w: size(neighbor(G, w)), neighbor(G, v)))
        return from_at
    def step(from_at):
        weight = weigh(from_at)
        return sum(apply(lambda c: size(intersect(neighbor(G, from_at), neighbor(G, c))) * weight, cond=lambda c: size(neighbor(G, c)) > weight % 7, neighbor(G, from_at)))
    return sum(apply(lambda item2: of(item2, size(neighbor(G, item2))), vertices(G))) + sum(apply(step, vertices(G)))
