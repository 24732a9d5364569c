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
using runtime::cuda::Stream;

namespace {

constexpr const char* kKernels[] = {"build_count_digits", "build_move_by_digit", "build_sum_piece", "build_sum_sums",
                                    "build_spread_sums",  "build_order_keys",    "build_edge_keys", "build_arcs",
                                    "build_no_labels",    "build_labels",        "build_offsets",   "build_marks",
                                    "build_vertices"};
constexpr unsigned kBuildThreads = 128;
constexpr unsigned kBlocksAMultiprocessor = 8;
constexpr std::uint64_t kBuildLanes = 32;

/// The top-level values that the host reads: expressions outside of regions, and lists whose items are dealt.
class HostReads {
 public:
  explicit HostReads(const host::Plan& plan) {
    for (const host::Step& step : plan.steps) {
      ir::for_each_expr(host::statement_of(step), [&](const ir::Expr& expr) { read(expr); });
      const host::RegionStep* region = std::get_if<host::RegionStep>(&step);
      if (region == nullptr) continue;
      ir::for_each_stmt(*region->region->collect->body, [&](const ir::Stmt& inner) {
        ir::for_each_expr(inner, [&](const ir::Expr& expr) {
          ir::for_each_node(expr, [&](const ir::Expr& node) { ++uses_[&node]; });
        });
      });
      if (region->outer == nullptr) continue;
      for (const ir::Expr* list : region->outer->lists) {
        bool counted = list->kind == ir::Kind::Vertices || list->kind == ir::Kind::Edges;
        if (!counted) read(*list);
      }
    }
  }

  /// True if the host reads more of the graph than its counts.
  bool reads(const ir::Var* graph) const { return read_.contains(graph); }
  /// Number of reads of the value, by the host and by regions.
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

/// Redirects a field that points to one array to another array.
template <typename T>
void redirect(const T*& field, const DeviceMemory& from, const DeviceMemory& to) {
  if (field == pointer<const T>(from)) field = pointer<const T>(to);
}

std::uint64_t words_of_marks(std::uint64_t universe) { return (universe + 63) / 64; }

}  // namespace

DeviceGraphs::DeviceGraphs(const host::Plan& plan) {
  std::unordered_set<const ir::Expr*> found;
  const HostReads reads(plan);
  for (const host::Step& step : plan.steps) {
    if (const host::RegionStep* region = std::get_if<host::RegionStep>(&step)) {
      for (const ir::Sink& sink : region->region->collect->sinks) {
        if (sink.kind == ir::SinkKind::List && reads.uses(sink.var) == 1) found.insert(sink.var);
      }
    }
    const ir::BuildGraph* build = ir::as<ir::BuildGraph>(&host::statement_of(step));
    if (build == nullptr || build->index != ir::GraphIndex::Csr || build->order != ir::RowOrder::Target) continue;
    bool stay = found.contains(build->edges) && (build->maybe_info == nullptr || found.contains(build->maybe_info));
    if (!stay || reads.reads(build->var)) continue;
    builds.insert(build);
    for (const ir::Expr* list : {build->edges, build->maybe_info}) {
      if (list != nullptr) rows[static_cast<const ir::Var*>(list)] = build->maybe_info != nullptr;
    }
    if (found.contains(build->maybe_labels)) rows[static_cast<const ir::Var*>(build->maybe_labels)] = false;
  }
}

std::uint64_t DeviceRows::count() const {
  std::uint64_t count = 0;
  for (const Part& part : parts) count += part.count;
  return count;
}

host::List DeviceRows::fetch() const {
  const std::uint64_t total = count();
  std::vector<std::uint64_t> fetched(total * columns());
  std::uint64_t* to = fetched.data();
  for (const Part& part : parts) {
    for (std::uint64_t c = 0; c < columns(); ++c) {
      need(part.words.copy_to(*part.stream, to + c * total, part.count * 8, c * part.capacity * 8));
    }
    to += part.count;
  }
  for (const Part& part : parts) need(part.stream->synchronize());
  return ordered_rows(*sink, fetched, total, positions);
}

std::string graph_build_text() {
  std::string text = "// The kernels that build graphs.\n";
  for (const char* path :
       {"runtime/common/prelude.h", "runtime/common/lists.h", "runtime/common/graphs.h", "runtime/common/atomics.h",
        "runtime/common/group.h", "runtime/common/graph_build.h", "codegen/cuda/graph_kernels.h"}) {
    text += standalone_text(path);
  }
  return text;
}

GraphBuilder::GraphBuilder(const runtime::cuda::Module& module) {
  for (const char* name : kKernels) kernels_.emplace(name, need(module.function(name)));
}

/// The construction of one graph.
class GraphBuilder::Build {
 public:
  Build(const GraphBuilder& builder, const std::vector<const Stream*>& streams, std::uint64_t universe)
      : builder_(builder), streams_(streams), stream_(*streams[0]) {
    build_.universe = universe;
    build_.bits = static_cast<u32>(std::bit_width(std::max<std::uint64_t>(universe, 2) - 1));
    groups_ = static_cast<std::uint64_t>(stream_.device().properties().multiprocessors) * kBlocksAMultiprocessor *
              kBuildThreads / kBuildLanes;
  }

