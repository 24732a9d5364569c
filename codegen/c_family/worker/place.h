#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "codegen/c_family/expressions.h"
#include "ir/analysis/spine.h"

namespace matcha::codegen::worker {

/// Where in the loops of a region the next statement is.
class Place {
 public:
  /// The level of the loop that a task may resume; 0 for the outermost one.
  int level() const { return level_; }
  /// Loops around the statement.
  int loops() const { return loops_; }
  /// True if all that is around the statement are loops that a task may resume.
  bool on_spine() const { return level_ == depth_ && level_ < ir::kSpineLevels; }

  /// From here on the statements are in the loop of the level at hand, which a task may resume.
  void enter_level() { ++level_, ++depth_, ++loops_; }
  void leave_level() { --level_, --depth_, --loops_; }
  /// In so many loops more, or in a block that is none.
  void enter(int loops = 0) { ++depth_, loops_ += loops; }
  void leave(int loops = 0) { --depth_, loops_ -= loops; }

  /// A position of the loop at the level at hand, as arguments.
  std::string arguments(const std::string& index) const {
    return fmt::format("{}, {}, {}, {}", level_, level_ > 0 ? "at0" : "0", level_ > 1 ? "at1" : "0", index);
  }

 private:
  int level_ = 0;
  int depth_ = 0;  ///< Blocks around the statement, those of branches on the spine apart.
  int loops_ = 0;
};

/// What the lanes of a group do at the place of the next statement: the same together, or each its own.
class Lanes {
 public:
  explicit Lanes(Expressions& expressions) : expressions_(expressions) {}

  /// True inside a loop of which each lane takes its own items.
  bool are_private() const { return private_; }
  /// Gives what held before.
  bool set_private(bool each_its_own) {
    expressions_.set_in_lanes(each_its_own);
    return std::exchange(private_, each_its_own);
  }
  /// The lanes that are there, inside a loop over bits or pairs.
  const std::string& there() const { return there_; }
  /// Gives those that were there before.
  std::string set_there(std::string lanes) { return std::exchange(there_, std::move(lanes)); }

 private:
  Expressions& expressions_;
  bool private_ = false;
  std::string there_;
};

}  // namespace matcha::codegen::worker
