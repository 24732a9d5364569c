#pragma once

#include <cstdint>
#include <string_view>

/// The layout of `.mtg`, documented in README.md. All numbers are little-endian.
namespace matcha::runtime::detail {

inline constexpr std::string_view kMtgMagic{"\x89MTG\r\n\x1a\n", 8};
inline constexpr std::uint32_t kMtgEndianTag = 0x01020304;
inline constexpr std::uint64_t kMtgAlignment = 64;

enum class MtgSection : std::uint64_t {
  Offsets = 1,    ///< u64, universe + 1.
  Neighbors = 2,  ///< u32, arc_count.
  Ids = 3,        ///< i64, universe; absent for the identity.
  Vertices = 4,   ///< u32, vertex_count; absent when all ranks are vertices.
  Labels = 5,     ///< i64, universe; optional.
  Words = 6,      ///< Label words: u64 count, u64 end offsets into the text, text; optional.
  EdgeInfo = 7,   ///< 8-byte words, arc_count; optional.
  // The arcs a second time, with ranks by degree; all three or none.
  RankedOffsets = 8,    ///< u64, universe + 1.
  RankedNeighbors = 9,  ///< u32, arc_count.
  RankedFrom = 10,      ///< u32, universe: the rank by id of each rank by degree.
  // Ids that are not int64; one of the two, and then no `Ids`.
  UnsignedIds = 11,  ///< u64, universe.
  TextIds = 12,      ///< u64 end offsets into the text, universe; text.
  // The arcs by label, as in LabelTable; all four or none.
  LabelEntries = 13,  ///< LabelEntry.
  LabelRows = 14,     ///< u32.
  LabelEnds = 15,     ///< u32, one a row.
  LabelItems = 16,    ///< u32.
  // Where the halves of rows begin, by id and by degree, and their sizes; all three or none.
  Halves = 17,        ///< u32, 2 * universe + 1: where the row of a vertex begins and its upper half, modulo 2^32.
  RankedHalves = 18,  ///< The same with ranks by degree.
  HalfSizes = 19,     ///< MtgHalfSizes by id, and by degree.
  LostRepeats = 20,   ///< u64: the number of repeated edges that were dropped; absent for 0.
};
inline constexpr std::uint64_t kMtgSections = 20;
inline constexpr std::uint64_t kMtgSectionsOfFifth = 19;   ///< The number of sections in version 5.
inline constexpr std::uint64_t kMtgSectionsOfFourth = 16;  ///< The number of sections in version 4.
inline constexpr std::uint64_t kMtgSectionsOfThird = 12;   ///< The number of sections in version 3.
inline constexpr std::uint64_t kMtgSectionsOfSecond = 10;  ///< The number of sections in version 2.
inline constexpr std::uint64_t kMtgSectionsOfFirst = 7;    ///< The number of sections in version 1.

/// Sections are hashed in pieces of this many bytes, in parallel.
inline constexpr std::uint64_t kMtgPiece = std::uint64_t{1} << 22;

inline constexpr std::uint64_t kMtgDirected = 1;
inline constexpr std::uint64_t kMtgSimple = 2;
inline constexpr std::uint64_t kMtgWordInfo = 4;
inline constexpr std::uint64_t kMtgByDegree = 8;       ///< Sections 8 to 10 are present.
inline constexpr std::uint64_t kMtgLargestFirst = 16;  ///< In sections 8 to 10, large degrees come first.
inline constexpr std::uint64_t kMtgLoops = 32;         ///< Some vertex is its own neighbour.
inline constexpr std::uint64_t kMtgAllLoops = 64;      ///< No loop of the source file was dropped.
inline constexpr std::uint64_t kMtgInfoShift = 8;      ///< InfoKind in two bits.
inline constexpr std::uint64_t kMtgFlagsOfFirst =
    kMtgDirected | kMtgSimple | kMtgWordInfo | std::uint64_t{3} << kMtgInfoShift;
inline constexpr std::uint64_t kMtgFlagsOfThird = kMtgFlagsOfFirst | kMtgByDegree | kMtgLargestFirst;
inline constexpr std::uint64_t kMtgKnownFlags = kMtgFlagsOfThird | kMtgLoops | kMtgAllLoops;

struct MtgHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t endian_tag;
  std::uint64_t file_bytes;
  std::uint64_t flags;
  std::uint64_t universe;
  std::uint64_t arc_count;
  std::uint64_t vertex_count;
  std::uint64_t section_count;
};
static_assert(sizeof(MtgHeader) == 64);

struct MtgEntry {
  std::uint64_t section;
  std::uint64_t begin;  ///< From the start of the file, a multiple of kMtgAlignment.
  std::uint64_t bytes;
  /// XXH3-64 of the section, seed 0. From version 2 on, the hash of a section longer than a piece is that of the hashes
  /// of its pieces.
  std::uint64_t xxh3;
};
static_assert(sizeof(MtgEntry) == 32);
struct MtgHalfSizes {
  std::uint64_t longest_lower;
  double lower_squares;
  std::uint64_t longest_upper;
  double upper_squares;
};
static_assert(sizeof(MtgHalfSizes) == 32);
// The header and the entries are followed by the XXH3-64 of both.

}  // namespace matcha::runtime::detail
