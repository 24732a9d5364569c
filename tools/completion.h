#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/option_facts.h"

namespace matcha::tools {

/// A script that completes the verbs, options and values of `matcha` in `bash`, `zsh` or `fish`; nothing for others.
std::optional<std::string> completion_script(std::string_view shell, const VerbFacts& program);

}  // namespace matcha::tools
