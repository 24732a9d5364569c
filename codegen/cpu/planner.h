#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cpu/code_maker.h"
#include "codegen/cpu/layout.h"
#include "codegen/cpu/program.h"
#include "codegen/host/host_plan.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::cpu {

/// Turns the top-level statements into steps and has their functions made. Steps and slots are the same for every
/// `CodeMaker`.
class Planner {
 public:
  Planner(Layout& layout, CodeMaker& maker) : layout_(layout), maker_(maker) {}

  /// The whole program.
  Program run();

 private:
  void step(const ir::Let* s) { let(*s); }
  void step(const ir::BuildGraph* s) { build(*s); }
  void step(const ir::Repeat* s);
  void step(const ir::Again* s);
  /// The slots of the values of rounds, which the step function being made leaves there.
  std::vector<RoundValue> round_values(std::span<const ir::Var* const> vars, std::span<const ir::Expr* const> values,
                                       SourceLoc loc);
  void step(const ir::Return* s) { ret(*s); }
  void step(const host::RegionStep& planned);
  void let(const ir::Let& s);
  void build(const ir::BuildGraph& s);
  void ret(const ir::Return& s);
  void graphs(const host::Plan& plan);

  /// Stores every list that `e` needs stored, operands first.
  void prepare(const ir::Expr& e);
  void prepare_second(const ir::Expr& list);
  FrameList store(const ir::Expr& e, bool sorted);
  FrameList stored_list(const ir::Expr& e);

  void prepare_region(const host::RegionStep& planned, RegionStep& step);
  RegionShape shape_of(const host::RegionStep& planned) const;
  /// The slot of a sink of a shared region; 0: the value is no such sink.
  std::uint32_t shared_slot(const ir::Expr& value) const;
  /// The slot of the graph whose vertices the list is; 0: another list.
  std::uint32_t walked_graph(const ir::Expr& list);

  void open_step();
  void close_step();
  std::string next_name() { return "step_" + std::to_string(steps_++); }

  Layout& layout_;
  CodeMaker& maker_;
  Program program_;
  std::string step_name_;  ///< Name of the step function being made; empty: none.
  unsigned steps_ = 0;
  unsigned regions_ = 0;
  std::size_t repeat_step_ = 0;                                    ///< The step of the open `repeat`.
  std::unordered_map<const ir::Var*, std::uint32_t> shared_;       ///< Sinks of shared regions, with their slots.
  std::unordered_map<const ir::BuildGraph*, std::uint32_t> rows_;  ///< Graphs built of rows: the slot of the walked
                                                                   ///< graph.
};

/// True if the module is of stage kernel with schedules for CPU threads; else reports an error.
bool runs_here(const ir::Module& module, Diagnostics& diagnostics);

/// The steps of a module that `runs_here`; `maker` makes their functions.
Program make_program(Layout& layout, CodeMaker& maker, const SourceManager& sources);

}  // namespace matcha::codegen::cpu
