#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/search/match_index.h"
#include "engines/search/query.h"
#include "engines/search/stops.h"

namespace matcha::runtime::match {

/// The possible images of each pattern vertex: graph vertices whose label, degree and neighbours allow it. Their
/// neighbours must be candidates again (arc consistency along all edges of the pattern at once: each graph vertex has a
/// word with a bit for each pattern vertex). If the query has sides, neighbours along each side are checked.
class Candidates {
 public:
  /// Requires: `index` outlives it. `stops` may end it early.
  Candidates(MatchIndex& index, const Query& query, const Stops& stops = {});
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  /// It was stopped; then no other function may be called.
  bool stopped() const { return stopped_; }
  /// A pattern vertex has no candidates, so there is no match.
  bool none() const { return none_; }
  /// Candidates have numbers 0 … size() - 1. Among the candidates of one pattern vertex, numbers ascend with ranks.
  std::uint32_t size() const { return static_cast<std::uint32_t>(vertices_.size()); }
  std::uint32_t rank(std::uint32_t number) const { return vertices_[number]; }
  Mask mask(std::uint32_t number) const { return arrays_->masks[vertices_[number]]; }
  std::uint64_t count(int u) const { return counts_[at(u)]; }
  std::vector<std::uint32_t> of(int u) const;
  std::uint64_t degree(std::uint32_t number) const {
    const std::uint32_t v = vertices_[number];
    return index_.graph().offsets[v + 1] - index_.graph().offsets[v];
  }
  /// The kind of rows that a neighbour of `u` uses: rows of one slot have the same items for every `u`.
  int slot(int u, int w) const { return slot_of_[at(u * query_size_ + w)]; }
  int slots() const { return slot_count_; }
  /// An upper bound of the number of items in a row.
  std::uint64_t room(std::uint32_t number, int slot) const;
  /// Writes the neighbours of a candidate of `u` that are candidates of `w` and satisfy the tie of `u` and `w` (or
  /// violate an anti-edge), by the slot of both: numbers, ascending. `out` has room for them. Returns their number.
  std::uint32_t row(std::uint32_t number, int slot, std::uint32_t* out) const;

 private:
  struct Needs;
  /// How the rows of one slot are computed, if the query has sides.
  struct Slot {
    int vertex = 0;
    std::vector<const Neighbors*> with, without;  ///< As in Tie.
  };
  void number_slots(const Query& query);
  void find_by_label(const Query& query);
  void find_by_sides(const Query& query);
  bool refine(const Needs& needs, int round);
  Mask kept(const Needs& needs, std::uint32_t v) const;
  void count_and_number();
  bool must_stop();

  MatchIndex& index_;
  int query_size_;
  std::vector<int> slot_of_;  ///< Index u * size + w.
  int slot_count_;
  std::vector<Slot> slots_;  ///< Empty without sides: a slot is then a vertex.
  std::unique_ptr<RankArrays> arrays_;
  std::vector<std::uint32_t> vertices_;
  bool sorts_ = false;  ///< True if candidates were not found in ascending order.
  std::vector<std::uint64_t> counts_;
  Stops stops_;
  std::uint32_t until_look_ = 0;
  bool stopped_ = false;
  bool none_ = false;
};

}  // namespace matcha::runtime::match
