#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/host/host_plan.h"
#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/module_emitter.h"
#include "codegen/llvm/program.h"

namespace matcha::codegen::jit {

/// Turns the top-level statements into steps and emits their functions.
class Planner {
 public:
  explicit Planner(ModuleEmitter& emitter) : emitter_(emitter) {}

  /// The whole program.
  Program run();

 private:
  void step(const ir::Let* s) { let(*s); }
  void step(const ir::BuildGraph* s) { build(*s); }
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
  void region_functions(const RegionShape& shape, RegionStep& step);
  RegionShape shape_of(const host::RegionStep& planned) const;
  /// Whether the sinks of a region are results of the program and nothing else.
  bool is_shared(const ir::Region& s) const;
  /// The slot of a sink of a shared region; 0: the value is none.
  std::uint32_t shared_slot(const ir::Expr& value) const;
  /// The slot of the graph whose vertices a list is; 0: it is another list.
  std::uint32_t walked_graph(const ir::Expr& list);

  FunctionEmitter& open_step();
  void close_step();
  std::unique_ptr<FunctionEmitter> step_function(const std::string& name);
  std::string next_name() { return "step_" + std::to_string(steps_++); }

  ModuleEmitter& emitter_;
  Program program_;
  std::unique_ptr<FunctionEmitter> step_;
  std::string step_name_;
  unsigned steps_ = 0;
  unsigned regions_ = 0;
  std::unordered_map<const ir::Var*, std::uint32_t> shared_;       ///< Sinks of shared regions, with their slots.
  std::unordered_map<const ir::BuildGraph*, std::uint32_t> rows_;  ///< Built of rows: the slot of the walked graph.
};

}  // namespace matcha::codegen::jit
