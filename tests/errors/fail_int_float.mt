# An int becomes a float only where the program says so.

def larger(x, y):
# expected-error@+1 {{the two branches have types `int` and `float`, which differ [type-mismatch]}}
    return x if x > y else y

def near(x):
    return size(intersect([x], [0.5]))

def pair(t: Tuple<int, float>, l: List<float>, f: float):
    return get(t, 0) + f

def main(g: Graph, n: int, x: float):
# expected-error@+1 {{the items of a list have types `int` and `float`, which differ [type-mismatch]}}
    a = mk_list(val=[1, 0.5])
# expected-error@+1 {{the two branches have types `float` and `int`, which differ [type-mismatch]}}
    b = x if n > 1 else 0
# expected-error@+1 {{the arguments of `max` have types `int` and `float`, which differ [type-mismatch]}}
    c = max(n, x)
    d = larger(n, x)
# expected-error@+1 {{argument `x` of `near` has type `int`; expected `float` [type-mismatch]}}
    e = near(n)
# expected-error@+1 {{`func` of `apply` takes `float`; the items of list 1 have type `int` [type-mismatch]}}
    f = apply(near, vertices(g))
    t = mk_tuple(val=[n, x, n > 1])
# expected-error@+1 {{the two branches have types `Tuple<int, float, bool>` and `Tuple<int, int, bool>`, which differ [type-mismatch]}}
    h = t if n > 1 else mk_tuple(val=[n, n, True])
# expected-error@+1 {{argument `t` of `pair` has type `Tuple<float, int>`; expected `Tuple<int, float>` [type-mismatch]}}
    i = pair(mk_tuple(val=[x, n]), [x], n)
# expected-error@+1 {{argument `l` of `pair` has type `List<int>`; expected `List<float>` [type-mismatch]}}
    j = pair(mk_tuple(val=[n, x]), vertices(g), n)
# expected-error@+1 {{the value at position 1 of the tuple has type `bool`; `dtype` says `float` [type-mismatch]}}
    k = mk_tuple(dtype=float, val=[n, n > 1])
# expected-error@+1 {{the item has type `float`; `type` says `int` [type-mismatch]}}
    l = mk_list(type=int, val=[n, x])
# expected-error@+1 {{`intersect` takes ints, floats or bools; it gets `Tuple<int, float, bool>` [arg-type]}}
    m = intersect([t], [t])
# expected-error@+1 {{argument `edges` of `mk_graph` has type `List<Tuple<int, float>>`; expected `List<Tuple<int, 2>>` [arg-type]}}
    o = mk_graph(apply(lambda v: mk_tuple(val=[v, x]), vertices(g)))
# expected-error@+1 {{`+` works on ints and floats; the right side has type `bool` [operand-type]}}
    p = n + get(t, 2)
# expected-error@+1 {{`<` compares numbers; the sides have types `Tuple<int, float, bool>` and `Tuple<int, float, bool>` [operand-type]}}
    q = t < t
    return size(a) + b + c + d + e + size(f) + get(h, 0) + i + j + size(k) + size(l) + size(m) + size(vertices(o)) + p + (1 if q else 0)