  /// Waits first: a kernel or a copy may still use the memory.
  ~Build() {
    for (const Stream* stream : streams_) (void)stream->synchronize();
  }
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  std::optional<std::vector<DeviceGraph>> run(const GraphRows& rows, const runtime::cuda::UploadOptions& wanted) {
    const bool with_info = rows.info.has_value() && wanted.edge_info;
    count_ = rows.edges.count();
    build_.edges = gather(rows.edges);
    if (with_info) build_.info = gather(*rows.info);
    if (rows.labels) build_.labels = gather(*rows.labels);
    if (rows.known_labels) build_.labels = bring(*rows.known_labels);
    take_sort_memory(with_info);
    if (with_info) {
      // Equal edges keep the order of their list, and so do their information items.
      build_.edges.order = order_of(build_.edges);
      build_.info.order = order_of(build_.info);
    }
    build_.keys = pointer<u64>(keys_[0]);
    build_.values = with_info ? pointer<u32>(values_[0]) : nullptr;
    if (count_ != 0) spread("build_edge_keys", build_);
    sort(~u64{0} >> (64 - 2 * build_.bits));
    build_.keys = pointer<u64>(keys_[0]);
    build_.values = with_info ? pointer<u32>(values_[0]) : nullptr;
    if (!make_graph(wanted, with_info, rows.labels || rows.known_labels)) return std::nullopt;
    for (std::size_t i = 1; i < streams_.size(); ++i) copy_graph(*streams_[i]);
    for (const Stream* stream : streams_) need(stream->synchronize());
    return std::move(graphs_);
  }

 private:
  DeviceMemory take(std::uint64_t bytes) { return take_on(stream_, bytes); }
  static DeviceMemory take_on(const Stream& stream, std::uint64_t bytes) {
    return need(DeviceMemory::allocate(stream.shared_device(), std::max<std::uint64_t>(bytes, 1)));
  }

  /// The rows in one area of this device; used in place if one device found all of them.
  StoredRows gather(const DeviceRows& rows) {
    if (rows.parts.size() == 1) {
      return {pointer<const u64>(rows.parts[0].words), rows.parts[0].capacity, rows.count(), nullptr};
    }
    const std::uint64_t count = rows.count();
    const DeviceMemory& area = gathered_.emplace_back(take(count * rows.columns() * 8));
    std::uint64_t at = 0;
    for (const DeviceRows::Part& part : rows.parts) {
      for (std::uint64_t c = 0; c < rows.columns(); ++c) {
        need(part.words.copy_to(stream_, area, part.count * 8, c * part.capacity * 8, (c * count + at) * 8));
      }
      at += part.count;
    }
    return {pointer<const u64>(area), count, count, nullptr};
  }

