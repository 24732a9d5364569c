def main(g, allowed: List<int>, f: float = 0.5):
    L = apply(lambda v: apply(lambda w: [v, w, 7], neighbor(g, v)), vertices(g))
    a = sum(apply(lambda l: size(l), flatten(L)))
    b = size(L)
    c = apply(lambda l: sum(flatten(l)), L)
    m = max(vertices(g)) if b > 3 else sum([1, 2])
    n = intersect(vertices(g), [1, 2, 3])
    d = sum(apply(lambda v: f * 2 + v, cond=lambda v: v < a and sum(neighbor(g, v)) > 3, vertices(g)))
    k = diff(neighbor(g, 3), allowed) if d > 3 else [1]
    return apply(lambda x: x + a + size(n) + m, flatten([c, k]))
