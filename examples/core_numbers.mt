# The core number of every vertex, as the fixed point of h-indices of its neighbours' numbers (Lü et al., 2016).
# count: examples/graphs/ca-grqc.txt.gz 5241

def main(g: Graph) -> Table<int, int>:
    def h_index(numbers):
        down = sort(apply(lambda x: -x, numbers))
        return sum(apply(lambda x, i: 1 if -x > i else 0, down, range(size(numbers))))

    def step(core):
        return min_by(apply(lambda v: (v, h_index(apply(lambda w: get(core, w), neighbor(g, v)))), vertices(g)))

    return iterate(step, min_by(apply(lambda v: (v, size(neighbor(g, v))), vertices(g))), 1000)
