#include <algorithm>

#include "engines/identities/edge_orbit.h"
#include "engines/identities/five_edge_orbits.h"

namespace matcha::runtime::motif {

namespace {

using Count = __int128;

/// The numbers at an edge uv that its identities share.
struct EdgeNumbers {
  EdgeNumbers(const RankedGraph& graph, const OrbitTables& tables, std::uint64_t source, std::uint64_t p,
              const Count* counts)
      : tables(tables),
        u(tables.small[source]),
        v(tables.small[graph.near[p]]),
        edge(std::min(p, graph.twin[p])),
        t(counts[static_cast<std::size_t>(EdgeOrbit::Triangle)]),
        hats(counts[static_cast<std::size_t>(EdgeOrbit::TailBase)]),
        cycles(counts[static_cast<std::size_t>(EdgeOrbit::Square)]),
        cliques(counts[static_cast<std::size_t>(EdgeOrbit::Clique)]),
        beside_u(tables.beside[p]),
        beside_v(tables.beside[graph.twin[p]]),
        sides(beside_u + beside_v),
        five_cycles(tables.five_edges.five_cycles[p] + tables.five_edges.five_cycles[graph.twin[p]]) {}

  static Count at(const SmallOrbits& end, VertexOrbit orbit) { return end[static_cast<std::size_t>(orbit)]; }
  /// At both ends.
  Count both(VertexOrbit orbit) const { return at(u, orbit) + at(v, orbit); }
  Count sum(Cells FiveEdgeTables::*cells) const { return (tables.five_edges.*cells)[edge]; }

