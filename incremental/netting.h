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

/// The treatment of vertices that updates do not name.
struct VertexRules {
  /// The label of a new vertex without one. A stream takes the empty word, like a file of labels.
  std::int64_t new_label = runtime::kNoLabel;
  /// A vertex with that label is deleted with its last edge, for windows; loops create no vertex.
  bool forgets = false;
};

/// Converts a sequence of updates to the difference of two states. Changes that cancel within a batch are not in it. A
/// vertex is created with its first edge, including a loop, or by name, and stays until it is deleted, which deletes
/// its edges.
class Netting {
 public:
  /// `present`: the graph before the batch; it must not change until `take`.
  explicit Netting(const Present& present, const VertexRules& rules = {}) : present_(present), rules_(rules) {}

  /// Announces the updates that are added next, in this order: if they are many, threads look them up in parallel.
  void expect(std::span<const Update> updates);
  /// Adds an update; true if it changes something. `maybe_why_not` gets the reason if it does not, for users.
  bool add(const Update& update, std::string* maybe_why_not = nullptr);
  /// Returns the difference so far and resets it: the graph must contain it afterwards.
  NetBatch take();

 private:
  /// u < v if undirected.
  using Key = EdgeChange;
  struct Edge {
    Key key;
    bool was = false, is = false;
  };
  using Presence = Present::Presence;

  Key key_of(const Update& update) const;
  std::size_t slot_of(const Key& key) const;
  /// Requires: `count` is a power of two.
  void make_slots(std::size_t count);
  Edge& edge(const Key& key, const Presence* maybe_known = nullptr);
  VertexChange& vertex(std::int64_t id);
  bool insert_edge(const Update& update, const Presence* maybe_known);
  bool delete_edges(const Update& update, const Presence* maybe_known);
  bool set_vertex(const Update& update);
  bool delete_vertex(const Update& update);
  /// Creates a vertex; true if it was missing. `is_known`: the graph is known to have it.
  bool bring(std::int64_t id, bool is_known = false);
  /// The edges of the batch at a vertex, present or not.
  const std::vector<Key>& touched_at(std::int64_t id);
  void forget_vertices();

  const Present& present_;
  const VertexRules rules_;
  std::vector<Edge> edges_;  ///< Each once, in the order of their first update.
  /// Their numbers plus 1, by hash; 0: empty. The size is a power of two, at most half used.
  std::vector<std::uint32_t> slots_;
  std::unordered_map<std::int64_t, VertexChange> vertices_;  ///< Vertices that changed.
  std::vector<Key> expected_;                                ///< Edges of announced updates,
  std::vector<Presence> known_;                              ///< their presence in the graph,
  std::size_t next_known_ = 0;                               ///< and the first that is not used so far.
  bool keeps_touched_ = false;
  /// By vertex, its edges in the batch; filled on first use.
  std::unordered_map<std::int64_t, std::vector<Key>> touched_;
};

}  // namespace matcha::session::stream
