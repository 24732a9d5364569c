#include "session/ledger/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "session/vertex_types.h"

namespace matcha::session::ledger {

namespace {

using pattern::Condition;
using pattern::EdgeUse;
using pattern::Subject;

/// Sums of columns of edges times small numbers, and a number; nothing for other values.
struct Linear {
  std::map<std::pair<std::string, std::size_t>, int> factors;
  __int128 rest = 0;
};

std::optional<Linear> linear(const Condition& term, const Table& table) {
  Linear all;
  switch (term.kind) {
    case Condition::Kind::Int: all.rest = term.integer; return all;
    case Condition::Kind::Column:
      if (!term.subject.of_edge || table.column(term).type != Column::Type::Int) return std::nullopt;
      all.factors[{term.text, term.subject.index}] = 1;
      return all;
    case Condition::Kind::Negative:
    case Condition::Kind::Sum:
    case Condition::Kind::Difference: break;
    default: return std::nullopt;
  }
  for (std::size_t at = 0; at < term.parts.size(); ++at) {
    const std::optional<Linear> part = linear(term.parts[at], table);
    if (!part) return part;
    const int sign =
        term.kind == Condition::Kind::Negative || (term.kind == Condition::Kind::Difference && at == 1) ? -1 : 1;
    for (const auto& [column, factor] : part->factors) all.factors[column] += sign * factor;
    all.rest += sign * part->rest;
  }
  std::erase_if(all.factors, [](const auto& one) { return one.second == 0; });
  return all;
}

/// A comparison of two times of one column; sets `column`.
std::optional<Gap> gap_of(const Condition& term, const Table& table, std::string& column) {
  if (!term.is_comparison()) return std::nullopt;
  Condition difference;
  difference.kind = Condition::Kind::Difference;
  difference.parts = term.parts;
  const std::optional<Linear> all = linear(difference, table);
  if (!all || all->factors.size() != 2) return std::nullopt;
  const auto first = *all->factors.begin(), second = *std::next(all->factors.begin());
  const bool is_up = first.second == 1 && second.second == -1;
  if (first.first.first != second.first.first || (!is_up && (first.second != -1 || second.second != 1)))
    return std::nullopt;
  column = first.first.first;
  const std::size_t x = is_up ? first.first.second : second.first.second;
  const std::size_t y = is_up ? second.first.second : first.first.second;
  return Gap{x, y, term.kind, -all->rest};
}

std::string name_of(Subject of, const pattern::Pattern& pattern, const Plan& plan) {
  if (!of.of_edge) return pattern.vertex_name(static_cast<int>(of.index));
  const EdgeUse& edge = plan.edges[of.index];
  return edge.name.empty() ? fmt::format("edge {}", of.index) : edge.name;
}

/// Makes the part of a plan that does not depend on the rows.
class Planner {
 public:
  /// The results are in `plan` and `rules`.
  Planner(const pattern::PatternSet& set, const Meaning& meaning, const Table& table, Diagnostics& diagnostics,
          RowRules& rules, Plan& plan)
      : set_(set),
        pattern_(set.patterns.front()),
        meaning_(meaning),
        table_(table),
        diagnostics_(diagnostics),
        conditions_(set.conditions),
        filters_(rules.filters),
        timed_(rules.timed),
        firsts_(rules.firsts),
        plan_(plan) {}

  bool run() {
    if (!check() || !check_labels() || !resolve_all()) return false;
    take_edges();
    if (!check_ends() || !check_constants()) return false;
    sort_out();
    choose_order();
    plan_.two_ways = std::ranges::any_of(plan_.edges, [](const EdgeUse& edge) { return edge.sign != '>'; });
    number_classes();
    if (meaning_.match != pattern::Match::Iso || meaning_.embeddings) return true;
    std::optional<std::vector<std::pair<Subject, Subject>>> pairs = smaller_images(pattern_, plan_.edges, conditions_);
    if (!pairs) return refuse(set_.loc, "the pattern has too many symmetries", "`--embeddings` counts each map");
    plan_.smaller = std::move(*pairs);
    return true;
  }

 private:
  void fail(SourceLoc loc, const std::string& message, const std::string& hint) {
    diagnostics_.error(DiagId::PatternCondition, loc, message, hint);
  }
  bool refuse(SourceLoc loc, const std::string& message, const std::string& hint) {
    fail(loc, message, hint);
    return false;
  }

