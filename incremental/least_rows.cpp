#include "incremental/least_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "question/symmetry.h"

namespace matcha::session::stream {

std::optional<LeastRows> LeastRows::make(const pattern::Pattern& pattern) {
  // Rows of patterns with more automorphisms are not canonicalized here.
  constexpr std::uint64_t kMostAutomorphisms = 5040;
  auto found = pattern::Symmetry(pattern).automorphisms(kMostAutomorphisms);
  if (!found) return std::nullopt;
  return LeastRows(std::move(*found));
}

void LeastRows::put(std::uint64_t* row, const Fits& fits) const {
  if (automorphisms_.size() <= 1) return;
  const auto is_row = [&](const std::vector<int>& moved) {
    for (std::size_t v = 0; fits && v < moved.size(); ++v) {
      if (!fits(static_cast<int>(v), row[moved[v]])) return false;
    }
    return true;
  };
  const auto is_less = [&](const std::vector<int>& a, const std::vector<int>& b) {
    return std::ranges::lexicographical_compare(
        a, b, [&](int x, int y) { return static_cast<std::int64_t>(row[x]) < static_cast<std::int64_t>(row[y]); });
  };
  const std::vector<int>* least = nullptr;
  for (const std::vector<int>& one : automorphisms_) {
    if ((least == nullptr || is_less(one, *least)) && is_row(one)) least = &one;
  }
  if (least == nullptr) return;
  std::array<std::uint64_t, pattern::kMostVertices> moved{};
  std::ranges::transform(*least, moved.begin(), [&](int v) { return row[v]; });
  std::copy_n(moved.begin(), least->size(), row);
}

void LeastRows::put(RowSet& rows, const Fits& fits) const {
  if (automorphisms_.size() <= 1) return;
  const std::size_t width = rows.kinds.size();
  for (std::uint64_t at = 0; at < rows.size(); ++at) put(rows.words.data() + at * width, fits);
}

}  // namespace matcha::session::stream
