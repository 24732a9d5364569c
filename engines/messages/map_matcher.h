#pragma once

#include <memory>
#include <vector>

#include "codegen/backend.h"
#include "engines/messages/query.h"

namespace matcha::codegen {

/// The maps of a pattern of arcs with labels, or of several disjoint alternatives.
struct MapTask {
  struct Part {
    runtime::messages::MapQuery query;
    runtime::messages::MapPlan plan;
    std::vector<int> shown;  ///< Arcs whose labels can be columns.
  };
  std::vector<Part> parts;  ///< At least one; all have the same vertices.
  /// The columns of streamed rows: vertices, and from their number on, labels of `Part::shown`. Empty: the result is an
  /// int, the number of maps.
  std::vector<int> columns;
};

/// Counts or lists maps by messages along trees (engines/messages), on a CPU. Its one argument is a directed graph with
/// int edge information. `RunOptions::most` is exact. A stopped run of a count has no values. `times` of a result has
/// `index`, and `count` or `list`.
std::unique_ptr<Executable> make_map_matcher(MapTask task);

}  // namespace matcha::codegen
