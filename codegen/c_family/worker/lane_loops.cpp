#include "codegen/c_family/worker/lane_loops.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "codegen/c_family/worker/statements.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::worker {

namespace {

/// Adds the values that `value` reads to `out`, except the results of counts.
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

/// Keeps the members of `lets` that `read` contains, and adds the values that they read in turn to `read`.
void keep_read(std::vector<const ir::Let*>& lets, const ir::FlatLoop& flat, std::unordered_set<const ir::Var*>& read) {
  std::vector<const ir::Let*> kept;
  for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
    if (!read.contains((*let)->var)) continue;
    read_beside(*(*let)->value, flat, read);
    kept.insert(kept.begin(), *let);
  }
  lets = kept;
}

/// The values in front of a lane's counts that are read behind them. Their names are out of scope by then.
struct ReboundValues {
  std::unordered_set<const ir::Var*> read;
  std::vector<const ir::Let*> lets;  ///< Of the loop's body.
  bool item = false;                 ///< The loop's item, or its position.
};
ReboundValues read_behind(const ir::For& loop, const ir::FlatLoop& flat) {
  ReboundValues again;
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

void LaneLoops::flat(const ir::For& loop, const ir::FlatLoop& flat, bool on_spine) {
  const int level = place_.level();
  std::vector<std::string> lists = walks_.bind_lists(loop);
  std::string walk = on_spine ? fmt::format("walk{}", level) : "";
  std::string index = on_spine ? fmt::format("at{}", level) : fmt::format("step{}", text_.number());
  std::string end = on_spine ? walk + ".end" : "end";
  const std::string size = walks_.length(loop, lists);
  const bool outermost = on_spine && level == 0;
  std::string from = steps(loop, index, walk, size, outermost);
  if (on_spine) walks_.leave_spine("leave_lanes", walk, from);
  sides(flat);
  out_.line(fmt::format("const auto {} = {} + w.lane();", index, from));
  out_.open(fmt::format("if ({}{} < {})", outermost ? "w.lane() < w.lanes() && " : "", index, end));
  const bool before = lanes_.set_private(true);
  walks_.bind_items(loop, lists, index);
  until_count(*loop.body, flat);
  out_.close();
  after_count(*loop.body, flat, on_spine ? from : "", [&] {
    const ReboundValues again = read_behind(loop, flat);
    if (again.item) walks_.bind_items(loop, lists, index, kUnused);
    for (const ir::Let* let : again.lets) statements_.stmt(*let);
  });
  lanes_.set_private(before);
  if (outermost) out_.line(fmt::format("w.finish_positions(task, smaller(u64({} - {}), w.lanes()));", end, from));
  out_.close();
}

void LaneLoops::list(const ir::For& loop, const ir::Yield& item) {
  const std::vector<std::string> lists = walks_.bind_lists(loop);
  const int number = text_.number();
  const std::string index = fmt::format("step{}", number), passes = fmt::format("passes{}", number);
  const std::string from = steps(loop, index, "", walks_.length(loop, lists), false);
  out_.line(fmt::format("const auto {} = {} + w.lane();", index, from));
  out_.line(fmt::format("bool {} = false;", passes));
  std::vector<std::string> values;
  for (std::size_t i = 0; i < item.values.size(); ++i) {
    values.push_back(fmt::format("item{}_{}", number, i));
    out_.line(fmt::format("{} {}{{}};", Expressions::type(item.sink->type->columns[i]), values[i]));
  }
  out_.open(fmt::format("if ({} < end)", index));
  const bool before = lanes_.set_private(true);
  walks_.bind_items(loop, lists, index);
  int opened = 1;
  open_chain(*loop.body, opened);
  out_.line(passes + " = true;");
  for (std::size_t i = 0; i < values.size(); ++i) {
    out_.line(fmt::format("{} = {};", values[i], expressions_.text(item.values[i])));
  }
  lanes_.set_private(before);
  while (opened-- > 0) out_.close();
  out_.line(fmt::format("w.append_each({}, {}, {}, {}, {});", sinks_.accumulator(item.sink), item.loc.line,
                        item.loc.column, passes, fmt::join(values, ", ")));
  out_.close();
}

const ir::Stmt* LaneLoops::open_chain(const ir::Block& b, int& opened) {
  for (const ir::Stmt* stmt : b.body.first(b.body.size() - 1)) statements_.stmt(*stmt);
  const ir::If* branch = ir::as<ir::If>(b.body.back());
  if (branch == nullptr) return b.body.back();
  out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
  ++opened;
  return open_chain(*branch->then_body, opened);
}

void LaneLoops::arcs(const ir::For& outer, const ir::Expr* arcs_graph) {
  const ir::For& inner = plan_.arcs_loop();
  const ir::FlatLoop& flat = *plan_.flat_of(inner);
  std::string graph = expressions_.text(arcs_graph, Precedence::Primary);
  std::string from = steps(inner, "arc", "walk0", graph + ".arc_count", true);
  walks_.leave_spine("leave_lanes", "walk0", from);
  sides(flat);
  out_.line(fmt::format("const auto arc = {} + w.lane();", from));
  out_.open("if (w.lane() < w.lanes() && arc < walk0.end)");
  const std::string bind_vertex = fmt::format("const u32 {} = {}.sources[arc];", names_.of(outer.vars[0]), graph);
  out_.line(bind_vertex + Text::comment(outer));
  const bool before = lanes_.set_private(true);
  int opened = 0;
  open_chain(*outer.body, opened);
  const std::string index = "at1";
  std::vector<std::string> lists;
  const auto bind_place = [&] {
    lists = walks_.bind_lists(inner);
    out_.line(fmt::format("const u64 {} = place_of_arc({}, arc, {});", index, graph, lists[0]));
  };
  bind_place();
  out_.open(fmt::format("if ({} < u64({}.size))", index, lists[0]));
  walks_.bind_items(inner, lists, index);
  until_count(*inner.body, flat);
  for (int i = 0; i < opened + 2; ++i) out_.close();
  after_count(*inner.body, flat, from, [&] {
    ReboundValues again = read_behind(inner, flat);
    std::vector<const ir::Let*> lets = lets_before(*outer.body, &inner);
    if (again.item) read_beside(*inner.lists[0], flat, again.read);
    keep_read(lets, flat, again.read);
    if (again.read.contains(outer.vars[0])) out_.line(bind_vertex);
    for (const ir::Let* let : lets) statements_.stmt(*let);
    if (again.item) {
      bind_place();
      walks_.bind_items(inner, lists, index, kUnused);
    }
    for (const ir::Let* let : again.lets) statements_.stmt(*let);
  });
  lanes_.set_private(before);
  out_.line("w.finish_positions(task, smaller(walk0.end - from_arc, w.lanes()));");
  out_.close();
}

std::string LaneLoops::steps(const ir::For& loop, const std::string& index, const std::string& walk,
                             const std::string& size, bool outermost) {
  const std::string from = "from_" + index;
  if (!walk.empty()) walks_.begin_spine(walk, size);
  out_.open(fmt::format("for ({0}; {1} < {2}; {1} += {3})",
                        walk.empty() ? fmt::format("auto [{}, end] = all_of({})", from, size)
                                     : fmt::format("auto {} = {}.begin", from, walk),
                        from, walk.empty() ? "end" : walk + ".end", outermost ? "w.lanes()" : "w.kLanes"),
            Text::comment(loop));
  return from;
}

void LaneLoops::sides(const ir::FlatLoop& flat) {
  for (std::size_t i = 0; i < flat.counts.size(); ++i) out_.line(fmt::format("Sides {}{{}};", numbered("counted", i)));
}

void LaneLoops::until_count(const ir::Block& b, const ir::FlatLoop& flat) {
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
      statements_.stmt(*stmt);
      continue;
    }
    out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
    until_count(*branch->then_body, flat);
    out_.close();
  }
}

