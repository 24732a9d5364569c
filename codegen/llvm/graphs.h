#pragma once

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

using cpu::Index;

class Scalars;

/// Reads of graphs: rows of neighbours, edges, labels, fields of a GraphView. It has no state; the frame caches the
/// fields that were read. Graphs are given as expressions.
class Graphs {
 public:
  using Value = llvm::Value;

  Graphs(FunctionFrame& frame, Scalars& scalars)
      : f_(frame), b_(frame.builder()), module_(frame.module()), scalars_(scalars) {}

  /// The address of the CpuGraphView.
  Value* view(const ir::Expr& e);
  /// The field `offset` bytes into the view.
  Value* field(const ir::Expr& graph_expr, std::size_t offset, llvm::Type* type, const llvm::Twine& name);
  List neighbors(const ir::Expr& graph_expr, Value* vertex);
  /// The neighbours of a vertex below or above it.
  List half_neighbors(const ir::Expr& graph_expr, Value* vertex, bool lower);
  /// The address of two narrow offsets: of the first neighbour of a vertex and of the first one that is not below it.
  Value* half_offsets(const ir::Expr& graph_expr, Value* vertex);
  /// The words of an `edge_info`.
  List edge_info(const ir::Expr& e);
  List edges(const ir::Expr& e);
  /// The code of a `label`; traps if the vertex has none.
  Value* label(const ir::Expr& e);

 private:
  Arcs arcs(const ir::Expr& graph_expr, Value* vertex);
  Arcs hashed_arcs(const ir::Expr& graph_expr, Value* vertex);
  Arcs looked_up_arcs(const ir::Expr& graph_expr, Value* vertex);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  Scalars& scalars_;
};

}  // namespace matcha::codegen::jit
