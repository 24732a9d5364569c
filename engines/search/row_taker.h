#pragma once

#include <cstdint>
#include <vector>

#include "codegen/backend.h"

namespace matcha::codegen {

/// Passes the rows of a matcher to `RunOptions::on_rows`, or collects them in a list.
class RowTaker {
 public:
  /// Requires: the options outlive it.
  RowTaker(std::vector<runtime::ElementKind> kinds, const RunOptions& options);

  /// Takes columns of `count` items, each of its kind, valid during the call. Returns false to stop. Throws
  /// std::bad_alloc.
  bool operator()(const void* const* block, std::uint64_t count);
  /// The same, with vertices only.
  bool operator()(const std::uint32_t* const* block, std::uint64_t count);
  /// The collected rows.
  ListValue take_list() { return std::move(list_); }

 private:
  const RunOptions& options_;
  std::vector<runtime::ElementKind> kinds_;
  std::vector<const void*> columns_;  ///< The columns of a block of vertices.
  ListValue list_;
};

/// Adds the result of a matcher to that of a run: the number of matches, or with `lists` the rows, of which the
/// collected ones are in `list`; for a share, as a partial result.
void add_found(__int128 found, bool lists, ListValue list, const RunOptions& options, RunResult& result);

}  // namespace matcha::codegen
