#ifdef __linux__
#include <malloc.h>
#endif

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/graph/generate.h"
#include "runtime/graph/inputs.h"
#include "runtime/graph/page_limit.h"
#include "session/graph_info.h"
#include "session/graph_output.h"
#include "session/options.h"
#include "session/output_file.h"
#include "tools/help.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct GraphOptions : GraphOutput {
  ConsoleOptions console;
  TableBinding table;
  bool directed = false, json = false;
  runtime::RmatSpec rmat;
  std::uint64_t n = 0, m = 0, rows = 0, columns = 0, left = 0, right = 0;
  double probability = 0;
};

/// Memory that is given back goes to the system at once, where tools/main.cpp has the process keep it.
void keep_no_memory() {
#ifdef __GLIBC__
  constexpr int kThreshold = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  mallopt(M_TRIM_THRESHOLD, kThreshold);
#endif
}

/// With `--memory`: the pages of scratch files that may be in memory, while it is there.
struct FilePages {
  explicit FilePages(const GraphOptions& options) {
    if (options.memory == 0) return;
    keep_no_memory();
    limit.emplace(options.memory / 4);
    reading.emplace(&*limit);
  }

  std::optional<runtime::PageLimit> limit;
  std::optional<runtime::PageLimit::Reading> reading;
};

runtime::IoOptions io_of(const GraphOptions& options, const Session& session) {
  runtime::IoOptions io;
  io.cancel = session.cancel();
  if (options.memory == 0) return io;
  io.piece_bytes = options.memory;
  io.scratch_folder = std::filesystem::path(options.path).parent_path().string();
  if (io.scratch_folder.empty()) io.scratch_folder = ".";
  return io;
}

Status write(const runtime::Graph& graph, const GraphTarget& target, const GraphOptions& options,
             const Console& console, Session& session) {
  const Status status = write_graph(graph, target, options, io_of(options, session), console);
  return status == Status::Interrupted ? session.stop_early() : status;
}

runtime::GraphSpec spec_of(const GraphOptions& options) {
  runtime::GraphSpec spec;
  spec.name = "graph";
  spec.path = options.input;
  spec.directed = options.directed;
  spec.temporal = options.temporal;
  spec.edge_info = options.edge_labels;
  spec.keep_loops = options.keep_loops;
  if (options.edge_labels) spec.info = runtime::ColumnKind::Label;
  if (!options.table.sql.empty()) spec.path.clear();
  spec.columns = take_columns(spec.path);
  options.table.put_into(spec);
  return spec;
}

/// Whether the options of an input fit together.
Status check_input(const GraphOptions& options, const Console& console) {
  const Status code = options.table.check(console);
  const bool fits = options.directed && !options.temporal;
  if (code != Status::Ok || !options.keep_loops || fits || options.input.ends_with(".mtg")) return code;
  return console.error(Status::Usage, "`--keep-loops` is for directed graphs that are not temporal",
                       options.directed ? "" : "add `--directed`");
}

/// Loads the graph with a progress bar; on failure `code` says how to end.
std::unique_ptr<runtime::LoadedGraph> load(const GraphOptions& options, const Console& console, Session& session,
                                           Status& code) {
  const std::unique_ptr<ProgressBar> progress = console.progress("loading", "B");
  runtime::IoOptions io = io_of(options, session);
  if (progress) io.progress = [&progress](std::uint64_t done, std::uint64_t total) { progress->update(done, total); };
  runtime::Result<runtime::LoadedGraph> loaded = runtime::load_graph(spec_of(options), io);
  if (loaded) return std::make_unique<runtime::LoadedGraph>(std::move(*loaded));
  code = session.stopped() ? session.stop_early() : console.error(loaded.error());
  return nullptr;
}

Status convert(const GraphOptions& options) {
  const Console console(options.console);
  const std::optional<GraphTarget> target = choose_target(options, console);
  if (!target || check_input(options, console) != Status::Ok) return Status::Usage;
  Session session(console);
  const FilePages pages(options);
  Status code = Status::Ok;
  const std::unique_ptr<runtime::LoadedGraph> loaded = load(options, console, session, code);
  if (loaded == nullptr) return code;
  console.note(loaded->report.render());
  return session.leave(write(loaded->graph, *target, options, console, session));
}

Status info(const GraphOptions& options) {
  const Console console(options.console);
  if (check_input(options, console) != Status::Ok) return Status::Usage;
  Session session(console);
  Status code = Status::Ok;
  const std::unique_ptr<runtime::LoadedGraph> loaded = load(options, console, session, code);
  if (loaded == nullptr) return session.leave(code);
  const runtime::Status written = write_text_file("-", graph_info(*loaded, options.json));
  return session.leave(written ? Status::Ok : console.error(written.error()));
}

using Io = runtime::IoOptions;
using Make = std::function<runtime::Result<runtime::Graph>(const GraphOptions&, const Io&)>;

