#include "session/block_runner.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/dealer.h"
#include "codegen/shares.h"
#include "runtime/graph/device_copies.h"
#include "runtime/parallel.h"

namespace matcha::session {

namespace {

using codegen::PartialValue;
using codegen::PositionRange;
using codegen::RunOptions;
using codegen::RunOutcome;
using codegen::RunResult;

constexpr std::uint64_t kMostBlocks = 64;
/// On a GPU, where each pair of blocks is a kernel. With more, it rather has the rows that are read most.
constexpr std::uint64_t kMostGpuBlocks = 20;
/// The number of rows that are moved as one group.
constexpr std::uint64_t kRanks = std::uint64_t{1} << runtime::kMovedBits;
constexpr std::uint64_t kSlackBytes = 256;

/// Deals one block of positions at a time to each region, and keeps the results.
class BlockDealer final : public codegen::Dealer {
 public:
  BlockDealer(std::uint64_t blocks, std::uint64_t runs) : blocks_(blocks), runs_(runs) {}

  /// The next run iterates over this block of positions.
  void deal(std::uint64_t block) {
    block_ = block;
    for (Region& region : regions_) region.block = block;
  }
  /// The next run has no positions and gives the sum of all. `complete`: no run was stopped.
  void end(bool complete) {
    ended_ = true;
    complete_ = complete;
  }

  std::uint64_t units() const override { return blocks_; }
  bool merges() const override { return ended_; }
  std::optional<std::uint64_t> next(std::size_t region) override {
    return ended_ ? std::nullopt : std::exchange(of(region).block, std::nullopt);
  }
  std::optional<runtime::Error> done(std::size_t region, std::uint64_t, std::vector<PartialValue> found) override {
    if (region == 0) ++done_;
    return codegen::merge_all(of(region).found, found);
  }
  bool is_complete(std::size_t region) const override {
    return ended_ ? complete_ : region < regions_.size() && !regions_[region].block;
  }
  std::uint64_t units_done() const override { return done_; }
  std::uint64_t units_total() const override { return runs_; }
  runtime::Result<std::vector<PartialValue>> finish(std::size_t region) override { return std::move(of(region).found); }

 private:
  struct Region {
    std::optional<std::uint64_t> block;  ///< The block that is not yet processed.
    std::vector<PartialValue> found;
  };

  Region& of(std::size_t region) {
    while (regions_.size() <= region) regions_.push_back({block_, {}});
    return regions_[region];
  }

  const std::uint64_t blocks_, runs_;
  std::uint64_t block_ = 0;
  std::atomic<std::uint64_t> done_{0};
  bool ended_ = false, complete_ = false;
  std::vector<Region> regions_;  ///< Those that were reached.
};

/// The rows of a graph, block by block.
class BlockRows {
 public:
  BlockRows(const runtime::GraphView& view, std::uint64_t blocks, runtime::PageLimit* maybe_pages)
      : view_(view), blocks_(blocks), maybe_pages_(maybe_pages) {}

  PositionRange positions(std::uint64_t block) const {
    return codegen::positions_of({block, blocks_}, view_.vertex_count, &view_);
  }
  bool is_empty(std::uint64_t block) const { return positions(block).begin == positions(block).end; }
  /// The ranks from the first to the last of some positions.
  runtime::PositionRange ranks(const PositionRange& range) const {
    return {rank(range.begin), rank(range.end - 1) + 1};
  }
  /// Prefetches the arrays of a block.
  void expect(std::uint64_t block) const {
    if (maybe_pages_ == nullptr) return;
    each_array(block, [this](const void* items, std::uint64_t bytes) { maybe_pages_->expect(items, bytes); });
  }
  /// Allows the pages of a block to be evicted.
  void drop(std::uint64_t block) const {
    if (maybe_pages_ == nullptr) return;
    each_array(block, [this](const void* items, std::uint64_t bytes) { maybe_pages_->drop(items, bytes); });
  }

 private:
  std::uint64_t rank(std::uint64_t position) const {
    return view_.vertices != nullptr ? view_.vertices[position] : position;
  }

