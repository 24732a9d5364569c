#pragma once

#include "engines/identities/cells.h"
#include "engines/identities/five_identities.h"
#include "engines/identities/triangles.h"
#include "engines/identities/wedge_walk.h"

namespace matcha::runtime::motif {

/// The parts of the edge-induced counts of the orbits of 5 vertices at each edge uv. t is the number of triangles on an
/// edge, d the degree, K the number of 4-cliques on a triangle; w(x) is the number of common neighbours of u, or v,
/// and another vertex x. Cells are at arcs up.
struct FiveEdgeTables {
  // Over the triangles uvx.
  Cells seconds;       ///< Paths of two edges from x.
  Cells thirds;        ///< Triangles of x.
  Cells third_pairs;   ///< (d_x - 2) (d_x - 3) / 2.
  Cells third_tails;   ///< (t_ux + t_vx - 2) (d_x - 3).
  Cells cycles;        ///< 4-cycles on ux and on vx.
  Cells pages;         ///< Pairs of further triangles on ux and on vx.
  Cells fans;          ///< (t_ux - 1) (t_vx - 1).
  Cells hats;          ///< `OrbitTables::hats` of ux and vx.
  Cells rims;          ///< `OrbitTables::beside` of the arcs xu and xv.
  Cells spokes;        ///< The same of the arcs ux and vx.
  Cells clique_edges;  ///< 4-cliques on ux and on vx.
  Cells clique_tails;  ///< K (d_x - 3).
  Cells clique_on;     ///< K (t_ux + t_vx - 4).
  Cells clique_pairs;  ///< K (K - 1) / 2.

  // Over the 4-cliques uvxy.
  Cells clique_tops;    ///< K of uxy, and of vxy, minus 1.
  Cells clique_across;  ///< Twice t_xy - 2.
  Cells five_cliques;

  // Over the 4-cycles uvxy.
  Cells cycle_tails;      ///< d_x + d_y - 4.
  Cells cycle_triangles;  ///< t_vx + t_uy.
  Cells floors;           ///< Twice t_xy.

  // Over the neighbours x of v, with the common neighbours of x and u; and the same with u and v exchanged.
  Cells threes;  ///< Pairs of them without v.
  Cells inside;  ///< Edges between them.

  // Over pairs of vertices x, y and edges ab between their common neighbours: w - 2, for the edge uv among
  Cells inside_sides;  ///< xa, xb, ya and yb,
  Cells inside_edge;   ///< ab: twice.

  Cells wheel_spokes;
  Cells wheel_rims;
  CyclesOfArcs five_cycles;  ///< By arc.
};

/// The sums behind counts of orbits. Cells of edges are at their arcs up.
struct OrbitTables {
  Triangles triangles;
  CyclesOfArcs cycles;
  Cells second;        ///< By vertex: the degrees of its neighbours, each minus 1.
  Cells facing;        ///< By vertex: over its triangles, the other triangles on the opposite edge.
  Cells cliques;       ///< By vertex: 4-cliques.
  Cells edge_cliques;  ///< By edge: 4-cliques.
  Cells hats;          ///< By edge: over its triangles, the degree of the third vertex minus 2.
  Cells beside;        ///< By arc uv: over the triangles uvx, the other triangles on ux.
  FiveTables five;
  FiveEdgeTables five_edges;
  Buffer<SmallOrbits> small;  ///< By vertex: the orbits of 2 to 4 vertices, edge-induced.
};

/// Each fills a part of `five_edges`, which is incomplete if the loop was ended. The other tables are complete, but for
/// `five`; triangles have lists. Throw: std::bad_alloc.
void fill_edge_corners(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables);
void fill_edge_pairs(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables);
void fill_edge_wheels(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables);

/// Writes the edge-induced counts of the orbits of 5 vertices at the edge of the arc `p` of `u` into `counts`, by
/// `EdgeOrbit`, which has those of fewer vertices.
void count_five_at_edge(const RankedGraph& graph, const OrbitTables& tables, std::uint64_t u, std::uint64_t p,
                        __int128* counts);

}  // namespace matcha::runtime::motif
