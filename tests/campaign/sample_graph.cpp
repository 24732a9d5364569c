#include "tests/campaign/sample_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <utility>

namespace matcha::campaign {

namespace {

using Edge = std::pair<int, int>;
constexpr std::int64_t kOffsetOfLargeIds = 1'000'000'007;

/// Draws the edges of one shape on the vertices 0 to n-1, then ids, arcs, labels and lists.
class GraphDrawer {
 public:
  GraphDrawer(std::uint64_t seed, const GraphKind& kind) : random_(seed), kind_(kind) {}

  SampleGraph draw() {
    SampleGraph graph;
    graph.kind = kind_;
    const int n = choose_size();
    shape(n);
    graph.shape = fmt::format("{} of {}", shape_, n);
    graph.directed = kind_.arcs == GraphKind::Arcs::Directed || (kind_.arcs == GraphKind::Arcs::Either && one_in(2));
    choose_ids(graph, n);
    add_arcs(graph);
    label_vertices(graph);
    if (kind_.inputs) fill_lists(graph);
    graph.noise = random_();
    graph.listed = one_in(2);
    return graph;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return pick(n) == 0; }

  int choose_size() {
    if (kind_.hub > 0 && one_in(24)) {
      has_hub_ = true;
      return kind_.hub + 1 + pick(8);
    }
    if (kind_.large > 0 && one_in(12)) {
      is_large_ = true;
      return kind_.most + 1 + pick(kind_.large - kind_.most);
    }
    if (one_in(20)) return pick(3);
    return 2 + pick(kind_.most - 1);
  }

  void edge(int u, int v) {
    if (u != v) edges_.insert({std::min(u, v), std::max(u, v)});
  }

  /// Each pair with the chance of `percent`.
  void scatter(int from, int to, int percent) {
    for (int u = from; u < to; ++u) {
      for (int v = from; v < u; ++v) {
        if (pick(100) < percent) edge(u, v);
      }
    }
  }

  void clique(int from, int to) { scatter(from, to, 100); }

  void ring(int from, int to) {
    for (int v = from; v + 1 < to; ++v) edge(v, v + 1);
    if (to - from > 2) edge(from, to - 1);
  }

  void star(int center, int from, int to) {
    for (int v = from; v < to; ++v) edge(center, v);
  }

  void shape(int n) {
    if (n == 0) {
      shape_ = "nothing";
      return;
    }
    if (has_hub_) {
      shape_ = "hub";
      star(pick(n), 0, n);
      for (int i = 3 + pick(30); i > 0; --i) edge(pick(n), pick(n));
      return;
    }
    if (is_large_) {
      shape_ = "large";
      for (int i = n * (1 + pick(4)); i > 0; --i) edge(pick(n), pick(n));
      if (one_in(3)) star(pick(n), 0, n);
      if (one_in(3)) clique(0, std::min(n, 3 + pick(10)));
      return;
    }
    switch (pick(14)) {
      case 0: shape_ = "isolated vertices"; return;
      case 1: shape_ = "clique"; return clique(0, n);
      case 2: shape_ = "star"; return star(pick(n), 0, n);
      case 3: shape_ = "ring"; return ring(0, n);
      case 4:
        shape_ = "bipartite";
        for (int u = 0; u < n / 2; ++u) star(u, n / 2, n);
        if (one_in(2)) drop(20);
        return;
      case 5:
        shape_ = "tree";
        for (int v = 1; v < n; ++v) edge(v, pick(v));
        return;
      case 6:
        shape_ = "wheel";
        ring(0, n - 1);
        return star(n - 1, 0, n - 1);
      case 7:
        shape_ = "cliques";
        for (int at = 0; at < n;) {
          const int next = std::min(n, at + 2 + pick(5));
          clique(at, next);
          if (at > 0 && one_in(2)) edge(at - 1, at);
          at = next;
        }
        return;
      case 8:
        shape_ = "clique less some edges";
        clique(0, n);
        return drop(10);
      case 9:
        shape_ = "hub on few edges";
        star(pick(n), 0, n);
        return scatter(0, n, 12);
      default: shape_ = "random"; return scatter(0, n, 5 + pick(90));
    }
  }

  void drop(int percent) {
    std::erase_if(edges_, [&](const Edge&) { return pick(100) < percent; });
  }

