#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Programs that may count patterns, as text.
namespace matcha::differential {

/// Loops, sums and tables over sets of neighbours, made at random; its entry takes one graph.
std::string random_pattern_program(std::uint64_t seed);

/// The program with another word in one place: a comparison, an operation, a constant or a name. With `entry`, mostly
/// in the function of that name.
std::string changed(const std::string& text, const std::string& entry, std::uint64_t seed);

struct NaiveProgram {
  std::string name, text;
};

/// Programs that count patterns as people write them first.
std::vector<NaiveProgram> naive_programs();

}  // namespace matcha::differential
