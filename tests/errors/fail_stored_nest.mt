def main(g: Graph):
    lists = apply(lambda v: neighbor(g, v), vertices(g))
# expected-error@+1 {{an item of a list of lists cannot be read [stored-nest]}}
    return size(get(lists, 0))
