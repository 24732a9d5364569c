#ifdef __linux__
#include <malloc.h>
#include <CLI/CLI.hpp>
#endif

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/graph/generate.h"
#include "runtime/graph/inputs.h"
#include "runtime/graph/mtg.h"
#include "runtime/graph/order.h"
#include "runtime/graph/page_limit.h"
#include "runtime/graph/stats.h"
#include "runtime/graph/write.h"
#include "session/graph_info.h"
#include "session/options.h"
#include "session/output_file.h"
#include "tools/help.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using runtime::Compression;
using runtime::Format;

struct GraphOptions {
  ConsoleOptions console;
  std::string input;
  std::string output;
  TableBinding table;
  std::string labels_out;
  std::string format;
  std::string order = "id";
  std::uint64_t memory = 0;  ///< 0: as much as there is.
  bool directed = false;
  bool temporal = false;
  bool edge_labels = false;
  bool keep_loops = false;
  bool json = false;
  runtime::RandomLabels random;
  runtime::RmatSpec rmat;
  std::uint64_t n = 0, m = 0, rows = 0, columns = 0, left = 0, right = 0;
  double probability = 0;
};

const std::map<std::string, Format> kFormats = {
    {"edges", Format::EdgeList}, {"mtx", Format::MatrixMarket}, {"tve", Format::Tve}, {"mtg", Format::Mtg}};

/// How a file is to be written.
struct Destination {
  Format format = Format::Auto;
  Compression compression = Compression::None;
  char separator = ' ';  ///< Of an edge list.
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The format that a file name asks for: `g.mtx.gz`; Auto if it asks for none.
Destination target_of(std::string_view name) {
  Destination target;
  if (ends_with(name, ".gz") || ends_with(name, ".zst")) {
    target.compression = ends_with(name, ".gz") ? Compression::Gzip : Compression::Zstd;
    name = name.substr(0, name.rfind('.'));
  }
  constexpr std::pair<std::string_view, Format> kEndings[] = {
      {".mtg", Format::Mtg},      {".mtx", Format::MatrixMarket}, {".graph", Format::Tve},
      {".lg", Format::Tve},       {".txt", Format::EdgeList},     {".el", Format::EdgeList},
      {".tsv", Format::EdgeList}, {".edges", Format::EdgeList},   {".csv", Format::EdgeList}};
  for (const auto& [ending, format] : kEndings) {
    if (ends_with(name, ending)) target.format = format;
  }
  if (ends_with(name, ".csv")) target.separator = ',';
  if (ends_with(name, ".tsv")) target.separator = '\t';
  return target;
}

/// Where and how to write; complains and gives nothing when that is unclear.
std::optional<Destination> choose_target(const GraphOptions& options, const Console& console) {
  Destination target = target_of(options.output);
  if (!options.format.empty()) target.format = kFormats.at(options.format);
  if (target.format == Format::Auto) {
    if (options.output != "-" && options.output != "/dev/stdout") {
      console.error(Status::Usage, fmt::format("the name `{}` says no format that is written", options.output),
                    "end it in .mtg, .txt, .csv, .mtx or .graph, also with .gz or .zst, or add --format");
      return std::nullopt;
    }
    target.format = Format::EdgeList;
  }
  if (target.format == Format::Mtg && target.compression != Compression::None) {
    console.error(Status::Usage, "a .mtg file is mapped into memory and so not packed", "leave the .gz or .zst away");
    return std::nullopt;
  }
  return target;
}

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
  io.scratch_folder = std::filesystem::path(options.output).parent_path().string();
  if (io.scratch_folder.empty()) io.scratch_folder = ".";
  return io;
}

/// Whether a memory limit fits what is asked for.
Status check_memory(const GraphOptions& options, const Destination& target, const Console& console) {
  if (options.memory == 0) return Status::Ok;
  const bool draws = options.random.vertices != 0 || options.random.edges != 0;
  if (target.format != Format::Mtg) {
    return console.error(Status::Usage, "`--memory` is for .mtg files", "convert the .mtg after that");
  }
  if (options.keep_loops && !options.edge_labels && !ends_with(options.input, ".mtg")) {
    return console.error(Status::Usage, "`--memory` keeps loops of graphs with labels of edges alone",
                         "add `--edge-labels`, or leave out `--keep-loops` or `--memory`");
  }
  if (draws) return console.error(Status::Usage, "`--memory` is for graphs whose labels are not drawn", "leave it out");
  return Status::Ok;
}

