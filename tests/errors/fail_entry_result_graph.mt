# expected-error@+1 {{`main` returns `Graph`, which cannot be printed [entry-result]}}
def main(g: Graph):
    return mk_graph(edges(g))
