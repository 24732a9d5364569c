# Errors that depend on the call point into the function.

def first(x):
# expected-error@+1 {{position 5 is out of range of `Tuple<int, 2>` [get-range]}}
    return get(x, 5)

def add(x, y):
# expected-error@+1 {{`+` works on ints and floats; the left side has type `List<int>` [operand-type]}}
    return x + y

def fine(x, y):
    return x * y

def main(g: Graph):
    return sum(apply(first, edges(g))) + add(vertices(g), 1) + fine(1, 2) + size([fine(0.5, 2)])
