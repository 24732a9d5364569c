"""The six labelled queries of the other modules, for any source of candidates: what `labelled`, `join`, `decompose` and `decompose_join`
have in common. labelled.md has their pictures.

`starts` are the pairs that may match u0 and u1; `nIJ(v)` lists vertices for uJ next to the match v of uI, `kJ(list)` those of them that
may match uJ. Every function counts embeddings: maps of the query's vertices to different vertices."""

def pairs(starts, f):
    """The sum of f(v0, v1) over the pairs."""
    return sum(apply(lambda e: f(get(e, 0), get(e, 1)), starts))

def total(f, l):
    return sum(apply(f, l))

# Vertex by vertex

def extend_q1(starts, n03, n12, n23, k2, k3):
    """4-cycle: 01 12 23 03."""
    def at(v0, v1):
        def third(v2):
            return size(k3(diff(intersect(n03(v0), n23(v2)), [v1])))
        return total(third, k2(diff(n12(v1), [v0])))
    return pairs(starts, at)

def extend_q2(starts, n02, n03, n12, n13, k2, k3):
    """Diamond: 01 02 12 03 13."""
    def at(v0, v1):
        return total(lambda v2: size(diff(k3(intersect(n03(v0), n13(v1))), [v2])), k2(intersect(n02(v0), n12(v1))))
    return pairs(starts, at)

def extend_q3(starts, n03, n04, n12, n14, n32, k2, k3, k4):
    """House: 01 12 23 03 04 14."""
    def at(v0, v1):
        roof = k4(intersect(n04(v0), n14(v1)))
        def fourth(v3):
            return total(lambda v2: size(diff(roof, [v2, v3])), k2(diff(intersect(n12(v1), n32(v3)), [v0])))
        return total(fourth, k3(diff(n03(v0), [v1])))
    return pairs(starts, at)

def extend_q4(starts, n04, n12, n23, n43, k2, k3, k4):
    """5-cycle: 01 12 23 34 04."""
    def at(v0, v1):
        def third(v2):
            def fifth(v4):
                return size(k3(diff(intersect(n23(v2), n43(v4)), [v0, v1])))
            return total(fifth, k4(diff(n04(v0), [v1, v2])))
        return total(third, k2(diff(n12(v1), [v0])))
    return pairs(starts, at)

def extend_q5(starts, n02, n03, n04, n12, n13, n15, k2, k3, k4, k5):
    """Diamond with an edge at each end of its chord: 01 02 12 03 13 04 15."""
    def at(v0, v1):
        left = k2(intersect(n02(v0), n12(v1)))
        right = k3(intersect(n03(v0), n13(v1)))
        def third(v2):
            def fourth(v3):
                ends = diff(k5(n15(v1)), [v0, v2, v3])
                return total(lambda v4: size(diff(ends, [v4])), diff(k4(n04(v0)), [v1, v2, v3]))
            return total(fourth, diff(right, [v2]))
        return total(third, left)
    return pairs(starts, at)

def extend_q6(starts, n02, n03, n04, n05, n12, n13, n14, k2, k3, k4, k5):
    """Three triangles on an edge and an edge at one of its ends: 01 02 12 03 13 04 14 05."""
    def at(v0, v1):
        second = k2(intersect(n02(v0), n12(v1)))
        third = k3(intersect(n03(v0), n13(v1)))
        fourth = k4(intersect(n04(v0), n14(v1)))
        fifth = diff(k5(n05(v0)), [v1])
        def at2(v2):
            def at3(v3):
                return total(lambda v4: size(diff(fifth, [v2, v3, v4])), diff(fourth, [v2, v3]))
            return total(at3, diff(third, [v2]))
        return total(at2, second)
    return pairs(starts, at)

# By decomposition: what a cutset leaves is counted apart and multiplied, less the choices that meet

def distinct2(a, b):
    """Pairs of different items, one of each list."""
    return size(a) * size(b) - size(intersect(a, b))

