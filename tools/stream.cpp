#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "codegen/backend.h"
#include "incremental/gpu_opening.h"
#include "incremental/ledger_engine.h"
#include "incremental/stream/opening.h"
#include "runtime/graph/mtg.h"
#include "runtime/machine.h"
#include "session/durations.h"
#include "session/pattern_list.h"
#include "session/run/device_options.h"
#include "tools/ranks.h"
#include "tools/session.h"
#include "tools/stream_options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

namespace st = session::stream;

bool is_program(const std::string& file) { return file.ends_with(".mt") || is_module(file); }

/// From options to a request, and its run.
class StreamVerb {
 public:
  explicit StreamVerb(StreamOptions& options)
      : options_(options), console_(options.console), session_(console_, options.timeout) {
    run_options_.threads = options.threads;
    run_options_.stop_request = session_.stop_request();
    run_options_.deadline = session_.deadline();
    if (options.threads != 0) threads_.emplace(options.threads);
  }

  Status all() {
    Status status = session_.leave(steps());
    if (options_.team != nullptr) status = leave_ranks(status);
    if (codegen::compiles_in_background() || st::GpuOpening::is_any_under_way()) end_process(status);
    return status;
  }

 private:
  /// If one has failed, the others wait for its counts.
  Status leave_ranks(Status status) const {
    ClusterOptions cluster;
    cluster.team = options_.team;
    return leave_team(cluster, console_, status, status == Status::Ok);
  }

  Status steps() {
    Status status = check();
    if (status == Status::Ok) status = find_programs();
    if (status == Status::Ok) status = options_.of_rows ? check_rows() : check_graph();
    if (status == Status::Ok) status = check_columns();
    if (status != Status::Ok) return status;
    const st::Verdict verdict = [this] { return session_.verdict(); };
    st::Opening opening(options_, shared(console_), verdict, session_.cancel(), run_options_);
    status = opening.all();
    const bool stopped = status != Status::Ok && status == session_.verdict();
    if (status != Status::Ok) return stopped ? session_.stop_early() : status;
    st::StreamRun& run = run_.emplace(options_, console_, verdict, opening.take());
    status = run.open();
    session_.watch(Session::Stops::Late);
    return status == Status::Ok ? run.all() : status;
  }

  Status check() {
    Status status = choose_tier(options_.simd, console_, run_options_.tier);
    if (status == Status::Ok) status = options_.table.check(console_);
    if (status != Status::Ok) return status;
    if (seconds_of(options_.slide) == 0 || seconds_of(options_.window) == 0) {
      return console_.error(Status::Usage, "a window or a slide has some length", "such as 15m, 1h or 30d");
    }
    status = check_gpus();
    if (status != Status::Ok) return status;
    if (!options_.matches.empty()) {
      options_.row_format = row_format(options_.matches);
      const bool is_text =
          options_.row_format && options_.row_format->compression == runtime::Compression::None &&
          (options_.row_format->kind == RowFormat::Kind::Text || options_.row_format->kind == RowFormat::Kind::Ndjson);
      if (!is_text) {
        return console_.error(Status::Usage,
                              fmt::format("no rows of a stream can be written as `{}`", options_.matches),
                              "they are written to .tsv, .csv, .txt and .ndjson, as they come");
      }
    }
    if (options_.state.empty()) return Status::Ok;
    if (options_.matches == "-" && options_.out == "-") {
      return console_.error(Status::Usage, "`--state` needs to know which answers are out, and `--matches -` has none",
                            "give the answers a file: `--out FILE`");
    }
    return Status::Ok;
  }

  Status check_columns() const {
    std::string file = options_.updates;
    const std::size_t columns = take_columns(file).size();
    if (columns == 0) return Status::Ok;
    if (!options_.temporal) {
      return console_.error(Status::Usage, "the columns of updates are those of lines with a time", "add `--temporal`");
    }
    if (columns == 3 && options_.time.empty()) return Status::Ok;
    if (columns > 3 && options_.of_rows && options_.time.empty()) return Status::Ok;
    return console_.error(Status::Usage,
                          fmt::format("updates have 3 columns, source, target and time; {} are named",
                                      columns + (options_.time.empty() ? 0 : 1)),
                          "write `--updates FILE:SRC,DST,TIME`");
  }

