#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "runtime/machine.h"
#include "session/graph_info.h"
#include "session/ledger/timed_edges.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/significance.h"
#include "session/values.h"
#include "tools/options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Rows = std::vector<session::SignificanceRow>;

struct MotifsOptions {
  ConsoleOptions console;
  GraphInput graph;
  std::string size;
  PatternOptions pattern;             ///< Of all patterns; its text is empty.
  std::vector<std::string> patterns;  ///< In place of all of a size.
  std::string within;                 ///< A duration: lines in the order of their times; empty: a graph without times.
  std::string code_folder = tools::code_folder();
  session::SignificanceRequest run;
  std::optional<double> timeout;
  bool json = false;
};

/// The patterns of the command line, or all of the requested number of vertices.
Status find_patterns(const MotifsOptions& options, bool directed, const Console& console,
                     std::vector<session::ProgramRequest>& asked) {
  constexpr unsigned kUsual = 4, kTriads = 3, kMost = 6;
  session::ProgramRequest usual;
  usual.pattern = options.pattern;
  usual.device = "cpu";
  usual.code_folder = options.code_folder;
  asked.assign(std::max<std::size_t>(options.patterns.size(), 1), usual);
  if (!options.patterns.empty()) {
    if (!options.size.empty()) {
      return console.error(Status::Usage, fmt::format("`{}` and `--pattern` both choose patterns", options.size));
    }
    for (std::size_t at = 0; at < asked.size(); ++at) asked[at].pattern.text = options.patterns[at];
    return Status::Ok;
  }
  unsigned size = kUsual;
  const char* const end = options.size.data() + options.size.size();
  const std::from_chars_result read = std::from_chars(options.size.data(), end, size);
  const bool is_number = options.size.empty() || (read.ec == std::errc() && read.ptr == end);
  if (!is_number || (directed ? size != kTriads && size != kUsual : size < 2 || size > kMost)) {
    return console.error(Status::Usage, fmt::format("there are no motifs of `{}` vertices", options.size),
                         directed ? "of directed graphs they have 3 or 4" : "they have 2 to 6");
  }
  if (directed && size == kTriads) {
    if (options.pattern.induced == "edge") {
      return console.error(Status::Usage, "triads are vertex-induced", "`--pattern directed-motif:3` counts others");
    }
    asked[0].reads_file = true;
    asked[0].compile.file = "std.directed";
    asked[0].compile.entry = "triads";
  } else {
    asked[0].pattern.text = fmt::format("{}motif:{}", directed ? "directed-" : "", size);
  }
  return Status::Ok;
}

/// The graph that is counted.
struct Counted {
  session::ResidentGraph::Shared graph;
  nlohmann::ordered_json facts;  ///< For the JSON.
};

/// Reads the graph, and finds the patterns that are counted.
Status read_graph(MotifsOptions& options, const Console& console, Session& session, Counted& counted) {
  const runtime::Result<session::ResidentGraph::Shared> graph = options.graph.read(session.cancel());
  if (!graph) return session.stopped() ? session.stop_early() : console.error(graph.error());
  counted.graph = *graph;
  note_reports(**graph, console);
  add_graphs(**graph, counted.facts);
  return find_patterns(options, (*graph)->graph().facts().directed, console, options.run.asked);
}

/// The same of a table of edges with times.
Status read_times(MotifsOptions& options, const Console& console, Session& session, Counted& counted) {
  const std::pair<bool, const char*> refused[] = {{!options.size.empty(), "a number of vertices"},
                                                  {!options.patterns.empty(), "`--pattern`"},
                                                  {!options.pattern.induced.empty(), "`--induced`"},
                                                  {!options.graph.table.sql.empty(), "`--graph-sql`"},
                                                  {!options.graph.table.edge_label.empty(), "`--edge-label`"},
                                                  {!options.graph.table.vertices.empty(), "`--vertices`"},
                                                  {options.graph.table.gives_labels(), "labels"}};
  for (const auto& [is_given, what] : refused) {
    if (!is_given) continue;
    return console.error(Status::Usage, fmt::format("`--within` counts edges by their times alone, without {}", what),
                         "`matcha run --pattern` has conditions on times and labels");
  }
  session::BindOptions bind;
  bind.graph = options.graph.path;
  bind.table = options.graph.table;
  runtime::IoOptions io;
  io.cancel = session.cancel();
  session::ledger::TimedEdges edges;
  const Status status = session::ledger::read_timed_edges(bind, options.within, io, console, edges);
  if (status != Status::Ok) return session.stopped() ? session.stop_early() : status;
  console.note(edges.table);
  counted.graph = edges.graph;
  counted.facts["graph"] = nullptr;
  counted.facts["times"] = {{"within", options.within}, {"vertices", edges.vertices}, {"edges", edges.edges}};
  session::ProgramRequest& asked = options.run.asked.emplace_back();
  asked.reads_file = true;
  asked.compile.file = "std.temporal";
  asked.compile.entry = "motifs";
  asked.params.push_back(fmt::format("window={}", edges.window));
  asked.device = "cpu";
  asked.code_folder = options.code_folder;
  return Status::Ok;
}

