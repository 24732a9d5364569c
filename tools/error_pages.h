#pragma once

#include <string>

#include "tools/console.h"

namespace matcha::tools {

/// Whether the word is the id of a diagnostic or like one, and no file.
bool names_error(const std::string& word);
/// Prints the page of an id, or an error (Usage) that names the nearest one.
Status print_error_page(const std::string& id, const ConsoleOptions& options);

}  // namespace matcha::tools
