# Annotations.

# expected-error@+1 {{`Tuple` takes `int`, `float` or `bool`, not `List<int>` [bad-type]}}
def a(x: Tuple<List<int>, 2>):
    return 1

# expected-error@+1 {{a tuple has 1 to 128 positions, not 0 [bad-type]}}
def b(x: Tuple<int, 0>):
    return 1

# expected-error@+1 {{a list cannot hold `Graph` [bad-type]}}
def c(x: List<Graph>):
    return 1

# expected-error@+1 {{`Tuple` takes `int`, `float` or `bool`, not `Graph` [bad-type]}}
def h(x: Tuple<int, float, Graph>):
    return 1

# expected-error@+1 {{`Var` takes `int`, `float` or `bool`, not `Graph` [bad-type]}}
def d(x: Var<Graph>):
    return 1

def e(x: Var<int>, y: Tuple<float, 2>) -> float:
    return x + get(y, 1)

def f(x: int) -> bool:
# expected-error@+1 {{`f` returns `int`; it is declared to return `bool` [type-mismatch]}}
    return x

def main(g: Graph, t: float):
# expected-error@+1 {{argument `x` of `e` has type `float`; expected `int` [type-mismatch]}}
    u = e(t, mk_tuple(val=[1.0, 2.0]))
# expected-error@+1 {{argument `y` of `e` has type `Graph`; expected `Tuple<float, 2>` [type-mismatch]}}
    v = e(1, g)
# expected-error@+1 {{the two branches have types `int` and `List<int>`, which differ [type-mismatch]}}
    w = 1 if f(1) else vertices(g)
# expected-error@+1 {{the items of a list have types `int` and `bool`, which differ [type-mismatch]}}
    x = [1, True]
# expected-error@+1 {{a list cannot hold `Graph` [type-mismatch]}}
    y = [g]
    return u + v + size(w) + size(x) + size(y)
