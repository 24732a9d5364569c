#pragma once

#include <cstdint>

#include "tests/differential/tree.h"
#include "tests/differential/world.h"

namespace matcha::differential {

/// A random well-typed program for `world`; the same for the same seed. Every operator of the language occurs.
Program random_program(std::uint64_t seed, const World& world);

/// Cliques and similar patterns: all sets are parts of the neighbours of one vertex.
Program random_nest(std::uint64_t seed, const World& world);

}  // namespace matcha::differential
