#include "codegen/host/host_plan.h"

#include <algorithm>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::host {

using ir::Kind;
using ir::ScalarKind;

namespace {

/// Calls `visit` with every variable that a graph expression may stand for.
template <typename F>
void for_each_graph(const ir::Expr& graph, const F& visit) {
  if (const ir::Var* var = ir::as<ir::Var>(&graph)) return visit(var);
  if (graph.kind != Kind::Select) return;
  for_each_graph(*graph.operands[1], visit);
  for_each_graph(*graph.operands[2], visit);
}

GraphNeeds needs_of(const ir::Expr& node) {
  using ir::Group;
  GraphNeeds needs;
  ir::match(
      node, [&](const ir::Edges&) { needs.arcs = needs.sources = true; },
      [&](const ir::OneOf<ir::Neighbors, ir::BitRows> auto& e) {
        needs.arcs = true;
        needs.halves = e.arcs.side != ir::Side::All;
      },
      [&](const ir::Label&) { needs.labels = true; },
      [&](const ir::EdgeInfo& e) {
        needs.arcs = true;
        needs.edge_info = &e;
      },
      [&](const ir::OneOf<ir::HasEdge, ir::CommonNeighbors> auto&) { needs.arcs = true; },
      [&](const ir::Vertices&) { needs.vertices = true; }, [](const ir::MaxDegree&) {},
      [](const ir::OneOf<ir::BitRow, ir::AllBits> auto&) {},
      [](const ir::InGroup<Group::Leaf, Group::Arithmetic, Group::Comparison, Group::Logic, Group::Extremum,
                           Group::Choice, Group::Conversion, Group::ListFact, Group::Literal, Group::SetOp,
                           Group::Slice, Group::Reorder> auto&) {});
  return needs;
}

/// True if only the number of a vertex's neighbours is read.
bool is_degree(const ir::Expr& expr) {
  const ir::Neighbors* list = expr.kind == Kind::Size ? ir::as<ir::Neighbors>(expr.operands[0]) : nullptr;
  return list != nullptr && list->arcs.side == ir::Side::All;
}

/// Adds the arrays of graphs that `expr` reads; counting edges reads none.
void add_needs(const ir::Expr& expr, NeedsByGraph& graphs) {
  if (expr.kind == Kind::Size && expr.operands[0]->kind == Kind::Edges) return;
  if (is_degree(expr)) {
    const ir::Expr& list = *expr.operands[0];
    for (const ir::Expr* operand : list.operands) add_needs(*operand, graphs);
    return for_each_graph(*list.operands[0], [&](const ir::Var* graph) { graphs[graph].degrees = true; });
  }
  for (const ir::Expr* operand : expr.operands) add_needs(*operand, graphs);
  if (expr.operands.empty() || !expr.operands[0]->type->is_graph()) return;
  const GraphNeeds needs = needs_of(expr);
  for_each_graph(*expr.operands[0], [&](const ir::Var* graph) { graphs[graph].add(needs); });
}

void add_needs(const NeedsByGraph& more, NeedsByGraph& graphs) {
  for (const auto& [graph, needs] : more) graphs[graph].add(needs);
}

BufferPlan plan_of(const ir::Buffer& buffer) {
  const ir::Type& type = *buffer.var->type;
  if (buffer.counters) return {&buffer, BufferForm::Counters, sizeof(std::uint32_t)};
  if (type.bits) return {&buffer, BufferForm::Bits, sizeof(std::uint64_t)};
  if (type.is_bit_rows()) return {&buffer, BufferForm::BitRows, sizeof(std::uint64_t)};
  const std::uint64_t bytes =
      type.columns.size() == 1 ? runtime::element_bytes(element_kind(*type.columns[0])) : 8 * type.columns.size();
  return {&buffer, BufferForm::Items, bytes};
}

/// The list that is the program's only result and is read nowhere else; null if there is none.
const ir::Var* only_result(const ir::Module& module) {
  const ir::Return* last = module.body->body.empty() ? nullptr : ir::as<ir::Return>(module.body->body.back());
  const ir::Var* list = last != nullptr && last->values.size() == 1 ? ir::as<ir::Var>(last->values[0]) : nullptr;
  if (list == nullptr || !list->type->is_list()) return nullptr;
  return ir::count_uses(*module.body)[list] == 1 ? list : nullptr;
}

bool is_shared(const ir::Region& region, const ir::Block& body) {
  const ir::Return* last = body.body.empty() ? nullptr : ir::as<ir::Return>(body.body.back());
  if (last == nullptr || !region.schedule.parallel) return false;
  auto uses = ir::count_uses(body);
  return std::ranges::all_of(region.collect->sinks, [&](const ir::Sink& sink) {
    return std::ranges::count(last->values, sink.var) == 1 && uses[sink.var] == 1;
  });
}

bool reads_any(const ir::Stmt& stmt, const std::unordered_set<const ir::Var*>& found) {
  bool reads = false;
  ir::for_each_stmt_of(stmt, [&](const ir::Stmt& part) {
    ir::for_each_expr(part, [&](const ir::Expr& whole) {
      ir::for_each_node(whole, [&](const ir::Expr& e) {
        const ir::Var* const var = ir::as<ir::Var>(&e);
        reads = reads || (var != nullptr && found.contains(var));
      });
    });
  });
  return reads;
}

/// True if no step up to the last region reads values of an earlier dealt region.
bool are_independent(const std::vector<Step>& steps) {
  std::unordered_set<const ir::Var*> found;
  std::ptrdiff_t regions_left =
      std::ranges::count_if(steps, [](const Step& step) { return std::holds_alternative<RegionStep>(step); });
  for (auto next = steps.begin(); regions_left > 0; ++next) {
    if (reads_any(statement_of(*next), found)) return false;
    const auto* const region = std::get_if<RegionStep>(&*next);
    if (region == nullptr) continue;
    --regions_left;
    if (!region->is_dealt()) continue;
    for (const ir::Sink& sink : region->region->collect->sinks) found.insert(sink.var);
  }
  return true;
}

/// The sink whose rows are the answer and may be handed over as they are found: the list `answer`, if it is the only
/// list of its region. Else -1.
int answer_of(std::span<const ir::Sink> sinks, const ir::Var* answer) {
  const auto is_list = [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::List; };
  if (std::ranges::count_if(sinks, is_list) != 1) return -1;
  const auto found = std::ranges::find_if(sinks, is_list);
  return found->var == answer ? static_cast<int>(found - sinks.begin()) : -1;
}

bool converts_ids(const ir::Expr& node) {
  return node.kind == Kind::Convert &&
         (node.type->is_scalar(ScalarKind::Vid) || node.operands[0]->type->is_scalar(ScalarKind::Vid));
}

void read_body(RegionStep& step) {
  const ir::Collect& collect = *step.region->collect;
  ir::for_each_stmt(*collect.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      add_needs(expr, step.graphs);
      std::vector<const ir::Var*> read;
      ir::free_vars(expr, read);
      step.reads.insert(read.begin(), read.end());
      ir::for_each_node(expr, [&](const ir::Expr& node) { step.reads_ids = step.reads_ids || converts_ids(node); });
    });
  });
  ir::for_each_stmt(*collect.body, [&](const ir::Stmt& stmt) {
    ir::for_each_binding(stmt, [&](const ir::Var& var) { step.reads.erase(&var); });
  });
}

