#pragma once

#include <memory>
#include <vector>

#include "codegen/backend.h"
#include "engines/messages/query.h"

namespace matcha::codegen {

/// The maps of a pattern of arcs with labels, or of several, none of which is a map of two.
struct MapTask {
  struct Part {
    runtime::messages::MapQuery query;
    runtime::messages::MapPlan plan;
    std::vector<int> shown;  ///< Arcs whose labels `columns` may name.
  };
  std::vector<Part> parts;  ///< At least one; their vertices are the same.
  /// Rows are streamed, of these vertices, and beyond their number of labels: those of `Part::shown`. Empty: the result
  /// is an int, their number.
  std::vector<int> columns;
};

/// Counts or lists maps by messages along trees (engines/messages), on a CPU. Its one argument is a directed graph with
/// ints as edge information. `RunOptions::most` is kept exactly. A run of a count that is stopped has no values. Of a
/// result, `times` has `index`, and `count` or `list`.
std::unique_ptr<Executable> make_map_matcher(MapTask task);

}  // namespace matcha::codegen
