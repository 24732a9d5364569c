#include "runtime/stream/row_walks.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <random>
#include <utility>

namespace matcha::runtime::stream {

namespace {

constexpr std::size_t kFewestWalks = 64, kMostWalks = 2048, kOfWalker = 128;

const std::vector<std::uint32_t>& terms_of(const DynamicGraph& graph, const SharedTerms& terms,
                                           const BatchUpdate& update) {
  return terms.by_classes[std::size_t{graph.class_at(update.u)} * terms.classes + graph.class_at(update.v)];
}

bool has(Mask mask, std::size_t vertex) { return (mask >> vertex & 1) != 0; }

}  // namespace

void RowWalks::add(bool backwards, std::uint32_t place, double times) {
  const bool other = backwards && graph_.directed();
  std::uint32_t& number = read_of_[other][place];
  if (number == 0) {
    reads_.push_back({place, other, 0});
    number = static_cast<std::uint32_t>(reads_.size());
  }
  reads_[number - 1].times += times;
}

class RowWalks::Walker {
 public:
  Walker(const DynamicGraph& graph, std::uint64_t seed) : graph_(graph), random_(seed) {}

  /// A random one of the updates, and of its terms. `each`: updates that it stands for.
  void walk(const SharedTerms& terms, std::span<const BatchUpdate> updates, double each);
  /// Some of them more than once.
  const std::vector<Read>& reads() const { return reads_; }

 private:
  void add_steps(const Term& term, std::size_t vertex, double times);
  bool choose(const TermPattern& pattern, std::size_t vertex, double& stands_for);

  const DynamicGraph& graph_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> places_;  ///< By vertex of the term.
  std::vector<Read> reads_;
};

/// The rows that are read once a vertex has its place.
void RowWalks::Walker::add_steps(const Term& term, std::size_t vertex, double times) {
  for (const TermStep& step : term.steps[vertex]) {
    if (step.kind == TermStep::Kind::Below || step.kind == TermStep::Kind::Above) continue;
    reads_.push_back({places_[step.vertex], step.backwards, times});
  }
}

/// A random neighbour of the placed vertex that has fewest, of those to which it is to be adjacent; false: it is not
/// what the pattern wants, or there is none.
bool RowWalks::Walker::choose(const TermPattern& pattern, std::size_t vertex, double& stands_for) {
  std::span<const std::uint32_t> fewest;
  bool found = false;
  for (std::size_t u = 0; u < vertex; ++u) {
    for (const bool backwards : {false, true}) {
      if (!has((backwards ? pattern.before : pattern.after)[vertex], u)) continue;
      const std::span<const std::uint32_t> row = backwards ? graph_.before(places_[u]) : graph_.after(places_[u]);
      if (!found || row.size() < fewest.size()) fewest = row;
      found = true;
    }
  }
  if (fewest.empty()) return false;
  const std::uint32_t chosen = fewest[random_() % fewest.size()];
  stands_for *= static_cast<double>(fewest.size());
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
  places_[vertex] = chosen;
  return true;
}

void RowWalks::Walker::walk(const SharedTerms& terms, std::span<const BatchUpdate> updates, double each) {
  const BatchUpdate& update = updates[random_() % updates.size()];
  const std::vector<std::uint32_t>& of = terms_of(graph_, terms, update);
  if (of.empty()) return;
  const Term& term = *terms.all[of[random_() % of.size()]].term;
  double stands_for = each * static_cast<double>(of.size());
  places_.resize(std::max(places_.size(), term.steps.size()));
  places_[0] = update.u;
  places_[1] = update.v;
  const TermPattern& pattern = term.pattern;
  if (pattern.swappable && graph_.after(update.u).size() > graph_.after(update.v).size()) {
    std::swap(places_[0], places_[1]);
  }
  for (std::size_t vertex = 2; vertex < at(pattern.walked); ++vertex) {
    if (!choose(pattern, vertex, stands_for)) return;
    add_steps(term, vertex, stands_for);
  }
}

const std::vector<RowWalks::Read>& RowWalks::estimate(const SharedTerms& terms, std::span<const BatchUpdate> updates) {
  for (const Read& read : reads_) {
    if (read.place < read_of_[read.backwards].size()) read_of_[read.backwards][read.place] = 0;
  }
  reads_.clear();
  for (const bool backwards : {false, true}) read_of_[backwards].resize(graph_.rows(backwards).size(), 0);
  for (const BatchUpdate& update : updates) {
    const double times = static_cast<double>(terms_of(graph_, terms, update).size());
    if (times == 0) continue;
    add(false, update.u, times);
    add(graph_.directed(), update.v, times);
  }
  const std::size_t walks = std::clamp(updates.size() / 2, kFewestWalks, kMostWalks);
  const double each = static_cast<double>(updates.size()) / static_cast<double>(walks);
  std::vector<Walker> walkers;
  walkers.reserve(walks / kOfWalker + 1);
  for (std::size_t i = 0; i < walks && !updates.empty(); i += kOfWalker) walkers.emplace_back(graph_, ++walked_);
  // Which threads walk makes no difference.
  const auto walk = [&](std::size_t i) {
    const std::size_t count = std::min(kOfWalker, walks - i * kOfWalker);
    for (std::size_t k = 0; k < count; ++k) walkers[i].walk(terms, updates, each);
  };
  if (walkers.size() <= 1) {
    for (std::size_t i = 0; i < walkers.size(); ++i) walk(i);
  } else {
    tbb::parallel_for(std::size_t{0}, walkers.size(), walk);
  }
  for (const Walker& walker : walkers) {
    for (const Read& read : walker.reads()) add(read.backwards, read.place, read.times);
  }
  return reads_;
}

}  // namespace matcha::runtime::stream
