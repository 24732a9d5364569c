# The entry takes what can be bound.

# expected-error@+1 {{the type of `x` does not follow from the program [cannot-infer]}}
def main(x,
# expected-error@+1 {{no input can be bound to `t` of type `Tuple<int, 2>` [entry-param]}}
         t: Tuple<int, 2>,
# expected-error@+1 {{no input can be bound to `f` of type `func(int) -> int` [entry-param]}}
         f,
# expected-error@+1 {{the type of `l` does not follow from the program; it is a `List<?>` [cannot-infer]}}
         l,
# expected-error@+1 {{no input can be bound to `n` of type `List<List<int>>` [entry-param]}}
         n):
    return mk_tuple(val=[size(t), size(apply(lambda v: 1, l)), sum(flatten(n)), size([f(1) == f(1)])])
