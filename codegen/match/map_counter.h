#pragma once

#include <memory>

#include "codegen/backend.h"
#include "runtime/messages/query.h"

namespace matcha::codegen {

/// The number of maps of a pattern of arcs with labels.
struct MapTask {
  runtime::messages::MapQuery query;
  runtime::messages::MapPlan plan;
};

/// Counts maps by messages along trees (runtime/messages), on a CPU. Its one argument is a directed graph with ints as
/// edge information. A run that is stopped has no values. Of a result, `times` has the parts of the count.
std::unique_ptr<Executable> make_map_counter(MapTask task);

}  // namespace matcha::codegen
