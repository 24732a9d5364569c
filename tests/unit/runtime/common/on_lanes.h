// Device code in a test: by one thread as a group, or, with MATCHA_TEST_WARP, by the lanes of a warp of fibers. Stands
// in front of runtime/common, as warp.h does.
#pragma once

#ifdef MATCHA_TEST_WARP
#include <memory>

#include "tests/unit/runtime/common/warp.h"
#endif

namespace warp {

/// Calls `work` in each lane of a group.
template <typename Work>
void on_lanes(const Work& work) {
#ifdef MATCHA_TEST_WARP
  const auto lanes = std::make_unique<Warp>();
  lanes->run(work);
#else
  work();
#endif
}

}  // namespace warp
