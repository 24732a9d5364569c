#include "session/graph_sketch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/hub_rows.h"
#include "question/read.h"
#include "session/edge_label_facts.h"
#include "session/match_sampler.h"
#include "session/vertex_order.h"

namespace matcha::session {

namespace {

using pattern::Device;
using pattern::GraphSketch;
using pattern::kMostMoment;
using runtime::sample::Sampler;

/// Degrees below this are counted without a search: those of all vertices, and those of the vertices with a label.
constexpr std::uint64_t kSmallDegrees = 1024, kSmallDegreesOfLabel = 16;
/// Vertices whose degrees stand for those of all.
constexpr std::uint64_t kSampledDegrees = 4096;
/// Arcs of which the labels are looked at.
constexpr std::uint64_t kMostLabelArcs = 50'000'000;
/// The most edge labels with separate statistics; times, which are no labels, would have many.
constexpr std::size_t kMostEdgeLabels = 10'000;

std::uint64_t vertex_at(const runtime::GraphView& view, std::uint64_t at) {
  return view.vertices != nullptr ? view.vertices[at] : at;
}

/// How many vertices have each degree; most have one below `kSmall`.
template <std::size_t kSmall>
class Degrees {
 public:
  void add(std::uint64_t degree) { ++(degree < kSmall ? few_[degree] : many_[degree]); }
  bool empty() const {
    return many_.empty() && std::ranges::all_of(few_, [](std::uint64_t times) { return times == 0; });
  }
  /// Item k: the sum of degree^k over the vertices; added up by degree, so that rounding is the same each time.
  std::vector<double> moments() const {
    std::vector<double> moments(kMostMoment + 1, 0);
    const auto add = [&](std::uint64_t degree, std::uint64_t times) {
      double term = static_cast<double>(times);
      for (double& moment : moments) {
        moment += term;
        term *= static_cast<double>(degree);
      }
    };
    for (std::uint64_t degree = 0; degree < kSmall; ++degree) {
      if (few_[degree] != 0) add(degree, few_[degree]);
    }
    for (const auto& [degree, times] : many_) add(degree, times);
    return moments;
  }

 private:
  std::array<std::uint64_t, kSmall> few_{};
  std::map<std::uint64_t, std::uint64_t> many_;
};

/// Triangles of an undirected graph.
double triangles(const Sampler& sampler) {
  constexpr std::uint64_t kDraws = 512, kMaps = 6;
  std::vector<runtime::sample::PatternVertex> triangle(3);
  triangle[1].near = 1;
  triangle[2].near = 3;
  return sampler.draw(triangle, {kDraws, 0, kDraws}).matches / kMaps;
}

std::string literal(const runtime::LabelDictionary& dictionary, std::int64_t code) {
  return pattern::label_literal(dictionary.name(code)).value_or("");
}

/// The arcs between vertices of two labels, by their numbers.
class Between {
 public:
  explicit Between(std::size_t labels) : labels_(labels), table_(labels <= kFew ? labels * labels : 0, 0.0) {}

  void add(std::uint32_t from, std::uint32_t to, double arcs) {
    (table_.empty() ? many_[key(from, to)] : table_[key(from, to)]) += arcs;
  }
  /// Calls `see(from, to, arcs)` for all pairs that have any.
  template <typename See>
  void each(const See& see) const {
    const auto one = [&](std::uint64_t key, double arcs) {
      if (arcs != 0) see(key / labels_, key % labels_, arcs);
    };
    for (std::uint64_t at = 0; at < table_.size(); ++at) one(at, table_[at]);
    for (const auto& [at, arcs] : many_) one(at, arcs);
  }

 private:
  static constexpr std::size_t kFew = 512;
  std::uint64_t key(std::uint64_t from, std::uint64_t to) const { return from * labels_ + to; }

  std::uint64_t labels_;
  std::vector<double> table_;
  std::unordered_map<std::uint64_t, double> many_;
};

void add_labels(const runtime::GraphView& view, const runtime::LabelDictionary& dictionary, GraphSketch& sketch,
                std::map<std::string, std::int64_t>& codes) {
  const runtime::LabelNumbers numbers(view.labels, view.universe);
  std::vector<std::string> names;
  for (const std::int64_t code : numbers.codes()) names.push_back(literal(dictionary, code));
  std::vector<Degrees<kSmallDegreesOfLabel>> degrees(names.size());
  Between between(names.size());
  const std::uint64_t stride = view.arc_count / kMostLabelArcs + 1;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t v = vertex_at(view, at);
    if (view.labels[v] == runtime::kNoLabel) continue;
    const std::uint32_t label = numbers.number(view.labels[v]);
    const runtime::ArcRange arcs = runtime::arcs_of(view, v);
    degrees[label].add(arcs.end - arcs.begin);
    if (at % stride != 0) continue;
    for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
      const std::int64_t other = view.labels[view.neighbors[arc]];
      if (other != runtime::kNoLabel) between.add(label, numbers.number(other), static_cast<double>(stride));
    }
  }
  for (std::size_t label = 0; label < names.size(); ++label) {
    // Labels of ranks that are no vertices are none of the graph.
    if (degrees[label].empty()) continue;
    codes.emplace(names[label], numbers.codes()[label]);
    std::vector<double>& sums = sketch.labels[names[label]].moments;
    sums.resize(kMostMoment + 1, 0);
    // Words that no pattern can write have one name.
    const std::vector<double> moments = degrees[label].moments();
    for (std::size_t power = 0; power < sums.size(); ++power) sums[power] += moments[power];
  }
  between.each([&](std::size_t from, std::size_t to, double arcs) {
    sketch.label_arcs[{names[from], names[to]}] = arcs;
  });
}