Status generate(const GraphOptions& options, const Make& make) {
  const Console console(options.console);
  const std::optional<GraphTarget> target = choose_target(options, console);
  if (!target || check_input(options, console) != Status::Ok) return Status::Usage;
  Session session(console);
  const FilePages pages(options);
  runtime::Result<runtime::Graph> graph = make(options, io_of(options, session));
  if (!graph) {
    if (session.stopped()) return session.stop_early();
    const bool is_of_options = graph.error().kind == runtime::ErrorKind::Input && graph.error().file.empty();
    return is_of_options ? console.error(Status::Usage, graph.error().message, graph.error().hint)
                         : console.error(graph.error());
  }
  const Status code = write(*graph, *target, options, console, session);
  if (code == Status::Ok) {
    console.note(fmt::format("{}: {} vertices, {} edges", options.path, graph->vertex_count(), graph->edge_count()));
  }
  return session.leave(code);
}

OptionTargets targets_of(GraphOptions& options) {
  OptionTargets to;
  to.table = &options.table;
  to.directed = &options.directed;
  to.temporal = &options.temporal;
  to.edge_labels = &options.edge_labels;
  to.keep_loops = &options.keep_loops;
  return to;
}

void add_output_options(CLI::App& verb, GraphOptions& options) {
  verb.add_option("--order", options.order,
                  "degree: a .mtg also has the graph with ranks by degree, which programs that cannot tell then "
                  "take at once; twice the size")
      ->check(CLI::IsMember({"id", "degree"}))
      ->option_text("id|degree");
  add_bytes(
      verb, "--memory", options.memory,
      "Make a .mtg in so much memory, such as 200M: at least 90 bytes a vertex and 12M; edges go through unnamed files "
      "beside it, 16 to 32 bytes each");
  add_number(verb, "--random-labels", options.random.vertices, "Give each vertex one of the labels 1 to N, drawn", 1);
  add_number(verb, "--random-edge-labels", options.random.edges, "The same for each edge", 1);
  add_number(verb, "--label-seed", options.random.seed, "Seed of these; same seed, same labels")->capture_default_str();
  verb.add_option("--format", options.format, "Format of the output; by default its name says it")
      ->check(CLI::IsMember({"edges", "mtx", "tve", "mtg"}))
      ->option_text("edges|mtx|tve|mtg");
}

/// One kind of generated graph. The caller adds its options.
CLI::App* add_kind(CLI::App& generate_verb, const char* name, const char* help, Action& action,
                   const std::shared_ptr<GraphOptions>& options, const Make& make) {
  CLI::App* kind = generate_verb.add_subcommand(name, help);
  add_console_options(*kind, options->console);
  kind->add_option("-o,--output", options->path, "The file to write; its name says the format; `-`: edges to stdout")
      ->type_name("FILE")
      ->required();
  add_output_options(*kind, *options);
  kind->callback([options, &action, make] { action = [options, make] { return generate(*options, make); }; });
  return kind;
}

