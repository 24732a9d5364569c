#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "codegen/c_family/worker_emitter.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/common/bits.h"

namespace matcha::codegen {

using ir::Kind;

namespace {

/// Adds the values that `value` reads to `out`, except for those of counts, which are known.
void read_beside(const ir::Expr& value, const ir::FlatLoop& flat, std::unordered_set<const ir::Var*>& out) {
  if (flat.find(&value) != nullptr) return;
  if (const ir::Var* var = ir::as<ir::Var>(&value)) out.insert(var);
  for (const ir::Expr* operand : value.operands) read_beside(*operand, flat, out);
}

/// `counted`, `counted1`, …
std::string numbered(std::string_view name, std::size_t number) {
  return number == 0 ? std::string(name) : fmt::format("{}{}", name, number);
}

/// The values that are bound in a chain of values and conditions in front of `end`, in order.
std::vector<const ir::Let*> lets_before(const ir::Block& b, const ir::Stmt* end) {
  std::vector<const ir::Let*> lets;
  bool before = true;
  ir::for_each_stmt(b, [&](const ir::Stmt& stmt) {
    before = before && &stmt != end;
    const ir::Let* let = before ? ir::as<ir::Let>(&stmt) : nullptr;
    if (let != nullptr) lets.push_back(let);
  });
  return lets;
}

/// Leaves of `lets` those that `read` names, and adds to `read` what they read in turn.
void keep_read(std::vector<const ir::Let*>& lets, const ir::FlatLoop& flat, std::unordered_set<const ir::Var*>& read) {
  std::vector<const ir::Let*> kept;
  for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
    if (!read.contains((*let)->var)) continue;
    read_beside(*(*let)->value, flat, read);
    kept.insert(kept.begin(), *let);
  }
  lets = kept;
}

/// What of a lane's values in front of its counts is read once they are known: names are out of scope by then.
struct Again {
  std::unordered_set<const ir::Var*> read;
  std::vector<const ir::Let*> lets;  ///< Of the loop's body.
  bool item = false;                 ///< The loop's item, or its position.
};
Again read_again(const ir::For& loop, const ir::FlatLoop& flat) {
  Again again;
  again.lets = lets_before(*loop.body, flat.reader);
  bool after = false;
  ir::for_each_stmt(*loop.body, [&](const ir::Stmt& stmt) {
    after = after || &stmt == flat.reader;
    if (after) ir::for_each_expr(stmt, [&](const ir::Expr& e) { read_beside(e, flat, again.read); });
  });
  keep_read(again.lets, flat, again.read);
  again.item = again.read.contains(loop.maybe_index) ||
               std::ranges::any_of(loop.vars, [&](const ir::Var* var) { return again.read.contains(var); });
  return again;
}

}  // namespace

bool WorkerEmitter::set_lane_private(bool alone) {
  expressions_.set_in_lanes(alone);
  return std::exchange(lane_private_, alone);
}

void WorkerEmitter::flat_loop(const ir::For& loop, const ir::FlatLoop& flat, bool on_spine) {
  std::vector<std::string> lists = bind_lists(loop);
  std::string walk = on_spine ? fmt::format("walk{}", level_) : "";
  std::string index = on_spine ? fmt::format("at{}", level_) : fmt::format("step{}", walked_++);
  std::string end = on_spine ? walk + ".end" : "end";
  const std::string size = length(loop, lists);
  std::string from = lane_steps(loop, index, on_spine ? walk : "", size, on_spine && level_ == 0);
  if (on_spine) leave("leave_lanes", walk, from);
  sides(flat);
  out_.line(fmt::format("const auto {} = {} + w.lane();", index, from));
  bool outermost = on_spine && level_ == 0;
  out_.open(fmt::format("if ({}{} < {})", outermost ? "w.lane() < w.lanes() && " : "", index, end));
  bool before = set_lane_private(true);
  bind_items(loop, lists, index);
  until_count(*loop.body, flat);
  out_.close();
  after_count(*loop.body, flat, on_spine ? from : "", [&] {
    const Again again = read_again(loop, flat);
    if (again.item) bind_items(loop, lists, index, kUnused);
    for (const ir::Let* let : again.lets) this->stmt(*let);
  });
  set_lane_private(before);
  if (on_spine && level_ == 0)
    out_.line(fmt::format("w.finish_positions(task, smaller(u64({} - {}), w.lanes()));", end, from));
  out_.close();
}

