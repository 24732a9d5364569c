#include "engines/identities/orbit_task.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engines/identities/orbit_counter.h"
#include "engines/search/row_taker.h"
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
    std::vector<const void*> columns(kinds.size());
    RowTaker taker(std::move(kinds), options);
    runtime::motif::OrbitRequest request;
    request.vertices = task_.vertices;
    request.by_edge = task_.by_edge;
    request.induced = task_.induced;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.stops = {options.stop_request, options.deadline};
    request.on_rows = [&](const runtime::motif::OrbitRows& rows) {
      std::copy(rows.ends.begin(), rows.ends.end(), columns.begin());
      std::copy(rows.orbits.begin(), rows.orbits.end(), columns.begin() + static_cast<std::ptrdiff_t>(ends));
      return taker(columns.data(), rows.count);
    };
    const runtime::Result<runtime::motif::OrbitOutcome> outcome =
        count_orbits(*std::get<runtime::Graph*>(arguments[0]), request);
    if (!outcome) return RunError{outcome.error(), {}};
    RunResult result;
    add_rows(*outcome, taker, options, result);
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
