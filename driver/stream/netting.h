#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver/stream/present.h"
#include "driver/stream/update.h"

namespace matcha::driver::stream {

/// What becomes of vertices that are not asked for by themselves.
struct VertexRules {
  /// Of a vertex that comes without a label. A stream takes the empty word, as a file of labels does.
  std::int64_t new_label = runtime::kNoLabel;
  /// One with that label goes with its last edge, as a window wants it; and loops bring none.
  bool forgets = false;
};

/// Turns updates, one after the other, into the difference of two states. What comes and goes within a batch is not in
/// it. A vertex comes with its first edge, a loop among them, or by itself, and stays until it is deleted, which takes
/// its edges along.
class Netting {
 public:
  /// The graph of before the batch; it must not change until `take`.
  explicit Netting(const Present& present, const VertexRules& rules = {}) : present_(present), rules_(rules) {}

  /// Whether it changes something; `why_not`, for people, says why not.
  bool add(const Update& update, std::string* maybe_why_not = nullptr);
  /// The difference so far, with which it starts anew: the graph must have it then.
  NetBatch take();
  /// Edges and vertices that were touched so far.
  std::size_t size() const { return edges_.size() + vertices_.size(); }

 private:
  struct Key {
    std::int64_t u = 0, v = 0, label = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Edge {
    bool was = false, is = false;
  };

  Key key_of(const Update& update) const;
  Edge& edge(const Key& key);
  VertexChange& vertex(std::int64_t id);
  bool insert_edge(const Update& update);
  bool delete_edges(const Update& update);
  bool set_vertex(const Update& update);
  bool delete_vertex(const Update& update);
  /// Whether it was not there.
  bool bring(std::int64_t id);
  /// Sets whether an edge is there.
  void set(const Key& key, bool is);
  /// Edges of the batch at a vertex, be they there or not.
  const std::vector<Key>& touched_at(std::int64_t id);
  void forget_vertices();

  const Present& present_;
  const VertexRules rules_;
  std::unordered_map<Key, Edge, Hash> edges_;
  std::unordered_map<std::int64_t, VertexChange> vertices_;
  bool keeps_touched_ = false;
  /// Touched edges of each vertex, once somebody has asked for those of one.
  std::unordered_map<std::int64_t, std::vector<Key>> touched_;
};

}  // namespace matcha::driver::stream
