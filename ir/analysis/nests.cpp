#include "ir/analysis/nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "ir/analysis/built_graphs.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/multiples.h"
#include "ir/analysis/products.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

/// A sink during the walk of its block.
struct OpenSink {
  SinkKind kind = SinkKind::Sum;
  bool top = false;
  std::size_t items = 0, conditions = 0;  ///< Numbers of surrounding items and conditions.
  std::vector<Nest> nests;                ///< Relative to those.
  std::vector<Nest> expanded;             ///< The same sum with its values multiplied out.
  bool is_opaque = false;                 ///< That is impossible.
};

class NestReader {
 public:
  NestReader(const Module& module, const std::vector<std::string>* maybe_labels)
      : module_(module), facts_(module), is_labelled_(maybe_labels != nullptr) {
    for (std::size_t i = 0; i < module.params.size(); ++i) {
      if (is_labelled_ && !(*maybe_labels)[i].empty()) labels_.emplace(module.params[i], (*maybe_labels)[i]);
    }
  }

  ModuleNests run() {
    for (const Var* param : module_.params) {
      if (param->type->is_list()) give_up("a list is read", param->loc);
      if (!param->type->is_graph()) continue;
      const bool is_other = labels_.contains(param);
      if (!is_other && graph_ != nullptr) give_up("there are several graphs", param->loc);
      if (!is_other) graph_ = param;
      const bool is_simple = facts_.simple(param) && facts_.loop_free(param);
      if (!is_simple && (is_other || !is_labelled_))
        give_up("edges may carry information, or no row of the graph is read", {});
    }
    if (graph_ == nullptr) give_up("no graph is read", {});
    walk(*module_.body);
    for (const SinkNests& sink : found_.sinks) check_orders(sink);
    found_.item_count = next_item_;
    return std::move(found_);
  }

 private:
  /// Terms are trees, which shared values can make large.
  static constexpr int kMostSteps = 20000;
  static constexpr int kDeepest = 200;
  static constexpr std::size_t kMostProducts = 32;
  /// Parts of terms of lists and sums, which are written out wherever one is read: in a chain of lists that each read
  /// the one before twice they are exponentially many.
  static constexpr std::size_t kMostParts = 200'000;

  bool failed() const { return !found_.problem.empty(); }

  Term give_up(std::string_view why, SourceLoc loc) {
    if (!failed()) {
      found_.problem = why;
      found_.loc = loc;
    }
    return Term{};
  }

  bool may_go_on(SourceLoc loc) {
    if (++steps_ > kMostSteps || depth_ > kDeepest) give_up("the program is too large", loc);
    return !failed();
  }

  /// Whether the nests of a list or sum may be written out once more.
  bool may_copy(const std::vector<Nest>& nests, SourceLoc loc) {
    for (const Nest& nest : nests) parts_ += size_of(nest);
    if (parts_ > kMostParts) give_up("the program is too large", loc);
    return !failed();
  }

  /// Tracks the depth of a value during its read.
  class Deeper {
   public:
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    int& depth_;
  };

  /// True if `expr` may end with an error other than overflow.
  bool may_fail(const Expr& expr) const {
    bool fails = false;
    for_each_node(expr, [&](const Expr& node) {
      switch (node.kind) {
        case ir::Kind::Add:
        case ir::Kind::Sub:
        case ir::Kind::Mul:
        case ir::Kind::Neg:
        case ir::Kind::CommonNeighbors: return;
        case ir::Kind::Div:
        case ir::Kind::Mod:
          if (is_positive(node.operands[1])) return;
          break;
        default:
          if (!ir::may_trap(node.kind)) return;
      }
      fails = fails || facts_.may_trap(&node);
    });
    return fails;
  }

  /// Reports a trap in an item that might be excluded later: such an item must not end the run.
  void check_trap(const Expr& expr) {
    if (may_fail(expr)) give_up("a step may end with an error before it is known whether it counts", expr.loc);
  }

  static bool is_positive(const Expr* value) {
    return value->kind == ir::Kind::ConstInt && as<ConstInt>(value)->value > 0;
  }

