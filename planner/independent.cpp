#include "planner/independent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/counted.h"
#include "question/requirements.h"

namespace matcha::pattern {

namespace {

/// Unites the sets that have a vertex of `joined`.
void join(Mask joined, std::vector<Mask>& sets) {
  const auto apart = std::ranges::stable_partition(sets, [joined](Mask set) { return (set & joined) == 0; });
  Mask all = 0;
  for (const Mask set : apart) all |= set;
  sets.erase(apart.begin(), apart.end());
  if (all != 0) sets.push_back(all);
}

}  // namespace

std::vector<Mask> independent_parts(const Pattern& pattern, Match match, bool loops,
                                    const std::vector<std::string>& names) {
  const Requirements needs(pattern, {Induced::Edge, match, loops});
  std::vector<Mask> parts;
  for (int v = 0; v < pattern.size(); ++v) parts.push_back(bit(v));
  for (int v = 0; v < pattern.size(); ++v) join(bit(v) | needs.any(v), parts);
  for (const Apart& edges : needs.apart) {
    Mask joined = 0;
    for (const auto& [u, v] : edges) joined |= bit(u) | bit(v);
    join(joined, parts);
  }
  for (const Factor& factor : factors_of(pattern, match, names)) join(factor.vertices, parts);
  std::ranges::sort(parts, {}, lowest);
  return parts;
}

Pattern independent_part(const Pattern& pattern, Mask part) {
  Pattern alone = restricted(pattern, part);
  const auto place = [part](int v) { return count(part & (bit(v) - 1)); };
  for (const auto& [u, v] : pattern.different) {
    // Those of two parts differ by their labels.
    if (has(part, u) && has(part, v)) alone.different.emplace_back(place(u), place(v));
  }
  return alone;
}

std::string part_name(const std::string& name, std::size_t part) { return fmt::format("{}_part_{}", name, part + 1); }

void write_product(const std::string& name, std::size_t parts, Text& out) {
  out.line("# The parts have no condition in common.");
  out.open(fmt::format("def {}(G: Graph) -> int:", out.fresh(name)));
  std::vector<std::string> numbers, zeros;
  for (std::size_t i = 0; i < parts; ++i) {
    numbers.push_back(fmt::format("n_{}", i + 1));
    zeros.push_back(numbers.back() + " == 0");
    out.line(fmt::format("{} = {}(G)", numbers.back(), part_name(name, i)));
  }
  // A product before a zero may be beyond 64 bits.
  out.line(fmt::format("return 0 if {} else {}", fmt::join(zeros, " or "), fmt::join(numbers, " * ")));
  out.close();
}

}  // namespace matcha::pattern
