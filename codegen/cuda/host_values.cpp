#include "codegen/cuda/host_values.h"

#include <numeric>

#include "codegen/assumptions.h"
#include "codegen/host/host_plan.h"
#include "codegen/interp/rows.h"
#include "ir/analysis/facts.h"
#include "ir/check.h"
#include "ir/match.h"

namespace matcha::codegen::gpu {

using ir::Kind;
using ir::ScalarKind;
using runtime::ElementKind;
using runtime::ErrorKind;

namespace {

/// The list in the interpreter's form.
interp::ListPtr as_values(const HostList& list) {
  std::shared_ptr<interp::List> result = std::make_shared<interp::List>(list.columns.size());
  result->rows = list.size;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    std::vector<interp::Value>& column = result->columns[c];
    column.reserve(list.size);
    for (std::uint64_t i = 0; i < list.size; ++i) {
      switch (list.kinds[c]) {
        case ElementKind::Vid:
          column.push_back(interp::Vid{static_cast<const std::uint32_t*>(list.columns[c])[i]});
          break;
        case ElementKind::Int: column.push_back(static_cast<const std::int64_t*>(list.columns[c])[i]); break;
        case ElementKind::Float: column.push_back(static_cast<const double*>(list.columns[c])[i]); break;
        case ElementKind::Bool: column.push_back(static_cast<const std::uint8_t*>(list.columns[c])[i] != 0); break;
      }
    }
  }
  return result;
}

HostList own(ListValue value) {
  std::shared_ptr<std::vector<runtime::Column>> keeper =
      std::make_shared<std::vector<runtime::Column>>(std::move(value.columns));
  HostList list;
  list.size = value.size;
  for (const runtime::Column& column : *keeper) {
    list.kinds.push_back(column.kind());
    list.columns.push_back(column.data());
  }
  list.keeper = std::move(keeper);
  return list;
}

HostList of_input(const runtime::InputList& input) {
  HostList list;
  list.size = input.size;
  for (const runtime::InputColumn& column : input.columns) {
    switch (column.kind) {
      case runtime::ColumnKind::Vertex:
        list.kinds.push_back(ElementKind::Vid);
        list.columns.push_back(column.ranks.data());
        break;
      case runtime::ColumnKind::Label:
      case runtime::ColumnKind::Int:
        list.kinds.push_back(ElementKind::Int);
        list.columns.push_back(column.ints.data());
        break;
      case runtime::ColumnKind::Float:
        list.kinds.push_back(ElementKind::Float);
        list.columns.push_back(column.floats.data());
        break;
    }
  }
  return list;
}

/// The words of 8 bytes that a graph keeps for edge information.
std::vector<std::uint64_t> info_words(const HostList& list) {
  std::vector<std::uint64_t> words(list.size);
  for (std::uint64_t i = 0; i < list.size; ++i) {
    switch (list.kinds[0]) {
      case ElementKind::Vid: words[i] = static_cast<const std::uint32_t*>(list.columns[0])[i]; break;
      case ElementKind::Bool: words[i] = static_cast<const std::uint8_t*>(list.columns[0])[i]; break;
      case ElementKind::Int:
      case ElementKind::Float: words[i] = static_cast<const std::uint64_t*>(list.columns[0])[i]; break;
    }
  }
  return words;
}

}  // namespace

void fail(ErrorKind kind, std::string message, std::string hint, SourceLoc loc) {
  runtime::Error error;
  error.kind = kind;
  error.message = std::move(message);
  error.hint = std::move(hint);
  throw interp::Trap{std::move(error), loc};
}

HostValues::HostValues(const ir::Module& module, const runtime::Universe& universe, const RunOptions& options)
    : universe_(universe),
      options_(options),
      shared_(interp::shared_nodes(module)),
      environment_{universe, options, {}},
      evaluator_(environment_, shared_) {}

