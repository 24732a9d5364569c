#include "session/ledger/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "session/ledger/bounds.h"
#include "session/ledger/terms.h"

namespace matcha::session::ledger {

namespace {

using pattern::EdgeUse;
using pattern::Subject;

constexpr const char* kNoEnd = "9223372036854775806";

/// One edge of the pattern, in the order of the search.
struct Step {
  enum class Kind : std::uint8_t {
    Start,  ///< Walks all rows of the edge.
    Out,    ///< Walks the rows that leave a vertex.
    In,     ///< Walks the rows that come to a vertex.
  };

  std::size_t edge = 0;
  Kind kind = Kind::Start;
  bool closes = false;  ///< Both ends are there.
};

class Writer {
 public:
  Writer(const Plan& plan, const Meaning& meaning, const Table& table, const std::optional<Columns>& maybe_rows,
         Diagnostics& diagnostics, std::optional<std::size_t> maybe_first)
      : plan_(plan),
        meaning_(meaning),
        maybe_rows_(maybe_rows),
        maybe_first_(maybe_first),
        bounds_(bounds_of(plan)),
        terms_(table, lists_, diagnostics) {
    vertices_.resize(pattern::kMostVertices);
    order();
  }

  std::optional<Program> run() {
    const std::string result = body(0, 1);
    if (terms_.failed()) return std::nullopt;
    std::string graphs;
    for (const auto& [graph, list] : graphs_) {
      graphs += fmt::format("    {} = mk_graph({}, einfo={})\n", graph, list.first, list.second);
    }
    Program program;
    program.lists = lists_.keys();
    std::vector<std::string> params;
    for (std::size_t at = 0; at < program.lists.size(); ++at) {
      const ListKey& key = program.lists[at];
      const std::string name = Lists::name_of(at);
      if (key.kind == ListKey::Kind::Ids) program.ids = name;
      const bool are_floats = key.kind == ListKey::Kind::Column && key.flag;
      params.push_back(fmt::format("{}: {}", name,
                                   key.kind == ListKey::Kind::Edges ? "List<Tuple<int, 2>>"
                                   : are_floats                     ? "List<float>"
                                                                    : "List<int>"));
    }
    program.text = fmt::format("def main({}):\n{}{}    return {}\n", fmt::join(params, ", "), graphs, text_, result);
    return program;
  }

 private:
  const EdgeUse& edge(std::size_t step) const { return plan_.edges[steps_[step].edge]; }
  std::size_t rows(std::size_t edge) const {
    return maybe_first_ ? 0 : plan_.classes[plan_.class_of[edge]].entries.size();
  }

  /// The edges among these whose times bound that of `edge` above, or below, without those whose bound follows.
  std::vector<std::size_t> bounding(std::size_t edge, const std::set<std::size_t>& there, bool above) const {
    const auto most = [&](std::size_t x, std::size_t y) { return above ? bounds_.most[x][y] : bounds_.most[y][x]; };
    std::vector<std::size_t> kept;
    for (const std::size_t other : there) {
      if (most(edge, other)) kept.push_back(other);
    }
    for (std::size_t at = 0; at < kept.size();) {
      const bool follows = std::ranges::any_of(kept, [&](std::size_t via) {
        const std::optional<__int128> rest = most(via, kept[at]);
        return via != kept[at] && rest && *most(edge, via) + *rest <= *most(edge, kept[at]);
      });
      if (follows) {
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        ++at;
      }
    }
    return kept;
  }

  /// The number of bounds on the entry of an edge by those that are there.
  std::size_t bounds(std::size_t edge, const std::set<std::size_t>& there) const {
    return bounding(edge, there, true).size() + bounding(edge, there, false).size();
  }

