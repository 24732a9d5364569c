#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "incremental/update.h"

namespace matcha::session::stream {

/// Queries on the present graph that netting needs. Ids are as programs see them.
class Present {
 public:
  virtual ~Present() = default;

  /// True if arcs are directed; false: an edge is the same in both directions.
  virtual bool directed() const = 0;
  /// Edges have labels; edges with the same ends and different labels are distinct.
  virtual bool keeps_edge_labels() const = 0;
  virtual std::uint64_t vertex_count() const = 0;
  /// The number of edges, an undirected one once; parallel ones count separately.
  virtual std::uint64_t edge_count() const = 0;
  /// The label of a vertex, kNoLabel if it has none; empty: there is no such vertex.
  virtual std::optional<std::int64_t> label_of(std::int64_t id) const = 0;
  /// Appends the labels of the edges from u to v, one for each edge, ascending; kNoLabel if edges have no labels.
  virtual void labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const = 0;
  /// True if the edge exists; without labels of edges, `label` is kNoLabel.
  virtual bool has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const = 0;
  /// The presence of an edge and of its ends.
  struct Presence {
    bool edge = false, u = false, v = false;
  };
  /// `has_edge` and `label_of` for many edges. Thread-safe.
  virtual void look_up(std::span<const EdgeChange> edges, Presence* known) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const EdgeChange& edge = edges[i];
      const bool is_there = has_edge(edge.u, edge.v, edge.label);
      known[i] = {is_there, is_there || label_of(edge.u), is_there || label_of(edge.v)};
    }
  }
  /// The number of edges at a vertex, incoming ones included; 0 for an unknown vertex.
  virtual std::uint64_t degree_of(std::int64_t id) const = 0;
  /// Calls `take` with the ends and the label of each edge at a vertex, incoming ones included; the ends of an
  /// undirected edge have either order.
  using TakeEdge = std::function<void(std::int64_t u, std::int64_t v, std::int64_t label)>;
  virtual void each_edge_at(std::int64_t id, const TakeEdge& take) const = 0;
};

}  // namespace matcha::session::stream
