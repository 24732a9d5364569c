#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace matcha::session {

/// The abilities of this build and this machine (schema `matcha.doctor/2`, without its `terminal`). `code_folder`:
/// where compiled code is kept; empty: nowhere.
nlohmann::ordered_json doctor_facts(const std::string& code_folder);

}  // namespace matcha::session
