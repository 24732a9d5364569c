#include "session/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "runtime/graph/mtg.h"

namespace matcha::session {

namespace {

using frontend::Type;
using Param = Signature::Param;

/// The name under which a graph is loaded for its labels only; no parameter is called so.
constexpr const char* kLabelGraph = "--labels";

bool is_edge_list(const Type& type) {
  return type.is_list() && type.elem->is_uniform_tuple() && type.elem->positions.size() == 2 &&
         type.elem->positions[0]->kind == Type::Kind::Int;
}

/// How to give a parameter its input, for messages.
std::string how_to_bind(const Param& param) {
  const Type& type = *param.type;
  if (type.is_graph()) return fmt::format("--in {}=FILE", param.name);
  if (!type.is_list()) return fmt::format("--param {}=VALUE", param.name);
  if (!type.elem->is_tuple()) return fmt::format("--in {}=FILE:COLUMN", param.name);
  std::vector<std::string> columns;
  for (std::uint32_t i = 0; i < type.elem->positions.size(); ++i) columns.push_back(std::to_string(i));
  return fmt::format("--in {}=FILE:{}", param.name, fmt::join(columns, ","));
}

std::optional<codegen::Argument> parse_scalar(const std::string& text, const Type& type) {
  const char* const end = text.data() + text.size();
  if (type.kind == Type::Kind::Bool) {
    if (text == "true" || text == "True" || text == "1") return true;
    if (text == "false" || text == "False" || text == "0") return false;
    return std::nullopt;
  }
  if (type.kind == Type::Kind::Int) {
    std::int64_t value = 0;
    const std::from_chars_result read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
  }
  double value = 0;
  const std::from_chars_result read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

class Planner {
 public:
  Planner(const Signature& program, const BindOptions& options, const Reporter& reporter)
      : program_(program), options_(options), reporter_(reporter) {
    plan_.params.resize(program.params.size());
  }

  std::optional<BindPlan> run() {
    for (const std::string& input : options_.inputs) bind_input(input);
    for (std::size_t i = 0; i < plan_.params.size(); ++i) {
      const ParamPlan& list = plan_.params[i];
      const bool is_sorted = list.kind == ParamPlan::Kind::List && is_edge_list(*program_.params[i].type) &&
                             runtime::is_mtg_file(list.list.path);
      if (is_sorted) check_order(i, list.list.path);
    }
    for (const std::string& param : options_.params) bind_param(param);
    if (!options_.graph.empty() && !options_.table.sql.empty()) {
      fail(fmt::format("`--graph-sql` and `{}` are both the graph", options_.graph), "leave one out");
    } else if (!options_.graph.empty() || !options_.table.sql.empty()) {
      bind_graph();
    }
    bind_defaults();
    if (ok_) report_unbound();
    if (ok_ && options_.table.gives_labels()) bind_labels();
    if (!ok_ || options_.table.check(reporter_) != Status::Ok) return std::nullopt;
    plan_.reads_ids = program_.reads_ids;
    return std::move(plan_);
  }

 private:
  void fail(const std::string& message, const std::string& hint = {}) {
    reporter_.error(Status::Usage, message, hint);
    ok_ = false;
  }

  /// The index of the parameter that `text` names before its `=`; the part after the `=` goes to `value`.
  std::optional<std::size_t> target(std::string_view option, const std::string& text, std::string& value) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      fail(fmt::format("`{} {}` is not of the form NAME={}", option, text, option == "--in" ? "FILE" : "VALUE"));
      return std::nullopt;
    }
    const std::string name = text.substr(0, equals);
    value = text.substr(equals + 1);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < program_.params.size(); ++i) {
      names.push_back(program_.params[i].name);
      if (program_.params[i].name != name) continue;
      if (plan_.params[i].kind == ParamPlan::Kind::None) return i;
      fail(fmt::format("parameter `{}` is bound twice", name));
      return std::nullopt;
    }
    const std::string near = nearest_word(name, names);
    fail(fmt::format("`{}` has no parameter `{}`", program_.entry, name),
         !near.empty()   ? fmt::format("did you mean `{}`?", near)
         : names.empty() ? "it has no parameters"
                         : fmt::format("its parameters are: {}", fmt::join(names, ", ")));
    return std::nullopt;
  }

