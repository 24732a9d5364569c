#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "ir/support/diagnostics.h"

namespace matcha::ir {

/// The label words of a run.
struct LabelWords {
  std::function<std::optional<std::int64_t>(std::string_view word)> code;  ///< Nothing for a word that no vertex has.
  std::vector<std::string> words;                                          ///< All of them, for hints.
};

/// `module` with every `label_name("w")` replaced by the code of the word. A word without a code is reported once a
/// place (`unknown-label`), with the nearest word as the hint; nothing is returned then.
std::optional<Module> bind_labels(Context& context, const Module& module, const LabelWords& labels,
                                  Diagnostics& diagnostics);

}  // namespace matcha::ir
