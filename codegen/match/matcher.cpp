#include "codegen/match/matcher.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "codegen/host/trap.h"
#include "codegen/shares.h"
#include "runtime/machine.h"
#include "runtime/match/matcher.h"

namespace matcha::codegen {

namespace {

using runtime::match::Count;
using runtime::match::MatchOutcome;
using runtime::match::SearchEnding;

Ending ending_of(SearchEnding ending) {
  switch (ending) {
    case SearchEnding::Limit:
    case SearchEnding::Refused: return Ending::RowsRefused;
    case SearchEnding::Stopped: return Ending::Stopped;
    case SearchEnding::Deadline: return Ending::Deadline;
    case SearchEnding::Complete:
    case SearchEnding::Slice: break;
  }
  return Ending::Complete;
}

class Matcher final : public Executable {
 public:
  explicit Matcher(MatchTask task) : task_(std::move(task)) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    if (!options.share.is_whole()) return no_shares("the matcher of patterns");
    try {
      return run_on(*std::get<runtime::Graph*>(arguments[0]), options);
    } catch (const std::bad_alloc&) {
      return RunError{{runtime::ErrorKind::Resource, "not enough memory for the candidates of the pattern", {}, 0, {}},
                      {}};
    }
  }

 private:
  RunOutcome run_on(const runtime::Graph& graph, const RunOptions& options) {
    RunResult result;
    std::shared_ptr<runtime::match::MatchIndex> index = task_.maybe_index;
    if (index == nullptr) {
      const auto begin = std::chrono::steady_clock::now();
      index = std::make_shared<runtime::match::MatchIndex>(graph.view());
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
      result.times.emplace_back("index", ms.count());
    }
    const runtime::Tier tier = options.tier.value_or(runtime::best_tier());
    runtime::match::MatchRequest request;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    if (options.most) request.most = maps_for(*options.most);
    request.most_steps = options.most_steps;
    request.maybe_stop = options.stop_request;
    request.deadline = options.deadline;
    const std::vector<runtime::ElementKind> kinds(static_cast<std::size_t>(task_.query.size),
                                                  runtime::ElementKind::Vid);
    std::vector<const void*> columns(kinds.size());
    if (task_.rows) {
      request.on_rows = [&](const std::uint32_t* const* block, std::uint64_t count) {
        std::copy_n(block, columns.size(), columns.begin());
        return options.on_rows(Rows{count, kinds, columns.data()});
      };
    }
    const MatchOutcome outcome = find_matches(*index, task_.query, runtime::set_kernels(tier), request);
    result.times.emplace_back("filter", outcome.filter_ms);
    result.times.emplace_back("search", outcome.search_ms);
    result.tier = runtime::tier_name(tier);
    result.ending = ending_of(outcome.ending);
    result.candidates = outcome.candidates;
    result.images_tried = outcome.steps;
    if (outcome.ending == SearchEnding::Slice) return result;
    const Count found = outcome.found / task_.divisor;
    if (outcome.found >> 127 != 0) {
      return RunError{
          {runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}}, {}};
    }
    if (task_.rows) result.rows = static_cast<std::uint64_t>(found);
    result.values.emplace_back(static_cast<__int128>(found));
    return result;
  }

  /// How many maps make so many matches.
  std::uint64_t maps_for(std::uint64_t matches) const {
    std::uint64_t maps = 0;
    return __builtin_mul_overflow(matches, task_.divisor, &maps) ? ~std::uint64_t{0} : maps;
  }

  const MatchTask task_;
};

}  // namespace

std::unique_ptr<Executable> make_matcher(MatchTask task) { return std::make_unique<Matcher>(std::move(task)); }

}  // namespace matcha::codegen