/// How often each label of edges occurs, of those that are looked at; `seen`: how many are.
std::unordered_map<std::int64_t, std::uint64_t> edge_label_counts(const runtime::GraphView& view, std::uint64_t& seen) {
  const std::int64_t* const labels = static_cast<const std::int64_t*>(view.edge_info);
  std::unordered_map<std::int64_t, std::uint64_t> found;
  const std::uint64_t stride = view.arc_count / kMostLabelArcs + 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
  for (std::uint64_t arc = 0; arc < view.arc_count; arc += stride) {
    least = std::min(least, labels[arc]);
    most = std::max(most, labels[arc]);
  }
  const std::uint64_t first = static_cast<std::uint64_t>(least), length = static_cast<std::uint64_t>(most) - first;
  seen = 0;
  if (view.arc_count == 0 || length >= kMostEdgeLabels) {
    for (std::uint64_t arc = 0; arc < view.arc_count && found.size() < kMostEdgeLabels; arc += stride, ++seen) {
      ++found[labels[arc]];
    }
    return found;
  }
  // Codes of words lie side by side.
  std::vector<std::uint64_t> times(length + 1, 0);
  for (std::uint64_t arc = 0; arc < view.arc_count; arc += stride, ++seen) {
    ++times[static_cast<std::uint64_t>(labels[arc]) - first];
  }
  for (std::uint64_t at = 0; at <= length; ++at) {
    if (times[at] != 0) found[static_cast<std::int64_t>(first + at)] = times[at];
  }
  return found;
}

/// The most items of a row, of those that end here.
std::uint64_t longest_of(std::span<const std::uint32_t> ends) {
  std::uint32_t longest = ends.empty() ? 0 : ends[0];
  for (std::size_t row = 1; row < ends.size(); ++row) longest = std::max(longest, ends[row] - ends[row - 1]);
  return longest;
}

/// The shares of the labels of edges, from the table of edges by label where there is one.
void add_edge_labels(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary, GraphSketch& sketch) {
  const double arcs = static_cast<double>(graph.view().arc_count);
  if (graph.label_slices().is_made()) {
    const runtime::Result<runtime::LabelTable> table = graph.label_slices().table(graph);
    if (table) {
      std::size_t row = 0;
      for (const runtime::LabelEntry& entry : table->labels) {
        const std::string label = literal(dictionary, entry.label);
        sketch.edge_labels[label] = static_cast<double>(entry.arcs) / arcs;
        std::uint64_t& longest = sketch.longest_rows[label];
        for (const std::uint64_t rows : {entry.source_rows, entry.target_rows}) {
          longest = std::max(longest, longest_of(table->ends.subspan(row, rows)));
          row += rows;
        }
      }
      return;
    }
  }
  std::uint64_t seen = 0;
  for (const auto& [label, times] : edge_label_counts(graph.view(), seen)) {
    sketch.edge_labels[literal(dictionary, label)] = static_cast<double>(times) / static_cast<double>(seen);
  }
}

/// How many vertices have each label.
std::map<std::int64_t, std::uint64_t> label_counts(const runtime::GraphView& view, std::size_t words) {
  // Those of words are -1 to -words; all others are few, or have a word each.
  std::vector<std::uint64_t> by_word(words, 0);
  std::unordered_map<std::int64_t, std::uint64_t> others;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::int64_t label = view.labels[vertex_at(view, at)];
    const std::uint64_t word = static_cast<std::uint64_t>(-1 - label);
    ++(word < words ? by_word[word] : others[label]);
  }
  std::map<std::int64_t, std::uint64_t> counts(others.begin(), others.end());
  counts.erase(runtime::kNoLabel);
  for (std::size_t word = 0; word < words; ++word) {
    if (by_word[word] != 0) counts.emplace(-1 - static_cast<std::int64_t>(word), by_word[word]);
  }
  return counts;
}

/// The moments of `count` vertices, scaled up from the sample `degrees`. If the sample is empty, every degree is
/// `mean`.
template <std::size_t kSmall>
std::vector<double> moments_of_all(double count, const Degrees<kSmall>& degrees, double mean) {
  std::vector<double> moments = degrees.moments();
  const double looked_at = moments[0];
  double power = count;
  for (double& moment : moments) {
    moment = looked_at == 0 ? power : moment * count / looked_at;
    power *= mean;
  }
  return moments;
}

