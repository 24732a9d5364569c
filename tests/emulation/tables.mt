# Tables inside of a loop: 4-cycles by their highest vertex, with rows that are sorted, folded and looked up by a group.
# count: examples/graphs/ca-grqc.txt.gz 1054723

def main(g: Graph):
    below = lambda v, a: apply(lambda w: w, cond=lambda w: w < a, neighbor(g, v))
    def at(a):
        ways = count_by(flatten(apply(lambda v: below(v, a), below(a, a))))
        least = min_by(apply(lambda b, n: (n, -b, b), keys(ways), values(ways)))
        firsts = sum(apply(lambda n: get(get(least, n), 1) * 0 + get(ways, get(get(least, n), 1)) - n, values(ways)))
        ordered = sort(apply(lambda b, n: (n, b), keys(ways), values(ways)))
        places = sum(apply(lambda row, i: i * 0 + get(row, 0), ordered, range(size(ordered))))
        return sum(apply(lambda n: n * (n - 1) / 2, values(ways))) + firsts + places - sum(values(ways))
    return sum(apply(at, vertices(g)))