/// The halves that programs of patterns walk.
constexpr runtime::Halves kStoredHalves = runtime::Halves::Lower;

/// The graph with ranks by degree, to be stored beside the one by id.
Status rank(const runtime::Graph& graph, const Destination& target, const runtime::IoOptions& io,
            const Console& console, std::optional<runtime::Graph>& ranked) {
  if (target.format != Format::Mtg) {
    return console.error(Status::Usage, "`--order` is for .mtg files", "other formats have no place for it");
  }
  if (graph.facts().directed || !graph.facts().simple || graph.view().edge_info != nullptr) {
    return console.error(Status::Usage, "only undirected graphs without labels of edges are ranked by degree",
                         "leave out --order");
  }
  runtime::Result<runtime::Graph> made = runtime::ordered_by_degree(graph, kStoredHalves, io);
  if (!made) return console.error(made.error());
  ranked.emplace(std::move(*made));
  return Status::Ok;
}

/// Whether a `.mtg` of the graph gets its edges by label too, which programs then need not look for: not where edges
/// have numbers of another kind, such as times, as those with the same one may be there twice.
Status wants_labels_apart(const runtime::Graph& graph, const GraphOptions& options, const Console& console,
                          bool& wanted) {
  wanted = false;
  if (graph.facts().info != runtime::InfoKind::Int || options.temporal) return Status::Ok;
  const runtime::Result<runtime::LabelTable> table = graph.label_slices().table(graph);
  if (!table) return console.error(table.error());
  wanted = table->items.size() == graph.view().arc_count * (graph.facts().directed ? 2 : 1);
  return Status::Ok;
}

/// The graph with the labels that are to be drawn, in `labelled` where there are any.
Status draw_labels(const runtime::Graph& graph, const GraphOptions& options, const Console& console,
                   std::optional<runtime::Graph>& labelled) {
  if (options.random.vertices == 0 && options.random.edges == 0) return Status::Ok;
  if (options.random.edges != 0 && (graph.view().edge_info != nullptr || options.keep_loops)) {
    return console.error(Status::Usage, "the edges of the graph have labels or numbers already",
                         "leave out --random-edge-labels, or what keeps the third column");
  }
  runtime::Result<runtime::Graph> made = runtime::with_random_labels(graph, options.random);
  if (!made) return console.error(made.error());
  labelled.emplace(std::move(*made));
  return Status::Ok;
}

/// Writes the graph, and its labels beside it where they were asked for.
Status write_graph(const runtime::Graph& graph, const Destination& target, const GraphOptions& options,
                   const Console& console, Session& session) {
  const runtime::IoOptions io = io_of(options, session);
  const std::string path = options.output == "-" ? "/dev/stdout" : options.output;
  runtime::WriteOptions write;
  write.format = target.format;
  write.compression = target.compression;
  write.separator = target.separator;
  const bool has_labels = graph.view().labels != nullptr;
  if (!options.labels_out.empty() && !has_labels) {
    return console.error(Status::Usage, "--labels-out was given, and the graph has no labels");
  }
  std::optional<runtime::Graph> ranked;
  if (options.order == "degree") {
    const Status code = rank(graph, target, io, console, ranked);
    if (code != Status::Ok) return session.stopped() ? session.stop_early() : code;
  }
  const runtime::RankedCopy copy{ranked ? &*ranked : nullptr, kStoredHalves};
  bool by_label = false;
  if (target.format == Format::Mtg) {
    const Status code = wants_labels_apart(graph, options, console, by_label);
    if (code != Status::Ok) return code;
  }
  const runtime::Status written = target.format == Format::Mtg ? runtime::write_mtg(graph, path, io, copy, by_label)
                                                               : runtime::write_text(graph, path, write, io);
  if (!written) return session.stopped() ? session.stop_early() : console.error(written.error());
  if (!options.labels_out.empty()) {
    runtime::WriteOptions plain;
    plain.compression = target_of(options.labels_out).compression;
    const runtime::Status labels = runtime::write_labels(graph, options.labels_out, plain, io);
    if (!labels) return session.stopped() ? session.stop_early() : console.error(labels.error());
  } else if (has_labels && target.format == Format::EdgeList) {
    console.warning("the labels are not in the new file, whose format has none",
                    "write a .mtg, .mtx or .graph file, or add --labels-out FILE");
  }
  if (const std::string changes = runtime::what_changes(graph, target.format); !changes.empty())
    console.warning(changes);
  const std::uint64_t isolated = target.format == Format::EdgeList ? runtime::isolated_vertices(graph) : 0;
  if (isolated != 0) {
    console.warning(
        fmt::format("{} without edges {} not in the new file, whose format has no place for such",
                    isolated == 1 ? "a vertex" : fmt::format("{} vertices", isolated), isolated == 1 ? "is" : "are"),
        "write a .mtg, .graph or .mtx file");
  }
  return Status::Ok;
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
  if (code != Status::Ok || !options.keep_loops || fits || ends_with(options.input, ".mtg")) return code;
  return console.error(Status::Usage, "`--keep-loops` is for directed graphs that are not temporal",
                       options.directed ? "" : "add `--directed`");
}

