#include <algorithm>
#include <unordered_set>
#include <utility>

#include "codegen/c_family/worker_emitter.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;

namespace {

/// A look-up in a list takes a lane longer than to ask another one for what it found.
bool looks_up(const ir::Let& let) {
  bool found = false;
  ir::for_each_node(*let.value, [&](const ir::Expr& node) {
    found = found || node.kind == Kind::Contains || node.kind == Kind::HasEdge;
  });
  return found && let.var->type->is_scalar();
}

}  // namespace

/// What is bound in front of the second loop and read in it; names are out of scope there.
struct WorkerEmitter::OfFirst {
  std::vector<const ir::Let*> asked;           ///< Of the lane that has the item,
  std::vector<std::string> kept;               ///< by these names.
  std::unordered_set<const ir::Stmt*> unread;  ///< Not bound again.

  OfFirst(const ir::For& first, const ir::For& second, int number) {
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
      if (before && (stmt.kind == Kind::Let || stmt.kind == Kind::Store)) values.push_back(&stmt);
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

void WorkerEmitter::pair_loop(const ir::For& first, const ir::For& second, bool on_spine) {
  const bool bits = first.lists[0]->type->bits;
  const std::vector<std::string> lists = bind_lists(first);
  const int number = walked_++;
  const std::string walk = on_spine ? fmt::format("walk{}", level_) : "";
  const std::string index = on_spine ? fmt::format("at{}", level_) : fmt::format("step{}", number);
  const std::string end = on_spine ? walk + ".end" : "end";
  const std::string size = bits ? fmt::format("u32(w.size_of_bits({}))", lists[0]) : length(first, lists);
  if (on_spine) begin_walk(walk, size);
  const std::string from = "from_" + index;
  out_.open(fmt::format("for ({}; {} < {};)",
                        on_spine ? fmt::format("auto {} = {}.begin", from, walk)
                                 : fmt::format("auto [{}, end] = all_of({})", from, size),
                        from, end),
            comment(first));
  if (on_spine) leave("leave_lanes", walk, from);
  const std::string own = fmt::format("own{}", number), position = fmt::format("first{}", number);
  const std::string pairs = fmt::format("pairs{}", number);
  const bool before = set_lane_private(true);
  ++depth_;
  loops_ += 2;
  const auto bind = [&](const std::string& value) {
    if (!bits) return bind_items(first, lists, index, kUnused);
    if (!value.empty()) out_.line(fmt::format("const i64 {} = {};", names_.of(first.vars[0]), value));
    if (first.maybe_index != nullptr) {
      out_.line(fmt::format("{}const i64 {} = i64({});", kUnused, names_.of(first.maybe_index), index));
    }
  };
  const OfFirst values(first, second, number);
  out_.line(fmt::format("u32 {} = 0;", own));
  if (bits) out_.line(fmt::format("u32 {} = 0;", position));
  for (std::size_t i = 0; i < values.asked.size(); ++i) {
    out_.line(fmt::format("{} {}{{}};", Expressions::type(values.asked[i]->var->type), values.kept[i]));
  }
  out_.line(fmt::format("const auto lane{0} = {1} + w.lane();", number, from));
  out_.open(fmt::format("if (lane{} < {})", number, end));
  out_.line(fmt::format("{}const auto {} = lane{};", kUnused, index, number));
  bind(fmt::format("nth_position({}, u32({}))", lists[0], index));
  if (bits) out_.line(fmt::format("{} = u32({});", position, names_.of(first.vars[0])));
  before_second(*first.body, second, values, own);
  out_.close();
  const Parts parts = begin_parts(second, number);
  out_.line(fmt::format("auto {} = w.walk_pairs({});", pairs, own));
  out_.open(fmt::format("while ({}.next())", pairs), comment(second));
  for (std::size_t i = 0; i < values.asked.size(); ++i) {
    out_.line(fmt::format("const auto {} = {}.of_owner({});", names_.of(values.asked[i]->var), pairs, values.kept[i]));
  }
  const std::string asked = fmt::format("{}.of_owner({})", pairs, position);
  if (bits) out_.line(fmt::format("{}const i64 {} = i64({});", kUnused, names_.of(first.vars[0]), asked));
  out_.line(fmt::format("if (!{}.there) continue;", pairs));
  out_.line(fmt::format("{}const auto {} = {} + {}.owner;", kUnused, index, from, pairs));
  bind("");
  bind_again(*first.body, second, values);
  if (second.lists[0]->type->bits) {
    out_.line(fmt::format("const i64 {} = nth_position({}, {}.rank);", names_.of(second.vars[0]),
                          expressions_.text(second.lists[0]), pairs));
    if (second.maybe_index != nullptr) {
      out_.line(fmt::format("const i64 {} = i64({}.rank);", names_.of(second.maybe_index), pairs));
    }
  } else {
    bind_items(second, bind_lists(second), pairs + ".rank");
  }
  const std::string lanes = std::exchange(lanes_, pairs + ".lanes");
  block(*second.body);
  lanes_ = lanes;
  out_.close();
  loops_ -= 2;
  --depth_;
  set_lane_private(before);
  end_parts(parts);
  out_.line(fmt::format("{} += {}.taken;", from, pairs));
  out_.close();
}

void WorkerEmitter::before_second(const ir::Block& b, const ir::For& second, const OfFirst& values,
                                  const std::string& count) {
  for (const ir::Stmt* stmt : b.body) {
    if (stmt == &second) {
      const std::string size = second.lists[0]->type->bits
                                   ? fmt::format("count_bits({})", expressions_.text(second.lists[0]))
                                   : length(second, bind_lists(second));
      out_.line(fmt::format("{} = u32({});", count, size));
    } else if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
      before_second(*branch->then_body, second, values, count);
      out_.close();
    } else if (const ir::Store* store = ir::as<ir::Store>(stmt)) {
      out_.line(fmt::format("const auto {} = {};", names_.of(store->var), expressions_.text(store->value)));
    } else {
      this->stmt(*stmt);
      const auto asked = std::ranges::find(values.asked, stmt);
      if (asked == values.asked.end()) continue;
      out_.line(fmt::format("{} = {};", values.kept[static_cast<std::size_t>(asked - values.asked.begin())],
                            names_.of((*asked)->var)));
    }
  }
}

void WorkerEmitter::bind_again(const ir::Block& b, const ir::For& second, const OfFirst& values) {
  for (const ir::Stmt* stmt : b.body) {
    if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      bind_again(*branch->then_body, second, values);
    } else if (stmt != &second && !values.unread.contains(stmt)) {
      this->stmt(*stmt);
    }
  }
}

WorkerEmitter::Parts WorkerEmitter::begin_parts(const ir::For& loop, int number) {
  Parts parts;
  bool innermost = true;
  ir::for_each_stmt(*loop.body, [&](const ir::Stmt& s) {
    innermost = innermost && s.kind != Kind::For;
    const ir::Yield* yield = ir::as<ir::Yield>(&s);
    if (yield == nullptr || !counts_a_set(*yield)) return;
    const bool known = std::ranges::any_of(parts, [&](const auto& part) { return part.first == yield->sink; });
    if (!known) parts.emplace_back(yield->sink, fmt::format("{}_part{}", names_.of(yield->sink), number));
  });
  if (!innermost) return {};
  for (const auto& [sum, part] : parts) {
    out_.line(fmt::format("i64 {} = 0;", part));
    parts_[sum] = part;
  }
  return parts;
}

void WorkerEmitter::end_parts(const Parts& parts) {
  for (const auto& [sum, part] : parts) {
    out_.line(fmt::format("{} += {};", shared_counts_.contains(sum) ? share(sum) : accumulator(sum) + "lanes", part));
    parts_.erase(sum);
  }
}

}  // namespace matcha::codegen
