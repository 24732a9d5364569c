#pragma once

#include <string_view>

#include "ir/bind_labels.h"
#include "ir/support/diagnostics.h"

namespace matcha::ir {

/// Reports at `loc` that no vertex or edge has the label `word` (`unknown-label`), with the nearest one as the hint.
void report_unknown_label(std::string_view word, SourceLoc loc, const LabelWords& labels, Diagnostics& diagnostics);

}  // namespace matcha::ir
