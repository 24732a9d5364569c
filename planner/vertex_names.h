#pragma once

#include <string>
#include <vector>

#include "question/pattern.h"

/// Names of vertices in the programs of patterns.
namespace matcha::pattern {

/// A name for each vertex that a program may define: its own, or one that is made of it where that is no word of the
/// language, or may be something else in the program.
std::vector<std::string> program_names(const Pattern& pattern);

/// The end of a name that is made of those of vertices: `0` of `v0`, `_a` of `a`.
std::string stem(const std::string& name);
/// A name with the stem of one more vertex: `c0` and `v1` become `c0_1`, `c_a` and `b` become `c_a_b`.
std::string with_stem(const std::string& name, const std::string& vertex);

}  // namespace matcha::pattern
