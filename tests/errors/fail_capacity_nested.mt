def main(n: int):
# expected-error@+1 {{the capacity of a list of lists cannot be checked [list-capacity]}}
    nested = mk_list(n, val=[[n], [n, 1]])
    return size(flatten(nested))
