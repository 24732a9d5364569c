#pragma once

#include <string>

#include "tools/explanation.h"

namespace matcha::tools {

/// The JSON object of `explain --json`, of the schema `matcha.plan/1` (docs/api.md).
std::string explanation_json(const Explanation& all);

}  // namespace matcha::tools