/// Loads the graph with a progress bar; on failure `code` says how to end.
std::unique_ptr<runtime::LoadedGraph> load(const GraphOptions& options, const Console& console, Session& session,
                                           Status& code) {
  Progress progress(console, "loading", "B");
  runtime::IoOptions io = io_of(options, session);
  if (progress.enabled())
    io.progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  runtime::Result<runtime::LoadedGraph> loaded = runtime::load_graph(spec_of(options), io);
  if (loaded) return std::make_unique<runtime::LoadedGraph>(std::move(*loaded));
  code = session.stopped() ? session.stop_early() : console.error(loaded.error());
  return nullptr;
}

Status convert(const GraphOptions& options) {
  const Console console(options.console);
  const std::optional<Destination> target = choose_target(options, console);
  if (!target || check_input(options, console) != Status::Ok) return Status::Usage;
  if (check_memory(options, *target, console) != Status::Ok) return Status::Usage;
  Session session(console);
  const FilePages pages(options);
  Status code = Status::Ok;
  const std::unique_ptr<runtime::LoadedGraph> loaded = load(options, console, session, code);
  if (loaded == nullptr) return code;
  console.note(loaded->report.render());
  std::optional<runtime::Graph> labelled;
  code = draw_labels(loaded->graph, options, console, labelled);
  if (code != Status::Ok) return session.leave(code);
  return session.leave(write_graph(labelled ? *labelled : loaded->graph, *target, options, console, session));
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
  const std::optional<Destination> target = choose_target(options, console);
  if (!target || check_memory(options, *target, console) != Status::Ok) return Status::Usage;
  Session session(console);
  const FilePages pages(options);
  runtime::Result<runtime::Graph> graph = make(options, io_of(options, session));
  if (!graph) {
    if (session.stopped()) return session.stop_early();
    // What is wrong here are the numbers on the command line, not a file.
    return graph.error().kind == runtime::ErrorKind::Input
               ? console.error(Status::Usage, graph.error().message, graph.error().hint)
               : console.error(graph.error());
  }
  std::optional<runtime::Graph> labelled;
  Status code = draw_labels(*graph, options, console, labelled);
  if (code == Status::Ok) code = write_graph(labelled ? *labelled : *graph, *target, options, console, session);
  if (code == Status::Ok) {
    console.note(fmt::format("{}: {} vertices, {} edges", options.output, graph->vertex_count(), graph->edge_count()));
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
  kind->add_option("-o,--output", options->output, "The file to write; its name says the format; `-`: edges to stdout")
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
      ->add_option("OUT", options->output, "The file to write: .mtg, .txt, .csv, .mtx, .graph, also with .gz or .zst")
      ->type_name("");
  add_output_options(*convert_verb, *options);
  add_options(*convert_verb, kGraph, targets_of(*options));
  add_option(*convert_verb, kGraph, "format", targets_of(*options), "--input-format");
  convert_verb->add_option("--labels-out", options->labels_out, "Write the labels here, one a line")->type_name("FILE");
  convert_verb->callback([options, &action] {
    if (options->output.empty() && !options->table.sql.empty()) options->output = std::exchange(options->input, "");
    if (options->output.empty()) throw CLI::RequiredError("OUT");
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