  runtime::GraphSpec graph_spec(std::size_t index, std::string path) {
    const Type& type = *program_.params[index].type;
    runtime::GraphSpec spec;
    spec.name = program_.params[index].name;
    spec.columns = take_columns(path);
    spec.path = path;
    spec.directed = options_.directed;
    if (type.is_graph() && type.elem != nullptr) {
      spec.edge_info = true;
      spec.temporal = options_.temporal;
      spec.info = type.elem->kind == Type::Kind::Float ? runtime::ColumnKind::Float : runtime::ColumnKind::Label;
    } else {
      spec.simple = type.is_graph();
    }
    spec.may_lack_info = options_.may_lack_info;
    options_.table.put_into(spec);
    spec.keep_loops = options_.keep_loops;
    spec.keep_repeats = options_.keep_repeats;
    spec.may_skip_info = options_.may_skip_info;
    const bool directed = spec.directed || runtime::is_mtg_file(spec.path);
    if (spec.keep_loops && (!directed || spec.temporal)) {
      fail("`--keep-loops` is for directed graphs that are not temporal", directed ? "" : "add `--directed`");
    }
    const std::size_t wanted = spec.edge_info ? 3 : 2;
    const bool lacks_info = spec.may_lack_info && spec.columns.size() == 2;
    if (!spec.columns.empty() && spec.columns.size() != wanted && !lacks_info) {
      fail(fmt::format("parameter `{}` needs {} columns, {} {} given for `{}`", spec.name, wanted, spec.columns.size(),
                       spec.columns.size() == 1 ? "is" : "are", path),
           spec.edge_info ? "the ends of an edge and what is known of it: --edge-label COLUMN" : "the ends of an edge");
    }
    return spec;
  }

  /// The content of a `.mtg` is known when it is read.
  void check_arcs(std::size_t index) {
    ParamPlan& plan = plan_.params[index];
    plan.needs_arcs = program_.params[index].needs_arcs;
    plan.needs_symmetry = program_.params[index].needs_symmetry;
    if (options_.in_memory || runtime::is_mtg_file(plan.graph.path)) return;
    if (plan.needs_symmetry && plan.graph.directed) {
      fail(fmt::format("`{}` is for graphs in which each edge goes both ways, and `{}` is directed", program_.entry,
                       program_.params[index].name),
           "leave out --directed");
    }
    if (!plan.needs_arcs || plan.graph.directed) return;
    fail(fmt::format("`{}` asks for the arcs of `{}`, and the graph would lose its own", program_.entry,
                     program_.params[index].name),
         "add --directed");
  }

  /// The kinds of the columns of a list parameter, as the module wants them; none for a column of bools.
  std::optional<std::vector<runtime::ColumnKind>> column_kinds(std::size_t index) {
    std::vector<runtime::ColumnKind> kinds;
    for (const std::optional<runtime::ColumnKind>& kind : program_.params[index].columns) {
      if (!kind) {
        fail(fmt::format("parameter `{}` has type `{}`; bools cannot be read from a file", program_.params[index].name,
                         to_string(*program_.params[index].type)));
        return std::nullopt;
      }
      kinds.push_back(*kind);
    }
    return kinds;
  }

  void bind_input(const std::string& text) {
    std::string path;
    const std::optional<std::size_t> index = target("--in", text, path);
    if (!index) return;
    const Param& param = program_.params[*index];
    ParamPlan& plan = plan_.params[*index];
    if (param.type->is_graph()) {
      plan.kind = ParamPlan::Kind::Graph;
      plan.graph = graph_spec(*index, path);
      check_arcs(*index);
      return;
    }
    if (!param.type->is_list()) {
      return fail(
          fmt::format("parameter `{}` has type `{}` and is not read from a file", param.name, to_string(*param.type)),
          fmt::format("write `--param {}=VALUE`", param.name));
    }
    const std::vector<runtime::ColumnRef> columns = take_columns(path);
    const std::optional<std::vector<runtime::ColumnKind>> kinds = column_kinds(*index);
    if (!kinds) return;
    if (!columns.empty() && columns.size() != kinds->size()) {
      return fail(fmt::format("parameter `{}` has type `{}`, which takes {} column{}; `--in {}` names {}", param.name,
                              to_string(*param.type), kinds->size(), kinds->size() == 1 ? "" : "s", text,
                              columns.size()));
    }
    plan.kind = ParamPlan::Kind::List;
    plan.list.name = param.name;
    plan.list.path = path;
    plan.list.is_named = !columns.empty();
    for (unsigned i = 0; i < kinds->size(); ++i) {
      const runtime::ColumnRef column = columns.empty() ? runtime::ColumnRef(i) : columns[i];
      plan.list.columns.push_back(runtime::ColumnSpec{column.index, (*kinds)[i], column.name});
    }
    plan.list.table = options_.table.options();
  }

