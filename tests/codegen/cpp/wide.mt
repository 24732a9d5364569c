# RUN: matcha build %s --emit=cpp
# Arithmetic on 128 bits has calls of its own: each is defined once and used once here.
# COUNT: 2 wide_add
# COUNT: 2 wide_quotient
# COUNT: 2 wide_remainder
def main(g: Graph):
    a = sum(apply(lambda v: v, vertices(g)))
    b = sum(apply(lambda v: size(neighbor(g, v)), vertices(g)))
    return mk_tuple(val=[a + b, a / b, a % b])
