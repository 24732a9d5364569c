#include "codegen/c_family/worker/sinks.h"

#include <algorithm>
#include <unordered_set>

#include "codegen/c_family/frame.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::worker {

using ir::Kind;
using ir::ScalarKind;
using ir::SinkKind;

namespace {

/// True if the yielded value is the size of a set that is computed only for it.
bool counts_a_set(const ir::Yield& yield) {
  const ir::Expr* value = yield.values[0];
  if (value->kind == Kind::Convert) value = value->operands[0];
  if (value->kind != Kind::Size) return false;
  const ir::Expr* set = value->operands[0];
  return set->type->bits || ir::is_set_op(set->kind);
}

}  // namespace

Sinks::Sinks(Text& text, const ir::Region& region, const LanePlan& plan, const Place& place, const Lanes& lanes,
             const Stores& stores)
    : names_(text.names),
      expressions_(text.expressions),
      out_(text.out),
      region_(region),
      plan_(plan),
      place_(place),
      lanes_(lanes),
      stores_(stores) {
  for (std::size_t i = 0; i < region.collect->sinks.size(); ++i) index_[region.collect->sinks[i].var] = i;
  if (plan_.several()) find_shared_counts(region);
}

void Sinks::find_shared_counts(const ir::Region& region) {
  std::unordered_set<const ir::Var*> counted;
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& s) {
    const ir::Yield* yield = ir::as<ir::Yield>(&s);
    if (yield != nullptr && (counts_a_set(*yield) || plan_.adds_in_lanes(yield->sink))) counted.insert(yield->sink);
  });
  for (const ir::Sink& sink : region.collect->sinks) {
    const bool of_ints = sink.kind == SinkKind::Sum && !sink.var->type->is_scalar(ScalarKind::F64);
    if (of_ints && counted.contains(sink.var)) shared_counts_.push_back(sink.var);
  }
}

bool Sinks::is_shared(const ir::Var* sum) const {
  return std::ranges::find(shared_counts_, sum) != shared_counts_.end();
}

void Sinks::declare_totals() {
  for (const ir::Sink& sink : region_.collect->sinks) {
    if (!in_worker(sink)) declare(sink, true);
  }
}

void Sinks::declare(const ir::Sink& sink, bool of_region) {
  std::string name = names_.of(sink.var) + "_";
  if (sink.kind == SinkKind::List) {
    out_.line(fmt::format("auto {} = filled({});", name, stores_.room(sink.var, sink.maybe_buffer)));
  } else if (sink.kind == SinkKind::Any || sink.kind == SinkKind::All) {
    out_.line(fmt::format("bool {} = {};", name, sink.kind == SinkKind::All));
  } else {
    out_.line(fmt::format("{} {}{{}};", accumulator_type(sink), name));
    if (of_region ? is_shared(sink.var) : plan_.adds_in_lanes(sink.var)) {
      out_.line(fmt::format("i128 {}lanes{{}};", name));
    }
  }
  kinds_[sink.var] = sink.kind;
}

void Sinks::begin_task() {
  for (const ir::Var* sum : shared_counts_) out_.line(fmt::format("i64 {} = 0;", share(sum)));
}

void Sinks::end_task() {
  for (const ir::Var* sum : shared_counts_) out_.line(fmt::format("{}lanes += {};", accumulator(sum), share(sum)));
}

void Sinks::merge() {
  for (const ir::Sink& sink : region_.collect->sinks) {
    if (in_worker(sink)) continue;
    const std::string name = accumulator(sink.var);
    if (is_shared(sink.var)) out_.line(fmt::format("{0} += w.gather({0}lanes);", name));
    out_.line(fmt::format("w.merge({}, {});", index_[sink.var],
                          sink.kind == SinkKind::Any   ? fmt::format("AnyOf{{{}}}", name)
                          : sink.kind == SinkKind::All ? fmt::format("AllOf{{{}}}", name)
                                                       : name));
  }
}

