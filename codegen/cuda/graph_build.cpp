#include "codegen/cuda/graph_build.h"

#include <algorithm>
#include <bit>

#include "codegen/c_family/prologue.h"
#include "codegen/cuda/sinks.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::gpu {

using matcha_program::GraphBuild;
using matcha_program::kDigitBits;
using matcha_program::kDigits;
using matcha_program::Pieces;
using matcha_program::SortStep;
using matcha_program::StoredRows;
using matcha_program::Sums;
using matcha_program::u32;
using matcha_program::u64;
using runtime::cuda::DeviceMemory;
using runtime::cuda::Function;
using runtime::cuda::Stream;

namespace {

constexpr const char* kKernels[] = {"build_count_digits", "build_move_by_digit", "build_sum_piece", "build_sum_sums",
                                    "build_spread_sums",  "build_order_keys",    "build_edge_keys", "build_arcs",
                                    "build_offsets",      "build_marks",         "build_vertices"};
constexpr unsigned kBuildThreads = 128;
constexpr unsigned kBlocksAMultiprocessor = 8;
constexpr std::uint64_t kBuildLanes = 32;

/// What the host reads of top-level values: expressions outside of regions, and the lists that are dealt out.
class HostReads {
 public:
  explicit HostReads(const ir::Module& module) {
    for (const ir::Stmt* stmt : module.body->body) {
      ir::for_each_expr(*stmt, [&](const ir::Expr& expr) { read(expr); });
      const ir::Region* region = ir::as<ir::Region>(stmt);
      if (region == nullptr) continue;
      ir::for_each_stmt(*region->collect->body, [&](const ir::Stmt& inner) {
        ir::for_each_expr(inner, [&](const ir::Expr& expr) {
          ir::for_each_node(expr, [&](const ir::Expr& node) { ++uses_[&node]; });
        });
      });
      const std::span<const ir::Stmt* const> body = region->collect->body->body;
      const ir::For* outer = body.empty() ? nullptr : ir::as<ir::For>(body.back());
      if (!region->schedule.parallel || outer == nullptr) continue;
      for (const ir::Expr* list : outer->lists) {
        bool counted = list->kind == ir::Kind::Vertices || list->kind == ir::Kind::Edges;
        if (!counted) read(*list);
      }
    }
  }

  /// The host reads more of the graph than its counts.
  bool reads(const ir::Var* graph) const { return read_.contains(graph); }
  /// Times that anything reads the value.
  int uses(const ir::Var* var) const {
    const auto found = uses_.find(var);
    return found == uses_.end() ? 0 : found->second;
  }

 private:
  void read(const ir::Expr& expr) {
    ir::for_each_node(expr, [&](const ir::Expr& node) {
      ++uses_[&node];
      if (node.kind == ir::Kind::MaxDegree) return;
      for (const ir::Expr* operand : node.operands) {
        if (operand->type->is_graph()) read_.insert(operand);
      }
    });
    if (expr.type->is_graph()) read_.insert(&expr);
  }

  std::unordered_set<const ir::Expr*> read_;
  std::unordered_map<const ir::Expr*, int> uses_;
};

template <typename T>
T* pointer(const DeviceMemory& memory) {
  return reinterpret_cast<T*>(memory.address());
}

std::uint64_t words_of_marks(std::uint64_t universe) { return (universe + 63) / 64; }

}  // namespace

DeviceGraphs::DeviceGraphs(const ir::Module& module) {
  std::unordered_set<const ir::Expr*> found;
  const HostReads host(module);
  for (const ir::Stmt* stmt : module.body->body) {
    if (const ir::Region* region = ir::as<ir::Region>(stmt)) {
      for (const ir::Sink& sink : region->collect->sinks) {
        if (sink.kind == ir::SinkKind::List && host.uses(sink.var) == 1) found.insert(sink.var);
      }
    }
    const ir::BuildGraph* build = ir::as<ir::BuildGraph>(stmt);
    if (build == nullptr || build->index != ir::GraphIndex::Csr || build->maybe_labels != nullptr) continue;
    bool stay = found.contains(build->edges) && (build->maybe_info == nullptr || found.contains(build->maybe_info));
    if (!stay || host.reads(build->var)) continue;
    builds.insert(build);
    for (const ir::Expr* list : {build->edges, build->maybe_info}) {
      if (list != nullptr) rows[static_cast<const ir::Var*>(list)] = build->maybe_info != nullptr;
    }
  }
}

