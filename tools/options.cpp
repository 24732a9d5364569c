#include "tools/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/graph/mtg.h"
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

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& given) { return given.empty() ? "there is no pattern" : std::string(); }, "");
}

}  // namespace

void add_program_options(CLI::App& verb, CompileOptions& options) {
  verb.add_option("FILE", options.file, "The program (.mt); `-` reads standard input")->required()->type_name("");
  verb.add_option("--entry", options.entry, "The function to compile; default: `main`, else the last one of the file")
      ->type_name("NAME");
}

namespace {

/// `demand (now prune-by-degree), …`.
std::string old_pass_names() {
  std::string names;
#define MATCHA_PASS_ALIAS(old_name, name) names += std::string(names.empty() ? "" : ", ") + old_name " (now " name ")";
#include "passes/passes.def"
  return names;
}

}  // namespace

void add_pass_options(CLI::App& verb, CompileOptions& options) {
  verb.add_option("--passes", options.passes,
                  "The passes to run, such as `fuse,plan-memory`; `cpu` is the default list. Old names, until 0.3: " +
                      old_pass_names())
      ->type_name("LIST")
      ->group("Passes");
  verb.add_option("--disable-pass", options.disabled, "Leave this pass out; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group("Passes");
}

void add_input_meaning(CLI::App& verb, std::vector<std::string>& params, TableBinding& table, bool& directed) {
  verb.add_option("--param", params, "Bind an int, float or bool")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE")
      ->group("Inputs");
  add_table_options(verb, table);
  verb.add_option("--labels", table.labels, "Vertex labels: one a line, or `id label`")
      ->type_name("FILE")
      ->group("Inputs");
  verb.add_flag("--directed", directed, "Keep arcs instead of making graphs symmetric")->group("Inputs");
}

void add_cpu_options(CLI::App& verb, const CpuOptions& options) {
  verb.add_option("--tier", options.tier,
                  "How a CPU runs it: at once by a plan, by compiled code, or auto: so until there is compiled code")
      ->check(CLI::IsMember({"auto", "interp", "native"}))
      ->option_text("auto|interp|native")
      ->group("How to run");
  add_number(verb, "--threads", options.threads, "Threads; 0: as many as there are")
      ->envname("MATCHA_NUM_THREADS")
      ->group("How to run");
  verb.add_option("--simd", options.simd, "scalar, avx2, avx512 or avx512-vp2intersect; default: the best there is")
      ->type_name("TIER")
      ->group("How to run");
  add_order_option(verb, options.order);
}

void add_bind_options(CLI::App& verb, BindOptions& options) {
  verb.add_option("GRAPH", options.graph, "The graph, for the one parameter that is a Graph or a list of edges")
      ->type_name("");
  verb.add_option(
          "--in", options.inputs,
          "Bind a graph or a list; `times=msg.txt:2` takes column 2, from 0, `G=edges.csv:src,dst` the ends of edges")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE[:COLS]")
      ->group("Inputs");
  add_input_meaning(verb, options.params, options.table, options.directed);
  verb.add_flag("--keep-loops", options.keep_loops, "Keep loops, of a directed graph")->group("Inputs");
  verb.add_flag("--temporal", options.temporal,
                "Keep arcs and repeats of graphs whose edge information the program reads (`u v t`)")
      ->group("Inputs");
}

void add_format_option(CLI::App& verb, TableBinding& options, const char* name) {
  const std::vector<std::string> words = runtime::format_options();
  verb.add_option(name, options.format,
                  fmt::format("The format of the graph's file: {}; auto: its bytes say it", fmt::join(words, ", ")))
      ->check(CLI::IsMember(words))
      ->option_text("FORMAT")
      ->group("Inputs");
}

void add_table_options(CLI::App& verb, TableBinding& options) {
  const auto column = [&verb](const char* name, std::string& value, const char* help) {
    verb.add_option(name, value, help)->type_name("COLUMN")->group("Inputs");
  };
  verb.add_option("--graph-sql", options.sql,
                  "The edges as a query for DuckDB, such as `from 'edges.parquet' select src, dst`")
      ->type_name("SQL")
      ->group("Inputs");
  column("--src", options.src, "Column of edges: the source; a name of the heading, or a number from 0");
  column("--dst", options.dst, "Column of edges: the target");
  column("--edge-label", options.edge_label, "Column of edges: the label, where the program or pattern reads it");
  verb.add_option("--header", options.header, "Whether the first line of a table names its columns")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->option_text("auto|yes|no")
      ->group("Inputs");
  if (verb.get_option_no_throw("--format") == nullptr) add_format_option(verb, options, "--format");
  verb.add_option("--ids", options.ids, "text: ids are text, even if they are numbers; auto: as the first edge says")
      ->check(CLI::IsMember({"auto", "text"}))
      ->option_text("auto|text")
      ->group("Inputs");
  verb.add_flag("--no-literals", options.no_literals, "N-Triples: leave out those with a literal; else it is a vertex")
      ->group("Inputs");
  verb.add_option("--vertices", options.vertices, "More vertices: one id a line, or a table with columns")
      ->type_name("FILE")
      ->group("Inputs");
  column("--id", options.id, "Column of the vertices file: the id");
  column("--label", options.label,
         "Column of the vertices file: the label; empty cells are none. Or the attribute of GraphML or GML that is");
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
    runtime::Result<ResidentGraph::Shared> read = ResidentGraph::read(spec, maybe_cancel);
    if (!read) return read;
    graphs.push_back({spec.name, std::move(*read)});
  }
  return inputs.empty() ? graphs.front().graph : ResidentGraph::join(graphs);
}

