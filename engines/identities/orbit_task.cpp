#include "engines/identities/orbit_task.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engines/identities/orbit_counter.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

class OrbitExecutable final : public Executable {
 public:
  explicit OrbitExecutable(const OrbitTask& task) : task_(task) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    if (!options.share.is_whole()) {
      return RunError{{runtime::ErrorKind::Runtime, "counts of orbits cannot be shared out", {}, 0, {}}, {}};
    }
    const std::size_t ends = task_.by_edge ? 2 : 1;
    std::vector<runtime::ElementKind> kinds(ends, runtime::ElementKind::Vid);
    kinds.resize(ends + task_.orbits().size(), runtime::ElementKind::Int);
    ListValue list;
    for (const runtime::ElementKind kind : kinds) list.columns.emplace_back(kind);
    std::vector<const void*> columns(kinds.size());
    runtime::motif::OrbitRequest request;
    request.vertices = task_.vertices;
    request.by_edge = task_.by_edge;
    request.induced = task_.induced;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.stops = {options.stop_request, options.deadline};
    bool out_of_memory = false;
    request.on_rows = [&](const runtime::motif::OrbitRows& rows) {
      std::copy(rows.ends.begin(), rows.ends.end(), columns.begin());
      std::copy(rows.orbits.begin(), rows.orbits.end(), columns.begin() + static_cast<std::ptrdiff_t>(ends));
      if (options.on_rows) return options.on_rows(Rows{rows.count, kinds, columns.data()});
      for (std::size_t c = 0; c < columns.size() && !out_of_memory; ++c) {
        out_of_memory = !list.columns[c].append(columns[c], rows.count);
      }
      list.size += rows.count;
      return !out_of_memory;
    };
    const runtime::Result<runtime::motif::OrbitOutcome> outcome =
        count_orbits(*std::get<runtime::Graph*>(arguments[0]), request);
    if (!outcome) return RunError{outcome.error(), {}};
    if (out_of_memory) {
      return RunError{{runtime::ErrorKind::Resource, "not enough memory for the rows", {}, 0, {}}, {}};
    }
    RunResult result;
    for (const auto& [part, ms] : outcome->times) result.times.emplace_back(part, ms);
    result.rows = outcome->rows;
    result.ending = outcome->refused                                ? Ending::RowsRefused
                    : outcome->end == runtime::motif::End::Stopped  ? Ending::Stopped
                    : outcome->end == runtime::motif::End::Deadline ? Ending::Deadline
                                                                    : Ending::Complete;
    if (options.on_rows) {
      result.values.emplace_back(static_cast<__int128>(outcome->rows));
    } else {
      result.values.emplace_back(std::move(list));
    }
    return result;
  }

 private:
  const OrbitTask task_;
};

}  // namespace

std::unique_ptr<Executable> make_orbit_counter(const OrbitTask& task) {
  return std::make_unique<OrbitExecutable>(task);
}

}  // namespace matcha::codegen
