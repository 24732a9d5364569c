#include "codegen/interp/runner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ir/analysis/facts.h"
#include "ir/match.h"
#include "runtime/graph/page_limit.h"

namespace matcha::codegen::interp {

namespace {

using runtime::TrapCode;

constexpr std::uint64_t kLookEvery = 64;
constexpr std::uint64_t kReportEvery = 1024;

/// The sink whose rows are the one result of the module and are read nowhere else; null if there is none.
const ir::Var* returned_sink(const ir::Module& module) {
  const ir::Return* last = ir::as<ir::Return>(module.body->body.back());
  const ir::Var* var = last->values.size() == 1 ? ir::as<ir::Var>(last->values[0]) : nullptr;
  if (var == nullptr || !var->type->is_list() || ir::count_uses(*module.body)[var] != 1) return nullptr;
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    const ir::Collect* collect = region != nullptr ? region->collect : ir::as<ir::Collect>(stmt);
    if (collect == nullptr) continue;
    for (const ir::Sink& sink : collect->sinks) {
      if (sink.var == var) return var;
    }
  }
  return nullptr;
}

bool streams(const ir::Module& module, const RunOptions& options) {
  const ir::Return* last = ir::as<ir::Return>(module.body->body.back());
  return options.on_rows && last->values.size() == 1 && last->values[0]->type->is_list();
}

}  // namespace

Runner::Runner(const ir::Module& module, const std::unordered_set<const ir::Expr*>& shared,
               const runtime::Universe& universe, const RunOptions& options)
    : module_(module), options_(options), environment_{universe, options, {}}, evaluate_(environment_, shared) {
  if (!streams(module, options)) return;
  const ir::Return* last = ir::as<ir::Return>(module.body->body.back());
  stream_ = std::make_unique<RowStream>(*last->values[0]->type, options.on_rows);
  maybe_stream_sink_ = returned_sink(module);
}

RunOutcome Runner::run(std::span<const Argument> arguments) {
  RunResult result;
  try {
    bind(arguments);
    const std::span<const ir::Stmt* const> body = module_.body->body;
    const ir::Repeat* rounds = nullptr;
    std::size_t first = 0;
    std::int64_t done = 0;
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (const ir::Return* last = ir::as<ir::Return>(body[at])) {
        results(*last, result);
      } else if (const ir::Repeat* begin = ir::as<ir::Repeat>(body[at])) {
        rounds = begin;
        first = at;
        done = 0;
        std::vector<Value> starts;
        for (const ir::Expr* start : begin->starts) starts.push_back(evaluate_(*start));
        for (std::size_t i = 0; i < starts.size(); ++i) environment_.values[begin->vars[i]] = starts[i];
        rounds_wanted_ = std::get<std::int64_t>(evaluate_(*begin->times));
      } else if (const ir::Again* end = ir::as<ir::Again>(body[at])) {
        if (ending_) break;  // The value of a round that was cut short would look like an answer.
        if (again(*rounds, *end, ++done)) at = first;
      } else {
        stmt(*body[at]);
      }
    }
  } catch (const Trap& error) {
    // After an early ending a trap only means that a value was never computed.
    if (!ending_) return RunError{error.error, error.loc};
  }
  result.ending = ending_.value_or(Ending::Complete);
  result.rows = stream_ != nullptr ? stream_->rows() : 0;
  result.positions = positions_;
  return result;
}

void Runner::results(const ir::Return& s, RunResult& result) {
  if (stream_ != nullptr) {
    if (maybe_stream_sink_ == nullptr) {
      ListPtr list = std::get<ListPtr>(evaluate_(*s.values[0]));
      for (std::size_t row = 0; row < list->rows; ++row) {
        std::vector<Value> values;
        for (const std::vector<Value>& column : list->columns) values.push_back(column[row]);
        if (!stream_->add(values)) break;
      }
    }
    stream_->finish();
    if (stream_->refused() && !ending_) ending_ = Ending::RowsRefused;
    result.values.emplace_back(static_cast<__int128>(stream_->rows()));
    return;
  }
  for (const ir::Expr* e : s.values) {
    Value value = evaluate_(*e);
    if (const bool* truth = std::get_if<bool>(&value)) {
      result.values.emplace_back(*truth);
    } else if (const Vid* vertex = std::get_if<Vid>(&value)) {
      result.values.emplace_back(VertexValue{vertex->rank});
    } else if (const std::int64_t* narrow = std::get_if<std::int64_t>(&value)) {
      result.values.emplace_back(static_cast<__int128>(*narrow));
    } else if (const __int128* wide = std::get_if<__int128>(&value)) {
      result.values.emplace_back(*wide);
    } else if (const double* real = std::get_if<double>(&value)) {
      result.values.emplace_back(*real);
    } else if (e->type->is_flat_list()) {
      result.values.emplace_back(list_result(*e->type, *std::get<ListPtr>(value)));
    } else {
      trap("a graph or a list of lists cannot be a result", e->loc);
    }
  }
}

namespace {

/// Equal bit for bit, so that a NaN equals itself.
bool same_bits(const Value& a, const Value& b) {
  if (const double* x = std::get_if<double>(&a))
    return std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(std::get<double>(b));
  const ListPtr* list = std::get_if<ListPtr>(&a);
  if (list == nullptr) return !less(a, b) && !less(b, a);
  const List& x = **list;
  const List& y = *std::get<ListPtr>(b);
  bool same = x.rows == y.rows;
  for (std::size_t c = 0; same && c < x.columns.size(); ++c)
    same = std::ranges::equal(x.columns[c], y.columns[c], same_bits);
  return same;
}

}  // namespace

