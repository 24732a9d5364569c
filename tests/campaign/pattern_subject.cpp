#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "tests/campaign/subject.h"

namespace matcha::campaign {

namespace {

/// A family of named patterns.
struct Named {
  std::string name;
  std::string edges;  ///< `01 12 20`.
};

const std::vector<Named> kNamed = {
    {"edge", "01"},
    {"wedge", "01 12"},
    {"triangle", "01 12 20"},
    {"square", "01 12 23 30"},
    {"diamond", "01 02 12 13 23"},
    {"tailed-triangle", "01 12 20 23"},
    {"house", "01 12 23 30 40 41"},
    {"bowtie", "01 12 20 03 04 34"},
    {"gem", "01 12 23 40 41 42 43"},
    {"bull", "01 12 20 13 24"},
    {"clique:3", "01 12 20"},
    {"clique:4", "01 02 03 12 13 23"},
    {"clique:5", "01 02 03 04 12 13 14 23 24 34"},
    {"path:4", "01 12 23"},
    {"path:5", "01 12 23 34"},
    {"cycle:5", "01 12 23 34 40"},
    {"cycle:6", "01 12 23 34 45 50"},
    {"star:4", "01 02 03"},
    {"star:5", "01 02 03 04"},
    {"wheel:4", "01 12 23 30 40 41 42 43"},
    {"book:2", "02 03 12 13 23"},
    {"book:3", "03 04 13 14 23 24 34"},
};

/// Draws a pattern, in facts and as text.
class PatternDrawer {
 public:
  PatternDrawer(std::uint64_t seed, int hub) : random_(seed), hub_(hub) {}

  Subject draw() {
    Subject subject;
    subject.is_pattern = true;
    subject.options.induced = one_in(2) ? "vertex" : "edge";
    subject.options.embeddings = one_in(3);
    static const char* const kAlgorithms[] = {"auto", "auto", "extend", "join", "decompose"};
    subject.options.algorithm = kAlgorithms[pick(5)];
    subject.rows = subject.options.algorithm != "decompose" && one_in(4);
    if (one_in(6)) subject.options.plan = 2 + static_cast<std::size_t>(pick(3));
    if (one_in(14)) {
      motif(subject);
    } else if (one_in(7)) {
      named(subject);
    } else {
      free(subject);
    }
    GraphKind& kind = subject.kind;
    const int k = subject.motif != 0 ? subject.motif : subject.patterns[0].size;
    kind.most = k <= 3 ? 24 : k == 4 ? 16 : k == 5 ? 12 : 10;
    kind.large = k <= 3 ? 150 : k == 4 ? 90 : k == 5 ? 50 : 0;
    kind.hub = k <= 3 && !subject.rows ? hub_ : k <= 4 && !subject.rows ? 80 : 0;
    const bool vertex_induced = subject.options.induced == "vertex";
    if (subject.motif != 0) return subject;
    const PlainPattern& plain = subject.patterns[0];
    subject.automorphisms = automorphisms(plain, vertex_induced);
    std::set<std::string> words;
    if (kind.label_words) words.insert(plain.labels.begin(), plain.labels.end());
    for (const auto& [arc, labels] : plain.arc_labels) {
      if (kind.edge_label_words) words.insert(labels.begin(), labels.end());
    }
    words.erase("");
    subject.words.assign(words.begin(), words.end());
    return subject;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return pick(n) == 0; }

  void motif(Subject& subject) {
    subject.rows = false;
    subject.options.embeddings = false;
    subject.motif = 2 + pick(3) + (one_in(4) ? 1 : 0);
    subject.options.text = fmt::format("motif:{}", subject.motif);
    subject.patterns = connected_classes(subject.motif);
  }

  void named(Subject& subject) {
    const Named& chosen = kNamed[static_cast<std::size_t>(pick(static_cast<int>(kNamed.size())))];
    subject.options.text = chosen.name;
    PlainPattern& plain = subject.patterns.emplace_back();
    for (std::size_t i = 0; i < chosen.edges.size(); i += 3) {
      const int u = chosen.edges[i] - '0', v = chosen.edges[i + 1] - '0';
      plain.size = std::max({plain.size, u + 1, v + 1});
      plain.add_edge(u, v);
    }
    plain.labels.resize(static_cast<std::size_t>(plain.size));
  }

  void free(Subject& subject) {
    GraphKind& kind = subject.kind;
    if (one_in(4)) kind.arcs = GraphKind::Arcs::Directed;
    if (one_in(3)) kind.vertex_labels = 1 + pick(4);
    kind.label_words = kind.vertex_labels > 0 && one_in(2);
    if (one_in(6)) kind.edge_labels = 1 + pick(3);
    kind.edge_label_words = kind.edge_labels > 0 && one_in(2);
    PlainPattern& plain = subject.patterns.emplace_back();
    static constexpr int kSizes[] = {2, 3, 3, 4, 4, 4, 5, 5, 6};
    plain.size = kSizes[pick(9)];
    if (one_in(5)) {
      alike_vertices(plain);
    } else {
      random_edges(plain);
    }
    direct(kind, plain);
    label(kind, plain);
    subject.options.text = written(plain);
  }