  void bind_param(const std::string& text) {
    std::string value;
    const std::optional<std::size_t> index = target("--param", text, value);
    if (!index) return;
    const Param& param = program_.params[*index];
    if (!param.type->is_scalar()) {
      return fail(fmt::format("parameter `{}` has type `{}` and takes a file", param.name, to_string(*param.type)),
                  fmt::format("write `{}`", how_to_bind(param)));
    }
    const std::optional<codegen::Argument> parsed = parse_scalar(value, *param.type);
    if (!parsed) {
      return fail(fmt::format("`{}` is no {} for parameter `{}`", value, to_string(*param.type), param.name));
    }
    plan_.params[*index].kind = ParamPlan::Kind::Scalar;
    plan_.params[*index].scalar = *parsed;
  }

  /// The unbound parameters that `accepts`.
  template <typename Accepts>
  std::vector<std::size_t> candidates(Accepts accepts) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < program_.params.size(); ++i) {
      if (plan_.params[i].kind == ParamPlan::Kind::None && accepts(*program_.params[i].type)) found.push_back(i);
    }
    return found;
  }

  void bind_graph() {
    std::vector<std::size_t> found = candidates([](const Type& type) { return type.is_graph(); });
    if (found.empty()) found = candidates(is_edge_list);
    if (found.empty()) {
      return fail(fmt::format("`{}` has no parameter left for the graph `{}`", program_.entry, options_.graph),
                  "the graph goes to the one parameter that is a `Graph` or a list of edges");
    }
    if (found.size() > 1) {
      std::vector<std::string> ways;
      for (std::size_t index : found) ways.push_back(how_to_bind(program_.params[index]));
      return fail(fmt::format("`{}` has {} parameters that the graph `{}` could be for", program_.entry, found.size(),
                              options_.graph),
                  fmt::format("name them: {}", fmt::join(ways, " ")));
    }
    ParamPlan& plan = plan_.params[found[0]];
    plan.graph = graph_spec(found[0], options_.graph);
    if (program_.params[found[0]].type->is_graph()) {
      plan.kind = ParamPlan::Kind::Graph;
      check_arcs(found[0]);
      return;
    }
    const std::optional<std::vector<runtime::ColumnKind>> kinds = column_kinds(found[0]);
    if (!kinds) return;
    check_order(found[0], "");
    plan.kind = ParamPlan::Kind::GraphEdges;
    plan.columns = *kinds;
  }

  /// Edges of a graph are sorted and each is kept once, so a list in the order of a file, such as times, would give its
  /// values to other edges. `path`: the file of the edges; a list read from it has their order.
  void check_order(std::size_t edges, const std::string& path) {
    for (std::size_t i = 0; i < plan_.params.size(); ++i) {
      const ParamPlan& list = plan_.params[i];
      if (list.kind != ParamPlan::Kind::List || is_edge_list(*program_.params[i].type)) continue;
      if (!path.empty() && list.list.path == path) continue;
      const std::string& name = program_.params[edges].name;
      fail(fmt::format("`{}` would be the sorted edges of a graph, and `{}` has a row for each line of its file", name,
                       program_.params[i].name),
           fmt::format("give the edges as a list, too: `{}`; in Python `{}=…`", how_to_bind(program_.params[edges]),
                       name));
    }
  }

  void bind_defaults() {
    for (std::size_t i = 0; i < program_.params.size(); ++i) {
      const Param& param = program_.params[i];
      if (plan_.params[i].kind != ParamPlan::Kind::None || !param.default_value) continue;
      plan_.params[i].kind = ParamPlan::Kind::Scalar;
      plan_.params[i].scalar = *param.default_value;
    }
  }

  void report_unbound() {
    std::vector<const Param*> unbound;
    for (std::size_t i = 0; i < program_.params.size(); ++i) {
      if (plan_.params[i].kind == ParamPlan::Kind::None) unbound.push_back(&program_.params[i]);
    }
    if (unbound.empty()) return;
    std::vector<std::string> names, ways;
    for (const Param* param : unbound) {
      names.push_back(fmt::format("`{}: {}`", param->name, to_string(*param->type)));
      ways.push_back(how_to_bind(*param));
    }
    const bool takes_graph = unbound.size() == 1 && (unbound[0]->type->is_graph() || is_edge_list(*unbound[0]->type));
    fail(fmt::format("`{}` needs {}: nothing is bound to {}", program_.entry,
                     unbound.size() == 1 ? "an input" : "inputs", fmt::join(names, " and ")),
         takes_graph ? fmt::format("give a graph file after the program, or `{}`", ways[0])
                     : fmt::format("add `{}`", fmt::join(ways, " ")));
  }

  /// Labels of a run without a graph are those of the vertices of its first list of edges.
  void bind_labels() {
    const ParamPlan* edges = nullptr;
    for (const ParamPlan& plan : plan_.params) {
      if (plan.kind == ParamPlan::Kind::Graph || plan.kind == ParamPlan::Kind::GraphEdges) return;
      const std::vector<runtime::ColumnSpec>& columns = plan.list.columns;
      if (edges == nullptr && columns.size() >= 2 && columns[0].index == 0 && columns[1].index == 1 &&
          columns[0].kind == runtime::ColumnKind::Vertex && columns[1].kind == runtime::ColumnKind::Vertex) {
        edges = &plan;
      }
    }
    if (edges == nullptr)
      return fail(fmt::format("`{}` needs a graph or a list of edges to label",
                              options_.table.labels.empty() ? "--label" : "--labels"));
    runtime::GraphSpec spec;
    spec.name = kLabelGraph;
    spec.path = edges->list.path;
    if (edges->list.is_named) spec.columns = {0U, 1U};
    spec.directed = true;
    options_.table.put_into(spec);
    plan_.label_graph = spec;
  }

  const Signature& program_;
  const BindOptions& options_;
  const Reporter& reporter_;
  BindPlan plan_;
  bool ok_ = true;
};

}  // namespace

