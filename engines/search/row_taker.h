#pragma once

#include <cstdint>
#include <vector>

#include "codegen/backend.h"

namespace matcha::codegen {

/// Takes the rows that a matcher finds: hands them on to `RunOptions::on_rows`, or keeps them as a list.
class RowTaker {
 public:
  /// The options must outlive it.
  RowTaker(std::vector<runtime::ElementKind> kinds, const RunOptions& options);

  /// Columns of `count` items, each of its kind, valid during the call. False: no more are wanted. Throws
  /// std::bad_alloc.
  bool operator()(const void* const* block, std::uint64_t count);
  /// The same, all of vertices.
  bool operator()(const std::uint32_t* const* block, std::uint64_t count);
  /// What was kept.
  ListValue take_list() { return std::move(list_); }

 private:
  const RunOptions& options_;
  std::vector<runtime::ElementKind> kinds_;
  std::vector<const void*> columns_;  ///< Of a block of vertices.
  ListValue list_;
};

/// Adds to a run's result what a matcher found: the number of matches, or with `lists` rows, of which those that were
/// kept are in `list`; of a share, as a part of a result.
void add_found(__int128 found, bool lists, ListValue list, const RunOptions& options, RunResult& result);

}  // namespace matcha::codegen
