#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/mapped_pages.h"
#include "runtime/result.h"

/// What a `.mtg` promises, and the look at it.
namespace matcha::runtime::detail {

/// A `.mtg` in memory whose header, table and sizes of sections were read and are right.
struct MtgFile {
  std::string path;
  MtgHeader header{};
  /// The bytes of each section by its number, and their checksums; absent ones have no data.
  std::array<std::optional<std::string_view>, kMtgSections + 1> sections;
  std::array<std::uint64_t, kMtgSections + 1> sums{};
  MappedPages pages;  ///< That are let go of when they were checked.

  const std::optional<std::string_view>& section(MtgSection which) const {
    return sections[static_cast<std::size_t>(which)];
  }
  /// The items of a section; null where it is absent.
  template <typename T>
  const T* items(MtgSection which) const {
    const std::optional<std::string_view>& bytes = section(which);
    return bytes ? reinterpret_cast<const T*>(bytes->data()) : nullptr;
  }
  bool is_directed() const { return (header.flags & kMtgDirected) != 0; }
  bool is_ranked() const { return (header.flags & kMtgByDegree) != 0; }
  bool is_halved() const { return section(MtgSection::Halves).has_value(); }
  bool is_by_label() const { return section(MtgSection::LabelEntries).has_value(); }
  InfoKind info_kind() const { return static_cast<InfoKind>(header.flags >> kMtgInfoShift & 3); }
  /// Requires: it is by label.
  LabelTable label_table() const;
  /// An Input error: the file is corrupt, and how.
  Error corrupt(std::string what) const;
};

/// Looks at every byte, arc and vertex, on all threads: checksums; rows in order and in range; each edge of an
/// undirected graph at both of its ends, with the same edge info; the order by degree and the edges by label have the
/// arcs of the rows; halves of rows; ids and vertices in order. Errors: Input.
Status check_mtg_content(const MtgFile& file);

/// Codes of words are those of the `words` of the file, and edge info that is bools is 0 or 1. Errors: Input.
Status check_mtg_codes(const MtgFile& file, std::uint64_t words);

/// Whether items ascend strictly, looked at on all threads.
bool ascends(const std::uint64_t* items, std::uint64_t count);

}  // namespace matcha::runtime::detail
