#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/graph/labels.h"

namespace matcha::session::stream {

enum class UpdateKind : std::uint8_t {
  InsertEdge,
  DeleteEdge,  ///< Without a label: all parallel edges between the ends.
  SetVertex,   ///< Creates a vertex, or changes its label.
  DeleteVertex,
};

/// An update by a line of a stream, in ids as programs see them.
struct Update {
  UpdateKind kind = UpdateKind::InsertEdge;
  bool has_label = false;  ///< The edge or the vertex has a label; false: `label` is kNoLabel.
  std::int64_t u = 0;
  std::int64_t v = 0;  ///< For edges.
  std::int64_t label = runtime::kNoLabel;
  std::int64_t time = 0;   ///< With `--temporal`; else 0.
  std::uint64_t line = 0;  ///< The number of the input line, from 1; 0: made by a window.
};

/// An inserted or deleted edge. u < v if undirected; never a loop. `label`: kNoLabel if edges have no labels; otherwise
/// edges with the same ends and different labels are distinct.
struct EdgeChange {
  std::int64_t u = 0;
  std::int64_t v = 0;
  std::int64_t label = runtime::kNoLabel;
  bool operator==(const EdgeChange&) const = default;
};

/// A vertex that is created, deleted, or gets another label.
struct VertexChange {
  std::int64_t id = 0;
  bool was = false;  ///< It existed before the batch,
  bool is = false;   ///< and exists after it.
  std::int64_t old_label = runtime::kNoLabel;
  std::int64_t new_label = runtime::kNoLabel;
  bool operator==(const VertexChange&) const = default;
};

/// The difference of two valid states of a graph: an edge is in at most one of the lists; deleted edges existed,
/// inserted ones did not; the ends of inserted edges exist after it, those of deleted ones existed before it. All edges
/// of a deleted vertex are in `deleted`; a new vertex is in `vertices`.
struct NetBatch {
  std::vector<VertexChange> vertices;  ///< By id, each once.
  std::vector<EdgeChange> deleted;     ///< By u, v, label.
  std::vector<EdgeChange> inserted;    ///< By u, v, label.
  /// For a table, instead of these: the lines of the inserted rows, in the order of their times, and how many rows
  /// are deleted: the oldest first, which may be inserted ones.
  std::vector<std::uint64_t> rows;
  std::uint64_t rows_left = 0;

  bool empty() const { return vertices.empty() && deleted.empty() && inserted.empty(); }
  /// A remaining vertex changes or loses its label.
  bool relabels() const {
    return std::ranges::any_of(vertices, [](const VertexChange& change) { return change.was && change.is; });
  }
};

}  // namespace matcha::session::stream
