#include "incremental/delta_query.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace matcha::session::stream {

namespace {

using pattern::DeltaTerm;
using runtime::stream::BackArc;
using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;
using runtime::stream::EdgeUpdate;
using runtime::stream::kAnyClass;

/// The most vertices, and pairs of neighbours, that are sampled for statistics.
constexpr std::uint32_t kSampledVertices = 1U << 16;
/// A smaller sample is not significant.
constexpr std::uint64_t kFewEdges = 256;

/// Neighbours in some rows by class, for vertices met along edges, and how often neighbours are adjacent.
struct Degrees {
  std::uint32_t classes = 0;
  /// By class of a neighbour: the number in the rows times all neighbours of the vertex.
  std::vector<double> weighted;
  std::vector<double> ends;  ///< By class: the number of ends of edges.
  double items = 0;          ///< In the rows.
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

/// Measures the rows of a layer.
Degrees measure(const DynamicGraph& graph, std::uint32_t layer, bool backwards) {
  Degrees found;
  const std::uint32_t n = found.classes = graph.class_count();
  found.weighted.assign(std::size_t{n} * n, 0);
  found.ends.assign(n, 0);
  double closed = 0, tried = 0;
  for (std::uint32_t c = 0; c < n; ++c) {
    const auto [begin, end] = graph.places_of(c);
    const std::uint32_t step =
        std::max<std::uint32_t>(1, (end - begin) / std::max<std::uint32_t>(1, kSampledVertices / n));
    for (std::uint32_t p = begin; p < end; p += step) {
      const std::span<const std::uint32_t> row = backwards ? graph.before(p, layer) : graph.after(p, layer);
      const double degree =
          static_cast<double>(graph.after(p).size() + (graph.directed() ? graph.before(p).size() : 0));
      found.ends[c] += degree;
      found.items += static_cast<double>(row.size());
      std::uint32_t d = 0;
      for (const std::uint32_t q : row) {
        while (q >= graph.places_of(d).second) ++d;
        found.weighted[std::size_t{c} * n + d] += degree;
      }
      if (row.size() < 2) continue;
      // About one pair for each vertex is enough.
      const std::uint32_t first = row[p % row.size()], second = row[(p + 1 + row.size() / 2) % row.size()];
      if (first == second) continue;
      tried += degree;
      if (graph.has_edge(first, second)) closed += degree;
    }
  }
  found.closing = tried == 0 ? 0 : closed / tried;
  return found;
}

/// Converts a term to the numbers of the graph.
class Numbered {
 public:
  Numbered(const DeltaTerm& term, bool directed, const NumberOf& class_of, const NumberOf& layer_of)
      : term_(term), layer_of_(layer_of) {
    made_.directed = directed;
    made_.size = term.pattern.size();
    made_.walked = static_cast<int>(term.walked);
    made_.layer = term.label.empty() ? 0 : layer_of(term.label);
    made_.after = term.in_after;
    made_.before = term.in_before;
    made_.off_after = term.off_after;
    made_.off_before = term.off_before;
    for (const std::string& label : term.pattern.labels)
      made_.classes.push_back(label.empty() ? kAnyClass : class_of(label));
    made_.classes.resize(static_cast<std::size_t>(made_.size), kAnyClass);
    made_.larger = term.larger;
    made_.divisor = term.divisor;
    made_.swappable = term.swappable;
    for (const auto& [ends, labels] : term.pattern.edge_labels) {
      if (directed || ends.first < ends.second) take(ends.first, ends.second, labels);
    }
    if (!directed) return;
    // The arc from 1 back to 0.
    if ((made_.after[0] & 2) != 0) made_.back = BackArc::Wanted;
    if ((made_.off_after[0] & 2) != 0) made_.back = BackArc::Unwanted;
  }

  runtime::stream::TermPattern take() { return std::move(made_); }

 private:
  /// The arc, or the edge, is required in the layers of its labels, not in layer 0.
  void take(int u, int v, const std::vector<std::string>& labels) {
    using pattern::at;
    using pattern::bit;
    made_.after[at(v)] &= ~bit(u);
    (made_.directed ? made_.before : made_.after)[at(u)] &= ~bit(v);
    const bool is_of_ends = std::max(u, v) == 1;
    for (const std::string& label : labels) {
      if (is_of_ends && u == 0 && label == term_.label) continue;
      (is_of_ends ? made_.ends : made_.arcs).push_back({u, v, layer_of_(label)});
    }
  }