/// The end of round number `done`, from 1; true if there is another one.
bool Runner::again(const ir::Repeat& begin, const ir::Again& end, std::int64_t done) {
  std::vector<Value> values;
  for (const ir::Expr* value : end.values) values.push_back(evaluate_(*value));
  bool same = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    same = same && same_bits(values[i], environment_.values.at(begin.vars[i]));
  const bool last = end.until_equal ? same : done >= rounds_wanted_;
  if (!last && done >= rounds_wanted_) trap(TrapCode::NoFixedPoint, end.loc);
  const bool none = !end.until_equal && rounds_wanted_ < 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!last) environment_.values[begin.vars[i]] = values[i];
    if (last) environment_.values[end.vars[i]] = none ? environment_.values.at(begin.vars[i]) : values[i];
  }
  return !last;
}

void Runner::poll() {
  if (iterations_++ % kLookEvery != 0 || ending_) return;
  runtime::PageLimit::check();
  if (options_.stop_request != nullptr && options_.stop_request->load(std::memory_order_relaxed) != 0) {
    ending_ = Ending::Stopped;
  } else if (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline) {
    ending_ = Ending::Deadline;
  }
}

void Runner::block(const ir::Block& b) {
  for (const ir::Stmt* s : b.body) stmt(*s);
}

void Runner::stmt(const ir::Stmt& s) {
  ir::match(
      s, [&](const ir::Block& b) { block(b); },
      [&](const ir::Let& l) { environment_.values[l.var] = evaluate_(*l.value); }, [&](const ir::For& f) { loop(f); },
      [&](const ir::If& i) {
        if (std::get<bool>(evaluate_(*i.cond))) {
          block(*i.then_body);
        } else if (i.maybe_else != nullptr) {
          block(*i.maybe_else);
        }
      },
      [&](const ir::Collect& c) { collect(c); }, [&](const ir::Yield& y) { yield(y); },
      [&](const ir::BuildGraph& b) { build_graph(b); },
      [&](const ir::OneOf<ir::Repeat, ir::Again, ir::Return> auto&) {}, [&](const ir::Region& r) { region(r); },
      [&](const ir::Store& st) { store(st); });
}

void Runner::loop(const ir::For& s) {
  std::vector<ListPtr> lists;
  for (const ir::Expr* list : s.lists) lists.push_back(std::get<ListPtr>(evaluate_(*list)));
  std::size_t rows = lists[0]->rows;
  for (const ListPtr& list : lists) {
    if (list->rows != rows) trap(TrapCode::LengthMismatch, s.loc);
  }
  bool outermost = depth_++ == 0;
  for (std::size_t row = 0; row < rows; ++row) {
    poll();
    if (ending_) break;
    std::size_t next = 0;
    for (const ListPtr& list : lists) {
      for (const std::vector<Value>& column : list->columns) environment_.values[s.vars[next++]] = column[row];
    }
    if (s.maybe_index != nullptr) environment_.values[s.maybe_index] = static_cast<std::int64_t>(row);
    block(*s.body);
    if (!outermost || ending_) continue;
    ++positions_;
    bool report = (row + 1) % kReportEvery == 0 || row + 1 == rows;
    if (report && options_.on_progress) options_.on_progress(row + 1, rows);
  }
  --depth_;
}

void Runner::collect(const ir::Collect& s) {
  for (const ir::Sink& sink : s.sinks) {
    const auto capacity = capacities_.find(sink.maybe_buffer);
    sinks_.erase(sink.var);
    if (capacity != capacities_.end()) {
      sinks_.emplace(sink.var, SinkState(sink, capacity->second));
    } else {
      sinks_.emplace(sink.var, SinkState(sink));
    }
  }
  block(*s.body);
  for (const ir::Sink& sink : s.sinks) {
    SourceLoc loc = s.loc.valid() ? s.loc : sink.var->loc;
    environment_.values[sink.var] = sinks_.at(sink.var).result(loc);
    sinks_.erase(sink.var);
  }
}

void Runner::yield(const ir::Yield& s) {
  std::vector<Value> values;
  for (const ir::Expr* e : s.values) values.push_back(evaluate_(*e));
  if (ending_) return;  // The values may be those of a part of a loop.
  if (s.sink != maybe_stream_sink_) {
    sinks_.at(s.sink).add(std::move(values), s.loc);
  } else if (!stream_->add(values)) {
    ending_ = Ending::RowsRefused;
  }
}

void Runner::region(const ir::Region& s) {
  capacities_.clear();
  for (const ir::Buffer& buffer : s.buffers) {
    std::int64_t capacity = std::get<std::int64_t>(evaluate_(*buffer.capacity));
    capacities_[buffer.var] = static_cast<std::uint64_t>(std::max<std::int64_t>(capacity, 0));
  }
  collect(*s.collect);
  capacities_.clear();
}

void Runner::store(const ir::Store& s) {
  Value value = evaluate_(*s.value);
  if (s.value->kind != ir::Kind::CommonNeighbors && std::get<ListPtr>(value)->rows > capacities_.at(s.buffer))
    trap(TrapCode::CapacityExceeded, s.loc);
  environment_.values[s.var] = std::move(value);
}

}  // namespace matcha::codegen::interp
