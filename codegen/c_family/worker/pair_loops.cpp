#include "codegen/c_family/worker/pair_loops.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/c_family/worker/statements.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::worker {

namespace {

/// True for a search in a list: asking the lane that has its result is cheaper than repeating it.
bool looks_up(const ir::Let& let) {
  bool found = false;
  ir::for_each_node(*let.value, [&](const ir::Expr& node) {
    found = found || node.kind == ir::Kind::Contains || node.kind == ir::Kind::HasEdge;
  });
  return found && let.var->type->is_scalar();
}

}  // namespace

/// Values bound in front of the second loop and read in it, where their names are out of scope.
struct PairLoops::FirstLoopValues {
  std::vector<const ir::Let*> asked;           ///< Read from the lane that has the item.
  std::vector<std::string> kept;               ///< Names of those values.
  std::unordered_set<const ir::Stmt*> unread;  ///< Not read, so not bound again.

  FirstLoopValues(const ir::For& first, const ir::For& second, int number) {
    std::unordered_set<const ir::Var*> read;
    const auto read_all = [&](const ir::Expr& e) {
      ir::for_each_node(e, [&](const ir::Expr& node) {
        if (const ir::Var* var = ir::as<ir::Var>(&node)) read.insert(var);
      });
    };
    ir::for_each_expr(second, read_all);
    ir::for_each_stmt(*second.body, [&](const ir::Stmt& stmt) { ir::for_each_expr(stmt, read_all); });
    std::vector<const ir::Stmt*> values;
    bool before = true;
    ir::for_each_stmt(*first.body, [&](const ir::Stmt& stmt) {
      before = before && &stmt != &second;
      if (before && (stmt.kind == ir::Kind::Let || stmt.kind == ir::Kind::Store)) values.push_back(&stmt);
    });
    for (auto value = values.rbegin(); value != values.rend(); ++value) {
      const ir::Let* let = ir::as<ir::Let>(*value);
      if (let != nullptr && (!read.contains(let->var) || looks_up(*let))) unread.insert(let);
      if (let != nullptr && read.contains(let->var) && looks_up(*let)) {
        kept.push_back(fmt::format("kept{}_{}", number, asked.size()));
        asked.push_back(let);
      }
      if (!unread.contains(*value)) ir::for_each_expr(**value, read_all);
    }
  }
};

/// Both loops and the names of a pair's values in the text.
struct PairLoops::Pair {
  const ir::For& first;
  const ir::For& second;
  int number;
  std::vector<std::string> lists;  ///< Lists of the first loop.
  std::string index;               ///< Index of its item.
  std::string from;                ///< Index of the first item held by the lanes.
  std::string end;                 ///< End of the items.
  FirstLoopValues values;

  bool bits() const { return first.lists[0]->type->bits; }
  /// The number of items of the second loop for the lane's item.
  std::string own() const { return fmt::format("own{}", number); }
  /// That item, if the first loop is over bits.
  std::string position() const { return fmt::format("first{}", number); }
  /// The walk over the pairs.
  std::string pairs() const { return fmt::format("pairs{}", number); }
};

void PairLoops::loop(const ir::For& first, const ir::For& second, bool on_spine) {
  std::vector<std::string> lists = walks_.bind_lists(first);
  const int number = text_.number();
  const std::string walk = on_spine ? fmt::format("walk{}", place_.level()) : "";
  const std::string index = on_spine ? fmt::format("at{}", place_.level()) : fmt::format("step{}", number);
  const Pair pair{first,
                  second,
                  number,
                  std::move(lists),
                  index,
                  "from_" + index,
                  on_spine ? walk + ".end" : "end",
                  FirstLoopValues(first, second, number)};
  const std::string size =
      pair.bits() ? fmt::format("u32(w.size_of_bits({}))", pair.lists[0]) : walks_.length(first, pair.lists);
  if (on_spine) walks_.begin_spine(walk, size);
  out_.open(fmt::format("for ({}; {} < {};)",
                        on_spine ? fmt::format("auto {} = {}.begin", pair.from, walk)
                                 : fmt::format("auto [{}, end] = all_of({})", pair.from, size),
                        pair.from, pair.end),
            Text::comment(first));
  if (on_spine) walks_.leave_spine("leave_lanes", walk, pair.from);
  const bool before = lanes_.set_private(true);
  place_.enter(2);
  find_owners(pair);
  const Sinks::Parts parts = sinks_.begin_parts(second, number);
  each_pair(pair);
  place_.leave(2);
  lanes_.set_private(before);
  sinks_.end_parts(parts);
  out_.line(fmt::format("{} += {}.taken;", pair.from, pair.pairs()));
  out_.close();
}