  void choose_ids(SampleGraph& graph, int n) {
    const int style = pick(8);
    std::set<std::int64_t> ids;
    for (int i = 0; static_cast<int>(ids.size()) < n; ++i) {
      if (style < 5) ids.insert(i);
      if (style == 5) ids.insert(2 * i + pick(2) - 3);
      if (style == 6) ids.insert(kOffsetOfLargeIds + pick(5 * n));
      if (style == 7) ids.insert((one_in(2) ? 1 : -1) * (std::int64_t{1} << pick(62)) + pick(n));
    }
    ids_.assign(ids.begin(), ids.end());
    graph.world.vertices = ids_;
    graph.world.universe = ids_;
    // Which of them has which place in the shape.
    std::shuffle(ids_.begin(), ids_.end(), random_);
  }

  void add_arc(SampleGraph& graph, int u, int v) {
    const std::pair<std::int64_t, std::int64_t> arc = {ids_[static_cast<std::size_t>(u)],
                                                       ids_[static_cast<std::size_t>(v)]};
    graph.world.arcs.insert(arc);
    if (kind_.edge_labels == 0) return;
    std::set<std::int64_t>& labels = graph.world.edge_labels[arc];
    do labels.insert(pick(kind_.edge_labels));
    while (one_in(4));
  }

  void add_arcs(SampleGraph& graph) {
    differential::World& world = graph.world;
    for (const auto& [u, v] : edges_) {
      const int way = pick(5);
      if (way < 4) add_arc(graph, way < 2 ? u : v, way < 2 ? v : u);
      if (way == 4) add_arc(graph, u, v);
      if (graph.directed && way == 4) add_arc(graph, v, u);
    }
    if (graph.directed) return;
    for (const auto& [u, v] : std::set(world.arcs)) world.arcs.insert({v, u});
    const std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> there = world.edge_labels;
    for (const auto& [arc, labels] : there) world.edge_labels[{arc.second, arc.first}] = labels;
  }

  /// Every label occurs, if there are enough vertices, so that words have a meaning in every graph.
  void label_vertices(SampleGraph& graph) {
    if (kind_.vertex_labels == 0) return;
    if (kind_.gaps && one_in(3)) return;
    std::map<std::int64_t, int> labels;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const int place = static_cast<int>(i);
      labels[ids_[i]] = place < kind_.vertex_labels ? place : pick(kind_.vertex_labels);
    }
    std::set<std::string> words;
    for (const auto& [id, label] : labels) {
      if (kind_.label_words) words.insert(vertex_label_name(kind_, label));
    }
    graph.world.words.assign(words.begin(), words.end());
    for (const auto& [id, label] : labels) {
      const auto word = std::find(words.begin(), words.end(), vertex_label_name(kind_, label));
      graph.world.labels[id] = kind_.label_words ? -1 - std::distance(words.begin(), word) : label;
    }
  }

  void fill_lists(SampleGraph& graph) {
    differential::World& world = graph.world;
    const auto id = [&] { return ids_[static_cast<std::size_t>(pick(static_cast<int>(ids_.size())))]; };
    for (int i = ids_.empty() ? 0 : pick(7); i > 0; --i) {
      const std::int64_t source = id();
      world.pairs.emplace_back(source, id());
      world.times.push_back(id());
    }
    for (int i = ids_.empty() ? 0 : pick(6); i > 0; --i) world.items.push_back(id());
    for (int i = pick(5); i > 0; --i) world.reals.push_back((pick(64) - 32) / 4.0);
    world.k = pick(9) - 2;
    world.r = (pick(32) - 8) / 4.0;
    world.c = one_in(2);
  }

