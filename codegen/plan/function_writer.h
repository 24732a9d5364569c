#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/cpu/code_maker.h"
#include "codegen/cpu/layout.h"
#include "codegen/plan/actions.h"
#include "codegen/plan/op.h"
#include "ir/nodes.h"

namespace matcha::codegen::plan {

/// A list in registers: its size, then the address of each column.
struct List {
  Reg base = 0;
  std::vector<Cell> cells;
  Reg capacity = 0;  ///< Capacity of a buffer in items; 0: the list always fits.

  Reg column(std::size_t c) const { return base + 1 + static_cast<Reg>(c); }
};

/// Names of source files that live as long as the code.
using FileName = std::function<const char*(std::uint32_t file)>;

/// Writes one function. Every value is computed once, at its first use, and forgotten at the end of that block.
class FunctionWriter {
 public:
  FunctionWriter(cpu::Layout& layout, const FileName& file_name, bool in_region);

  /// Ends the function.
  std::unique_ptr<Function> finish();
  void region(const cpu::RegionShape& shape);

  // Step functions
  void set_loc(SourceLoc loc) {
    if (loc.valid()) loc_ = loc;
  }
  void let(const ir::Let& s);
  Reg scalar(const ir::Expr& e);
  List list(const ir::Expr& e);
  /// The list of a `for`; `vertices(g)` needs no array there.
  List loop_list(const ir::Expr& e);
  Reg size_of(const ir::Expr& list_expr);
  Reg constant(Word value);
  Reg common_length(std::span<const List> lists);
  Reg buffer_cells(const host::BufferPlan& plan);
  /// Writes the items of a list that the host keeps at `slot`, sorted if `sorted`; returns their number.
  Reg fill_list(const ir::Expr& e, std::uint32_t slot, bool sorted);
  void store_slot(std::uint32_t slot, Reg from, std::uint32_t words = 1);
  /// Stores a scalar or a list in its slots.
  void keep(const ir::Expr& value, std::uint32_t slot);

 private:
  using Label = std::size_t;
  struct Sink {
    const ir::Sink* sink = nullptr;
    int region_index = -1;
    bool map = false;
    int counts = -1;
    Reg value = 0;            ///< The accumulator of a collect, followed by the flag of an extreme; or its list.
    List items;               ///< The items of a list in a buffer.
    bool ends_early = false;  ///< Any and all: the loops jump to `decided` once the result is known.
    Label decided = 0;
  };
  struct Queue {
    const ir::Yield* yield = nullptr;
    const ir::Expr* known = nullptr;  ///< The size in its value, or its variable.
    const ir::Expr* count = nullptr;  ///< The set operation that is counted.
    const ir::Expr* rows = nullptr;   ///< Its second list, if only the vertex of it is queued.
    Reg address = 0;
    int sink = 0;
  };
  struct Rows {
    const ir::Expr* value = nullptr;
    Reg data = 0, size = 0, stride = 0;
  };
  struct Stored {
    Reg data = 0, words = 0;
  };

  // function_writer.cpp
  Op& put(Action action, Reg to = 0, Reg a = 0, Reg b = 0, Reg c = 0);
  Op& put_at_start(Action action, Reg to = 0, Reg a = 0);
  void jump(Action action, Label to, Reg a = 0, Reg b = 0);
  Op& trapping(Op& op, SourceLoc loc);
  Label new_label();
  void place(Label label);
  Reg new_reg(std::uint32_t count = 1);
  Reg area(std::uint64_t bytes);
  Reg frame_words(std::uint32_t slot, std::uint32_t count);
  const Table* table(std::span<const Reg> regs, std::span<const Cell> cells);
  /// Values computed by `write` are forgotten behind it.
  void scoped(const std::function<void()>& write);
  void remember(const ir::Expr& e, Reg reg);

  // scalars.cpp
  Reg compute(const ir::Expr& e);
  Reg variable(const ir::Var& var);
  Reg binary(const ir::Expr& e, Action action);
  Reg logic(const ir::Expr& e);
  Reg select(const ir::Expr& e);
  Reg convert(const ir::Expr& e);
  Reg at(const ir::At& e);
  Reg contains(const ir::Expr& e);
  void branch_unless(const ir::Expr& cond, bool wanted, Label label);

