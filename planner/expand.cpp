#include "planner/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "question/symmetry.h"

namespace matcha::pattern {

namespace {

/// Vertices of a pattern become one in every way that leaves its edges apart.
class Quotients {
 public:
  /// `most`: of ways that are looked at.
  Quotients(const Pattern& pattern, std::size_t most) : pattern_(pattern), most_(most), block_of_(pattern.ids.size()) {}

  /// False: there are too many.
  bool run() {
    place(0);
    return !has_too_many_;
  }
  std::vector<Pattern> found;

 private:
  struct Block {
    int first = 0;
    Mask out = 0, in = 0;  ///< Blocks.
    std::string label, kind;
  };

  void place(int v) {
    if (has_too_many_) return;
    if (v == pattern_.size()) {
      if (found.size() == most_) {
        has_too_many_ = true;
      } else {
        found.push_back(made());
      }
      return;
    }
    // Other ways change a copy.
    for (std::size_t b = 0; b < blocks_.size() && !has_too_many_; ++b) {
      const std::vector<Block> before = blocks_;
      if (joins(v, b) && add_edges(v, b)) place(v + 1);
      blocks_ = before;
    }
    const std::vector<Block> before = blocks_;
    blocks_.push_back({v, 0, 0, pattern_.label(v), std::string(pattern_.kind(v))});
    if (add_edges(v, blocks_.size() - 1)) place(v + 1);
    blocks_ = before;
  }

  /// Whether a vertex may have the image of a block; then the block has its label too.
  bool joins(int v, std::size_t b) {
    Block& block = blocks_[b];
    for (int u = 0; u < v; ++u) {
      if (block_of_[at(u)] != b) continue;
      const auto differs = std::ranges::find(pattern_.different, std::pair(u, v)) != pattern_.different.end();
      if (differs || has(pattern_.near(v), u)) return false;
    }
    const std::string& label = pattern_.label(v);
    if (label.empty() || label == block.label) return true;
    if (!block.label.empty()) return false;  // Both exclude each other: `is_fit`.
    block.label = label;
    block.kind = pattern_.kind(v);
    return true;
  }

  /// Adds the edges to vertices that have a block. False: one is there already.
  bool add_edges(int v, std::size_t b) {
    block_of_[at(v)] = b;
    const int mine = static_cast<int>(b);
    for (int u = 0; u < v; ++u) {
      const std::size_t other = block_of_[at(u)];
      const int theirs = static_cast<int>(other);
      if (has(pattern_.out[at(v)], u) && !add_arc(b, other, mine, theirs)) return false;
      // An undirected edge is two arcs, which both are there or not.
      if (has(pattern_.out[at(u)], v) && !add_arc(other, b, theirs, mine)) return false;
    }
    return true;
  }
  bool add_arc(std::size_t from, std::size_t to, int from_bit, int to_bit) {
    if (has(blocks_[from].out, to_bit)) return false;
    blocks_[from].out |= bit(to_bit);
    blocks_[to].in |= bit(from_bit);
    return true;
  }

  Pattern made() const {
    std::vector<int> kept;
    for (const Block& block : blocks_) kept.push_back(block.first);
    Pattern quotient = renumbered(pattern_, kept);
    quotient.name.clear();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      quotient.out[b] = blocks_[b].out;
      quotient.in[b] = blocks_[b].in;
      quotient.labels[b] = blocks_[b].label;
      if (!quotient.kinds.empty()) quotient.kinds[b] = blocks_[b].kind;
    }
    return quotient;
  }

  const Pattern& pattern_;
  std::size_t most_;
  std::vector<std::size_t> block_of_;  ///< Of each vertex that is placed.
  std::vector<Block> blocks_;
  bool has_too_many_ = false;
};

/// Edges stand for pairs of vertices of the graph, and any two labels of vertices are one or exclude each other.
bool is_fit(const Pattern& pattern) {
  if (pattern.edge_labelled() || pattern.has_loops() || pattern.has_anti_edges() || pattern.has_constants())
    return false;
  for (int v = 0; v < pattern.size(); ++v) {
    for (int u = 0; u < v; ++u) {
      const std::string &a = pattern.label(u), &b = pattern.label(v);
      if (!a.empty() && !b.empty() && a != b && !labels_differ(pattern, u, v)) return false;
    }
  }
  return true;
}

}  // namespace

/// The patterns that a program is for; nothing after an error.
std::optional<std::vector<Expansion>> expand(const PatternSet& set, const Request& request, SourceLoc loc,
                                             Diagnostics& diagnostics) {
  const bool maps = request.embeddings || request.match != Match::Iso;
  const ExpandTo purpose = !maps ? ExpandTo::Subgraphs : request.rows ? ExpandTo::Rows : ExpandTo::Embeddings;
  std::vector<Pattern> patterns;
  const std::size_t size = set.alternatives ? set.patterns.size() : 1;
  for (std::size_t i = 0; i < size; ++i) {
    Pattern& one = patterns.emplace_back(with_edges(set.patterns[i], request.match));
    if (request.loops) {
      one.different.insert(one.different.end(), one.different_with_loops.begin(), one.different_with_loops.end());
    }
    if (!bind_numbers(one, loc, diagnostics)) return std::nullopt;
    if (!check_counted(one, request.match, request.rows, purpose, loc, diagnostics)) return std::nullopt;
  }
  std::optional<std::vector<Expansion>> expansions =
      expansions_of(patterns, {request.induced, request.match}, purpose, kMostExpansions);
  if (!expansions) {
    diagnostics.error(DiagId::PatternPlan, loc,
                      fmt::format("there are more than {} ways to choose {}", kMostExpansions,
                                  set.alternatives                      ? "labels and directions of edges"
                                  : set.patterns.front().counts_edges() ? "a label on each edge"
                                                                        : "types of vertices that have several"),
                      !request.hint_of_many.empty()         ? request.hint_of_many
                      : set.alternatives                    ? "`-->` is an edge in one direction"
                      : set.patterns.front().counts_edges() ? "`=?` is an edge of any label"
                                                            : "`--embeddings` counts maps instead of subgraphs");
  }
  return expansions;
}

std::optional<std::vector<Expansion>> quotients_of(const std::vector<Expansion>& patterns, std::size_t most) {
  std::vector<Expansion> found;
  std::map<std::string, std::size_t> known;
  for (const Expansion& one : patterns) {
    if (!is_fit(one.pattern)) return std::nullopt;
    // Many of them are alike.
    constexpr std::size_t kAlike = 16;
    Quotients quotients(one.pattern, most * kAlike);
    if (!quotients.run()) return std::nullopt;
    for (Pattern& quotient : quotients.found) {
      const auto [place, is_new] = known.try_emplace(canonical_key(quotient), found.size());
      if (is_new) found.push_back({std::move(quotient), 0});
      if (__builtin_add_overflow(found[place->second].factor, one.factor, &found[place->second].factor)) {
        return std::nullopt;
      }
    }
    if (found.size() > most) return std::nullopt;
  }
  return found;
}

}  // namespace matcha::pattern
