#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/int_column.h"

namespace matcha::runtime::detail {

/// Distinct ids out of many: a bit each while all are small, else sorted and merged from time to time.
class IdSet {
 public:
  /// `bytes`: the limit for the bits, or for ids that wait to be merged.
  explicit IdSet(std::uint64_t bytes) : most_bits_(bytes * 8), most_fresh_(bytes / sizeof(std::int64_t) + 1) {}

  void add(const std::int64_t* ids, std::uint64_t count);
  /// Returns all ids, ascending, and empties the set. Throws std::bad_alloc.
  Buffer<std::int64_t> take();

 private:
  bool add_bits(const std::int64_t* ids, std::uint64_t count);
  void leave_bits();
  void merge();

  const std::uint64_t most_bits_, most_fresh_;
  bool in_bits_ = true;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> sorted_, fresh_;
};

}  // namespace matcha::runtime::detail
