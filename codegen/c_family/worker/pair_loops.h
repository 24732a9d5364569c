#pragma once

#include <string>

#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/sinks.h"
#include "codegen/c_family/worker/text.h"
#include "codegen/c_family/worker/walks.h"

namespace matcha::codegen::worker {

class Statements;

/// Two loops, one in the other, whose pairs of items the lanes take side by side (`walk_pairs` in runtime/common).
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
  struct OfFirst;
  struct Pair;

  /// Declares what lanes find of their items of the first loop, and finds it.
  void find_owners(const Pair& pair);
  /// What a lane finds of its item of the first loop, up to how many items the second has.
  void before_second(const ir::Block& b, const Pair& pair);
  /// Binds the values of a pair, which another lane may have found, and prints what is done with it.
  void each_pair(const Pair& pair);
  /// Binds the item of the first loop, which is `value` if that is a loop over bits; nothing if it is bound already.
  void bind_first(const Pair& pair, const std::string& value);
  void bind_second(const Pair& pair);
  /// What the second loop reads of the first's values and does not ask the lane for.
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
