#include <cstring>
#include <string>
#include <utility>

#include "codegen/assumptions.h"
#include "codegen/interp/runner.h"

/// The inputs of a run: arguments, and the graphs that a program builds.
namespace matcha::codegen::interp {

namespace {

using ir::ScalarKind;

bool fits(const runtime::InputList& list, const ir::Type& type) {
  if (!type.is_flat_list() || list.columns.size() != type.columns.size()) return false;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    ScalarKind wanted = ScalarKind::Vid;
    if (list.columns[c].kind == runtime::ColumnKind::Int) wanted = ScalarKind::I64;
    if (list.columns[c].kind == runtime::ColumnKind::Float) wanted = ScalarKind::F64;
    if (!type.columns[c]->is_scalar(wanted)) return false;
  }
  return true;
}

/// The words of 8 bytes in which a graph stores a list of edge information.
std::vector<std::uint64_t> info_words(const List& list, runtime::InfoKind& kind) {
  std::vector<std::uint64_t> words;
  kind = runtime::InfoKind::Int;
  for (const Value& value : list.columns[0]) {
    std::uint64_t word = 0;
    if (const double* real = std::get_if<double>(&value)) {
      std::memcpy(&word, real, sizeof word);
      kind = runtime::InfoKind::Float;
    } else if (const bool* truth = std::get_if<bool>(&value)) {
      word = *truth ? 1 : 0;
      kind = runtime::InfoKind::Bool;
    } else if (const Vid* vertex = std::get_if<Vid>(&value)) {
      word = vertex->rank;
    } else {
      word = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
    }
    words.push_back(word);
  }
  return words;
}

std::vector<std::uint32_t> ranks(const std::vector<Value>& column) {
  std::vector<std::uint32_t> result;
  for (const Value& value : column) result.push_back(std::get<Vid>(value).rank);
  return result;
}

}  // namespace

GraphPtr Runner::graph_value(const runtime::Graph& graph) const {
  std::shared_ptr<GraphValue> value = std::make_shared<GraphValue>();
  value->view = graph.view();
  if (value->view.labels == nullptr) value->view.labels = options_.labels;
  return value;
}

void Runner::bind(std::span<const Argument> arguments) {
  if (arguments.size() != module_.params.size()) {
    trap("the program takes " + std::to_string(module_.params.size()) + " arguments", {});
  }
  if (std::optional<RunError> broken = broken_assumption(assumed_arguments(module_), arguments, options_.labels))
    throw Trap{std::move(broken->error), broken->loc};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Var* param = module_.params[i];
    const ir::Type& type = *param->type;
    Value& value = environment_.values[param];
    if (const std::int64_t* integer = std::get_if<std::int64_t>(&arguments[i])) {
      if (type.is_scalar(ScalarKind::I64)) value = *integer;
      if (type.is_scalar(ScalarKind::F64)) value = static_cast<double>(*integer);
    } else if (const double* real = std::get_if<double>(&arguments[i])) {
      if (type.is_scalar(ScalarKind::F64)) value = *real;
    } else if (const bool* truth = std::get_if<bool>(&arguments[i])) {
      if (type.is_scalar(ScalarKind::Bool)) value = *truth;
    } else if (runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&arguments[i])) {
      if (type.is_graph()) value = graph_value(**graph);
    } else {
      const runtime::InputList& list = *std::get<const runtime::InputList*>(arguments[i]);
      if (fits(list, type)) value = list_argument(list);
    }
    if (std::holds_alternative<std::monostate>(value)) {
      trap("the argument for `" + std::string(param->hint) + "` has another type", param->loc);
    }
  }
}

void Runner::build_graph(const ir::BuildGraph& s) {
  ListPtr edges = std::get<ListPtr>(evaluate_(*s.edges));
  std::vector<std::uint32_t> sources = ranks(edges->columns[0]);
  std::vector<std::uint32_t> targets = ranks(edges->columns[1]);
  runtime::BuildInput input;
  input.universe = std::shared_ptr<const runtime::Universe>(std::shared_ptr<void>(), &environment_.universe);
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = edges->rows;
  input.index = s.index == ir::GraphIndex::Csr ? runtime::IndexKind::Csr : runtime::IndexKind::Hash;
  input.by_info = s.order == ir::RowOrder::Info;
  std::vector<std::uint32_t> labelled;
  std::vector<std::int64_t> labels;
  if (s.maybe_labels != nullptr) {
    ListPtr pairs = std::get<ListPtr>(evaluate_(*s.maybe_labels));
    labelled = ranks(pairs->columns[0]);
    for (const Value& label : pairs->columns[1]) labels.push_back(std::get<std::int64_t>(label));
    input.label_vertices = labelled.data();
    input.labels = labels.data();
    input.label_count = pairs->rows;
  }
  std::vector<std::uint64_t> info;
  if (s.maybe_info != nullptr) {
    ListPtr items = std::get<ListPtr>(evaluate_(*s.maybe_info));
    if (items->rows != edges->rows) trap(runtime::TrapCode::LengthMismatch, s.loc);
    info = info_words(*items, input.info_kind);
    input.edge_info = info.data();
  }
  runtime::Result<runtime::Graph> graph = runtime::build_graph(input);
  if (!graph) throw Trap{graph.error(), s.loc};
  graphs_.push_back(std::make_unique<runtime::Graph>(std::move(*graph)));
  GraphPtr value = graph_value(*graphs_.back());
  if (s.maybe_labels != nullptr && graphs_.back()->view().labels == nullptr) {
    // An empty list of labels gives no labels; the labels of the run are only for graphs without a list.
    std::shared_ptr<GraphValue> bare = std::make_shared<GraphValue>(*value);
    bare->view.labels = nullptr;
    value = bare;
  }
  environment_.values[s.var] = value;
}

}  // namespace matcha::codegen::interp
