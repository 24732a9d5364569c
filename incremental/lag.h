#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "incremental/update.h"

namespace matcha::session::stream {

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
    edges_ = {};
    vertices_ = {};
  }
  /// By nothing.
  void clear() {
    exists_ = false;
    forget_batches();
  }

 private:
  struct SignedEdge {
    EdgeChange edge;
    int sign = 0;
  };
  static void add_net(std::vector<SignedEdge> edges, NetBatch& net);

  bool exists_ = false;
  bool is_open_ = false, is_dirty_ = false;  ///< A batch has begun, and something of it was added.
  bool is_known_ = false;                    ///< What follows is all, one batch after the other.
  std::vector<SignedEdge> edges_;
  std::vector<VertexChange> vertices_;
};

}  // namespace matcha::session::stream