  void walk(const Block& block) {
    for (const Stmt* stmt : block.body) {
      if (!may_go_on(stmt->loc)) return;
      match(
          *stmt, [&](const Let& s) { check_trap(*s.value); }, [&](const For& s) { walk_for(s); },
          [&](const If& s) { walk_if(s); }, [&](const Collect& s) { walk_collect(s); },
          [&](const Yield& s) { walk_yield(s); },
          [&](const Return& s) {
            for (const Expr* value : s.values) {
              if (!value->type->is_scalar()) give_up("the result is a list, whose order shows", s.loc);
              read(value);
            }
          },
          [&](const BuildGraph& s) { walk_graph(s); },
          [&](const OneOf<Repeat, Again> auto& s) { give_up("steps are repeated", s.loc); },
          [&](const OneOf<Block, Region, Store> auto& s) { give_up("a step is of another stage", s.loc); });
    }
  }

  void walk_for(const For& loop) {
    const std::size_t items = items_.size();
    const std::size_t conditions = conditions_.size();
    if (loop.maybe_index != nullptr) give_up("a position in a list is read", loop.loc);
    if (loop.lists.size() != 1) give_up("lists are walked in step", loop.loc);
    if (failed()) return;
    const Expr* list = resolve(facts_, loop.lists[0]);
    for (const Var* var : loop.vars) {
      item_of_.emplace(var, next_item_);
      items_.push_back(next_item_++);
    }
    if (list->kind == ir::Kind::Edges) {
      if (!built_.add_arc(graph_var(list->operands[0]), items_[items], items_[items + 1], conditions_)) {
        conditions_.push_back(adjacent(walked_label(list->operands[0]), items_[items], items_[items + 1]));
      }
    } else {
      add_members(loop.lists[0], items_.back(), conditions_);
      check_set(loop.lists[0]);
    }
    walk(*loop.body);
    items_.resize(items);
    conditions_.resize(conditions);
  }

  void walk_graph(const BuildGraph& build) {
    const auto sink = sinks_.find(as<Var>(resolve(facts_, build.edges)));
    const bool is_plain = build.maybe_labels == nullptr && build.maybe_info == nullptr;
    if (!is_plain || sink == sinks_.end() || !sink->second.top || !built_.add(build.var, sink->second.nests)) {
      give_up("a graph is built of other edges than those in the direction of an order", build.loc);
    }
  }

  Term read_or(const Expr& expr) {
    Term term = Term::of(TermKind::Or, {read(expr.operands[0]), read(expr.operands[1])});
    take_order_by_degree(term);
    return term;
  }

  /// Reports a sink with two orders, each of which depends on the other.
  void check_orders(const SinkNests& sink) {
    std::set<std::string> orders;
    for (const Nest& nest : sink.nests) {
      for (const Term& condition : nest.conditions) add_orders(condition, orders);
      add_orders(nest.value, orders);
    }
    if (orders.size() > 1) give_up("vertices are compared by id and by their numbers of neighbours", sink.loc);
  }

  void walk_if(const If& branch) {
    const Term condition = read(branch.cond);
    check_trap(*branch.cond);
    conditions_.push_back(condition);
    walk(*branch.then_body);
    if (branch.maybe_else != nullptr) {
      conditions_.back() = Term::of(TermKind::Not, {condition});
      walk(*branch.maybe_else);
    }
    conditions_.pop_back();
  }

  void walk_collect(const Collect& collect) {
    for (const Sink& sink : collect.sinks) {
      OpenSink& open = sinks_[sink.var];
      open.kind = sink.kind;
      open.top = items_.empty() && conditions_.empty();
      open.items = items_.size();
      open.conditions = conditions_.size();
      if (open.top && sink.kind != SinkKind::List) {
        top_.emplace(sink.var, found_.sinks.size());
        found_.sinks.push_back(SinkNests{collect.loc, {}, {}});
      }
    }
    walk(*collect.body);
  }

  void walk_yield(const Yield& yield) {
    OpenSink& sink = sinks_[yield.sink];
    const auto result = top_.find(yield.sink);
    if (result == top_.end()) {
      for (const Expr* value : yield.values) check_trap(*value);
      Nest nest = nest_of(sink, Product{});
      nest.value = yield.values.size() == 1 ? read(yield.values[0]) : read_row(yield);
      sink.nests.push_back(std::move(nest));
      expand_yield(yield, sink, sink.expanded);
      return;
    }
    SinkNests& found = found_.sinks[result->second];
    const Expr* value = yield.values[0];
    const bool adds = sink.kind == SinkKind::Sum;
    std::vector<Product> products;
    if (!adds || !expand(value, false, products)) products = {Product{Nest::kOne, {}, {}, {read(value)}}};
    for (const Product& product : products) found.nests.push_back(nest_of(sink, product));
    expand_yield(yield, sink, found.expanded);
  }