HostList DeviceRows::fetch(const Stream& stream) const {
  const std::uint64_t columns = sink->var->type->columns.size() + 1;
  std::vector<std::uint64_t> fetched(count * columns);
  for (std::uint64_t c = 0; c < columns && count != 0; ++c) {
    need(words.copy_to(stream, fetched.data() + c * count, count * 8, c * capacity * 8));
  }
  need(stream.synchronize());
  return ordered_rows(*sink, fetched, count, positions);
}

std::string graph_build_text() {
  std::string text = "// The kernels that build graphs.\n";
  for (const char* path : {"runtime/common/prelude.h", "runtime/common/atomics.h", "runtime/common/group.h",
                           "runtime/common/graph_build.h", "codegen/cuda/graph_kernels.h"}) {
    text += standalone_text(path);
  }
  return text;
}

GraphBuilder::GraphBuilder(const runtime::cuda::Module& module) {
  for (const char* name : kKernels) kernels_.emplace(name, need(module.function(name)));
}

/// One graph on its way.
class GraphBuilder::Build {
 public:
  Build(const GraphBuilder& builder, const Stream& stream, std::uint64_t universe)
      : builder_(builder), stream_(stream) {
    build_.universe = universe;
    build_.bits = static_cast<u32>(std::bit_width(std::max<std::uint64_t>(universe, 2) - 1));
    groups_ = static_cast<std::uint64_t>(stream.device().properties().multiprocessors) * kBlocksAMultiprocessor *
              kBuildThreads / kBuildLanes;
  }

  /// Nothing is freed that a kernel may still use.
  ~Build() { (void)stream_.synchronize(); }
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  DeviceGraph run(const DeviceRows& edges, const DeviceRows* maybe_info, const runtime::cuda::UploadOptions& wanted) {
    count_ = edges.count;
    take_sort_memory(maybe_info != nullptr);
    build_.edges = stored(edges);
    if (maybe_info != nullptr) {
      // Equal edges keep the order of their list, and so do the items that belong to them.
      build_.edges.order = order_of(edges);
      build_.info = stored(*maybe_info);
      build_.info.order = order_of(*maybe_info);
    }
    build_.keys = pointer<u64>(keys_[0]);
    build_.values = maybe_info != nullptr ? pointer<u32>(values_[0]) : nullptr;
    if (count_ != 0) spread("build_edge_keys", build_);
    sort(2 * build_.bits);
    build_.keys = pointer<u64>(keys_[0]);
    build_.values = maybe_info != nullptr ? pointer<u32>(values_[0]) : nullptr;
    return graph(wanted, maybe_info != nullptr);
  }

 private:
  DeviceMemory take(std::uint64_t bytes) {
    return need(DeviceMemory::allocate(stream_.shared_device(), std::max<std::uint64_t>(bytes, 1)));
  }

  static StoredRows stored(const DeviceRows& rows) {
    return {pointer<const u64>(rows.words), rows.capacity, rows.count, nullptr};
  }

  void take_sort_memory(bool with_values) {
    pieces_ = pieces_of(count_);
    for (DeviceMemory& keys : keys_) keys = take(count_ * sizeof(u64));
    for (DeviceMemory& values : values_) values = with_values ? take(count_ * sizeof(u32)) : DeviceMemory();
    counts_ = take(std::max<u64>(pieces_.pieces * kDigits, words_of_marks(build_.universe)) * sizeof(u32));
    sums_ = take((groups_ + 1) * sizeof(u32));
  }

  /// At most a piece a group, of at least kFewest items.
  Pieces pieces_of(std::uint64_t count) const {
    constexpr std::uint64_t kFewest = 64;
    const std::uint64_t size = std::max((count + groups_ - 1) / groups_, kFewest);
    return {count, size, (count + size - 1) / size};
  }

  template <typename... A>
  void launch(const char* kernel, std::uint64_t threads, A... arguments) {
    runtime::cuda::LaunchShape shape;
    shape.threads = kBuildThreads;
    shape.blocks = static_cast<unsigned>((threads + kBuildThreads - 1) / kBuildThreads);
    need(builder_.kernels_.at(kernel).launch(stream_, shape, arguments...));
  }
  /// A kernel whose threads share out items among them.
  template <typename... A>
  void spread(const char* kernel, A... arguments) {
    launch(kernel, groups_ * kBuildLanes, arguments...);
  }

  /// The first `count` words of `counts_` become the sums of those before them; the total stands at the end of `sums_`.
  Pieces sum_up(std::uint64_t count) {
    const Sums sums{pieces_of(count), pointer<u32>(counts_), pointer<u32>(sums_)};
    launch("build_sum_piece", sums.pieces.pieces * kBuildLanes, sums);
    launch("build_sum_sums", kBuildLanes, sums);
    launch("build_spread_sums", sums.pieces.pieces * kBuildLanes, sums);
    return sums.pieces;
  }

