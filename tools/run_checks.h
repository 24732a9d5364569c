#pragma once

#include "driver/row_encoder.h"
#include "tools/console.h"
#include "tools/run_options.h"

namespace matcha::tools {

/// Whether what is asked of the answer fits together, and with the program or the pattern; reports if not. `format`
/// becomes that of `--matches`.
Status check_answer_options(const RunVerbOptions& options, const PatternOptions& pattern, const Console& console,
                            RowFormat& format);

}  // namespace matcha::tools