void HostValues::set(const ir::Var* var, runtime::Graph& graph, bool own_labels) {
  HostGraph& entry = graphs_[var];
  entry.graph = &graph;
  entry.view = graph.view();
  if (entry.view.labels == nullptr && !own_labels) entry.view.labels = options_.labels;
  std::shared_ptr<interp::GraphValue> value = std::make_shared<interp::GraphValue>();
  value->view = entry.view;
  environment_.values[var] = interp::GraphPtr(value);
  if (entry.view.vertices == nullptr) {
    entry.vertices = std::make_shared<std::vector<std::uint32_t>>(entry.view.vertex_count);
    std::iota(entry.vertices->begin(), entry.vertices->end(), 0U);
    entry.view.vertices = entry.vertices->data();
  }
}

void HostValues::set_counts(const ir::Var* var, const runtime::GraphView& device_view) {
  HostGraph& entry = graphs_[var];
  entry.view.universe = device_view.universe;
  entry.view.arc_count = device_view.arc_count;
  entry.view.vertex_count = device_view.vertex_count;
  entry.view.max_degree = device_view.max_degree;
  std::shared_ptr<interp::GraphValue> value = std::make_shared<interp::GraphValue>();
  value->view = entry.view;
  environment_.values[var] = interp::GraphPtr(value);
}

void HostValues::bind(const ir::Module& module, std::span<const Argument> arguments) {
  if (arguments.size() != module.params.size()) {
    fail(ErrorKind::Input, "the program takes " + std::to_string(module.params.size()) + " arguments");
  }
  if (std::optional<RunError> broken = broken_assumption(assumed_arguments(module), arguments))
    throw interp::Trap{std::move(broken->error), broken->loc};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Var* param = module.params[i];
    const ir::Type& type = *param->type;
    const std::int64_t* integer = std::get_if<std::int64_t>(&arguments[i]);
    const double* real = std::get_if<double>(&arguments[i]);
    const bool* truth = std::get_if<bool>(&arguments[i]);
    runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&arguments[i]);
    const runtime::InputList* const* input = std::get_if<const runtime::InputList*>(&arguments[i]);
    bool fits = true;
    if (integer != nullptr && type.is_scalar(ScalarKind::I64)) {
      set(param, interp::Value(*integer));
    } else if (integer != nullptr && type.is_scalar(ScalarKind::F64)) {
      set(param, interp::Value(static_cast<double>(*integer)));
    } else if (real != nullptr && type.is_scalar(ScalarKind::F64)) {
      set(param, interp::Value(*real));
    } else if (truth != nullptr && type.is_scalar(ScalarKind::Bool)) {
      set(param, interp::Value(*truth));
    } else if (graph != nullptr && type.is_graph()) {
      set(param, **graph, false);
    } else if (input != nullptr && type.is_flat_list() && (*input)->columns.size() == type.columns.size()) {
      HostList list = of_input(**input);
      for (std::size_t c = 0; c < list.kinds.size(); ++c)
        fits = fits && list.kinds[c] == host::element_kind(*type.columns[c]);
      set(param, std::move(list));
    } else {
      fits = false;
    }
    if (!fits) {
      fail(ErrorKind::Input, "the argument for `" + std::string(param->hint) + "` is no `" + ir::to_string(type) + "`",
           {}, param->loc);
    }
  }
}

interp::Value HostValues::evaluate(const ir::Expr& e) {
  std::vector<const ir::Var*> read;
  ir::free_vars(e, read);
  for (const ir::Var* var : read) {
    if (var->type->is_list() && !environment_.values.contains(var))
      environment_.values[var] = as_values(lists_.at(var));
  }
  return evaluator_(e);
}

interp::Value HostValues::scalar(const ir::Expr& e) {
  if (e.kind == Kind::Size) return static_cast<std::int64_t>(size(*e.operands[0]));
  return evaluate(e);
}

HostGraph& HostValues::graph_of(const ir::Expr& e) {
  const ir::Var* var = ir::as<ir::Var>(&e);
  MATCHA_CHECK(var != nullptr, "a graph has a name");
  return graphs_.at(var);
}

