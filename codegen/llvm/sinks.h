#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/function_frame.h"
#include "codegen/llvm/sums.h"

namespace matcha::codegen::jit {

class Lists;
class Loops;
class Scalars;

/// The sinks of the region and of the open collects: accumulators, lists in buffers, buffers of rows. Takes yielded
/// values; binds the results of a collect as variables of `Scalars` and `Lists`, and stores those of the region in the
/// worker's slots.
class Sinks {
 public:
  using Value = llvm::Value;

  Sinks(FunctionFrame& frame, const Loops& loops, Scalars& scalars, Lists& lists)
      : f_(frame),
        b_(frame.builder()),
        module_(frame.module()),
        loops_(loops),
        scalars_(scalars),
        lists_(lists),
        sums_(frame) {}

  /// Opens the sinks of `s`, emits its body by `body`, and closes them.
  void collect(const ir::Collect& s, const std::function<void()>& body);
  /// True inside a collect other than the region's.
  bool in_collect() const { return open_collects_ != 0; }
  /// Opens the region's sinks: accumulators are locals initialized from the worker's slots.
  void open_region(const RegionShape& shape);
  /// Writes the accumulators of the region back.
  void close_region();

  /// An open sink.
  OpenSink& at(const ir::Var& var) { return sinks_.at(&var); }
  /// True if `var` is a sink of the region that holds the rows of a graph.
  bool is_graph(const ir::Var& var) const;
  /// The sinks of the region, in order.
  std::span<const ir::Var* const> of_region() const { return region_sinks_; }
  /// Adds the values of one `yield`.
  void take(OpenSink& sink, const ir::Yield& s, std::span<Value* const> values);

  /// Address of a field of the row buffer of a sink of the region, `offset` bytes into it.
  Value* row_buffer(int sink, std::size_t offset);
  /// Makes room for `rows` more rows of a graph, or returns from the function.
  void grow_rows(const OpenSink& sink, Value* rows);

  PartialSums& sums() { return sums_; }

 private:
  void open(OpenSink& sink);
  void close(OpenSink& sink);
  void add_to(OpenSink& sink, const ir::Expr& e, Value* value);
  void append_item(OpenSink& sink, std::span<Value* const> values);
  void append_row(const OpenSink& sink, std::span<Value* const> values);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  const Loops& loops_;
  Scalars& scalars_;
  Lists& lists_;
  PartialSums sums_;
  std::unordered_map<const ir::Var*, OpenSink> sinks_;
  std::vector<const ir::Var*> region_sinks_;
  int open_collects_ = 0;
};

}  // namespace matcha::codegen::jit
