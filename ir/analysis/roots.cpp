#include "ir/analysis/roots.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

/// A test for an arc between vertices at these distances.
struct NearPair {
  int source = 0;
  int target = 0;
};

/// The reads needed for a value.
struct Reads {
  int rows = -1;
  int degrees = -1;
  int labels = -1;
  std::vector<NearPair> pairs;

  void add(const Reads& more) {
    rows = std::max(rows, more.rows);
    degrees = std::max(degrees, more.degrees);
    labels = std::max(labels, more.labels);
    pairs.insert(pairs.end(), more.pairs.begin(), more.pairs.end());
  }
};

/// A value: the distance of the vertices in it, and the reads that make it.
struct Found {
  int steps = 0;  ///< Any number if the value has no vertices.
  Reads reads;
};

class RootReader {
 public:
  RootReader(const Module& module, bool directed) : module_(module), directed_(directed) {}

  RootReads run() {
    for (const Var* param : module_.params) {
      if (param->type->is_scalar()) scalars_.insert(param);
      if (param->type->is_list()) give_up("a list is read", param->loc);
      if (!param->type->is_graph()) continue;
      if (graph_ != nullptr) give_up("there are several graphs", param->loc);
      graph_ = param;
    }
    if (graph_ == nullptr) give_up("no graph is read", {});
    for (const Stmt* stmt : module_.body->body) walk_top(*stmt);
    found_.rows = reads_.rows;
    found_.degrees = reads_.degrees;
    found_.labels = reads_.labels;
    // For other pairs the deciding row is read as a whole.
    found_.among = std::ranges::any_of(reads_.pairs, [&](const NearPair& pair) { return needed(pair) > reads_.rows; });
    return std::move(found_);
  }

 private:
  /// Values are trees, which shared ones can make large.
  static constexpr int kMostSteps = 20000;

  /// The distance of the row that decides whether there is an arc; for an edge, the row of either end.
  int needed(const NearPair& pair) const { return directed_ ? pair.source : std::min(pair.source, pair.target); }

  Found give_up(std::string_view why, SourceLoc loc) {
    if (found_.ok()) {
      found_.problem = why;
      found_.loc = loc;
    }
    return {};
  }

  // Steps of the module's own block

  void walk_top(const Stmt& stmt) {
    match(
        stmt, [&](const Collect& s) { walk_roots(s); },
        [&](const Let& s) {
          if (!s.value->type->is_scalar()) give_up("a list of all vertices is kept", s.loc);
          check_result(*s.value);
        },
        [&](const Return& s) {
          for (const Expr* value : s.values) check_result(*value);
        },
        [&](const BuildGraph& s) { give_up("a graph is built", s.loc); },
        [&](const OneOf<Repeat, Again> auto& s) { give_up("steps are repeated", s.loc); },
        [&](const OneOf<Block, For, If, Yield, Region, Store> auto& s) {
          give_up("a step is outside of the loops over vertices", s.loc);
        });
  }

  /// A result is a function of the sums over all roots: nothing may be read except those.
  void check_result(const Expr& value) {
    for_each_node(value, [&](const Expr& node) {
      if (node.type->is_graph()) give_up("a result is computed of the graph", node.loc);
    });
  }

  void walk_roots(const Collect& collect) {
    for (const Stmt* stmt : collect.body->body) {
      const For* const loop = as<For>(stmt);
      if (loop == nullptr) {
        give_up("a step is outside of the loops over vertices", stmt->loc);
        continue;
      }
      const bool walks_all = loop->lists.size() == 1 && loop->lists[0]->kind == Kind::Vertices &&
                             loop->lists[0]->operands[0] == graph_ && loop->vars.size() == 1;
      if (!walks_all) give_up("a loop is not over all vertices of the graph", loop->loc);
      if (loop->maybe_index != nullptr) give_up("the place of a vertex among all is read", loop->loc);
      if (!found_.ok()) return;
      values_.clear();
      values_[loop->vars[0]] = {};
      walk(*loop->body);
    }
  }

  // Steps inside the loop over roots

