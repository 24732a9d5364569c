# The entry returns what can be printed.

# expected-error@+1 {{`main` returns `List<List<int>>`, which cannot be printed [entry-result]}}
def main(g: Graph):
    return apply(lambda v: neighbor(g, v), vertices(g))
