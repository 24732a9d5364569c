# What is stored of a list, whose items have any order and repeats, by a literal that has too.
# count: tests/graphs/random-20-seed2.txt 2813

def literals(G: Graph) -> int:
    def at(u):
        rests = apply(lambda w: size(neighbor(G, w)) % 5, neighbor(G, u))
        some = intersect(rests, mk_list(val=[3, 1, 4, 3]))
        others = diff(rests, mk_list(val=[3, 1, 3]))
        return sum(apply(lambda v: (v + 1) * size(some), some)) + sum(apply(lambda v: (v + 2) * size(others), others))
    return sum(apply(at, vertices(G)))
