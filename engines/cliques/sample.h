#pragma once

#include <cstdint>
#include <string>

#include "engines/cliques/roots.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::cliques {

/// The expected work of counting.
struct ExpectedWork {
  double nodes = 0;       ///< Nodes of all trees.
  double ns = 0;          ///< Nanoseconds of one thread.
  bool at_least = false;  ///< The sample ended at its limit of nodes, so both numbers are lower bounds.
};

/// The expected time on `threads` threads as text, such as `40 s` or `at least 3 h`.
std::string time_text(const ExpectedWork& work, unsigned threads);

/// Most nodes of a sample: before a run, which takes some milliseconds, and for `explain`.
inline constexpr std::uint64_t kShortSample = 150'000, kLongSample = 1'000'000;

/// Estimates the work of all roots from the trees of a sample, of at most `most_nodes` nodes. The same roots give the
/// same sample. May throw std::bad_alloc.
ExpectedWork expected_work(const Roots& roots, std::uint32_t size, Tier tier, std::uint64_t most_nodes);

}  // namespace matcha::runtime::cliques
