#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Counts of the connected patterns of 3 to 5 vertices, and of the places of vertices in them.
namespace matcha::runtime::motif {

/// The connected patterns of 3, 4 and 5 vertices, in the order of stdlib/motif.md.
enum class Motif : std::uint8_t {
  Wedge,
  Triangle,
  FourPath,
  FourStar,
  FourCycle,
  TailedTriangle,
  Diamond,
  FourClique,
  FivePath,
  FiveStar,
  Fork,
  FiveCycle,
  Bull,
  Cricket,
  LongTailedTriangle,
  Banner,
  House,
  Dart,
  Kite,
  Butterfly,
  TwoByThree,
  TwoByThreePlusEdge,
  Gem,
  ThreeBook,
  FourCliqueTail,
  FourWheel,
  FiveCliqueMinusPath,
  FiveCliqueMinusEdge,
  FiveClique,
};
inline constexpr std::size_t kMotifs = 29;
using MotifSet = std::bitset<kMotifs>;
using MotifCounts = std::array<__int128, kMotifs>;

inline constexpr std::size_t at(Motif motif) { return static_cast<std::size_t>(motif); }

/// The edges of each, in the order of `Motif`: `01 12` has the edges 0-1 and 1-2.
inline constexpr std::array<std::string_view, kMotifs> kMotifEdges = {
    "01 12",
    "01 02 12",
    "01 12 23",
    "01 02 03",
    "01 03 12 23",
    "01 02 12 23",
    "01 02 12 13 23",
    "01 02 03 12 13 23",
    "01 12 23 34",
    "01 02 03 04",
    "01 02 03 34",
    "01 04 12 23 34",
    "01 02 03 12 14",
    "01 02 03 04 12",
    "01 02 12 23 34",
    "01 03 04 12 23",
    "01 03 04 12 14 23",
    "01 02 12 13 14 23",
    "01 02 12 13 23 34",
    "01 02 03 04 12 34",
    "02 03 04 12 13 14",
    "02 03 04 12 13 14 23",
    "01 04 12 14 23 24 34",
    "01 02 03 04 12 13 14",
    "01 02 03 12 13 23 34",
    "01 03 04 12 14 23 24 34",
    "01 02 03 12 13 23 24 34",
    "02 03 04 12 13 14 23 24 34",
    "01 02 03 04 12 13 14 23 24 34",
};

}  // namespace matcha::runtime::motif