  /// Adds the nests of a yield with its value multiplied out; if that is impossible, the sum has none.
  void expand_yield(const Yield& yield, OpenSink& sink, std::vector<Nest>& out) {
    std::vector<Product> products;
    const bool adds = sink.kind == SinkKind::Sum && !sink.is_opaque && !may_fail(*yield.values[0]);
    sink.is_opaque = !adds || !expand(yield.values[0], true, products);
    for (const Product& product : products) out.push_back(nest_of(sink, product));
    if (sink.is_opaque) out.clear();
  }

  /// The two vertices of an edge.
  Term read_row(const Yield& yield) {
    const auto is_vertex = [](const Expr* value) { return value->type->is_scalar(ScalarKind::Vid); };
    if (yield.values.size() != 2 || !std::ranges::all_of(yield.values, is_vertex)) return Term::constant("row");
    return Term::operation("row", {read(yield.values[0]), read(yield.values[1])});
  }

  /// The surrounding nest of a yield into `sink`, with the value `product`.
  Nest nest_of(const OpenSink& sink, const Product& product) const {
    Nest nest;
    nest.items.assign(items_.begin() + static_cast<std::ptrdiff_t>(sink.items), items_.end());
    nest.items.insert(nest.items.end(), product.items.begin(), product.items.end());
    nest.conditions.assign(conditions_.begin() + static_cast<std::ptrdiff_t>(sink.conditions), conditions_.end());
    nest.conditions.insert(nest.conditions.end(), product.conditions.begin(), product.conditions.end());
    drop_implied_joins(nest.conditions);
    nest.weight = product.weight;
    nest.value = product.factors.empty()       ? Term::constant("1")
                 : product.factors.size() == 1 ? product.factors[0]
                                               : Term::operation("*", product.factors);
    return nest;
  }

  const Var* graph_var(const Expr* graph) { return as<Var>(resolve(facts_, graph)); }

  void check_graph(const Expr* graph) {
    if (resolve(facts_, graph) != graph_) give_up("another graph is read", graph->loc);
  }

  /// The label of a graph's edges.
  std::string walked_label(const Expr* graph) {
    const Expr* const root = resolve(facts_, graph);
    const auto found = root->kind == ir::Kind::Var ? labels_.find(static_cast<const Var*>(root)) : labels_.end();
    if (found != labels_.end()) return found->second;
    check_graph(graph);
    if (is_labelled_) give_up("edges of any label are walked one by one", graph->loc);
    return {};
  }

  void check_set(const Expr* list) {
    if (!facts_.list(list).unique) give_up("a list may hold an item twice", list->loc);
  }

  static Term pair(TermKind kind, int a, int b) { return Term::of(kind, {Term::of_item(a), Term::of_item(b)}); }

  /// The item of a value of type vid.
  int item(const Expr* expr) {
    expr = resolve(facts_, expr);
    if (const auto found = expr->kind == ir::Kind::Var ? item_of_.find(static_cast<const Var*>(expr)) : item_of_.end();
        found != item_of_.end()) {
      return found->second;
    }
    give_up(expr->kind == ir::Kind::Convert ? "a number is used as an id" : "a vertex is picked by its place",
            expr->loc);
    return 0;
  }

