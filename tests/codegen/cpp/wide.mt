# RUN: matcha build %s --emit=cpp
# Arithmetic on 128 bits has calls of its own.
# COUNT: 1 w.wide_add
# COUNT: 1 w.wide_quotient
# COUNT: 1 w.wide_remainder
def main(g: Graph):
    a = sum(apply(lambda v: v, vertices(g)))
    b = sum(apply(lambda v: size(neighbor(g, v)), vertices(g)))
    return mk_tuple(val=[a + b, a / b, a % b])
