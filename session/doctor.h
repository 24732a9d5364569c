#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace matcha::session {

/// What this build and this machine can do (schema `matcha.doctor/2`, without its `terminal`). `code_folder`: where
/// compiled code is kept; empty: nowhere.
nlohmann::ordered_json doctor_facts(const std::string& code_folder);

}  // namespace matcha::session
