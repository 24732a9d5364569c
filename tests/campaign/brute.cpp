#include "tests/campaign/brute.h"

#include <algorithm>
#include <numeric>

namespace matcha::campaign {

namespace {

constexpr std::uint64_t kMostSteps = 10'000'000;

/// A graph as a table of arcs.
class Table {
 public:
  explicit Table(const SampleGraph& graph)
      : ids_(graph.world.vertices), arcs_(ids_.size(), std::vector<bool>(ids_.size())), out_(ids_.size()) {
    for (const auto& [u, v] : graph.world.arcs) {
      arcs_[place(u)][place(v)] = true;
      out_[place(u)].push_back(place(v));
    }
    for (const auto& [arc, labels] : graph.world.edge_labels) {
      for (std::int64_t label : labels) {
        labels_[{place(arc.first), place(arc.second)}].insert(edge_label_name(graph.kind, static_cast<int>(label)));
      }
    }
    for (std::int64_t id : ids_) {
      const auto label = graph.world.labels.find(id);
      names_.push_back(label == graph.world.labels.end() ? std::string()
                       : label->second < 0 ? graph.world.words[static_cast<std::size_t>(-1 - label->second)]
                                           : std::to_string(label->second));
    }
  }

  std::size_t size() const { return ids_.size(); }
  std::int64_t id(std::size_t at) const { return ids_[at]; }
  bool arc(std::size_t u, std::size_t v) const { return arcs_[u][v]; }
  const std::vector<std::size_t>& out(std::size_t u) const { return out_[u]; }
  const std::string& label(std::size_t v) const { return names_[v]; }
  bool has_labels(std::size_t u, std::size_t v, const std::set<std::string>& wanted) const {
    const auto found = labels_.find({u, v});
    return found != labels_.end() &&
           std::includes(found->second.begin(), found->second.end(), wanted.begin(), wanted.end());
  }

 private:
  std::size_t place(std::int64_t id) const {
    return static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
  }

  const std::vector<std::int64_t>& ids_;
  std::vector<std::vector<bool>> arcs_;
  std::vector<std::vector<std::size_t>> out_;
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::string>> labels_;
  std::vector<std::string> names_;
};

/// The conditions of a pattern on an ordered pair of its vertices.
struct Pair {
  bool arc = false;
  bool none = false;
  const std::set<std::string>* labels = nullptr;
};

class Matcher {
 public:
  Matcher(const PlainPattern& pattern, const Table& graph, bool vertex_induced, bool rows)
      : pattern_(pattern), graph_(graph), wants_rows_(rows) {
    const std::size_t k = static_cast<std::size_t>(pattern.size);
    pairs_.assign(k, std::vector<Pair>(k));
    for (std::size_t u = 0; u < k; ++u) {
      for (std::size_t v = 0; v < k; ++v) {
        const std::pair<int, int> key = {static_cast<int>(u), static_cast<int>(v)};
        Pair& pair = pairs_[u][v];
        pair.arc = pattern.arcs.contains(key);
        pair.none = !pair.arc && (vertex_induced || pattern.apart.contains(key));
        const auto labels = pattern.arc_labels.find(key);
        if (labels != pattern.arc_labels.end()) pair.labels = &labels->second;
      }
    }
  }

  bool run() { return extend(); }
  Matches take() { return std::move(matches_); }

 private:
  bool fits(std::size_t vertex) const {
    const std::size_t v = map_.size();
    const std::string& label = pattern_.labels[v];
    if (!label.empty() && graph_.label(vertex) != label) return false;
    for (std::size_t u = 0; u < v; ++u) {
      if (map_[u] == vertex || !is_met(pairs_[u][v], map_[u], vertex) || !is_met(pairs_[v][u], vertex, map_[u])) {
        return false;
      }
    }
    return true;
  }

  bool is_met(const Pair& pair, std::size_t from, std::size_t to) const {
    const bool there = graph_.arc(from, to);
    if (pair.arc ? !there : pair.none && there) return false;
    return pair.labels == nullptr || graph_.has_labels(from, to, *pair.labels);
  }

  bool found() {
    ++matches_.embeddings;
    if (!wants_rows_) return true;
    std::vector<std::int64_t>& row = matches_.rows.emplace_back();
    for (std::size_t vertex : map_) row.push_back(graph_.id(vertex));
    return true;
  }

