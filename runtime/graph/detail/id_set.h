#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/int_column.h"

namespace matcha::runtime::detail {

/// Distinct ids out of many: a bit each while all are small, else in ascending order, merged now and then.
class IdSet {
 public:
  /// `bytes`: what bits, or ids that wait to be merged, may take.
  explicit IdSet(std::uint64_t bytes) : most_bits_(bytes * 8), most_fresh_(bytes / sizeof(std::int64_t) + 1) {}

  void add(const std::int64_t* ids, std::uint64_t count);
  /// All of them, ascending; the set is empty then. Throws std::bad_alloc.
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
