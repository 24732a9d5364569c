#pragma once

#include <cstdint>
#include <map>

#include "codegen/backend.h"
#include "codegen/host/values.h"
#include "incremental/root_module.h"
#include "runtime/common/exact_sum.h"

namespace matcha::session::stream {

/// What all roots yielded into a sink, from which what some of them yielded can be taken out again.
class RootTotal {
 public:
  explicit RootTotal(const RootSink& sink);

  /// Nothing was yielded.
  void clear();
  /// Puts in (+1) what a run of a `root_module` gave of the sink, or takes it out (-1); `universe` has its vertices.
  /// False: a number does not fit.
  bool add(const codegen::ResultValue& found, int sign, const runtime::Universe& universe);
  /// The same with items of `Keep::Values` as they are found.
  void add(const codegen::Rows& items, int sign, const runtime::Universe& universe);

  /// The value of the sink; a vertex as its id. `monostate`: of nothing at all. Requires: it is no list. Throws
  /// codegen::host::Trap where it does not fit its type.
  codegen::host::Scalar value() const;
  /// Of a list, how many items it has.
  __int128 count() const { return sum_; }

 private:
  void add_items(const void* items, std::uint64_t count, int sign, const runtime::Universe& universe);
  void put(std::int64_t item, int sign);
  void add_float(double value, int sign);

  ir::SinkKind kind_;
  Keep keep_;
  ir::ScalarKind scalar_ = ir::ScalarKind::I64;
  SourceLoc loc_;
  __int128 sum_ = 0;                            ///< Of ints, or how many.
  std::map<std::int64_t, std::int64_t> items_;  ///< How many there are of each, those of floats in the order of floats.
  runtime::ExactSum exact_{};                   ///< Of floats that are numbers.
  std::int64_t nans_ = 0, plus_infinities_ = 0, minus_infinities_ = 0;
};

}  // namespace matcha::session::stream