void WorkerEmitter::list_loop(const ir::For& loop, const ir::Yield& item) {
  const std::vector<std::string> lists = bind_lists(loop);
  const int number = walked_++;
  const std::string index = fmt::format("step{}", number), passes = fmt::format("passes{}", number);
  const std::string from = lane_steps(loop, index, "", length(loop, lists), false);
  out_.line(fmt::format("const auto {} = {} + w.lane();", index, from));
  out_.line(fmt::format("bool {} = false;", passes));
  std::vector<std::string> values;
  for (std::size_t i = 0; i < item.values.size(); ++i) {
    values.push_back(fmt::format("item{}_{}", number, i));
    out_.line(fmt::format("{} {}{{}};", Expressions::type(item.sink->type->columns[i]), values[i]));
  }
  out_.open(fmt::format("if ({} < end)", index));
  const bool before = set_lane_private(true);
  bind_items(loop, lists, index);
  int opened = 1;
  for (const ir::Block* b = loop.body; b != nullptr;) {
    for (const ir::Stmt* stmt : b->body.first(b->body.size() - 1)) this->stmt(*stmt);
    const ir::If* branch = ir::as<ir::If>(b->body.back());
    b = branch != nullptr ? branch->then_body : nullptr;
    if (branch == nullptr) continue;
    out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
    ++opened;
  }
  out_.line(passes + " = true;");
  for (std::size_t i = 0; i < values.size(); ++i) {
    out_.line(fmt::format("{} = {};", values[i], expressions_.text(item.values[i])));
  }
  set_lane_private(before);
  while (opened-- > 0) out_.close();
  out_.line(fmt::format("w.append_each({}, {}, {}, {}, {});", accumulator(item.sink), item.loc.line, item.loc.column,
                        passes, fmt::join(values, ", ")));
  out_.close();
}

void WorkerEmitter::flat_arcs(const ir::For& outer, const EmittedRegion& entry) {
  const ir::For& inner = *flat_loops_->arcs_loop();
  const ir::FlatLoop& flat = *flat_loops_->find(inner);
  std::string graph = expressions_.text(entry.arcs_graph, Precedence::Primary);
  std::string from = lane_steps(inner, "arc", "walk0", graph + ".arc_count", true);
  leave("leave_lanes", "walk0", from);
  sides(flat);
  out_.line(fmt::format("const auto arc = {} + w.lane();", from));
  out_.open("if (w.lane() < w.lanes() && arc < walk0.end)");
  const std::string bind_vertex = fmt::format("const u32 {} = {}.sources[arc];", names_.of(outer.vars[0]), graph);
  out_.line(bind_vertex + comment(outer));
  bool before = set_lane_private(true);
  int opened = 0;
  const ir::Block* b = outer.body;
  while (true) {
    for (const ir::Stmt* stmt : b->body.first(b->body.size() - 1)) this->stmt(*stmt);
    const ir::If* branch = ir::as<ir::If>(b->body.back());
    if (branch == nullptr) break;
    out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
    b = branch->then_body;
    ++opened;
  }
  const std::string index = "at1";
  std::vector<std::string> lists;
  const auto bind_place = [&] {
    lists = bind_lists(inner);
    out_.line(fmt::format("const u64 {} = place_of_arc({}, arc, {});", index, graph, lists[0]));
  };
  bind_place();
  out_.open(fmt::format("if ({} < u64({}.size))", index, lists[0]));
  bind_items(inner, lists, index);
  until_count(*inner.body, flat);
  for (int i = 0; i < opened + 2; ++i) out_.close();
  after_count(*inner.body, flat, from, [&] {
    Again again = read_again(inner, flat);
    std::vector<const ir::Let*> lets = lets_before(*outer.body, &inner);
    if (again.item) read_beside(*inner.lists[0], flat, again.read);
    keep_read(lets, flat, again.read);
    if (again.read.contains(outer.vars[0])) out_.line(bind_vertex);
    for (const ir::Let* let : lets) this->stmt(*let);
    if (again.item) {
      bind_place();
      bind_items(inner, lists, index, kUnused);
    }
    for (const ir::Let* let : again.lets) this->stmt(*let);
  });
  set_lane_private(before);
  out_.line("w.finish_positions(task, smaller(walk0.end - from_arc, w.lanes()));");
  out_.close();
}

