#include "tools/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "runtime/graph/mtg.h"
#include "session/options.h"
#include "tools/numbers.h"

namespace matcha::tools {

namespace {

/// A variable with an absolute path; the XDG specification has relative ones ignored.
std::string folder_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : "";
}

std::string cache_folder(const char* part) {
  const char* chosen = std::getenv("MATCHA_CACHE_DIR");
  if (chosen != nullptr && *chosen != '\0') return std::string(chosen) + "/" + part;
  if (const std::string xdg = folder_variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/matcha/" + part;
  if (const std::string home = folder_variable("HOME"); !home.empty()) return home + "/.cache/matcha/" + part;
  return "";
}

using Takes = Option::Takes;

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& given) { return given.empty() ? "there is no pattern" : std::string(); }, "");
}

CLI::Validator device_count() {
  const auto check = [](std::string& text) {
    return text == "0" ? std::string("there is no run on 0 GPUs") : std::string();
  };
  return CLI::Validator(check, "");
}

/// As CLI::IsMember, and says which value was meant. Completions read the values in the description.
CLI::Validator one_of_values(const Option& row) {
  const std::vector<std::string> words = row.values();
  const auto check = [&row, words](std::string& given) {
    if (std::ranges::find(words, given) != words.end()) return std::string();
    return fmt::format("`{}`: {}", given, row.hint_for(given));
  };
  return CLI::Validator(check, fmt::format("{{{}}}", fmt::join(words, ",")));
}

using Targets = std::shared_ptr<const OptionTargets>;

CLI::Option* add_row(CLI::App& verb, const Option& row, const std::string& name, const Targets& to) {
  const auto take = [&row, to, name](const std::string& value) {
    if (!row.take(*to, value)) throw CLI::ValidationError(name, fmt::format("`{}`: {}", value, row.hint_for(value)));
  };
  if (row.takes == Takes::Flag)
    return verb.add_flag_callback(
        name, [take] { take("true"); }, row.text);
  if (row.repeats) {
    const auto take_all = [take](const std::vector<std::string>& values) { std::ranges::for_each(values, take); };
    return verb.add_option_function<std::vector<std::string>>(name, take_all, row.text)->allow_extra_args(false);
  }
  return verb.add_option_function<std::string>(name, take, row.text);
}

CLI::Option* add_table_option(CLI::App& verb, const Option& row, const std::string& name, const Targets& to) {
  CLI::Option* const option = add_row(verb, row, name, to)->group(row.group);
  if (*row.variable != '\0') option->envname(row.variable);
  if (row.repeats && row.step == Option::ReadBy::Pattern) option->check(not_empty());
  switch (row.takes) {
    case Takes::Flag:
    case Takes::Object: break;
    case Takes::Number: return option->transform(whole_number(row.least, row.most))->type_name("N");
    case Takes::Bytes: return option->transform(byte_count())->type_name("BYTES");
    case Takes::Seconds: return option->check(seconds())->type_name("SECONDS");
    case Takes::Mib: return option->type_name("N");
    case Takes::Time:
    case Takes::Wait: return option->type_name("TIME");
    case Takes::Word:
      if (row.words != nullptr)
        option->description(fmt::format("{}; one of {}", row.text, fmt::join(row.words(), ", ")));
      return option->check(one_of_values(row))->option_text(row.shown);
    case Takes::Devices: return option->check(device_count())->type_name("N|all");
    case Takes::Text: return option->type_name(row.shown);
  }
  return option;
}

}  // namespace

void add_options(CLI::App& verb, Verb which, const OptionTargets& to) {
  const Targets kept = std::make_shared<const OptionTargets>(to);
  for (const Option& row : session::options()) {
    const std::string name = std::string("--") + row.name;
    if ((row.verbs & which) == 0 || verb.get_option_no_throw(name) != nullptr) continue;
    add_table_option(verb, row, name, kept);
  }
}

CLI::Option* add_option(CLI::App& verb, Verb which, const char* option, const OptionTargets& to, const char* name) {
  const auto row = std::ranges::find_if(session::options(), [&](const Option& each) {
    return std::string_view(option) == each.name && (each.verbs & which) != 0;
  });
  return add_table_option(verb, *row, name, std::make_shared<const OptionTargets>(to));
}

