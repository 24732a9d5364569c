#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/stream/update.h"

namespace matcha::driver::stream {

/// By how much one graph is behind another one.
class Lag {
 public:
  bool exists() const { return exists_; }
  /// By what, as one batch; nothing: it is not known.
  std::optional<NetBatch> batch() const;

  /// By something more.
  void add() {
    exists_ = is_dirty_ = true;
    if (!is_open_) forget_batches();
  }
  /// All that is added from here on, up to `end`, is one batch.
  void begin() {
    is_open_ = true;
    is_dirty_ = false;
    is_known_ = is_known_ || !exists_;
  }
  /// `most`: of more changes nobody keeps what they were.
  void end(const NetBatch& batch, std::uint64_t most);
  /// It is not known any more by what.
  void forget_batches() {
    is_known_ = false;
    batches_.clear();
    changes_ = 0;
  }
  /// By nothing.
  void clear() {
    exists_ = false;
    forget_batches();
  }

 private:
  bool exists_ = false;
  bool is_open_ = false, is_dirty_ = false;  ///< A batch has begun, and something of it was added.
  bool is_known_ = false;                    ///< What `batches_` have is all.
  std::vector<NetBatch> batches_;
  std::uint64_t changes_ = 0;  ///< In these.
};

}  // namespace matcha::driver::stream
