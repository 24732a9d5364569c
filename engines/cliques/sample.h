#pragma once

#include <cstdint>
#include <string>

#include "engines/cliques/roots.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::cliques {

/// What counting is expected to take.
struct ExpectedWork {
  double nodes = 0;       ///< Of all trees;
  double ns = 0;          ///< nanoseconds of one thread.
  bool at_least = false;  ///< The sample was cut: it may be more.
};

/// `40 s`, `at least 3 h`, on so many threads.
std::string time_text(const ExpectedWork& work, unsigned threads);

/// Walks the trees of a sample of the roots, at most a million nodes. The same roots give the same sample. May throw
/// std::bad_alloc.
ExpectedWork expected_work(const Roots& roots, std::uint32_t size, Tier tier);

}  // namespace matcha::runtime::cliques
