#pragma once

#include <span>

#include "codegen/llvm/batches.h"
#include "codegen/llvm/bits.h"
#include "codegen/llvm/function_frame.h"
#include "codegen/llvm/graphs.h"
#include "codegen/llvm/lists.h"
#include "codegen/llvm/loops.h"
#include "codegen/llvm/parts.h"
#include "codegen/llvm/regions.h"
#include "codegen/llvm/rows.h"
#include "codegen/llvm/scalars.h"
#include "codegen/llvm/sets.h"
#include "codegen/llvm/sinks.h"

namespace matcha::codegen::jit {

/// Emits one function: owns the classes that emit its parts, and emits the statements through them.
class FunctionEmitter {
 public:
  using Value = llvm::Value;

  FunctionEmitter(ModuleEmitter& module, llvm::Function* function) : frame_(module, function) {}
  FunctionEmitter(const FunctionEmitter&) = delete;
  FunctionEmitter& operator=(const FunctionEmitter&) = delete;

  /// Emits a RegionBody, or, if the region is split, the function that it and RegionInner call (RegionWalk).
  void region_body(const RegionShape& shape) { regions_.body(shape); }
  /// Ends the function; to be called once, last.
  void finish();

  void block(const ir::Block& b);
  void stmt(const ir::Stmt& s);
  void let(const ir::Let& s);
  /// Checks that the lists of a `for` have one length, and gives it.
  Value* common_length(std::span<const List> lists);

  FunctionFrame& frame() { return frame_; }
  Scalars& scalars() { return scalars_; }
  Lists& lists() { return lists_; }
  Sets& sets() { return sets_; }
  BitSets& bits() { return bits_; }

 private:
  void store(const ir::Store& s);
  void branch(const ir::If& s);
  void loop(const ir::For& s);
  void loop_bits(const ir::For& s);
  void yield(const ir::Yield& s);

  FunctionFrame frame_;
  // Expressions are nested in one another, so the classes refer to one another.
  Loops loops_{frame_, scalars_};
  Scalars scalars_{frame_, graphs_, lists_, sets_};
  Graphs graphs_{frame_, scalars_};
  Lists lists_{frame_, loops_, scalars_, graphs_, sets_, bits_};
  Sets sets_{frame_, scalars_, lists_, graphs_, bits_};
  BitSets bits_{frame_, loops_, scalars_, lists_, graphs_, regions_};
  // Yields
  Sinks sinks_{frame_, loops_, scalars_, lists_};
  GraphRows rows_{frame_, loops_, scalars_, lists_, sinks_};
  Batches batches_{frame_, scalars_, lists_, graphs_, sets_, sinks_, parts_};
  // Regions
  Parts parts_{frame_, sinks_, *this};
  Regions regions_{frame_, loops_, scalars_, lists_, sinks_, rows_, batches_, parts_, *this};
};

}  // namespace matcha::codegen::jit