  /// Refuses features that patterns with conditions do not support.
  bool check() {
    if (pattern_.has_anti_edges()) {
      return refuse(set_.loc, "vertices that are not adjacent are not asked for beside conditions and parallel edges",
                    "leave `a~b` out");
    }
    for (const EdgeUse& edge : set_.edges) {
      if (std::ranges::any_of(edge.labels, pattern::is_variable)) {
        return refuse(edge.loc, "variables of labels are not read beside conditions", "leave `?p` out");
      }
      if (edge.sign == '-' && meaning_.directed) {
        return refuse(edge.loc, "an edge without a direction is two arcs, and conditions are about one",
                      "write each arc: `(a)-[x]->(b), (b)-[y]->(a)`");
      }
      if (edge.sign == '>' && !meaning_.directed) {
        return refuse(edge.loc, "the pattern has arcs, and the graph would lose its own", "add --directed");
      }
      if (edge.from == edge.to && !meaning_.keep_loops) {
        return refuse(edge.loc, "the pattern has a loop, and the graph has lost its own",
                      meaning_.of_stream ? "streams keep no loops" : "add --keep-loops");
      }
    }
    if (!meaning_.by_line && meaning_.match == pattern::Match::Edge && pattern_.edge_labelled()) {
      return refuse(set_.loc, "`--match edge` with labels of edges and conditions is about lines",
                    "name an edge: `-[x]->`");
    }
    return true;
  }

  /// Some vertex, or some edge, has each label.
  bool check_labels() {
    const auto is_there = [this](const pattern::LabelUse& use) {
      const std::string word = word_of(use.literal);
      bool found = false;
      for (std::uint64_t row = 0; use.of_edge && row < table_.rows && !found; ++row) {
        found = word == table_.edge_labels.at(row);
      }
      for (std::uint64_t rank = 0; !use.of_edge && rank < table_.vertex_labels.size() && !found; ++rank) {
        found = has_types(table_.vertex_labels.at(rank), word);
      }
      return found;
    };
    for (const pattern::LabelUse& use : set_.labels) {
      if (meaning_.of_cypher || meaning_.of_stream || is_there(use)) continue;
      return refuse(use.loc,
                    fmt::format("no {} has the label `{}`", use.of_edge ? "edge" : "vertex", word_of(use.literal)), "");
    }
    return true;
  }

  bool check_ends() {
    pattern::Mask met = 0;
    for (const EdgeUse& edge : plan_.edges) met |= pattern::bit(edge.from) | pattern::bit(edge.to);
    if (met == pattern_.all()) return true;
    const int lone = pattern::lowest(pattern_.all() & ~met);
    return refuse(set_.loc, fmt::format("vertex {} has no edge", pattern_.vertex_name(lone)),
                  "vertices without edges are not asked for beside conditions");
  }

  bool resolve_all() {
    bool assumes_seconds = false, good = true;
    for (Condition& condition : conditions_) good = resolve(condition, table_, diagnostics_, assumes_seconds) && good;
    if (good && assumes_seconds) {
      plan_.notes.emplace_back("times are numbers of seconds (`--time COLUMN:ms` says another unit)");
    }
    return good;
  }

  /// An edge without a name that is written twice is one, but not in Cypher.
  void take_edges() {
    std::map<std::size_t, std::size_t> number;
    std::vector<bool> plain;  // Of the edges that are kept: without a name and without conditions.
    for (std::size_t e = 0; e < set_.edges.size(); ++e) {
      const EdgeUse& edge = set_.edges[e];
      const auto is_same = [&](const EdgeUse& other) {
        const bool turned = edge.sign == '-' && other.from == edge.to && other.to == edge.from;
        const bool ends = (other.from == edge.from && other.to == edge.to) || turned;
        return ends && other.sign == edge.sign && other.labels == edge.labels &&
               plain[static_cast<std::size_t>(&other - plan_.edges.data())];
      };
      const bool is_plain = edge.name.empty() && !has_condition(e) && !meaning_.of_cypher;
      const auto same = is_plain ? std::ranges::find_if(plan_.edges, is_same) : plan_.edges.end();
      number[e] = static_cast<std::size_t>(same - plan_.edges.begin());
      if (same != plan_.edges.end()) continue;
      plan_.edges.push_back(edge);
      plain.push_back(is_plain);
    }
    const std::function<void(Condition&)> renumber = [&](Condition& term) {
      if (term.kind == Condition::Kind::Column && term.subject.of_edge)
        term.subject.index = number.at(term.subject.index);
      std::ranges::for_each(term.parts, renumber);
    };
    std::ranges::for_each(conditions_, renumber);
  }

  bool has_condition(std::size_t edge) const {
    bool found = false;
    for (const Condition& condition : conditions_) {
      pattern::for_each_column(condition, [&](const Condition& column) {
        found = found || column.subject == Subject{true, edge};
      });
    }
    return found;
  }

  bool check_constants() {
    for (const std::string& literal : pattern_.constants) {
      if (literal.empty() || meaning_.of_stream || table_.rank_of(word_of(literal))) continue;
      const auto use = std::ranges::find(set_.constants, literal, &pattern::ConstantUse::literal);
      return refuse(use == set_.constants.end() ? set_.loc : use->loc,
                    fmt::format("the graph has no vertex `{}`", word_of(literal)), "");
    }
    return true;
  }

  std::string name(Subject of) const { return name_of(of, pattern_, plan_); }
  std::string text(const Condition& term) const {
    return to_text(term, [this](Subject of) { return name(of); });
  }

