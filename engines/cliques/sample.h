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

/// Nodes of a sample before a run, which takes some milliseconds, and of one that a user asks for.
inline constexpr std::uint64_t kShortSample = 150'000, kLongSample = 1'000'000;

/// Walks the trees of a sample of the roots, at most so many nodes. The same roots give the same sample. May throw
/// std::bad_alloc.
ExpectedWork expected_work(const Roots& roots, std::uint32_t size, Tier tier, std::uint64_t most_nodes);

}  // namespace matcha::runtime::cliques
