#include "codegen/llvm/planner.h"

#include <algorithm>

#include "ir/analysis/position_loops.h"
#include "ir/analysis/row_graphs.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

namespace {

runtime::SinkKind runtime_kind(host::SinkForm form, bool map) {
  switch (form) {
    case host::SinkForm::SumInt: return runtime::SinkKind::SumInt;
    case host::SinkForm::SumFloat: return runtime::SinkKind::SumFloat;
    case host::SinkForm::MinInt: return runtime::SinkKind::MinInt;
    case host::SinkForm::MinFloat: return runtime::SinkKind::MinFloat;
    case host::SinkForm::MaxInt: return runtime::SinkKind::MaxInt;
    case host::SinkForm::MaxFloat: return runtime::SinkKind::MaxFloat;
    case host::SinkForm::Any: return runtime::SinkKind::Any;
    case host::SinkForm::All: return runtime::SinkKind::All;
    case host::SinkForm::Rows: break;
  }
  return map ? runtime::SinkKind::Map : runtime::SinkKind::Rows;
}

bool yields_directly(const ir::Block& block, const ir::Var* sink) {
  return std::any_of(block.body.begin(), block.body.end(), [&](const ir::Stmt* s) {
    const ir::Yield* yield = ir::as<ir::Yield>(s);
    const ir::Block* inner = ir::as<ir::Block>(s);
    return (yield != nullptr && yield->sink == sink) || (inner != nullptr && yields_directly(*inner, sink));
  });
}

}  // namespace

Program Planner::run() {
  const ir::Module& module = emitter_.module();
  program_.signature = host::Signature(module);
  for (const ir::Var* param : module.params) program_.param_slots.push_back(emitter_.frame().slot(*param));
  const host::Plan plan(module);
  for (const host::Step& next : plan.steps) std::visit([&](const auto& s) { step(s); }, next);
  close_step();
  graphs(plan);
  program_.slot_count = emitter_.frame().slot_count();
  return std::move(program_);
}

/// Parameters and built graphs get what is read of them under any name.
void Planner::graphs(const host::Plan& plan) {
  std::unordered_map<std::uint32_t, GraphPlan> graphs;
  const auto plan_of = [&](const ir::Var* var) -> GraphPlan& {
    GraphPlan& result = graphs[emitter_.frame().slot(*var)];
    result.slot = emitter_.frame().slot(*var);
    return result;
  };
  for (const ir::Var* var : emitter_.vertex_arrays()) plan_of(var).vertex_array = true;
  for (const auto& [name, needs] : plan.graphs) {
    for (const ir::Var* var : emitter_.graph_vars(*name)) {
      GraphPlan& graph = plan_of(var);
      graph.sources = graph.sources || needs.sources;
      graph.halves = graph.halves || needs.halves;
      if (needs.edge_info == nullptr) continue;
      graph.edge_info = true;
      graph.info_loc = needs.edge_info->loc;
    }
  }
  for (const auto& [slot, graph] : graphs) program_.graphs.push_back(graph);
}

// Step functions

std::unique_ptr<FunctionEmitter> Planner::step_function(const std::string& name) {
  llvm::FunctionType* type = emitter_.type_of<void(runtime::RegionContext*)>();
  return std::make_unique<FunctionEmitter>(emitter_, emitter_.define(name, type, {"context"}));
}

FunctionEmitter& Planner::open_step() {
  if (step_ == nullptr) {
    step_name_ = next_name();
    step_ = step_function(step_name_);
  }
  return *step_;
}

void Planner::close_step() {
  if (step_ == nullptr) return;
  step_->finish();
  step_.reset();
  program_.steps.push_back(EvaluateStep{step_name_});
}

// Lists that are stored

void Planner::prepare(const ir::Expr& e) {
  if (e.kind == ir::Kind::Var || emitter_.stored().contains(&e)) return;
  if (ir::is_set_op(e.kind)) {
    prepare(*e.operands[0]);
    prepare_second(*e.operands[1]);
    store(e, false);
    return;
  }
  if (e.kind == ir::Kind::Size || e.kind == ir::Kind::Contains) {
    const ir::Expr& items = *e.operands[0];
    if (ir::is_set_op(items.kind)) {
      if (e.kind == ir::Kind::Size) {
        prepare(*items.operands[0]);
        prepare_second(*items.operands[1]);
        return;
      }
    } else if (items.kind == ir::Kind::Literal) {
      for (const ir::Expr* item : items.operands) prepare(*item);
      for (const ir::Expr* operand : e.operands.subspan(1)) prepare(*operand);
      return;
    }
  }
  for (const ir::Expr* operand : e.operands) prepare(*operand);
  bool words = e.kind == ir::Kind::EdgeInfo && (e.type->columns[0]->is_scalar(ir::ScalarKind::Bool) ||
                                                e.type->columns[0]->is_scalar(ir::ScalarKind::Vid));
  if (e.kind == ir::Kind::Sorted || e.kind == ir::Kind::Literal || words) store(e, false);
}

