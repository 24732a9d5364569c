# Tuples, lists and graphs.

def main(g: Graph, n: int, l: List<int>, m: List<float>):
    t = mk_tuple(2, int, [n, 1])
# expected-error@+1 {{position 2 is out of range of `Tuple<int, 2>` [get-range]}}
    a = get(t, 2)
# expected-error@+1 {{position -1 is out of range of `Tuple<int, 2>` [get-range]}}
    b = get(t, -1)
# expected-error@+1 {{the position in a tuple is a literal int [get-position]}}
    c = get(t, n)
# expected-error@+1 {{`get` reads a tuple, a list or a table; its first argument has type `int` [arg-type]}}
    d = get(n, 0)
# expected-error@+1 {{the list has no bound: neither `val` nor `nitems` is given [list-bound]}}
    e = mk_list(type=int)
# expected-error@+1 {{`nvars` says 3 positions, but `val` has 2 [tuple-size]}}
    f = mk_tuple(3, int, [1, 2])
# expected-error@+1 {{`mk_tuple` needs `val`, or both `nvars` and `dtype` [tuple-size]}}
    h = mk_tuple(nvars=2)
# expected-error@+1 {{`nvars` of `mk_tuple` is a literal int [tuple-size]}}
    i = mk_tuple(n, int)
# expected-error@+1 {{`val` of `mk_tuple` is a list of its values, written as `[…]` [arg-type]}}
    j = mk_tuple(val=l)
# expected-error@+1 {{the value at position 0 of the tuple has type `float`; `dtype` says `int` [type-mismatch]}}
    k = mk_tuple(2, int, [0.5, 1])
# expected-error@+1 {{the items of the list have type `float`; `type` says `int` [type-mismatch]}}
    o = mk_list(type=int, val=m)
# expected-error@+1 {{`type` of `mk_list` is a type, such as `int` or `Tuple<int, 2>` [arg-type]}}
    p = mk_list(3, 4)
# expected-error@+1 {{argument `edges` of `mk_graph` has type `List<int>`; expected `List<Tuple<int, 2>>` [arg-type]}}
    q = mk_graph(l)
    G = mk_graph(edges(g))
# expected-error@+1 {{the graph has no edge information [no-edge-info]}}
    r = edge_info(G, n)
# expected-error@+1 {{the type would have to contain itself [infinite-type]}}
    s = (lambda x: x(x))(1)
    return a + b + c + d + size(e) + size(f) + size(h) + size(i) + size(j) + size(k) + size(o) + size(p) + size(vertices(q)) + size(r) + s
