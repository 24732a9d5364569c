#include "ir/support/stop_scope.h"

#include <utility>

namespace matcha {

namespace {

thread_local const StopScope::IsOver* maybe_is_over = nullptr;

}  // namespace

StopScope::StopScope(const IsOver* given) : before_(std::exchange(maybe_is_over, given)) {}

StopScope::~StopScope() { maybe_is_over = before_; }

const StopScope::IsOver* StopScope::maybe_current() { return maybe_is_over; }

void look_for_stop() {
  if (maybe_is_over != nullptr && (*maybe_is_over)()) throw Stopped();
}

}  // namespace matcha