  /// Adds the conditions under which `item` is in a set of vids.
  void add_members(const Expr* set, int it, std::vector<Term>& out) {
    const Deeper deeper(depth_);
    if (!may_go_on(set->loc)) return;
    set = resolve(facts_, set);
    if (!set->type->is_set() || !set->type->columns[0]->is_scalar(ScalarKind::Vid)) {
      give_up("a list of other things than vertices is walked", set->loc);
      return;
    }
    const auto of_operand = [&](std::size_t at) { add_members(set->operands[at], it, out); };
    switch (set->kind) {
      case ir::Kind::Vertices: {
        const Expr* const root = resolve(facts_, set->operands[0]);
        if (root == graph_) return;
        if (built_.contains(as<Var>(root))) {
          out.push_back(Term::operation("joined", {Term::constant(""), Term::of_item(it)}));
          return;
        }
        std::string label = walked_label(root);
        out.push_back(Term::operation("joined", {Term::constant(std::move(label)), Term::of_item(it)}));
        return;
      }
      case ir::Kind::Neighbors: {
        const int center = item(set->operands[1]);
        if (!built_.add_arc(graph_var(set->operands[0]), center, it, out)) {
          out.push_back(adjacent(walked_label(set->operands[0]), it, center));
        }
        if (ir::side_of(*set) == ir::Side::Lower) out.push_back(pair(TermKind::Before, it, center));
        if (ir::side_of(*set) == ir::Side::Upper) out.push_back(pair(TermKind::Before, center, it));
        return;
      }
      case ir::Kind::Intersect:
        of_operand(0);
        of_operand(1);
        return;
      case ir::Kind::Diff: {
        of_operand(0);
        std::vector<Term> other;
        add_members(set->operands[1], it, other);
        out.push_back(Term::of(TermKind::Not, {Term::of(TermKind::And, std::move(other))}));
        return;
      }
      case ir::Kind::Sorted: of_operand(0); return;
      case ir::Kind::Cut: {
        of_operand(0);
        const int bound = item(set->operands[1]);
        out.push_back(ir::is_below(*set) ? pair(TermKind::Before, it, bound) : pair(TermKind::Before, bound, it));
        return;
      }
      case ir::Kind::Literal: {
        std::vector<Term> any;
        for (const Expr* one : set->operands) any.push_back(pair(TermKind::Same, it, item(one)));
        out.push_back(Term::of(TermKind::Or, std::move(any)));
        return;
      }
      case ir::Kind::Var: add_filtered(*static_cast<const Var*>(set), it, out); return;
      default: give_up("a list is cut at positions", set->loc);
    }
  }

  /// The same for a list that one loop filled with its own items.
  void add_filtered(const Var& list, int it, std::vector<Term>& out) {
    const auto sink = sinks_.find(&list);
    if (sink == sinks_.end()) give_up("a list is read", list.loc);
    if (failed() || !may_copy(sink->second.nests, list.loc)) return;
    std::vector<Term> any;
    for (const Nest& nest : sink->second.nests) {
      if (nest.items.size() != 1 || !nest.value.is(TermKind::Item) || nest.value.item != nest.items[0]) {
        give_up("a list is filled by several loops", list.loc);
        return;
      }
      std::vector<Term> conditions;
      for (const Term& condition : nest.conditions) conditions.push_back(renamed(condition, nest.items[0], it));
      any.push_back(Term::of(TermKind::And, std::move(conditions)));
    }
    out.push_back(any.size() == 1 ? any[0] : Term::of(TermKind::Or, std::move(any)));
  }

  /// The items of a set as items of a nest.
  Nest nest_of_set(const Expr* set) {
    check_set(set);
    Nest nest;
    nest.items.push_back(next_item_++);
    nest.value = Term::constant("1");
    add_members(set, nest.items[0], nest.conditions);
    return nest;
  }

  /// The nests whose values a size or a sum adds, multiplied out if `fully`; empty if `value` is neither.
  std::optional<std::vector<Nest>> summands(const Expr* value, bool fully = false) {
    if (value->kind == ir::Kind::Size) {
      const Expr* list = resolve(facts_, value->operands[0]);
      if (list->type->is_set()) return std::vector<Nest>{nest_of_set(value->operands[0])};
      give_up("the size of a list of other things than vertices is read", value->loc);
      return std::vector<Nest>{};
    }
    // A sum of floats is rounded, so it is not the sum of its parts.
    if (value->kind != ir::Kind::Var || value->type->is_scalar(ScalarKind::F64)) return std::nullopt;
    const auto sink = sinks_.find(static_cast<const Var*>(value));
    if (sink == sinks_.end() || sink->second.top || sink->second.kind != SinkKind::Sum) return std::nullopt;
    return fully && !sink->second.is_opaque ? sink->second.expanded : sink->second.nests;
  }