/// Degrees of all vertices and, if asked for, of those with each label, by vertices that lie evenly among all, and the
/// largest.
void add_sampled_degrees(const runtime::GraphView& view, const runtime::LabelDictionary& dictionary, bool labels,
                         GraphSketch& sketch, std::map<std::string, std::int64_t>& codes) {
  Degrees<kSmallDegrees> degrees;
  std::map<std::int64_t, Degrees<kSmallDegreesOfLabel>> of_label;
  const std::uint64_t stride = view.vertex_count / kSampledDegrees + 1;
  for (std::uint64_t at = 0; at < view.vertex_count; at += stride) {
    const std::uint64_t v = vertex_at(view, at);
    const runtime::ArcRange arcs = runtime::arcs_of(view, v);
    degrees.add(arcs.end - arcs.begin);
    if (labels) of_label[view.labels[v]].add(arcs.end - arcs.begin);
  }
  const double vertices = static_cast<double>(view.vertex_count), arcs = static_cast<double>(view.arc_count);
  const double mean = arcs / std::max(vertices, 1.0);
  sketch.moments = moments_of_all(vertices, degrees, mean);
  double hub = static_cast<double>(view.max_degree);
  for (std::size_t power = 2; power < sketch.moments.size(); ++power) {
    hub *= static_cast<double>(view.max_degree);
    sketch.moments[power] = std::max(sketch.moments[power], hub);
  }
  sketch.moments[1] = arcs;
  if (!labels) return;
  for (const auto& [code, count] : label_counts(view, dictionary.words().size())) {
    const std::string name = literal(dictionary, code);
    codes.emplace(name, code);
    std::vector<double>& sums = sketch.labels[name].moments;
    sums.resize(kMostMoment + 1, 0);
    const std::vector<double> moments = moments_of_all(static_cast<double>(count), of_label[code], mean);
    for (std::size_t power = 0; power < sums.size(); ++power) sums[power] += moments[power];
  }
}

/// All of a sketch but its samples.
GraphSketch facts_of(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary, const SketchUse& use,
                     const Sampler& sampler, std::map<std::string, std::int64_t>& codes) {
  const runtime::GraphView view = graph.view();
  GraphSketch sketch;
  sketch.of_graph = true;
  sketch.vertices = graph.vertex_count();
  sketch.edges = graph.edge_count();
  sketch.max_degree = view.max_degree;
  sketch.loops = !graph.facts().loop_free;
  sketch.device = use.device;
  if (use.device == Device::Gpu) sketch.hub_rows = codegen::gpu::worth_hub_rows(view, codegen::CudaOptions().hubs);
  if (use.arc_labels && graph.label_slices().is_made()) {
    add_sampled_degrees(view, dictionary, use.vertex_labels && view.labels != nullptr, sketch, codes);
    sketch.maybe_label_facts = edge_label_facts(graph, dictionary);
    return sketch;
  }
  Degrees<kSmallDegrees> degrees;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const runtime::ArcRange arcs = runtime::arcs_of(view, vertex_at(view, at));
    degrees.add(arcs.end - arcs.begin);
  }
  sketch.moments = degrees.moments();
  sketch.triangles = triangles(sampler);
  if (view.labels != nullptr && use.vertex_labels) add_labels(view, dictionary, sketch, codes);
  if (view.edge_info != nullptr && graph.facts().info == runtime::InfoKind::Int) {
    add_edge_labels(graph, dictionary, sketch);
    sketch.maybe_label_facts = edge_label_facts(graph, dictionary);
  }
  return sketch;
}

/// Samples cache the answers to questions, so each sketch gets its own.
void add_samples(const runtime::Graph& graph, const std::shared_ptr<const Sampler>& sampler,
                 std::map<std::string, std::int64_t> codes, bool by_degree, GraphSketch& sketch) {
  if (graph.facts().directed || graph.view().slots != nullptr) return;
  sketch.maybe_samples =
      std::make_shared<pattern::MatchSamples>(std::make_unique<MatchSampler>(sampler, std::move(codes), by_degree));
}

std::shared_ptr<const Sampler> sampler_of(const runtime::Graph& graph) {
  return std::make_shared<Sampler>(graph.view(), graph.facts().directed);
}

}  // namespace

GraphSketch sketch_of(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary, const SketchUse& use) {
  std::map<std::string, std::int64_t> codes;
  const std::shared_ptr<const Sampler> sampler = sampler_of(graph);
  GraphSketch sketch = facts_of(graph, dictionary, use, *sampler, codes);
  add_samples(graph, sampler, std::move(codes), use.by_degree, sketch);
  return sketch;
}

GraphSketch SketchCache::of(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
                            const SketchUse& use) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Sampler>& sampler = samplers_[&graph];
  if (sampler == nullptr) sampler = sampler_of(graph);
  const auto [place, fresh] =
      known_.try_emplace({&graph, use.device, use.by_degree, use.vertex_labels, use.arc_labels});
  Known& known = place->second;
  if (fresh) known.sketch = facts_of(graph, dictionary, use, *sampler, known.codes);
  GraphSketch sketch = known.sketch;
  add_samples(graph, sampler, known.codes, use.by_degree, sketch);
  return sketch;
}

}  // namespace matcha::session
