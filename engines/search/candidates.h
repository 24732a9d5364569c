#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/search/match_index.h"
#include "engines/search/query.h"
#include "engines/search/stops.h"

namespace matcha::runtime::match {

/// For each pattern vertex the graph vertices that may be its image: those whose label, degree and neighbours allow it,
/// where the neighbours must be candidates again (arc consistency along all edges of the pattern at once: a word a
/// graph vertex has a bit a pattern vertex). Where the query has sides, neighbours along each of them.
class Candidates {
 public:
  /// `index` must outlive it. With `stops` it is given up soon.
  Candidates(MatchIndex& index, const Query& query, const Stops& stops = {});
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  /// It was given up; nothing else may be asked then.
  bool stopped() const { return stopped_; }
  /// Some pattern vertex has no candidates, so that there is no match.
  bool none() const { return none_; }
  /// Graph vertices that are candidates at all have numbers 0 … size() - 1, ascending with their ranks among those that
  /// may be images of the same pattern vertex.
  std::uint32_t size() const { return static_cast<std::uint32_t>(vertices_.size()); }
  std::uint32_t rank(std::uint32_t number) const { return vertices_[number]; }
  Mask mask(std::uint32_t number) const { return arrays_->masks[vertices_[number]]; }
  std::uint64_t count(int u) const { return counts_[at(u)]; }
  std::vector<std::uint32_t> of(int u) const;
  std::uint64_t degree(std::uint32_t number) const {
    const std::uint32_t v = vertices_[number];
    return index_.graph().offsets[v + 1] - index_.graph().offsets[v];
  }
  /// What a vertex next to `u` asks of rows: those of one slot have the same items, whatever `u` is.
  int slot(int u, int w) const { return slot_of_[at(u * query_size_ + w)]; }
  int slots() const { return slot_count_; }
  /// At most so many items has a row.
  std::uint64_t room(std::uint32_t number, int slot) const;
  /// The neighbours of a candidate of `u` that are candidates of `w` and tied as `u` and `w` are, or must not be, for
  /// the slot of both: numbers, ascending. `out` has room for them. Gives how many.
  std::uint32_t row(std::uint32_t number, int slot, std::uint32_t* out) const;

 private:
  struct Needs;
  /// How the rows of one slot are made, where the query has sides.
  struct Slot {
    int vertex = 0;
    std::vector<const Neighbors*> with, without;  ///< As those of a Tie.
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
  std::vector<int> slot_of_;  ///< Item u * size + w.
  int slot_count_;
  std::vector<Slot> slots_;  ///< None without sides: a slot is the vertex then.
  std::unique_ptr<RankArrays> arrays_;
  std::vector<std::uint32_t> vertices_;
  bool sorts_ = false;  ///< They were found in an order of their own.
  std::vector<std::uint64_t> counts_;
  Stops stops_;
  std::uint32_t until_look_ = 0;
  bool stopped_ = false;
  bool none_ = false;
};

}  // namespace matcha::runtime::match