  const DeltaTerm& term_;
  const NumberOf& layer_of_;
  runtime::stream::TermPattern made_;
};

}  // namespace

pattern::DeltaStatistics statistics_of(const DynamicGraph& graph, NumberOf class_of, NumberOf layer_of) {
  if (graph.edge_count() < kFewEdges) return pattern::typical_statistics();
  struct Known {
    std::vector<double> vertices;                 ///< By class.
    std::vector<std::array<Degrees, 2>> degrees;  ///< By layer: of rows, and of reverse rows.
    bool directed = false;

    const Degrees& of(std::uint32_t layer, bool backwards) const { return degrees[layer][backwards && directed]; }
  };
  const auto known = std::make_shared<Known>();
  known->directed = graph.directed();
  for (std::uint32_t c = 0; c < graph.class_count(); ++c) {
    known->vertices.push_back(static_cast<double>(graph.vertices_of(c)));
  }
  for (std::uint32_t layer = 0; layer < graph.layers(); ++layer) {
    known->degrees.push_back(
        {measure(graph, layer, false), graph.directed() ? measure(graph, layer, true) : Degrees()});
  }
  const auto number = [class_of = std::move(class_of)](const std::string& label) {
    return label.empty() ? kAnyClass : class_of(label);
  };
  const auto layer = [layer_of = std::move(layer_of)](const std::string& label) {
    return label.empty() ? 0 : layer_of(label);
  };
  pattern::DeltaStatistics result;
  result.vertices = [known, number](const std::string& label) {
    const std::uint32_t c = number(label);
    double all = 0;
    for (std::uint32_t d = 0; d < known->vertices.size(); ++d) {
      if (c == kAnyClass || d == c) all += known->vertices[d];
    }
    return all;
  };
  result.degree = [known, number, layer](const std::string& from, const std::string& to,
                                         const pattern::DeltaLink& link) {
    return known->of(layer(link.label), link.backwards).degree(number(from), number(to));
  };
  result.closing = [known, layer](const std::string& edge) {
    const Degrees& all = known->of(0, false);
    return all.items == 0 ? 0 : all.closing * known->of(layer(edge), false).items / all.items;
  };
  return result;
}

std::optional<DeltaQuery> DeltaQuery::make(const pattern::Pattern& pattern, pattern::Induced induced,
                                           pattern::DeltaAnswer answer, const DynamicGraph& graph,
                                           const NumberOf& class_of, const NumberOf& layer_of, std::string& why) {
  if (pattern.directed != graph.directed()) {
    why = "the graph has arcs and the pattern has none";
    return std::nullopt;
  }
  const std::optional<pattern::DeltaProgram> program =
      pattern::plan_delta(pattern, induced, answer, statistics_of(graph, class_of, layer_of), why);
  if (!program) return std::nullopt;
  DeltaQuery query;
  query.automorphisms_ = program->automorphisms;
  query.classes_ = graph.class_count();
  query.by_classes_.resize(std::size_t{graph.layers()} * query.classes_ * query.classes_);
  for (const DeltaTerm& term : program->terms) {
    const std::uint32_t index = static_cast<std::uint32_t>(query.terms_.size());
    Entry entry{runtime::stream::make_term(Numbered(term, graph.directed(), class_of, layer_of).take()), term.vertices,
                term.sign};
    const std::size_t layer = entry.term.pattern.layer;
    const std::uint32_t a = entry.term.pattern.classes[0], b = entry.term.pattern.classes[1];
    for (std::uint32_t c = 0; c < query.classes_; ++c) {
      for (std::uint32_t d = 0; d < query.classes_; ++d) {
        if ((a == kAnyClass || a == c) && (b == kAnyClass || b == d)) {
          query.by_classes_[(layer * query.classes_ + c) * query.classes_ + d].push_back(index);
        }
      }
    }
    query.takes_away_ = query.takes_away_ || term.sign < 0;
    query.terms_.push_back(std::move(entry));
  }
  return query;
}

DeltaSearch::Ending DeltaQuery::count(DeltaSearch& search, const EdgeUpdate& edge, std::uint32_t class_u,
                                      std::uint32_t class_v, EdgeDelta& delta) const {
  for (const std::uint32_t index : terms_of(edge.layer, class_u, class_v)) {
    const Entry& entry = terms_[index];
    const DeltaSearch::Ending ending =
        search.count(entry.term, edge.u, edge.v, entry.sign > 0 ? delta.more : delta.less);
    if (ending != DeltaSearch::Ending::Complete) return ending;
  }
  return DeltaSearch::Ending::Complete;
}

DeltaSearch::Ending DeltaQuery::list(DeltaSearch& search, const EdgeUpdate& edge, std::uint32_t class_u,
                                     std::uint32_t class_v, const TakeRow& take) const {
  for (const std::uint32_t index : terms_of(edge.layer, class_u, class_v)) {
    const Entry& entry = terms_[index];
    std::vector<std::uint32_t> row(entry.vertices.size());
    const DeltaSearch::Ending ending = search.list(entry.term, edge.u, edge.v, [&](const std::uint32_t* places) {
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

void DeltaQuery::add_asked(std::vector<bool>& asked) const {
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t c = 0; c < classes_; ++c) {
      for (std::uint32_t d = 0; d < classes_; ++d) {
        if ((a != kAnyClass && a != c) || (b != kAnyClass && b != d)) continue;
        asked[std::size_t{c} * classes_ + d] = asked[std::size_t{d} * classes_ + c] = true;
      }
    }
  };
  for (const Entry& entry : terms_) {
    const runtime::stream::TermPattern& of = entry.term.pattern;
    if (of.layer == 0 || of.back != BackArc::Any) add(of.classes[0], of.classes[1]);
    for (std::size_t v = 0; v < of.classes.size(); ++v) {
      const runtime::stream::Mask near = of.after[v] | of.before[v] | of.off_after[v] | of.off_before[v];
      for (std::size_t u = 0; u < of.classes.size(); ++u) {
        if ((near >> u & 1) != 0) add(of.classes[u], of.classes[v]);
      }
    }
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

}  // namespace matcha::session::stream
