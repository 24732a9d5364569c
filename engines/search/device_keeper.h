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

  /// Errors: if there is no device; Resource if its memory is too small.
  runtime::Result<Shared> get(const runtime::Graph& graph) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (device_ == nullptr) {
      device_ = MATCHA_TRY(open_(graph));
      label_ = device_->device().label();
    }
    return device_;
  }
  /// `GPU 0 (NVIDIA H200)`; empty before the first count.
  const std::string& label() const { return label_; }

 private:
  std::mutex mutex_;
  Open open_;
  Shared device_;
  std::string label_;
};

}  // namespace matcha::codegen
