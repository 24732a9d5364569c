#pragma once

#include <string_view>

#include "question/collect.h"
#include "question/scan.h"

namespace matcha::pattern {

/// Reads chains of vertices into the collector, up to the first error: `0-1-2,0:a`, `a->b,(c:person)`.
void read_edge_text(Scanner scan, Collector& collector);

}  // namespace matcha::pattern
