#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace matcha::runtime::match {

/// The conditions that end a run early.
struct Stops {
  const std::atomic<std::uint32_t>* maybe_request = nullptr;  ///< Not 0: stop. A signal handler may set it.
  std::optional<std::chrono::steady_clock::time_point> deadline;

  bool is_stopped() const { return maybe_request != nullptr && maybe_request->load(std::memory_order_relaxed) != 0; }
  bool is_late() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }
};

inline double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace matcha::runtime::match
