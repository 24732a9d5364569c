# `apply` and its functions.

def main(g: Graph, n: int, l: List<int>):
# expected-error@+1 {{`apply` walks lists; this argument has type `int` [apply-lists]}}
    a = apply(lambda v, w: v, vertices(g), n)
# expected-error@+1 {{`apply` walks lists; this argument has type `Graph` [apply-lists]}}
    b = apply(lambda v: v, g)
# expected-error@+1 {{`func` of `apply` takes 1 item, but 2 lists are walked [arg-count]}}
    c = apply(lambda v: v, l, l)
# expected-error@+1 {{`cond` of `apply` takes 2 items, but 1 list is walked [arg-count]}}
    d = apply(lambda v: v, cond=lambda v, w: True, l)
# expected-error@+1 {{`cond` of `apply` gives `int`; expected `bool` [type-mismatch]}}
    e = apply(lambda v: v, cond=lambda v: v, l)
# expected-error@+1 {{`func` of `apply` is a function; it has type `int` [not-callable]}}
    f = apply(n, l)
# expected-error@+1 {{`apply` takes a function, perhaps a condition, and one or more lists [arg-count]}}
    h = apply(lambda v: v)
# expected-error@+1 {{`apply` has no parameter `function` [unknown-keyword]}}
    i = apply(function=lambda v: v, lambda v: v, l)
    def pair(e: Tuple<int, 2>):
        return get(e, 0)
# expected-error@+1 {{`func` of `apply` takes `Tuple<int, 2>`; the items of list 1 have type `int` [type-mismatch]}}
    j = apply(pair, l)
# expected-error@+1 {{a list cannot hold `func(?) -> int` [function-value]}}
    k = apply(lambda v: lambda w: v, l)
    return size(a) + size(b) + size(c) + size(d) + size(e) + size(f) + size(h) + size(i) + size(j) + size(k)