  /// Begins at the edge with the fewest rows; edges with both ends there come first, then those with most bounds.
  void order() {
    std::set<std::size_t> there;
    pattern::Mask met = 0;
    while (there.size() < plan_.edges.size()) {
      Step best;
      std::vector<std::size_t> best_key;
      for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
        if (there.contains(e) || (there.empty() && maybe_first_ && e != *maybe_first_)) continue;
        const bool from = pattern::has(met, plan_.edges[e].from), to = pattern::has(met, plan_.edges[e].to);
        const std::vector<std::size_t> key = {from && to   ? 2U
                                              : from || to ? 1U
                                                           : 0U,
                                              bounds(e, there), std::numeric_limits<std::size_t>::max() - rows(e)};
        if (!best_key.empty() && key <= best_key) continue;
        best_key = key;
        best = {e, from ? Step::Kind::Out : to ? Step::Kind::In : Step::Kind::Start, from && to};
      }
      there.insert(best.edge);
      met |= pattern::bit(plan_.edges[best.edge].from) | pattern::bit(plan_.edges[best.edge].to);
      steps_.push_back(best);
    }
  }

  std::string rank(std::size_t edge) const { return fmt::format("r{}", edge); }
  bool is_there(std::size_t edge, std::size_t step) const {
    return std::any_of(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1,
                       [edge](const Step& one) { return one.edge == edge; });
  }

  std::string body(std::size_t at, std::size_t depth) {
    const Step& step = steps_[at];
    const EdgeUse& use = edge(at);
    const bool is_last = at + 1 == steps_.size();
    const std::string item = step.kind == Step::Kind::Start ? fmt::format("e{}", at) : fmt::format("x{}", at);
    const std::vector<std::string> before = vertices_;
    std::string& from = vertices_[pattern::at(use.from)];
    std::string& to = vertices_[pattern::at(use.to)];
    std::vector<std::string> tests;
    const auto meet = [&](std::string& vertex, const std::string& image) {
      if (!vertex.empty()) {
        tests.push_back(fmt::format("{} == {}", image, vertex));
        return;
      }
      vertex = image;
    };
    const std::string walked = lists(step, use, tests, at);
    if (step.kind == Step::Kind::Start) {
      meet(from, fmt::format("get({}, 0)", item));
      if (use.from != use.to) meet(to, fmt::format("get({}, 1)", item));
      make_vertices(step, use, before, item, tests);
    } else {
      meet(step.kind == Step::Kind::Out ? to : from, item);
    }
    differences(before, tests, at);
    conditions(tests, at);
    const std::string condition =
        tests.empty() ? "" : fmt::format(", cond=lambda {}, {}: {}", item, rank(step.edge), fmt::join(tests, " and "));
    if (is_last) {
      const std::string value = maybe_rows_ ? row() : rank(step.edge);
      vertices_ = before;
      const std::string found =
          fmt::format("apply(lambda {}, {}: {}{}, {})", item, rank(step.edge), value, condition, walked);
      return maybe_rows_ ? found : fmt::format("size({})", found);
    }
    const std::string indent(4 * depth, ' ');
    std::string mine = std::exchange(text_, "");
    for (std::string& vertex : vertices_) {
      if (!vertex.starts_with("get(")) continue;
      const std::size_t v = static_cast<std::size_t>(&vertex - vertices_.data());
      mine += fmt::format("{}    v{} = {}\n", indent, v, vertex);
      vertex = fmt::format("v{}", v);
    }
    const std::string inner = body(at + 1, depth + 1);
    text_ = fmt::format("{}def at{}({}, {}):\n{}{}{}    return {}\n", indent, at, item, rank(step.edge), mine, text_,
                        indent, inner);
    vertices_ = before;
    return fmt::format("{}(apply(at{}{}, {}))", maybe_rows_ ? "flatten" : "sum", at, condition, walked);
  }