/// The second list of a set operation: a literal stays as it is, what may not ascend is sorted.
void Planner::prepare_second(const ir::Expr& list) {
  if (list.kind == ir::Kind::Literal) {
    for (const ir::Expr* item : list.operands) prepare(*item);
    return;
  }
  prepare(list);
  if (emitter_.facts().list(&list).ascending || emitter_.sorted_copies().contains(&list)) return;
  emitter_.sorted_copies().emplace(&list, store(list, true));
}

/// Emits the functions that compute `e` (and sort it, if asked for) into memory of its own.
FrameList Planner::store(const ir::Expr& e, bool sorted) {
  close_step();
  ListStep step;
  step.slot = emitter_.frame().reserve(1 + static_cast<std::uint32_t>(e.type->columns.size()));
  step.columns = host::element_kinds(*e.type);
  step.measure = next_name();
  step.fill = step.measure + "_fill";
  std::unique_ptr<FunctionEmitter> measure = step_function(step.measure);
  bool filtered = ir::walks(e.kind) && ir::is_part_of_first(e.kind);
  const ir::Expr& bound = filtered && !sorted ? *e.operands[0] : e;
  llvm::Value* most = bound.kind == ir::Kind::Literal
                          ? measure->builder().getInt64(bound.operands.size() / bound.type->columns.size())
                          : measure->size_of(bound);
  measure->store_slot(step.slot, most);
  measure->finish();
  std::unique_ptr<FunctionEmitter> fill = step_function(step.fill);
  fill->store_slot(step.slot, fill->fill_list(e, step.slot, sorted));
  fill->finish();
  FrameList result{step.slot, e.type};
  if (!sorted) emitter_.stored().emplace(&e, result);
  program_.steps.push_back(std::move(step));
  return result;
}

/// A list that the host keeps: the sink of a region, or a copy.
FrameList Planner::stored_list(const ir::Expr& e) {
  const ir::Expr& resolved = emitter_.resolve(e);
  prepare(resolved);
  const auto found = emitter_.stored().find(&resolved);
  if (found != emitter_.stored().end()) return found->second;
  if (const ir::Var* var = ir::as<ir::Var>(&resolved)) {
    const ir::Stmt* definition = emitter_.facts().definition(var);
    if (definition != nullptr && definition->kind == ir::Kind::Collect) return {emitter_.frame().slot(*var), var->type};
  }
  return store(resolved, false);
}

// Statements

void Planner::let(const ir::Let& s) {
  prepare(*s.value);
  if (s.var->type->is_graph()) return;
  FunctionEmitter& step = open_step();
  step.set_loc(s.loc);
  step.let(s);
  std::uint32_t slot = emitter_.frame().slot(*s.var);
  if (s.var->type->is_list()) {
    step.store_list(slot, step.list(*s.var));
  } else {
    step.store_scalar(slot, step.scalar(*s.var));
  }
}

void Planner::build(const ir::BuildGraph& s) {
  BuildStep step;
  step.slot = emitter_.frame().slot(*s.var);
  if (const auto rows = rows_.find(&s); rows != rows_.end()) {
    step.from_rows = true;
    step.edges_slot = emitter_.frame().slot(*ir::as<ir::Var>(s.edges));
    step.walked_slot = rows->second;
    step.every_rank = ir::every_rank_may_be_vertex(emitter_.module(), s.var);
    step.loc = s.loc;
    close_step();
    program_.steps.push_back(step);
    return;
  }
  step.index = s.index;
  step.loc = s.loc;
  const auto place = [&](const ir::Expr* e) -> std::uint32_t {
    if (e == nullptr) return 0;
    prepare(*e);
    std::uint32_t slot = emitter_.frame().reserve(1 + static_cast<std::uint32_t>(e->type->columns.size()));
    FunctionEmitter& function = open_step();
    function.set_loc(s.loc);
    function.store_list(slot, function.list(*e));
    return slot;
  };
  step.edges_slot = place(s.edges);
  step.labels_slot = place(s.maybe_labels);
  step.info_slot = place(s.maybe_info);
  if (s.maybe_info != nullptr) step.info_kind = host::element_kind(*s.maybe_info->type->columns[0]);
  close_step();
  program_.steps.push_back(step);
}

