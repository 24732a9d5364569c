#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace matcha::runtime::motif {

/// A position in a small connected pattern: a class of vertices, or edges, that its automorphisms map to each other.
struct Orbit {
  std::string_view name;
  std::string_view edges;  ///< Edges of the pattern, in the format of `kMotifEdges`.
  std::string_view root;   ///< A vertex of the orbit, such as `0`, or an edge, such as `01`.
};

/// The positions of vertices in the patterns of 2 to 5 vertices, with the usual numbers (Pržulj, Bioinformatics 2007).
enum class VertexOrbit : std::uint8_t {
  Edge,
  WedgeEnd,
  WedgeMiddle,
  Triangle,
  PathEnd,
  PathMiddle,
  StarLeaf,
  StarCentre,
  Square,
  Tail,
  TriangleSide,
  TailJoint,
  DiamondCorner,
  DiamondChord,
  Clique,
  FivePathEnd,
  FivePathSecond,
  FivePathMiddle,
  ForkEnd,
  ForkLeaf,
  ForkMiddle,
  ForkCentre,
  FiveStarLeaf,
  FiveStarCentre,
  BullTail,
  BullApex,
  BullJoint,
  LollipopEnd,
  LollipopMiddle,
  LollipopSide,
  LollipopJoint,
  CricketLeaf,
  CricketSide,
  CricketCentre,
  Pentagon,
  BannerTail,
  BannerOpposite,
  BannerSide,
  BannerJoint,
  DartTail,
  DartCorner,
  DartChord,
  DartJoint,
  BowtieWing,
  BowtieCentre,
  KiteTail,
  KiteCorner,
  KiteJoint,
  KiteChord,
  TwoByThreeMiddle,
  TwoByThreeEnd,
  HouseFloor,
  HouseRoof,
  HouseEave,
  BookPage,
  BookChord,
  CliqueTail,
  CliqueSide,
  CliqueJoint,
  GemEnd,
  GemMiddle,
  GemHub,
  JoinedTwoByThreeMiddle,
  JoinedTwoByThreeEnd,
  JoinedTwoByThreeJoined,
  LessPathMiddle,
  LessPathEnd,
  LessPathRest,
  WheelRim,
  WheelHub,
  LessEdgeEnd,
  LessEdgeRest,
  FiveClique,
};
inline constexpr std::array<Orbit, 73> kVertexOrbits = {{
    {"edge", "01", "0"},
    {"wedge-end", "01 12", "0"},
    {"wedge-middle", "01 12", "1"},
    {"triangle", "01 02 12", "0"},
    {"path4-end", "01 12 23", "0"},
    {"path4-middle", "01 12 23", "1"},
    {"star4-leaf", "01 02 03", "1"},
    {"star4-centre", "01 02 03", "0"},
    {"square", "01 03 12 23", "0"},
    {"tailed-triangle-tail", "01 02 12 23", "3"},
    {"tailed-triangle-side", "01 02 12 23", "0"},
    {"tailed-triangle-joint", "01 02 12 23", "2"},
    {"diamond-corner", "01 02 12 13 23", "0"},
    {"diamond-chord", "01 02 12 13 23", "1"},
    {"clique4", "01 02 03 12 13 23", "0"},
    {"path5-end", "01 12 23 34", "0"},
    {"path5-second", "01 12 23 34", "1"},
    {"path5-middle", "01 12 23 34", "2"},
    {"fork-end", "01 02 03 34", "4"},
    {"fork-leaf", "01 02 03 34", "1"},
    {"fork-middle", "01 02 03 34", "3"},
    {"fork-centre", "01 02 03 34", "0"},
    {"star5-leaf", "01 02 03 04", "1"},
    {"star5-centre", "01 02 03 04", "0"},
    {"bull-tail", "01 02 03 12 14", "3"},
    {"bull-apex", "01 02 03 12 14", "2"},
    {"bull-joint", "01 02 03 12 14", "0"},
    {"lollipop-end", "01 02 12 23 34", "4"},
    {"lollipop-middle", "01 02 12 23 34", "3"},
    {"lollipop-side", "01 02 12 23 34", "0"},
    {"lollipop-joint", "01 02 12 23 34", "2"},
    {"cricket-leaf", "01 02 03 04 12", "3"},
    {"cricket-side", "01 02 03 04 12", "1"},
    {"cricket-centre", "01 02 03 04 12", "0"},
    {"pentagon", "01 04 12 23 34", "0"},
    {"banner-tail", "01 03 04 12 23", "4"},
    {"banner-opposite", "01 03 04 12 23", "2"},
    {"banner-side", "01 03 04 12 23", "1"},
    {"banner-joint", "01 03 04 12 23", "0"},
    {"dart-tail", "01 02 12 13 14 23", "4"},
    {"dart-corner", "01 02 12 13 14 23", "0"},
    {"dart-chord", "01 02 12 13 14 23", "2"},
    {"dart-joint", "01 02 12 13 14 23", "1"},
    {"bowtie-wing", "01 02 03 04 12 34", "1"},
    {"bowtie-centre", "01 02 03 04 12 34", "0"},
    {"kite-tail", "01 02 12 13 23 34", "4"},
    {"kite-corner", "01 02 12 13 23 34", "0"},
    {"kite-joint", "01 02 12 13 23 34", "3"},
    {"kite-chord", "01 02 12 13 23 34", "1"},
    {"two-by-three-middle", "02 03 04 12 13 14", "2"},
    {"two-by-three-end", "02 03 04 12 13 14", "0"},
    {"house-floor", "01 03 04 12 14 23", "2"},
    {"house-roof", "01 03 04 12 14 23", "4"},
    {"house-eave", "01 03 04 12 14 23", "0"},
    {"book3-page", "01 02 03 04 12 13 14", "2"},
    {"book3-chord", "01 02 03 04 12 13 14", "0"},
    {"tailed-clique4-tail", "01 02 03 12 13 23 34", "4"},
    {"tailed-clique4-side", "01 02 03 12 13 23 34", "0"},
    {"tailed-clique4-joint", "01 02 03 12 13 23 34", "3"},
    {"gem-end", "01 04 12 14 23 24 34", "0"},
    {"gem-middle", "01 04 12 14 23 24 34", "1"},
    {"gem-hub", "01 04 12 14 23 24 34", "4"},
    {"joined-two-by-three-middle", "02 03 04 12 13 14 23", "4"},
    {"joined-two-by-three-end", "02 03 04 12 13 14 23", "0"},
    {"joined-two-by-three-joined", "02 03 04 12 13 14 23", "2"},
    {"clique5-less-path-middle", "01 02 03 12 13 23 24 34", "4"},
    {"clique5-less-path-end", "01 02 03 12 13 23 24 34", "0"},
    {"clique5-less-path-rest", "01 02 03 12 13 23 24 34", "2"},
    {"wheel4-rim", "01 03 04 12 14 23 24 34", "0"},
    {"wheel4-hub", "01 03 04 12 14 23 24 34", "4"},
    {"clique5-less-edge-end", "02 03 04 12 13 14 23 24 34", "0"},
    {"clique5-less-edge-rest", "02 03 04 12 13 14 23 24 34", "2"},
    {"clique5", "01 02 03 04 12 13 14 23 24 34", "0"},
}};

/// The orbits of patterns of at most `vertices` vertices, 2 to 5, in the order of `kVertexOrbits` and `kEdgeOrbits`.
std::span<const Orbit> vertex_orbits(int vertices);
std::span<const Orbit> edge_orbits(int vertices);

/// Converts edge-induced counts of the orbits of one vertex or edge to vertex-induced ones. An edge-induced count is a
/// sum over the orbits with at least its edges: the vertex-induced count times the number of copies of the pattern in
/// the other pattern with the same root. The constructor counts the copies.
class OrbitSystem {
 public:
  explicit OrbitSystem(std::span<const Orbit> orbits);
  /// `counts`: one per orbit, none above 2^100.
  void make_induced(__int128* counts) const;

  /// By orbit: the orbits that contain it, and how often.
  const std::vector<std::vector<std::pair<std::size_t, std::int64_t>>>& larger() const { return larger_; }

 private:
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> larger_;
  std::vector<std::size_t> order_;  ///< Most edges first.
};

}  // namespace matcha::runtime::motif