  std::mt19937_64 random_;
  const GraphKind& kind_;
  bool has_hub_ = false, is_large_ = false;
  std::string shape_;
  std::set<Edge> edges_;
  std::vector<std::int64_t> ids_;
};

std::string label_text(const SampleGraph& graph, std::int64_t code) {
  return code < 0 && graph.kind.label_words ? graph.world.words[static_cast<std::size_t>(-1 - code)]
                                            : std::to_string(code);
}

SampleGraph without_vertex(const SampleGraph& graph, std::int64_t id) {
  SampleGraph less = graph;
  differential::World& world = less.world;
  const auto has = [id](const std::pair<std::int64_t, std::int64_t>& pair) {
    return pair.first == id || pair.second == id;
  };
  std::erase(world.vertices, id);
  std::erase(world.universe, id);
  std::erase_if(world.arcs, has);
  std::erase_if(world.edge_labels, [&](const auto& one) { return has(one.first); });
  world.labels.erase(id);
  std::erase(world.items, id);
  for (std::size_t i = world.pairs.size(); i-- > 0;) {
    if (!has(world.pairs[i]) && world.times[i] != id) continue;
    world.pairs.erase(world.pairs.begin() + static_cast<std::ptrdiff_t>(i));
    world.times.erase(world.times.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return less;
}

}  // namespace

std::string vertex_label_name(const GraphKind& kind, int n) {
  return kind.label_words ? fmt::format("L{}", static_cast<char>('a' + n)) : std::to_string(n);
}

std::string edge_label_name(const GraphKind& kind, int n) {
  return kind.edge_label_words ? std::string(1, static_cast<char>('p' + n)) : std::to_string(n + 1);
}

SampleGraph random_graph(std::uint64_t seed, const GraphKind& kind) { return GraphDrawer(seed, kind).draw(); }

std::string SampleGraph::file() const {
  std::mt19937_64 random(noise);
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  std::vector<std::string> lines;
  const auto add = [&](std::int64_t u, std::int64_t v, const std::string& label) {
    const std::string columns = (listed ? "e " : "") + fmt::format("{} {}", u, v) + (label.empty() ? "" : " " + label);
    for (bool again = true; again; again = one_in(6)) lines.push_back(columns);
  };
  std::set<std::int64_t> ends;
  for (const auto& [u, v] : world.arcs) {
    ends.insert(u);
    if (!directed && u > v) continue;
    ends.insert(v);
    const bool turned = !directed && one_in(2), both = !directed && one_in(8);
    const auto labels = world.edge_labels.find({u, v});
    std::vector<std::string> names;
    if (labels == world.edge_labels.end())
      names = {""};
    else
      for (std::int64_t label : labels->second) names.push_back(edge_label_name(kind, static_cast<int>(label)));
    for (const std::string& name : names) {
      if (!turned || both) add(u, v, name);
      if (turned || both) add(v, u, name);
    }
  }
  const std::string loop_label = kind.edge_labels > 0 ? edge_label_name(kind, 0) : "";
  for (std::int64_t v : world.vertices) {
    const bool alone = !ends.contains(v) && !listed && (labels_file().empty() || one_in(2));
    if (alone || one_in(16)) add(v, v, loop_label);
  }
  std::shuffle(lines.begin(), lines.end(), random);
  std::string text = "# " + shape + "\n";
  if (listed) text += fmt::format("t {} {}\n", world.vertices.size(), lines.size());
  for (std::int64_t v : listed ? world.vertices : std::vector<std::int64_t>()) {
    const auto label = world.labels.find(v);
    text += fmt::format("v {}{}\n", v, label == world.labels.end() ? "" : " " + label_text(*this, label->second));
  }
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string SampleGraph::labels_file() const {
  if (listed || world.labels.empty()) return {};
  std::string text;
  for (const auto& [v, label] : world.labels) text += fmt::format("{} {}\n", v, label_text(*this, label));
  return text;
}

bool SampleGraph::is_pairs() const {
  std::set<std::int64_t> ends;
  for (const auto& [u, v] : world.arcs) ends.insert({u, v});
  return ends.size() == world.vertices.size() && world.labels.empty() && world.edge_labels.empty();
}

std::vector<SampleGraph> SampleGraph::smaller() const {
  std::vector<SampleGraph> all;
  for (std::int64_t id : world.vertices) all.push_back(without_vertex(*this, id));
  for (const auto& [u, v] : world.arcs) {
    if (!directed && u > v) continue;
    SampleGraph& less = all.emplace_back(*this);
    for (const auto& arc : {std::pair(u, v), std::pair(v, u)}) {
      if (directed && arc != std::pair(u, v)) continue;
      less.world.arcs.erase(arc);
      less.world.edge_labels.erase(arc);
    }
  }
  for (std::size_t i = 0; i < world.pairs.size(); ++i) {
    SampleGraph& less = all.emplace_back(*this);
    less.world.pairs.erase(less.world.pairs.begin() + static_cast<std::ptrdiff_t>(i));
    less.world.times.erase(less.world.times.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 0; i < world.items.size(); ++i) {
    SampleGraph& less = all.emplace_back(*this);
    less.world.items.erase(less.world.items.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return all;
}

}  // namespace matcha::campaign
