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

/// Checks of the content of a `.mtg`.
namespace matcha::runtime::detail {

/// A `.mtg` in memory with a valid header, section table and section sizes.
struct MtgFile {
  std::string path;
  MtgHeader header{};
  /// The bytes of each section by its number, and their checksums; empty for absent sections.
  std::array<std::optional<std::string_view>, kMtgSections + 1> sections;
  std::array<std::uint64_t, kMtgSections + 1> sums{};
  MappedPages pages;  ///< Pages that are dropped once checked.

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
  /// Requires: edges by label are present.
  LabelTable label_table() const;
  /// An Input error: the file is corrupt; `what` says how.
  Error corrupt(std::string what) const;
};

/// Checks every byte, arc and vertex, on all threads: checksums; rows in order and in range; each edge of an undirected
/// graph at both of its ends, with the same edge info; the arcs of the order by degree and of the edges by label equal
/// those of the rows; halves of rows; ids and vertices in order. Errors: Input.
Status check_mtg_content(const MtgFile& file);

/// Codes of words are below `words`, the number of words of the file, and bool edge info is 0 or 1. Errors: Input.
Status check_mtg_codes(const MtgFile& file, std::uint64_t words);

/// True if items ascend strictly; checked on all threads.
bool ascends(const std::uint64_t* items, std::uint64_t count);

}  // namespace matcha::runtime::detail
