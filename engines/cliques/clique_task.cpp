#include "engines/cliques/clique_task.h"

#include <string>
#include <utility>

#include "engines/cliques/counter.h"
#include "engines/cliques/sum_counter.h"
#include "engines/cliques/tree.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

Ending ending_of(runtime::motif::End end) {
  return end == runtime::motif::End::Stopped    ? Ending::Stopped
         : end == runtime::motif::End::Deadline ? Ending::Deadline
                                                : Ending::Complete;
}

class CliqueExecutable final : public Executable {
 public:
  explicit CliqueExecutable(const CliqueTask& task) : task_(task) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    if (!options.share.is_whole()) {
      return RunError{{runtime::ErrorKind::Runtime, "counts of cliques cannot be shared out", {}, 0, {}}, {}};
    }
    const runtime::Graph& graph = *std::get<runtime::Graph*>(arguments[0]);
    return task_.per == CliqueTask::Per::Graph ? count(graph, options) : count_rows(graph, options);
  }

 private:
  /// What counts of all kinds ask for.
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
    const auto request = request_of<runtime::cliques::CliqueRequest>(options);
    const runtime::Result<runtime::cliques::CliqueOutcome> outcome = count_cliques(graph, request);
    if (!outcome) return RunError{outcome.error(), {}};
    RunResult result;
    result.tier = runtime::cliques::walk_name(request.tier);
    for (const auto& [part, ms] : outcome->times) result.times.emplace_back(part, ms);
    result.ending = ending_of(outcome->end);
    for (const runtime::WideInt& count : outcome->counts) {
      if (count.fits_int128()) {
        result.values.emplace_back(count.int128());
      } else {
        result.values.emplace_back(count);
      }
    }
    if (task_.size == 0) result.rows = result.values.size();
    return result;
  }

  RunOutcome count_rows(const runtime::Graph& graph, const RunOptions& options) const {
    const std::size_t ends = task_.columns().size() - 1;
    std::vector<runtime::ElementKind> kinds(ends, runtime::ElementKind::Vid);
    kinds.push_back(runtime::ElementKind::Int);
    ListValue list;
    for (const runtime::ElementKind kind : kinds) list.columns.emplace_back(kind);
    bool out_of_memory = false;
    auto request = request_of<runtime::cliques::SumRequest>(options);
    request.by_edge = task_.per == CliqueTask::Per::Edge;
    request.on_rows = [&](const runtime::cliques::SumRows& rows) {
      std::vector<const void*> columns(rows.ends.begin(), rows.ends.end());
      columns.push_back(rows.cliques);
      if (options.on_rows) return options.on_rows(Rows{rows.count, kinds, columns.data()});
      for (std::size_t c = 0; c < columns.size() && !out_of_memory; ++c) {
        out_of_memory = !list.columns[c].append(columns[c], rows.count);
      }
      list.size += rows.count;
      return !out_of_memory;
    };
    const runtime::Result<runtime::cliques::SumOutcome> outcome = count_cliques_at(graph, request);
    if (!outcome) return RunError{outcome.error(), {}};
    if (out_of_memory) {
      return RunError{{runtime::ErrorKind::Resource, "not enough memory for the rows", {}, 0, {}}, {}};
    }
    RunResult result;
    result.tier = runtime::cliques::walk_name(request.tier);
    for (const auto& [part, ms] : outcome->times) result.times.emplace_back(part, ms);
    result.rows = outcome->rows;
    result.ending = outcome->refused ? Ending::RowsRefused : ending_of(outcome->end);
    if (options.on_rows) {
      result.values.emplace_back(static_cast<__int128>(outcome->rows));
    } else {
      result.values.emplace_back(std::move(list));
    }
    return result;
  }

  /// Shorter runs need no warning.
  static constexpr double kLongNs = 1e10;

  const CliqueTask task_;
};

}  // namespace

std::vector<std::string> CliqueTask::columns() const {
  if (per == Per::Edge) return {"u", "v", "cliques"};
  return {"vertex", "cliques"};
}

std::unique_ptr<Executable> make_clique_counter(const CliqueTask& task) {
  return std::make_unique<CliqueExecutable>(task);
}

}  // namespace matcha::codegen
