#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "engines/cliques/laps.h"
#include "engines/cliques/roots.h"
#include "engines/cliques/sum_counter.h"
#include "engines/identities/vertex_loop.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// The number of cliques of each vertex, or of each edge (by item of `Roots::near`). Threads may add to the same number
/// of 128 bits at once.
class SharedSums {
 public:
  /// May throw std::bad_alloc.
  SharedSums(std::uint64_t size, unsigned threads) : is_shared_(threads > 1), low_(size), high_(size) {}

  void add(std::uint64_t at, unsigned __int128 number) {
    if (number == 0) return;
    const auto low = static_cast<std::uint64_t>(number);
    std::uint64_t high = static_cast<std::uint64_t>(number >> 64);
    // Each atomic addition to a low word shows whether it carries.
    high += add_word(low_[at], low) + low < low ? 1 : 0;
    if (high != 0) add_word(high_[at], high);
  }
  void set(std::uint64_t at, unsigned __int128 number) {
    low_[at] = static_cast<std::uint64_t>(number);
    high_[at] = static_cast<std::uint64_t>(number >> 64);
  }
  /// Requires: `most` fits an int.
  std::int64_t at(std::uint64_t at) const { return static_cast<std::int64_t>(low_[at]); }
  std::uint64_t size() const { return low_.size(); }
  unsigned __int128 most() const {
    unsigned __int128 most = 0;
    for (std::uint64_t i = 0; i < low_.size(); ++i)
      most = std::max(most, static_cast<unsigned __int128>(high_[i]) << 64 | low_[i]);
    return most;
  }
  void clear() {
    std::ranges::fill(low_, 0);
    std::ranges::fill(high_, 0);
  }

 private:
  std::uint64_t add_word(std::uint64_t& word, std::uint64_t number) const {
    if (is_shared_) return std::atomic_ref<std::uint64_t>(word).fetch_add(number, std::memory_order_relaxed);
    const std::uint64_t before = word;
    word += number;
    return before;
  }

  const bool is_shared_;
  std::vector<std::uint64_t> low_, high_;
};

/// Replaces `sums` by those of another size.
using SumsOfSize = std::function<Result<motif::End>(std::uint32_t size, SharedSums& sums)>;

/// Passes the rows of one size, or of all sizes, to `SumRequest::on_rows`; `sums_of_size` makes the sums of each size.
/// Errors: those of `sums_of_size`; Runtime, before any row of a size, if a count of that size has more than 63 bits.
/// May throw std::bad_alloc.
Status write_sums(const Graph& graph, const Roots& roots, const SumRequest& request, const SumsOfSize& sums_of_size,
                  Laps& laps, SumOutcome& outcome);

}  // namespace matcha::runtime::cliques