  /// Labels of the host, as rows.
  StoredRows bring(const host::List& labels) {
    const std::uint64_t count = labels.size;
    std::vector<std::uint64_t> words(3 * count);
    std::copy_n(static_cast<const std::uint32_t*>(labels.columns[0]), count, words.data() + count);
    std::copy_n(static_cast<const std::int64_t*>(labels.columns[1]), count, words.data() + 2 * count);
    const DeviceMemory& area = gathered_.emplace_back(take(words.size() * 8));
    need(area.copy_from(stream_, words.data(), words.size() * 8));
    need(stream_.synchronize());
    return {pointer<const u64>(area), count, count, nullptr};
  }

  void take_sort_memory(bool with_values) {
    pieces_ = pieces_of(count_);
    for (DeviceMemory& keys : keys_) keys = take(count_ * sizeof(u64));
    for (DeviceMemory& values : values_) values = with_values ? take(count_ * sizeof(u32)) : DeviceMemory();
    counts_ = take(std::max<u64>(pieces_.pieces * kDigits, words_of_marks(build_.universe)) * sizeof(u32));
    sums_ = take((groups_ + 1) * sizeof(u32));
  }

  /// At most one piece for each group, each of at least kFewest items.
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
  /// Starts a kernel whose threads divide items among them.
  template <typename... A>
  void spread(const char* kernel, A... arguments) {
    launch(kernel, groups_ * kBuildLanes, arguments...);
  }

  /// Replaces the first `count` words of `counts_` by the sums of those before them; the total is at the end of
  /// `sums_`.
  Pieces sum_up(std::uint64_t count) {
    const Sums sums{pieces_of(count), pointer<u32>(counts_), pointer<u32>(sums_)};
    launch("build_sum_piece", sums.pieces.pieces * kBuildLanes, sums);
    launch("build_sum_sums", kBuildLanes, sums);
    launch("build_spread_sums", sums.pieces.pieces * kBuildLanes, sums);
    return sums.pieces;
  }