bool binds_mtg(const BindOptions& options) {
  if (runtime::is_mtg_file(options.graph)) return true;
  return std::ranges::any_of(options.inputs, [](const std::string& input) {
    const std::size_t equals = input.find('=');
    return equals != std::string::npos && runtime::is_mtg_file(input.substr(equals + 1));
  });
}

bool reads_small_graph(const BindOptions& options) {
  constexpr std::uint64_t kMostText = std::uint64_t{64} << 20, kMostMapped = std::uint64_t{1} << 30;
  if (options.graph.empty() || !options.inputs.empty()) return false;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(options.graph, problem)) return true;
  const std::uint64_t bytes = std::filesystem::file_size(options.graph, problem);
  if (problem || bytes > kMostMapped) return false;
  return bytes <= kMostText || runtime::is_mtg_file(options.graph);
}

std::optional<BindPlan> plan_binding(const Signature& program, const BindOptions& options, const Reporter& reporter) {
  return Planner(program, options, reporter).run();
}

runtime::Status check_ids(const BindPlan& plan, const runtime::Universe& universe) {
  const bool wants_numbers = plan.reads_ids || std::ranges::any_of(plan.params, [](const ParamPlan& param) {
                               return param.kind == ParamPlan::Kind::GraphEdges &&
                                      std::ranges::find(param.columns, runtime::ColumnKind::Int) != param.columns.end();
                             });
  const bool are_numbers = universe.kind() == runtime::IdKind::Int && !universe.are_places();
  if (!wants_numbers || are_numbers) return runtime::Done{};
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.message = fmt::format("the program computes with ids as numbers, and {}",
                              universe.are_places()                      ? "some of its inputs' are no ints of 64 bits"
                              : universe.kind() == runtime::IdKind::Text ? "those of its inputs are text"
                                                                         : "some of its inputs' are beyond 64 bits");
  error.hint = "compare vertices, or give it inputs whose ids are integers";
  return error;
}

