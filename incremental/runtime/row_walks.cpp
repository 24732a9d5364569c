#include "incremental/runtime/row_walks.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "runtime/parallel.h"

namespace matcha::runtime::stream {

namespace {

constexpr std::size_t kFewestWalks = 64, kMostWalks = 2048, kOfWalker = 128;

const std::vector<std::uint32_t>& terms_of(const DynamicGraph& graph, const SharedTerms& terms,
                                           const BatchUpdate& update) {
  return terms.of(update.layer, graph.class_at(update.u), graph.class_at(update.v));
}

/// The places of the first two vertices of a term, oriented as in its search.
std::pair<std::uint32_t, std::uint32_t> ends_of(const DynamicGraph& graph, const Term& term,
                                                const BatchUpdate& update) {
  const std::uint32_t layer = term.layers[1];
  const bool swaps =
      term.pattern.swappable && graph.after(update.u, layer).size() > graph.after(update.v, layer).size();
  return swaps ? std::pair(update.v, update.u) : std::pair(update.u, update.v);
}

bool reads_row(const TermStep& step) {
  return step.kind != TermStep::Kind::Below && step.kind != TermStep::Kind::Above;
}

bool has(Mask mask, std::size_t vertex) { return (mask >> vertex & 1) != 0; }

}  // namespace

void RowWalks::add(bool backwards, std::uint32_t row, double times) {
  const bool other = backwards && graph_.directed();
  std::uint32_t& number = read_of_[other][row];
  if (number == 0) {
    reads_.push_back({row, other, 0});
    number = static_cast<std::uint32_t>(reads_.size());
  }
  reads_[number - 1].times += times;
}

class RowWalks::Walker {
 public:
  Walker(const DynamicGraph& graph, std::uint64_t seed) : graph_(graph), random_(seed) {}

  /// Walks from random updates and terms. `each`: the number of updates that a walk represents.
  void walk(const SharedTerms& terms, std::span<const BatchUpdate> updates, double each);
  /// Some rows occur more than once.
  const std::vector<Read>& reads() const { return reads_; }

 private:
  void add_steps(const Term& term, std::size_t vertex, double times);
  bool choose(const TermPattern& pattern, std::size_t vertex, double& stands_for);
  bool fits(const TermPattern& pattern, std::size_t vertex, std::uint32_t chosen) const;