void add_generate(CLI::App& verb, Action& action, const std::shared_ptr<GraphOptions>& options) {
  GraphOptions& o = *options;
  const auto kind = [&](const char* name, const char* help, const Make& make) {
    return add_kind(verb, name, help, action, options, make);
  };
  const auto vertices = [&o](CLI::App* k) { add_number(*k, "-n,--vertices", o.n, "Number of vertices")->required(); };
  const auto seed = [&o](CLI::App* k) {
    add_number(*k, "--seed", o.rmat.seed, "Seed; same seed, same graph")->capture_default_str();
  };

  CLI::App* rmat = kind("rmat", "Recursive matrix graph (skewed degrees)",
                        [](const GraphOptions& g, const Io& io) { return runtime::generate_rmat(g.rmat, io); });
  add_number(*rmat, "--scale", o.rmat.scale, "2^scale vertices")->capture_default_str();
  add_number(*rmat, "--edge-factor", o.rmat.edge_factor, "Draws for each vertex")->capture_default_str();
  rmat->add_option("--a", o.rmat.a, "Probability of the first quadrant")->capture_default_str();
  rmat->add_option("--b", o.rmat.b, "Of the second")->capture_default_str();
  rmat->add_option("--c", o.rmat.c, "Of the third")->capture_default_str();
  seed(rmat);
  CLI::App* er = kind("erdos-renyi", "So many edges, all sets equally likely", [](const GraphOptions& g, const Io& io) {
    return runtime::generate_erdos_renyi(g.n, g.m, g.rmat.seed, io);
  });
  vertices(er);
  add_number(*er, "-m,--edges", o.m, "Number of edges")->required();
  seed(er);
  CLI::App* gnp = kind("gnp", "Each edge with the same probability", [](const GraphOptions& g, const Io& io) {
    return runtime::generate_gnp(g.n, g.probability, g.rmat.seed, io);
  });
  vertices(gnp);
  gnp->add_option("-p,--probability", o.probability, "Of each edge")->required();
  seed(gnp);
  vertices(kind("clique", "All edges",
                [](const GraphOptions& g, const Io& io) { return runtime::generate_clique(g.n, io); }));
  vertices(kind("star", "Vertex 0 joined to all others",
                [](const GraphOptions& g, const Io& io) { return runtime::generate_star(g.n, io); }));
  vertices(kind("path", "Each vertex joined to the next",
                [](const GraphOptions& g, const Io& io) { return runtime::generate_path(g.n, io); }));
  vertices(kind("cycle", "A closed path",
                [](const GraphOptions& g, const Io& io) { return runtime::generate_cycle(g.n, io); }));
  CLI::App* like = kind("like", "A random graph with the vertices, labels and degrees of another one",
                        [](const GraphOptions& g, const Io& io) -> runtime::Result<runtime::Graph> {
                          if (g.memory != 0) {
                            return runtime::Error{runtime::ErrorKind::Input, "`like` needs the whole graph in memory",
                                                  "", 0, "leave out `--memory`"};
                          }
                          const runtime::LoadedGraph loaded = MATCHA_TRY(runtime::load_graph(spec_of(g), io));
                          if (loaded.report.graphs > 1) {
                            return runtime::Error{runtime::ErrorKind::Input,
                                                  "a random graph of a set would join vertices of different graphs",
                                                  g.input, 0, "give one graph"};
                          }
                          return runtime::rewired(loaded.graph, g.rmat.seed, io);
                        });
  like->add_option("IN", o.input, "The graph to read; `-`: standard input")->required()->type_name("");
  add_options(*like, kGraph, targets_of(o));
  add_option(*like, kGraph, "format", targets_of(o), "--input-format");
  seed(like);
  CLI::App* grid = kind("grid", "Points of a rectangle", [](const GraphOptions& g, const Io& io) {
    return runtime::generate_grid(g.rows, g.columns, io);
  });
  add_number(*grid, "--rows", o.rows, "Rows")->required();
  add_number(*grid, "--columns", o.columns, "Columns")->required();
  CLI::App* bipartite = kind("bipartite", "All edges between two sides", [](const GraphOptions& g, const Io& io) {
    return runtime::generate_bipartite(g.left, g.right, io);
  });
  add_number(*bipartite, "--left", o.left, "Vertices on one side")->required();
  add_number(*bipartite, "--right", o.right, "Vertices on the other")->required();
}

}  // namespace

void add_graph(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("graph", "Convert, describe or generate graph files");
  add_help_flags(*verb);
  verb->require_subcommand(1);
  verb->footer(R"(
Examples:
  matcha graph info graph.txt.gz
  matcha graph convert graph.txt.gz graph.mtg --labels labels.txt
  matcha graph generate rmat --scale 16 --seed 7 -o rmat.mtg

Graphs are read from edge lists (SNAP, KONECT, `u v t`), Matrix Market, METIS,
DIMACS, GraphML, GML, Pajek, graph6, t/v/e, N-Triples and .mtg files, packed or
not; what a file is shows from its bytes.)");
  auto options = std::make_shared<GraphOptions>();

  CLI::App* convert_verb = verb->add_subcommand("convert", "Write a graph in another format");
  add_console_options(*convert_verb, options->console);
  convert_verb->add_option("IN", options->input, "The graph to read; `-`: standard input")->required()->type_name("");
  convert_verb
      ->add_option("OUT", options->path, "The file to write: .mtg, .txt, .csv, .mtx, .graph, also with .gz or .zst")
      ->type_name("");
  add_output_options(*convert_verb, *options);
  add_options(*convert_verb, kGraph, targets_of(*options));
  add_option(*convert_verb, kGraph, "format", targets_of(*options), "--input-format");
  convert_verb->add_option("--labels-out", options->labels_out, "Write the labels here, lines `id label`")
      ->type_name("FILE");
  convert_verb->callback([options, &action] {
    if (options->path.empty() && !options->table.sql.empty()) options->path = std::exchange(options->input, "");
    if (options->path.empty()) throw CLI::RequiredError("OUT");
    action = [options] { return convert(*options); };
  });

  CLI::App* info_verb = verb->add_subcommand("info", "Describe a graph: size, degrees, labels, what loading drops");
  add_console_options(*info_verb, options->console);
  info_verb->add_option("FILE", options->input, "The graph to read; `-`: standard input")->type_name("");
  add_options(*info_verb, kGraph, targets_of(*options));
  info_verb->add_flag("--json", options->json, "Print one JSON object");
  info_verb->callback([options, &action] {
    if (options->input.empty() == options->table.sql.empty()) throw CLI::RequiredError("FILE, or --graph-sql,");
    action = [options] { return info(*options); };
  });

  CLI::App* generate_verb = verb->add_subcommand("generate", "Write a graph made from a formula and a seed");
  add_help_flags(*generate_verb);
  generate_verb->require_subcommand(1);
  generate_verb->footer("\nExample:\n  matcha graph generate erdos-renyi -n 1000 -m 5000 --seed 3 -o random.txt");
  add_generate(*generate_verb, action, options);
}

}  // namespace matcha::tools
