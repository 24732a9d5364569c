# Houses by nested loops, edge-induced, each counted once by v0 < v1.

def main(g: Graph) -> int:
    def wall(v0, v1):
        def roof(v4):
            def floor(v3):
                ends = intersect(neighbor(g, v1), neighbor(g, v3))
                return size(apply(lambda v2: v2, cond=lambda v2: v2 != v0 and v2 != v4, ends))
            return sum(apply(floor, cond=lambda v3: v3 != v1 and v3 != v4, neighbor(g, v0)))
        return sum(apply(roof, intersect(neighbor(g, v0), neighbor(g, v1))))
    def from_wall(v0):
        return sum(apply(lambda v1: wall(v0, v1), cond=lambda v1: v0 < v1, neighbor(g, v0)))
    return sum(apply(from_wall, vertices(g)))
