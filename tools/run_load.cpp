#include "tools/run_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "runtime/graph/inputs.h"
#include "tools/progress.h"

namespace matcha::tools {

namespace {

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (std::uint64_t{1} << 20));
}

/// The arrays of a graph and those of its ranks by degree have at most eight times the bytes of its file, in which a
/// vertex has eight at least.
bool surely_fits(const std::string& path, std::uint64_t memory) {
  std::error_code failure;
  const std::uint64_t bytes = std::filesystem::file_size(path, failure);
  return !failure && bytes <= memory / 8;
}

std::uint64_t vertices_of(const PatternSource& pattern) {
  int most = 1;
  for (const frontend::pattern::Pattern& one : pattern.set().patterns) most = std::max(most, one.size());
  return static_cast<std::uint64_t>(most);
}

}  // namespace

runtime::Status load_run(const RunVerbOptions& options, const Console& console, const Session& session,
                         const Compilation& program, const BindPlan& plan, bool edge_labelled,
                         SharedInputs* maybe_shared, BoundInputs& out) {
  Progress progress(console, "loading", "B");
  runtime::IoOptions io;
  io.cancel = session.cancel();
  io.max_bytes = options.memory;
  // Of many processes, one looks at every arc.
  io.notes_folder = options.cluster.any() ? code_folder() : options.code_folder;
  if (progress.enabled()) {
    io.progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  }
  return maybe_shared != nullptr ? maybe_shared->load(program.graph(), plan, edge_labelled, io, out)
                                 : load_inputs(program.graph(), plan, io, out);
}

Status PartsChoice::check(const PatternSource* maybe_pattern, std::uint64_t whole) const {
  const auto unfit = [&](std::string_view what) {
    return console_.error(
        Status::Resource,
        fmt::format("the graph takes {} in memory, more than `{}` allows, and {}", mebibytes(whole), option_, what),
        "give it more memory; what is counted in parts are matches of `--pattern`");
  };
  if (maybe_pattern == nullptr) return unfit("programs are not counted in parts");
  const frontend::pattern::Pattern& first = maybe_pattern->set().patterns.front();
  if (options_.lists()) return unfit("rows are not listed in parts");
  if (first.has_constants()) return unfit("the pattern names vertices of the graph");
  if (options_.bind.table.gives_labels() || !options_.bind.inputs.empty()) {
    return unfit("its labels are not in the .mtg");
  }
  const bool elsewhere = options_.backend != "llvm" || options_.cluster.any();
  if (elsewhere || options_.tune || options_.verify || options_.pattern.algorithm == "join") {
    return unfit("`--tune`, `--verify`, `--backend`, `--algorithm join` and runs in several processes want all of it");
  }
  return Status::Ok;
}

void PartsChoice::bind(const std::string& name, BoundInputs& out) const {
  const runtime::Graph& whole = task_.graph->whole();
  runtime::Graph nothing;
  const auto dictionary = std::make_shared<const runtime::LabelDictionary>(whole.dictionary());
  nothing.set_dictionary(dictionary);
  out.inputs.universe = nothing.shared_universe();
  out.inputs.dictionary = dictionary;
  runtime::LoadReport& report = out.inputs.reports[name];
  report.path = options_.bind.graph;
  report.format = runtime::Format::Mtg;
  report.vertices = whole.vertex_count();
  report.edges = report.lines = whole.edge_count();
  report.max_degree = whole.view().max_degree;
  report.graph_bytes = task_.plan.largest_bytes;
  out.main_graph = name;
  out.arguments.emplace_back(&out.inputs.graphs.emplace(name, std::move(nothing)).first->second);
}

Status PartsChoice::open(const PatternSource* maybe_pattern, const PatternOptions& pattern, const Session& session,
                         const BindPlan& plan, BoundInputs& out) {
  if (memory_ == 0) return Status::Ok;
  if (on_gpu() && !binds_mtg(options_.bind)) {
    return console_.error(Status::Usage, "`--gpu-memory` wants a graph in a .mtg",
                          "matcha graph convert makes one of other files");
  }
  if (!binds_mtg(options_.bind) || surely_fits(options_.bind.graph, memory_)) return Status::Ok;
  runtime::IoOptions io;
  io.cancel = session.cancel();
  runtime::Result<std::shared_ptr<const runtime::PartedGraph>> graph =
      runtime::PartedGraph::open(options_.bind.graph, io, on_gpu());
  if (!graph) return console_.error(graph.error());
  const std::uint64_t whole = (*graph)->whole_bytes(!on_gpu() && options_.order != "id");
  if (whole <= memory_) {
    console_.note(fmt::format("memory: the graph takes {} of {}", mebibytes(whole), mebibytes(memory_)));
    return Status::Ok;
  }
  const Status fits = check(maybe_pattern, whole);
  if (fits != Status::Ok) return fits;
  runtime::Result<runtime::PartsPlan> parts = (*graph)->plan(memory_, vertices_of(*maybe_pattern), io);
  if (!parts) return console_.error(parts.error());
  console_.note(fmt::format(
      "memory: the graph takes {}, and may take {}; it is counted in {} parts, in {} subgraphs of at most {} of them, "
      "the largest of {}",
      mebibytes(whole), mebibytes(memory_), parts->parts, parts->subgraphs, parts->match,
      mebibytes(parts->largest_bytes)));
  task_.graph = std::move(*graph);
  task_.plan = std::move(*parts);
  task_.request.pattern = pattern;
  task_.request.compile = options_.compile;
  task_.request.order = "id";
  task_.request.device = on_gpu() ? "cuda" : "cpu";
  task_.request.gpu = options_.gpu;
  task_.ahead = on_gpu();
  task_.request.tier = options_.tier;
  task_.request.may_search = false;
  task_.request.code_folder = options_.code_folder;
  bind(plan.params.front().graph.name, out);
  return Status::Ok;
}

}  // namespace matcha::tools
