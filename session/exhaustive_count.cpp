#include "session/exhaustive_count.h"

#include <charconv>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ir/check.h"

namespace matcha::session {

namespace {

using pattern::Induced;
using pattern::Pattern;
using runtime::Graph;
using runtime::GraphView;

/// Every injective map of 0 … size-1 into 0 … images-1 of which all pairs, and single vertices, fit. Nothing when
/// `steps` have run out.
class Maps {
 public:
  /// `fits(u, x, v, y)`: whether u may go to x where v goes to y; `fits(u, x, u, x)`: whether it may go there at all.
  using Fits = std::function<bool(int u, int x, int v, int y)>;
  Maps(int size, int images, Fits fits, std::uint64_t& steps)
      : size_(size), images_(images), fits_(std::move(fits)), steps_(steps) {}

  std::optional<std::uint64_t> count(const std::vector<int>& order) {
    place(order, 0);
    return out_of_steps_ ? std::nullopt : std::optional(found_);
  }

 private:
  void place(const std::vector<int>& order, std::size_t depth) {
    if (depth == order.size()) {
      ++found_;
      return;
    }
    const int u = order[depth];
    for (int x = 0; x < images_ && !out_of_steps_; ++x) {
      if (steps_ == 0) {
        out_of_steps_ = true;
        return;
      }
      --steps_;
      bool good = fits_(u, x, u, x);
      for (std::size_t i = 0; good && i < depth; ++i) good = x != chosen_[i] && fits_(u, x, order[i], chosen_[i]);
      if (!good) continue;
      chosen_.push_back(x);
      place(order, depth + 1);
      chosen_.pop_back();
    }
  }

  int size_, images_;
  Fits fits_;
  std::uint64_t& steps_;
  std::vector<int> chosen_;  ///< Of the vertices of the order so far.
  std::uint64_t found_ = 0;
  bool out_of_steps_ = false;
};

bool is_arc(const Pattern& pattern, int u, int v) { return (pattern.out[static_cast<std::size_t>(u)] >> v & 1) != 0; }
bool is_anti(const Pattern& pattern, int u, int v) { return (pattern.anti[static_cast<std::size_t>(u)] >> v & 1) != 0; }

/// The vertices so that each is next to one before it, where there is such a one.
std::vector<int> order_of(const Pattern& pattern) {
  std::vector<int> order;
  std::vector<bool> placed(static_cast<std::size_t>(pattern.size()));
  while (order.size() < placed.size()) {
    int best = -1, best_links = -1;
    for (int v = 0; v < pattern.size(); ++v) {
      if (placed[static_cast<std::size_t>(v)]) continue;
      int links = 0;
      for (const int u : order) links += is_arc(pattern, u, v) || is_arc(pattern, v, u) ? 1 : 0;
      if (links > best_links) best = v, best_links = links;
    }
    placed[static_cast<std::size_t>(best)] = true;
    order.push_back(best);
  }
  return order;
}

std::optional<std::int64_t> literal_code(const std::string& literal, const runtime::LabelDictionary& dictionary) {
  if (literal.front() == '\'') return dictionary.code(std::string_view(literal).substr(1, literal.size() - 2));
  std::int64_t number = 0;
  std::from_chars(literal.data(), literal.data() + literal.size(), number);
  return number;
}

/// The graph as tables.
class Tables {
 public:
  explicit Tables(const Graph& graph) : view_(graph.view()), size_(static_cast<int>(graph.view().universe)) {
    arcs_.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_));
    const std::uint64_t* const info = static_cast<const std::uint64_t*>(view_.edge_info);
    for (int u = 0; u < size_; ++u) {
      const runtime::ArcRange range = runtime::arcs_of(view_, static_cast<std::uint64_t>(u));
      for (std::uint64_t at = range.begin; at < range.end; ++at) {
        const int v = static_cast<int>(view_.neighbors[at]);
        arcs_[place(u, v)] = true;
        if (info != nullptr) infos_.emplace(u, v, static_cast<std::int64_t>(info[at]));
      }
    }
  }

  int size() const { return size_; }
  bool has_arc(int u, int v) const { return arcs_[place(u, v)]; }
  bool has_label(int u, int v, std::int64_t label) const { return infos_.contains({u, v, label}); }
  bool is_labelled(int u, std::int64_t label) const { return view_.labels != nullptr && view_.labels[u] == label; }

