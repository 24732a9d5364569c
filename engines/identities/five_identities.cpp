#include "engines/identities/five_identities.h"

namespace matcha::runtime::motif {

namespace {

using Count = __int128;

std::size_t place(VertexOrbit orbit) { return static_cast<std::size_t>(orbit); }

}  // namespace

NearSums FiveIdentities::near(std::uint64_t v) const {
  NearSums sums;
  const Count d = small_[v][place(VertexOrbit::Edge)];
  for (std::uint64_t p = graph_.begin(v); p != graph_.end(v); ++p) {
    const std::uint64_t u = graph_.near[p], edge = p < graph_.split[v] ? graph_.twin[p] : p;
    const SmallOrbits& near = small_[u];
    for (std::size_t i = 0; i < near.size(); ++i) sums.all[i] += near[i];
    const Count du = near[place(VertexOrbit::Edge)], t = near[place(VertexOrbit::Triangle)],
                second = near[place(VertexOrbit::WedgeEnd)], on = triangles_.on[p],
                cycles = Count{cycles_[p]} + cycles_[graph_.twin[p]];
    sums.second_squares += (du - 1) * (du - 1);
    sums.threes += choose_three(du - 1);
    sums.leaves += (du - 2) * (second - (d - 1) - on) - 2 * (t - on);
    sums.apart += (t - on) * (du - 3);
    sums.cycle_tails += cycles * (du - 2);
    if (on == 0) continue;
    sums.degrees += on * du;
    sums.pairs += on * choose_two(du - 2);
    sums.joints += on * ((d - 2) * (du - 2) - (on - 1));
    sums.seconds += on * second;
    sums.triangles += on * t;
    sums.squares += on * on;
    sums.cycle_triangles += cycles * on;
    sums.chord_tails += choose_two(on) * (du - 3);
    sums.hats += (on - 1) * five_.edge_hats[edge];
    sums.books += choose_three(on);
    sums.clique_tails += (du - 3) * five_.edge_cliques[edge];
    sums.clique_on += (on - 2) * five_.edge_cliques[edge];
  }
  return sums;
}

void FiveIdentities::at_vertex(std::uint64_t v, __int128* counts) const {
  using enum VertexOrbit;
  const SmallOrbits& here = small_[v];
  const auto at = [&](VertexOrbit orbit) { return here[place(orbit)]; };
  const Count d = at(Edge), t = at(Triangle), second = at(WedgeEnd), squares = at(Square), chords = at(DiamondChord),
              corners = at(DiamondCorner), cliques = at(Clique);
  const NearSums sums = near(v);
  const auto all = [&](VertexOrbit orbit) { return sums.all[place(orbit)]; };
  const auto of = [&](VertexOrbit orbit) -> Count& { return counts[place(orbit)]; };

  of(FivePathEnd) = all(PathEnd) - (d - 1) * second + 2 * t - 2 * t * (d - 2) - 2 * squares;
  of(FivePathSecond) = (d - 1) * at(PathEnd) - at(TriangleSide) - 2 * squares;
  of(FivePathMiddle) = (second * second - sums.second_squares) / 2 - sums.degrees + 3 * t - squares;
  of(ForkEnd) = all(StarLeaf) - d * choose_two(d - 1) - at(TriangleSide);
  of(ForkLeaf) = sums.leaves;
  of(ForkMiddle) = (d - 1) * at(StarLeaf) - at(TriangleSide);
  of(ForkCentre) = choose_two(d - 1) * second - 2 * t * (d - 2);
  of(FiveStarLeaf) = sums.threes;
  of(FiveStarCentre) = choose_three(d) * (d - 3) / 4;
  of(BullTail) = all(TriangleSide) - 2 * t * (d - 2) - at(TriangleSide) - 2 * corners;
  of(BullApex) = Count{five_.ends[v]} - corners;
  of(BullJoint) = sums.joints;
  of(LollipopEnd) = all(Tail) - (d - 2) * t - 2 * chords;
  of(LollipopMiddle) = (d - 1) * at(Tail) - 2 * corners;
  of(LollipopSide) = sums.seconds - 2 * t * (d - 1) - (sums.degrees - 2 * t) - 2 * chords - 2 * corners;
  of(LollipopJoint) = t * second - (sums.degrees - 2 * t) - 2 * chords;
  of(CricketLeaf) = sums.apart;
  of(CricketSide) = sums.pairs;
  of(CricketCentre) = t * choose_two(d - 2);
  of(Pentagon) = five_.five_cycles[v];
  of(BannerTail) = all(Square) - 2 * squares - chords;
  of(BannerOpposite) = Count{five_.opposite[v]} - chords;
  of(BannerSide) = sums.cycle_tails - 2 * corners;
  of(BannerJoint) = squares * (d - 2) - chords;
  of(DartTail) = all(DiamondChord) - chords - 2 * corners;
  of(DartCorner) = five_.tails[v];
  of(DartChord) = sums.chord_tails;
  of(DartJoint) = chords * (d - 3);
  of(BowtieWing) = sums.triangles - sums.squares - 2 * corners;
  of(BowtieCentre) = choose_two(t) - chords;
  of(KiteTail) = all(DiamondCorner) - 2 * chords - 3 * cliques;
  of(KiteCorner) = Count{five_.hats[v]} - t * (d - 2) - 3 * cliques;
  of(KiteJoint) = corners * (d - 2) - 3 * cliques;
  of(KiteChord) = sums.hats - 6 * cliques;
  of(TwoByThreeMiddle) = five_.thirds[v];
  of(TwoByThreeEnd) = five_.threes[v];
  of(HouseFloor) = Count{five_.floors[v]} - 2 * chords - 2 * corners;
  of(HouseRoof) = Count{five_.cycles[v]} - 2 * chords;
  of(HouseEave) = sums.cycle_triangles - 2 * chords - 2 * corners;
  of(BookPage) = five_.pages[v];
  of(BookChord) = sums.books;
  of(CliqueTail) = all(Clique) - 3 * cliques;
  of(CliqueSide) = sums.clique_tails;
  of(CliqueJoint) = cliques * (d - 3);
  of(GemEnd) = Count{five_.sides[v]} - 2 * chords - 6 * cliques;
  of(GemMiddle) = Count{five_.side_fans[v]} - 6 * cliques;
  of(GemHub) = Count{five_.hub_fans[v]} - 3 * cliques;
  of(JoinedTwoByThreeMiddle) = Count{five_.inside_rest[v]} - chords;
  of(JoinedTwoByThreeEnd) = five_.inside[v];
  of(JoinedTwoByThreeJoined) = five_.inside_edge[v];
  of(LessPathMiddle) = Count{five_.clique_edges[v]} - 3 * cliques;
  of(LessPathEnd) = five_.clique_on[v];
  of(LessPathRest) = sums.clique_on;
  of(WheelRim) = five_.rims[v];
  of(WheelHub) = five_.hubs[v];
  of(LessEdgeEnd) = five_.clique_tops[v];
  of(LessEdgeRest) = five_.clique_pairs[v];
  of(FiveClique) = five_.five_cliques[v];
}

}  // namespace matcha::runtime::motif
