# Signs and the types that they work on.

def main(g: Graph, n: int, l: List<int>):
# expected-error@+1 {{`+` works on ints and floats; the right side has type `List<int>` [operand-type]}}
    a = n + l
# expected-error@+1 {{`*` works on ints and floats; the left side has type `bool` [operand-type]}}
    b = True * 2
# expected-error@+1 {{`-` works on ints and floats; the operand has type `List<int>` [operand-type]}}
    c = -l
# expected-error@+1 {{`<` compares numbers; the sides have types `bool` and `int` [operand-type]}}
    d = True < n
# expected-error@+1 {{`==` compares numbers with numbers and bools with bools; the sides have types `List<int>` and `int` [operand-type]}}
    e = l == n
# expected-error@+1 {{the left side of `and` has type `int`; it must be a `bool` [operand-type]}}
    f = n and True
# expected-error@+1 {{the operand of `not` has type `int`; it must be a `bool` [operand-type]}}
    h = not n
# expected-error@+1 {{the condition has type `int`; it must be a `bool` [operand-type]}}
    i = 1 if n else 2
# expected-error@+1 {{a graph cannot be chosen or stored when the program runs [operand-type]}}
    j = g if d else g
# expected-error@+1 {{a function cannot be chosen or stored when the program runs [function-value]}}
    k = (lambda x: x) if d else (lambda x: x)
    return a + b + size(c) + i + size(vertices(j)) + k(1) if e or f or h else 0