 private:
  std::size_t place(int u, int v) const {
    return static_cast<std::size_t>(u) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(v);
  }

  GraphView view_;
  int size_;
  std::vector<bool> arcs_;
  std::set<std::tuple<int, int, std::int64_t>> infos_;
};

/// One pattern in one graph.
class Trial {
 public:
  Trial(const Pattern& pattern, const ExhaustiveTask& task, const Tables& graph,
        const runtime::LabelDictionary& dictionary)
      : pattern_(pattern), task_(task), graph_(graph), dictionary_(dictionary) {}

  std::optional<std::uint64_t> maps(std::uint64_t& steps) const {
    const auto fits = [this](int u, int x, int v, int y) {
      return u == v ? label_fits(u, x) : arc_fits(u, x, v, y) && arc_fits(v, y, u, x);
    };
    return Maps(pattern_.size(), graph_.size(), fits, steps).count(order_of(pattern_));
  }

  /// Of the pattern into itself, both ways alike.
  std::optional<std::uint64_t> automorphisms(std::uint64_t& steps) const {
    const auto fits = [this](int u, int x, int v, int y) {
      return u == v ? pattern_.label(u) == pattern_.label(x) && pattern_.kind(u) == pattern_.kind(x)
                    : is_alike(u, x, v, y) && is_alike(v, y, u, x);
    };
    return Maps(pattern_.size(), pattern_.size(), fits, steps).count(order_of(pattern_));
  }

 private:
  bool label_fits(int u, int x) const {
    if (pattern_.label(u).empty()) return true;
    const std::optional<std::int64_t> code = literal_code(pattern_.label(u), dictionary_);
    return code && graph_.is_labelled(x, *code);
  }

  /// The condition of the pattern on u → v holds for x → y.
  bool arc_fits(int u, int x, int v, int y) const {
    if (!is_arc(pattern_, u, v)) {
      const bool forbidden = is_anti(pattern_, u, v) || task_.induced == Induced::Vertex;
      return !forbidden || !graph_.has_arc(x, y);
    }
    if (!graph_.has_arc(x, y)) return false;
    for (const std::string& label : pattern_.labels_of(u, v)) {
      const std::optional<std::int64_t> code = literal_code(label, dictionary_);
      if (!code || !graph_.has_label(x, y, *code)) return false;
    }
    return true;
  }

  bool is_alike(int u, int x, int v, int y) const {
    // Where matches have no other edges, all pairs without an edge must not be adjacent.
    const bool same_anti = task_.induced == Induced::Vertex || is_anti(pattern_, u, v) == is_anti(pattern_, x, y);
    return is_arc(pattern_, u, v) == is_arc(pattern_, x, y) && same_anti &&
           pattern_.labels_of(u, v) == pattern_.labels_of(x, y);
  }

  const Pattern& pattern_;
  const ExhaustiveTask& task_;
  const Tables& graph_;
  const runtime::LabelDictionary& dictionary_;
};

}  // namespace

std::optional<std::vector<std::uint64_t>> count_exhaustively(const pattern::PatternSet& set, const ExhaustiveTask& task,
                                                             const Graph& graph,
                                                             const runtime::LabelDictionary& dictionary) {
  if (graph.facts().info != runtime::InfoKind::None && graph.facts().info != runtime::InfoKind::Int)
    return std::nullopt;
  const Tables tables(graph);
  std::uint64_t steps = task.most_steps;
  std::vector<std::uint64_t> counts;
  for (const Pattern& pattern : set.patterns) {
    const Trial trial(pattern, task, tables, dictionary);
    const std::optional<std::uint64_t> maps = trial.maps(steps);
    const std::optional<std::uint64_t> symmetries =
        task.embeddings ? std::optional<std::uint64_t>(1) : trial.automorphisms(steps);
    if (!maps || !symmetries) return std::nullopt;
    MATCHA_CHECK(*maps % *symmetries == 0, "automorphisms turn matches into others");
    counts.push_back(*maps / *symmetries);
  }
  return counts;
}

}  // namespace matcha::session
