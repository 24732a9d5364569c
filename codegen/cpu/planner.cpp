#include "codegen/cpu/planner.h"

#include <algorithm>

#include "ir/analysis/position_loops.h"
#include "ir/analysis/row_graphs.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::cpu {

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
  const ir::Module& module = layout_.module();
  program_.signature = host::Signature(module);
  for (const ir::Var* param : module.params) program_.param_slots.push_back(layout_.frame().slot(*param));
  const host::Plan plan(module);
  for (const host::Step& next : plan.steps) std::visit([&](const auto& s) { step(s); }, next);
  close_step();
  graphs(plan);
  program_.independent = plan.independent;
  program_.slot_count = layout_.frame().slot_count();
  return std::move(program_);
}

/// Collects the reads of parameters and built graphs under all of their names.
void Planner::graphs(const host::Plan& plan) {
  std::unordered_map<std::uint32_t, GraphPlan> graphs;
  const auto plan_of = [&](const ir::Var* var) -> GraphPlan& {
    GraphPlan& result = graphs[layout_.frame().slot(*var)];
    result.slot = layout_.frame().slot(*var);
    return result;
  };
  for (const ir::Var* var : layout_.vertex_arrays()) plan_of(var).vertex_array = true;
  for (const auto& [name, needs] : plan.graphs) {
    for (const ir::Var* var : layout_.graph_vars(*name)) {
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

void Planner::open_step() {
  if (!step_name_.empty()) return;
  step_name_ = next_name();
  maker_.begin_step(step_name_);
}

void Planner::close_step() {
  if (step_name_.empty()) return;
  maker_.end_step();
  program_.steps.push_back(EvaluateStep{std::move(step_name_)});
  step_name_.clear();
}

// Lists that are stored

void Planner::prepare(const ir::Expr& e) {
  if (e.kind == ir::Kind::Var || layout_.stored().contains(&e)) return;
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
  const bool made = ir::group_of(e.kind) == ir::Group::Reorder || e.kind == ir::Kind::Literal;
  if (made || words) store(e, false);
}

/// Prepares the second list of a set operation: a literal stays, a list that may not ascend is sorted.
void Planner::prepare_second(const ir::Expr& list) {
  if (list.kind == ir::Kind::Literal) {
    for (const ir::Expr* item : list.operands) prepare(*item);
    return;
  }
  prepare(list);
  if (layout_.facts().list(&list).ascending || layout_.sorted_copies().contains(&list)) return;
  layout_.sorted_copies().emplace(&list, store(list, true));
}

/// Emits the functions that compute `e` (and sort it, if asked for) into separate memory.
FrameList Planner::store(const ir::Expr& e, bool sorted) {
  close_step();
  ListStep step;
  step.slot = layout_.frame().reserve(1 + static_cast<std::uint32_t>(e.type->columns.size()));
  step.columns = host::element_kinds(*e.type);
  step.measure = next_name();
  step.fill = step.measure + "_fill";
  const bool filtered = ir::walks(e.kind);  // At most as many rows as the first list has.
  maker_.measure(step.measure, filtered && !sorted ? *e.operands[0] : e, step.slot);
  maker_.fill(step.fill, e, step.slot, sorted);
  FrameList result{step.slot, e.type};
  if (!sorted) layout_.stored().emplace(&e, result);
  program_.steps.push_back(std::move(step));
  return result;
}

/// Allocates a list that the host keeps: the sink of a region, or a copy.
FrameList Planner::stored_list(const ir::Expr& e) {
  const ir::Expr& resolved = layout_.resolve(e);
  prepare(resolved);
  const auto found = layout_.stored().find(&resolved);
  if (found != layout_.stored().end()) return found->second;
  if (const ir::Var* var = ir::as<ir::Var>(&resolved)) {
    const ir::Stmt* definition = layout_.facts().definition(var);
    if (definition != nullptr && definition->kind == ir::Kind::Collect) return {layout_.frame().slot(*var), var->type};
  }
  return store(resolved, false);
}

// Statements

void Planner::let(const ir::Let& s) {
  prepare(*s.value);
  if (s.var->type->is_graph()) return;
  open_step();
  maker_.let(s, layout_.frame().slot(*s.var));
}

void Planner::build(const ir::BuildGraph& s) {
  BuildStep step;
  step.slot = layout_.frame().slot(*s.var);
  if (const auto rows = rows_.find(&s); rows != rows_.end()) {
    step.from_rows = true;
    step.edges_slot = layout_.frame().slot(*ir::as<ir::Var>(s.edges));
    step.walked_slot = rows->second;
    step.every_rank = ir::every_rank_may_be_vertex(layout_.module(), s.var);
    step.loc = s.loc;
    close_step();
    program_.steps.push_back(step);
    return;
  }
  step.index = s.index;
  step.order = s.order;
  step.loc = s.loc;
  const auto place = [&](const ir::Expr* e) -> std::uint32_t {
    if (e == nullptr) return 0;
    prepare(*e);
    std::uint32_t slot = layout_.frame().reserve(1 + static_cast<std::uint32_t>(e->type->columns.size()));
    open_step();
    maker_.keep(s.loc, *e, slot);
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
      step.results.push_back({value->type, layout_.frame().reserve(2), shared_slot(*value)});
    }
  }
  close_step();
  step.function = next_name();
  maker_.begin_step(step.function);
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    if (!s.values[i]->type->is_list()) maker_.keep(s.loc, *s.values[i], step.results[i].slot);
  }
  maker_.end_step();
  program_.steps.push_back(std::move(step));
}

// Rounds

std::vector<RoundValue> Planner::round_values(std::span<const ir::Var* const> vars,
                                              std::span<const ir::Expr* const> values, SourceLoc loc) {
  std::vector<RoundValue> result;
  for (const ir::Expr* value : values) prepare(*value);
  for (std::size_t i = 0; i < vars.size(); ++i) {
    RoundValue next;
    next.slot = layout_.frame().slot(*vars[i]);
    next.list = vars[i]->type->is_list();
    if (next.list) next.columns = host::element_kinds(*vars[i]->type);
    next.next_slot = layout_.frame().reserve(2 + static_cast<std::uint32_t>(next.columns.size()));
    open_step();
    maker_.keep(loc, *values[i], next.next_slot);
    result.push_back(std::move(next));
  }
  return result;
}

void Planner::step(const ir::Repeat* s) {
  RepeatStep begin;
  prepare(*s->times);
  begin.values = round_values(s->vars, s->starts, s->loc);
  begin.times_slot = layout_.frame().reserve(2);
  maker_.keep(s->loc, *s->times, begin.times_slot);
  close_step();
  repeat_step_ = program_.steps.size();
  program_.steps.push_back(std::move(begin));
}

void Planner::step(const ir::Again* s) {
  AgainStep end;
  end.first = repeat_step_;
  end.times_slot = std::get<RepeatStep>(program_.steps[repeat_step_]).times_slot;
  end.results = round_values(s->vars, s->values, s->loc);
  close_step();
  end.values = std::get<RepeatStep>(program_.steps[repeat_step_]).values;
  for (std::size_t i = 0; i < end.values.size(); ++i) end.values[i].next_slot = end.results[i].next_slot;
  end.until_equal = s->until_equal;
  end.loc = s->loc;
  program_.steps.push_back(std::move(end));
}

// Regions

std::uint32_t Planner::shared_slot(const ir::Expr& value) const {
  const auto found = shared_.find(ir::as<ir::Var>(&value));
  return found != shared_.end() ? found->second : 0;
}

std::uint32_t Planner::walked_graph(const ir::Expr& list) {
  if (list.kind != ir::Kind::Vertices) return 0;
  const ir::Var* graph = ir::as<ir::Var>(&layout_.resolve(*list.operands[0]));
  return graph != nullptr ? layout_.frame().slot(*graph) : 0;
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
    bool rows = !streams && ir::built_of_rows(layout_.facts(), layout_.module(), s, sink) != nullptr;
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
  step.positions_slot = layout_.frame().reserve(1);
  for (const host::BufferPlan& plan : planned.buffers) {
    const ir::Var& var = *plan.buffer->var;
    step.buffers.push_back({std::string(var.hint), layout_.frame().slot(var), host::element_kinds(*var.type),
                            plan.form == host::BufferForm::Counters});
  }
  maker_.prepare(step.prepare, planned, step.positions_slot);
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
  step.shared = planned.shared;
  if (shape.outer != nullptr && shape.outer->lists.size() == 1)
    step.vertices_slot = walked_graph(*shape.outer->lists[0]);
  for (const ir::Buffer& buffer : s.buffers) prepare(*buffer.capacity);
  prepare_region(planned, step);
  for (std::size_t i = 0; i < s.collect->sinks.size(); ++i) {
    const ir::Sink& sink = s.collect->sinks[i];
    SinkPlan plan;
    plan.info.kind = runtime_kind(planned.sinks[i], shape.map[i]);
    if (sink.kind == ir::SinkKind::List) plan.info.columns = host::element_kinds(*sink.var->type);
    plan.slot = layout_.frame().slot(*sink.var);
    if (step.shared) shared_[sink.var] = plan.slot;
    plan.is_vertex = sink.var->type->is_scalar(ir::ScalarKind::Vid);
    plan.wide = sink.var->type->is_scalar(ir::ScalarKind::I128);
    if (shape.counts[i] >= 0) {
      plan.info.kind = runtime::SinkKind::Rows;
      plan.info.columns = {runtime::ElementKind::Vid};
      plan.info.direct = true;
      plan.walked_slot = layout_.frame().slot(*ir::as<ir::Var>(&layout_.resolve(*shape.outer->lists[0]->operands[0])));
      rows_[ir::built_of_rows(layout_.facts(), layout_.module(), s, sink)] = plan.walked_slot;
    }
    step.sinks.push_back(std::move(plan));
  }
  for (std::size_t i = 0; i < shape.counts.size(); ++i) {
    if (shape.counts[i] < 0) continue;
    SinkPlan plan;
    plan.info.kind = runtime::SinkKind::Map;
    plan.info.columns = {runtime::ElementKind::Int};
    plan.slot = layout_.frame().slot(*s.collect->sinks[i].var) + 1;
    step.sinks.push_back(std::move(plan));
  }
  step.dealt = planned.is_dealt();
  if (!shape.split.empty()) step.inner = step.body + "_inner";
  maker_.region(shape, step.body, step.inner);
  program_.steps.push_back(std::move(step));
}

bool runs_here(const ir::Module& module, Diagnostics& diagnostics) {
  if (module.stage != ir::Stage::Kernel) {
    diagnostics.error(DiagId::IrInvalid, {}, "the back ends of the CPU take a module of stage kernel");
    return false;
  }
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    const ir::Schedule& how = region->schedule;
    if (how.steal == ir::Stealing::Give && how.stack == ir::Stack::Array && how.group == 1) continue;
    diagnostics.error(DiagId::TargetLimit, region->loc, "the schedule of a region is not for the run time of the CPU",
                      "`legalize` makes it fit");
    return false;
  }
  return true;
}

namespace {

void add_places(const ir::Module& module, cpu::Program& program) {
  const auto add = [&](SourceLoc loc) {
    if (loc.valid()) program.places.push_back(loc);
  };
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& s) {
    add(s.loc);
    ir::for_each_expr(s,
                      [&](const ir::Expr& e) { ir::for_each_node(e, [&](const ir::Expr& node) { add(node.loc); }); });
  });
}

}  // namespace

Program make_program(Layout& layout, CodeMaker& maker, const SourceManager& sources) {
  Program program = Planner(layout, maker).run();
  for (std::uint32_t file = 0; file < sources.size(); ++file) program.files.emplace_back(sources.name(file));
  add_places(layout.module(), program);
  return program;
}

}  // namespace matcha::codegen::cpu
