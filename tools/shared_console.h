#pragma once

#include <memory>

#include "tools/console.h"

namespace matcha::tools {

/// The reporter that what runs on other threads keeps: the console outlives it.
inline std::shared_ptr<const session::Reporter> shared(const Console& console) {
  return std::shared_ptr<const session::Reporter>(std::shared_ptr<const session::Reporter>(), &console);
}

}  // namespace matcha::tools