  /// Sorts the keys, and the values with them, by the digits that contain any of the bits `used`.
  void sort(std::uint64_t used) {
    for (std::uint64_t shift = 0; shift < 64 && count_ > 1; shift += kDigitBits) {
      if ((used >> shift & (kDigits - 1)) == 0) continue;
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
  const u32* order_of(const StoredRows& rows) {
    const DeviceMemory used = take(sizeof(u64));
    u64 bits = 0;
    need(used.fill(stream_, 0));
    if (count_ != 0) {
      spread("build_order_keys", rows, pointer<u64>(keys_[0]), pointer<u32>(values_[0]), pointer<u64>(used));
    }
    need(used.copy_to(stream_, &bits, sizeof bits));
    need(stream_.synchronize());
    sort(bits);
    orders_.push_back(std::exchange(values_[0], take(count_ * sizeof(u32))));
    return pointer<const u32>(orders_.back());
  }

  /// Memory of the graph itself.
  template <typename T>
  T* array(std::uint64_t count) {
    return pointer<T>(graphs_[0].arrays.emplace_back(take(count * sizeof(T))));
  }

  /// False if a vertex has two labels.
  bool make_graph(const runtime::cuda::UploadOptions& wanted, bool with_info, bool with_labels) {
    graphs_.emplace_back();
    const std::uint64_t universe = build_.universe;
    const std::uint64_t words = words_of_marks(universe);
    build_.offsets = array<u64>(universe + 1);
    build_.neighbors = array<u32>(count_);
    build_.sources = wanted.sources ? array<u32>(count_) : nullptr;
    build_.info_words = with_info ? array<u64>(count_) : nullptr;
    build_.halves = wanted.halves ? array<u64>(2 * universe + 1) : nullptr;
    build_.vertices = array<u32>(universe);
    build_.mark_counts = pointer<u32>(counts_);
    const DeviceMemory marks = take((words + 2) * sizeof(u64));  // Behind them: the highest degree, and clashes.
    need(marks.fill(stream_, 0));
    build_.marks = pointer<u64>(marks);
    build_.max_degree = build_.marks + words;
    build_.clashes = build_.max_degree + 1;
    if (with_labels) {
      build_.vertex_labels = array<u64>(universe);
      spread("build_no_labels", build_);
      spread("build_labels", build_);
    }
    if (count_ != 0) spread("build_arcs", build_);
    spread("build_offsets", build_);
    spread("build_marks", build_);
    u32 vertices = 0;
    u64 behind_marks[2] = {};
    if (words != 0) {
      const Pieces pieces = sum_up(words);
      spread("build_vertices", build_);
      need(sums_.copy_to(stream_, &vertices, sizeof vertices, pieces.pieces * sizeof(u32)));
    }
    need(marks.copy_to(stream_, behind_marks, sizeof behind_marks, words * sizeof(u64)));
    need(stream_.synchronize());
    runtime::GraphView& view = graphs_[0].view;
    view.universe = universe;
    view.arc_count = count_;
    view.offsets = reinterpret_cast<const std::uint64_t*>(build_.offsets);
    view.neighbors = build_.neighbors;
    view.sources = build_.sources;
    view.edge_info = build_.info_words;
    view.labels = reinterpret_cast<const std::int64_t*>(build_.vertex_labels);
    view.vertices = build_.vertices;
    view.vertex_count = vertices;
    view.max_degree = behind_marks[0];
    view.halves = reinterpret_cast<const std::uint64_t*>(build_.halves);
    return behind_marks[1] == 0;
  }

  /// Starts the copy of the graph to the device of another stream.
  void copy_graph(const Stream& stream) {
    DeviceGraph& copy = graphs_.emplace_back();
    copy.view = graphs_[0].view;
    for (const DeviceMemory& array : graphs_[0].arrays) {
      const DeviceMemory& there = copy.arrays.emplace_back(take_on(stream, array.bytes()));
      need(array.copy_to(stream, there, array.bytes()));
      redirect(copy.view.offsets, array, there);
      redirect(copy.view.neighbors, array, there);
      redirect(copy.view.sources, array, there);
      redirect(copy.view.edge_info, array, there);
      redirect(copy.view.labels, array, there);
      redirect(copy.view.vertices, array, there);
      redirect(copy.view.halves, array, there);
    }
  }

  const GraphBuilder& builder_;
  const std::vector<const Stream*>& streams_;
  const Stream& stream_;  ///< The first one; its device builds.
  GraphBuild build_{};
  std::uint64_t groups_ = 1;
  std::uint64_t count_ = 0;
  Pieces pieces_{};
  DeviceMemory keys_[2];    ///< [0] has them; [1] is where a step of the sort puts them.
  DeviceMemory values_[2];  ///< The same.
  DeviceMemory counts_;
  DeviceMemory sums_;
  std::vector<DeviceMemory> orders_;
  std::vector<DeviceMemory> gathered_;
  std::vector<DeviceGraph> graphs_;  ///< One a stream.
};

std::optional<std::vector<DeviceGraph>> GraphBuilder::build(const std::vector<const Stream*>& streams,
                                                            std::uint64_t universe, const GraphRows& rows,
                                                            const runtime::cuda::UploadOptions& wanted,
                                                            std::string& note) const {
  note = "a graph is built on the host, because there is too little memory on the GPU";
  if (rows.edges.count() >= UINT32_MAX) return std::nullopt;
  try {
    std::optional<std::vector<DeviceGraph>> graphs = Build(*this, streams, universe).run(rows, wanted);
    note.clear();
    return graphs;
  } catch (const host::Trap& trap) {
    if (trap.error.kind == runtime::ErrorKind::Resource) return std::nullopt;
    throw;
  }
}

}  // namespace matcha::codegen::gpu
