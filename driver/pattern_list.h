#pragma once

#include <string>
#include <vector>

#include "driver/pattern_source.h"
#include "runtime/result.h"

namespace matcha::driver {

/// The patterns of a file, one a line, each with its line for errors; `path` `-` is standard input. `#` begins a
/// comment at the beginning of a line and behind white space, and lines without anything else are skipped. All else is
/// as in `common`. Errors: Input when the file cannot be read, has no pattern or more than 10,000 lines.
runtime::Result<std::vector<PatternOptions>> read_pattern_list(const std::string& path, const PatternOptions& common);

}  // namespace matcha::driver
