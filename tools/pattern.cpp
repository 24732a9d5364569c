#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "planner/delta.h"
#include "planner/delta_text.h"
#include "question/read.h"
#include "runtime/graph/inputs.h"
#include "runtime/machine.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/pattern_plan.h"
#include "session/pattern_source.h"
#include "session/pictures/draw_pattern.h"
#include "session/run/texts.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct PatternVerbOptions {
  ConsoleOptions console;
  PatternOptions pattern;
  std::string graph;
  TableBinding table;
  std::string output;
  std::string svg;  ///< Where to draw the pattern; empty: it is not drawn.
  std::string device = "cpu";
  bool matches = false;
  bool directed = false;
  bool list = false;
  bool delta = false;
};

std::string listing(const PatternSource& source) {
  std::string out;
  if (source.set().motif) {
    for (const pattern::Pattern& one : source.set().patterns) {
      out += fmt::format("{:<16} {}\n", one.name.empty() ? "-" : one.name, to_text(one));
    }
    return out;
  }
  double least = 0;
  for (const pattern::Choice& choice : source.program().choices) {
    if (least == 0) least = choice.cost;
    out += fmt::format("{:<10} {:>13} {:>8.2f}x  {}\n", to_string(choice.algorithm), precise_time(choice.cost / 1e6),
                       choice.cost / least, choice.plan);
  }
  return out;
}

/// The program that counts the matches of one edge.
Status print_delta(const PatternVerbOptions& options, const PatternSource& source, const Console& console) {
  const pattern::Pattern& pattern = source.set().patterns.front();
  std::string why;
  if (source.set().motif) {
    why = "a set of patterns has a program for each";
  } else if (pattern.directed) {
    why = "arcs are not written yet; `matcha stream` counts them";
  } else if (pattern.edge_labelled()) {
    why = "labels of edges are not written yet; `matcha stream` counts them";
  } else if (source.match() != pattern::Match::Iso) {
    why = "maps need not be injective";
  } else {
    pattern::has_delta(pattern, why);
  }
  if (!why.empty()) return console.error(Status::Query, fmt::format("there is no delta program: {}", why));
  const runtime::Status written =
      write_text_file(options.output, delta_text(pattern, source.induced(), options.pattern.embeddings));
  return written ? Status::Ok : console.error(written.error());
}

Status print_pattern(const PatternVerbOptions& options) {
  const Console console(options.console);
  PatternSource source(options.pattern, console);
  Status code = options.table.check(console);
  if (code == Status::Ok) code = source.read();
  if (code != Status::Ok) return code;
  if (options.delta) return print_delta(options, source, console);
  if (!options.svg.empty()) {
    const runtime::Status drawn =
        write_text_file(options.svg == "-" ? "" : options.svg, pattern_svg(source.set().patterns));
    return drawn ? Status::Ok : console.error(drawn.error());
  }
  // The sketch looks at the graph while the program is written.
  std::optional<runtime::LoadedGraph> graph;
  using pattern::Device;
  const Device device = options.device == "cuda" ? Device::Gpu : Device::Cpu;
  pattern::GraphSketch sketch = pattern::typical_graph();
  sketch.device = device;
  if (!options.graph.empty()) {
    runtime::GraphSpec spec;
    spec.name = "G";
    spec.path = options.graph;
    spec.directed = options.directed || source.directed();
    spec.simple = !source.edge_labelled();
    spec.edge_info = source.edge_labelled();
    if (spec.edge_info) spec.info = runtime::ColumnKind::Label;
    spec.columns = take_columns(spec.path);
    options.table.put_into(spec);
    runtime::Result<runtime::LoadedGraph> loaded = runtime::load_graph(spec);
    if (!loaded) return console.error(loaded.error());
    console.note(loaded->report.render());
    code = source.check_arcs(loaded->graph.facts().directed);
    if (code == Status::Ok) code = source.check_labels(loaded->graph, loaded->graph.dictionary());
    if (code != Status::Ok) return code;
    graph.emplace(std::move(*loaded));
    PlanRequest request;
    request.rows = options.matches;
    request.device = device;
    request.threads = runtime::machine().threads;
    Forecast forecast;
    code = plan_pattern(source, graph->graph, graph->graph.dictionary(), request, sketch, forecast);
  } else {
    code = source.write(options.matches, sketch);
  }
  if (code != Status::Ok) return code;
  const runtime::Status written =
      write_text_file(options.output, options.list ? listing(source) : source.program().text);
  return written ? Status::Ok : console.error(written.error());
}

std::string footer() {
  std::string out = R"(
A pattern is text: `a-b-c-a` or `0-1,1-2,2-0`, with labels `a:x`, labels of
edges `a-b=y`, arcs `a->b`, pairs that must not be adjacent `a~b`, drawn as
`(a:x)-[:y]->(b)`; a file of lines `v ID LABEL` and `e U V LABEL`, or `U V`;
`graph6:…`, `adjacency:0110…`; or a name. A shell takes `>` for a file, so text
stands in single quotes.

)";
  for (const pattern::NamedPattern& known : pattern::pattern_names()) {
    out += fmt::format("  {:<16} {}\n", known.name, known.meaning);
  }
  return out + R"(
Examples:
  matcha pattern house > house.mt
  matcha pattern a-b,b-c,c-a,c-d --labels x,y,,x --induced vertex
  matcha pattern '(a:paper)-[:cites]->(b)-[:cites]->(c)' graph.txt --directed
  matcha pattern house --delta
  matcha pattern cycle:5 graph.txt.gz --list)";
}

}  // namespace

void add_pattern(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("pattern", "Write the program of a pattern");
  auto options = std::make_shared<PatternVerbOptions>();
  PatternVerbOptions& o = *options;
  verb->add_option("PATTERN", o.pattern.text, "Text, a name or a file")->required()->type_name("");
  verb->add_option("GRAPH", o.graph, "A graph to choose the order for; without it, for a typical one")->type_name("");
  OptionTargets to;
  to.pattern = &o.pattern;
  to.table = &o.table;
  to.matches = &o.matches;
  to.directed = &o.directed;
  add_options(*verb, kPattern, to);
  verb->add_option("--device", o.device, "The device for which order and algorithm are chosen; default: cpu")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->option_text("cpu|cuda");
  verb->add_flag("--list", o.list, "Print the orders and algorithms with their estimated cost, not a program");
  verb->add_flag("--delta", o.delta, "Print the program that counts the matches of one edge, for graphs that change")
      ->excludes("--matches")
      ->excludes("--list");
  verb->add_option("--svg", o.svg, "Draw the pattern into this file instead; `-`: standard output")->type_name("FILE");
  verb->add_option("-o,--output", o.output, "Where to write; default: standard output")->type_name("FILE");
  add_console_options(*verb, o.console);
  verb->footer(footer());
  verb->callback([options, &action] { action = [options] { return print_pattern(*options); }; });
}

}  // namespace matcha::tools