  template <typename Take>
  void each_array(std::uint64_t block, const Take& take) const {
    const PositionRange range = positions(block);
    if (range.begin == range.end) return;
    const std::uint64_t first = view_.offsets[rank(range.begin)], last = view_.offsets[rank(range.end - 1) + 1];
    take(view_.neighbors + first, (last - first) * sizeof(std::uint32_t));
    const std::uint64_t* const info = static_cast<const std::uint64_t*>(view_.edge_info);
    if (info != nullptr) take(info + first, (last - first) * sizeof(std::uint64_t));
  }

  const runtime::GraphView view_;
  const std::uint64_t blocks_;
  runtime::PageLimit* const maybe_pages_;
};

runtime::Graph* graph_among(std::span<const codegen::Argument> arguments) {
  for (const codegen::Argument& argument : arguments) {
    if (runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&argument)) return *graph;
  }
  return nullptr;
}

class BlockRunner final : public codegen::Executable {
 public:
  explicit BlockRunner(BlockTask task) : task_(std::move(task)) {}

  void begin() override { task_.executable->begin(); }
  void set_rescheduler(codegen::Rescheduler rescheduler) override {
    task_.executable->set_rescheduler(std::move(rescheduler));
  }
  bool from_cache() const override { return task_.executable->from_cache(); }

