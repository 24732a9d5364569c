#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "incremental/update.h"

namespace matcha::session::stream {

/// The changes by which one graph is behind another one.
class Backlog {
 public:
  bool exists() const { return exists_; }
  /// All of them, as one batch; empty: unknown.
  std::optional<NetBatch> batch() const;

  /// Something changed.
  void add() {
    exists_ = is_dirty_ = true;
    if (!is_open_) forget_batches();
  }
  /// Everything that is added from here up to `end` is one batch.
  void begin() {
    is_open_ = true;
    is_dirty_ = false;
    is_known_ = is_known_ || !exists_;
  }
  /// `most`: the most changes that are recorded.
  void end(const NetBatch& batch, std::uint64_t most);
  /// Forgets which changes these are.
  void forget_batches() {
    is_known_ = false;
    edges_ = {};
    vertices_ = {};
  }
  /// The graph is up to date.
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
  bool is_known_ = false;                    ///< `batches_` has all changes.
  std::vector<SignedEdge> edges_;
  std::vector<VertexChange> vertices_;
};

}  // namespace matcha::session::stream