std::uint64_t HostValues::size(const ir::Expr& e) {
  if (const ir::Var* var = ir::as<ir::Var>(&e)) return lists_.at(var).size;
  bool named = (e.kind == Kind::Vertices || e.kind == Kind::Edges) && e.operands[0]->kind == Kind::Var;
  if (named && e.kind == Kind::Vertices) return graph_of(*e.operands[0]).view.vertex_count;
  if (named && e.kind == Kind::Edges) return graph_of(*e.operands[0]).view.arc_count;
  return std::get<interp::ListPtr>(evaluate(e))->rows;
}

HostList HostValues::list(const ir::Expr& e) {
  if (const ir::Var* var = ir::as<ir::Var>(&e)) return lists_.at(var);
  bool named = (e.kind == Kind::Vertices || e.kind == Kind::Edges) && e.operands[0]->kind == Kind::Var;
  HostList result;
  if (named && e.kind == Kind::Vertices) {
    const HostGraph& graph = graph_of(*e.operands[0]);
    result.size = graph.view.vertex_count;
    result.kinds = {ElementKind::Vid};
    result.columns = {graph.view.vertices};
    return result;
  }
  if (named && e.kind == Kind::Edges) {
    HostGraph& graph = graph_of(*e.operands[0]);
    need(runtime::ensure_sources(*graph.graph), e.loc);
    graph.view.sources = graph.graph->view().sources;
    result.size = graph.view.arc_count;
    result.kinds = {ElementKind::Vid, ElementKind::Vid};
    result.columns = {graph.view.sources, graph.view.neighbors};
    return result;
  }
  return own(interp::list_result(*e.type, *std::get<interp::ListPtr>(evaluate(e))));
}

void HostValues::let(const ir::Let& s) {
  if (s.var->type->is_list()) {
    lists_[s.var] = list(*s.value);
  } else if (s.var->type->is_graph()) {
    graphs_[s.var] = graph_of(*s.value);
    environment_.values[s.var] = evaluate(*s.value);
  } else {
    environment_.values[s.var] = scalar(*s.value);
  }
}

void HostValues::build(const ir::BuildGraph& s) {
  HostList edges = list(*s.edges);
  HostList labels;
  HostList info;
  std::vector<std::uint64_t> words;
  runtime::BuildInput input;
  input.universe = std::shared_ptr<const runtime::Universe>(std::shared_ptr<void>(), &universe_);
  input.count = edges.size;
  input.sources = static_cast<const std::uint32_t*>(edges.columns[0]);
  input.targets = static_cast<const std::uint32_t*>(edges.columns[1]);
  input.index = s.index == ir::GraphIndex::Csr ? runtime::IndexKind::Csr : runtime::IndexKind::Hash;
  if (s.maybe_labels != nullptr) {
    labels = list(*s.maybe_labels);
    input.label_count = labels.size;
    input.label_vertices = static_cast<const std::uint32_t*>(labels.columns[0]);
    input.labels = static_cast<const std::int64_t*>(labels.columns[1]);
  }
  if (s.maybe_info != nullptr) {
    info = list(*s.maybe_info);
    if (info.size != edges.size) interp::trap(runtime::TrapCode::LengthMismatch, s.loc);
    words = info_words(info);
    input.edge_info = words.data();
    input.info_kind = info.kinds[0] == ElementKind::Float  ? runtime::InfoKind::Float
                      : info.kinds[0] == ElementKind::Bool ? runtime::InfoKind::Bool
                                                           : runtime::InfoKind::Int;
  }
  built_.push_back(std::make_unique<runtime::Graph>(need(runtime::build_graph(input), s.loc)));
  set(s.var, *built_.back(), s.maybe_labels != nullptr);
}

ListValue list_value(const HostList& list) {
  ListValue value;
  value.size = list.size;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    runtime::Column& column = value.columns.emplace_back(list.kinds[c]);
    if (!column.append(list.columns[c], list.size)) interp::trap(runtime::TrapCode::OutOfMemory, {});
  }
  return value;
}

}  // namespace matcha::codegen::gpu
