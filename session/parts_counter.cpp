#include "session/parts_counter.h"

#include <fmt/format.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cpu/region.h"
#include "session/resident_graph.h"

namespace matcha::session {

namespace {

using codegen::RunError;
using codegen::RunOptions;
using codegen::RunOutcome;
using codegen::RunResult;

RunError run_error(runtime::Error error) { return {std::move(error), {}}; }

RunError overflow() {
  return run_error({runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}});
}

/// Adds `weight` times the counts of a subgraph; false: they are no counts, or too large.
bool add(const std::vector<codegen::ResultValue>& counts, __int128 weight, std::vector<__int128>& sums) {
  sums.resize(counts.size(), 0);
  for (std::size_t at = 0; at < counts.size(); ++at) {
    const __int128* const count = std::get_if<__int128>(&counts[at]);
    __int128 part = 0;
    if (count == nullptr || __builtin_mul_overflow(*count, weight, &part) ||
        __builtin_add_overflow(sums[at], part, &sums[at])) {
      return false;
    }
  }
  return true;
}

class PartsCounter final : public codegen::Executable {
 public:
  explicit PartsCounter(PartsTask task) : task_(std::move(task)) {
    runtime::Graph nothing;
    nothing.set_dictionary(std::make_shared<const runtime::LabelDictionary>(task_.graph->whole().dictionary()));
    nothing_ = ResidentGraph::from_graph(std::move(nothing));
  }

  RunOutcome run(std::span<const codegen::Argument>, const runtime::Universe&, const RunOptions& options) override {
    if (!options.share.is_whole() || options.maybe_dealer != nullptr) {
      return run_error({runtime::ErrorKind::Runtime, "a count in parts cannot be shared out", {}, 0, {}});
    }
    const std::vector<__int128> weights = runtime::part_weights(task_.plan.parts, task_.plan.match);
    const std::vector<std::vector<std::uint32_t>> sets = runtime::part_sets(task_.plan.parts, task_.plan.match);
    RunOptions one = options;
    one.on_progress = {};
    RunResult result;
    std::vector<__int128> sums;
    std::future<runtime::Result<runtime::Graph>> next = subgraph(sets, 0);
    for (std::size_t done = 0; done < sets.size(); ++done) {
      if (options.on_progress) options.on_progress(done, sets.size());
      RunOutcome outcome = count(next, sets, done, one);
      RunResult* const found = std::get_if<RunResult>(&outcome);
      if (found == nullptr) return outcome;
      result.tier = found->tier;
      result.level = found->level;
      result.ending = found->ending;
      if (result.ending != codegen::Ending::Complete) return result;
      if (!add(found->values, weights[sets[done].size()], sums)) return overflow();
    }
    for (const __int128 sum : sums) result.values.emplace_back(sum);
    return result;
  }

 private:
  using Sets = std::vector<std::vector<std::uint32_t>>;

  /// Makes a subgraph, in the background or on request; there is none after the last.
  std::future<runtime::Result<runtime::Graph>> subgraph(const Sets& sets, std::size_t at) const {
    if (at >= sets.size()) return {};
    return std::async(task_.ahead ? std::launch::async : std::launch::deferred,
                      [this, &sets, at] { return task_.graph->induced(task_.plan, sets[at]); });
  }

  /// Counts in subgraph `at`, which is `next`, and begins to make the one behind it.
  RunOutcome count(std::future<runtime::Result<runtime::Graph>>& next, const Sets& sets, std::size_t at,
                   const RunOptions& options) {
    // The subgraph before it is let go of first. Whether the program would do for nothing does not matter.
    if (prepared_ != nullptr) (void)prepared_->rebind(nothing_);
    runtime::Result<runtime::Graph> made = next.get();
    next = subgraph(sets, at + 1);
    if (!made) return run_error(made.error());
    const std::shared_ptr<ResidentGraph> subgraph = ResidentGraph::from_graph(std::move(*made));
    if (prepared_ == nullptr || !prepared_->rebind(subgraph)) {
      if (const std::optional<RunError> failed = prepare(subgraph)) return *failed;
    }
    return prepared_->run(options);
  }

  std::optional<RunError> prepare(const std::shared_ptr<ResidentGraph>& subgraph) {
    const auto reading = [](const std::function<void()>& step) { step(); };
    std::string errors;
    prepared_.reset();
    const Status made = Prepared::make(task_.request, subgraph, reading, errors, prepared_);
    if (made == Status::Ok) return std::nullopt;
    return run_error(
        {runtime::ErrorKind::Runtime, fmt::format("the pattern cannot be counted in parts: {}", errors), {}, 0, {}});
  }

  const PartsTask task_;
  std::shared_ptr<ResidentGraph> nothing_;  ///< A graph without vertices.
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace

std::unique_ptr<codegen::Executable> make_parts_counter(PartsTask task) {
  return std::make_unique<PartsCounter>(std::move(task));
}

}  // namespace matcha::session