RegionStep plan_of(const ir::Region& region, const ir::Var* answer) {
  RegionStep step;
  step.region = &region;
  const ir::Collect& collect = *region.collect;
  if (region.schedule.parallel) step.outer = ir::as<ir::For>(collect.body->body.back());
  for (const ir::Sink& sink : collect.sinks) step.sinks.push_back(sink_form(sink));
  for (const ir::Buffer& buffer : region.buffers) step.buffers.push_back(plan_of(buffer));
  step.answer = answer_of(collect.sinks, answer);
  read_body(step);
  // Lanes that take an arc each read the vertex that it starts at.
  if (step.outer != nullptr && step.outer->mode == ir::LaneMode::Arcs)
    for_each_graph(*step.outer->lists[0]->operands[0],
                   [&](const ir::Var* graph) { step.graphs[graph].sources = true; });
  return step;
}

}  // namespace

runtime::ElementKind element_kind(const ir::Type& scalar) {
  switch (scalar.scalar) {
    case ScalarKind::Bool: return runtime::ElementKind::Bool;
    case ScalarKind::Vid: return runtime::ElementKind::Vid;
    case ScalarKind::F64: return runtime::ElementKind::Float;
    case ScalarKind::I64: return runtime::ElementKind::Int;
    case ScalarKind::I128: break;
  }
  MATCHA_UNREACHABLE("a column of 128-bit values");
}

std::vector<runtime::ElementKind> element_kinds(const ir::Type& list) {
  std::vector<runtime::ElementKind> kinds;
  for (const ir::Type* column : list.columns) kinds.push_back(element_kind(*column));
  return kinds;
}

SinkForm sink_form(const ir::Sink& sink) {
  const bool real = sink.var->type->is_scalar(ScalarKind::F64);
  switch (sink.kind) {
    case ir::SinkKind::Sum: return real ? SinkForm::SumFloat : SinkForm::SumInt;
    case ir::SinkKind::Min: return real ? SinkForm::MinFloat : SinkForm::MinInt;
    case ir::SinkKind::Max: return real ? SinkForm::MaxFloat : SinkForm::MaxInt;
    case ir::SinkKind::Any: return SinkForm::Any;
    case ir::SinkKind::All: return SinkForm::All;
    case ir::SinkKind::List: return SinkForm::Rows;
  }
  MATCHA_UNREACHABLE("a sink kind");
}