  /// The two lists that a step walks: items and entries.
  std::string lists(const Step& step, const EdgeUse& use, std::vector<std::string>& tests, std::size_t at) {
    const auto [edges, entries] = lists_.edges(plan_.class_of[step.edge], step.kind == Step::Kind::In);
    std::vector<std::string> above, most;
    std::set<std::size_t> there;
    for (std::size_t before = 0; before < at; ++before) there.insert(steps_[before].edge);
    for (const std::size_t other : bounding(step.edge, there, true)) {
      most.push_back(fmt::format("get({}, {})", last(false, *bounds_.most[step.edge][other]), this->rank(other)));
    }
    for (const std::size_t other : bounding(step.edge, there, false)) {
      above.push_back(fmt::format("get({}, {})", last(true, -*bounds_.most[other][step.edge]), this->rank(other)));
    }
    if (at == 0 && bounds_.is_impossible) tests.push_back(this->rank(step.edge) + " < 0");
    const std::string rank = this->rank(step.edge);
    if (step.kind == Step::Kind::Start) {
      for (const std::string& low : above) tests.push_back(fmt::format("{} > {}", rank, low));
      for (const std::string& high : most) tests.push_back(fmt::format("{} <= {}", rank, high));
      return fmt::format("{}, {}", edges, entries);
    }
    std::string arguments =
        fmt::format("{}, {}", graph_of(step), vertices_[pattern::at(step.kind == Step::Kind::In ? use.to : use.from)]);
    if (!above.empty() || !most.empty()) {
      arguments += fmt::format(", {}, {}", joined("max", above, "-1"), joined("min", most, kNoEnd));
    }
    return fmt::format("neighbor({}), edge_info({})", arguments, arguments);
  }

  std::string graph_of(const Step& step) {
    const std::string graph = fmt::format("{}{}", step.kind == Step::Kind::In ? "h" : "g", plan_.class_of[step.edge]);
    graphs_[graph] = lists_.edges(plan_.class_of[step.edge], step.kind == Step::Kind::In);
    return graph;
  }

  /// An end of an edge in a list is a vertex, and not a number, where the program asks a graph for its neighbours.
  void make_vertices(const Step& step, const EdgeUse& use, const std::vector<std::string>& before,
                     const std::string& item, std::vector<std::string>& tests) {
    const auto is_walk = [](const Step& one) { return one.kind != Step::Kind::Start; };
    const auto walk = std::ranges::find_if(steps_, is_walk);
    const std::string graph = graph_of(walk == steps_.end() ? step : *walk);
    for (const int end : {use.from, use.to}) {
      const bool is_asked = std::ranges::any_of(steps_, [&](const Step& one) {
        const EdgeUse& edge = plan_.edges[one.edge];
        return is_walk(one) && end == (one.kind == Step::Kind::In ? edge.to : edge.from);
      });
      if (is_asked || !before[pattern::at(end)].empty()) continue;
      tests.push_back(fmt::format("size(neighbor({}, {})) >= 0", graph, vertices_[pattern::at(end)]));
      if (use.from == use.to) break;
    }
    // The other end of a loop is the same vertex, and another item of the list.
    if (use.from == use.to) tests.push_back(fmt::format("size(neighbor({}, get({}, 1))) >= 0", graph, item));
  }

  static std::string joined(const char* word, const std::vector<std::string>& all, const char* otherwise) {
    if (all.empty()) return otherwise;
    std::string text = all.front();
    for (std::size_t at = 1; at < all.size(); ++at) text = fmt::format("{}({}, {})", word, text, all[at]);
    return text;
  }

  /// Vertices and edges whose images differ, as the maps demand, and one map of each orbit.
  void differences(const std::vector<std::string>& before, std::vector<std::string>& tests, std::size_t at) {
    const std::size_t mine = steps_[at].edge;
    const EdgeUse& use = plan_.edges[mine];
    if (meaning_.match == pattern::Match::Iso) {
      for (std::size_t v = 0; v < vertices_.size(); ++v) {
        if (vertices_[v].empty() || !before[v].empty()) continue;
        for (std::size_t w = 0; w < vertices_.size(); ++w) {
          const bool earlier = !before[w].empty() || (w < v && !vertices_[w].empty());
          if (earlier && w != v) tests.push_back(fmt::format("{} != {}", vertices_[v], vertices_[w]));
        }
      }
    }
    for (std::size_t step = 0; step < at && meaning_.match != pattern::Match::Homo; ++step) {
      const EdgeUse& other = edge(step);
      const bool same =
          (other.from == use.from && other.to == use.to) || (other.from == use.to && other.to == use.from);
      const bool may_be_one = meaning_.match == pattern::Match::Edge || (same && meaning_.by_line);
      if (may_be_one) tests.push_back(fmt::format("{} != {}", row_of(mine), row_of(steps_[step].edge)));
    }
    for (const auto& [small, large] : plan_.smaller) {
      if (is_new(small, large, before, at)) tests.push_back(fmt::format("{} < {}", image(small), image(large)));
    }
  }