runtime::Result<runtime::InputList> edges_as(const runtime::Graph& graph,
                                             const std::vector<runtime::ColumnKind>& columns) {
  runtime::InputList list = MATCHA_TRY(runtime::edge_list(graph));
  list.columns.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    runtime::InputColumn& column = list.columns[c];
    if (columns[c] != runtime::ColumnKind::Int || column.kind != runtime::ColumnKind::Vertex) continue;
    column.ints.reserve(column.ranks.size());
    for (std::uint32_t rank : column.ranks) column.ints.push_back(graph.universe().id(rank));
    column.ranks.clear();
    column.kind = runtime::ColumnKind::Int;
  }
  return list;
}

namespace {

runtime::Error without_arcs(const std::string& path) {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.message = "the program asks for the arcs of the graph, and the .mtg keeps none";
  error.file = path;
  error.hint = "make it with `matcha graph convert --directed`";
  return error;
}

runtime::Error without_symmetry(const std::string& path, const std::string& entry) {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.message = fmt::format("`{}` is for graphs in which each edge goes both ways, and the .mtg is directed", entry);
  error.file = path;
  error.hint = "make one with `matcha graph convert`, without --directed";
  return error;
}

}  // namespace

runtime::Status load_inputs(const Signature& program, const BindPlan& plan, const runtime::IoOptions& options,
                            BoundInputs& out) {
  runtime::InputSet set(options);
  for (const ParamPlan& param : plan.params) {
    runtime::Status added = runtime::Done{};
    if (param.kind == ParamPlan::Kind::List) added = set.add_list(param.list);
    if (param.kind == ParamPlan::Kind::Graph || param.kind == ParamPlan::Kind::GraphEdges) {
      added = set.add_graph(param.graph);
      if (out.main_graph.empty()) out.main_graph = param.graph.name;
    }
    if (!added) return added;
  }
  if (plan.label_graph) {
    MATCHA_TRY(set.add_graph(*plan.label_graph));
  }
  out.inputs = MATCHA_TRY(set.finish());
  MATCHA_TRY(check_ids(plan, *out.inputs.universe));

  for (std::size_t i = 0; i < plan.params.size(); ++i) {
    const std::string& name = program.params[i].name;
    const ParamPlan& param = plan.params[i];
    switch (param.kind) {
      case ParamPlan::Kind::Graph: {
        runtime::Graph& graph = out.inputs.graphs.at(name);
        if (param.needs_arcs && !graph.facts().directed) return without_arcs(param.graph.path);
        if (param.needs_symmetry && graph.facts().directed) return without_symmetry(param.graph.path, program.entry);
        out.arguments.emplace_back(&graph);
        break;
      }
      case ParamPlan::Kind::List:
        out.arguments.emplace_back(static_cast<const runtime::InputList*>(&out.inputs.lists.at(name)));
        break;
      case ParamPlan::Kind::GraphEdges: {
        runtime::InputList edges = MATCHA_TRY(edges_as(out.inputs.graphs.at(name), param.columns));
        out.edge_lists.emplace(name, std::move(edges));
        out.arguments.emplace_back(static_cast<const runtime::InputList*>(&out.edge_lists.at(name)));
        break;
      }
      case ParamPlan::Kind::Scalar:
      case ParamPlan::Kind::None: out.arguments.push_back(param.scalar); break;
    }
  }
  const auto labelled = out.inputs.graphs.find(plan.label_graph ? kLabelGraph : out.main_graph);
  if (labelled != out.inputs.graphs.end()) out.labels = labelled->second.view().labels;
  return runtime::Done{};
}

bool BoundInputs::all_labelled() const {
  return std::ranges::all_of(inputs.graphs, [](const auto& named) { return named.second.facts().labelled; });
}

}  // namespace matcha::session
