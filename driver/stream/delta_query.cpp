#include "driver/stream/delta_query.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace matcha::driver::stream {

namespace {

using frontend::pattern::DeltaTerm;
using runtime::stream::BackArc;
using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;
using runtime::stream::kAnyClass;

/// Vertices whose neighbours are looked at for statistics, at most, and pairs of neighbours.
constexpr std::uint32_t kSampledVertices = 1U << 16;
/// With fewer there is nothing to be learned from.
constexpr std::uint64_t kFewEdges = 256;

/// Degrees by classes, as met along edges, and how often neighbours are adjacent.
struct Degrees {
  std::uint32_t classes = 0;
  std::vector<double> vertices;  ///< By class.
  /// By class of a vertex, of its neighbours: those neighbours, and the same times all neighbours of the vertex.
  std::vector<double> arcs, weighted;
  std::vector<double> ends, weighted_ends;  ///< By class: neighbours of any class, and their squares.
  double closing = 0;

  double degree(std::uint32_t from, std::uint32_t to) const {
    double above = 0, below = 0;
    for (std::uint32_t c = 0; c < classes; ++c) {
      if (from != kAnyClass && c != from) continue;
      below += ends[c];
      for (std::uint32_t d = 0; d < classes; ++d) {
        if (to == kAnyClass || d == to) above += weighted[c * classes + d];
      }
    }
    return below == 0 ? 0 : above / below;
  }
};

Degrees measure(const DynamicGraph& graph) {
  Degrees found;
  const std::uint32_t n = found.classes = graph.class_count();
  found.vertices.assign(n, 0);
  found.arcs.assign(std::size_t{n} * n, 0);
  found.weighted.assign(std::size_t{n} * n, 0);
  found.ends.assign(n, 0);
  double closed = 0, tried = 0;
  for (std::uint32_t c = 0; c < n; ++c) {
    const auto [begin, end] = graph.places_of(c);
    found.vertices[c] = static_cast<double>(graph.vertices_of(c));
    const std::uint32_t step =
        std::max<std::uint32_t>(1, (end - begin) / std::max<std::uint32_t>(1, kSampledVertices / n));
    for (std::uint32_t p = begin; p < end; p += step) {
      const std::span<const std::uint32_t> row = graph.after(p);
      const double degree = static_cast<double>(row.size());
      found.ends[c] += degree;
      std::uint32_t d = 0;
      for (const std::uint32_t q : row) {
        while (q >= graph.places_of(d).second) ++d;
        found.weighted[std::size_t{c} * n + d] += degree;
      }
      if (row.size() < 2) continue;
      // A pair or so of each vertex says enough.
      const std::uint32_t first = row[p % row.size()], second = row[(p + 1 + row.size() / 2) % row.size()];
      if (first == second) continue;
      tried += degree;
      if (graph.has_edge(first, second)) closed += degree;
    }
  }
  found.closing = tried == 0 ? 0 : closed / tried;
  return found;
}

runtime::stream::TermPattern to_pattern(const DeltaTerm& term, bool directed, const DeltaQuery::ClassOf& class_of) {
  runtime::stream::TermPattern result;
  result.directed = directed;
  result.size = term.pattern.size();
  result.walked = static_cast<int>(term.walked);
  result.after = term.in_after;
  result.before = term.in_before;
  result.off_after = term.off_after;
  result.off_before = term.off_before;
  for (const std::string& label : term.pattern.labels)
    result.classes.push_back(label.empty() ? kAnyClass : class_of(label));
  result.classes.resize(static_cast<std::size_t>(result.size), kAnyClass);
  result.larger = term.larger;
  if (directed) {
    // The arc from 1 back to 0.
    if ((term.in_after[0] & 2) != 0) result.back = BackArc::Wanted;
    if ((term.off_after[0] & 2) != 0) result.back = BackArc::Unwanted;
  }
  result.divisor = term.divisor;
  result.swappable = term.swappable;
  return result;
}

}  // namespace

frontend::pattern::DeltaStatistics statistics_of(const DynamicGraph& graph,
                                                 std::function<std::uint32_t(const std::string&)> class_of) {
  if (graph.edge_count() < kFewEdges) return frontend::pattern::typical_statistics();
  const auto degrees = std::make_shared<const Degrees>(measure(graph));
  const auto known = [class_of = std::move(class_of)](const std::string& label) {
    return label.empty() ? kAnyClass : class_of(label);
  };
  frontend::pattern::DeltaStatistics result;
  result.vertices = [degrees, known](const std::string& label) {
    const std::uint32_t c = known(label);
    double all = 0;
    for (std::uint32_t d = 0; d < degrees->classes; ++d) {
      if (c == kAnyClass || d == c) all += degrees->vertices[d];
    }
    return all;
  };
  result.degree = [degrees, known](const std::string& from, const std::string& to) {
    return degrees->degree(known(from), known(to));
  };
  result.closing = degrees->closing;
  return result;
}

