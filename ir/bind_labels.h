#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "ir/support/diagnostics.h"

namespace matcha::ir {

/// The label words of a run.
struct LabelWords {
  std::function<std::optional<std::int64_t>(std::string_view word)> code;  ///< Empty for a word that no vertex has.
  std::vector<std::string> words;                                          ///< All of them, for hints.
  bool stay = false;  ///< For analyses: words of a program are not replaced by codes.
};

/// The words of `module`, each once, in order.
std::set<std::string_view> label_words(const Module& module);

/// `module` with every `label_name("w")` replaced by the code of the word. For a word without a code, reports an error
/// at each place (`unknown-label`), with the nearest word as the hint, and returns nothing.
std::optional<Module> bind_labels(Context& context, const Module& module, const LabelWords& labels,
                                  Diagnostics& diagnostics);

}  // namespace matcha::ir