void need_pattern(CLI::App& verb) {
  CLI::Option* const pattern = verb.get_option("--pattern");
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_group() == pattern->get_group() && option != pattern) option->needs(pattern);
  }
}

void add_program_file(CLI::App& verb, CompileOptions& options) {
  verb.add_option("FILE", options.file, "The program (.mt); `-` reads standard input")->required()->type_name("");
}

void add_graph_file(CLI::App& verb, BindOptions& options) {
  verb.add_option("GRAPH", options.graph, "The graph, for the one parameter that is a Graph or a list of edges")
      ->type_name("");
}

void put_targets(OptionTargets& to, BindOptions& options) {
  to.inputs = &options.inputs;
  to.params = &options.params;
  to.table = &options.table;
  to.directed = &options.directed;
  to.keep_loops = &options.keep_loops;
  to.temporal = &options.temporal;
}

void put_targets(OptionTargets& to, GraphInput& input) {
  to.inputs = &input.inputs;
  to.table = &input.table;
  to.directed = &input.directed;
  to.keep_loops = &input.keep_loops;
  to.edge_labels = &input.edge_labels;
}

runtime::GraphSpec GraphInput::spec_of(std::string name, std::string path) const {
  runtime::GraphSpec spec;
  spec.name = std::move(name);
  spec.path = std::move(path);
  spec.columns = take_columns(spec.path);
  spec.directed = directed;
  spec.edge_info = edge_labels || !table.edge_label.empty() || spec.columns.size() == 3;
  spec.keep_loops = keep_loops;
  table.put_into(spec);
  return spec;
}

std::vector<runtime::GraphSpec> GraphInput::specs() const {
  std::vector<runtime::GraphSpec> found;
  if (!path.empty() || !table.sql.empty()) found.push_back(spec_of("", path));
  for (const std::string& input : inputs) {
    const std::size_t equals = input.find('=');
    found.push_back(spec_of(input.substr(0, equals), input.substr(equals + 1)));
  }
  return found;
}

Status GraphInput::check(const Console& console) const {
  if (!path.empty() && !table.sql.empty()) {
    return console.error(Status::Usage, fmt::format("`--graph-sql` and `{}` are both the graph", path),
                         "leave one out");
  }
  for (const std::string& input : inputs) {
    const std::size_t equals = input.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == input.size()) {
      return console.error(Status::Usage, fmt::format("`--in {}` is not of the form NAME=FILE", input));
    }
    const std::string_view name = std::string_view(input).substr(0, equals + 1);
    if (std::ranges::count_if(inputs, [&](const std::string& other) { return other.starts_with(name); }) > 1) {
      return console.error(Status::Usage, fmt::format("parameter `{}` is bound twice", name.substr(0, equals)));
    }
  }
  for (const runtime::GraphSpec& spec : specs()) {
    if (keep_loops && !directed && !runtime::is_mtg_file(spec.path)) {
      return console.error(Status::Usage, "`--keep-loops` is for directed graphs", "add `--directed`");
    }
    if (spec.columns.size() == 1 || spec.columns.size() > 3) {
      return console.error(
          Status::Usage,
          fmt::format("a graph has 2 columns, or 3 with labels of edges; {} are named", spec.columns.size()),
          "write `FILE:src,dst` or `FILE:src,dst,label`");
    }
  }
  return table.check(console);
}

runtime::Result<ResidentGraph::Shared> GraphInput::read(const std::atomic<bool>* maybe_cancel) const {
  std::vector<ResidentGraph::Named> graphs;
  for (const runtime::GraphSpec& spec : specs()) {
    ResidentGraph::Shared read = MATCHA_TRY(ResidentGraph::read(spec, maybe_cancel));
    graphs.push_back({spec.name, std::move(read)});
  }
  return inputs.empty() ? graphs.front().graph : ResidentGraph::join(graphs);
}

std::string code_folder() { return cache_folder("code"); }

std::string tuning_folder() { return cache_folder("tuned"); }

std::string library_folder() { return cache_folder("lib"); }

}  // namespace matcha::tools
