#include <algorithm>

#include "codegen/c_family/frame.h"
#include "codegen/c_family/worker_emitter.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;
using ir::ScalarKind;
using ir::SinkKind;

void WorkerEmitter::declare_accumulator(const ir::Sink& sink, bool region) {
  if (region && in_worker(sink)) return;
  std::string name = names_.of(sink.var) + "_";
  if (sink.kind == SinkKind::List) {
    out_.line(fmt::format("auto {} = filled({});", name, room(sink.var, sink.maybe_buffer)));
  } else if (sink.kind == SinkKind::Any || sink.kind == SinkKind::All) {
    out_.line(fmt::format("bool {} = {};", name, sink.kind == SinkKind::All));
  } else {
    out_.line(fmt::format("{} {}{{}};", accumulator_type(sink), name));
    if (region ? shared_counts_.contains(sink.var) : in_lanes(sink.var)) {
      out_.line(fmt::format("i128 {}lanes{{}};", name));
    }
  }
  kinds_[sink.var] = sink.kind;
}

void WorkerEmitter::flush(const ir::Sink& sink) {
  if (in_worker(sink)) return;
  if (shared_counts_.contains(sink.var)) {
    out_.line(fmt::format("{0} += w.gather({0}lanes);", accumulator(sink.var)));
  }
  out_.line(fmt::format("w.merge({}, {});", sink_index_[sink.var],
                        sink.kind == SinkKind::Any   ? fmt::format("AnyOf{{{}}}", accumulator(sink.var))
                        : sink.kind == SinkKind::All ? fmt::format("AllOf{{{}}}", accumulator(sink.var))
                                                     : accumulator(sink.var)));
}

bool WorkerEmitter::counts_a_set(const ir::Yield& yield) {
  const ir::Expr* value = yield.values[0];
  if (value->kind == Kind::Convert) value = value->operands[0];
  if (value->kind != Kind::Size) return false;
  const ir::Expr* set = value->operands[0];
  return set->type->bits || ir::is_set_op(set->kind);
}

void WorkerEmitter::find_shared_counts(const ir::Region& region) {
  if (group_ <= 1) return;
  std::set<const ir::Var*> sums;
  for (const ir::Sink& sink : region.collect->sinks) {
    if (sink.kind == SinkKind::Sum && !sink.var->type->is_scalar(ScalarKind::F64)) sums.insert(sink.var);
  }
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& s) {
    const ir::Yield* yield = ir::as<ir::Yield>(&s);
    if (yield == nullptr || !sums.contains(yield->sink)) return;
    if (counts_a_set(*yield) || in_lanes(yield->sink)) shared_counts_.insert(yield->sink);
  });
}

void WorkerEmitter::end_shared_counts() {
  for (const ir::Var* sum : shared_counts_) out_.line(fmt::format("{}lanes += {};", accumulator(sum), share(sum)));
}

bool WorkerEmitter::in_lanes(const ir::Var* sum) const { return lane_sums_.contains(sum); }

std::size_t WorkerEmitter::buffer_index(const ir::Var* buffer) const {
  const auto found = std::find_if(region_->buffers.begin(), region_->buffers.end(),
                                  [&](const ir::Buffer& b) { return b.var == buffer; });
  return static_cast<std::size_t>(found - region_->buffers.begin());
}

std::string WorkerEmitter::room(const ir::Var* list, const ir::Var* buffer) const {
  if (list->type->bits || list->type->is_bit_rows()) return fmt::format("w.buffer<u64>({})", buffer_index(buffer));
  std::string columns = Expressions::type(list->type).substr(5);
  columns.pop_back();
  std::string_view call = region_->schedule.stack == ir::Stack::Paged ? "paged_buffer" : "buffer";
  return fmt::format("w.{}<{}>({})", call, columns, buffer_index(buffer));
}

void WorkerEmitter::common(const ir::Store& s) {
  std::string arguments;
  for (const ir::Expr* operand : s.value->operands) arguments += expressions_.text(operand) + ", ";
  const ir::Var* part = ir::as<ir::Var>(s.value->operands[3]);
  const ir::For* parts = part != nullptr ? ir::as<ir::For>(facts_.definition(part)) : nullptr;
  const bool in_parts =
      region_->schedule.shared_rows != 0 && loops_ == 2 && parts != nullptr && ir::common_of_parts(*parts) == &s;
  const std::string shared = in_parts ? next_rows() : "w.kNotShared";
  out_.line(fmt::format("const i64 {} = {}(w, {}w.buffer<u32>({}), {}, {}, {});", names_.of(s.var),
                        ir::keyword(*s.value), arguments, buffer_index(s.buffer), shared, s.value->loc.line,
                        s.value->loc.column));
}

std::string WorkerEmitter::next_rows() {
  const std::uint32_t rows = region_->schedule.shared_rows;
  const std::string number = rows == 1 ? "at0" : fmt::format("at0 * {} + {}", rows, next_rows_);
  ++next_rows_;
  return number;
}

std::string WorkerEmitter::shared_rows(const ir::Store& s) {
  if (!s.var->type->is_bit_rows() || region_->schedule.shared_rows == 0 || loops_ != 1) return "";
  return fmt::format(", w.shared_rows(task, {}, u64({}.size))", next_rows(),
                     expressions_.text(s.value->operands[1], Precedence::Primary));
}

void WorkerEmitter::yield(const ir::Yield& s) {
  std::string values;
  for (const ir::Expr* value : s.values) values += (values.empty() ? "" : ", ") + expressions_.text(value);
  const auto index = sink_index_.find(s.sink);
  bool rows = s.sink->type->is_list();
  bool exact = s.sink->type->is_scalar(ScalarKind::F64) && kinds_.find(s.sink) == kinds_.end();
  if (index != sink_index_.end() && rows) {
    std::string_view place = level_ == 0 ? "0" : level_ == 1 ? "w.place(at0)" : "w.place(at0, at1)";
    out_.line(fmt::format("w.row({}, {}, {});", index->second, place, values));
    return;
  }
  if (index != sink_index_.end() && exact) {
    out_.line(fmt::format("w.sum_exactly({}, {});", index->second, values));
    return;
  }
  std::string name = accumulator(s.sink);
  const auto part = parts_.find(s.sink);
  const ir::Expr* count = s.values[0]->kind == Kind::Convert ? s.values[0]->operands[0] : s.values[0];
  if (counts_a_set(s) && !expressions_.replaces(count) && (part != parts_.end() || shared_counts_.contains(s.sink))) {
    out_.line(fmt::format("{} += {};", part != parts_.end() ? part->second : share(s.sink),
                          expressions_.share(count->operands[0])));
    return;
  }
  switch (kinds_[s.sink]) {
    case SinkKind::Sum:
      if (lane_private_) name += "lanes";
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

void WorkerEmitter::collect(const ir::Collect& s) {
  for (const ir::Sink& sink : s.sinks) declare_accumulator(sink, false);
  block_without_spine(*s.body);
  for (const ir::Sink& sink : s.sinks) {
    std::string name = accumulator(sink.var);
    if (in_lanes(sink.var)) out_.line(fmt::format("{0} += w.gather({0}lanes);", name));
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

}  // namespace matcha::codegen