  std::string row_of(std::size_t edge) {
    return plan_.two_ways ? fmt::format("get({}, {})", lists_.name({ListKey::Kind::Rows}), rank(edge)) : rank(edge);
  }
  std::string last(bool strictly, __int128 by) { return lists_.name({ListKey::Kind::Last, 0, strictly, by}); }
  std::string image(Subject of) const { return of.of_edge ? rank(of.index) : vertices_[of.index]; }

  /// True if both are there, and were not before this step.
  bool is_new(Subject a, Subject b, const std::vector<std::string>& before, std::size_t at) const {
    const auto is_known = [&](Subject of, bool now) {
      if (!of.of_edge) return !(now ? vertices_ : before)[of.index].empty();
      return now ? is_there(of.index, at) : at != 0 && is_there(of.index, at - 1);
    };
    return is_known(a, true) && is_known(b, true) && !(is_known(a, false) && is_known(b, false));
  }

  /// The conditions between edges that can be tested now and could not before, but for slices.
  void conditions(std::vector<std::string>& tests, std::size_t at) {
    for (const Cross& cross : plan_.crosses) {
      if (cross.is_slice() || !can_test(cross.term, at) || (at != 0 && can_test(cross.term, at - 1))) continue;
      Images images;
      images.edge = [this](std::size_t edge) { return rank(edge); };
      images.vertex = [this](std::size_t vertex) { return vertices_[vertex]; };
      images.end = [&](std::size_t vertex) { return end_of(vertex, at); };
      tests.push_back("(" + terms_.truth(cross.term, true, images) + ")");
    }
  }

  /// Whether all subjects are there after a step.
  bool can_test(const pattern::Condition& term, std::size_t at) const {
    bool all = true;
    pattern::for_each_column(term, [&](const pattern::Condition& column) {
      const Subject of = column.subject;
      all = all && (of.of_edge ? is_there(of.index, at) : end_of(of.index, at).has_value());
    });
    return all;
  }

  /// The first edge that has the vertex as an end; whether that is where it comes from.
  std::optional<std::pair<std::size_t, bool>> end_of(std::size_t vertex, std::size_t at) const {
    for (std::size_t step = 0; step <= at; ++step) {
      const EdgeUse& one = edge(step);
      if (one.from == static_cast<int>(vertex)) return std::pair(steps_[step].edge, true);
      if (one.to == static_cast<int>(vertex)) return std::pair(steps_[step].edge, false);
    }
    return std::nullopt;
  }

  std::string row() {
    std::vector<std::string> cells;
    for (const Subject of : *maybe_rows_) {
      cells.push_back(of.of_edge ? fmt::format("get({}, {})", lists_.name({ListKey::Kind::Ids}), rank(of.index))
                                 : vertices_[of.index]);
    }
    return cells.size() == 1 ? cells.front() : fmt::format("mk_tuple(val=[{}])", fmt::join(cells, ", "));
  }

  const Plan& plan_;
  const Meaning& meaning_;
  const std::optional<Columns>& maybe_rows_;
  const std::optional<std::size_t> maybe_first_;
  const Bounds bounds_;
  Lists lists_;
  TermWriter terms_;
  std::vector<Step> steps_;
  std::vector<std::string> vertices_;  ///< The image of each vertex in the program; empty: it has none yet.
  std::map<std::string, std::pair<std::string, std::string>> graphs_;
  std::string text_;
};

}  // namespace

std::optional<Program> program_of(const Plan& plan, const Meaning& meaning, const Table& table,
                                  const std::optional<Columns>& maybe_rows, Diagnostics& diagnostics,
                                  std::optional<std::size_t> maybe_first) {
  return Writer(plan, meaning, table, maybe_rows, diagnostics, maybe_first).run();
}

}  // namespace matcha::session::ledger
