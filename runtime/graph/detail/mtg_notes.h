#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "runtime/graph/graph.h"

namespace matcha::runtime::detail {

/// Which `.mtg` files were found good today, and the totals of their graphs, so that of many processes of a user one
/// looks at every arc. A note names the file by its inode, length and times; it holds for a day. It lies where compiled
/// code does and is trusted like that (runtime/code_cache.h).
class MtgNotes {
 public:
  /// Looks at the file, which nobody has read yet. An empty folder, a pipe or a missing file: no notes.
  MtgNotes(const std::string& path, const std::string& folder);

  /// The totals of the file if it was found good, is what it was then, and has this checksum of its header.
  std::optional<GraphTotals> find(std::uint64_t header_sum, std::time_t now) const;
  /// Whether `add` would do something.
  bool may_add(std::time_t now) const;
  /// Notes that it is good, unless it may have been written to since then without a trace in its times.
  void add(std::uint64_t header_sum, const GraphTotals& totals, std::time_t now) const;

 private:
  std::string name(std::uint64_t header_sum) const;

  std::string path_;
  std::string folder_;
  std::string identity_;  ///< Empty: no notes.
};

}  // namespace matcha::runtime::detail
