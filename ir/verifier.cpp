#include "ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/bits.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/lane_modes.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/printer.h"

namespace matcha::ir {

namespace {

/// A list that needs no storage: a slice, a variable, a few scalars, or bits that are computed word by word.
bool is_view(const Expr& e) {
  switch (group_of(e.kind)) {
    case Group::Leaf: return e.kind == Kind::Var;
    case Group::GraphList:
    case Group::Literal: return true;
    case Group::Bits: return e.kind != Kind::BitRows;
    case Group::SetOp: return e.type->bits && is_view(*e.operands[0]) && is_view(*e.operands[1]);
    case Group::Slice: return is_view(*e.operands[0]);
    case Group::Arithmetic:
    case Group::Comparison:
    case Group::Logic:
    case Group::Extremum:
    case Group::Choice:
    case Group::Conversion:
    case Group::ListFact:
    case Group::GraphFact:
    case Group::Reorder:
    case Group::Statement: return false;
  }
  MATCHA_UNREACHABLE("a group");
}

/// An expression for a message: its operator alone, since the text of shared operands may be very long.
std::string shown(const Expr& e) { return e.operands.empty() ? print(e) : fmt::format("{}(…)", keyword(e)); }

bool is_stored_type(const Type& type) { return type.is_flat_list() || type.bits || type.is_bit_rows(); }
bool has_flat_lists_only(const Type& type) { return !type.is_list() || is_stored_type(type); }

class Verifier {
 public:
  Verifier(const Module& module, Diagnostics& diagnostics)
      : module_(module), facts_(module), diagnostics_(diagnostics), errors_before_(diagnostics.error_count()) {}

  bool run() {
    for (const Var* param : module_.params) {
      bool fits = param->type->is_list() ? param->type->is_flat_list() && !param->type->is_table()
                                         : !param->type->is_scalar(ScalarKind::I128);
      if (!fits) error(fmt::format("parameter `%{}` cannot be `{}`", param->hint, to_string(*param->type)));
      bind(param);
    }
    assumptions();
    const std::span<const Stmt* const> body = module_.body->body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      At here(*this, fmt::format("body[{}]", i));
      bool last = i + 1 == body.size();
      if ((body[i]->kind == Kind::Return) != last)
        error("`return` is the last statement of a module, and nowhere else");
      stmt(*body[i]);
    }
    if (!states_.empty()) error("a `repeat` without `again`");
    if (body.empty()) error("a module ends with `return`");
    return diagnostics_.error_count() == errors_before_;
  }

 private:
  struct At {
    At(Verifier& v, std::string part) : v(v) { v.path_.push_back(std::move(part)); }
    ~At() { v.path_.pop_back(); }
    Verifier& v;
  };

  void error(const std::string& message, SourceLoc loc = {}) {
    diagnostics_.error(DiagId::IrInvalid, loc, fmt::format("{}: {}", fmt::join(path_, "."), message));
  }

  bool top() const { return loops_ == 0 && collects_ == 0 && !in_region_; }

  void assumptions() {
    for (std::size_t i = 0; i < module_.assumptions.size(); ++i) {
      const Assumption& assumption = module_.assumptions[i];
      const std::string text = fmt::format("{}(%{})", keyword(assumption.kind), assumption.var->hint);
      if (std::ranges::find(module_.params, assumption.var) == module_.params.end()) {
        error(fmt::format("`{}` is an assumption on something that is no parameter", text));
      } else if (!assumption.var->type->is_graph()) {
        error(fmt::format("`{}` is an assumption on a graph, not on `{}`", text, to_string(*assumption.var->type)));
      }
      const auto same = [&](const Assumption& a) { return a.kind == assumption.kind && a.var == assumption.var; };
      if (std::ranges::any_of(module_.assumptions.subspan(0, i), same))
        error(fmt::format("`{}` is assumed twice", text));
    }
  }

  void bind(const Var* var) {
    if (!bound_ever_.insert(var).second) error(fmt::format("`%{}` is bound twice", var->hint));
    scope_.insert(var);
    bound_here_.push_back(var);
  }

  /// Leaves the scope that began when `bound_here_` had `mark` entries.
  void leave(std::size_t mark) {
    while (bound_here_.size() > mark) {
      scope_.erase(bound_here_.back());
      bound_here_.pop_back();
    }
  }

