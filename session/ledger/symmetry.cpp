#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "session/ledger/plan.h"

namespace matcha::session::ledger {

namespace {

using pattern::Condition;
using pattern::Subject;

/// Most maps that are looked at.
constexpr std::size_t kMostMaps = 200'000;

using Pairs = std::vector<std::pair<Subject, Subject>>;

class Symmetry {
 public:
  Symmetry(const pattern::Pattern& pattern, const std::vector<pattern::EdgeUse>& edges,
           const std::vector<Condition>& conditions)
      : pattern_(pattern), edges_(edges), conditions_(conditions) {}

  std::optional<Pairs> run() {
    const std::size_t n = static_cast<std::size_t>(pattern_.size());
    for (std::size_t v = 0; v < n; ++v) {
      // The label of the vertex, and its number of edges of each kind.
      std::vector<std::string> facts = {pattern_.labels[v], pattern_.constants[v]};
      for (const pattern::EdgeUse& edge : edges_) {
        for (const bool is_from : {true, false}) {
          const int end = is_from ? edge.from : edge.to;
          if (end == static_cast<int>(v))
            facts.push_back(fmt::format("{}{}", kind_of(edge), edge.sign == '>' && is_from));
        }
      }
      std::sort(facts.begin() + 2, facts.end());
      std::string all;
      for (const std::string& fact : facts) all += fact + "\n";
      facts_.push_back(all);
    }
    std::vector<std::size_t> own_edges(edges_.size());
    std::vector<std::size_t> own(n);
    std::iota(own.begin(), own.end(), 0);
    std::iota(own_edges.begin(), own_edges.end(), 0);
    asked_ = texts(own, own_edges);
    image_.assign(n, 0);
    used_.assign(n, false);
    map_vertex(0);
    if (maps_ > kMostMaps) return std::nullopt;
    return Pairs(pairs_.begin(), pairs_.end());
  }

 private:
  struct Earlier {
    bool operator()(const std::pair<Subject, Subject>& a, const std::pair<Subject, Subject>& b) const {
      const auto key = [](const auto& pair) {
        return std::tuple(pair.first.of_edge, pair.first.index, pair.second.of_edge, pair.second.index);
      };
      return key(a) < key(b);
    }
  };

  static std::string kind_of(const pattern::EdgeUse& edge) {
    std::string text(1, edge.sign);
    for (const std::string& label : edge.labels) text += "|" + label;
    return text;
  }

  /// The conditions of the images, in any order.
  std::set<std::string> texts(const std::vector<std::size_t>& vertices, const std::vector<std::size_t>& edges) const {
    std::set<std::string> all;
    for (const Condition& condition : conditions_) {
      all.insert(to_text(
          condition,
          [&](Subject of) {
            return fmt::format("{}{}", of.of_edge ? "e" : "v", of.of_edge ? edges[of.index] : vertices[of.index]);
          },
          true));
    }
    return all;
  }

  /// An edge by its ends and its kind; the ends of one without a direction may change places.
  std::string key(const pattern::EdgeUse& edge, std::size_t from, std::size_t to) const {
    if (edge.sign != '>' && from > to) std::swap(from, to);
    return fmt::format("{} {} {}", from, to, kind_of(edge));
  }

  void map_vertex(std::size_t v) {
    if (maps_ > kMostMaps) return;
    if (v == image_.size()) return map_edges();
    for (std::size_t w = 0; w < image_.size(); ++w) {
      if (used_[w] || facts_[v] != facts_[w]) continue;
      image_[v] = w;
      if (!keeps_edges(v)) continue;
      used_[w] = true;
      map_vertex(v + 1);
      used_[w] = false;
    }
  }

  /// Whether the edges among the vertices up to v are as many as those among their images.
  bool keeps_edges(std::size_t v) {
    ++maps_;
    std::multiset<std::string> mine, theirs;
    const auto is_within = [&](std::size_t end, bool of_images) {
      return of_images ? std::find(image_.begin(), image_.begin() + static_cast<std::ptrdiff_t>(v) + 1, end) !=
                             image_.begin() + static_cast<std::ptrdiff_t>(v) + 1
                       : end <= v;
    };
    for (const pattern::EdgeUse& edge : edges_) {
      const std::size_t from = static_cast<std::size_t>(edge.from), to = static_cast<std::size_t>(edge.to);
      if (is_within(from, false) && is_within(to, false)) mine.insert(key(edge, image_[from], image_[to]));
      if (is_within(from, true) && is_within(to, true)) theirs.insert(key(edge, from, to));
    }
    return mine == theirs;
  }

  /// All ways to map edges between the same vertices.
  void map_edges() {
    std::map<std::string, std::vector<std::size_t>> theirs;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      theirs[key(edges_[e], static_cast<std::size_t>(edges_[e].from), static_cast<std::size_t>(edges_[e].to))]
          .push_back(e);
    }
    std::vector<std::size_t> edge_image(edges_.size());
    std::vector<bool> taken(edges_.size(), false);
    const std::function<void(std::size_t)> map_edge = [&](std::size_t e) {
      if (++maps_ > kMostMaps) return;
      if (e == edges_.size()) return take(edge_image);
      const pattern::EdgeUse& edge = edges_[e];
      const auto found = theirs.find(
          key(edge, image_[static_cast<std::size_t>(edge.from)], image_[static_cast<std::size_t>(edge.to)]));
      if (found == theirs.end()) return;
      for (const std::size_t other : found->second) {
        if (taken[other]) continue;
        taken[other] = true;
        edge_image[e] = other;
        map_edge(e + 1);
        taken[other] = false;
      }
    };
    map_edge(0);
  }

  void take(const std::vector<std::size_t>& edge_image) {
    if (texts(image_, edge_image) != asked_) return;
    for (std::size_t v = 0; v < image_.size(); ++v) {
      if (image_[v] == v) continue;
      pairs_.insert({Subject{false, v}, Subject{false, image_[v]}});
      return;
    }
    for (std::size_t e = 0; e < edge_image.size(); ++e) {
      if (edge_image[e] == e) continue;
      pairs_.insert({Subject{true, e}, Subject{true, edge_image[e]}});
      return;
    }
  }

  const pattern::Pattern& pattern_;
  const std::vector<pattern::EdgeUse>& edges_;
  const std::vector<Condition>& conditions_;
  std::vector<std::string> facts_;
  std::set<std::string> asked_;
  std::vector<std::size_t> image_;
  std::vector<bool> used_;
  std::size_t maps_ = 0;
  std::set<std::pair<Subject, Subject>, Earlier> pairs_;
};

}  // namespace

std::optional<Pairs> smaller_images(const pattern::Pattern& pattern, const std::vector<pattern::EdgeUse>& edges,
                                    const std::vector<Condition>& conditions) {
  return Symmetry(pattern, edges, conditions).run();
}

}  // namespace matcha::session::ledger
