#pragma once

#include <exception>
#include <functional>

/// Early ends of work that has no partial result, such as planning.
namespace matcha {

/// The exception of `look_for_stop`. Only the function that made the scope catches it.
class Stopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

/// As long as it is there, the work of its thread ends once a test says so.
class StopScope {
 public:
  using IsOver = std::function<bool()>;

  /// The test is asked very often, and outlives the scope. Null: the work runs to its end.
  explicit StopScope(const IsOver* maybe_is_over);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// The test of this thread, for work that continues on another one; null: there is none.
  static const IsOver* maybe_current();

 private:
  const IsOver* const before_;
};

/// A step of the work of this thread begins; throws Stopped if the work is over.
void look_for_stop();

}  // namespace matcha