  bool try_vertex(std::size_t vertex) {
    if (++steps_ > kMostSteps) return false;
    if (!fits(vertex)) return true;
    map_.push_back(vertex);
    const bool goes_on = extend();
    map_.pop_back();
    return goes_on;
  }

  /// False: it takes too long.
  bool extend() {
    const std::size_t v = map_.size();
    if (v == pairs_.size()) return found();
    // If the vertex has an arc to a placed vertex, only the ends of that vertex's arcs are tried.
    for (std::size_t u = 0; u < v; ++u) {
      if (!pairs_[u][v].arc) continue;
      return std::ranges::all_of(graph_.out(map_[u]), [&](std::size_t vertex) { return try_vertex(vertex); });
    }
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) {
      if (!try_vertex(vertex)) return false;
    }
    return true;
  }

  const PlainPattern& pattern_;
  const Table& graph_;
  const bool wants_rows_;
  std::vector<std::vector<Pair>> pairs_;
  std::vector<std::size_t> map_;
  std::uint64_t steps_ = 0;
  Matches matches_;
};

template <typename Pairs>
bool keeps(const Pairs& pairs, const std::vector<int>& map) {
  return std::ranges::all_of(pairs, [&](const std::pair<int, int>& pair) {
    return pairs.contains({map[static_cast<std::size_t>(pair.first)], map[static_cast<std::size_t>(pair.second)]});
  });
}

bool keeps_labels(const PlainPattern& pattern, const std::vector<int>& map) {
  for (std::size_t v = 0; v < map.size(); ++v) {
    if (pattern.labels[v] != pattern.labels[static_cast<std::size_t>(map[v])]) return false;
  }
  return std::ranges::all_of(pattern.arc_labels, [&](const auto& one) {
    const auto& [u, v] = one.first;
    const auto image = pattern.arc_labels.find({map[static_cast<std::size_t>(u)], map[static_cast<std::size_t>(v)]});
    return image != pattern.arc_labels.end() && image->second == one.second;
  });
}

bool is_connected(const PlainPattern& pattern) {
  std::set<int> reached = {0};
  for (int round = 0; round < pattern.size; ++round) {
    for (const auto& [u, v] : pattern.arcs) {
      if (reached.contains(u)) reached.insert(v);
    }
  }
  return static_cast<int>(reached.size()) == pattern.size;
}

}  // namespace

std::vector<std::vector<int>> automorphisms(const PlainPattern& pattern, bool vertex_induced) {
  std::vector<int> map(static_cast<std::size_t>(pattern.size));
  std::iota(map.begin(), map.end(), 0);
  std::vector<std::vector<int>> found;
  do {
    if (keeps(pattern.arcs, map) && (vertex_induced || keeps(pattern.apart, map)) && keeps_labels(pattern, map)) {
      found.push_back(map);
    }
  } while (std::next_permutation(map.begin(), map.end()));
  return found;
}

std::optional<Matches> match(const PlainPattern& pattern, const SampleGraph& graph, bool vertex_induced, bool rows) {
  const Table table(graph);
  Matcher matcher(pattern, table, vertex_induced, rows);
  if (!matcher.run()) return std::nullopt;
  Matches matches = matcher.take();
  std::sort(matches.rows.begin(), matches.rows.end());
  return matches;
}

std::vector<PlainPattern> connected_classes(int size) {
  std::vector<std::pair<int, int>> pairs;
  for (int v = 0; v < size; ++v) {
    for (int u = 0; u < v; ++u) pairs.emplace_back(u, v);
  }
  std::vector<PlainPattern> classes;
  std::set<std::set<std::pair<int, int>>> known;
  for (std::uint32_t chosen = 0; chosen < std::uint32_t{1} << pairs.size(); ++chosen) {
    PlainPattern one;
    one.size = size;
    one.labels.resize(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if ((chosen >> i & 1) != 0) one.add_edge(pairs[i].first, pairs[i].second);
    }
    if (known.contains(one.arcs) || !is_connected(one)) continue;
    std::vector<int> map(static_cast<std::size_t>(size));
    std::iota(map.begin(), map.end(), 0);
    do {
      std::set<std::pair<int, int>> image;
      for (const auto& [u, v] : one.arcs) {
        image.insert({map[static_cast<std::size_t>(u)], map[static_cast<std::size_t>(v)]});
      }
      known.insert(image);
    } while (std::next_permutation(map.begin(), map.end()));
    classes.push_back(one);
  }
  return classes;
}

}  // namespace matcha::campaign
