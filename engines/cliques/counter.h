#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/cliques/roots.h"
#include "engines/cliques/sample.h"
#include "engines/identities/vertex_loop.h"
#include "engines/search/stops.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"
#include "runtime/wide_int.h"

namespace matcha::runtime::cliques {

struct CliqueRequest {
  std::uint32_t size = 0;  ///< The vertices of a clique, at least 1; 0: all sizes.
  unsigned threads = 1;    ///< One, or as many as oneTBB has.
  Tier tier = Tier::Scalar;
  match::Stops stops;
  std::function<void(const ExpectedWork&)> on_expected = {};  ///< Called before trees are walked.
};

struct CliqueOutcome {
  motif::End end = motif::End::Complete;  ///< Once it is not complete, there are no counts.
  /// By size from 1, the last one is not zero; of one size that count alone.
  std::vector<WideInt> counts;
  std::uint64_t nodes = 0;
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// Counts cliques by pivot trees over rows of bits. Requires: an undirected simple graph without a hash index. Errors:
/// Resource when out of memory; Runtime, before anything is counted, where a count may take more than 256 bits.
Result<CliqueOutcome> count_cliques(const Graph& graph, const CliqueRequest& request);

/// The counts of the sizes that a request names (`CliqueRequest::size`), by those of all trees of the graph by size
/// from 0.
std::vector<WideInt> counts_of_sizes(std::vector<WideInt> counts, const Graph& graph, std::uint32_t size);

/// The counts of a whole run by the sums of those of its shares (`DealtRoots::count`); `vertices`: of the graph, of
/// maximal cliques those without a neighbour.
std::vector<WideInt> counts_of_shares(std::vector<WideInt> sums, std::uint64_t vertices, std::uint32_t size);

/// A Runtime error if `bits`, a bound on the bits of a count of this size, is above `most`; nothing otherwise.
std::optional<Error> too_many_bits(std::uint32_t size, std::uint32_t bits, std::uint32_t most);

/// The roots in the order that counting takes; `maybe_work` gets the work that is expected, by a sample of at most
/// `most_nodes`. Errors: Resource when out of memory.
Result<Roots> roots_to_count(const Graph& graph, std::uint32_t size, Tier tier, ExpectedWork* maybe_work = nullptr,
                             std::uint64_t most_nodes = kShortSample);

struct CheckedRoots {
  Roots roots;
  std::uint32_t bits = 0;  ///< A count has at most this many.
  ExpectedWork work;
};

/// `roots_to_count` for counts of cliques of a size, 0: of all. Errors: as there, and Runtime where a count may have
/// more than `most_bits` bits.
Result<CheckedRoots> checked_roots(const Graph& graph, std::uint32_t size, Tier tier, std::uint32_t most_bits);

/// Roots in an order that is the same on every machine, to be dealt to shares of a run. `size`: as
/// `CliqueRequest::size`. Errors: as `make_roots`, and Runtime where a count may have more than 256 bits.
Result<Roots> roots_to_deal(const Graph& graph, std::uint32_t size);

/// The roots that have enough candidates for a clique of the size, those with the most candidates first. May throw
/// std::bad_alloc, as may `dealt_to`.
std::vector<std::uint32_t> widest_dealt(const Roots& roots, std::uint32_t size);

/// The roots of share `index` of `shares`, in the order of `order`.
std::vector<std::uint32_t> dealt_to(const std::vector<std::uint32_t>& order, std::uint64_t index, std::uint64_t shares);

/// The roots of a graph, dealt to shares of a run by their numbers of candidates.
class DealtRoots {
 public:
  /// `size`: as `CliqueRequest::size`. `maximal`: of cliques of all sizes those that are in no larger one. Graph, which
  /// outlives it, and errors: as `count_cliques`, or `count_maximal`.
  static Result<DealtRoots> make(const Graph& graph, std::uint32_t size, bool maximal = false);

  /// Counts the trees of share `index` of `shares`. The result is one number for one size; for all sizes it is a number
  /// for each size from 0, and every share has the same length. Requires: a request of the same size. Errors: Resource
  /// when out of memory.
  Result<CliqueOutcome> count(std::uint64_t index, std::uint64_t shares, const CliqueRequest& request) const;

 private:
  const Graph* graph_ = nullptr;
  std::uint32_t size_ = 0;
  bool maximal_ = false;
  Roots roots_;
  std::vector<std::uint32_t> order_;  ///< The roots with enough candidates, the widest first.
};

}  // namespace matcha::runtime::cliques