std::optional<DeltaQuery> DeltaQuery::make(const frontend::pattern::Pattern& pattern,
                                           frontend::pattern::Induced induced, frontend::pattern::DeltaAnswer answer,
                                           const DynamicGraph& graph, const ClassOf& class_of, std::string& why) {
  if (pattern.directed != graph.directed()) {
    why = "the graph has arcs and the pattern has none";
    return std::nullopt;
  }
  const std::optional<frontend::pattern::DeltaProgram> program =
      frontend::pattern::plan_delta(pattern, induced, answer, statistics_of(graph, class_of), why);
  if (!program) return std::nullopt;
  DeltaQuery query;
  query.automorphisms_ = program->automorphisms;
  query.classes_ = graph.class_count();
  query.by_classes_.resize(std::size_t{query.classes_} * query.classes_);
  for (const DeltaTerm& term : program->terms) {
    const std::uint32_t index = static_cast<std::uint32_t>(query.terms_.size());
    Entry entry{runtime::stream::make_term(to_pattern(term, graph.directed(), class_of)), term.vertices, term.sign};
    const std::uint32_t a = entry.term.pattern.classes[0], b = entry.term.pattern.classes[1];
    for (std::uint32_t c = 0; c < query.classes_; ++c) {
      for (std::uint32_t d = 0; d < query.classes_; ++d) {
        if ((a == kAnyClass || a == c) && (b == kAnyClass || b == d)) {
          query.by_classes_[std::size_t{c} * query.classes_ + d].push_back(index);
        }
      }
    }
    query.takes_away_ = query.takes_away_ || term.sign < 0;
    query.terms_.push_back(std::move(entry));
  }
  return query;
}

DeltaSearch::Ending DeltaQuery::count(DeltaSearch& search, std::uint32_t u, std::uint32_t v, std::uint32_t class_u,
                                      std::uint32_t class_v, EdgeDelta& delta) const {
  for (const std::uint32_t index : by_classes_[std::size_t{class_u} * classes_ + class_v]) {
    const Entry& entry = terms_[index];
    const DeltaSearch::Ending ending = search.count(entry.term, u, v, entry.sign > 0 ? delta.more : delta.less);
    if (ending != DeltaSearch::Ending::Complete) return ending;
  }
  return DeltaSearch::Ending::Complete;
}

DeltaSearch::Ending DeltaQuery::list(DeltaSearch& search, std::uint32_t u, std::uint32_t v, std::uint32_t class_u,
                                     std::uint32_t class_v, const TakeRow& take) const {
  for (const std::uint32_t index : by_classes_[std::size_t{class_u} * classes_ + class_v]) {
    const Entry& entry = terms_[index];
    std::vector<std::uint32_t> row(entry.vertices.size());
    const DeltaSearch::Ending ending = search.list(entry.term, u, v, [&](const std::uint32_t* places) {
      const int sign = order(index, places, row.data());
      take(row.data(), sign);
    });
    if (ending != DeltaSearch::Ending::Complete) return ending;
  }
  return DeltaSearch::Ending::Complete;
}

void DeltaQuery::add_terms(runtime::stream::SharedTerms& all, bool listed) const {
  const std::uint32_t first = static_cast<std::uint32_t>(all.all.size());
  for (const Entry& entry : terms_) all.all.push_back({&entry.term, listed});
  all.classes = classes_;
  all.by_classes.resize(by_classes_.size());
  for (std::size_t i = 0; i < by_classes_.size(); ++i) {
    for (const std::uint32_t index : by_classes_[i]) all.by_classes[i].push_back(first + index);
  }
}

bool DeltaQuery::add_counts(const __int128* maps, EdgeDelta& delta) const {
  bool fits = true;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const __int128 matches = maps[i] / static_cast<__int128>(terms_[i].term.pattern.divisor);
    __int128& sum = terms_[i].sign > 0 ? delta.more : delta.less;
    fits = !__builtin_add_overflow(sum, matches, &sum) && fits;
  }
  return fits;
}

int DeltaQuery::order(std::size_t term, const std::uint32_t* places, std::uint32_t* row) const {
  const Entry& entry = terms_[term];
  for (std::size_t i = 0; i < entry.vertices.size(); ++i) row[static_cast<std::size_t>(entry.vertices[i])] = places[i];
  return entry.sign;
}

}  // namespace matcha::driver::stream