void PairLoops::find_owners(const Pair& pair) {
  out_.line(fmt::format("u32 {} = 0;", pair.own()));
  if (pair.bits()) out_.line(fmt::format("u32 {} = 0;", pair.position()));
  for (std::size_t i = 0; i < pair.values.asked.size(); ++i) {
    out_.line(fmt::format("{} {}{{}};", Expressions::type(pair.values.asked[i]->var->type), pair.values.kept[i]));
  }
  out_.line(fmt::format("const auto lane{0} = {1} + w.lane();", pair.number, pair.from));
  out_.open(fmt::format("if (lane{} < {})", pair.number, pair.end));
  out_.line(fmt::format("{}const auto {} = lane{};", kUnused, pair.index, pair.number));
  bind_first(pair, fmt::format("nth_position({}, u32({}))", pair.lists[0], pair.index));
  if (pair.bits()) out_.line(fmt::format("{} = u32({});", pair.position(), names_.of(pair.first.vars[0])));
  before_second(*pair.first.body, pair);
  out_.close();
}

void PairLoops::bind_first(const Pair& pair, const std::string& value) {
  if (!pair.bits()) return walks_.bind_items(pair.first, pair.lists, pair.index, kUnused);
  if (!value.empty()) out_.line(fmt::format("const i64 {} = {};", names_.of(pair.first.vars[0]), value));
  if (pair.first.maybe_index != nullptr) {
    out_.line(fmt::format("{}const i64 {} = i64({});", kUnused, names_.of(pair.first.maybe_index), pair.index));
  }
}

void PairLoops::before_second(const ir::Block& b, const Pair& pair) {
  for (const ir::Stmt* stmt : b.body) {
    if (stmt == &pair.second) {
      const std::string size = pair.second.lists[0]->type->bits
                                   ? fmt::format("count_bits({})", expressions_.text(pair.second.lists[0]))
                                   : walks_.length(pair.second, walks_.bind_lists(pair.second));
      out_.line(fmt::format("{} = u32({});", pair.own(), size));
    } else if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
      before_second(*branch->then_body, pair);
      out_.close();
    } else if (const ir::Store* store = ir::as<ir::Store>(stmt)) {
      out_.line(fmt::format("const auto {} = {};", names_.of(store->var), expressions_.text(store->value)));
    } else {
      statements_.stmt(*stmt);
      const auto asked = std::ranges::find(pair.values.asked, stmt);
      if (asked == pair.values.asked.end()) continue;
      out_.line(fmt::format("{} = {};", pair.values.kept[static_cast<std::size_t>(asked - pair.values.asked.begin())],
                            names_.of((*asked)->var)));
    }
  }
}

void PairLoops::each_pair(const Pair& pair) {
  const std::string pairs = pair.pairs();
  out_.line(fmt::format("auto {} = w.walk_pairs({});", pairs, pair.own()));
  out_.open(fmt::format("while ({}.next())", pairs), Text::comment(pair.second));
  for (std::size_t i = 0; i < pair.values.asked.size(); ++i) {
    out_.line(fmt::format("const auto {} = {}.of_owner({});", names_.of(pair.values.asked[i]->var), pairs,
                          pair.values.kept[i]));
  }
  if (pair.bits()) {
    const std::string asked = fmt::format("{}.of_owner({})", pairs, pair.position());
    out_.line(fmt::format("{}const i64 {} = i64({});", kUnused, names_.of(pair.first.vars[0]), asked));
  }
  out_.line(fmt::format("if (!{}.there) continue;", pairs));
  out_.line(fmt::format("{}const auto {} = {} + {}.owner;", kUnused, pair.index, pair.from, pairs));
  bind_first(pair, "");
  bind_again(*pair.first.body, pair);
  bind_second(pair);
  std::string lanes = lanes_.set_active(pairs + ".lanes");
  statements_.block(*pair.second.body);
  lanes_.set_active(std::move(lanes));
  out_.close();
}

void PairLoops::bind_second(const Pair& pair) {
  const ir::For& second = pair.second;
  if (!second.lists[0]->type->bits) {
    return walks_.bind_items(second, walks_.bind_lists(second), pair.pairs() + ".rank");
  }
  out_.line(fmt::format("const i64 {} = nth_position({}, {}.rank);", names_.of(second.vars[0]),
                        expressions_.text(second.lists[0]), pair.pairs()));
  if (second.maybe_index != nullptr) {
    out_.line(fmt::format("const i64 {} = i64({}.rank);", names_.of(second.maybe_index), pair.pairs()));
  }
}

void PairLoops::bind_again(const ir::Block& b, const Pair& pair) {
  for (const ir::Stmt* stmt : b.body) {
    if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      bind_again(*branch->then_body, pair);
    } else if (stmt != &pair.second && !pair.values.unread.contains(stmt)) {
      statements_.stmt(*stmt);
    }
  }
}

}  // namespace matcha::codegen::worker
