# Values that have the names of the emitter's own: of the lanes of a group that fill a list, and of what they find.
#
# count: tests/graphs/random-20-seed2.txt 1704
def main(G: Graph) -> int:
    def of(item2, Totals):
        near = apply(lambda u: u, cond=lambda u: size(neighbor(G, u)) + size(neighbor(G, item2)) > Totals, neighbor(G, item2))
        return sum(apply(lambda passes: size(intersect(near, neighbor(G, passes))) + size(neighbor(G, passes)), near))
    return sum(apply(lambda item2: of(item2, size(neighbor(G, item2))), vertices(G)))
