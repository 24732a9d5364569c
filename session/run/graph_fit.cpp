#include "session/run/graph_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/graph/inputs.h"
#include "runtime/graph/mtg.h"
#include "runtime/machine.h"
#include "session/run/texts.h"

namespace matcha::session {

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

/// The GPU memory of the arrays of a graph for a program that reads all of them.
std::uint64_t most_of_gpu(const runtime::GraphView& view) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t), kItem = sizeof(std::uint32_t);
  const std::uint64_t labels = view.labels != nullptr ? kWord : 0, ids = view.original_ids != nullptr ? kWord : 0;
  const std::uint64_t of_vertex = 3 * kWord + kItem + labels + ids;  // Offsets, halves and the vertex.
  return view.universe * of_vertex + view.arc_count * (2 * kItem + (view.edge_info != nullptr ? kWord : 0));
}

/// The pipeline of a CPU, with blocks instead of the passes that read all rows around a vertex at once.
constexpr const char* kBlockPasses = "loop,block,plan-memory,batch,legalize";
/// The pipeline of a GPU with blocks. It does not change a program without them.
constexpr const char* kGpuBlockPasses =
    "loop,block{deeper=0},count-wedges{part=32},distribute,simplify,"
    "bitset-neighborhood{least=2,most=2048,full=2048,lists=0},plan-memory,keep-rows,schedule-regions,map-lanes{arcs=0},"
    "legalize";

std::uint64_t vertices_of(const PatternSource& pattern) {
  int most = 1;
  for (const pattern::Pattern& one : pattern.set().patterns) most = std::max(most, one.size());
  return static_cast<std::uint64_t>(most);
}

}  // namespace

runtime::Status load_run(const RunRequest& options, const RunReporter& console, const StopControl& session,
                         const Signature& program, const BindPlan& plan, SharedInputs* maybe_shared,
                         const GraphFit& parts, BoundInputs& out) {
  const std::unique_ptr<ProgressBar> progress = console.progress("loading", "B");
  runtime::IoOptions io;
  io.cancel = session.cancel();
  // A graph that stays in its file has no limit here: its pages are limited, and its vertices need not fit.
  if (parts.page_limit() == nullptr) io.max_bytes = options.memory;
  const runtime::PageLimit::Reading reading(parts.page_limit().get());
  // Of many processes, one looks at every arc.
  io.notes_folder = options.cluster.any() ? options.notes_folder : options.code_folder;
  if (progress) io.progress = [&progress](std::uint64_t done, std::uint64_t total) { progress->update(done, total); };
  return maybe_shared != nullptr ? maybe_shared->load(program, plan, io, out) : load_inputs(program, plan, io, out);
}

void add_hint_of_labels(runtime::Status& loaded) {
  if (!loaded && loaded.error().lacks_edge_info)
    loaded.error().hint += "; `--unlabelled-edges` forgets those of the pattern";
}

std::string_view GraphFit::why_not_parts(const PatternSource* maybe_pattern, const BindPlan& plan,
                                         const runtime::PartedGraph& graph) const {
  if (maybe_pattern == nullptr) return "programs are not counted in parts";
  if (plan.params.size() != 1) return "it is not the only input";
  if (options_.lists()) return "rows are not listed in parts";
  if (maybe_pattern->set().patterns.front().has_constants()) return "the pattern names vertices of the graph";
  if (graph.whole().view().edge_info != nullptr) return "its edges have labels or numbers";
  if (graph.whole().facts().directed) return "it is directed";
  if (!graph.has_parts()) return "it has parallel edges";
  if (options_.cluster.any()) return "runs in several processes need the whole graph";
  return options_.backend != "llvm" ? "`--backend` needs the whole graph" : "";
}

Status GraphFit::refuse(std::string_view why, std::string_view remedy) const {
  return console_.error(
      Status::Resource,
      fmt::format("the graph takes {} in memory, more than `{}` allows, and {}", mebibytes(whole_), option_, why),
      fmt::format("{}, or give it more memory", remedy));
}

