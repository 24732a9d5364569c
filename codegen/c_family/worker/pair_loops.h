#pragma once

#include <string>

#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/sinks.h"
#include "codegen/c_family/worker/text.h"
#include "codegen/c_family/worker/walks.h"

namespace matcha::codegen::worker {

class Statements;

/// Two nested loops whose pairs of items are divided among lanes (`walk_pairs` in runtime/common).
class PairLoops {
 public:
  PairLoops(Text& text, Place& place, Lanes& lanes, Walks& walks, Sinks& sinks, Statements& statements)
      : text_(text),
        names_(text.names),
        expressions_(text.expressions),
        out_(text.out),
        place_(place),
        lanes_(lanes),
        walks_(walks),
        sinks_(sinks),
        statements_(statements) {}

  /// The loop `first`, which `second` ends. `on_spine`: a task may resume it.
  void loop(const ir::For& first, const ir::For& second, bool on_spine);

 private:
  struct FirstLoopValues;
  struct Pair;

  /// Declares and computes each lane's values of its item of the first loop.
  void find_owners(const Pair& pair);
  /// Prints the statements for a lane's item of the first loop, up to the number of items of the second.
  void before_second(const ir::Block& b, const Pair& pair);
  /// Binds the values of a pair, which another lane may have computed, and prints the body for it.
  void each_pair(const Pair& pair);
  /// Binds the item of the first loop, which is `value` if that loop is over bits; prints nothing if it is bound
  /// already.
  void bind_first(const Pair& pair, const std::string& value);
  void bind_second(const Pair& pair);
  /// Binds the values of the first loop that the second reads and does not get from the lane.
  void bind_again(const ir::Block& b, const Pair& pair);

  Text& text_;
  Names& names_;
  Expressions& expressions_;
  TextWriter& out_;
  Place& place_;
  Lanes& lanes_;
  Walks& walks_;
  Sinks& sinks_;
  Statements& statements_;
};

}  // namespace matcha::codegen::worker
