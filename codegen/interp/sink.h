#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/interp/value.h"
#include "ir/nodes.h"
#include "runtime/common/exact_sum.h"

namespace matcha::codegen::interp {

/// The values yielded into a sink so far.
class SinkState {
 public:
  /// `capacity`: rows that the sink's buffer can hold.
  explicit SinkState(const ir::Sink& sink, std::uint64_t capacity = std::numeric_limits<std::uint64_t>::max());

  /// Takes one value for each column. Throws Trap at `loc` if a sum or the buffer overflows.
  void add(std::vector<Value> values, SourceLoc loc);
  /// The value of the sink after its collect, `std::monostate` for an empty min or max. Throws Trap at `loc` when a sum
  /// does not fit the type.
  Value result(SourceLoc loc) const;

 private:
  const ir::Type& type_;
  ir::SinkKind kind_;
  std::uint64_t capacity_;
  __int128 int_sum_ = 0;
  runtime::ExactSum float_sum_;
  Value extreme_;
  bool truth_;
  std::shared_ptr<List> rows_;
};

}  // namespace matcha::codegen::interp
