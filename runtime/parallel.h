#pragma once

#include <tbb/blocked_range.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace matcha::runtime {

/// Items [begin, end) of one call in a parallel loop. The last constructor argument is the smallest number of items to
/// divide.
using Block = tbb::blocked_range<std::uint64_t>;

/// A reference to a function with one argument, so that a parallel loop is compiled once for all functions.
template <typename Argument>
class Visitor {
 public:
  /// `visit` must outlive the loop, as a temporary of the call does.
  template <typename Visit>
  Visitor(const Visit& visit)  // NOLINT(google-explicit-constructor)
      : visit_(std::addressof(visit)),
        call_([](const void* it, Argument argument) { (*static_cast<const Visit*>(it))(argument); }) {}

  void operator()(Argument argument) const { call_(visit_, argument); }

 private:
  const void* visit_;
  void (*call_)(const void*, Argument);
};

/// Calls `visit` with blocks that together are `all`, on the threads of the caller's oneTBB arena; returns when all
/// calls have ended. An exception of a call ends the loop and is rethrown to the caller.
void for_blocks(const Block& all, const Visitor<const Block&>& visit);

/// The same for each index of [begin, end).
void for_indices(std::uint64_t begin, std::uint64_t end, const Visitor<std::uint64_t>& visit);

}  // namespace matcha::runtime
