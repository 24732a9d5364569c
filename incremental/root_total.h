#pragma once

#include <cstdint>
#include <map>

#include "codegen/backend.h"
#include "codegen/host/values.h"
#include "incremental/root_module.h"
#include "runtime/common/exact_sum.h"

namespace matcha::session::stream {

/// The combined yields of all roots into a sink, from which those of some roots can be removed.
class RootTotal {
 public:
  explicit RootTotal(const RootSink& sink);

  /// Resets it to no yields.
  void clear();
  /// Adds (+1) or removes (-1) the sink's result of a run of a `root_module`; `universe` has its vertices. False:
  /// overflow.
  bool add(const codegen::ResultValue& found, int sign, const runtime::Universe& universe);
  /// The same for items of `StoredForm::Values` as they are yielded.
  void add(const codegen::Rows& items, int sign, const runtime::Universe& universe);

  /// The value of the sink; a vertex as its id. `monostate`: no yields. Requires: it is not a list. Throws
  /// codegen::host::Trap on overflow of its type.
  codegen::host::Scalar value() const;
  /// The number of items of a list.
  __int128 count() const { return sum_; }

 private:
  void add_items(const void* items, std::uint64_t count, int sign, const runtime::Universe& universe);
  void put(std::int64_t item, int sign);
  void add_float(double value, int sign);

  ir::SinkKind kind_;
  StoredForm keep_;
  ir::ScalarKind scalar_ = ir::ScalarKind::I64;
  SourceLoc loc_;
  __int128 sum_ = 0;                            ///< The sum of ints, or a number of values.
  std::map<std::int64_t, std::int64_t> items_;  ///< The multiplicity of each value; floats in the order of floats.
  runtime::ExactSum exact_{};                   ///< The sum of the finite floats.
  std::int64_t nans_ = 0, plus_infinities_ = 0, minus_infinities_ = 0;
};

}  // namespace matcha::session::stream