  /// Sorts the keys, and the values with them, by their lowest bits.
  void sort(std::uint64_t bits) {
    for (std::uint64_t shift = 0; shift < bits && count_ > 1; shift += kDigitBits) {
      const SortStep step{pieces_,
                          pointer<const u64>(keys_[0]),
                          pointer<u64>(keys_[1]),
                          pointer<const u32>(values_[0]),
                          pointer<u32>(values_[1]),
                          pointer<u32>(counts_),
                          static_cast<u32>(shift)};
      launch("build_count_digits", pieces_.pieces * kBuildLanes, step);
      sum_up(pieces_.pieces * kDigits);
      launch("build_move_by_digit", pieces_.pieces * kBuildLanes, step);
      std::swap(keys_[0], keys_[1]);
      std::swap(values_[0], values_[1]);
    }
  }

  /// The numbers of the rows in the order of their list.
  const u32* order_of(const DeviceRows& rows) {
    if (count_ != 0) spread("build_order_keys", stored(rows), pointer<u64>(keys_[0]), pointer<u32>(values_[0]));
    sort(static_cast<std::uint64_t>(std::bit_width(rows.positions)));
    orders_.push_back(std::exchange(values_[0], take(count_ * sizeof(u32))));
    return pointer<const u32>(orders_.back());
  }

  /// Memory of the graph itself.
  template <typename T>
  T* array(std::uint64_t count) {
    return pointer<T>(graph_.arrays.emplace_back(take(count * sizeof(T))));
  }

  DeviceGraph graph(const runtime::cuda::UploadOptions& wanted, bool with_info) {
    const std::uint64_t universe = build_.universe;
    const std::uint64_t words = words_of_marks(universe);
    build_.offsets = array<u64>(universe + 1);
    build_.neighbors = array<u32>(count_);
    build_.sources = wanted.sources ? array<u32>(count_) : nullptr;
    build_.info_words = with_info ? array<u64>(count_) : nullptr;
    build_.splits = wanted.splits ? array<u64>(universe) : nullptr;
    build_.vertices = array<u32>(universe);
    build_.mark_counts = pointer<u32>(counts_);
    const DeviceMemory marks = take((words + 1) * sizeof(u64));  // The word behind them: the highest degree.
    need(marks.fill(stream_, 0));
    build_.marks = pointer<u64>(marks);
    build_.max_degree = build_.marks + words;
    if (count_ != 0) spread("build_arcs", build_);
    spread("build_offsets", build_);
    spread("build_marks", build_);
    u32 vertices = 0;
    u64 max_degree = 0;
    if (words != 0) {
      const Pieces pieces = sum_up(words);
      spread("build_vertices", build_);
      need(sums_.copy_to(stream_, &vertices, sizeof vertices, pieces.pieces * sizeof(u32)));
    }
    need(marks.copy_to(stream_, &max_degree, sizeof max_degree, words * sizeof(u64)));
    need(stream_.synchronize());
    runtime::GraphView& view = graph_.view;
    view.universe = universe;
    view.arc_count = count_;
    view.offsets = reinterpret_cast<const std::uint64_t*>(build_.offsets);
    view.neighbors = build_.neighbors;
    view.sources = build_.sources;
    view.edge_info = build_.info_words;
    view.vertices = build_.vertices;
    view.vertex_count = vertices;
    view.max_degree = max_degree;
    view.splits = reinterpret_cast<const std::uint64_t*>(build_.splits);
    return std::move(graph_);
  }

  const GraphBuilder& builder_;
  const Stream& stream_;
  GraphBuild build_{};
  std::uint64_t groups_ = 1;
  std::uint64_t count_ = 0;
  Pieces pieces_{};
  DeviceMemory keys_[2];    ///< [0] has them; [1] is where a step of the sort puts them.
  DeviceMemory values_[2];  ///< The same.
  DeviceMemory counts_;
  DeviceMemory sums_;
  std::vector<DeviceMemory> orders_;
  DeviceGraph graph_;
};

std::optional<DeviceGraph> GraphBuilder::build(const Stream& stream, std::uint64_t universe, const DeviceRows& edges,
                                               const DeviceRows* maybe_info,
                                               const runtime::cuda::UploadOptions& wanted) const {
  if (edges.count >= UINT32_MAX) return std::nullopt;
  try {
    return Build(*this, stream, universe).run(edges, maybe_info, wanted);
  } catch (const interp::Trap& trap) {
    if (trap.error.kind == runtime::ErrorKind::Resource) return std::nullopt;
    throw;
  }
}

}  // namespace matcha::codegen::gpu