  const DynamicGraph& graph_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> places_;  ///< By vertex of the term.
  std::vector<Read> reads_;
};

/// Adds the rows that are read once a vertex is placed.
void RowWalks::Walker::add_steps(const Term& term, std::size_t vertex, double times) {
  for (const TermStep& step : term.steps[vertex]) {
    if (reads_row(step)) {
      reads_.push_back({graph_.row_of(places_[step.vertex], step.layer), step.backwards, times});
    }
  }
}

/// Chooses a random neighbour of the required placed vertex with the fewest neighbours; false: it does not match the
/// pattern, or there is none.
bool RowWalks::Walker::choose(const TermPattern& pattern, std::size_t vertex, double& stands_for) {
  std::span<const std::uint32_t> fewest;
  bool found = false;
  const auto take = [&](std::span<const std::uint32_t> row) {
    if (!found || row.size() < fewest.size()) fewest = row;
    found = true;
  };
  for (std::size_t u = 0; u < vertex; ++u) {
    if (has(pattern.after[vertex], u)) take(graph_.after(places_[u]));
    if (has(pattern.before[vertex], u)) take(graph_.before(places_[u]));
  }
  for (const LayerArc& arc : pattern.arcs) {
    if (at(arc.to) == vertex && at(arc.from) < vertex) take(graph_.after(places_[at(arc.from)], arc.layer));
    if (at(arc.from) == vertex && at(arc.to) < vertex) take(graph_.before(places_[at(arc.to)], arc.layer));
  }
  if (fewest.empty()) return false;
  const std::uint32_t chosen = fewest[random_() % fewest.size()];
  stands_for *= static_cast<double>(fewest.size());
  if (!fits(pattern, vertex, chosen)) return false;
  places_[vertex] = chosen;
  return true;
}

/// True if a vertex may have a place, given the pattern and the vertices before it.
bool RowWalks::Walker::fits(const TermPattern& pattern, std::size_t vertex, std::uint32_t chosen) const {
  if (pattern.classes[vertex] != kAnyClass && graph_.class_at(chosen) != pattern.classes[vertex]) return false;
  for (std::size_t u = 0; u < vertex; ++u) {
    const std::uint32_t other = places_[u];
    if (other == chosen) return false;
    if (has(pattern.larger[u], vertex) && chosen < other) return false;
    if (has(pattern.larger[vertex], u) && other < chosen) return false;
    if (has(pattern.after[vertex], u) && !graph_.has_edge(other, chosen)) return false;
    if (has(pattern.before[vertex], u) && !graph_.has_edge(chosen, other)) return false;
    if (has(pattern.off_after[vertex], u) && graph_.has_edge(other, chosen)) return false;
    if (has(pattern.off_before[vertex], u) && graph_.has_edge(chosen, other)) return false;
  }
  return std::ranges::all_of(pattern.arcs, [&](const LayerArc& arc) {
    if (at(arc.to) == vertex && at(arc.from) < vertex) {
      return graph_.has_edge(places_[at(arc.from)], chosen, arc.layer);
    }
    const bool is_back = at(arc.from) == vertex && at(arc.to) < vertex;
    return !is_back || graph_.has_edge(chosen, places_[at(arc.to)], arc.layer);
  });
}

void RowWalks::Walker::walk(const SharedTerms& terms, std::span<const BatchUpdate> updates, double each) {
  const BatchUpdate& update = updates[random_() % updates.size()];
  const std::vector<std::uint32_t>& of = terms_of(graph_, terms, update);
  if (of.empty()) return;
  const Term& term = *terms.all[of[random_() % of.size()]].term;
  double stands_for = each * static_cast<double>(of.size());
  places_.resize(std::max(places_.size(), term.steps.size()));
  std::tie(places_[0], places_[1]) = ends_of(graph_, term, update);
  const TermPattern& pattern = term.pattern;
  for (std::size_t vertex = 2; vertex < at(pattern.walked); ++vertex) {
    if (!choose(pattern, vertex, stands_for)) return;
    add_steps(term, vertex, stands_for);
  }
}

/// Adds the certain reads: with one layer the row of either end, about once for each term.
void RowWalks::add_ends(const SharedTerms& terms, const BatchUpdate& update) {
  const std::vector<std::uint32_t>& of = terms_of(graph_, terms, update);
  if (of.empty()) return;
  if (graph_.layers() == 1) {
    add(false, update.u, static_cast<double>(of.size()));
    add(true, update.v, static_cast<double>(of.size()));
    return;
  }
  for (const std::uint32_t number : of) {
    const Term& term = *terms.all[number].term;
    const auto [first, second] = ends_of(graph_, term, update);
    for (const TermStep& step : term.steps[1]) {
      if (reads_row(step)) add(step.backwards, graph_.row_of(step.vertex == 0 ? first : second, step.layer), 1);
    }
  }
}

const std::vector<RowWalks::Read>& RowWalks::estimate(const SharedTerms& terms, std::span<const BatchUpdate> updates) {
  for (const Read& read : reads_) {
    if (read.row < read_of_[read.backwards].size()) read_of_[read.backwards][read.row] = 0;
  }
  reads_.clear();
  for (const bool backwards : {false, true}) read_of_[backwards].resize(graph_.rows(backwards).size(), 0);
  for (const BatchUpdate& update : updates) add_ends(terms, update);
  const std::size_t walks = std::clamp(updates.size() / 2, kFewestWalks, kMostWalks);
  const double each = static_cast<double>(updates.size()) / static_cast<double>(walks);
  std::vector<Walker> walkers;
  walkers.reserve(walks / kOfWalker + 1);
  for (std::size_t i = 0; i < walks && !updates.empty(); i += kOfWalker) walkers.emplace_back(graph_, ++walked_);
  // The result does not depend on the threads.
  const auto walk = [&](std::size_t i) {
    const std::size_t count = std::min(kOfWalker, walks - i * kOfWalker);
    for (std::size_t k = 0; k < count; ++k) walkers[i].walk(terms, updates, each);
  };
  if (walkers.size() <= 1) {
    for (std::size_t i = 0; i < walkers.size(); ++i) walk(i);
  } else {
    for_indices(0, walkers.size(), walk);
  }
  for (const Walker& walker : walkers) {
    for (const Read& read : walker.reads()) add(read.backwards, read.row, read.times);
  }
  return reads_;
}

}  // namespace matcha::runtime::stream
