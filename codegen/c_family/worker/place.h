#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "codegen/c_family/expressions.h"
#include "ir/analysis/spine.h"

namespace matcha::codegen::worker {

/// The position of the next statement in the loops of a region.
class Place {
 public:
  /// The level of the loop that a task may resume; 0 for the outermost one.
  int level() const { return level_; }
  /// Loops around the statement.
  int loops() const { return loops_; }
  /// True if the statement is only inside loops that a task may resume.
  bool on_spine() const { return level_ == depth_ && level_ < ir::kSpineLevels; }

  /// The following statements are in the loop of the current level, which a task may resume.
  void enter_level() { ++level_, ++depth_, ++loops_; }
  void leave_level() { --level_, --depth_, --loops_; }
  /// The following statements are inside `loops` more loops; 0: inside another block.
  void enter(int loops = 0) { ++depth_, loops_ += loops; }
  void leave(int loops = 0) { --depth_, loops_ -= loops; }

  /// A position of the loop at the current level, as arguments.
  std::string arguments(const std::string& index) const {
    return fmt::format("{}, {}, {}, {}", level_, level_ > 0 ? "at0" : "0", level_ > 1 ? "at1" : "0", index);
  }

 private:
  int level_ = 0;
  int depth_ = 0;  ///< Blocks around the statement, except branches on the spine.
  int loops_ = 0;
};

/// How lanes execute the next statement: together, or each on its own items.
class Lanes {
 public:
  explicit Lanes(Expressions& expressions) : expressions_(expressions) {}

  /// True inside a loop whose items are divided among lanes.
  bool are_private() const { return private_; }
  /// Returns the previous value.
  bool set_private(bool each_its_own) {
    expressions_.set_in_lanes(each_its_own);
    return std::exchange(private_, each_its_own);
  }
  /// The expression for the active lanes, inside a loop over bits or pairs.
  const std::string& active() const { return active_; }
  /// Returns the previous expression.
  std::string set_active(std::string lanes) { return std::exchange(active_, std::move(lanes)); }

 private:
  Expressions& expressions_;
  bool private_ = false;
  std::string active_;
};

}  // namespace matcha::codegen::worker