void Planner::ret(const ir::Return& s) {
  ReturnStep step;
  for (const ir::Expr* value : s.values) {
    if (value->type->is_list()) {
      step.results.push_back({value->type, stored_list(*value).slot, shared_slot(*value)});
    } else {
      prepare(*value);
      step.results.push_back({value->type, emitter_.frame().reserve(2), shared_slot(*value)});
    }
  }
  close_step();
  step.function = next_name();
  std::unique_ptr<FunctionEmitter> function = step_function(step.function);
  function->set_loc(s.loc);
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    if (!s.values[i]->type->is_list()) function->store_scalar(step.results[i].slot, function->scalar(*s.values[i]));
  }
  function->finish();
  program_.steps.push_back(std::move(step));
}

// Regions

std::uint32_t Planner::shared_slot(const ir::Expr& value) const {
  const auto found = shared_.find(ir::as<ir::Var>(&value));
  return found != shared_.end() ? found->second : 0;
}

std::uint32_t Planner::walked_graph(const ir::Expr& list) {
  if (list.kind != ir::Kind::Vertices) return 0;
  const ir::Var* graph = ir::as<ir::Var>(&emitter_.resolve(*list.operands[0]));
  return graph != nullptr ? emitter_.frame().slot(*graph) : 0;
}

bool Planner::is_shared(const ir::Region& s) const {
  const ir::Block& body = *emitter_.module().body;
  const ir::Return* last = body.body.empty() ? nullptr : ir::as<ir::Return>(body.body.back());
  if (last == nullptr || !s.schedule.parallel) return false;
  auto uses = ir::count_uses(body);
  return std::ranges::all_of(s.collect->sinks, [&](const ir::Sink& sink) {
    return std::ranges::count(last->values, sink.var) == 1 && uses[sink.var] == 1;
  });
}

RegionShape Planner::shape_of(const host::RegionStep& planned) const {
  const ir::Region& s = *planned.region;
  RegionShape shape;
  shape.region = &s;
  shape.outer = planned.outer;
  const ir::Block& body = *s.collect->body;
  const bool streams = planned.answer >= 0;
  for (const ir::Sink& sink : s.collect->sinks) {
    bool map = shape.outer != nullptr && sink.kind == ir::SinkKind::List && !streams &&
               ir::yields_into(body, sink.var) == 1 && yields_directly(*shape.outer->body, sink.var);
    bool rows = !streams && ir::built_of_rows(emitter_.facts(), emitter_.module(), s, sink) != nullptr;
    shape.map.push_back(map && !rows);
    // The numbers of neighbours follow the region's own sinks.
    std::size_t before = static_cast<std::size_t>(
        std::count_if(shape.counts.begin(), shape.counts.end(), [](int counts) { return counts >= 0; }));
    shape.counts.push_back(rows ? static_cast<int>(s.collect->sinks.size() + before) : -1);
  }
  bool in_rows = std::any_of(shape.counts.begin(), shape.counts.end(), [](int counts) { return counts >= 0; });
  if (shape.outer != nullptr && s.schedule.split >= 2 && !in_rows) shape.split = ir::last_loops(*shape.outer->body);
  return shape;
}

void Planner::prepare_region(const host::RegionStep& planned, RegionStep& step) {
  std::unique_ptr<FunctionEmitter> prepare = step_function(step.prepare);
  step.positions_slot = emitter_.frame().reserve(1);
  llvm::Value* positions = prepare->builder().getInt64(1);
  if (planned.outer != nullptr) {
    const ir::For& loop = *planned.outer;
    prepare->set_loc(loop.loc);
    std::vector<List> lists;
    for (const ir::Expr* e : loop.lists) lists.push_back(prepare->loop_list(*e));
    positions = prepare->common_length(lists);
  }
  prepare->store_slot(step.positions_slot, positions);
  for (const host::BufferPlan& plan : planned.buffers) {
    const ir::Var& var = *plan.buffer->var;
    const std::uint32_t slot = emitter_.frame().slot(var);
    step.buffers.push_back(
        {std::string(var.hint), slot, host::element_kinds(*var.type), plan.form == host::BufferForm::Counters});
    prepare->store_slot(slot, prepare->bits().buffer_cells(plan));
  }
  prepare->finish();
}