  /// Conditions about one edge, with its ends, are filters; others are between edges.
  void sort_out() {
    filters_.resize(plan_.edges.size());
    for (const Condition& condition : conditions_) {
      std::set<std::size_t> edges, vertices;
      pattern::for_each_column(condition, [&](const Condition& column) {
        (column.subject.of_edge ? edges : vertices).insert(column.subject.index);
      });
      std::vector<std::string> names;
      for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
        const EdgeUse& edge = plan_.edges[e];
        const bool has_edges = edges.empty() || (edges.size() == 1 && edges.contains(e));
        const bool has_ends = std::ranges::all_of(vertices, [&](std::size_t v) {
          return static_cast<int>(v) == edge.from || static_cast<int>(v) == edge.to;
        });
        if (!has_edges || !has_ends) continue;
        filters_[e].push_back(condition);
        names.push_back(name({true, e}));
      }
      if (names.empty()) {
        plan_.crosses.push_back({condition, std::nullopt});
      } else {
        plan_.notes.push_back(
            fmt::format("{}: before the search, a filter of {}", text(condition), fmt::join(names, ", ")));
      }
    }
  }

  /// Entries are sorted by the column that conditions between edges compare most.
  void choose_order() {
    std::map<std::string, std::size_t> uses;
    std::string column;
    for (const Cross& cross : plan_.crosses) {
      if (gap_of(cross.term, table_, column)) ++uses[column];
    }
    std::size_t most = 0;
    for (const auto& [name, count] : uses) {
      if (count <= most) continue;
      most = count;
      plan_.sorted_by = name;
      plan_.is_sorted = true;
    }
    timed_.assign(plan_.edges.size(), false);
    for (Cross& cross : plan_.crosses) {
      const std::optional<Gap> gap = gap_of(cross.term, table_, column);
      const bool is_gap = gap && plan_.is_sorted && column == plan_.sorted_by;
      if (is_gap) {
        cross.maybe_gap = gap;
        timed_[gap->x] = timed_[gap->y] = true;
      }
      const bool is_slice = is_gap && gap->kind != Condition::Kind::Different;
      plan_.notes.push_back(fmt::format(
          "{}: {}", text(cross.term),
          is_slice ? fmt::format("a slice of the edges of a vertex, by {}", column.empty() ? "time" : column)
                   : "a test in the search"));
    }
  }

  /// A key of the data that the rows of an edge depend on; edges with equal keys share their rows.
  std::string key(std::size_t e) const {
    const EdgeUse& edge = plan_.edges[e];
    std::string all =
        fmt::format("{} {} {} {}\n", edge.sign, fmt::join(edge.labels, "|"), edge.from == edge.to, bool(timed_[e]));
    for (const int end : {edge.from, edge.to}) {
      all += fmt::format("{} {}\n", pattern_.label(end), pattern_.constants[pattern::at(end)]);
    }
    for (const Condition& filter : filters_[e]) {
      all += to_text(filter,
                     [&](Subject of) {
                       return of.of_edge ? "e" : static_cast<int>(of.index) == edge.from ? "u" : "v";
                     }) +
             "\n";
    }
    return all;
  }

  void number_classes() {
    std::map<std::string, std::size_t> known;
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      const auto [found, is_new] = known.emplace(key(e), firsts_.size());
      plan_.class_of.push_back(found->second);
      if (is_new) firsts_.push_back(e);
    }
  }

  const pattern::PatternSet& set_;
  const pattern::Pattern& pattern_;
  const Meaning& meaning_;
  const Table& table_;
  Diagnostics& diagnostics_;
  std::vector<Condition> conditions_;
  std::vector<std::vector<Condition>>& filters_;
  std::vector<bool>& timed_;
  std::vector<std::size_t>& firsts_;
  Plan& plan_;
};

}  // namespace

PlanMaker::PlanMaker(const pattern::PatternSet& set, const Meaning& meaning, const Table& table,
                     Diagnostics& diagnostics)
    : rules_{set.patterns.front(), meaning, {}, {}, {}} {
  good_ = Planner(set, meaning, table, diagnostics, rules_, form_).run();
}

std::optional<Plan> plan_of(const pattern::PatternSet& set, const Meaning& meaning, const Table& table,
                            Diagnostics& diagnostics) {
  const PlanMaker maker(set, meaning, table, diagnostics);
  if (!maker.good()) return std::nullopt;
  Plan plan = maker.form();
  if (!maker.take_rows(table, diagnostics, plan)) return std::nullopt;
  for (std::size_t at = 0; at < plan.classes.size(); ++at) {
    const Subject edge{true, maker.rules().firsts[at]};
    plan.notes.push_back(fmt::format("{}: {} of {} lines", name_of(edge, set.patterns.front(), plan),
                                     plan.classes[at].entries.size(), plan.entries()));
  }
  return plan;
}

}  // namespace matcha::session::ledger