  void stage(Kind kind) {
    if (module_.stage < first_stage(kind) || module_.stage > last_stage(kind)) {
      error(fmt::format("`{}` does not belong to stage {}", keyword(kind),
                        module_.stage == Stage::Loop ? "loop" : "kernel"));
    }
  }

  /// An expression may share its operands; each node is checked once.
  void expr(const Expr& e) {
    visited_.clear();
    node(e);
  }

  void node(const Expr& e) {
    if (!visited_.insert(&e).second) return;
    if (e.type->is_scalar(ScalarKind::I128) && !top()) error("128-bit values exist among top-level steps only", e.loc);
    if (const Var* var = as<Var>(&e)) {
      if (!scope_.contains(var)) error(fmt::format("`%{}` is used where it is not bound", var->hint), e.loc);
      if (open_sinks_.contains(var)) error(fmt::format("sink `%{}` is read inside its own collect", var->hint), e.loc);
      return;
    }
    stage(e.kind);
    for (const Expr* operand : e.operands) node(*operand);
    if (module_.stage == Stage::Kernel && !has_flat_lists_only(*e.type))
      error("a list of lists in stage kernel", e.loc);
    const bool searches = e.kind == Kind::HasEdge || e.kind == Kind::BitRows || e.kind == Kind::CommonNeighbors ||
                          (e.kind == Kind::Neighbors && side_of(e) != Side::All);
    if (searches && facts_.order(e.operands[0]) != RowOrder::Target) {
      error(fmt::format("`{}` takes a graph whose neighbours ascend, not one by info", keyword(e)), e.loc);
    }
    bool wants_ascending = e.kind == Kind::Cut || e.kind == Kind::LowerBound;
    if (wants_ascending && !facts_.list(e.operands[0]).ascending) {
      error(fmt::format("`{}` takes a list that is known to ascend, not `{}`", keyword(e), shown(*e.operands[0])),
            e.loc);
    }
    if ((e.kind == Kind::Neighbors || e.kind == Kind::BitRows) && side_of(e) != Side::All) oriented(e);
    bits(e);
    if (e.kind == Kind::CommonNeighbors) common(e);
    if (module_.stage == Stage::Kernel && in_region_) kernel_expr(e);
  }

  void common(const Expr& e) {
    const ListFacts facts = facts_.list(e.operands[1]);
    if (!facts.ascending || !facts.unique) {
      error(fmt::format("`{}` takes a list that is known to ascend without repeats", keyword(e)), e.loc);
    }
    if (module_.stage == Stage::Kernel && &e != counted_)
      error(fmt::format("`{}` in stage kernel is the value of a `store`", keyword(e)), e.loc);
  }

  /// Half of a neighbour list is found by the graph's split offsets.
  void oriented(const Expr& e) {
    if (!facts_.has_rows(e.operands[0])) {
      error(fmt::format("`{}` takes a graph that was loaded or built with `csr`", keyword(e)), e.loc);
    } else if (side_of(e) != Side::Lower && !facts_.loop_free(e.operands[0])) {
      error(fmt::format("`{}` takes a graph that is known to have no loops", keyword(e)), e.loc);
    }
  }

  /// Bit sets in one operation have the same positions, as have the numbers that cut them.
  void bits(const Expr& e) {
    bool reads = false;
    for (const Expr* operand : e.operands) reads = reads || operand->type->bits || operand->type->is_bit_rows();
    if (is_set_op(e.kind)) {
      if (reads && rows_of(facts_, &e) == nullptr) {
        error(fmt::format("the bit sets of `{}` are not known to come from the same rows", keyword(e)), e.loc);
      }
      return;
    }
    switch (e.kind) {
      case Kind::BitRows: {
        ListFacts facts = facts_.list(e.operands[1]);
        if (top()) error(fmt::format("`{}` outside a loop", keyword(e)), e.loc);
        if (!facts.ascending || !facts.unique || !is_view(*e.operands[1])) {
          error(fmt::format("`{}` takes a slice or a stored set that is known to ascend without repeats", keyword(e)),
                e.loc);
        }
        return;
      }
      case Kind::BitRow:
      case Kind::AllBits:
        if (e.operands[0]->kind != Kind::Var) error(fmt::format("`{}` takes rows that have a name", keyword(e)), e.loc);
        if (e.kind == Kind::BitRow) position(e, rows_of(facts_, &e));
        return;
      case Kind::Cut:
        if (!reads) return;
        side_of(e) == Side::Lower ? bound(e, rows_of(facts_, e.operands[0]))
                                  : position(e, rows_of(facts_, e.operands[0]));
        return;
      case Kind::Contains:
        if (reads) position(e, rows_of(facts_, e.operands[0]));
        return;
      case Kind::Size:
        if (e.operands[0]->type->is_bit_rows()) error("`size` takes no rows", e.loc);
        return;
      default:
        if (reads || e.type->bits) error(fmt::format("`{}` does not take bit sets", keyword(e)), e.loc);
    }
  }

