#pragma once

#include <functional>
#include <span>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Scalars;

/// The open loops, and the variables of their items.
class Loops {
 public:
  using Value = llvm::Value;

  Loops(FunctionFrame& frame, Scalars& scalars) : f_(frame), scalars_(scalars) {}

  /// Walks positions [begin, end) of the lists: binds the variables, calls `item`.
  void walk(const ir::For& s, std::span<const List> lists, Value* begin, Value* end, const std::function<void()>& item);
  /// Binds the variables of `s` to the items at `index`.
  void bind_items(const ir::For& s, std::span<const List> lists, Value* index);

  /// Counts a loop that other code emits, until `leave`.
  void enter() { ++depth_; }
  void leave() { --depth_; }

  int depth() const { return depth_; }
  /// The position of the outermost loop.
  Value* position() const { return position_; }
  void set_position(Value* position) { position_ = position; }

 private:
  FunctionFrame& f_;
  Scalars& scalars_;
  Value* position_ = nullptr;
  int depth_ = 0;
};

}  // namespace matcha::codegen::jit
