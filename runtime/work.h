#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace matcha::runtime {

/// The work of the outermost positions [begin, end): their number plus, if they are the vertices of `maybe_walked`, the
/// number of their outgoing arcs.
inline std::uint64_t work_of(const GraphView* maybe_walked, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t positions = end - begin;
  const bool by_rank = maybe_walked != nullptr && maybe_walked->offsets != nullptr && maybe_walked->vertices == nullptr;
  return by_rank ? positions + maybe_walked->offsets[end] - maybe_walked->offsets[begin] : positions;
}

}  // namespace matcha::runtime
