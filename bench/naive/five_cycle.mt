# 5-cycles by nested loops: every walk round a cycle, of which each has ten.

def main(g: Graph) -> int:
    def at(a):
        def second(b):
            def third(c):
                def fourth(d):
                    return size(diff(intersect(neighbor(g, d), neighbor(g, a)), [b, c]))
                return sum(apply(fourth, cond=lambda d: d != a and d != b, neighbor(g, c)))
            return sum(apply(third, cond=lambda c: c != a, neighbor(g, b)))
        return sum(apply(second, neighbor(g, a)))
    return sum(apply(at, vertices(g))) / 10