runtime::RowFold row_fold(ir::Fold fold) {
  switch (fold) {
    case ir::Fold::Sum: return runtime::RowFold::Sum;
    case ir::Fold::Min: return runtime::RowFold::Min;
    case ir::Fold::Max: return runtime::RowFold::Max;
  }
  MATCHA_UNREACHABLE("a fold");
}

std::string_view name(SinkForm form) {
  switch (form) {
    case SinkForm::SumInt: return "SumInt";
    case SinkForm::SumFloat: return "SumFloat";
    case SinkForm::MinInt: return "MinInt";
    case SinkForm::MinFloat: return "MinFloat";
    case SinkForm::MaxInt: return "MaxInt";
    case SinkForm::MaxFloat: return "MaxFloat";
    case SinkForm::Any: return "Any";
    case SinkForm::All: return "All";
    case SinkForm::Rows: return "Rows";
  }
  MATCHA_UNREACHABLE("a form of a sink");
}

void GraphNeeds::add(const GraphNeeds& other) {
  arcs = arcs || other.arcs;
  vertices = vertices || other.vertices;
  sources = sources || other.sources;
  halves = halves || other.halves;
  labels = labels || other.labels;
  degrees = degrees || other.degrees;
  if (other.edge_info != nullptr) edge_info = other.edge_info;
}

bool Value::may_be_empty() const { return maybe_sink != nullptr && ir::Facts::may_be_empty(maybe_sink->kind); }

std::vector<Value> top_level_values(const ir::Module& module) {
  std::vector<Value> values;
  for (const ir::Var* param : module.params) values.push_back({param, nullptr, param->type->is_graph()});
  for (const ir::Stmt* stmt : module.body->body) {
    ir::match(
        *stmt, [&](const ir::Let& s) { values.push_back({s.var}); },
        [&](const ir::BuildGraph& s) {
          values.push_back({s.var, nullptr, s.index == ir::GraphIndex::Csr});
        },
        [&](const ir::OneOf<ir::Repeat, ir::Again> auto& s) {
          for (const ir::Var* var : s.vars) values.push_back({var});
        },
        [&](const ir::Region& s) {
          for (const ir::Sink& sink : s.collect->sinks) values.push_back({sink.var, &sink});
        },
        [](const ir::OneOf<ir::Block, ir::For, ir::If, ir::Collect, ir::Yield, ir::Return, ir::Store> auto&) {});
  }
  return values;
}

bool RegionStep::adds_up() const {
  return outer != nullptr && std::ranges::all_of(region->collect->sinks,
                                                 [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::Sum; });
}

bool RegionStep::is_dealt() const {
  const bool is_scalar = std::ranges::none_of(region->collect->sinks,
                                              [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::List; });
  return outer != nullptr && region->schedule.parallel && !repeated && (shared || is_scalar);
}

Plan::Plan(const ir::Module& module) {
  const ir::Var* answer = only_result(module);
  bool repeated = false;
  for (const ir::Stmt* stmt : module.body->body) {
    ir::for_each_expr(*stmt, [&](const ir::Expr& expr) { add_needs(expr, graphs); });
    ir::match(
        *stmt, [&](const ir::Let& s) { steps.emplace_back(&s); },
        [&](const ir::OneOf<ir::BuildGraph, ir::Return> auto& s) { steps.emplace_back(&s); },
        [&](const ir::Repeat& s) {
          steps.emplace_back(&s);
          repeated = true;
        },
        [&](const ir::Again& s) {
          steps.emplace_back(&s);
          repeated = false;
        },
        [&](const ir::Region& s) {
          RegionStep& step = std::get<RegionStep>(steps.emplace_back(plan_of(s, answer)));
          step.repeated = repeated;
          step.shared = is_shared(s, *module.body);
          add_needs(step.graphs, worker_graphs);
        },
        [](const ir::OneOf<ir::Block, ir::For, ir::If, ir::Collect, ir::Yield, ir::Store> auto&) {
          MATCHA_UNREACHABLE("a step of stage kernel");
        });
  }
  add_needs(worker_graphs, graphs);
  independent = are_independent(steps);
}

std::vector<const RegionStep*> Plan::regions() const {
  std::vector<const RegionStep*> found;
  for (const Step& step : steps) {
    if (const RegionStep* region = std::get_if<RegionStep>(&step)) found.push_back(region);
  }
  return found;
}

const ir::Stmt& statement_of(const Step& step) {
  if (const RegionStep* region = std::get_if<RegionStep>(&step)) return *region->region;
  if (const ir::Let* const* let = std::get_if<const ir::Let*>(&step)) return **let;
  if (const ir::BuildGraph* const* build = std::get_if<const ir::BuildGraph*>(&step)) return **build;
  if (const ir::Repeat* const* repeat = std::get_if<const ir::Repeat*>(&step)) return **repeat;
  if (const ir::Again* const* again = std::get_if<const ir::Again*>(&step)) return **again;
  return *std::get<const ir::Return*>(step);
}

}  // namespace matcha::codegen::host
