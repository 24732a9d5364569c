#pragma once

#include <string>

namespace matcha::session::stream {

/// The text of the kernels that count the matches of changed edges (incremental/runtime/device_search.h), the same for
/// all patterns; to be compiled with `compile_options()`.
std::string delta_count_text();

}  // namespace matcha::session::stream