  RunOutcome run(std::span<const codegen::Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override {
    runtime::Graph* const graph = graph_among(arguments);
    const runtime::GraphView view = graph != nullptr ? graph->view() : runtime::GraphView{};
    std::vector<codegen::Argument> all(arguments.begin(), arguments.end());
    const bool is_shared = options.maybe_dealer != nullptr || !options.share.is_whole();
    // Data on the device stays there from run to run.
    if (task_.on_gpu && graph != nullptr && graph->device_copies() == nullptr) {
      graph->set_device_copies(std::make_shared<runtime::DeviceCopies>());
    }
    Blocks blocks;
    if (task_.levels != 0 && !is_shared && graph != nullptr && view.offsets != nullptr && view.vertex_count != 0) {
      blocks = task_.on_gpu ? blocks_of_gpu(*graph) : blocks_for(view);
    }
    if (blocks.outer == 1) {
      for (std::uint64_t level = 0; level < task_.levels; ++level) append(all, {0, view.vertex_count});
      return task_.executable->run(all, universe, options);
    }
    return run_all(std::move(all), universe, options, BlockRows(view, blocks.outer, task_.pages.get()), blocks);
  }

 private:
  struct Blocks {
    std::uint64_t outer = 1;           ///< Of the positions of the outermost loop, as BlockRows has them; 1: none.
    std::vector<PositionRange> inner;  ///< Of the items of each level, one after the other.
  };

  static void append(std::vector<codegen::Argument>& arguments, PositionRange block) {
    arguments.emplace_back(static_cast<std::int64_t>(block.begin));
    arguments.emplace_back(static_cast<std::int64_t>(block.end));
  }

  /// The fewest of which a run's fit memory.
  Blocks blocks_for(const runtime::GraphView& view) const {
    const std::uint64_t of_arc = sizeof(std::uint32_t) + (view.edge_info != nullptr ? sizeof(std::uint64_t) : 0);
    const std::uint64_t bytes = view.arc_count * of_arc * (task_.levels + 1);
    Blocks blocks;
    blocks.outer = std::clamp<std::uint64_t>(bytes / std::max<std::uint64_t>(task_.memory, 1) + 1, 1,
                                             std::min(kMostBlocks, view.vertex_count));
    const BlockRows rows(view, blocks.outer, nullptr);
    for (std::uint64_t block = 0; block < blocks.outer; ++block) blocks.inner.push_back(rows.positions(block));
    return blocks;
  }

  /// The same for the rows that a GPU reads, if memory has room for them beside the data of each vertex: the fewest
  /// pairs of blocks. Empty: there would be too many.
  Blocks blocks_of_gpu(runtime::Graph& graph) const {
    const bool halved = task_.rows != codegen::gpu::RowsRead::All;
    if (halved && !runtime::ensure_halves(graph)) return {};
    const runtime::GraphView view = graph.view();
    const std::vector<std::uint64_t> items = items_of_groups(view, halved);
    const std::uint64_t of_vertices = task_.of_vertex * view.universe + kSlackBytes;
    const std::uint64_t room =
        (task_.memory - std::min(codegen::gpu::most_of_vertices(task_.memory), of_vertices)) / sizeof(std::uint32_t);
    if (items.back() <= room) return {};
    Blocks best;
    for (std::uint64_t outer = 2; outer <= std::min(kMostGpuBlocks, view.vertex_count); ++outer) {
      const BlockRows rows(view, outer, nullptr);
      std::uint64_t largest = 0;
      for (std::uint64_t block = 0; block < outer; ++block) {
        if (rows.is_empty(block)) continue;
        const runtime::PositionRange ranks = rows.ranks(rows.positions(block));
        largest = std::max(largest, items[(ranks.end + kRanks - 1) / kRanks] - items[ranks.begin / kRanks]);
      }
      if (largest >= room) continue;
      std::vector<PositionRange> inner = cut(view, items, (room - largest) / task_.levels);
      if (inner.empty() || (best.outer != 1 && outer * inner.size() >= best.outer * best.inner.size())) continue;
      best = {outer, std::move(inner)};
    }
    return best;
  }

  /// The words that a GPU reads of the rows of all ranks before a group, for each group and behind the last.
  std::vector<std::uint64_t> items_of_groups(const runtime::GraphView& view, bool halved) const {
    const std::uint64_t groups = (view.universe + kRanks - 1) / kRanks;
    const std::uint64_t side = task_.rows == codegen::gpu::RowsRead::Upper ? 1 : 0;
    std::vector<std::uint64_t> items(groups + 1, 0);
    runtime::for_blocks(runtime::Block(0, groups, 1 << 10), [&](const auto& part) {
      for (std::uint64_t group = part.begin(); group != part.end(); ++group) {
        const std::uint64_t end = std::min((group + 1) * kRanks, view.universe);
        for (std::uint64_t v = group * kRanks; v < end; ++v) {
          items[group + 1] += halved ? view.halves[2 * v + side + 1] - view.halves[2 * v + side]
                                     : view.offsets[v + 1] - view.offsets[v];
        }
      }
    });
    std::partial_sum(items.begin(), items.end(), items.begin());
    return items;
  }

  /// Blocks of consecutive vertices with at most `most` items; none: there would be too many. `items`: of groups.
  static std::vector<PositionRange> cut(const runtime::GraphView& view, const std::vector<std::uint64_t>& items,
                                        std::uint64_t most) {
    const auto position = [&view](std::uint64_t rank) {
      if (view.vertices == nullptr) return rank;
      return static_cast<std::uint64_t>(std::lower_bound(view.vertices, view.vertices + view.vertex_count, rank) -
                                        view.vertices);
    };
    std::vector<PositionRange> blocks;
    for (std::uint64_t begin = 0; begin + 1 < items.size();) {
      const auto behind =
          std::upper_bound(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end(), items[begin] + most);
      const std::uint64_t end = static_cast<std::uint64_t>(behind - items.begin()) - 1;
      if (end <= begin || blocks.size() == kMostGpuBlocks) return {};
      const auto rank = [&view](std::uint64_t group) { return std::min(group * kRanks, view.universe); };
      blocks.push_back({position(rank(begin)), position(rank(end))});
      begin = end;
    }
    return blocks;
  }

  RunOutcome run_all(std::vector<codegen::Argument> arguments, const runtime::Universe& universe,
                     const RunOptions& options, const BlockRows& rows, const Blocks& blocks) {
    std::uint64_t inner = 1;
    for (std::uint64_t level = 0; level < task_.levels; ++level) inner *= blocks.inner.size();
    BlockDealer dealer(blocks.outer, blocks.outer * inner);
    RunOptions one = options;
    one.maybe_dealer = &dealer;
    const std::size_t own = arguments.size();
    RunResult total;
    bool complete = true;
    std::vector<runtime::PositionRange> near;
    for (std::uint64_t outer = 0; outer < blocks.outer && complete; ++outer) {
      rows.expect(outer);
      for (std::uint64_t number = 0; number < inner && complete; ++number) {
        arguments.resize(own);
        bool is_empty = rows.is_empty(outer);
        std::vector<PositionRange> read = {rows.positions(outer)};
        std::uint64_t rest = number;
        for (std::uint64_t level = 0; level < task_.levels; ++level, rest /= blocks.inner.size()) {
          const std::uint64_t block = rest % blocks.inner.size();
          const PositionRange range = blocks.inner[block];
          const bool is_above = task_.walks_down && range.begin >= read.front().end;
          is_empty = is_empty || range.begin == range.end || is_above;
          if (level == 0 && block != outer) rows.expect(block);
          append(arguments, range);
          read.push_back(range);
        }
        if (is_empty) continue;
        near = ranks_of(rows, std::move(read));
        one.resident_rows = near;
        dealer.deal(outer);
        RunOutcome outcome = task_.executable->run(arguments, universe, one);
        RunResult* const found = std::get_if<RunResult>(&outcome);
        if (found == nullptr) return outcome;
        add(total, *found);
        complete = found->ending == codegen::Ending::Complete;
        const std::uint64_t block = number % blocks.inner.size();
        if (block != outer) rows.drop(block);
      }
      rows.drop(outer);
    }
    dealer.end(complete);
    arguments.resize(own);
    for (std::uint64_t level = 0; level < task_.levels; ++level) append(arguments, {0, 1});
    RunOutcome outcome = task_.executable->run(arguments, universe, one);
    RunResult* const result = std::get_if<RunResult>(&outcome);
    if (result == nullptr) return outcome;
    if (!complete) result->ending = total.ending;
    result->positions = total.positions;
    result->positions_total = total.positions_total;
    result->work_done = total.work_done;
    result->work_total = total.work_total;
    result->deferred = total.deferred;
    if (!task_.on_gpu) return outcome;
    add_times(total, *result);
    result->uploaded_bytes += total.uploaded_bytes;
    result->times = std::move(total.times);
    result->stack = std::move(total.stack);
    result->workers = total.workers;
    result->list_bytes = total.list_bytes;
    result->notes = std::move(total.notes);
    return outcome;
  }

  /// Of these positions, ascending.
  static std::vector<runtime::PositionRange> ranks_of(const BlockRows& rows, std::vector<PositionRange> read) {
    std::ranges::sort(read, {}, &PositionRange::begin);
    std::vector<runtime::PositionRange> ranks;
    for (const PositionRange& range : read) ranks.push_back(rows.ranks(range));
    return ranks;
  }

  static void add(RunResult& total, const RunResult& one) {
    total.ending = one.ending;
    total.positions += one.positions;
    total.positions_total += one.positions_total;
    total.work_done += one.work_done;
    total.work_total += one.work_total;
    total.deferred += one.deferred;
    total.uploaded_bytes += one.uploaded_bytes;
    if (!one.stack.empty() && one.list_bytes >= total.list_bytes) {
      total.stack = one.stack;
      total.workers = one.workers;
      total.list_bytes = one.list_bytes;
    }
    for (const std::string& note : one.notes) {
      if (std::ranges::find(total.notes, note) == total.notes.end()) total.notes.push_back(note);
    }
    add_times(total, one);
  }
  /// Of steps of the same name the sum.
  static void add_times(RunResult& total, const RunResult& one) {
    for (const auto& [name, ms] : one.times) {
      const auto found = std::ranges::find(total.times, name, &std::pair<std::string, double>::first);
      if (found == total.times.end()) {
        total.times.emplace_back(name, ms);
      } else {
        found->second += ms;
      }
    }
  }

  const BlockTask task_;
};

}  // namespace

std::unique_ptr<codegen::Executable> make_block_runner(BlockTask task) {
  return std::make_unique<BlockRunner>(std::move(task));
}

}  // namespace matcha::session
