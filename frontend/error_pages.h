#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matcha::frontend {

/// The page of a diagnostic, as text: its meaning, examples with the messages that they give, and how to mend it. `id`
/// is as messages print it, with or without its brackets. Nothing if there is no such diagnostic.
std::optional<std::string> error_page(std::string_view id);

/// The ids that have pages, in the order of ir/support/diagnostics.def.
std::vector<std::string> error_ids();

}  // namespace matcha::frontend
