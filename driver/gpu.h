#pragma once

#include <string>

namespace matcha::driver {

/// The name of the first GPU; empty: there is none.
std::string gpu_name();

/// Why no GPU can be used here; empty: the first one can.
std::string gpu_problem();

}  // namespace matcha::driver