  void bound(const Expr& e, const Var* rows) {
    if (rows == nullptr || !is_number_of_first(facts_, e.operands[1], rows)) position(e, rows);
  }

  void position(const Expr& e, const Var* rows) {
    if (rows != nullptr && is_position(facts_, e.operands[1], rows)) return;
    error(fmt::format("the position of `{}` is not known to be one in the list of the rows", keyword(e)), e.loc);
  }

  /// Inside a region, operators on lists read views, so that nothing is stored outside the schedule; `size` also counts
  /// the result of a set operation.
  void kernel_expr(const Expr& e) {
    if (e.kind != Kind::Select) {
      for (const Expr* operand : e.operands) {
        const bool counted = e.kind == Kind::Size && (operand->kind == Kind::Intersect || operand->kind == Kind::Diff);
        if (operand->type->is_list() && !counted && !is_view(*operand)) {
          error(fmt::format("`{}` in a region reads slices and stored sets, not `{}`", keyword(e), shown(*operand)),
                e.loc);
        }
      }
    }
    if (is_set_op(e.kind)) {
      if (!searchable(*e.operands[1])) {
        error(fmt::format("the second list of `{}` in a region ascends or is a literal", keyword(e)), e.loc);
      }
    } else if (e.kind == Kind::Contains && !searchable(*e.operands[0])) {
      error("the list of `contains` in a region ascends or is a literal", e.loc);
    }
  }

  bool searchable(const Expr& list) const { return list.kind == Kind::Literal || facts_.list(&list).ascending; }

  void view(const Expr& e, std::string_view what) {
    if (module_.stage == Stage::Kernel && in_region_ && e.type->is_list() && !is_view(e)) {
      error(fmt::format("{} in a region is a slice or a stored set, not `{}`", what, shown(e)), e.loc);
    }
  }

  void block(const Block& b, std::string_view name) {
    std::size_t mark = bound_here_.size();
    for (std::size_t i = 0; i < b.body.size(); ++i) {
      At here(*this, fmt::format("{}[{}]", name, i));
      if (b.body[i]->kind == Kind::Return) error("`return` is the last statement of a module, and nowhere else");
      stmt(*b.body[i]);
    }
    leave(mark);
  }

  /// The top level of stage kernel has a few kinds of steps, which the host runs one after the other.
  void step(Kind kind) {
    if (module_.stage != Stage::Kernel || !top()) return;
    if (kind == Kind::Block || kind == Kind::For || kind == Kind::If || kind == Kind::Collect)
      error(fmt::format("in stage kernel a `{}` is inside a region", keyword(kind)));
  }

  void stmt(const Stmt& s) {
    At here(*this, std::string(keyword(s.kind)));
    stage(s.kind);
    step(s.kind);
    match(
        s, [&](const Block& b) { block(b, "body"); }, [&](const Let& l) { let(l); },
        [&](const Store& st) { store(st); }, [&](const For& f) { loop(f); }, [&](const If& i) { branch(i); },
        [&](const Collect& c) { collect(c); }, [&](const Yield& y) { yield(y); },
        [&](const BuildGraph& b) { build(b); }, [&](const Region& r) { region(r); },
        [&](const Repeat& r) { repeat(r); }, [&](const Again& a) { again(a); },
        [&](const Return& r) {
          for (const Expr* value : r.values) expr(*value);
        });
  }

  void let(const Let& s) {
    expr(*s.value);
    view(*s.value, "the value of `let`");
    if (s.var->type != s.value->type) error("the value has another type than the variable");
    bind(s.var);
  }

  void store(const Store& s) {
    const bool counts = s.value->kind == Kind::CommonNeighbors;
    counted_ = counts ? s.value : nullptr;
    expr(*s.value);
    counted_ = nullptr;
    if (!in_region_) error("`store` outside a region");
    if (s.var->type != s.value->type) error("the value has another type than the variable");
    if (counts) {
      // A count ends before the next one begins.
      if (!counters_.contains(s.buffer)) error(fmt::format("`%{}` is no buffer of counters", s.buffer->hint));
    } else {
      if (s.var->type->is_scalar()) error("`store` keeps a list, or what counters are for");
      buffer(s.buffer, *s.var->type);
    }
    bind(s.var);
  }

