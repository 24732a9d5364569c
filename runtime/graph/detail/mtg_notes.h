#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "runtime/graph/graph.h"

namespace matcha::runtime::detail {

/// Records which `.mtg` files passed the check today, and the totals of their graphs, so that only one of many
/// processes of a user checks every arc. A note names the file by its inode, length and times; it is valid for a day.
/// It is stored beside cached code and trusted like it (runtime/code_cache.h).
class MtgNotes {
 public:
  /// Reads the state of the file, before the file is read. An empty folder, a pipe or a missing file: no notes.
  MtgNotes(const std::string& path, const std::string& folder);

  /// The totals of the file, if it passed the check, is unchanged since, and has this checksum of its header.
  std::optional<GraphTotals> find(std::uint64_t header_sum, std::time_t now) const;
  /// True if `add` would write a note.
  bool may_add(std::time_t now) const;
  /// Records that the file is good, unless it may have changed since without a trace in its times.
  void add(std::uint64_t header_sum, const GraphTotals& totals, std::time_t now) const;

 private:
  std::string name(std::uint64_t header_sum) const;

  std::string path_;
  std::string folder_;
  std::string identity_;  ///< Empty: no notes.
};

}  // namespace matcha::runtime::detail
