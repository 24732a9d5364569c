#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "incremental/present.h"
#include "incremental/update.h"

namespace matcha::session::stream {

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

  /// The updates that are added next, in this order: where they are many, threads share what is asked of the graph for
  /// them.
  void expect(std::span<const Update> updates);
  /// Whether it changes something; `why_not`, for people, says why not.
  bool add(const Update& update, std::string* maybe_why_not = nullptr);
  /// The difference so far, with which it starts anew: the graph must have it then.
  NetBatch take();

 private:
  /// Of an undirected graph u < v.
  using Key = EdgeChange;
  struct Edge {
    Key key;
    bool was = false, is = false;
  };
  using Known = Present::Known;

  Key key_of(const Update& update) const;
  std::size_t slot_of(const Key& key) const;
  void add_slots();
  Edge& edge(const Key& key, const Known* maybe_known = nullptr);
  VertexChange& vertex(std::int64_t id);
  bool insert_edge(const Update& update, const Known* maybe_known);
  bool delete_edges(const Update& update, const Known* maybe_known);
  bool set_vertex(const Update& update);
  bool delete_vertex(const Update& update);
  /// Whether it was not there. `is_known`: the graph is known to have it.
  bool bring(std::int64_t id, bool is_known = false);
  /// Edges of the batch at a vertex, be they there or not.
  const std::vector<Key>& touched_at(std::int64_t id);
  void forget_vertices();

  const Present& present_;
  const VertexRules rules_;
  std::vector<Edge> edges_;           ///< Each once, in the order in which they were touched.
  std::vector<std::uint32_t> slots_;  ///< Their numbers and 1, by hash; 0: empty. A power of two, half used at most.
  std::unordered_map<std::int64_t, VertexChange> vertices_;  ///< That are not merely there.
  std::vector<Key> expected_;                                ///< Of updates,
  std::vector<Known> known_;                                 ///< and what the graph says of them,
  std::size_t next_known_ = 0;                               ///< from this one on.
  bool keeps_touched_ = false;
  /// Touched edges of each vertex, once somebody has asked for those of one.
  std::unordered_map<std::int64_t, std::vector<Key>> touched_;
};

}  // namespace matcha::session::stream