  void buffer(const Var* var, const Type& type) {
    if (!free_buffers_.contains(var)) {
      error(fmt::format("`%{}` is no buffer of this region that is still free", var->hint));
    } else if (var->type != &type) {
      error(fmt::format("`%{}` holds `{}`, not `{}`", var->hint, to_string(*var->type), to_string(type)));
    }
    free_buffers_.erase(var);
  }

  void loop(const For& s) {
    std::size_t columns = 0;
    for (const Expr* list : s.lists) {
      expr(*list);
      view(*list, "a list of `for`");
      if (!list->type->is_list() || list->type->is_bit_rows()) {
        error("`for` walks lists");
        return;
      }
      if (list->type->bits && s.lists.size() != 1) error("a loop over a bit set walks no other list");
      for (const Type* column : list->type->columns) {
        if (columns < s.vars.size() && s.vars[columns]->type != column)
          error("a loop variable has another type than its column");
        ++columns;
      }
    }
    if (s.lists.empty()) error("`for` needs a list");
    if (columns != s.vars.size()) error("`for` binds one variable a column");
    std::size_t mark = bound_here_.size();
    for (const Var* var : s.vars) bind(var);
    if (s.maybe_index != nullptr) bind(s.maybe_index);
    ++loops_;
    block(*s.body, "body");
    --loops_;
    leave(mark);
  }

  void branch(const If& s) {
    expr(*s.cond);
    block(*s.then_body, "then");
    if (s.maybe_else != nullptr) block(*s.maybe_else, "else");
  }

  void sink(const Sink& s, bool in_region_loop) {
    const Type& type = *s.var->type;
    bool fits = false;
    switch (s.kind) {
      case SinkKind::Sum: fits = type.is_number() && !type.is_scalar(ScalarKind::Vid); break;
      case SinkKind::Min:
      case SinkKind::Max: fits = type.is_number() && !type.is_scalar(ScalarKind::I128); break;
      case SinkKind::Any:
      case SinkKind::All: fits = type.is_scalar(ScalarKind::Bool); break;
      case SinkKind::List:
        fits = (type.is_flat_list() && !type.is_table()) ||
               (module_.stage == Stage::Loop && type.is_list() && !is_stored_type(type));
        break;
    }
    if (!fits) error(fmt::format("a {} sink cannot be `{}`", keyword(s.kind), to_string(type)));
    if (type.is_scalar(ScalarKind::I128) && (loops_ != 0 || collects_ != 0))
      error("128-bit values exist among top-level steps only");
    if (s.maybe_buffer != nullptr) {
      buffer(s.maybe_buffer, type);
    } else if (in_region_loop && s.kind == SinkKind::List) {
      error(fmt::format("list sink `%{}` inside a region has no buffer", s.var->hint));
    }
  }

  void collect(const Collect& s) {
    for (const Sink& item : s.sinks) {
      sink(item, in_region_ && !region_collect_);
      bind(item.var);
      open_sinks_.emplace(item.var, item.kind);
    }
    region_collect_ = false;
    ++collects_;
    block(*s.body, "body");
    --collects_;
    for (const Sink& item : s.sinks) open_sinks_.erase(item.var);
  }

  void yield(const Yield& s) {
    for (const Expr* value : s.values) expr(*value);
    const auto found = open_sinks_.find(s.sink);
    if (found == open_sinks_.end()) {
      error(fmt::format("`%{}` is no sink of an enclosing collect", s.sink->hint));
      return;
    }
    std::vector<const Type*> wanted;
    if (found->second == SinkKind::List) {
      wanted.assign(s.sink->type->columns.begin(), s.sink->type->columns.end());
    } else {
      wanted.push_back(s.sink->type);
    }
    bool fits = wanted.size() == s.values.size();
    for (std::size_t i = 0; fits && i < wanted.size(); ++i) {
      bool widened = wanted[i]->is_scalar(ScalarKind::I128) && s.values[i]->type->is_scalar(ScalarKind::I64);
      fits = s.values[i]->type == wanted[i] || widened;
    }
    if (!fits) error(fmt::format("what is yielded does not fit `%{}: {}`", s.sink->hint, to_string(*s.sink->type)));
    if (s.batched && fits) batched(s, found->second);
  }