std::string as_json(const MotifsOptions& options, const nlohmann::ordered_json& facts, const Rows& rows) {
  using Json = nlohmann::ordered_json;
  Json all{{"schema", "matcha.motifs/1"}};
  all.update(facts);
  if (options.run.samples != 0) all["null"] = {{"graphs", options.run.samples}, {"seed", options.run.seed}};
  const auto members_of = [](const Json& object, int indent) {
    std::string text = object.dump(indent, ' ', false, Json::error_handler_t::replace);
    text.pop_back();
    return text.substr(0, text.find_last_not_of('\n') + 1);
  };
  // The library has no whole numbers beyond 64 bits, so counts are written here.
  std::string out = members_of(all, 2) + ",\n  \"counts\": [";
  for (const session::SignificanceRow& row : rows) {
    Json one{{"name", row.name}};
    if (!row.pattern.empty()) one["pattern"] = row.pattern;
    out += (out.ends_with('[') ? "\n    " : ",\n    ") + members_of(one, -1) + ",\"count\":";
    append_int(out, row.count);
    if (options.run.samples != 0) {
      const Json beside{
          {"mean", row.mean}, {"std", row.deviation}, {"z", row.z}, {"p_more", row.more}, {"p_less", row.less}};
      out += "," + members_of(beside, -1).substr(1);
    }
    out += '}';
  }
  return out + "\n  ]\n}\n";
}

/// Cells in columns, the first one to the left.
std::string aligned(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& line : table) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string out;
  for (const std::vector<std::string>& line : table) {
    std::string text = fmt::format("{:<{}}", line[0], widths[0]);
    for (std::size_t c = 1; c < line.size(); ++c) text += fmt::format("  {:>{}}", line[c], widths[c]);
    out += text + "\n";
  }
  return out;
}

std::string as_text(const Rows& rows, bool compared) {
  std::vector<std::vector<std::string>> table;
  if (compared) table.push_back({"pattern", "count", "mean", "std", "z", "p_more", "p_less"});
  for (const session::SignificanceRow& row : rows) {
    std::string count;
    append_int(count, row.count);
    std::vector<std::string>& line = table.emplace_back(std::vector<std::string>{row.name, std::move(count)});
    if (!compared) continue;
    for (const double number : {row.mean, row.deviation, row.z, row.more, row.less}) {
      line.push_back(fmt::format("{:.5g}", number));
    }
  }
  return aligned(table);
}

/// A bar for each pattern, from the middle to the right for more than in random graphs, to the left for less. Its
/// length grows with the logarithm of z. `columns`: of the terminal.
std::string plot(const Rows& rows, std::size_t columns) {
  constexpr std::size_t kLeast = 5, kMost = 30, kGaps = 4;
  double most = 0;
  std::size_t width = 0;
  for (const session::SignificanceRow& row : rows) {
    width = std::max(width, row.name.size());
    if (std::isfinite(row.z)) most = std::max(most, std::abs(row.z));
  }
  if (columns < width + 2 * kLeast + kGaps) return {};
  const std::size_t half = std::min(kMost, (columns - width - kGaps) / 2);
  std::string out = fmt::format("\n{:{}}less|more\n", "", width + 2 + half - 4);
  for (const session::SignificanceRow& row : rows) {
    const double part = std::isinf(row.z) ? 1 : most == 0 ? 0 : std::log1p(std::abs(row.z)) / std::log1p(most);
    const std::string bar(static_cast<std::size_t>(std::lround(part * static_cast<double>(half))), '=');
    out += fmt::format("{:<{}}  {:>{}}|{}\n", row.name, width, row.z < 0 ? bar : "", half, row.z < 0 ? "" : bar);
  }
  return out;
}

