#include "engines/cliques/clique_task.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "codegen/shares.h"
#include "engines/cliques/counter.h"
#include "engines/cliques/device_counter.h"
#include "engines/cliques/device_sums.h"
#include "engines/cliques/maximal.h"
#include "engines/cliques/sum_counter.h"
#include "engines/cliques/tree.h"
#include "engines/search/row_taker.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

std::vector<ResultValue> values_of(const std::vector<runtime::WideInt>& counts) {
  std::vector<ResultValue> values;
  for (const runtime::WideInt& count : counts) {
    if (count.fits_int128()) {
      values.emplace_back(count.int128());
    } else {
      values.emplace_back(count);
    }
  }
  return values;
}

/// A number of a share is the sums of its words.
std::vector<runtime::WideInt> sums_of_words(const std::vector<PartialValue>& partials) {
  constexpr std::size_t kWords = std::size(runtime::WideInt().words);
  std::vector<runtime::WideInt> numbers(partials.size() / kWords);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    __int128 carry = 0;
    for (std::size_t word = 0; word < kWords; ++word) {
      carry += partials[i * kWords + word].integer;
      numbers[i].words[word] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  return numbers;
}

class CliqueExecutable final : public Executable {
 public:
  explicit CliqueExecutable(const CliqueTask& task) : task_(task) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    const runtime::Graph& graph = *std::get<runtime::Graph*>(arguments[0]);
    const bool is_share = options.maybe_dealer != nullptr || !options.share.is_whole();
    if (task_.per == CliqueTask::Per::Graph) return is_share ? count_shares(graph, options) : count(graph, options);
    if (!is_share) return count_rows(graph, options);
    return RunError{{runtime::ErrorKind::Runtime, "cliques at each vertex or edge cannot be shared out", {}, 0, {}},
                    {}};
  }

 private:
  using Counted = runtime::Result<runtime::cliques::CliqueOutcome>;

  /// The request of a run, with the fields that counts of all kinds have.
  template <typename Request>
  Request request_of(const RunOptions& options) const {
    Request request;
    request.size = task_.size;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.tier = options.tier.value_or(runtime::best_tier());
    request.stops = {options.stop_request, options.deadline};
    request.on_expected = [&options, threads = request.threads](const runtime::cliques::ExpectedWork& work) {
      if (!options.on_note || work.ns / threads < kLongNs) return;
      options.on_note("counting cliques is expected to take " + time_text(work, threads));
    };
    return request;
  }

  RunOutcome count(const runtime::Graph& graph, const RunOptions& options) const {
    RunResult result;
    std::optional<Counted> outcome;
    if (task_.maybe_device != nullptr) {
      outcome = on_device<runtime::cliques::CliqueOutcome>(*task_.maybe_device, graph, result, [&](auto& device) {
        return device.count(graph, task_.size, {options.stop_request, options.deadline});
      });
    }
    if (!outcome) {
      const auto request = request_of<runtime::cliques::CliqueRequest>(options);
      outcome = task_.maximal ? count_maximal(graph, request) : count_cliques(graph, request);
      result.tier = runtime::cliques::walk_name(request.tier);
    }
    return counted(*outcome, std::move(result));
  }

  RunOutcome counted(const Counted& outcome, RunResult result) const {
    if (!outcome) return RunError{outcome.error(), {}};
    for (const auto& [part, ms] : outcome->times) result.times.emplace_back(part, ms);
    result.ending = ending_of(outcome->end);
    result.values = values_of(outcome->counts);
    if (task_.size == 0) result.rows = result.values.size();
    return result;
  }

  /// One share, or those that a dealer deals.
  RunOutcome count_shares(const runtime::Graph& graph, const RunOptions& options) const {
    const auto request = request_of<runtime::cliques::CliqueRequest>(options);
    bool on_cpu = task_.maybe_device == nullptr;
    std::optional<runtime::Result<runtime::cliques::DealtRoots>> roots;  // Of a CPU, once they are needed.
    const auto count_share = [&](const RunOptions& share) -> RunOutcome {
      const std::uint64_t index = share.share.index, count = share.share.count;
      RunResult result;
      std::optional<Counted> outcome;
      if (!on_cpu) {
        outcome = on_device<runtime::cliques::CliqueOutcome>(*task_.maybe_device, graph, result, [&](auto& device) {
          return device.count_share(graph, task_.size, index, count, request.stops);
        });
        on_cpu = !outcome;
      }
      if (on_cpu) {
        if (!roots) roots = runtime::cliques::DealtRoots::make(graph, task_.size, task_.maximal);
        if (!*roots) return RunError{roots->error(), {}};
        outcome = (*roots)->count(index, count, request);
        result.tier = runtime::cliques::walk_name(request.tier);
      }
      if (!*outcome) return RunError{outcome->error(), {}};
      result.ending = ending_of((*outcome)->end);
      for (const runtime::WideInt& number : (*outcome)->counts) put_words(number, result.partials);
      return result;
    };
    if (options.maybe_dealer == nullptr) return count_share(options);
    std::vector<PartialValue> merged;
    RunOutcome all = run_units(options, count_share, merged);
    if (std::holds_alternative<RunError>(all) || merged.empty()) return all;
    RunResult& result = std::get<RunResult>(all);
    if (result.ending != Ending::Complete) return all;
    result.values = clique_values(merged, task_.size, vertices_of_size_one(task_, graph));
    if (task_.size == 0) result.rows = result.values.size();
    return all;
  }

  static void put_words(const runtime::WideInt& number, std::vector<PartialValue>& partials) {
    for (const std::uint64_t word : number.words) partials.emplace_back().integer = word;
  }

  RunOutcome count_rows(const runtime::Graph& graph, const RunOptions& options) const {
    std::vector<runtime::ElementKind> kinds(task_.columns().size(), runtime::ElementKind::Int);
    std::fill_n(kinds.begin(), task_.per == CliqueTask::Per::Edge ? 2 : 1, runtime::ElementKind::Vid);
    RowTaker taker(std::move(kinds), options);
    auto request = request_of<runtime::cliques::SumRequest>(options);
    request.by_edge = task_.per == CliqueTask::Per::Edge;
    request.on_rows = [&](const runtime::cliques::SumRows& rows) {
      std::vector<const void*> columns(rows.ends.begin(), rows.ends.end());
      if (rows.sizes != nullptr) columns.push_back(rows.sizes);
      columns.push_back(rows.cliques);
      return taker(columns.data(), rows.count);
    };
    RunResult result;
    std::optional<runtime::Result<runtime::cliques::SumOutcome>> found;
    if (task_.maybe_sum_device != nullptr) {
      found = on_device<runtime::cliques::SumOutcome>(*task_.maybe_sum_device, graph, result,
                                                      [&](auto& device) { return device.count(graph, request); });
    }
    if (!found) {
      found = count_cliques_at(graph, request);
      result.tier = runtime::cliques::walk_name(request.tier);
    }
    const runtime::Result<runtime::cliques::SumOutcome>& outcome = *found;
    if (!outcome) return RunError{outcome.error(), {}};
    add_rows(*outcome, taker, options, result);
    return result;
  }

  /// Shorter runs need no warning.
  static constexpr double kLongNs = 1e10;

  const CliqueTask task_;
};

}  // namespace

std::uint64_t vertices_of_size_one(const CliqueTask& task, const runtime::Graph& graph) {
  return task.maximal ? runtime::cliques::count_isolated(graph) : graph.vertex_count();
}

std::vector<ResultValue> clique_values(const std::vector<PartialValue>& merged, std::uint32_t size,
                                       std::uint64_t vertices) {
  return values_of(runtime::cliques::counts_of_shares(sums_of_words(merged), vertices, size));
}

std::unique_ptr<Executable> make_clique_counter(const CliqueTask& task) {
  return std::make_unique<CliqueExecutable>(task);
}

}  // namespace matcha::codegen