void Planner::region_functions(const RegionShape& shape, RegionStep& step) {
  bool splits = !shape.split.empty();
  llvm::Function* body =
      emitter_.define(step.body, emitter_.type_of<runtime::RegionBody>(), {"context", "worker", "begin", "end"});
  llvm::Function* walk = body;
  if (splits) {
    walk = emitter_.define(step.body + "_walk", emitter_.type_of<RegionWalk>(),
                           {"context", "worker", "begin", "end", "first", "last"});
    walk->setLinkage(llvm::GlobalValue::InternalLinkage);
    walk->addFnAttr(llvm::Attribute::NoInline);
  }
  FunctionEmitter emitter(emitter_, walk);
  emitter.region_body(shape);
  emitter.finish();
  if (!splits) return;
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(emitter_.context(), "entry", body));
  at.CreateCall(walk, {body->getArg(0), body->getArg(1), body->getArg(2), body->getArg(3), at.getInt64(0),
                       at.getInt64(kAllItems)});
  at.CreateRetVoid();
  step.inner = step.body + "_inner";
  llvm::Function* inner = emitter_.define(step.inner, emitter_.type_of<runtime::RegionInner>(),
                                          {"context", "worker", "position", "begin", "end"});
  at.SetInsertPoint(llvm::BasicBlock::Create(emitter_.context(), "entry", inner));
  llvm::Value* position = inner->getArg(2);
  at.CreateCall(walk, {inner->getArg(0), inner->getArg(1), position, at.CreateNUWAdd(position, at.getInt64(1)),
                       inner->getArg(3), inner->getArg(4)});
  at.CreateRetVoid();
}

void Planner::step(const host::RegionStep& planned) {
  close_step();
  const ir::Region& s = *planned.region;
  RegionShape shape = shape_of(planned);
  RegionStep step;
  step.body = "region_" + std::to_string(regions_++);
  step.prepare = step.body + "_prepare";
  step.parallel = planned.outer != nullptr;
  step.stream_sink = planned.answer;
  step.loc = s.collect->loc;
  step.shared = is_shared(s);
  if (shape.outer != nullptr && shape.outer->lists.size() == 1)
    step.vertices_slot = walked_graph(*shape.outer->lists[0]);
  for (const ir::Buffer& buffer : s.buffers) prepare(*buffer.capacity);
  prepare_region(planned, step);
  for (std::size_t i = 0; i < s.collect->sinks.size(); ++i) {
    const ir::Sink& sink = s.collect->sinks[i];
    SinkPlan plan;
    plan.info.kind = runtime_kind(planned.sinks[i], shape.map[i]);
    if (sink.kind == ir::SinkKind::List) plan.info.columns = host::element_kinds(*sink.var->type);
    plan.slot = emitter_.frame().slot(*sink.var);
    if (step.shared) shared_[sink.var] = plan.slot;
    plan.is_vertex = sink.var->type->is_scalar(ir::ScalarKind::Vid);
    plan.wide = sink.var->type->is_scalar(ir::ScalarKind::I128);
    if (shape.counts[i] >= 0) {
      plan.info.kind = runtime::SinkKind::Rows;
      plan.info.columns = {runtime::ElementKind::Vid};
      plan.info.direct = true;
      plan.walked_slot =
          emitter_.frame().slot(*ir::as<ir::Var>(&emitter_.resolve(*shape.outer->lists[0]->operands[0])));
      rows_[ir::built_of_rows(emitter_.facts(), emitter_.module(), s, sink)] = plan.walked_slot;
    }
    step.sinks.push_back(std::move(plan));
  }
  for (std::size_t i = 0; i < shape.counts.size(); ++i) {
    if (shape.counts[i] < 0) continue;
    SinkPlan plan;
    plan.info.kind = runtime::SinkKind::Map;
    plan.info.columns = {runtime::ElementKind::Int};
    plan.slot = emitter_.frame().slot(*s.collect->sinks[i].var) + 1;
    step.sinks.push_back(std::move(plan));
  }
  region_functions(shape, step);
  program_.steps.push_back(std::move(step));
}

}  // namespace matcha::codegen::jit