void Sinks::yield(const ir::Yield& s) {
  std::string values;
  for (const ir::Expr* value : s.values) values += (values.empty() ? "" : ", ") + expressions_.text(value);
  const auto index = index_.find(s.sink);
  bool rows = s.sink->type->is_list();
  bool exact = s.sink->type->is_scalar(ScalarKind::F64) && kinds_.find(s.sink) == kinds_.end();
  if (index != index_.end() && rows) {
    const int level = place_.level();
    std::string_view place = level == 0 ? "0" : level == 1 ? "w.place(at0)" : "w.place(at0, at1)";
    out_.line(fmt::format("w.row({}, {}, {});", index->second, place, values));
    return;
  }
  if (index != index_.end() && exact) {
    out_.line(fmt::format("w.sum_exactly({}, {});", index->second, values));
    return;
  }
  std::string name = accumulator(s.sink);
  const auto part = lane_parts_.find(s.sink);
  const ir::Expr* count = s.values[0]->kind == Kind::Convert ? s.values[0]->operands[0] : s.values[0];
  if (counts_a_set(s) && !expressions_.replaces(count) && (part != lane_parts_.end() || is_shared(s.sink))) {
    out_.line(fmt::format("{} += {};", part != lane_parts_.end() ? part->second : share(s.sink),
                          expressions_.share(count->operands[0])));
    return;
  }
  switch (kinds_[s.sink]) {
    case SinkKind::Sum:
      if (lanes_.are_private()) name += "lanes";
      out_.line(s.sink->type->is_scalar(ScalarKind::F64) ? fmt::format("{}.add({});", name, values)
                                                         : fmt::format("{} += {};", name, values));
      break;
    case SinkKind::Min:
    case SinkKind::Max: out_.line(fmt::format("{}.take({});", name, values)); break;
    case SinkKind::Any:
      out_.line(fmt::format("{0} = {0} || {1};", name, expressions_.text(s.values[0], Precedence::And)));
      break;
    case SinkKind::All:
      out_.line(fmt::format("{0} = {0} && {1};", name, expressions_.text(s.values[0], Precedence::Equality)));
      break;
    case SinkKind::List:
      out_.line(fmt::format("w.append({}, {}, {}, {});", name, s.loc.line, s.loc.column, values));
      break;
  }
}

void Sinks::collect(const ir::Collect& s, const std::function<void()>& body) {
  for (const ir::Sink& sink : s.sinks) declare(sink, false);
  body();
  for (const ir::Sink& sink : s.sinks) {
    std::string name = accumulator(sink.var);
    if (plan_.adds_in_lanes(sink.var)) out_.line(fmt::format("{0} += w.gather({0}lanes);", name));
    std::string value = name;
    std::string place = fmt::format("{}, {}", s.loc.line, s.loc.column);
    if (sink.kind == SinkKind::Sum) {
      value =
          sink.var->type->is_scalar(ScalarKind::F64) ? name + ".value()" : fmt::format("w.narrow({}, {})", name, place);
    } else if (sink.kind == SinkKind::List) {
      value = name + ".list()";
    }
    const bool whole = sink.kind == SinkKind::List || ir::Facts::may_be_empty(sink.kind);
    std::string type = whole ? "auto" : Expressions::type(sink.var->type);
    out_.line(fmt::format("const {} {} = {};", type, names_.of(sink.var), value));
  }
}

std::string Sinks::lane_part(const ir::Var* sum) { return is_shared(sum) ? share(sum) : accumulator(sum) + "lanes"; }

Sinks::Parts Sinks::begin_parts(const ir::For& loop, int number) {
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
    lane_parts_[sum] = part;
  }
  return parts;
}

void Sinks::end_parts(const Parts& parts) {
  for (const auto& [sum, part] : parts) {
    out_.line(fmt::format("{} += {};", lane_part(sum), part));
    lane_parts_.erase(sum);
  }
}

}  // namespace matcha::codegen::worker