  void walk(const Block& block) {
    for (const Stmt* stmt : block.body) {
      if (++steps_ > kMostSteps) give_up("the program is too large", stmt->loc);
      if (!found_.ok()) return;
      match(
          *stmt, [&](const Let& s) { walk_let(s); }, [&](const For& s) { walk_for(s); },
          [&](const If& s) {
            read(*s.cond);
            walk(*s.then_body);
            if (s.maybe_else != nullptr) walk(*s.maybe_else);
          },
          [&](const Collect& s) {
            for (const Sink& sink : s.sinks) values_[sink.var] = {};
            walk(*s.body);
          },
          [&](const Yield& s) { walk_yield(s); },
          [&](const OneOf<Block, BuildGraph, Repeat, Again, Return, Region, Store> auto& s) {
            give_up("a step of another kind stands in a loop over vertices", s.loc);
          });
    }
  }

  /// The value of a named list is read at its uses.
  void walk_let(const Let& let) {
    if (let.value->type->is_list()) {
      lists_[let.var] = let.value;
    } else {
      values_[let.var] = {read(*let.value), {}};
    }
  }

  void walk_for(const For& loop) {
    for (const Expr* list : loop.lists) {
      const Found all = whole(*list);
      reads_.add(all.reads);
      // Vertices of a tuple are assumed to be as far away as the farthest.
      for (const Var* var : loop.vars) values_[var].steps = std::max(values_[var].steps, all.steps);
    }
    if (loop.maybe_index != nullptr) values_[loop.maybe_index] = {};
    walk(*loop.body);
  }

  void walk_yield(const Yield& yield) {
    int steps = 0;
    for (const Expr* value : yield.values) steps = std::max(steps, read(*value));
    // The distance of a program's result has no effect.
    const auto sink = values_.find(yield.sink);
    if (sink != values_.end()) sink->second.steps = std::max(sink->second.steps, steps);
  }

  /// Adds the reads of a step's value; returns its distance.
  int read(const Expr& expr) {
    const Found found = expr.type->is_list() ? whole(expr) : scalar(expr);
    reads_.add(found.reads);
    return found.steps;
  }

  // Scalars

  Found scalar(const Expr& e) {
    if (++steps_ > kMostSteps) give_up("the program is too large", e.loc);
    if (!found_.ok()) return {};
    switch (e.kind) {
      case Kind::Var: return variable(static_cast<const Var&>(e));
      case Kind::Label: {
        Found found = about_graph(e);
        found.reads.labels = std::max(found.reads.labels, found.steps);
        return {0, std::move(found.reads)};
      }
      case Kind::Size: {
        if (!is_degree(e)) break;
        Found found = about_graph(*e.operands[0]);
        found.reads.degrees = std::max(found.reads.degrees, found.steps);
        return {0, std::move(found.reads)};
      }
      case Kind::HasEdge: {
        check_graph(*e.operands[0]);
        const Found a = scalar(*e.operands[1]), b = scalar(*e.operands[2]);
        Reads reads = a.reads;
        reads.add(b.reads);
        reads.pairs.push_back({a.steps, b.steps});
        return {0, std::move(reads)};
      }
      case Kind::Contains: {
        if (!e.operands[1]->type->is_scalar(ScalarKind::Vid)) break;
        Found item = scalar(*e.operands[1]);
        item.reads.add(membership(*e.operands[0], item.steps));
        return {0, std::move(item.reads)};
      }
      case Kind::MaxDegree: return give_up("the largest degree of all is read", e.loc);
      case Kind::CommonNeighbors: return give_up("a step of a later stage is there", e.loc);
      case Kind::Convert:
        if (e.type->is_scalar(ScalarKind::Vid)) return give_up("a number is used as an id", e.loc);
        break;
      default: break;
    }
    return of_operands(e);
  }

  /// Scalars and lists computed from other values, as a whole.
  Found of_operands(const Expr& e) {
    Found all;
    for (const Expr* operand : e.operands) {
      const Found one = operand->type->is_list() ? whole(*operand) : scalar(*operand);
      all.steps = std::max(all.steps, one.steps);
      all.reads.add(one.reads);
    }
    return all;
  }

  Found variable(const Var& var) {
    if (const auto found = values_.find(&var); found != values_.end()) return {found->second.steps, {}};
    if (scalars_.contains(&var)) return {};
    return give_up("a result of all vertices is read at one", var.loc);
  }

  /// An expression of a graph and a vertex.
  Found about_graph(const Expr& e) {
    check_graph(*e.operands[0]);
    return scalar(*e.operands[1]);
  }

  void check_graph(const Expr& graph) {
    if (&graph != graph_) give_up("another graph is read", graph.loc);
  }

