# Arguments.

def two(a, b):
    return a + b

def main(g: Graph, l: List<int>):
# expected-error@+1 {{`two` takes 2 arguments; it gets 3 [arg-count]}}
    a = two(1, 2, 3)
# expected-error@+1 {{`two` takes 2 arguments; it gets 1 [arg-count]}}
    b = two(1)
# expected-error@+1 {{`two` has no parameter `c` [unknown-keyword]}}
    c = two(1, c=2)
# expected-error@+1 {{`a` of `two` is given twice [duplicate-arg]}}
    d = two(a=1, a=2)
# expected-error@+1 {{`neighbor` takes 2 to 4 arguments; it gets 1 [arg-count]}}
    e = neighbor(g)
# expected-error@+1 {{`neighbor` has no parameter `w` [unknown-keyword]}}
    f = neighbor(g, w=1)
# expected-error@+1 {{argument `v` of `neighbor` has type `List<int>`; expected `int` [arg-type]}}
    h = neighbor(g, l)
# expected-error@+1 {{argument `g` of `vertices` has type `List<int>`; expected `Graph` [arg-type]}}
    i = vertices(l)
# expected-error@+1 {{argument `l2` of `intersect` has type `int`; expected `List<int>` [arg-type]}}
    j = intersect(l, 3)
# expected-error@+1 {{`intersect` takes ints, floats or bools; it gets `Tuple<int, 2>` [arg-type]}}
    k = intersect(edges(g), edges(g))
# expected-error@+1 {{`size` takes a list, a table or a tuple; it gets `int` [arg-type]}}
    m = size(3)
# expected-error@+1 {{`sum` adds numbers, bools or tuples; the items have type `List<int>` [arg-type]}}
    n = sum([l])
# expected-error@+1 {{`min` takes a list or two numbers; it gets `int` [arg-type]}}
    o = min(3)
# expected-error@+1 {{`max` works on ints and floats; it gets `bool` [arg-type]}}
    p = max([True])
# expected-error@+1 {{argument `l` of `any` has type `List<int>`; expected `List<bool>` [arg-type]}}
    q = any(l)
# expected-error@+1 {{argument `l` of `flatten` has type `List<int>`; expected `List<List<?>>` [arg-type]}}
    r = flatten(l)
# expected-error@+1 {{a value of type `int` cannot be called [not-callable]}}
    s = a(1)
# expected-error@+1 {{the operator `size` can only be called [function-value]}}
    t = apply(size, [l])
# expected-error@+1 {{`None` is no value [none-value]}}
    u = size(None)
# expected-error@+1 {{a type is no value [type-value]}}
    v = size(List<int>)
    w = lambda x, y: x
# expected-error@+1 {{`w` takes 2 arguments; it gets 1 [arg-count]}}
    x = w(1)
    y = (lambda z: z)
# expected-error@+1 {{the function takes 1 argument; it gets 2 [arg-count]}}
    z = (lambda z: z)(1, y(2))
    return a + b + c + d + size(e) + size(f) + size(h) + size(i) + size(j) + size(k) + m + n + o + p + size(r) + s + size(t) + u + v + x + z if q else 0