  Status check_gpus() const {
    if (!options_.gpus) return Status::Ok;
    if (options_.device == "cpu") return check_gpu_options({"--gpus"}, true, console_);
    if (*options_.gpus == 1 || options_.gpu_memory == 0) return Status::Ok;
    return console_.error(Status::Usage, "`--gpu-memory` is for one GPU, and `--gpus` may be more",
                          "of several each holds the whole graph: leave one of both out");
  }

  /// Refuses options that streams of patterns with conditions do not support.
  Status check_rows() const {
    const TableBinding& table = options_.table;
    const bool has_labels = !table.vertices.empty() || !table.labels.empty();
    const bool is_binary = !options_.graph.empty() && runtime::is_mtg_file(options_.graph);
    const bool has_program =
        std::ranges::any_of(options_.programs, [](const ProgramRequest& each) { return !each.of_pattern(); });
    const std::pair<bool, const char*> refused[] = {{has_program && has_labels, "programs beside tables of vertices"},
                                                    {is_binary, "a graph at the start that is no table of lines"},
                                                    {!table.sql.empty(), "`--graph-sql`"},
                                                    {!options_.temporal, "updates without `--temporal`"},
                                                    {options_.team != nullptr, "`--mpi`"},
                                                    {options_.device_wanted() == "cuda", "`--device cuda`"},
                                                    {options_.gpu_memory != 0, "`--gpu-memory`"}};
    for (const auto& [is_given, what] : refused) {
      if (!is_given) continue;
      return console_.error(Status::Usage, fmt::format("names and conditions of edges are not for {}", what),
                            "a stream of a table has patterns and lines: `--updates TABLE.csv --temporal`");
    }
    std::string file = options_.graph;
    const std::size_t columns = take_columns(file).size();
    if (columns == 0 || columns == 3) return Status::Ok;
    return console_.error(
        Status::Usage,
        fmt::format("the table at the start has 3 columns, source, target and time; {} are named", columns),
        "write `TABLE.csv:SRC,DST,TIME`");
  }

  Status check_graph() const {
    if (!options_.graph.empty() && !options_.table.sql.empty()) {
      return console_.error(Status::Usage, fmt::format("`--graph-sql` and `{}` are both the graph", options_.graph),
                            "leave one out");
    }
    if (!options_.is_empty()) return Status::Ok;
    const TableBinding& table = options_.table;
    const std::pair<const char*, bool> given[] = {{"--labels", !table.labels.empty()},
                                                  {"--vertices", !table.vertices.empty()},
                                                  {"--id", !table.id.empty()},
                                                  {"--label", !table.label.empty()},
                                                  {"--header", table.header != "auto"},
                                                  {"--edge-label", !table.edge_label.empty()},
                                                  {"--format", table.format != "auto"},
                                                  {"--no-literals", table.no_literals},
                                                  {"--src", !options_.temporal && !table.src.empty()},
                                                  {"--dst", !options_.temporal && !table.dst.empty()}};
    for (const auto& [name, is_given] : given) {
      if (!is_given) continue;
      return console_.error(Status::Usage, fmt::format("`{}` is for the graph at the start, and there is none", name),
                            std::string_view(name) == "--edge-label" && options_.temporal
                                ? "name the edge: `(a)-[x:R]-(b)` is about the lines of the table"
                                : "a line `v ID LABEL` of the updates gives a vertex a label");
    }
    return Status::Ok;
  }

