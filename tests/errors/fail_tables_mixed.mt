# A missing key has the value 0 in one of two tables, and ends the run in the other.

def main(g: Graph, k: int = 99):
    sums = count_by(vertices(g))
    least = min_by(apply(lambda v: (v, 1), vertices(g)))
    named = get(least if k > 5 else sums, k, default=0)
    t = repeat(lambda t: least, sums, 1)
# expected-error@+1 {{a missing key has the value 0 in some of these tables, and ends the run in others [type-mismatch]}}
    return get(t, k) + named
