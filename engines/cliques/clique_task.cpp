#include "engines/cliques/clique_task.h"

#include <string>
#include <utility>

#include "engines/cliques/counter.h"
#include "engines/cliques/tree.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

class CliqueExecutable final : public Executable {
 public:
  explicit CliqueExecutable(const CliqueTask& task) : task_(task) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    if (!options.share.is_whole()) {
      return RunError{{runtime::ErrorKind::Runtime, "counts of cliques cannot be shared out", {}, 0, {}}, {}};
    }
    runtime::cliques::CliqueRequest request;
    request.size = task_.size;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.tier = options.tier.value_or(runtime::best_tier());
    request.stops = {options.stop_request, options.deadline};
    request.on_expected = [&](const runtime::cliques::ExpectedWork& work) {
      if (!options.on_note || work.ns / request.threads < kLongNs) return;
      options.on_note("counting cliques is expected to take " + time_text(work, request.threads));
    };
    const runtime::Result<runtime::cliques::CliqueOutcome> outcome =
        count_cliques(*std::get<runtime::Graph*>(arguments[0]), request);
    if (!outcome) return RunError{outcome.error(), {}};
    RunResult result;
    result.tier = runtime::cliques::walk_name(request.tier);
    for (const auto& [part, ms] : outcome->times) result.times.emplace_back(part, ms);
    result.ending = outcome->end == runtime::motif::End::Stopped    ? Ending::Stopped
                    : outcome->end == runtime::motif::End::Deadline ? Ending::Deadline
                                                                    : Ending::Complete;
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

 private:
  /// Shorter runs need no warning.
  static constexpr double kLongNs = 1e10;

  const CliqueTask task_;
};

}  // namespace

std::unique_ptr<Executable> make_clique_counter(const CliqueTask& task) {
  return std::make_unique<CliqueExecutable>(task);
}

}  // namespace matcha::codegen
