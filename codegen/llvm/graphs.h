#pragma once

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

using cpu::Index;

class Scalars;

/// Emits code that reads graphs: rows of neighbours, edges, labels, fields of a GraphView. It has no state; the frame
/// caches the fields that were read. Graphs are given as expressions.
class Graphs {
 public:
  using Value = llvm::Value;

  Graphs(FunctionFrame& frame, Scalars& scalars)
      : f_(frame), b_(frame.builder()), module_(frame.module()), scalars_(scalars) {}

  /// The address of the CpuGraphView of a graph expression.
  Value* view(const ir::Expr& e);
  /// The field `offset` bytes into the view.
  Value* field(const ir::Expr& graph_expr, std::size_t offset, llvm::Type* type, const llvm::Twine& name);
  /// The neighbours of a vertex, ascending.
  List neighbors(const ir::Expr& graph_expr, Value* vertex);
  /// The neighbours of a vertex below it, or those above it.
  List half_neighbors(const ir::Expr& graph_expr, Value* vertex, bool lower);
  /// The address of two narrow offsets: of the first neighbour of a vertex and of the first one that is not below it.
  Value* half_offsets(const ir::Expr& graph_expr, Value* vertex);
  /// The list of an `edge_info`: one word for each arc of a vertex.
  List edge_info(const ir::Expr& e);
  /// The list of an `edges`: sources and targets of all arcs.
  List edges(const ir::Expr& e);
  /// The code of a `label`; traps if the vertex has none.
  Value* label(const ir::Expr& e);

 private:
  /// The range of the arcs of a vertex.
  Arcs arcs(const ir::Expr& graph_expr, Value* vertex);
  /// The same for a graph with a hash index, by a search in place or by a call of the runtime.
  Arcs hashed_arcs(const ir::Expr& graph_expr, Value* vertex);
  Arcs looked_up_arcs(const ir::Expr& graph_expr, Value* vertex);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  Scalars& scalars_;
};

}  // namespace matcha::codegen::jit
