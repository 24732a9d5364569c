#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tests/differential/tree.h"
#include "tests/differential/world.h"

/// Runs a program through every stage of the compiler and compares each with direct evaluation.
namespace matcha::differential {

/// Where a program went wrong, and how.
struct Failure {
  std::string stage;    ///< `frontend`, `interp`, `after fuse`, `llvm 2 threads avx2`, `cuda`, …
  std::string message;  ///< The expected and the actual outcome, and the modules before and after the guilty pass.
};

/// Counts over many programs, to verify that a test tests something.
struct Tally {
  std::map<std::string, std::uint64_t> counts;
};

/// Which back ends take part besides the interpreter.
struct Checks {
  bool llvm = true;
  std::uint32_t group = 0;  ///< Lanes of a group on the emulated GPU; 0: no GPU.
  std::uint64_t seed = 0;   ///< Draws the allowed assumptions, and whether the tool's own steps compile the program.
};

/// Nothing if all agree.
std::optional<Failure> check(const Program& program, const World& world, const Checks& checks, Tally& tally);

/// A smaller program with a failure in the same stage.
Program shrink(const Program& program, const World& world, const Checks& checks, const std::string& stage);

}  // namespace matcha::differential