Status motifs_steps(MotifsOptions& options, const Console& console, Session& session,
                    std::unique_ptr<session::SignificanceRun>& run) {
  if (options.graph.empty()) return console.error(Status::Usage, "there is no graph", "`matcha motifs 4 GRAPH`");
  Status status = options.graph.check(console);
  if (status != Status::Ok) return status;
  Counted counted;
  status = options.within.empty() ? read_graph(options, console, session, counted)
                                  : read_times(options, console, session, counted);
  if (status != Status::Ok) return status;
  options.run.maybe_stop = session.stop_request();
  options.run.maybe_cancel = session.cancel();
  options.run.deadline = session.deadline();
  const std::unique_ptr<ProgressBar> bar = console.progress("counting", "");
  if (bar) options.run.on_progress = [&bar](std::uint64_t done, std::uint64_t total) { bar->update(done, total); };
  run = std::make_unique<session::SignificanceRun>(options.run, counted.graph, session::SignificanceRun::Reading(),
                                                   shared(console));
  status = run->run();
  if (status != Status::Ok) return session.stopped() ? session.stop_early() : status;
  const bool compared = options.run.samples != 0;
  std::string text = options.json ? as_json(options, counted.facts, run->rows()) : as_text(run->rows(), compared);
  if (compared && !options.json) text += plot(run->rows(), terminal_width(STDOUT_FILENO));
  const runtime::Status written = write_text_file("-", text);
  return written ? Status::Ok : console.error(written.error());
}

Status motifs(MotifsOptions& options) {
  const Console console(options.console);
  Session session(console, options.timeout);
  std::optional<runtime::ThreadLimit> threads;
  if (options.run.threads != 0) threads.emplace(options.run.threads);
  // It lives until exit, since a thread may still compile for it.
  std::unique_ptr<session::SignificanceRun> run;
  const Status status = session.leave(motifs_steps(options, console, session, run));
  if (codegen::compiles_in_background()) end_process(status);
  return status;
}

constexpr const char* kFooter = R"(
Without --null the counts alone. A directed graph has 16 triads, K = 3, or 199
patterns of K = 4 vertices. docs/motifs.md says what the columns are.

With --within, GRAPH is a table of edges with times: the 6 shapes of two lines
and the 36 of three, on two or three vertices, that are in this order of time.

Examples:
  matcha motifs graph.txt
  matcha motifs 5 graph.txt --null 100 --seed 7
  matcha motifs 3 pays.csv --directed --null 1000
  matcha motifs --pattern house --pattern clique:5 graph.txt --null 100 --json
  matcha motifs pays.csv --src payer --dst payee --time at --within 1h --null 100
)";

}  // namespace

void add_motifs(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("motifs", "Count small patterns, and compare with random graphs of the same degrees");
  auto options = std::make_shared<MotifsOptions>();
  MotifsOptions& o = *options;
  verb->add_option("K", o.size, "Vertices of the patterns: all that are connected; default: 4")->type_name("");
  verb->add_option("GRAPH", o.graph.path, "The graph; `FILE:src,dst` takes these columns")->type_name("");
  OptionTargets to;
  put_targets(to, o.graph);
  to.pattern = &o.pattern;
  to.patterns = &o.patterns;
  to.window = &o.within;
  to.random_graphs = &o.run.samples;
  to.seed = &o.run.seed;
  to.threads = &o.run.threads;
  to.timeout = &o.timeout;
  to.json = &o.json;
  to.code_folder = &o.code_folder;
  add_options(*verb, kMotifs, to);
  verb->get_option("--pattern")->description("Count this one in place of all of K vertices. May be repeated");
  verb->get_option("--timeout")->description("Seconds for loading, compiling and counting");
  verb->get_option("--seed")->needs("--null");
  verb->get_option("--time")->needs("--within");
  add_console_options(*verb, o.console);
  verb->footer(kFooter);
  verb->callback([options, &action] {
    MotifsOptions& given = *options;
    // One word is the graph.
    if (given.graph.empty()) std::swap(given.graph.path, given.size);
    if (given.graph.empty()) throw CLI::RequiredError("GRAPH");
    action = [options] { return motifs(*options); };
  });
}

}  // namespace matcha::tools