  /// `value` as a sum of products. Not `fully`: only if it is a number, a size or a sum. False if it has no such form.
  bool expand(const Expr* value, bool fully, std::vector<Product>& out) {
    const Deeper deeper(depth_);
    if (!may_go_on(value->loc)) return false;
    value = resolve(facts_, value);
    if (value->kind == ir::Kind::ConstInt) {
      Product product;
      if (__builtin_mul_overflow(as<ConstInt>(value)->value, Nest::kOne, &product.weight)) return false;
      out.push_back(std::move(product));
      return true;
    }
    if (const std::optional<std::vector<Nest>> added = summands(value, fully)) {
      for (const Nest& nest : *added) out.push_back(product_of(nest));
      return true;
    }
    if (!fully) return false;
    if (value->type->is_scalar(ScalarKind::F64)) {
      out.push_back(Product{Nest::kOne, {}, {}, {read(value)}});
      return true;
    }
    switch (value->kind) {
      case ir::Kind::Add:
      case ir::Kind::Sub: {
        if (!expand(value->operands[0], true, out)) return false;
        const std::size_t first = out.size();
        if (!expand(value->operands[1], true, out)) return false;
        for (std::size_t at = first; value->kind == ir::Kind::Sub && at < out.size(); ++at) out[at].weight *= -1;
        return out.size() <= kMostProducts;
      }
      case ir::Kind::Mul: {
        std::vector<Product> left, right;
        if (!expand(value->operands[0], true, left) || !expand(value->operands[1], true, right)) return false;
        if (left.size() * right.size() > kMostProducts) return false;
        for (const Product& a : left) {
          for (const Product& b : right) {
            if (!multiply(a, b, out)) return false;
          }
        }
        return true;
      }
      case ir::Kind::Div: {
        if (!is_positive(value->operands[1])) break;
        const std::int64_t divisor = as<ConstInt>(value->operands[1])->value;
        const bool is_whole = is_multiple(facts_, value->operands[0], divisor);
        const std::size_t first = out.size();
        const auto is_even = [&](const Product& one) { return come_in_pairs(one, next_item_); };
        if (!is_whole && divisor != 2) break;
        if (!expand(value->operands[0], true, out)) return false;
        if (!is_whole && !std::all_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), is_even)) {
          out.resize(first);
          break;
        }
        for (std::size_t at = first; at < out.size(); ++at) {
          if (out[at].weight % divisor != 0) return false;
          out[at].weight /= divisor;
        }
        return true;
      }
      default: break;
    }
    out.push_back(Product{Nest::kOne, {}, {}, {read(value)}});
    return true;
  }

  /// A summand with fresh items, since a sum may be a factor twice.
  Product product_of(const Nest& nest) {
    Product product;
    Term value = nest.value;
    product.weight = nest.weight;
    product.conditions = nest.conditions;
    for (int item : nest.items) {
      const int fresh = next_item_++;
      product.items.push_back(fresh);
      for (Term& condition : product.conditions) condition = renamed(std::move(condition), item, fresh);
      value = renamed(std::move(value), item, fresh);
    }
    if (!value.is(TermKind::Constant) || value.word != "1") product.factors.push_back(std::move(value));
    return product;
  }

  /// A scalar as a term; a vid as its item.
  Term read(const Expr* expr) {
    const Deeper deeper(depth_);
    if (!may_go_on(expr->loc)) return Term{};
    expr = resolve(facts_, expr);
    if (expr->type->is_scalar(ScalarKind::Vid)) return Term::of_item(item(expr));
    if (const std::optional<std::vector<Nest>> added = summands(expr)) {
      return may_copy(*added, expr->loc) ? fold_of("sum", *added) : Term{};
    }
    switch (expr->kind) {
      case ir::Kind::Var: return read_var(*static_cast<const Var*>(expr));
      case ir::Kind::ConstInt: return Term::constant(fmt::format("{}", as<ConstInt>(expr)->value));
      case ir::Kind::ConstFloat: return Term::constant(fmt::format("{:a}", as<ConstFloat>(expr)->value));
      case ir::Kind::ConstBool: return Term::of(as<ConstBool>(expr)->value ? TermKind::Yes : TermKind::No, {});
      case ir::Kind::LabelName: return Term::constant(fmt::format("'{}'", as<LabelName>(expr)->word));
      case ir::Kind::MaxDegree: check_graph(expr->operands[0]); return Term::constant("max_degree");
      case ir::Kind::Label:
        check_graph(expr->operands[0]);
        return Term::operation("label", {Term::of_item(item(expr->operands[1]))});
      case ir::Kind::HasEdge: {
        const int source = item(expr->operands[1]), target = item(expr->operands[2]);
        std::vector<Term> arc;
        if (built_.add_arc(graph_var(expr->operands[0]), source, target, arc))
          return Term::of(TermKind::And, std::move(arc));
        const bool is_any = is_labelled_ && resolve(facts_, expr->operands[0]) == graph_;
        return adjacent(is_any ? std::string() : walked_label(expr->operands[0]), source, target);
      }
      case ir::Kind::Contains: {
        if (!expr->operands[1]->type->is_scalar(ScalarKind::Vid))
          return give_up("a list of numbers is read", expr->loc);
        std::vector<Term> conditions;
        add_members(expr->operands[0], item(expr->operands[1]), conditions);
        return Term::of(TermKind::And, std::move(conditions));
      }
      case ir::Kind::Not: return Term::of(TermKind::Not, {read(expr->operands[0])});
      case ir::Kind::And: return Term::of(TermKind::And, {read(expr->operands[0]), read(expr->operands[1])});
      case ir::Kind::Or: return read_or(*expr);
      default: return read_operation(*expr);
    }
  }

  Term read_var(const Var& var) {
    if (top_.contains(&var)) return Term::constant(fmt::format("result {}", var.id));
    if (const auto sink = sinks_.find(&var); sink != sinks_.end()) {
      if (!may_copy(sink->second.nests, var.loc)) return Term{};
      return fold_of(keyword(sink->second.kind), sink->second.nests);
    }
    if (facts_.definition(&var) == nullptr) return Term::constant(fmt::format("parameter {}", var.id));
    return give_up("a number is read from a list", var.loc);
  }

  Term read_operation(const Expr& expr) {
    const bool of_vids = !expr.operands.empty() && expr.operands[0]->type->is_scalar(ScalarKind::Vid);
    if (of_vids) {
      const int a = item(expr.operands[0]);
      if (expr.kind == ir::Kind::Convert) return give_up("an id is used as a number", expr.loc);
      if (expr.operands.size() != 2) return give_up("ids are used in another way than compared", expr.loc);
      const int b = item(expr.operands[1]);
      switch (expr.kind) {
        case ir::Kind::Eq: return pair(TermKind::Same, a, b);
        case ir::Kind::Ne: return Term::of(TermKind::Not, {pair(TermKind::Same, a, b)});
        case ir::Kind::Lt: return pair(TermKind::Before, a, b);
        case ir::Kind::Le: return Term::of(TermKind::Not, {pair(TermKind::Before, b, a)});
        default: return give_up("ids are used in another way than compared", expr.loc);
      }
    }
    std::vector<Term> parts;
    for (const Expr* operand : expr.operands) {
      if (!operand->type->is_scalar()) return give_up("a position in a list is read", expr.loc);
      parts.push_back(read(operand));
    }
    return Term::operation(fmt::format("{}", keyword(expr)) + conversion(expr), std::move(parts));
  }

  static std::string conversion(const Expr& expr) {
    return expr.kind == ir::Kind::Convert ? to_string(*expr.type) : std::string();
  }

  const Module& module_;
  Facts facts_;
  const Var* graph_ = nullptr;
  bool is_labelled_;                                    ///< There may be several edges between two vertices, and
  std::unordered_map<const Var*, std::string> labels_;  ///< the graphs of these variables have those with a label.
  std::unordered_map<const Var*, int> item_of_;
  std::unordered_map<const Var*, OpenSink> sinks_;
  std::unordered_map<const Var*, std::size_t> top_;  ///< Sinks of the module's own block other than lists.
  BuiltGraphs built_;
  std::vector<int> items_;  ///< Items of the surrounding loops, with their conditions.
  std::vector<Term> conditions_;
  int next_item_ = 0;
  int steps_ = 0;
  int depth_ = 0;
  std::size_t parts_ = 0;  ///< Written out so far.
  ModuleNests found_;
};

}  // namespace

ModuleNests read_nests(const Module& module, const std::vector<std::string>* maybe_labels) {
  return NestReader(module, maybe_labels).run();
}

}  // namespace matcha::ir