Status GraphFit::check(const PatternSource* maybe_pattern) const {
  if (options_.tune) return refuse("`--tune` times runs on the whole graph", "leave out --tune");
  if (options_.verify) return refuse("`--verify` reads the whole graph", "leave out --verify");
  if (!options_.pattern.per.empty()) return refuse("`--per` reads the whole graph", "count without --per");
  if (options_.pattern.algorithm == "join") {
    return refuse("`--algorithm join` keeps candidates of the whole graph", "leave out --algorithm");
  }
  if (maybe_pattern != nullptr && maybe_pattern->set().cliques) {
    return refuse("cliques of all sizes, maximal ones and those of more than 12 vertices read the whole graph",
                  "ask for a size up to 12");
  }
  if (options_.bind.table.gives_labels()) {
    return refuse("its labels are not in the .mtg", "put them there with `matcha graph convert --labels`");
  }
  return Status::Ok;
}

Status GraphFit::check_whole(const BindPlan& plan, const std::vector<Parted>& graphs) const {
  for (const auto& [param, graph] : graphs) {
    if (param->kind == ParamPlan::Kind::GraphEdges) {
      return refuse("the program takes it as a list of edges, which is made in memory",
                    "have the program take a `Graph`");
    }
    if (on_gpu()) continue;  // Host memory does not matter.
    if (param->graph.simple && !graph->whole().facts().simple) {
      return refuse("its parallel edges are made one in memory", "convert it without --temporal and --edge-labels");
    }
    if (options_.order == "degree" && graph->whole().stored_order().offsets == nullptr) {
      return refuse("`--order degree` ranks its vertices in memory",
                    "store that order with `matcha graph convert --order degree`");
    }
  }
  const bool alone = std::ranges::count_if(plan.params, [](const ParamPlan& param) {
                       return param.kind == ParamPlan::Kind::Graph || param.kind == ParamPlan::Kind::List;
                     }) == 1;
  if (!alone) return refuse("inputs whose ids are ranked together are in memory", "convert them to one graph");
  return Status::Ok;
}

