# Houses (a 4-cycle v0 v1 v2 v3 with a triangle v0 v1 v4 on its edge v0 v1, edge-induced), each counted once by v0 < v1.
# v2 and v4 only have to differ, so their pairs are multiplied and the equal ones taken off.
# count: examples/graphs/ca-grqc.txt.gz 144198591

def house(G: Graph) -> int:
    def at_wall(e):
        v0 = get(e, 0)
        v1 = get(e, 1)
        roof = intersect(neighbor(G, v0), neighbor(G, v1))
        def from_v3(v3):
            floor = diff(intersect(neighbor(G, v1), neighbor(G, v3)), [v0])
            tops = diff(roof, [v3])
            return size(floor) * size(tops) - size(intersect(floor, tops))
        return sum(apply(from_v3, cond=lambda v3: v3 != v1, neighbor(G, v0)))
    return sum(apply(at_wall, cond=lambda e: get(e, 0) < get(e, 1), edges(G)))
