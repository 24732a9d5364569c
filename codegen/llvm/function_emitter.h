#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/bits.h"
#include "codegen/llvm/module_emitter.h"
#include "codegen/llvm/parts.h"
#include "codegen/llvm/values.h"
#include "runtime/cpu/region.h"

namespace matcha::codegen::jit {

using cpu::Index;

/// Emits one function. Expressions have a method a group of nodes; what is emitted goes where the builder stands.
class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, llvm::Function* function);

  // Whole functions (regions.cpp, steps.cpp)
  /// RegionBody, or if the region is split, what it and RegionInner call (RegionWalk).
  void region_body(const RegionShape& shape);
  /// Ends the function; to be called once, last.
  void finish();

  // Expressions
  llvm::Value* scalar(const ir::Expr& e);
  llvm::Value* graph(const ir::Expr& e);
  /// A view. Set operations at top level must be among `ModuleEmitter::stored`.
  List list(const ir::Expr& e);
  llvm::Value* size_of(const ir::Expr& list_expr);
  /// Puts the items of `e` where `out` points and gives their number.
  llvm::Value* store_items(const ir::Expr& e, const List& out);
  /// Writes the items of a list that the host keeps at `slot`, sorted if asked for; gives their number.
  llvm::Value* fill_list(const ir::Expr& e, std::uint32_t slot, bool sorted);

  // Statements
  void block(const ir::Block& b);
  void stmt(const ir::Stmt& s);
  void let(const ir::Let& s);
  llvm::Value* load_slot(std::uint32_t slot, llvm::Type* type, const llvm::Twine& name);
  void store_slot(std::uint32_t slot, llvm::Value* value);
  List frame_list(std::uint32_t slot, const ir::Type& type);
  void store_scalar(std::uint32_t slot, llvm::Value* value);
  void store_list(std::uint32_t slot, const List& value);
  /// Checks that the lists of a `for` have one length, and gives it.
  llvm::Value* common_length(std::span<const List> lists);
  /// The list of a `for`: `vertices(g)` needs no array there.
  List loop_list(const ir::Expr& e);

  llvm::IRBuilder<>& builder() { return b_; }
  void set_loc(SourceLoc loc) {
    if (loc.valid()) loc_ = loc;
  }
  BitSets& bits() { return bits_; }

 private:
  friend class BitSets;
  friend class Parts;
  using Value = llvm::Value;
  // scalars.cpp
  Value* variable(const ir::Var& var);
  Value* arithmetic(const ir::Expr& e);
  Value* whole_arithmetic(const ir::Expr& e, Value* a, Value* b);
  Value* whole_division(const ir::Expr& e, Value* a, Value* b);
  Value* real_arithmetic(const ir::Expr& e, Value* a, Value* b);
  Value* negate(const ir::Expr& e);
  Value* compare(const ir::Expr& e);
  Value* extreme(const ir::Expr& e);
  Value* logic(const ir::Expr& e);
  Value* select(const ir::Expr& e);
  Value* convert(const ir::Expr& e);
  Value* original_id(Value* rank);
  Value* rank_of(Value* id, SourceLoc loc);
  bool overflows(const ir::Expr& e) const;
  bool speculable(const ir::Expr& e) const;
  Value* less(Cell cell, Value* a, Value* b);
  Value* same(Cell cell, Value* a, Value* b);

  // lists.cpp
  Arcs arcs(const ir::Expr& graph_expr, Value* vertex);
  Arcs hashed_arcs(const ir::Expr& graph_expr, Value* vertex);
  Arcs looked_up_arcs(const ir::Expr& graph_expr, Value* vertex);
  Value* graph_field(const ir::Expr& graph_expr, std::size_t offset, llvm::Type* type, const llvm::Twine& name);
  List neighbors(const ir::Expr& graph_expr, Value* vertex);
  Value* half_offsets(const ir::Expr& graph_expr, Value* vertex);
  List half_neighbors(const ir::Expr& graph_expr, Value* vertex, bool lower);
  List edge_info(const ir::Expr& e);
  List edges(const ir::Expr& e);
  List literal(const ir::Expr& e);
  List span(const ir::Expr& e);
  List slice(const List& list, Value* begin, Value* size);
  List select_list(const ir::Expr& e);
  Value* label(const ir::Expr& e);
  Value* at(const ir::At& e);
  /// The second list of a set operation: ascending, without a bound that the first list keeps.
  List second_list(const ir::Expr& set_operation, bool& ascending);
  Value* contains(const List& list, Value* item);
  Value* contains(const ir::Expr& e);
  Value* lower_bound(const List& list, Value* item, bool past_equal = false);
  Value* search(const List& items, Value* x, bool past_equal);
  Value* load_cell(const Column& column, Value* index, const llvm::Twine& name = "item");
  void store_cell(const Column& column, Value* index, Value* value);
  Value* gep(llvm::Type* type, Value* base, Value* index, const llvm::Twine& name = "");
  Value* min_u(Value* a, Value* b);

  // sets.cpp
  Value* count_items(const ir::Expr& e);
  Value* common(const ir::Expr& e, const ir::Var& counters);
  Value* copy_items(const List& from, const List& out);
  Value* sort_items(const ir::Expr& e, const List& out);
  void sort(const List& out, Value* count);
  Value* literal_count(const ir::Expr& e, const List& a);
  Value* filter(const List& a, const List* maybe_out, const std::function<Value*(Value*)>& keep);
  Value* member_of(std::span<Value* const> items, Value* x, Cell cell);
  std::vector<Value*> literal_items(const ir::Expr& e);
  Value* call_kernel(std::size_t offset, llvm::FunctionType* type, llvm::ArrayRef<Value*> arguments, const char* name,
                     Effect effect);

  // small_sets.cpp
  Value* short_or_call(const ir::Expr& e, const List& a, const List& b, Value* maybe_out,
                       const std::function<Value*()>& call);
  Value* short_set(const ir::Expr& e, const List& a, const List& b, Value* maybe_out);
  Value* load_lanes(Value* data, Value* count);
  Value* low_lanes(Value* count);

  // batches.cpp
  const ir::Expr* row_of_graph(const ir::Expr& set_operation) const;
  Value* count_rows(const CountQueue& queue, Value* waiting);
  bool put_off(const OpenSink& sink, const ir::Yield& s);
  void flush(CountQueue& queue);
  void flush_all();

  // statements.cpp
  bool only_yields(const ir::Stmt& s) const;
  void loop(const ir::For& s);
  void branch(const ir::If& s);
  void store(const ir::Store& s);
  void collect(const ir::Collect& s);
  void open(OpenSink& sink);
  void close(OpenSink& sink);
  void yield(const ir::Yield& s);
  void append_row(const OpenSink& sink, std::span<Value* const> values);
  void filter_loop(const ir::For& s, const ir::Expr* maybe_cond, const ir::Yield& kept);
  bool keeps_rows(const ir::For& s, const ir::Expr*& maybe_cond, const ir::Yield*& kept) const;
  bool branch_free(const ir::Expr& e) const;
  void grow_rows(const OpenSink& sink, Value* rows);
  void begin_rows();
  void end_rows();
  void append_item(OpenSink& sink, std::span<Value* const> values);
  void add_to(OpenSink& sink, const ir::Expr& e, Value* value);
  llvm::Instruction* count_up(Value* begin, Value* end, std::uint64_t step, const std::function<void(Value*)>& item);
  /// Walks positions [begin, end) of the lists: binds the variables, calls `item`.
  void walk(const ir::For& s, std::span<const List> lists, Value* begin, Value* end, const std::function<void()>& item);
  void bind_items(const ir::For& s, std::span<const List> lists, Value* index);

  // sums.cpp
  void open_partial_sums(const ir::For& s);
  void close_partial_sums();
  void add_partial(const PartialSum& partial);

  // regions.cpp
  void open_region(const RegionShape& shape);
  void close_region();
  void if_whole(const std::function<void()>& emit);
  void count_done(Value* maybe_counts, Value* number);
  bool walk_kept(const RegionShape& shape, std::span<const List> lists);
  void fetch_kept_rows(const ir::Expr& cond, Value* count, const std::function<void(Value*)>& bind);
  Value* kept_position();
  void defer_or_walk(const ir::For& s, std::span<const List> lists, Value* size);
  void leave_if_stopped();
  Value* worker_field(std::size_t offset, llvm::Type* type, const llvm::Twine& name);
  Value* row_buffer(int sink, std::size_t offset);

  /// The columns and capacity of a buffer; `size` is null.
  const List& buffer(const ir::Var& var);
  void check_room(Value* items, const List& out);
  Value* integer(std::uint64_t value) { return b_.getInt64(value); }
  llvm::AllocaInst* local(llvm::Type* type, const llvm::Twine& name, Value* count = nullptr);
  Value* hoisted(std::uint64_t key, const std::function<Value*(llvm::IRBuilder<>&)>& make);
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  void trap_if(Value* condition, runtime::TrapCode code, SourceLoc loc, const std::function<void()>& before = {});
  void likely(Value* condition, llvm::BasicBlock* usual, llvm::BasicBlock* rare);
  llvm::Type* register_type(const ir::Type& type);
  static Cell cell_of(const ir::Type& column) { return cpu::cell_of_column<Cell>(column); }
  llvm::Type* cell_type(Cell cell);
  llvm::StringRef name_of(const ir::Var& var) { return {var.hint.data(), var.hint.size()}; }
  llvm::LoadInst* constant_load(llvm::IRBuilder<>& at, llvm::Type* type, Value* pointer, const llvm::Twine& name);

  ModuleEmitter& module_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  llvm::IRBuilder<> entry_;
  llvm::BasicBlock* start_;
  llvm::BasicBlock* exit_;       ///< Flushes and returns.
  llvm::BasicBlock* trap_exit_;  ///< Returns.
  llvm::Type* i1_;
  llvm::Type* i8_;
  llvm::Type* i32_;
  llvm::Type* i64_;
  llvm::Type* i128_;
  llvm::Type* f64_;
  llvm::Type* ptr_;
  SourceLoc loc_;

  Value* context_;  ///< RegionContext
  Value* worker_ = nullptr;
  Value* frame_;
  Value* done_ = nullptr;  ///< Alloca: positions or items done.
  std::unordered_map<const ir::Var*, Value*> scalars_;
  std::unordered_map<const ir::Var*, Value*> present_;  ///< Of min and max sinks: i1, there is a value.
  std::unordered_map<const ir::Var*, List> lists_;
  std::unordered_map<const ir::Var*, List> buffers_;
  std::unordered_map<std::uint64_t, Value*> hoisted_;
  BitSets bits_{*this};
  Parts parts_{*this};
  std::unordered_map<const ir::Var*, OpenSink> sinks_;
  std::vector<const ir::Var*> region_sinks_;
  std::vector<Value*> row_begins_;  ///< Of the sinks that are rows of a graph: the rows before the position at hand.
  std::vector<const ir::Var*> open_sums_;  ///< Open sinks that are sums of ints, outermost first.
  std::vector<PartialSum> partial_sums_;
  Batches batches_;
  std::vector<std::size_t> partial_marks_;
  const RegionShape* shape_ = nullptr;
  Value* position_ = nullptr;
  bool in_filter_ = false;     ///< Emitting a condition that is to have no branch.
  Value* whole_ = nullptr;     ///< If the region is split: i1, the function is given all items of the second level.
  bool before_split_ = false;  ///< Emitting what is derived again for a part of the items, where nothing is yielded.
  int open_collects_ = 0;
  int depth_ = 0;
};

}  // namespace matcha::codegen::jit
