#pragma once

#include <string_view>

#include "frontend/pattern/collect.h"
#include "frontend/pattern/scan.h"

namespace matcha::frontend::pattern {

/// Reads chains of vertices into the collector, up to the first error: `0-1-2,0:a`, `a->b,(c:person)`.
void read_edge_text(Scanner scan, Collector& collector);

}  // namespace matcha::frontend::pattern
