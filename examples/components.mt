# The component of every vertex: the least vertex that it is joined to.
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph) -> Table<int, int>:
    def step(least):
        near = flatten(apply(lambda v: apply(lambda w: (v, get(least, w)), neighbor(g, v)), vertices(g)))
        own = apply(lambda v: (v, get(least, v)), vertices(g))
        return min_by(flatten([near, own]))

    return iterate(step, min_by(apply(lambda v: (v, v), vertices(g))), 1000)
