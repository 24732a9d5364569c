#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "incremental/update.h"

namespace matcha::session::stream {

/// What is asked of the graph as it is now, to find out what an update changes. In ids as programs see them.
class Present {
 public:
  virtual ~Present() = default;

  /// Arcs are kept as they are; else an edge is the same in both directions.
  virtual bool directed() const = 0;
  /// Edges have labels, and those between the same ends with other labels are edges of their own.
  virtual bool keeps_edge_labels() const = 0;
  virtual std::uint64_t vertex_count() const = 0;
  /// Edges, an undirected one once; parallel ones count each.
  virtual std::uint64_t edge_count() const = 0;
  /// The label of a vertex, kNoLabel if it has none; nothing: it is not there.
  virtual std::optional<std::int64_t> label_of(std::int64_t id) const = 0;
  /// Appends the labels of the edges from u to v, one an edge, ascending; kNoLabel where none are kept.
  virtual void labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const = 0;
  /// Whether there is that edge; without labels of edges, `label` is kNoLabel.
  virtual bool has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const = 0;
  /// Whether an edge is there, and its ends.
  struct Known {
    bool edge = false, u = false, v = false;
  };
  /// Of each of many edges, as `has_edge` and `label_of` tell of one. Threads may ask at the same time.
  virtual void look_up(std::span<const EdgeChange> edges, Known* known) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const EdgeChange& edge = edges[i];
      const bool is_there = has_edge(edge.u, edge.v, edge.label);
      known[i] = {is_there, is_there || label_of(edge.u), is_there || label_of(edge.v)};
    }
  }
  /// Edges at a vertex, of a directed graph those that lead to it too; 0 for a stranger.
  virtual std::uint64_t degree_of(std::int64_t id) const = 0;
  /// Calls `take` with the ends and the label of each edge at a vertex, of a directed graph those that lead to it too;
  /// of an undirected one the ends come in either order.
  using TakeEdge = std::function<void(std::int64_t u, std::int64_t v, std::int64_t label)>;
  virtual void each_edge_at(std::int64_t id, const TakeEdge& take) const = 0;
};

}  // namespace matcha::session::stream
