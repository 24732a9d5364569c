# The value of rounds is a graph.

def main(g: Graph):
# expected-error@+1 {{the value of `repeat` cannot be `Graph` [state-type]}}
    return size(vertices(repeat(lambda h: subgraph(h, vertices(h)), g, 2)))
