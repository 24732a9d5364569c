#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::codegen {

/// A device that counts in a graph, opened for the first count. `Counter` has `device()`. Thread-safe.
template <typename Counter>
class DeviceKeeper {
 public:
  using Shared = std::shared_ptr<Counter>;
  /// Opens the device and uploads the graph.
  using Open = std::function<runtime::Result<Shared>(const runtime::Graph&)>;

  explicit DeviceKeeper(Open open) : open_(std::move(open)) {}

  /// The device, opened with `graph` by the first call; later calls return the same one. Errors: those of `Open`, such
  /// as Resource if the memory of the device is too small. After an error the next call tries again.
  runtime::Result<Shared> get(const runtime::Graph& graph) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (device_ == nullptr) {
      device_ = MATCHA_TRY(open_(graph));
      label_ = device_->device().label();
    }
    return device_;
  }
  /// The name of the device, such as `GPU 0 (NVIDIA H200)`; empty before the first `get`.
  std::string label() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return label_;
  }

 private:
  mutable std::mutex mutex_;
  Open open_;
  Shared device_;
  std::string label_;
};

}  // namespace matcha::codegen