  /// The programs and patterns of the command line, in order.
  Status find_programs() {
    for (const std::string& file : options_.files) {
      if (is_program(file)) {
        ProgramRequest& request = options_.programs.emplace_back();
        request.compile.file = file;
        request.compile.entry = options_.entry;
        const Status status = read_program(file, session_.cancel(), console_, request.text);
        if (status != Status::Ok) return status;
        options_.names.push_back(file);
      } else if (options_.graph.empty()) {
        options_.graph = file;
      } else {
        return console_.error(Status::Usage, fmt::format("`{}` and `{}`: a stream has one graph", options_.graph, file),
                              "programs end in .mt");
      }
    }
    std::vector<PatternOptions> patterns;
    for (const std::string& text : options_.patterns) {
      PatternOptions& one = patterns.emplace_back(options_.pattern);
      one.text = text;
      one.name = fmt::format("<pattern {}>", patterns.size());
    }
    if (!options_.pattern_list.empty()) {
      runtime::Result<std::vector<PatternOptions>> listed = read_pattern_list(options_.pattern_list, options_.pattern);
      if (!listed) return console_.error(listed.error());
      patterns.insert(patterns.end(), listed->begin(), listed->end());
    }
    for (PatternOptions& pattern : patterns) {
      options_.names.push_back(pattern.text);
      options_.programs.emplace_back().pattern = std::move(pattern);
    }
    if (options_.programs.empty()) {
      return console_.error(Status::Usage, "there is no program and no pattern",
                            "matcha stream PROGRAM.mt [GRAPH] --updates FILE, or --pattern P");
    }
    if (!options_.matches.empty() && options_.programs.size() > 1) {
      return console_.error(Status::Usage, "`--matches` is for one program", "of several the answers are counted");
    }
    options_.of_rows = std::ranges::any_of(options_.programs, [](const ProgramRequest& each) {
      return each.of_pattern() && st::asks_rows(each.pattern, false);
    });
    for (ProgramRequest& request : options_.programs) {
      request.pattern.may_ask_columns = options_.of_rows;
      request.params = options_.params;
      request.order = options_.order;
      request.device = options_.device_wanted() == "auto" ? "cpu" : options_.device_wanted();
      request.tier = options_.tier;
      request.code_folder = options_.code_folder;
      request.gpu.code_folder = options_.code_folder;
      request.gpu.gpus = options_.gpus.value_or(1);
      request.gpu.turn = options_.gpu_turn;
    }
    return Status::Ok;
  }

  StreamOptions& options_;
  Console console_;
  Session session_;
  std::optional<runtime::ThreadLimit> threads_;
  codegen::RunOptions run_options_;
  /// Lives until exit, so that a stop does not wait for background work, such as compiling for a GPU.
  std::optional<st::StreamRun> run_;
};

/// Checks the options against `--mpi`; Ok: they fit.
Status check_ranks(const StreamOptions& options, const Console& console) {
  const std::pair<bool, const char*> others[] = {{!options.matches.empty(), "--matches"},
                                                 {!options.state.empty(), "--state"},
                                                 {options.recompute, "--recompute"},
                                                 {options.each, "--each"},
                                                 {options.engine == "recompute", "--engine recompute"},
                                                 {!options.every.empty(), "--every"},
                                                 {options.automatic, "--auto"},
                                                 {options.timeout.has_value(), "--timeout"},
                                                 {options.gpu_memory != 0, "--gpu-memory"}};
  for (const auto& [given, name] : others) {
    if (!given) continue;
    return console.error(Status::Usage, fmt::format("`{}` is not for `--mpi`", name),
                         "the ranks of a job share the edges of batches that end where the updates say");
  }
  std::error_code failed;
  std::string file = options.updates;
  take_columns(file);
  if (!std::filesystem::is_regular_file(file, failed)) {
    return console.error(Status::Usage, "with `--mpi` the updates are a file, which every rank reads",
                         "--updates FILE");
  }
  if (options.batch || options.blank || !options.slide.empty()) return Status::Ok;
  return console.error(Status::Usage, "with `--mpi` the updates say where a batch ends",
                       "give --batch, --blank or --slide");
}

Status run_stream(StreamOptions& options) {
  if (options.mpi) {
    options.console.rank = runtime::cluster::launched_rank();
    Status status = check_ranks(options, Console(options.console));
    if (status == Status::Ok) status = join_ranks(options.console, "matcha stream … --mpi", options.team);
    if (status != Status::Ok) return status;
    if (options.device == "auto") options.device = options.gpus ? "cuda" : "cpu";
    options.gpu_turn = runtime::cluster::launched_local_rank();
    if (options.team->rank() != 0) options.out = "/dev/null";
  }
  return StreamVerb(options).all();
}

}  // namespace

void add_stream(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("stream", "Keep the answers of programs while a graph changes");
  auto options = std::make_shared<StreamOptions>();
  add_stream_options(*verb, *options);
  verb->callback([options, &action] { action = [options] { return run_stream(*options); }; });
}

}  // namespace matcha::tools