  /// A few vertices that are joined by chance, and others that are copies of one of them.
  void alike_vertices(PlainPattern& plain) {
    const int base = std::max(1, plain.size - 1 - pick(plain.size));
    std::vector<int> like(static_cast<std::size_t>(plain.size));
    for (int v = 0; v < plain.size; ++v) like[static_cast<std::size_t>(v)] = v < base ? v : pick(base);
    const bool joined = one_in(2);
    const int percent = 40 + pick(60);
    std::set<std::pair<int, int>> edges;
    for (int v = 0; v < base; ++v) {
      for (int u = 0; u < v; ++u) {
        if (pick(100) < percent) edges.insert({u, v});
      }
    }
    for (int v = 0; v < plain.size; ++v) {
      for (int u = 0; u < v; ++u) {
        const int a = like[static_cast<std::size_t>(u)], b = like[static_cast<std::size_t>(v)];
        if (a == b ? joined : edges.contains({std::min(a, b), std::max(a, b)})) plain.add_edge(u, v);
      }
    }
  }

  void random_edges(PlainPattern& plain) {
    std::vector<int> order(static_cast<std::size_t>(plain.size));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    const bool connected = !one_in(7);
    for (int i = 1; i < plain.size && (connected || i == 1); ++i) {
      plain.add_edge(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(pick(i))]);
    }
    static constexpr int kChances[] = {10, 40, 80};
    const int percent = kChances[pick(3)];
    const bool apart = one_in(3);
    for (int v = 0; v < plain.size; ++v) {
      for (int u = 0; u < v; ++u) {
        if (plain.arcs.contains({u, v})) continue;
        if (pick(100) < percent) {
          plain.add_edge(u, v);
        } else if (apart && one_in(4)) {
          plain.apart.insert({u, v});
          plain.apart.insert({v, u});
        }
      }
    }
  }

  /// Some edges become arcs, at least one; a pattern without edges is for undirected graphs.
  void direct(GraphKind& kind, PlainPattern& plain) {
    if (plain.arcs.empty()) kind.arcs = GraphKind::Arcs::Undirected;
    if (kind.arcs != GraphKind::Arcs::Directed) return;
    bool is_directed = false;
    for (const auto& [u, v] : std::set(plain.arcs)) {
      if (u > v || (is_directed && one_in(3))) continue;
      plain.arcs.erase(one_in(2) ? std::pair(u, v) : std::pair(v, u));
      is_directed = true;
    }
  }

  void label(const GraphKind& kind, PlainPattern& plain) {
    plain.labels.resize(static_cast<std::size_t>(plain.size));
    if (kind.vertex_labels > 0) {
      const int any = pick(5);
      for (std::string& label : plain.labels) {
        if (pick(5) >= any) label = vertex_label_name(kind, pick(kind.vertex_labels));
      }
    }
    if (kind.edge_labels == 0) return;
    bool labelled = false;
    for (const auto& [u, v] : plain.arcs) {
      const bool both = plain.arcs.contains({v, u});
      if ((both && u > v) || (labelled && one_in(3))) continue;
      labelled = true;
      do {
        const std::string name = edge_label_name(kind, pick(kind.edge_labels));
        plain.arc_labels[{u, v}].insert(name);
        if (both) plain.arc_labels[{v, u}].insert(name);
      } while (one_in(6));
    }
  }

  std::string written(const PlainPattern& plain) {
    const int step = 1 + pick(3), first = pick(3);
    const auto id = [&](int v) { return first + step * v; };
    std::vector<std::string> parts;
    std::set<int> said;
    const auto edge = [&](int u, char sign, int v, const std::string& label) {
      parts.push_back(fmt::format("{}{}{}{}", id(u), sign, id(v), label.empty() ? "" : "=" + label));
      said.insert({u, v});
    };
    for (const auto& [u, v] : plain.arcs) {
      const bool both = plain.arcs.contains({v, u});
      if (both && u > v) continue;
      const auto labels = plain.arc_labels.find({u, v});
      std::set<std::string> names = {""};
      if (labels != plain.arc_labels.end()) names = labels->second;
      const bool turned = both && one_in(2);
      for (const std::string& name : names) edge(turned ? v : u, both ? '-' : '>', turned ? u : v, name);
    }
    for (const auto& [u, v] : plain.apart) {
      if (u < v) edge(u, '!', v, "");
    }
    for (int v = 0; v < plain.size; ++v) {
      const std::string& label = plain.labels[static_cast<std::size_t>(v)];
      if (!label.empty()) parts.push_back(fmt::format("{}:{}", id(v), label));
      if (label.empty() && !said.contains(v)) parts.push_back(std::to_string(id(v)));
    }
    if (!plain.arcs.empty()) std::shuffle(parts.begin(), parts.end(), random_);
    return fmt::format("{}", fmt::join(parts, ","));
  }

  std::mt19937_64 random_;
  const int hub_;
};

}  // namespace

Subject random_pattern(std::uint64_t seed, int hub) { return PatternDrawer(seed, hub).draw(); }

}  // namespace matcha::campaign
