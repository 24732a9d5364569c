#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <string>
#include <unordered_map>

#include "codegen/llvm/module_emitter.h"
#include "codegen/llvm/values.h"
#include "runtime/cpu/region.h"

namespace matcha::codegen::jit {

/// The types of values in registers and in memory.
struct Types {
  explicit Types(llvm::LLVMContext& context);

  llvm::Type* const i1;
  llvm::Type* const i8;
  llvm::Type* const i32;
  llvm::Type* const i64;
  llvm::Type* const i128;
  llvm::Type* const f64;
  llvm::Type* const ptr;
};

/// The LLVM function being emitted, shared by all classes that emit into it: its arguments, insertion points, locals,
/// values made once at its start, traps, slots of the program's frame, cells of lists, and calls of the set kernels. It
/// is independent of expressions, statements and sinks.
class FunctionFrame : public Types {
 public:
  using Value = llvm::Value;
  using Make = std::function<Value*(llvm::IRBuilder<>&)>;

  /// Begins `function`: its first argument is a RegionContext, its second, if any, a Worker.
  FunctionFrame(ModuleEmitter& module, llvm::Function* function);
  /// Ends the function; to be called once, last. `at_exit` emits the code before a return that is not a trap.
  void finish(const std::function<void()>& at_exit);

  ModuleEmitter& module() { return module_; }
  llvm::Function* function() { return place_.function; }
  /// The insertion point of the body.
  llvm::IRBuilder<>& builder() { return b_; }
  /// The insertion point of the function's start.
  llvm::IRBuilder<>& entry() { return entry_; }
  /// The block of a normal or stopped return.
  llvm::BasicBlock* exit() { return place_.exit; }
  /// The block of a return after a trap.
  llvm::BasicBlock* trap_exit() { return place_.trap_exit; }
  Value* context() { return context_; }
  /// Null in a step function.
  Value* worker() { return worker_; }

  /// Sets the place in the program of the following code, for traps; an unknown place changes nothing.
  void set_loc(SourceLoc loc) {
    if (loc.valid()) loc_ = loc;
  }
  SourceLoc loc() const { return loc_; }

  // A second function in the middle of this one (parts.h)
  /// The state of one function: its blocks and cached values.
  struct Place {
    llvm::Function* function = nullptr;
    llvm::BasicBlock* start = nullptr;
    llvm::BasicBlock* exit = nullptr;
    llvm::BasicBlock* trap_exit = nullptr;
    std::unordered_map<std::uint64_t, Value*> hoisted;
    std::unordered_map<const ir::Var*, List> buffers;
    llvm::IRBuilderBase::InsertPoint at;        ///< Insertion point of a function that was left for another.
    llvm::IRBuilderBase::InsertPoint entry_at;  ///< The same.
  };
  /// Continues in `function`, which inherits all known values; returns the state of the current function.
  Place enter(llvm::Function* function);
  /// Ends the start of the current function: its body follows.
  void end_start() { entry_.CreateBr(place_.start); }
  /// Continues in `outer`. The current function must be complete.
  void resume(Place outer);

  // Code
  Value* integer(std::uint64_t value) { return b_.getInt64(value); }
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  /// Stack memory for one value, or `count`.
  llvm::AllocaInst* local(llvm::Type* type, const llvm::Twine& name, Value* count = nullptr);
  /// The value of `make`, made once at the start of the function. Keys: slots of the frame, and the constants below.
  Value* hoisted(std::uint64_t key, const Make& make);
  static constexpr std::uint64_t kGraphFieldKey = std::uint64_t{1} << 33;
  /// A branch that almost always goes to `usual`.
  void likely(Value* condition, llvm::BasicBlock* usual, llvm::BasicBlock* rare);
  /// Ends the run with `code` if the condition is true; `before` emits code to run first in that case. An unknown `loc`
  /// stands for the current place.
  void trap_if(Value* condition, runtime::TrapCode code, SourceLoc loc, const std::function<void()>& before = {});
  /// A loop over begin, begin + step, … below `end`; returns the branch at its end.
  llvm::Instruction* count_up(Value* begin, Value* end, std::uint64_t step, const std::function<void(Value*)>& item);
  Value* gep(llvm::Type* type, Value* base, Value* index, const llvm::Twine& name = "");
  Value* min_u(Value* a, Value* b);
  /// A load from memory that is constant while the program runs.
  llvm::LoadInst* constant_load(llvm::IRBuilder<>& at, llvm::Type* type, Value* pointer, const llvm::Twine& name);
  /// Calls an entry of the table of set kernels, `offset` bytes into it.
  Value* call_kernel(std::size_t offset, llvm::FunctionType* type, llvm::ArrayRef<Value*> arguments, const char* name,
                     Effect effect);
  /// A field of the worker that is constant while the function runs.
  Value* worker_field(std::size_t offset, llvm::Type* type, const llvm::Twine& name);

  // Slots of the program's frame
  Value* load_slot(std::uint32_t slot, llvm::Type* type, const llvm::Twine& name);
  void store_slot(std::uint32_t slot, Value* value);
  void store_scalar(std::uint32_t slot, Value* value);
  void store_list(std::uint32_t slot, const List& value);
  List frame_list(std::uint32_t slot, const ir::Type& type);
  /// The columns and capacity of a buffer of the worker; `size` is null.
  const List& buffer(const ir::Var& var);

  // Cells of lists
  llvm::Type* register_type(const ir::Type& type);
  llvm::Type* cell_type(Cell cell);
  Value* load_cell(const Column& column, Value* index, const llvm::Twine& name = "item");
  void store_cell(const Column& column, Value* index, Value* value);
  Value* less(Cell cell, Value* a, Value* b);
  Value* same(Cell cell, Value* a, Value* b);

 private:
  void begin(llvm::Function* function);

  ModuleEmitter& module_;
  llvm::IRBuilder<> b_;
  llvm::IRBuilder<> entry_;
  Place place_;
  Value* context_;  ///< RegionContext
  Value* worker_ = nullptr;
  Value* frame_ = nullptr;
  SourceLoc loc_;
};

inline Cell cell_of(const ir::Type& column) { return cpu::cell_of_column<Cell>(column); }
inline llvm::StringRef name_of(const ir::Var& var) { return {var.hint.data(), var.hint.size()}; }

}  // namespace matcha::codegen::jit
