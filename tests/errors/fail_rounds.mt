# Rounds inside a function of `apply`.

def main(g: Graph):
# expected-error@+1 {{rounds are computed for each item of a list [iterate-place]}}
    near = lambda v: iterate(lambda x: min(x, size(neighbor(g, v))), 10, 5)
    return sum(apply(near, vertices(g)))
