#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/graph/labels.h"

namespace matcha::session::stream {

enum class UpdateKind : std::uint8_t {
  InsertEdge,
  DeleteEdge,  ///< Without a label: all parallel edges between the two.
  SetVertex,   ///< A new vertex, or a new label of one that is there.
  DeleteVertex,
};

/// What a line of a stream asks for, in ids as programs see them.
struct Update {
  UpdateKind kind = UpdateKind::InsertEdge;
  bool has_label = false;  ///< Of the edge or the vertex; else `label` is kNoLabel.
  std::int64_t u = 0;
  std::int64_t v = 0;  ///< Of edges.
  std::int64_t label = runtime::kNoLabel;
  std::int64_t time = 0;   ///< With `--temporal`; else 0.
  std::uint64_t line = 0;  ///< Of the input, from 1; 0: none asks for it, a window does.
};

/// An edge that came or went. Of an undirected graph u < v; loops never get here. `label`: kNoLabel where the graph
/// keeps no labels of edges; else edges between the same ends with other labels are edges of their own.
struct EdgeChange {
  std::int64_t u = 0;
  std::int64_t v = 0;
  std::int64_t label = runtime::kNoLabel;
  bool operator==(const EdgeChange&) const = default;
};

/// A vertex that came, went, or has another label.
struct VertexChange {
  std::int64_t id = 0;
  bool was = false;  ///< It was there before the batch,
  bool is = false;   ///< and is after it.
  std::int64_t old_label = runtime::kNoLabel;
  std::int64_t new_label = runtime::kNoLabel;
  bool operator==(const VertexChange&) const = default;
};

/// The difference of two states of a graph, of which both are valid: an edge is in at most one of the lists, what is
/// deleted was there, what is inserted was not; the ends of inserted edges are there after it, those of deleted ones
/// were there before it. A vertex that goes has all its edges among `deleted`, one that comes is among `vertices`.
struct NetBatch {
  std::vector<VertexChange> vertices;  ///< By id, each once.
  std::vector<EdgeChange> deleted;     ///< By u, v, label.
  std::vector<EdgeChange> inserted;    ///< By u, v, label.

  bool empty() const { return vertices.empty() && deleted.empty() && inserted.empty(); }
  /// Some vertex that stays gets another label, or loses its own.
  bool relabels() const {
    return std::ranges::any_of(vertices, [](const VertexChange& change) { return change.was && change.is; });
  }
};

}  // namespace matcha::session::stream
