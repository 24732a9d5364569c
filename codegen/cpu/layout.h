#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "codegen/cpu/frame.h"
#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::codegen::cpu {

/// A flat list in the frame: a top-level list variable, or a part of a top-level expression that had to be stored.
struct FrameList {
  std::uint32_t slot = 0;
  const ir::Type* type = nullptr;
};

/// The index by which a graph finds the neighbours of a vertex.
enum class Index { Csr, Hash, Unknown };

/// Facts about a module that the planner and a CPU back end share while they generate code. Slots of variables are
/// assigned in program order, so all back ends have the same frame.
class Layout {
 public:
  explicit Layout(const ir::Module& module);

  const ir::Module& module() const { return module_; }
  const ir::Facts& facts() const { return facts_; }
  FrameLayout& frame() { return frame_; }

  /// Top-level expressions that are stored in the frame, by structure.
  std::unordered_map<const ir::Expr*, FrameList>& stored() { return stored_; }
  /// Sorted copies of top-level lists that are the second operand of a set operation and not known to ascend.
  std::unordered_map<const ir::Expr*, FrameList>& sorted_copies() { return sorted_copies_; }
  /// Graph variables whose vertices are read as an array, not only walked.
  std::vector<const ir::Var*>& vertex_arrays() { return vertex_arrays_; }
  /// The graph variables that a graph expression may stand for.
  std::vector<const ir::Var*> graph_vars(const ir::Expr& e) const;
  /// The parameter, `build_graph` or `select` that a graph expression stands for, through `let`.
  const ir::Expr& resolve(const ir::Expr& e) const;
  Index index_of(const ir::Expr& graph) const;
  /// The second list of a set operation, without a `below` that makes no difference: in `intersect(a, below(b, x))`
  /// with all items of `a` below `x`, omitting it saves the search for the bound.
  const ir::Expr& without_bound(const ir::Expr& set_operation) const;
  /// True if both operands fit the SIMD kernels: ascending ranks without repeats.
  bool kernel_operands(const ir::Expr& e) const;
  /// True if `index` is the position in a loop over `items` or a slice of it, so that it is below the size of `items`.
  bool is_position_in(const ir::Expr& index, const ir::Expr& items) const;
  /// True if the loops of `s` may end once its result is known: it computes one any or all, and the skipped statements
  /// cannot trap.
  bool ends_early(const ir::Collect& s) const;
  /// Variables of counts that only a batched yield of the region reads, with their sizes. They are counted with the
  /// yield.
  std::unordered_map<const ir::Var*, const ir::Expr*> later_counts(const ir::Region& region) const;
  /// The size in the value of a batched yield, or the variable of one in `later`; null if there is none.
  const ir::Expr* later_count(const ir::Yield& s,
                              const std::unordered_map<const ir::Var*, const ir::Expr*>& later) const;

 private:
  const ir::Module& module_;
  ir::Facts facts_;
  FrameLayout frame_;
  std::unordered_map<const ir::Expr*, FrameList> stored_;
  std::unordered_map<const ir::Expr*, FrameList> sorted_copies_;
  std::vector<const ir::Var*> vertex_arrays_;
};

/// True if there is a loop in `block`.
bool holds_for(const ir::Block& block);

}  // namespace matcha::codegen::cpu
