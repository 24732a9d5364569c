#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/console.h"
#include "tools/exit_codes.h"

namespace matcha::tools {

/// The page of a diagnostic, as text: its meaning, examples with the messages that they give, and how to mend it. `id`
/// is as messages print it, with or without its brackets. Nothing if there is no such diagnostic.
std::optional<std::string> error_page(std::string_view id);

/// The ids that have pages, in the order of ir/support/diagnostics.def.
std::vector<std::string> error_ids();

/// Whether the word is the id of a diagnostic or like one, and no file.
bool names_error(const std::string& word);
/// Prints the page of an id, or an error (Usage) that names the nearest one.
Status print_error_page(const std::string& id, const ConsoleOptions& options);

}  // namespace matcha::tools
