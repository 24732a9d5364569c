#pragma once

#include "engines/identities/cells.h"
#include "engines/identities/ranked_graph.h"
#include "engines/identities/triangles.h"
#include "engines/identities/wedge_walk.h"

namespace matcha::runtime::motif {

/// The parts of the edge-induced counts of the orbits of 5 vertices at each vertex v. t is the number of triangles on
/// an edge, d the degree, K the number of 4-cliques on a triangle; w(x) is the number of common neighbours of v and
/// another vertex x. Cells of edges are at their arcs up.
struct FiveTables {
  Cells edge_hats;     ///< By edge: over its triangles, d - 2 of the third vertex.
  Cells edge_sides;    ///< By edge: over its triangles, the other triangles on their other two edges.
  Cells edge_cliques;  ///< By edge: 4-cliques.

  // Over the triangles vab.
  Cells cliques;       ///< K / 3: the 4-cliques with v.
  Cells ends;          ///< (d_a - 2) (d_b - 2).
  Cells cycles;        ///< 4-cycles on ab.
  Cells tails;         ///< (t_ab - 1) (d_a + d_b - 6).
  Cells pages;         ///< Pairs of further triangles on ab.
  Cells hub_fans;      ///< (t_va - 1) (t_vb - 1).
  Cells side_fans;     ///< (t_ab - 1) (t_va + t_vb - 2).
  Cells hats;          ///< `edge_hats` of ab.
  Cells sides;         ///< `edge_sides` of ab.
  Cells clique_edges;  ///< `edge_cliques` of ab.
  Cells clique_on;     ///< K (t_ab - 2).
  Cells clique_pairs;  ///< K (K - 1) / 2.

  Cells clique_tops;  ///< Over the triangles of neighbours of v: K - 1.
  Cells five_cliques;

  // Over the vertices x.
  Cells opposite;  ///< Pairs of common neighbours, times d_x - 2.
  Cells threes;    ///< Three common neighbours.
  Cells floors;    ///< Over the common neighbours b: (w(x) - 1) t_bx.
  Cells inside;    ///< w(x) - 2 for each edge between two common neighbours.

  // Over pairs of neighbours of v.
  Cells thirds;       ///< Pairs of their other common neighbours.
  Cells inside_rest;  ///< Edges between their common neighbours, including v.

  Cells inside_edge;  ///< Over the diamonds with v on the chord: the common neighbours of the corners, minus 2.
  Cells hubs;         ///< 4-cycles among the neighbours of v.
  Cells rims;         ///< 4-cycles with v among the neighbours of another vertex.
  Cells five_cycles;
};

/// Each fills a part of the tables, which are incomplete if the loop was ended. `triangles` has lists; `cycles` has for
/// each arc the 4-cycles of the edge, including those of its twin. Throw: std::bad_alloc.
void fill_corners(const RankedGraph& graph, const Triangles& triangles, const CyclesOfArcs& cycles,
                  const CellLoop& loop, FiveTables& tables);
void fill_pairs(const RankedGraph& graph, const Triangles& triangles, const CellLoop& loop, FiveTables& tables);
void fill_wheels(const RankedGraph& graph, const Triangles& triangles, const CellLoop& loop, FiveTables& tables);
/// By vertex.
Cells five_cycles_of_vertices(const RankedGraph& graph, const CellLoop& loop);
/// The same by arc: the 5-cycles of its edge are the sum of this cell and that of its twin, modulo 2^64.
CyclesOfArcs five_cycles_of_arcs(const RankedGraph& graph, const CellLoop& loop);

}  // namespace matcha::runtime::motif
