#include "tests/differential/outcome.h"

#include <utility>

#include "tests/differential/naive.h"

namespace matcha::differential {

namespace {

std::string cell(const runtime::Column& column, std::size_t row, const runtime::Universe& universe) {
  switch (column.kind()) {
    case runtime::ElementKind::Vid: return int_text(universe.id(column.view<std::uint32_t>()[row]));
    case runtime::ElementKind::Int: return int_text(column.view<std::int64_t>()[row]);
    case runtime::ElementKind::Float: return real_text(column.view<double>()[row]);
    case runtime::ElementKind::Bool: return column.view<std::uint8_t>()[row] != 0 ? "True" : "False";
  }
  return "?";
}

std::string result_text(const codegen::ResultValue& value, const runtime::Universe& universe) {
  if (const __int128* i = std::get_if<__int128>(&value)) return int_text(*i);
  if (const double* d = std::get_if<double>(&value)) return real_text(*d);
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "True" : "False";
  if (const codegen::VertexValue* v = std::get_if<codegen::VertexValue>(&value)) return int_text(universe.id(v->rank));
  const codegen::ListValue& list = std::get<codegen::ListValue>(value);
  std::string text;
  for (std::size_t row = 0; row < list.size; ++row) {
    std::string item;
    for (const runtime::Column& column : list.columns) item += (item.empty() ? "" : ", ") + cell(column, row, universe);
    text += (row == 0 ? "" : ", ") + (list.columns.size() == 1 ? item : "(" + item + ")");
  }
  return "[" + text + "]";
}

runtime::InputColumn ints(const std::vector<std::int64_t>& items, const ir::Type& type,
                          const runtime::Universe& universe) {
  if (!type.is_scalar(ir::ScalarKind::Vid)) return {runtime::ColumnKind::Int, {}, items, {}, {}};
  runtime::InputColumn column;
  for (std::int64_t id : items) column.ranks.push_back(universe.rank(id).value());
  return column;
}

}  // namespace

Outcome outcome_of(const codegen::RunOutcome& ended, const runtime::Universe& universe) {
  if (const codegen::RunError* error = std::get_if<codegen::RunError>(&ended)) return {true, error->error.message};
  const codegen::RunResult& result = std::get<codegen::RunResult>(ended);
  std::string text;
  for (const codegen::ResultValue& value : result.values) {
    text += (text.empty() ? "" : ", ") + result_text(value, universe);
  }
  const bool complete = result.ending == codegen::Ending::Complete;
  return {false, (complete ? "" : "incomplete: ") + (result.values.size() == 1 ? text : "(" + text + ")")};
}

Arguments::Arguments(const World& world, runtime::Graph& graph, const ir::Module& module) {
  for (const ir::Var* param : module.params) add(world, graph, std::string(param->hint), *param->type);
}

void Arguments::add(const World& world, runtime::Graph& graph, const std::string& name, const ir::Type& type) {
  if (name == "G") return arguments_.push_back(&graph);
  if (name == "k") return arguments_.push_back(world.k);
  if (name == "r") return arguments_.push_back(world.r);
  if (name == "c") return arguments_.push_back(world.c);
  std::unique_ptr<runtime::InputList> list = std::make_unique<runtime::InputList>();
  if (name == "F") {
    list->columns.push_back({runtime::ColumnKind::Float, {}, {}, world.reals, {}});
    list->size = world.reals.size();
  } else if (name == "E") {
    std::vector<std::int64_t> sources, targets;
    for (const auto& [u, v] : world.pairs) {
      sources.push_back(u);
      targets.push_back(v);
    }
    list->columns = {ints(sources, *type.columns[0], graph.universe()),
                     ints(targets, *type.columns[1], graph.universe())};
    list->size = sources.size();
  } else {
    const std::vector<std::int64_t>& items = name == "T" ? world.times : world.items;
    list->columns = {ints(items, *type.columns[0], graph.universe())};
    list->size = items.size();
  }
  arguments_.push_back(list.get());
  lists_.push_back(std::move(list));
}

}  // namespace matcha::differential
