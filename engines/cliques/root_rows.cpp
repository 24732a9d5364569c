#include "engines/cliques/root_rows.h"

#include <algorithm>
#include <cstring>

namespace matcha::runtime::cliques {

RootRows::RootRows(const Roots& roots) : roots_(roots), places_(roots.size) {
  const std::uint64_t words = words_of(std::min(roots.widest, kMostBits));
  rows_ = Buffer<std::uint64_t>(words * 64 * words);
  std::memset(rows_.data(), 0, words * 64 * words * sizeof(std::uint64_t));
}

std::uint64_t RootRows::write(const std::uint32_t* candidates, std::uint64_t count) {
  words_ = words_of(count);
  std::uint64_t edges = 0;
  std::memset(rows_.data(), 0, count * words_ * sizeof(std::uint64_t));
  mark(candidates, count);
  std::uint16_t found[kMostBits + 1];
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t* const near = roots_.at(candidates[i]);
    const std::uint32_t* const end = near + roots_.count(candidates[i]);
    // Places are gathered without a branch, which those that are none would mislead.
    std::uint64_t length = 0;
    for (const std::uint32_t* at = near; at != end; ++at) {
      const std::uint16_t place = places_[*at];
      found[length] = place;
      length += place != 0 ? 1 : 0;
    }
    edges += length;
    std::uint64_t* const row = rows_.data() + i * words_;
    for (std::uint64_t at = 0; at < length; ++at) {
      const std::uint64_t j = found[at] - 1U;
      row[j / 64] |= std::uint64_t{1} << j % 64;
      rows_[j * words_ + i / 64] |= std::uint64_t{1} << i % 64;
    }
  }
  unmark(candidates, count);
  return edges;
}

RootRows::Size RootRows::size_of(std::uint64_t vertex) {
  const std::uint64_t count = roots_.count(vertex);
  const std::uint32_t* const candidates = roots_.at(vertex);
  Size found;
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t* const near = roots_.at(candidates[i]);
    for (std::uint64_t j = 0; j < roots_.count(candidates[i]); ++j) found.edges += places_[near[j]];
    found.arcs += roots_.count(candidates[i]);
  }
  unmark(candidates, count);
  return found;
}

std::vector<std::uint32_t> RootRows::below(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t vertex) {
  std::vector<std::uint32_t> both;
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 1;
  const std::uint32_t* const near = roots_.at(vertex);
  for (std::uint64_t j = 0; j < roots_.count(vertex); ++j) {
    if (places_[near[j]] != 0) both.push_back(near[j]);
  }
  unmark(candidates, count);
  return both;
}

}  // namespace matcha::runtime::cliques
