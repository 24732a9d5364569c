#include "driver/block_runner.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/dealer.h"
#include "codegen/shares.h"

namespace matcha::driver {

namespace {

using codegen::PartialValue;
using codegen::PositionRange;
using codegen::RunError;
using codegen::RunOptions;
using codegen::RunOutcome;
using codegen::RunResult;

constexpr std::uint64_t kMostBlocks = 64;

/// Deals one block of positions at a time, and keeps what all of them found.
class BlockDealer final : public codegen::Dealer {
 public:
  BlockDealer(std::uint64_t blocks, std::uint64_t runs) : blocks_(blocks), runs_(runs) {}

  /// The next run walks this block of positions.
  void deal(std::uint64_t block) { block_ = block; }
  /// The next run walks nothing and has the values of all. `complete`: no run was stopped.
  void end(bool complete) {
    ended_ = true;
    complete_ = complete;
  }

  std::uint64_t units() const override { return blocks_; }
  bool merges() const override { return ended_; }
  std::optional<std::uint64_t> next(std::size_t) override {
    return ended_ ? std::nullopt : std::exchange(block_, std::nullopt);
  }
  std::optional<runtime::Error> done(std::size_t, std::uint64_t, std::vector<PartialValue> found) override {
    ++done_;
    return codegen::merge_all(found_, found);
  }
  bool is_complete(std::size_t) const override { return ended_ ? complete_ : !block_; }
  std::uint64_t units_done() const override { return done_; }
  std::uint64_t units_total() const override { return runs_; }
  runtime::Result<std::vector<PartialValue>> finish(std::size_t) override { return std::move(found_); }

 private:
  const std::uint64_t blocks_, runs_;
  std::optional<std::uint64_t> block_;
  std::uint64_t done_ = 0;
  bool ended_ = false, complete_ = false;
  std::vector<PartialValue> found_;
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
  /// Has them read before they are asked for.
  void expect(std::uint64_t block) const {
    if (maybe_pages_ == nullptr) return;
    each_array(block, [this](const void* items, std::uint64_t bytes) { maybe_pages_->expect(items, bytes); });
  }
  /// They are not asked for soon.
  void let_go(std::uint64_t block) const {
    if (maybe_pages_ == nullptr) return;
    each_array(block, [this](const void* items, std::uint64_t bytes) { maybe_pages_->let_go(items, bytes); });
  }

 private:
  template <typename Take>
  void each_array(std::uint64_t block, const Take& take) const {
    const PositionRange range = positions(block);
    if (range.begin == range.end) return;
    const auto rank = [this](std::uint64_t at) { return view_.vertices != nullptr ? view_.vertices[at] : at; };
    const std::uint64_t first = view_.offsets[rank(range.begin)], last = view_.offsets[rank(range.end - 1) + 1];
    take(view_.neighbors + first, (last - first) * sizeof(std::uint32_t));
    const std::uint64_t* const info = static_cast<const std::uint64_t*>(view_.edge_info);
    if (info != nullptr) take(info + first, (last - first) * sizeof(std::uint64_t));
  }

  const runtime::GraphView view_;
  const std::uint64_t blocks_;
  runtime::PageLimit* const maybe_pages_;
};

const runtime::Graph* graph_among(std::span<const codegen::Argument> arguments) {
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
    const runtime::Graph* const graph = graph_among(arguments);
    const runtime::GraphView view = graph != nullptr ? graph->view() : runtime::GraphView{};
    std::vector<codegen::Argument> all(arguments.begin(), arguments.end());
    const std::uint64_t blocks = blocks_for(view);
    const bool is_shared = options.maybe_dealer != nullptr || !options.share.is_whole();
    if (blocks == 1 || is_shared) {
      for (std::uint64_t level = 0; level < task_.levels; ++level) append(all, {0, view.vertex_count});
      return task_.executable->run(all, universe, options);
    }
    return run_all(std::move(all), universe, options, BlockRows(view, blocks, task_.pages.get()), blocks);
  }

 private:
  static void append(std::vector<codegen::Argument>& arguments, PositionRange block) {
    arguments.emplace_back(static_cast<std::int64_t>(block.begin));
    arguments.emplace_back(static_cast<std::int64_t>(block.end));
  }

  /// The fewest of which a run's fit memory.
  std::uint64_t blocks_for(const runtime::GraphView& view) const {
    if (view.offsets == nullptr || view.vertex_count == 0) return 1;
    const std::uint64_t of_arc = sizeof(std::uint32_t) + (view.edge_info != nullptr ? sizeof(std::uint64_t) : 0);
    const std::uint64_t bytes = view.arc_count * of_arc * (task_.levels + 1);
    return std::clamp<std::uint64_t>(bytes / std::max<std::uint64_t>(task_.memory, 1) + 1, 1,
                                     std::min(kMostBlocks, view.vertex_count));
  }

  RunOutcome run_all(std::vector<codegen::Argument> arguments, const runtime::Universe& universe,
                     const RunOptions& options, const BlockRows& rows, std::uint64_t blocks) {
    std::uint64_t inner = 1;
    for (std::uint64_t level = 0; level < task_.levels; ++level) inner *= blocks;
    BlockDealer dealer(blocks, blocks * inner);
    RunOptions one = options;
    one.maybe_dealer = &dealer;
    const std::size_t own = arguments.size();
    RunResult total;
    bool complete = true;
    for (std::uint64_t outer = 0; outer < blocks && complete; ++outer) {
      rows.expect(outer);
      for (std::uint64_t number = 0; number < inner && complete; ++number) {
        arguments.resize(own);
        bool is_empty = rows.is_empty(outer);
        std::uint64_t rest = number;
        for (std::uint64_t level = 0; level < task_.levels; ++level, rest /= blocks) {
          const std::uint64_t block = rest % blocks;
          is_empty = is_empty || rows.is_empty(block);
          if (level == 0 && block != outer) rows.expect(block);
          append(arguments, rows.positions(block));
        }
        if (is_empty) continue;
        dealer.deal(outer);
        RunOutcome outcome = task_.executable->run(arguments, universe, one);
        RunResult* const found = std::get_if<RunResult>(&outcome);
        if (found == nullptr) return outcome;
        add(total, *found);
        complete = found->ending == codegen::Ending::Complete;
        if (number % blocks != outer) rows.let_go(number % blocks);
      }
      rows.let_go(outer);
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
    return outcome;
  }

  static void add(RunResult& total, const RunResult& one) {
    total.ending = one.ending;
    total.positions += one.positions;
    total.positions_total += one.positions_total;
    total.work_done += one.work_done;
    total.work_total += one.work_total;
    total.deferred += one.deferred;
  }

  const BlockTask task_;
};

}  // namespace

std::unique_ptr<codegen::Executable> make_block_runner(BlockTask task) {
  return std::make_unique<BlockRunner>(std::move(task));
}

}  // namespace matcha::driver
