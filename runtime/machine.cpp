#include "runtime/machine.h"

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "runtime/common/machine.h"

namespace matcha::runtime {

const Machine& machine() {
  static const Machine found = [] {
    const matcha_program::GroupLimits limits = matcha_program::group_limits();
    return Machine{matcha_program::usable_memory(limits), matcha_program::usable_threads(limits)};
  }();
  return found;
}

void allow_threads(unsigned threads) {
  struct Limit {
    std::mutex mutex;
    unsigned allowed = 0;
    std::optional<tbb::global_control> control;
  };
  static Limit* const limit = new Limit;  // Never destroyed: threads may use it until the process ends.
  const std::lock_guard<std::mutex> lock(limit->mutex);
  const bool is_first = limit->allowed == 0;
  if (is_first) limit->allowed = machine().threads;
  const unsigned usual = static_cast<unsigned>(tbb::info::default_concurrency());
  if (threads <= limit->allowed && (!is_first || limit->allowed >= usual)) return;
  limit->allowed = std::max(limit->allowed, threads);
  // The smallest of all controls applies.
  limit->control.reset();
  limit->control.emplace(tbb::global_control::max_allowed_parallelism, limit->allowed);
}

struct ThreadLimit::Control {
  explicit Control(unsigned threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(unsigned threads) : control_(std::make_unique<Control>(threads)) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace matcha::runtime
