#include "runtime/stream/row_walks.h"

#include <algorithm>
#include <utility>

namespace matcha::runtime::stream {

namespace {

constexpr std::size_t kFewestWalks = 64, kMostWalks = 2048;

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

/// The rows that are read once a vertex has its place.
void RowWalks::add_steps(const Term& term, std::size_t vertex, double times) {
  for (const TermStep& step : term.steps[vertex]) {
    if (step.kind == TermStep::Kind::Below || step.kind == TermStep::Kind::Above) continue;
    add(step.backwards, places_[step.vertex], times);
  }
}

/// A random neighbour of the placed vertex that has fewest, of those to which it is to be adjacent; false: it is not
/// what the pattern wants, or there is none.
bool RowWalks::choose(const TermPattern& pattern, std::size_t vertex, double& stands_for) {
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

void RowWalks::walk(const Term& term, const BatchUpdate& update, double stands_for) {
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
  const auto terms_of = [&](const BatchUpdate& update) -> const std::vector<std::uint32_t>& {
    return terms.by_classes[std::size_t{graph_.class_at(update.u)} * terms.classes + graph_.class_at(update.v)];
  };
  for (const BatchUpdate& update : updates) {
    const double times = static_cast<double>(terms_of(update).size());
    if (times == 0) continue;
    add(false, update.u, times);
    add(graph_.directed(), update.v, times);
  }
  const std::size_t walks = std::clamp(updates.size() / 2, kFewestWalks, kMostWalks);
  const double each = static_cast<double>(updates.size()) / static_cast<double>(walks);
  for (std::size_t i = 0; i < walks && !updates.empty(); ++i) {
    const BatchUpdate& update = updates[random_() % updates.size()];
    const std::vector<std::uint32_t>& of = terms_of(update);
    if (of.empty()) continue;
    walk(*terms.all[of[random_() % of.size()]].term, update, each * static_cast<double>(of.size()));
  }
  return reads_;
}

}  // namespace matcha::runtime::stream
