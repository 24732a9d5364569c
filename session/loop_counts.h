#pragma once

#include <span>
#include <vector>

#include "codegen/backend.h"
#include "ir/context.h"
#include "session/outline.h"

namespace matcha::session {

/// A module of stage kernel that counts how often its own steps run: each loop, stored set and yield of a region has
/// separate sums of 128 bits in the region's collect, and these are its only results. Exact, on every back end:
///
///     collect %sum: sum i128 {               collect %sum: sum i128, %items: sum i128, %kept: sum i128, … {
///       for %u in vertices(%G) {               for %u in vertices(%G) {
///                                                yield %items, 1
///         if (2 <= size(…)) {                    if (2 <= size(…)) {
///                                         →        yield %kept, 1
///           yield %sum, size(…)                    let %value = size(…)
///                                                  yield %times, 1
///                                                  yield %values, %value
///                                                  yield %sum, %value
///
/// A list that is only returned is not kept, so that counting takes no memory for it.
///
/// With `sample` N, parallel regions iterate over one in N positions of their loop, and the figures are multiplied by
/// N. A region whose result another region reads is not sampled: that would be another program.
class LoopCounts {
 public:
  LoopCounts(const ir::Module& module, ir::Context& context, std::int64_t sample = 1);

  const ir::Module& module() const { return counting_; }
  /// False if the module has nothing to count, or too many counters to compile quickly.
  bool any() const { return !counters_.empty(); }
  /// Enters the counts of a run of `module()` into the steps of the original.
  void fill(const codegen::RunResult& result, std::vector<Step>& steps) const;

 private:
  friend class CountingRewriter;

  enum class Figure { Times, Items, Kept };

  /// One sum, and its meaning for a statement.
  struct Counter {
    const ir::Var* sink;
    const ir::Stmt* stmt;
    Figure figure;
    std::int64_t times;  ///< The factor of the sum.
  };

  std::vector<Counter> counters_;
  ir::Module counting_;
};

}  // namespace matcha::session