std::string WorkerEmitter::lane_steps(const ir::For& loop, const std::string& index, const std::string& walk,
                                      const std::string& size, bool outermost) {
  const std::string from = "from_" + index;
  if (!walk.empty()) begin_walk(walk, size);
  out_.open(fmt::format("for ({0}; {1} < {2}; {1} += {3})",
                        walk.empty() ? fmt::format("auto [{}, end] = all_of({})", from, size)
                                     : fmt::format("auto {} = {}.begin", from, walk),
                        from, walk.empty() ? "end" : walk + ".end", outermost ? "w.lanes()" : "w.kLanes"),
            comment(loop));
  return from;
}

void WorkerEmitter::sides(const ir::FlatLoop& flat) {
  for (std::size_t i = 0; i < flat.counts.size(); ++i) out_.line(fmt::format("Sides {}{{}};", numbered("counted", i)));
}

void WorkerEmitter::until_count(const ir::Block& b, const ir::FlatLoop& flat) {
  for (const ir::Stmt* stmt : b.body) {
    if (stmt == flat.reader) {
      for (std::size_t i = 0; i < flat.counts.size(); ++i) {
        const auto [a, b] = expressions_.lists(flat.counts[i].size->operands[0]);
        out_.line(fmt::format("{} = {}({}, {});", numbered("counted", i),
                              flat.counts[i].ascending ? "sides" : "sides_repeats", a, b));
      }
      return;
    }
    const ir::If* branch = ir::as<ir::If>(stmt);
    if (branch == nullptr || flat.counts.empty()) {
      this->stmt(*stmt);
      continue;
    }
    out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
    until_count(*branch->then_body, flat);
    out_.close();
  }
}

void WorkerEmitter::after_count(const ir::Block& b, const ir::FlatLoop& flat, const std::string& from,
                                const std::function<void()>& bind_again) {
  if (flat.counts.empty()) return;
  const ir::Stmt* last = b.body.back();
  const auto reader = std::find(b.body.begin(), b.body.end(), flat.reader);
  if (reader == b.body.end()) return after_count(*ir::as<ir::If>(last)->then_body, flat, from, bind_again);
  for (std::size_t i = 0; i < flat.counts.size(); ++i) {
    const std::string counted = numbered("counted", i);
    // Of the first one the lists may be somebody else's afterwards, and so all of the position.
    if (i > 0 && !from.empty()) out_.line(fmt::format("if (!counted.there) {} = {{}};", counted));
    std::string count = fmt::format("w.{}({}{})", flat.shares ? "share_flat" : "count_flat",
                                    from.empty() || i > 0 ? "" : fmt::format("task, {}, ", place(from)), counted);
    if (!ir::keeps_found(flat.counts[i].size->operands[0]->kind)) {
      const std::string hits = numbered("hits", i);
      out_.line(fmt::format("const i64 {} = {};", hits, count));
      count = fmt::format("i64({}.whole) - {}", counted, hits);
    }
    if (flat.shares) {
      const ir::Var* sum = ir::as<ir::Yield>(last)->sink;
      out_.line(fmt::format("{} += {};", of_region(sum) ? share(sum) : accumulator(sum) + "lanes", count));
      return;
    }
    out_.line(fmt::format("const i64 {} = {};", numbered("count", i), count));
    expressions_.replace(flat.counts[i].size, numbered("count", i));
  }
  out_.open("if (counted.there)");
  if (bind_again) bind_again();
  for (auto stmt = reader; stmt != b.body.end(); ++stmt) this->stmt(**stmt);
  expressions_.replace_none();
  out_.close();
}

void WorkerEmitter::keep(const ir::Store& s) {
  constexpr std::int64_t kMostWords = 64;
  const std::int64_t words =
      static_cast<std::int64_t>(matcha_program::words_for(static_cast<std::uint64_t>(facts_.longest(s.value))));
  std::string value = expressions_.text(s.value);
  const auto uses = uses_.find(s.var);
  if (uses != uses_.end() && uses->second > 1 && words <= kMostWords) {
    std::string place = fmt::format("{}_words", names_.of(s.var));
    out_.line(fmt::format("alignas(16) u64 {}[{}];", place, words));
    value = fmt::format("keep_bits({}, {})", value, place);
  }
  out_.line(fmt::format("const auto {} = {};", names_.of(s.var), value));
}

}  // namespace matcha::codegen
