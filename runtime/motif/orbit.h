#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace matcha::runtime::motif {

/// A place in a small connected pattern: vertices, or edges, that its automorphisms map to each other.
struct Orbit {
  std::string_view name;
  std::string_view edges;  ///< Of the pattern, as `kMotifEdges` has them.
  std::string_view root;   ///< A vertex of the orbit, such as `0`, or an edge, such as `01`.
};

/// The places of vertices in the patterns of 2 to 4 vertices, with the usual numbers (Pržulj, Bioinformatics 2007).
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
};
inline constexpr std::array<Orbit, 15> kVertexOrbits = {{
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
}};

/// The places of edges in them.
enum class EdgeOrbit : std::uint8_t {
  Edge,
  Wedge,
  Triangle,
  PathEnd,
  PathMiddle,
  Star,
  Square,
  Tail,
  TailJoint,
  TailBase,
  DiamondSide,
  DiamondChord,
  Clique,
};
inline constexpr std::array<Orbit, 13> kEdgeOrbits = {{
    {"edge", "01", "01"},
    {"wedge", "01 12", "01"},
    {"triangle", "01 02 12", "01"},
    {"path4-end", "01 12 23", "01"},
    {"path4-middle", "01 12 23", "12"},
    {"star4", "01 02 03", "01"},
    {"square", "01 03 12 23", "01"},
    {"tailed-triangle-tail", "01 02 12 23", "23"},
    {"tailed-triangle-joint", "01 02 12 23", "02"},
    {"tailed-triangle-base", "01 02 12 23", "01"},
    {"diamond-side", "01 02 12 13 23", "01"},
    {"diamond-chord", "01 02 12 13 23", "12"},
    {"clique4", "01 02 03 12 13 23", "01"},
}};

/// The orbits of patterns of at most so many vertices, 2 to 4, in the order of the tables.
std::span<const Orbit> vertex_orbits(int vertices);
std::span<const Orbit> edge_orbits(int vertices);

/// Edge-induced counts of the orbits of one vertex or edge become vertex-induced ones: the first are the sums, over the
/// orbits with at least their edges, of the second times the copies of the pattern in the other pattern that have
/// their root at its root. The copies are counted when it is made.
class OrbitSystem {
 public:
  explicit OrbitSystem(std::span<const Orbit> orbits);
  /// `counts`: one an orbit, none above 2^100.
  void make_induced(__int128* counts) const;

  /// By orbit: others, and how often they hold it.
  const std::vector<std::vector<std::pair<std::size_t, std::int64_t>>>& larger() const { return larger_; }

 private:
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> larger_;
  std::vector<std::size_t> order_;  ///< Most edges first.
};

}  // namespace matcha::runtime::motif
