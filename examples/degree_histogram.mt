# How many vertices have each number of neighbours: a row (degree, vertices) for each degree.
# count: examples/graphs/ca-grqc.txt.gz 65

def main(g: Graph) -> Table<int, int>:
    return count_by(apply(lambda v: size(neighbor(g, v)), vertices(g)))
