#pragma once

#include <array>
#include <cstdint>

#include "engines/identities/five_orbits.h"
#include "engines/identities/orbit.h"

namespace matcha::runtime::motif {

/// Counts of the orbits of 2 to 4 vertices at a vertex, by `VertexOrbit`.
using SmallOrbits = std::array<__int128, 15>;

/// The number of sets of two, and of three, of `n` things.
inline __int128 choose_two(__int128 n) { return n * (n - 1) / 2; }
inline __int128 choose_three(__int128 n) { return n * (n - 1) * (n - 2) / 6; }

/// Sums over the neighbours u of a vertex v. t is the triangles on the edge vu, d the degree of u.
struct NearSums {
  /// The counts at u, by orbit.
  SmallOrbits all{};
  __int128 second_squares = 0;   ///< (d - 1)^2.
  __int128 threes = 0;           ///< Sets of three other neighbours of u.
  __int128 leaves = 0;           ///< Ways to three more vertices of a fork with leaf v and centre u.
  __int128 degrees = 0;          ///< t d.
  __int128 pairs = 0;            ///< t (d - 2) (d - 3) / 2.
  __int128 joints = 0;           ///< t ((d_v - 2) (d - 2) - (t - 1)).
  __int128 apart = 0;            ///< (d - 3) times the triangles of u without v.
  __int128 seconds = 0;          ///< t times the paths of two edges from u.
  __int128 triangles = 0;        ///< t times the triangles of u.
  __int128 squares = 0;          ///< t^2.
  __int128 cycle_tails = 0;      ///< (d - 2) times the 4-cycles on vu.
  __int128 cycle_triangles = 0;  ///< t times the 4-cycles on vu.
  __int128 chord_tails = 0;      ///< (d - 3) t (t - 1) / 2.
  __int128 hats = 0;             ///< (t - 1) times `edge_hats`.
  __int128 books = 0;            ///< Three triangles on vu.
  __int128 clique_tails = 0;     ///< (d - 3) times the 4-cliques on vu.
  __int128 clique_on = 0;        ///< (t - 2) times the 4-cliques on vu.
};

/// Edge-induced counts at vertices of the orbits of 5 vertices.
class FiveIdentities {
 public:
  /// `small`: by vertex.
  FiveIdentities(const RankedGraph& graph, const Triangles& triangles, const CyclesOfArcs& cycles,
                 const Buffer<SmallOrbits>& small, const FiveTables& five)
      : graph_(graph), triangles_(triangles), cycles_(cycles), small_(small), five_(five) {}

  /// Writes the orbits of `v`, all but the small ones, into `counts`, by `VertexOrbit`.
  void at_vertex(std::uint64_t v, __int128* counts) const;

 private:
  NearSums near(std::uint64_t v) const;

  const RankedGraph& graph_;
  const Triangles& triangles_;
  const CyclesOfArcs& cycles_;
  const Buffer<SmallOrbits>& small_;
  const FiveTables& five_;
};

}  // namespace matcha::runtime::motif