  const OrbitTables& tables;
  const SmallOrbits& u;
  const SmallOrbits& v;
  std::uint64_t edge;
  Count t, hats, cycles, cliques;
  Count beside_u, beside_v, sides;
  Count five_cycles;
  Count du = at(u, VertexOrbit::Edge), dv = at(v, VertexOrbit::Edge);
  Count degrees = du + dv;
  /// Triangles of an end without the edge.
  Count rest_u = at(u, VertexOrbit::Triangle) - t, rest_v = at(v, VertexOrbit::Triangle) - t;
  /// Paths of two edges from an end without the other end.
  Count on_u = at(u, VertexOrbit::WedgeEnd) - (dv - 1) - t, on_v = at(v, VertexOrbit::WedgeEnd) - (du - 1) - t;
};

/// Patterns without cycles, and with one.
void count_sparse(const EdgeNumbers& e, Count* counts) {
  using enum EdgeOrbit;
  using Tables = FiveEdgeTables;
  const auto of = [&](EdgeOrbit orbit) -> Count& { return counts[static_cast<std::size_t>(orbit)]; };
  const Count t = e.t, du = e.du, dv = e.dv, degrees = e.degrees;
  of(FivePathEnd) = e.both(VertexOrbit::PathEnd) - e.on_u - e.on_v - t * (degrees - 4) - 2 * e.cycles;
  of(FivePathMiddle) = (du - 1) * e.on_v + (dv - 1) * e.on_u - 2 * e.hats - 2 * e.cycles;
  of(ForkEnd) = e.both(VertexOrbit::StarLeaf) - choose_two(du - 1) - choose_two(dv - 1) - 2 * e.hats;
  of(ForkLeaf) = (dv - 2) * e.on_v + (du - 2) * e.on_u - 2 * (e.rest_u + e.rest_v);
  of(ForkStem) = (dv - 1) * choose_two(du - 1) + (du - 1) * choose_two(dv - 1) - t * (degrees - 4);
  of(FiveStar) = choose_three(du - 1) + choose_three(dv - 1);
  of(BullTail) = e.both(VertexOrbit::TriangleSide) - t * (degrees - 4) - 2 * e.hats - e.sides;
  of(BullSide) = (degrees - 4) * e.hats - e.sides;
  of(BullBase) = t * (du - 2) * (dv - 2) - t * (t - 1);
  of(LollipopEnd) = e.both(VertexOrbit::Tail) - e.rest_u - e.rest_v - e.sides;
  of(LollipopMiddle) = e.rest_u * (dv - 1) + e.rest_v * (du - 1) - e.sides;
  of(LollipopBase) = e.sum(&Tables::seconds) - t * (degrees - 2) - e.sides;
  of(LollipopJoint) = t * (e.on_u + e.on_v) - 2 * e.hats - e.sides;
  of(CricketTail) = e.rest_u * (du - 3) + e.rest_v * (dv - 3);
  of(CricketBase) = e.sum(&Tables::third_pairs);
  of(CricketJoint) = t * (choose_two(du - 2) + choose_two(dv - 2));
  of(Pentagon) = e.five_cycles;
  of(BannerTail) = e.both(VertexOrbit::Square) - 2 * e.cycles - t * (t - 1);
  of(BannerFar) = e.sum(&Tables::cycle_tails) - e.sides;
  of(BannerJoint) = e.cycles * (degrees - 4) - e.sides;
}

/// Patterns of 6 and more edges.
void count_dense(const EdgeNumbers& e, Count* counts) {
  using enum EdgeOrbit;
  using Tables = FiveEdgeTables;
  const auto of = [&](EdgeOrbit orbit) -> Count& { return counts[static_cast<std::size_t>(orbit)]; };
  const Count t = e.t, du = e.du, dv = e.dv, degrees = e.degrees, k = e.cliques, on_t = t * (t - 1);
  of(DartTail) = e.both(VertexOrbit::DiamondChord) - on_t - e.sides;
  of(DartFar) = e.sum(&Tables::third_tails);
  of(DartJoint) = (du - 3) * e.beside_u + (dv - 3) * e.beside_v;
  of(DartChord) = choose_two(t) * (degrees - 6);
  of(BowtieBase) = e.sum(&Tables::thirds) - e.sides - t;
  of(BowtieCentre) = t * (e.rest_u + e.rest_v) - e.sides;
  of(KiteTail) = e.both(VertexOrbit::DiamondCorner) - 2 * k - e.sides;
  of(KiteFar) = e.sum(&Tables::hats) - t * (degrees - 4) - 4 * k;
  of(KiteJoint) = (du - 2) * e.beside_v + (dv - 2) * e.beside_u - 4 * k;
  of(KiteChord) = (t - 1) * e.hats - 2 * k;
  of(TwoByThree) = e.sum(&Tables::threes);
  of(HouseFloor) = e.sum(&Tables::floors) / 2 - e.sides;
  of(HouseWall) = e.sum(&Tables::cycle_triangles) - 2 * e.sides;
  of(HouseRoof) = e.sum(&Tables::cycles) - 2 * on_t - e.sides;
  of(HouseBeam) = e.cycles * t - e.sides;
  of(BookPage) = e.sum(&Tables::pages);
  of(BookChord) = choose_three(t);
  of(CliqueTail) = e.both(VertexOrbit::Clique) - 2 * k;
  of(CliqueBase) = e.sum(&Tables::clique_tails);
  of(CliqueJoint) = k * (degrees - 6);
  of(GemRimEnd) = e.sum(&Tables::rims) - e.sides - 4 * k;
  of(GemHubEnd) = e.sum(&Tables::spokes) - 2 * on_t - 4 * k;
  of(GemRimMiddle) = e.sum(&Tables::fans) - 2 * k;
  of(GemHubMiddle) = (t - 1) * e.sides - 4 * k;
  of(JoinedThird) = e.sum(&Tables::inside) - e.sides;
  of(JoinedSide) = e.sum(&Tables::inside_sides);
  of(JoinedJoin) = e.sum(&Tables::inside_edge) / 2;
  of(LessPathMiddle) = e.sum(&Tables::clique_edges) - 4 * k;
  of(LessPathEnds) = e.sum(&Tables::clique_across) / 2;
  of(LessPathSide) = e.sum(&Tables::clique_on);
  of(LessPathRest) = k * (t - 2);
  of(WheelRim) = e.sum(&Tables::wheel_rims);
  of(WheelSpoke) = e.sum(&Tables::wheel_spokes);
  of(LessEdgeEnd) = e.sum(&Tables::clique_tops);
  of(LessEdgeRest) = e.sum(&Tables::clique_pairs);
  of(FiveClique) = e.sum(&Tables::five_cliques);
}

}  // namespace

void count_five_at_edge(const RankedGraph& graph, const OrbitTables& tables, std::uint64_t u, std::uint64_t p,
                        __int128* counts) {
  const EdgeNumbers numbers(graph, tables, u, p, counts);
  count_sparse(numbers, counts);
  count_dense(numbers, counts);
}

}  // namespace matcha::runtime::motif
