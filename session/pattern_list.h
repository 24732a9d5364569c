#pragma once

#include <string>
#include <vector>

#include "runtime/result.h"
#include "session/pattern_source.h"

namespace matcha::session {

/// The patterns of a file, one a line, each with its line for errors; `path` `-` is standard input. `#` begins a
/// comment at the beginning of a line and behind white space, and lines without anything else are skipped. All else is
/// as in `common`. Errors: Input when the file cannot be read, has no pattern or more than 10,000 lines.
runtime::Result<std::vector<PatternOptions>> read_pattern_list(const std::string& path, const PatternOptions& common);

}  // namespace matcha::session