void add_graph_input_options(CLI::App& verb, GraphInput& input) {
  verb.add_option(
          "--in", input.inputs,
          "A graph for the parameter of that name; `NAME=edges.csv:src,dst` takes these columns. May be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE[:COLS]")
      ->group("Inputs");
  add_table_options(verb, input.table);
  verb.add_flag("--edge-labels", input.edge_labels, "Keep the labels of edges: the third column, unless --edge-label")
      ->group("Inputs");
  verb.add_option("--labels", input.table.labels, "Vertex labels: one a line, or `id label`")
      ->type_name("FILE")
      ->group("Inputs");
  verb.add_flag("--directed", input.directed, "Keep arcs instead of making graphs symmetric")->group("Inputs");
  verb.add_flag("--keep-loops", input.keep_loops, "Keep loops too; only with --directed")->group("Inputs");
}

void add_order_option(CLI::App& verb, std::string& choice) {
  verb.add_option("--order", choice,
                  "Rank vertices by id or by degree; auto: by degree where the program cannot tell and it pays")
      ->check(CLI::IsMember({"auto", "id", "degree"}))
      ->option_text("auto|id|degree")
      ->group("How to run");
}

std::vector<CLI::Option*> add_pattern_options(CLI::App& verb, PatternOptions& options) {
  const std::vector<CLI::Option*> added = {
      verb.add_option(
              "--induced", options.induced,
              "What a match is: `edge`, the default: further edges are allowed; `vertex`, that of motifs: no edges but "
              "the pattern's")
          ->check(CLI::IsMember({"vertex", "edge"}))
          ->option_text("vertex|edge"),
      verb.add_option("--match", options.match,
                      "Which maps match: `iso`, the default: vertices all differ; `homo`: any that keep edges, as in "
                      "SPARQL; `edge`: edges all differ, as in Cypher")
          ->check(CLI::IsMember({"iso", "homo", "edge"}))
          ->option_text("iso|homo|edge"),
      verb.add_flag("--embeddings", options.embeddings, "Count maps of the pattern into the graph, not subgraphs"),
      verb.add_option("--algorithm", options.algorithm, "How to find the matches; auto: the cheapest by the cost model")
          ->check(CLI::IsMember({"auto", "extend", "join", "decompose"}))
          ->option_text("auto|extend|join|decompose"),
      add_number(verb, "--plan", options.plan,
                 "The N-th of the plans that `matcha pattern --list` shows, the cheapest first", 1),
      verb.add_flag("--unlabelled", options.unlabelled, "Forget the labels of the pattern"),
      verb.add_flag("--unlabelled-edges", options.unlabelled_edges, "Forget the labels of the pattern's edges")};
  for (CLI::Option* option : added) option->group("Pattern");
  return added;
}

void add_pattern_list(CLI::App& verb, std::vector<std::string>& patterns, std::string& file) {
  verb.add_option(
          "--pattern", patterns,
          "Run the program of this pattern; see `matcha pattern --help`. May be repeated: one graph, a line each")
      ->check(not_empty())
      ->allow_extra_args(false)
      ->type_name("P")
      ->group("Pattern");
  verb.add_option("--patterns", file, "The same for every pattern of this file, one a line (`-`: stdin)")
      ->type_name("FILE")
      ->group("Pattern");
}

void add_pattern_or_program(CLI::App& verb, PatternOptions& options, const std::string& text) {
  CLI::Option* const pattern =
      verb.add_option("--pattern", options.text, text)->check(not_empty())->type_name("P")->group("Pattern");
  for (CLI::Option* option : add_pattern_options(verb, options)) option->needs(pattern);
}

std::string code_folder() { return cache_folder("code"); }

std::string tuning_folder() { return cache_folder("tuned"); }

std::string library_folder() { return cache_folder("lib"); }

void add_no_cache(CLI::App& verb, std::string& code_folder) {
  verb.add_flag_callback(
          "--no-cache", [&code_folder] { code_folder.clear(); }, "Neither take nor keep compiled code")
      ->group("How to run");
}

Status choose_tier(const std::string& name, const Console& console, std::optional<runtime::Tier>& tier) {
  if (name.empty()) return Status::Ok;
  tier = runtime::tier_from_name(name);
  const std::vector<runtime::Tier> supported = runtime::supported_tiers();
  if (tier && std::ranges::find(supported, *tier) != supported.end()) return Status::Ok;
  std::string known;
  for (runtime::Tier each : supported) known += fmt::format("{}{}", known.empty() ? "" : ", ", tier_name(each));
  return console.error(tier ? Status::Run : Status::Usage,
                       fmt::format("{} `{}`", tier ? "this processor has no" : "there is no SIMD tier", name),
                       fmt::format("it has: {}", known));
}

}  // namespace matcha::tools