void LaneLoops::after_count(const ir::Block& b, const ir::FlatLoop& flat, const std::string& from,
                            const std::function<void()>& bind_again) {
  if (flat.counts.empty()) return;
  const ir::Stmt* last = b.body.back();
  const auto reader = std::find(b.body.begin(), b.body.end(), flat.reader);
  if (reader == b.body.end()) return after_count(*ir::as<ir::If>(last)->then_body, flat, from, bind_again);
  for (std::size_t i = 0; i < flat.counts.size(); ++i) {
    const std::string counted = numbered("counted", i);
    // Lists of the first position may have been handed on, and with them the rest of the position.
    if (i > 0 && !from.empty()) out_.line(fmt::format("if (!counted.there) {} = {{}};", counted));
    const std::string task = from.empty() || i > 0 ? "" : fmt::format("task, {}, ", place_.arguments(from));
    std::string count = fmt::format("w.{}({}{})", flat.shares ? "share_flat" : "count_flat", task, counted);
    if (!ir::keeps_found(flat.counts[i].size->operands[0]->kind)) {
      const std::string hits = numbered("hits", i);
      out_.line(fmt::format("const i64 {} = {};", hits, count));
      count = fmt::format("i64({}.whole) - {}", counted, hits);
    }
    if (flat.shares) {
      out_.line(fmt::format("{} += {};", sinks_.lane_part(ir::as<ir::Yield>(last)->sink), count));
      return;
    }
    out_.line(fmt::format("const i64 {} = {};", numbered("count", i), count));
    expressions_.replace(flat.counts[i].size, numbered("count", i));
  }
  out_.open("if (counted.there)");
  bind_again();
  for (auto stmt = reader; stmt != b.body.end(); ++stmt) statements_.stmt(**stmt);
  expressions_.replace_none();
  out_.close();
}

}  // namespace matcha::codegen::worker
