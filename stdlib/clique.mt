"""Cliques of a symmetric graph, each counted once (kClist, WWW 2018; G2Miner, OSDI 2022).

Every edge points to the end with the larger degree: the successors of a vertex are few, and a clique is found from its first two
vertices only. Edges are pruned: the first vertex of a k-clique has k - 1 successors at least, the second k - 2."""

from std.graph import by_degree

def firsts(d: Graph, k: int) -> List<Tuple<int, 2>>:
    """The edges of an oriented graph that can be the first two vertices of a k-clique."""
    enough = lambda e: size(neighbor(d, get(e, 0))) >= k - 1 and size(neighbor(d, get(e, 1))) >= k - 2
    return apply(lambda e: e, cond=enough, edges(d))

def common(g: Graph, e):
    """The vertices joined to both ends of an edge."""
    return intersect(neighbor(g, get(e, 0)), neighbor(g, get(e, 1)))

# Edges, triangles, … among the vertices of s: how many each on an oriented graph; 2, 6, 24, … times as many on a symmetric one.

def edges_in(d, s):
    return sum(apply(lambda v: size(intersect(s, neighbor(d, v))), s))

def triangles_in(d, s):
    return sum(apply(lambda v: edges_in(d, intersect(s, neighbor(d, v))), s))

def four_cliques_in(d, s):
    return sum(apply(lambda v: triangles_in(d, intersect(s, neighbor(d, v))), s))

def five_cliques_in(d, s):
    return sum(apply(lambda v: four_cliques_in(d, intersect(s, neighbor(d, v))), s))

def six_cliques_in(d, s):
    return sum(apply(lambda v: five_cliques_in(d, intersect(s, neighbor(d, v))), s))

def triangles(g: Graph) -> int:
    d = by_degree(g)
    return sum(apply(lambda e: size(common(d, e)), edges(d)))

def four_cliques(g: Graph) -> int:
    d = by_degree(g)
    return sum(apply(lambda e: edges_in(d, common(d, e)), firsts(d, 4)))

def five_cliques(g: Graph) -> int:
    d = by_degree(g)
    return sum(apply(lambda e: triangles_in(d, common(d, e)), firsts(d, 5)))

def six_cliques(g: Graph) -> int:
    d = by_degree(g)
    return sum(apply(lambda e: four_cliques_in(d, common(d, e)), firsts(d, 6)))

def seven_cliques(g: Graph) -> int:
    d = by_degree(g)
    return sum(apply(lambda e: five_cliques_in(d, common(d, e)), firsts(d, 7)))

def eight_cliques(g: Graph) -> int:
    d = by_degree(g)
    return sum(apply(lambda e: six_cliques_in(d, common(d, e)), firsts(d, 8)))

# How many hold each vertex, in the order of vertices(g); how many hold each edge, in the order of edges(g)

def triangles_by_vertex(g: Graph) -> List<int>:
    return apply(lambda v: edges_in(g, neighbor(g, v)) / 2, vertices(symmetric(g)))

def four_cliques_by_vertex(g: Graph) -> List<int>:
    return apply(lambda v: triangles_in(g, neighbor(g, v)) / 6, vertices(symmetric(g)))

def five_cliques_by_vertex(g: Graph) -> List<int>:
    return apply(lambda v: four_cliques_in(g, neighbor(g, v)) / 24, vertices(symmetric(g)))

def triangles_by_edge(g: Graph) -> List<int>:
    return apply(lambda e: size(common(g, e)), edges(symmetric(g)))

def four_cliques_by_edge(g: Graph) -> List<int>:
    return apply(lambda e: edges_in(g, common(g, e)) / 2, edges(symmetric(g)))

def five_cliques_by_edge(g: Graph) -> List<int>:
    return apply(lambda e: triangles_in(g, common(g, e)) / 6, edges(symmetric(g)))