  // Lists

  /// A list of which every item is read.
  Found whole(const Expr& list) {
    if (++steps_ > kMostSteps) give_up("the program is too large", list.loc);
    if (!found_.ok()) return {};
    switch (list.kind) {
      case Kind::Var: {
        const auto named = lists_.find(static_cast<const Var*>(&list));
        return named != lists_.end() ? whole(*named->second) : variable(static_cast<const Var&>(list));
      }
      case Kind::Neighbors: {
        Found found = about_graph(list);
        found.reads.rows = std::max(found.reads.rows, found.steps);
        ++found.steps;
        return found;
      }
      case Kind::Intersect: return intersection(list);
      case Kind::Diff: {
        Found found = whole(*list.operands[0]);
        if (!is_of_vertices(list)) return of_operands(list);
        found.reads.add(membership(*list.operands[1], found.steps));
        return found;
      }
      case Kind::Cut:
      case Kind::Span:
      case Kind::Sorted: {
        Found found = whole(*list.operands[0]);
        for (const Expr* bound : list.operands.subspan(1)) found.reads.add(scalar(*bound).reads);
        return found;
      }
      case Kind::Literal: return of_operands(list);
      case Kind::Vertices: return give_up("all vertices are walked at one", list.loc);
      case Kind::Edges: return give_up("all edges are walked at one", list.loc);
      case Kind::EdgeInfo: return give_up("information of edges is read", list.loc);
      default: return give_up("a list is made in another way", list.loc);
    }
  }

  static bool is_of_vertices(const Expr& list) {
    return list.type->is_set() && list.type->columns[0]->is_scalar(ScalarKind::Vid);
  }

  /// Reads all items of one of two sets, and looks them up in the other.
  Found intersection(const Expr& e) {
    if (!is_of_vertices(e)) return of_operands(e);
    const auto from = [&](std::size_t at) {
      Found found = whole(*e.operands[at]);
      found.reads.add(membership(*e.operands[1 - at], found.steps));
      return found;
    };
    Found first = from(0), second = from(1);
    // The items are in both sets. Their distance is proved by the nearer one.
    const int steps = std::min(first.steps, second.steps);
    const auto reach = [this](const Found& found) {
      int farthest = 0;
      for (const NearPair& pair : found.reads.pairs) farthest = std::max(farthest, needed(pair));
      return std::pair(found.reads.rows, farthest);
    };
    Found& nearer = reach(second) < reach(first) ? second : first;
    return {steps, std::move(nearer.reads)};
  }

  /// The reads that decide whether an item at distance `away` is in a set.
  Reads membership(const Expr& set, int away) {
    if (++steps_ > kMostSteps) give_up("the program is too large", set.loc);
    if (!found_.ok()) return {};
    switch (set.kind) {
      case Kind::Var: {
        const auto named = lists_.find(static_cast<const Var*>(&set));
        return named != lists_.end() ? membership(*named->second, away) : whole(set).reads;
      }
      case Kind::Neighbors: {
        Found center = about_graph(set);
        center.reads.pairs.push_back({center.steps, away});
        return std::move(center.reads);
      }
      case Kind::Intersect:
      case Kind::Diff: {
        Reads reads = membership(*set.operands[0], away);
        reads.add(membership(*set.operands[1], away));
        return reads;
      }
      case Kind::Cut: {
        Reads reads = membership(*set.operands[0], away);
        reads.add(scalar(*set.operands[1]).reads);
        return reads;
      }
      case Kind::Sorted: return membership(*set.operands[0], away);
      case Kind::Vertices: check_graph(*set.operands[0]); return {};
      default: return whole(set).reads;
    }
  }

  const Module& module_;
  const bool directed_;
  const Var* graph_ = nullptr;
  std::unordered_set<const Var*> scalars_;             ///< Parameters.
  std::unordered_map<const Var*, Found> values_;       ///< Of the current root.
  std::unordered_map<const Var*, const Expr*> lists_;  ///< Lists with a name.
  Reads reads_;
  int steps_ = 0;
  RootReads found_;
};

}  // namespace

bool is_degree(const Expr& e) { return e.kind == Kind::Size && is_all_neighbors(*e.operands[0]); }

RootReads read_roots(const Module& module, bool directed) { return RootReader(module, directed).run(); }

}  // namespace matcha::ir
