#include "session/graph_output.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "runtime/graph/mtg.h"
#include "runtime/graph/order.h"
#include "runtime/graph/stats.h"
#include "runtime/graph/write.h"

namespace matcha::session {

namespace {

using runtime::Compression;
using runtime::Format;

const std::map<std::string, Format> kFormats = {
    {"edges", Format::EdgeList}, {"mtx", Format::MatrixMarket}, {"tve", Format::Tve}, {"mtg", Format::Mtg}};

/// The format that a file name asks for: `g.mtx.gz`; Auto if it asks for none.
GraphTarget named_target(std::string_view name) {
  GraphTarget target;
  if (name.ends_with(".gz") || name.ends_with(".zst")) {
    target.compression = name.ends_with(".gz") ? Compression::Gzip : Compression::Zstd;
    name = name.substr(0, name.rfind('.'));
  }
  constexpr std::pair<std::string_view, Format> kEndings[] = {
      {".mtg", Format::Mtg},      {".mtx", Format::MatrixMarket}, {".graph", Format::Tve},
      {".lg", Format::Tve},       {".txt", Format::EdgeList},     {".el", Format::EdgeList},
      {".tsv", Format::EdgeList}, {".edges", Format::EdgeList},   {".csv", Format::EdgeList}};
  for (const auto& [ending, format] : kEndings) {
    if (name.ends_with(ending)) target.format = format;
  }
  if (name.ends_with(".csv")) target.separator = ',';
  if (name.ends_with(".tsv")) target.separator = '\t';
  return target;
}

/// Whether a memory limit fits the other options.
Status check_memory(const GraphOutput& output, const GraphTarget& target, const Reporter& reporter) {
  if (output.memory == 0) return Status::Ok;
  const bool draws = output.random.vertices != 0 || output.random.edges != 0;
  if (target.format != Format::Mtg) {
    return reporter.error(Status::Usage, "`--memory` is for .mtg files", "convert the .mtg after that");
  }
  if (output.keep_loops && !output.edge_labels && !output.input.ends_with(".mtg")) {
    return reporter.error(Status::Usage, "`--memory` keeps loops of graphs with labels of edges alone",
                          "add `--edge-labels`, or leave out `--keep-loops` or `--memory`");
  }
  if (draws)
    return reporter.error(Status::Usage, "`--memory` is for graphs whose labels are not drawn", "leave it out");
  return Status::Ok;
}

/// The halves that programs of patterns read.
constexpr runtime::Halves kStoredHalves = runtime::Halves::Lower;

/// Whether the graph can be stored with ranks by degree, too.
Status check_order(const runtime::Graph& graph, const GraphTarget& target, const Reporter& reporter) {
  if (target.format != Format::Mtg) {
    return reporter.error(Status::Usage, "`--order` is for .mtg files", "other formats have no place for it");
  }
  if (graph.facts().directed || !graph.facts().simple || graph.view().edge_info != nullptr) {
    return reporter.error(Status::Usage, "only undirected graphs without labels of edges are ranked by degree",
                          "leave out --order");
  }
  return Status::Ok;
}

/// Whether a `.mtg` of the graph gets its edges by label too, which programs then need not look for: not where edges
/// have numbers of another kind, such as times, as those with the same one may be there twice.
Status wants_labels_apart(const runtime::Graph& graph, const GraphOutput& output, const Reporter& reporter,
                          bool& wanted) {
  wanted = false;
  if (graph.facts().info != runtime::InfoKind::Int || output.temporal) return Status::Ok;
  const runtime::Result<runtime::LabelTable> table = graph.label_slices().table(graph);
  if (!table) return reporter.error(table.error());
  wanted = table->items.size() == graph.view().arc_count * (graph.facts().directed ? 2 : 1);
  return Status::Ok;
}

/// The graph with the labels that are to be drawn, in `labelled` where there are any.
Status draw_labels(const runtime::Graph& graph, const GraphOutput& output, const Reporter& reporter,
                   std::optional<runtime::Graph>& labelled) {
  if (output.random.vertices == 0 && output.random.edges == 0) return Status::Ok;
  if (output.random.edges != 0 && (graph.view().edge_info != nullptr || output.keep_loops)) {
    return reporter.error(Status::Usage, "the edges of the graph have labels or numbers already",
                          "leave out --random-edge-labels, or what keeps the third column");
  }
  runtime::Result<runtime::Graph> made = runtime::with_random_labels(graph, output.random);
  if (!made) return reporter.error(made.error());
  labelled.emplace(std::move(*made));
  return Status::Ok;
}

}  // namespace

std::optional<GraphTarget> choose_target(const GraphOutput& output, const Reporter& reporter) {
  GraphTarget target = named_target(output.path);
  if (!output.format.empty()) target.format = kFormats.at(output.format);
  if (target.format == Format::Auto) {
    if (output.path != "-" && output.path != "/dev/stdout") {
      reporter.error(Status::Usage, fmt::format("the name `{}` says no format that is written", output.path),
                     "end it in .mtg, .txt, .csv, .mtx or .graph, also with .gz or .zst, or add --format");
      return std::nullopt;
    }
    target.format = Format::EdgeList;
  }
  if (target.format == Format::Mtg && target.compression != Compression::None) {
    reporter.error(Status::Usage, "a .mtg file is mapped into memory and so not packed", "leave the .gz or .zst away");
    return std::nullopt;
  }
  if (check_memory(output, target, reporter) != Status::Ok) return std::nullopt;
  return target;
}

Status write_graph(const runtime::Graph& given, const GraphTarget& target, const GraphOutput& output,
                   const runtime::IoOptions& io, const Reporter& reporter) {
  const auto failure = [&](const runtime::Error& error) {
    return io.cancel != nullptr && io.cancel->load() ? Status::Interrupted : reporter.error(error);
  };
  std::optional<runtime::Graph> labelled;
  Status status = draw_labels(given, output, reporter, labelled);
  if (status != Status::Ok) return status;
  const runtime::Graph& graph = labelled ? *labelled : given;
  const std::string path = output.path == "-" ? "/dev/stdout" : output.path;
  runtime::WriteOptions write;
  write.format = target.format;
  write.compression = target.compression;
  write.separator = target.separator;
  const bool has_labels = graph.view().labels != nullptr;
  if (!output.labels_out.empty() && !has_labels) {
    return reporter.error(Status::Usage, "--labels-out was given, and the graph has no labels");
  }
  if (!output.labels_out.empty()) {
    const runtime::Status checked = runtime::check_labels(graph, output.labels_out);
    if (!checked) return failure(checked.error());
  }
  std::optional<runtime::Graph> ranked;
  if (output.order == "degree") {
    status = check_order(graph, target, reporter);
    if (status != Status::Ok) return status;
    runtime::Result<runtime::Graph> made = runtime::ordered_by_degree(graph, kStoredHalves, io);
    if (!made) return failure(made.error());
    ranked.emplace(std::move(*made));
  }
  const runtime::RankedCopy copy{ranked ? &*ranked : nullptr, kStoredHalves};
  bool by_label = false;
  if (target.format == Format::Mtg) {
    status = wants_labels_apart(graph, output, reporter, by_label);
    if (status != Status::Ok) return status;
  }
  const runtime::Status written = target.format == Format::Mtg ? runtime::write_mtg(graph, path, io, copy, by_label)
                                                               : runtime::write_text(graph, path, write, io);
  if (!written) return failure(written.error());
  if (!output.labels_out.empty()) {
    runtime::WriteOptions plain;
    plain.compression = named_target(output.labels_out).compression;
    const std::string file = output.labels_out == "-" ? "/dev/stdout" : output.labels_out;
    const runtime::Status labels = runtime::write_labels(graph, file, plain, io);
    if (!labels) return failure(labels.error());
  } else if (has_labels && target.format == Format::EdgeList) {
    reporter.warning("the labels are not in the new file, whose format has none",
                     "write a .mtg, .mtx or .graph file, or add --labels-out FILE");
  }
  if (const std::string changes = runtime::reading_notes(graph, target.format); !changes.empty())
    reporter.warning(changes);
  const std::uint64_t isolated = target.format == Format::EdgeList ? runtime::isolated_vertices(graph) : 0;
  if (isolated != 0) {
    reporter.warning(
        fmt::format("{} without edges {} not in the new file, whose format has no place for such",
                    isolated == 1 ? "a vertex" : fmt::format("{} vertices", isolated), isolated == 1 ? "is" : "are"),
        "write a .mtg, .graph or .mtx file");
  }
  return Status::Ok;
}

}  // namespace matcha::session