  /// A deferred count is added to a sum of the region, and its lists must not change until then.
  void batched(const Yield& s, SinkKind kind) {
    bool own = in_region_ && kind == SinkKind::Sum && region_sinks_.contains(s.sink) &&
               !s.sink->type->is_scalar(ScalarKind::F64);
    if (!own) return error("`yield batched` adds to a sum of ints of its region");
    // The value was walked just before: `visited_` has its nodes, each once.
    int counted = 0;
    bool lasts = true;
    for (const Expr* e : visited_) {
      const Var* name = as<Var>(e);
      const Stmt* definition = name != nullptr ? facts_.definition(name) : nullptr;
      const Let* let = definition != nullptr ? as<Let>(definition) : nullptr;
      if (let != nullptr && let->value->kind == Kind::Size) e = let->value->operands[0];
      if (!filters_first(e->kind)) continue;
      ++counted;
      lasts = lasts && facts_.outlives_region(e->operands[0]) && facts_.outlives_region(e->operands[1]);
    }
    if (counted != 1) return error("`yield batched` counts one set operation");
    if (!lasts) error("`yield batched` counts lists of graphs and top-level values");
  }

  void build(const BuildGraph& s) {
    if (!top() || path_.size() != 2) error("graphs are built at top level");
    expr(*s.edges);
    const Type& edges = *s.edges->type;
    bool pairs = edges.is_list() && edges.columns.size() == 2 && edges.columns[0]->is_scalar(ScalarKind::Vid) &&
                 edges.columns[1]->is_scalar(ScalarKind::Vid);
    if (!pairs) error("the edges of a graph are a list of two vertices a row");
    if (s.maybe_labels != nullptr) {
      expr(*s.maybe_labels);
      const Type& labels = *s.maybe_labels->type;
      bool fits = labels.is_list() && labels.columns.size() == 2 && labels.columns[0]->is_scalar(ScalarKind::Vid) &&
                  labels.columns[1]->is_scalar(ScalarKind::I64);
      if (!fits) error("the labels of a graph are a list of a vertex and an int a row");
    }
    if (s.maybe_info != nullptr) {
      expr(*s.maybe_info);
      if (!s.maybe_info->type->is_set()) error("the edge information of a graph is a list of scalars");
    }
    const bool ints = s.maybe_info != nullptr && s.maybe_info->type->is_set() &&
                      s.maybe_info->type->columns[0]->is_scalar(ScalarKind::I64);
    if (s.order == RowOrder::Info && !ints) error("a graph by info has edge information of type i64");
    bind(s.var);
  }

  void rounds(std::span<const Var* const> vars, std::span<const Expr* const> values) {
    if (!top() || path_.size() != 2) error("rounds are at top level");
    if (vars.size() != values.size() || vars.empty()) return error("rounds have a value for each name");
    for (std::size_t i = 0; i < vars.size(); ++i) {
      expr(*values[i]);
      const Type& type = *values[i]->type;
      const bool kept = type.is_flat_list() || (type.is_scalar() && !type.is_scalar(ScalarKind::I128));
      if (vars[i]->type != &type || !kept) error("the value of a round has another type, or one that is not kept");
    }
  }

  void repeat(const Repeat& s) {
    rounds(s.vars, s.starts);
    expr(*s.times);
    if (!s.times->type->is_scalar(ScalarKind::I64)) error("the number of rounds is an i64");
    if (!states_.empty()) error("rounds inside rounds");
    states_.assign(s.vars.begin(), s.vars.end());
    for (const Var* var : s.vars) bind(var);
  }

  void again(const Again& s) {
    rounds(s.vars, s.values);
    bool fits = states_.size() == s.vars.size();
    for (std::size_t i = 0; fits && i < s.vars.size(); ++i) fits = states_[i]->type == s.vars[i]->type;
    if (!fits) error("`again` ends a `repeat` of the same types");
    for (const Var* var : states_) scope_.erase(var);
    states_.clear();
    for (const Var* var : s.vars) bind(var);
  }

