# Values that are computed of literals alone: each is an integer of 64 bits, also where no other operand says so.
# count: tests/graphs/random-12-seed1.txt 541000002097

def literals(G: Graph) -> int:
    def at(v):
        degree = size(neighbor(G, v))
        product = (1000000000 if degree > 1 else 1000) * (60 if degree > 2 else 1)
        rest = (7 if degree > 2 else 9) / (2 if degree > 1 else 3) + (7 if degree > 3 else 9) % (4 if degree > 1 else 5)
        return product + rest
    table = count_by(apply(lambda v: (v % 2, size(neighbor(G, v)) if size(neighbor(G, v)) < 4 else size(neighbor(G, v)) * 4294967296), vertices(G)))
    return sum(apply(at, vertices(G))) + sum(apply(lambda v: get(table, v % 2, 3) + get(table, v % 2, 17179869184), vertices(G)))