void GraphFit::bind(const std::string& name, BoundInputs& out) const {
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

runtime::Status GraphFit::look(const BindPlan& plan, const runtime::IoOptions& io, std::vector<Parted>& graphs) {
  for (const ParamPlan& param : plan.params) {
    const bool is_graph = param.kind == ParamPlan::Kind::Graph || param.kind == ParamPlan::Kind::GraphEdges;
    if (!is_graph || !runtime::is_mtg_file(param.graph.path)) continue;
    std::shared_ptr<const runtime::PartedGraph> graph =
        MATCHA_TRY(runtime::PartedGraph::open(param.graph.path, io, on_gpu()));
    whole_ += on_gpu() ? most_of_gpu(graph->whole().view()) : graph->whole_bytes(options_.order != "id");
    graphs.emplace_back(&param, std::move(graph));
  }
  return runtime::Done{};
}

void GraphFit::take_parts(runtime::PartsPlan parts, std::shared_ptr<const runtime::PartedGraph> graph,
                          const PatternOptions& pattern) {
  console_.note(fmt::format(
      "memory: the graph takes {}, and may take {}; it is counted in {} parts, in {} subgraphs of at most {} of them, "
      "the largest of {}",
      mebibytes(whole_), mebibytes(memory_), parts.parts, parts.subgraphs, parts.match,
      mebibytes(parts.largest_bytes)));
  task_.graph = std::move(graph);
  task_.plan = std::move(parts);
  task_.request.pattern = pattern;
  task_.request.compile = options_.compile;
  task_.request.order = "id";
  task_.request.device = on_gpu() ? "cuda" : "cpu";
  task_.request.gpu = options_.gpu;
  task_.ahead = on_gpu();
  task_.request.tier = options_.tier;
  task_.request.may_search = false;
  task_.request.code_folder = options_.code_folder;
}

void GraphFit::take_pages(std::string_view why) {
  in_place_ = true;
  console_.note(
      fmt::format("memory: the graph takes {}, and may take {}; {}, so its rows are read from the file as "
                  "they are wanted, and again, which is slow",
                  mebibytes(whole_), mebibytes(memory_), why));
  page_limit_ = std::make_shared<runtime::PageLimit>(memory_);
}

/// Its rows are read in memory of the host where a GPU may not have them.
void GraphFit::take_rows(GpuOptions& gpu) {
  in_place_ = true;
  gpu.graph_bytes = memory_;
  console_.note(fmt::format(
      "memory: the graph takes up to {}, and may take {} of a GPU; rows of neighbours for which there is no room "
      "are read in memory of the host, which is slow",
      mebibytes(whole_), mebibytes(memory_)));
}

void GraphFit::describe(EngineContext& context) const {
  if (!no_parts_.empty()) context.no_parts = no_parts_;
  if (!does_not_fit()) return;
  context.does_not_fit = fmt::format("the graph takes {}, more than `{}` allows", mebibytes(whole_), option_);
  if (!needed()) return;
  context.bytes_of_part = task_.plan.largest_bytes;
  context.parts = [this] { return make_parts_counter(task_); };
}

/// A GPU counts in parts of a graph if the host has too little memory for the GPU to read it there, or on request.
bool GraphFit::prefers_parts() const {
  const std::uint64_t of_host = runtime::machine().memory_bytes;
  return !on_gpu() || (of_host != 0 && whole_ > of_host / 2) || options_.engine == "parts";
}

Status GraphFit::open(const PatternSource* maybe_pattern, const PatternOptions& pattern, const StopControl& session,
                      const BindPlan& plan, CompileOptions& compile, GpuOptions& gpu, BoundInputs& out) {
  if (memory_ == 0) return Status::Ok;
  if (on_gpu() && !binds_mtg(options_.bind)) {
    return console_.error(Status::Usage, "`--gpu-memory` wants a graph in a .mtg",
                          "matcha graph convert makes one of other files");
  }
  if (!binds_mtg(options_.bind) || surely_fits(options_.bind.graph, memory_)) return Status::Ok;
  runtime::IoOptions io;
  io.cancel = session.cancel();
  std::vector<Parted> graphs;
  const runtime::Status looked = look(plan, io, graphs);
  if (session.stopped()) return Status::Ok;
  if (!looked) return console_.error(looked.error());
  if (graphs.empty()) return Status::Ok;
  if (whole_ <= memory_) {
    no_parts_ = fmt::format("the graph takes {}, and may take {}", mebibytes(whole_), mebibytes(memory_));
    console_.note(fmt::format("memory: the graph takes {} of {}", mebibytes(whole_), mebibytes(memory_)));
    return Status::Ok;
  }
  if (const Status fits = check(maybe_pattern); fits != Status::Ok) return fits;
  const std::shared_ptr<const runtime::PartedGraph>& first = graphs.front().second;
  std::string why(why_not_parts(maybe_pattern, plan, *first));
  if (why.empty() && prefers_parts()) {
    runtime::Result<runtime::PartsPlan> parts = first->plan(memory_, vertices_of(*maybe_pattern), io);
    if (parts) {
      take_parts(std::move(*parts), first, pattern);
      bind(plan.params.front().graph.name, out);
      return Status::Ok;
    }
    if (session.stopped()) return Status::Ok;
    if (parts.error().kind != runtime::ErrorKind::Resource) return console_.error(parts.error());
    why = "no parts of it are small enough";
  }
  no_parts_ = why.empty() ? "the host has memory that the GPU can read" : why;
  if (const Status fits = check_whole(plan, graphs); fits != Status::Ok) return fits;
  if (on_gpu()) {
    take_rows(gpu);
  } else {
    take_pages(why);
  }
  if (compile.passes.empty() && !options_.cluster.any() && options_.backend == "llvm") {
    compile.passes = on_gpu() ? kGpuBlockPasses : kBlockPasses;
  }
  return Status::Ok;
}

Status GraphFit::load(Compilation& program, codegen::Backend& backend,
                      std::unique_ptr<codegen::Executable>& executable) const {
  const Status loaded = program.load(backend, executable);
  const ir::Module& module = program.pipeline().module;
  const std::size_t added = module.params.size() - program.loop().params.size();
  if (loaded != Status::Ok || !in_place_ || (added == 0 && !on_gpu())) return loaded;
  BlockTask task{std::move(executable), added / 2, memory_, page_limit_, on_gpu()};
  if (on_gpu()) {
    for (const ir::Var* param : module.params) {
      if (param->type->is_graph()) task.rows = codegen::gpu::rows_read(module, param);
    }
    task.of_vertex = codegen::gpu::bytes_of_vertex(module, task.rows);
    task.walks_down = codegen::gpu::walks_down(module);
  }
  executable = make_block_runner(std::move(task));
  return loaded;
}

Status GraphFit::check_loaded(const BoundInputs& bound) const {
  if (page_limit_ == nullptr) return Status::Ok;
  for (const auto& [name, graph] : bound.inputs.graphs) {
    const runtime::GraphView view = graph.view();
    if (view.arc_count != 0 && !page_limit_->holds(view.neighbors))
      return refuse("it cannot be used as it lies in its file", "convert it again");
  }
  page_limit_->expect_random_access();
  return Status::Ok;
}

}  // namespace matcha::session