  void region(const Region& s) {
    if (!top() || path_.size() != 2) error("a region inside another statement");
    std::size_t mark = bound_here_.size();
    for (const Buffer& item : s.buffers) {
      expr(*item.capacity);
      if (!item.capacity->type->is_scalar(ScalarKind::I64)) error("the capacity of a buffer is an i64");
      if (!is_stored_type(*item.var->type)) error("a buffer holds columns of scalars, bits or rows of bits");
      if (!bound_ever_.insert(item.var).second) error(fmt::format("`%{}` is bound twice", item.var->hint));
      if (!item.counters) {
        free_buffers_.insert(item.var);
      } else if (item.var->type->is_list() && item.var->type->columns.size() == 1 &&
                 item.var->type->columns[0]->is_scalar(ScalarKind::Vid)) {
        counters_.insert(item.var);
      } else {
        error("counters are `list<vid>`");
      }
    }
    bool one_loop = s.collect->body->body.size() == 1 && s.collect->body->body[0]->kind == Kind::For;
    if (s.schedule.parallel && !one_loop) error("the collect of a parallel region holds one `for`");
    if (!std::has_single_bit(s.schedule.group) || s.schedule.group > kMostLanes) {
      error(fmt::format("a group has 1, 2, 4, 8, 16 or {} lanes", kMostLanes));
    }
    schedule(s, one_loop);
    for (const Sink& item : s.collect->sinks) region_sinks_.insert(item.var);
    in_region_ = true;
    region_collect_ = true;
    collect(*s.collect);
    in_region_ = false;
    if (diagnostics_.error_count() == errors_before_) lane_modes(s);
    region_sinks_.clear();
    leave(mark);
    for (const Sink& item : s.collect->sinks) {
      scope_.insert(item.var);
      bound_here_.push_back(item.var);
    }
    for (const Buffer& item : s.buffers) {
      free_buffers_.erase(item.var);
      counters_.erase(item.var);
    }
  }

  void schedule(const Region& s, bool one_loop) {
    const Schedule& how = s.schedule;
    if (how.split > kMostSplit) error(fmt::format("a region is split at {} loop levels at most", kMostSplit));
    if (how.steal == Stealing::None && how.split != 0) error("a region without stealing is not split");
    const For* outer = how.parallel && one_loop ? as<For>(s.collect->body->body[0]) : nullptr;
    const std::uint32_t made = outer != nullptr ? row_stores(*outer->body) : 0;
    if (how.shared_rows != 0 && how.shared_rows != made) {
      error(fmt::format("tasks share all {} rows of a position or none, not {}", made, how.shared_rows));
    }
    if (schedule_ == nullptr) schedule_ = &how;
    if (schedule_->steal != how.steal || schedule_->stack != how.stack) {
      error("the regions of a module have one way of stealing and one kind of stack");
    }
  }

  /// Runs the analysis only for regions with a loop in another mode than Together.
  void lane_modes(const Region& s) {
    std::vector<const For*> loops;
    for_each_stmt(*s.collect->body, [&](const Stmt& stmt) {
      const For* loop = as<For>(&stmt);
      if (loop != nullptr && loop->mode != LaneMode::Together) loops.push_back(loop);
    });
    if (loops.empty()) return;
    if (s.schedule.group < 2) error("a group of one lane walks its loops together");
    const LaneModes modes(facts_, s);
    for (const For* loop : loops) {
      const For* inner = modes.inner_of(*loop);
      if (modes.of(*loop) != loop->mode || (inner != nullptr && inner->mode != LaneMode::Items)) {
        error(fmt::format("the lanes of a group cannot walk the loop over `%{}` by {}", loop->vars[0]->hint,
                          keyword(loop->mode)));
      }
    }
  }

  const Module& module_;
  Facts facts_;
  Diagnostics& diagnostics_;
  std::size_t errors_before_;
  std::vector<std::string> path_;
  std::unordered_set<const Expr*> visited_;
  std::unordered_set<const Var*> scope_;
  std::unordered_set<const Var*> bound_ever_;
  std::vector<const Var*> bound_here_;
  std::unordered_map<const Var*, SinkKind> open_sinks_;
  std::unordered_set<const Var*> free_buffers_;
  std::unordered_set<const Var*> counters_;
  const Expr* counted_ = nullptr;  ///< The value of the current `store`, if it uses counters.
  std::unordered_set<const Var*> region_sinks_;
  std::vector<const Var*> states_;      ///< Of the open `repeat`.
  const Schedule* schedule_ = nullptr;  ///< Of the first region.
  int loops_ = 0;
  int collects_ = 0;
  bool in_region_ = false;
  bool region_collect_ = false;
};

}  // namespace

bool verify(const Module& module, Diagnostics& diagnostics) { return Verifier(module, diagnostics).run(); }

}  // namespace matcha::ir
