def main(n: int):
# expected-error@+1 {{the list has 3 items; `nitems` says at most 2 [list-capacity]}}
    a = mk_list(2, int, [n, 1, 2])
# expected-error@+1 {{the capacity of a list is not negative [list-capacity]}}
    b = mk_list(-1, int)
    return size(a) + size(b)
