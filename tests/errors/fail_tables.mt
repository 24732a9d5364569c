# Tables, and lists in order.

# expected-error@+1 {{the key of a table is an int, a bool or a tuple of them, not `float` [key-type]}}
def a(t: Table<float, int>):
    return size(t)

# expected-error@+1 {{the value of a table is a scalar or a tuple, not `List<int>` [bad-type]}}
def b(t: Table<int, List<int>>):
    return size(t)

def main(g: Graph, l: List<int>, x: float):
    rows = apply(lambda v: (v, 1), vertices(g))
    t = sum_by(rows)
# expected-error@+1 {{`sum_by` takes rows, which are tuples of a key and a value; the items have type `int` [arg-type]}}
    c = sum_by(l)
# expected-error@+1 {{a row of type `Tuple<int, 2>` has no key of 2 positions and a value behind it [tuple-size]}}
    d = sum_by(rows, keys=2)
# expected-error@+1 {{`keys` of `min_by` is a literal int [tuple-size]}}
    e = min_by(rows, keys=size(l))
# expected-error@+1 {{a key of `sum_by` is an int or a bool, not `float` [key-type]}}
    f = sum_by([(x, 1)])
# expected-error@+1 {{a key of `count_by` is an int or a bool, not `float` [key-type]}}
    h = count_by([x])
# expected-error@+1 {{`get` of `Table<int, int>` takes 1 key; it gets 2 [arg-type]}}
    i = get(t, 1, 2)
# expected-error@+1 {{the value and its default have types `int` and `float`, which differ [type-mismatch]}}
    j = get(t, 1, default=x)
# expected-error@+1 {{`get` of `List<int>` takes one position and no `default`; several keys and a default are for tables [arg-type]}}
    k = get(l, 1, default=2)
# expected-error@+1 {{`keys` takes a table; it gets `List<int>` [arg-type]}}
    m = keys(l)
# expected-error@+1 {{`sort` orders numbers, bools and tuples; it gets `List<int>` [arg-type]}}
    n = sort([l])
# expected-error@+1 {{argument `n` of `top` has type `float`; expected `int` [arg-type]}}
    o = top(x, l)
# expected-error@+1 {{`sorted` is not defined [unknown-name]}}
    p = sorted(l)
# expected-error@+1 {{`Counter` is not defined [unknown-name]}}
    q = Counter(l)
# expected-error@+1 {{the graph has no edge information [no-edge-info]}}
    r = edge_info(subgraph(g, l), 1)
# expected-error@+1 {{`mk_tuple` takes ints, floats or bools; it gets `Tuple<int, 2>` [arg-type]}}
    s = ((1, 2), 3)
# expected-error@+1 {{the value of `iterate` cannot be `List<List<int>>` [state-type]}}
    y = iterate(lambda r: r, [l], 3)
# expected-error@+1 {{the key of `Table<Tuple<int, 2>, int>` has type `Tuple<int, 3>` here; expected `Tuple<int, 2>` [arg-type]}}
    z = get(count_by(edges(g)), (1, 2, 3))
# expected-error@+1 {{`log` takes a float; it gets `int` [operand-type]}}
    z1 = log(2)
    return z1 + z + c + d + e + f + h + i + j + k + m + n + o + p + q + r + s + y