def distinct4(a, b, c, d):
    """Four different items, one of each list: over the partitions of the four lists, (-1)^(k-1) (k-1)! for a part of k."""
    ab = size(intersect(a, b))
    ac = size(intersect(a, c))
    ad = size(intersect(a, d))
    bc = size(intersect(b, c))
    bd = size(intersect(b, d))
    cd = size(intersect(c, d))
    abc = size(intersect(intersect(a, b), c))
    abd = size(intersect(intersect(a, b), d))
    acd = size(intersect(intersect(a, c), d))
    bcd = size(intersect(intersect(b, c), d))
    abcd = size(intersect(intersect(intersect(a, b), c), d))
    na = size(a)
    nb = size(b)
    nc = size(c)
    nd = size(d)
    apart = na * nb * nc * nd
    one = ab * nc * nd + ac * nb * nd + ad * nb * nc + bc * na * nd + bd * na * nc + cd * na * nb
    two = ab * cd + ac * bd + ad * bc
    three = abc * nd + abd * nc + acd * nb + bcd * na
    return apart - one + two + 2 * three - 6 * abcd

def split_q1(starts, n03, n01, n12, n21, n23, k1, k2, k3):
    """Cutset u0, u2: the pair is taken at its first common u1 only."""
    def at(v0, v1):
        def third(v2):
            return distinct2(k1(intersect(n01(v0), n21(v2))), k3(intersect(n03(v0), n23(v2))))
        is_first = lambda v2: get(k1(intersect(n01(v0), n21(v2))), 0) == v1
        return sum(apply(third, cond=is_first, k2(diff(n12(v1), [v0]))))
    return pairs(starts, at)

def split_q2(starts, n02, n03, n12, n13, k2, k3):
    """Cutset u0, u1."""
    return pairs(starts, lambda v0, v1: distinct2(k2(intersect(n02(v0), n12(v1))), k3(intersect(n03(v0), n13(v1)))))

def split_q3(starts, n03, n04, n12, n14, n32, k2, k3, k4):
    """Cutset u0, u1, u3."""
    def at(v0, v1):
        roof = k4(intersect(n04(v0), n14(v1)))
        def fourth(v3):
            return distinct2(k2(diff(intersect(n12(v1), n32(v3)), [v0])), diff(roof, [v3]))
        return total(fourth, k3(diff(n03(v0), [v1])))
    return pairs(starts, at)

def split_q4(starts, n04, n12, n32, n43, n34, k2, k3, k4):
    """Cutset u0, u1, u3: for an edge u0-u1, u3 is taken at its first u4 only."""
    def at(v0, v1):
        def fifth(v4):
            def fourth(v3):
                left = diff(k4(intersect(n04(v0), n34(v3))), [v1])
                right = diff(k2(intersect(n12(v1), n32(v3))), [v0])
                return distinct2(left, right)
            is_first = lambda v3: get(diff(k4(intersect(n04(v0), n34(v3))), [v1]), 0) == v4
            return sum(apply(fourth, cond=is_first, k3(diff(n43(v4), [v0, v1]))))
        return total(fifth, k4(diff(n04(v0), [v1])))
    return pairs(starts, at)

def split_q5(starts, n02, n03, n04, n12, n13, n15, k2, k3, k4, k5):
    """Cutset u0, u1."""
    def at(v0, v1):
        left = k2(intersect(n02(v0), n12(v1)))
        right = k3(intersect(n03(v0), n13(v1)))
        return distinct4(left, right, k4(diff(n04(v0), [v1])), k5(diff(n15(v1), [v0])))
    return pairs(starts, at)

def split_q6(starts, n02, n03, n04, n05, n12, n13, n14, k2, k3, k4, k5):
    """Cutset u0, u1."""
    def at(v0, v1):
        second = k2(intersect(n02(v0), n12(v1)))
        third = k3(intersect(n03(v0), n13(v1)))
        fourth = k4(intersect(n04(v0), n14(v1)))
        return distinct4(second, third, fourth, k5(diff(n05(v0), [v1])))
    return pairs(starts, at)
