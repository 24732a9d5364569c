#include "engines/identities/motif_counter.h"

#include <utility>

#include "codegen/host/trap.h"
#include "engines/identities/counter.h"
#include "engines/identities/device_counter.h"
#include "engines/search/row_taker.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

using runtime::motif::MotifCounts;
using runtime::motif::MotifSet;

RunError run_error(runtime::Error error) { return {std::move(error), {}}; }

class MotifCounter final : public Executable {
 public:
  explicit MotifCounter(MotifTask task) : task_(std::move(task)) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    if (!options.share.is_whole()) {
      return run_error({runtime::ErrorKind::Runtime,
                        "counts by identities cannot be shared out",
                        {},
                        0,
                        "`algorithm` = `extend` counts them by a program"});
    }
    RunResult result;
    const MotifCounts* counts =
        task_.maybe_shared != nullptr && task_.maybe_shared->counts ? &*task_.maybe_shared->counts : nullptr;
    MotifCounts own{};
    if (counts == nullptr) {
      runtime::Result<runtime::motif::MotifOutcome> outcome =
          count(*std::get<runtime::Graph*>(arguments[0]), options, result);
      if (!outcome) return run_error(outcome.error());
      result.ending = ending_of(outcome->end);
      if (result.ending != Ending::Complete) return result;
      own = outcome->counts;
      counts = &own;
      if (task_.maybe_shared != nullptr) task_.maybe_shared->counts = own;
    }
    for (const std::vector<MotifTerm>& terms : task_.results) {
      std::optional<__int128> value = sum_of(terms, *counts);
      if (!value) {
        return run_error(
            {runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}});
      }
      result.values.emplace_back(*value);
    }
    return result;
  }

 private:
  runtime::Result<runtime::motif::MotifOutcome> count(const runtime::Graph& graph, const RunOptions& options,
                                                      RunResult& result) const {
    const runtime::Tier tier = options.tier.value_or(runtime::best_tier());
    runtime::motif::MotifRequest request;
    request.wanted = task_.wanted();
    if (task_.maybe_shared != nullptr) request.wanted |= task_.maybe_shared->wanted;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.stops = {options.stop_request, options.deadline};
    std::optional<runtime::Result<runtime::motif::MotifOutcome>> outcome;
    if (task_.maybe_device != nullptr) {
      outcome = on_device<runtime::motif::MotifOutcome>(*task_.maybe_device, graph, result,
                                                        [&](auto& device) { return count_motifs(device, request); });
    }
    if (!outcome) {
      outcome = count_motifs(graph, request, runtime::set_kernels(tier));
      result.tier = runtime::tier_name(tier);
    }
    if (*outcome) {
      for (const auto& [part, ms] : (*outcome)->times) result.times.emplace_back(part, ms);
    }
    return std::move(*outcome);
  }

  static std::optional<__int128> sum_of(const std::vector<MotifTerm>& terms, const MotifCounts& counts) {
    __int128 sum = 0;
    for (const MotifTerm& term : terms) {
      __int128 part = 0;
      if (__builtin_mul_overflow(counts[at(term.motif)], static_cast<__int128>(term.factor), &part) ||
          __builtin_add_overflow(sum, part, &sum)) {
        return std::nullopt;
      }
    }
    return sum;
  }

  const MotifTask task_;
};

}  // namespace

std::unique_ptr<Executable> make_motif_counter(MotifTask task) {
  return std::make_unique<MotifCounter>(std::move(task));
}

}  // namespace matcha::codegen