  // lists.cpp
  Reg graph(const ir::Expr& e);
  List frame_list(std::uint32_t slot, const ir::Type& type);
  List buffer(const ir::Var& var);
  List make_list(const ir::Expr& e);
  List neighbors(const ir::Expr& e, Reg vertex);
  List cut(const ir::Expr& e);
  List literal(const ir::Expr& e);
  List select_list(const ir::Expr& e);
  List second_list(const ir::Expr& set_operation, bool& ascending);
  Reg literal_items(const ir::Expr& e);

  // sets.cpp
  Reg count_items(const ir::Expr& e);
  Reg store_items(const ir::Expr& e, const List* maybe_out);
  Reg fold_rows(const ir::Expr& e, const List& out);
  Reg find_row(const ir::Expr& e);
  Reg copy_items(const List& from, const List& out);
  void check_room(Reg items, const List* maybe_out);
  Reg filter(const ir::Expr& e, const List& a, const List* maybe_out);
  Reg common(const ir::Store& s);

  // bits.cpp
  BitTable bits(const ir::Expr& set);
  Word bit_table(const ir::Expr& set);
  Reg words_for(Reg positions);
  void store_rows(const ir::Store& s);
  void store_bits(const ir::Store& s);
  void bits_loop(const ir::For& s);
  bool sums_common(const ir::For& s);
  Reg bits_count(const ir::Expr& set);

  // statements.cpp
  void block(const ir::Block& b);
  void stmt(const ir::Stmt& s);
  bool only_yields(const ir::Stmt& s) const;
  void store(const ir::Store& s);
  void branch(const ir::If& s);
  void loop(const ir::For& s);
  void walk(const ir::For& s, std::span<const List> lists, Reg begin, Reg end, const std::function<void()>& item);
  void find_invariants(const ir::For& s);
  bool is_bound(const ir::Expr& e) const;
  void collect(const ir::Collect& s);
  void open(Sink& sink);
  void close(Sink& sink);
  void yield(const ir::Yield& s);
  void add_to(const Sink& sink, Reg value);
  void append(const Sink& sink, const ir::Yield& s);

  // regions.cpp
  void open_region(const cpu::RegionShape& shape);
  void if_whole(const std::function<void()>& write);
  void leave_if_stopped();
  void offer_or_walk(const ir::For& s, std::span<const List> lists, Reg size);
  bool put_off(const Sink& sink, const ir::Yield& s);
  const ir::Expr* row_of_graph(const ir::Expr& set_operation) const;
  void note_pair(const Queue& queue, const List& a, Label more);
  void flush(const Queue& queue);
  bool is_plain(const Queue& queue) const;

  cpu::Layout& layout_;
  const FileName& file_name_;
  bool in_region_;
  std::unique_ptr<Function> function_;
  std::vector<Op> start_;  ///< The operations at the start of the function.
  std::vector<Op> ops_;
  std::vector<std::pair<std::size_t, Label>> jumps_;
  std::vector<std::size_t> labels_;
  Reg next_ = kFirstReg;
  std::vector<std::pair<Reg, Word>> constants_;
  std::unordered_map<Word, Reg> constant_regs_;
  std::unordered_map<std::uint32_t, Reg> frame_regs_;
  std::unordered_map<const ir::Expr*, Reg> known_;  ///< Registers of computed values.
  std::vector<const ir::Expr*> known_order_;
  std::unordered_map<const ir::Expr*, std::vector<Cell>> list_cells_;
  SourceLoc loc_;

  std::unordered_map<const ir::Var*, Reg> scalars_;
  std::unordered_map<const ir::Var*, Reg> present_;
  std::unordered_map<const ir::Var*, List> lists_;
  std::unordered_map<const ir::Var*, List> buffers_;
  std::unordered_map<const ir::Var*, Sink> sinks_;
  std::unordered_map<const ir::Var*, Rows> rows_;
  std::unordered_map<const ir::Var*, Stored> stored_bits_;
  std::unordered_map<const ir::Var*, const ir::Expr*> bit_names_;
  std::unordered_map<const ir::Var*, const ir::Expr*> later_;
  std::unordered_map<const ir::Expr*, Reg> counted_;
  std::vector<Queue> queues_;
  const cpu::RegionShape* shape_ = nullptr;
  Label exit_ = 0;
  Reg position_ = 0;
  Reg index_ = 0;  ///< Index register of the innermost loop whose body was begun last.
  bool before_split_ = false;
  int open_collects_ = 0;
  int depth_ = 0;
};

/// The memory layout of a list's column.
inline Cell cell_of(const ir::Type& column) { return cpu::cell_of_column<Cell>(column); }

}  // namespace matcha::codegen::plan
