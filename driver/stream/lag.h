#pragma once

#include <optional>

#include "driver/stream/update.h"

namespace matcha::driver::stream {

/// By how much one graph is behind another one.
class Lag {
 public:
  bool exists() const { return exists_; }
  /// By one batch alone; null: there is none, or more.
  const NetBatch* maybe_batch() const { return batch_ ? &*batch_ : nullptr; }

  /// By something more.
  void add() {
    exists_ = true;
    batch_.reset();
  }
  /// All that is added from here on, up to `end`, is one batch.
  void begin() {
    is_one_ = !exists_;
    batch_.reset();
  }
  void end(const NetBatch& batch) {
    if (is_one_ && exists_) batch_ = batch;
  }
  /// It is not told any more by which batch.
  void forget_batch() { batch_.reset(); }
  /// By nothing.
  void clear() {
    exists_ = is_one_ = false;
    batch_.reset();
  }

 private:
  bool exists_ = false, is_one_ = false;
  std::optional<NetBatch> batch_;
};

}  // namespace matcha::driver::stream
