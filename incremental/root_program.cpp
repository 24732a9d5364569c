#include "incremental/root_program.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "codegen/host/evaluator.h"
#include "ir/match.h"
#include "session/message_log.h"

namespace matcha::session::stream {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kAllArcs = std::numeric_limits<std::uint64_t>::max();
/// Smaller balls are finished before another thread is awake.
constexpr std::uint64_t kArcsOfOneThread = 20000;

/// A graph with the fewest facts, true for all parts of another graph: it has a vertex without a label.
ResidentGraph::Shared least_graph(const runtime::Graph& like) {
  runtime::GraphArrays arrays;
  arrays.offsets = runtime::Buffer<std::uint64_t>(2);
  std::ranges::fill(arrays.offsets, 0);
  arrays.neighbors = runtime::Buffer<std::uint32_t>(0);
  arrays.labels = runtime::Buffer<std::int64_t>(1);
  arrays.labels[0] = runtime::kNoLabel;
  runtime::GraphFacts facts;
  facts.directed = like.facts().directed;
  auto universe = std::make_shared<const runtime::Universe>(runtime::Universe::identity(1));
  runtime::Graph made = runtime::Graph::from_arrays(std::move(universe), std::move(arrays), facts);
  made.set_dictionary(std::make_shared<const runtime::LabelDictionary>(like.dictionary()));
  return ResidentGraph::from_graph(std::move(made));
}

bool same_sinks(const std::vector<RootSink>& a, const std::vector<RootSink>& b) {
  return std::ranges::equal(a, b, [](const RootSink& x, const RootSink& y) { return x.kind == y.kind; });
}

}  // namespace

Status RootProgram::compile(const ResidentGraph::Shared& graph, bool of_some, Compiled& out) {
  ProgramRequest request = request_;
  request.may_lack_labels = true;
  ResidentGraph::Shared first = graph;
  if (of_some) {
    request.device = "cpu";
    request.order = "id";
    first = least_graph(graph->graph());
  }
  const auto made = std::make_shared<Compiled>();
  const bool directed = graph->graph().facts().directed;
  request.rewrite = [made, wanted = options_, of_some, directed](ir::Context& context, const ir::Module& nests) {
    made->module = nests;
    made->reads = ir::read_roots(nests, directed);
    made->problem = made->reads.problem.empty() ? results_problem(nests) : made->reads.problem;
    if (!made->problem.empty()) return nests;
    // For all roots, rows are also needed if labels may get other codes.
    made->computes_with_labels = computes_with_labels(nests);
    const bool rows = wanted.rows || (wanted.changes && (of_some || made->computes_with_labels));
    made->sinks = root_sinks(nests, rows);
    // Degrees that rows do not give are passed in.
    made->params = {of_some, of_some && made->reads.degrees > made->reads.rows};
    return root_module(context, nests, made->sinks, made->params);
  };
  std::unique_ptr<Prepared> prepared;
  const Status status = Prepared::make(request, first, reading_, reporter_, prepared);
  out = std::move(*made);
  out.prepared = std::move(prepared);
  return status;
}

std::string RootProgram::problem() const {
  for (const Compiled* each : {&whole_, &some_}) {
    if (!each->problem.empty()) return each->problem;
  }
  if (!same_sinks(whole_.sinks, some_.sinks)) return "the loops over all vertices are others";
  return sinks_problem(whole_.sinks, has_rows_);
}

std::unique_ptr<RootProgram> RootProgram::make(const ProgramRequest& request, const ProgramOptions& options,
                                               const ResidentGraph::Shared& graph, const Prepared::Reading& reading,
                                               std::shared_ptr<const Reporter> reporter, std::string& why) {
  const auto ignored = std::make_shared<const MessageLog>();
  std::unique_ptr<RootProgram> made(new RootProgram(request, options, reading, ignored));
  // Both modules have the same errors.
  Status status = made->compile(graph, true, made->some_);
  if (status == Status::Ok && !made->some_.problem.empty()) {
    why = made->some_.problem;
    return nullptr;
  }
  made->reporter_ = std::move(reporter);
  if (status == Status::Ok) status = made->compile(graph, false, made->whole_);
  if (status != Status::Ok) {
    why = "the program cannot be compiled for single vertices";
    return nullptr;
  }
  made->has_rows_ = made->prepared().signature().result->is_list();
  why = made->problem();
  if (!why.empty()) return nullptr;
  for (const RootSink& sink : made->whole_.sinks) made->totals_.emplace_back(sink);
  return made;
}

Status RootProgram::recompile(const ResidentGraph::Shared& graph) {
  Status status = compile(graph, false, whole_);
  if (status == Status::Ok) status = compile(graph, true, some_);
  if (status != Status::Ok) return status;
  if (const std::string why = problem(); !why.empty()) return reporter_->error(Status::Run, why);
  is_valid_ = false;
  last_stays_ = true;
  return Status::Ok;
}

codegen::RunOutcome RootProgram::run(const Compiled& compiled, codegen::RunOptions how,
                                     std::span<const codegen::Argument> more, Found& found) const {
  found = {};
  found.universe = compiled.prepared->shared_universe();
  if (compiled.sinks.size() == 1 && compiled.sinks[0].keep == StoredForm::Rows) {
    // Rows of a single list are passed on as they are found.
    how.on_rows = [&](const codegen::Rows& block) {
      found.rows.append(block, *found.universe);
      return true;
    };
  }
  codegen::RunOutcome outcome = compiled.prepared->run(std::move(how), more);
  if (auto* const result = std::get_if<codegen::RunResult>(&outcome)) found.values = std::move(result->values);
  found.rows.sort();
  return outcome;
}

bool RootProgram::put(const Found& found, int sign) {
  bool fits = found.values.size() == totals_.size();
  for (std::size_t i = 0; fits && i < totals_.size(); ++i) {
    fits = totals_[i].add(found.values[i], sign, *found.universe);
  }
  return fits;
}

Status RootProgram::keep_rows(const ResidentGraph::Shared& graph) {
  if (!reports_rows() || !whole_.computes_with_labels || !last_ || !is_valid_) return Status::Ok;
  RowSet rows;
  const Status status = run_roots(graph, {}, &rows);
  old_rows_ = std::move(rows);
  return status;
}

Status RootProgram::run_roots(const ResidentGraph::Shared& graph, const ApplyOptions& options, RowSet* maybe_rows) {
  const Stopwatch watch;
  roots_.reset();
  is_valid_ = false;
  if (!whole_.prepared->rebind(graph)) {
    if (const Status status = compile(graph, false, whole_); status != Status::Ok) return status;
    if (const std::string why = problem(); !why.empty()) return reporter_->error(Status::Run, why);
  }
  for (RootTotal& total : totals_) total.clear();
  codegen::RunOptions how = options.run;
  const bool streams = whole_.sinks.size() == 1 && whole_.sinks[0].keep == StoredForm::Values;
  if (streams) {
    // A list of all yields would take much memory.
    how.on_rows = [this](const codegen::Rows& items) {
      totals_[0].add(items, 1, whole_.prepared->universe());
      return true;
    };
  }
  Found found;
  const codegen::RunOutcome outcome = run(whole_, std::move(how), {}, found);
  if (const auto* const failed = std::get_if<codegen::RunError>(&outcome)) {
    return whole_.prepared->report(*failed, *reporter_);
  }
  const codegen::Ending ending = std::get<codegen::RunResult>(outcome).ending;
  if (ending == codegen::Ending::Deadline) return Status::Timeout;
  if (ending != codegen::Ending::Complete) return Status::Interrupted;
  if (!streams && !put(found, 1)) return reporter_->error(Status::Run, "a number of the program is beyond 128 bits");
  is_valid_ = true;
  if (options_.rows || old_rows_) changes_ = difference(found.rows, old_rows_.value_or(RowSet()));
  old_rows_.reset();
  if (maybe_rows != nullptr) *maybe_rows = std::move(found.rows);
  cost_.add_whole_run_time(graph->graph().edge_count(), watch.ms());
  return Status::Ok;
}

std::uint64_t RootProgram::most_arcs(const BatchContext& at) const {
  if (at.options.strategy == BatchStrategy::EdgeByEdge || reports_rows()) return kAllArcs;
  if (at.options.strategy == BatchStrategy::Recount || cost_.needs_measurement(at.present.edge_count())) return 0;
  return cost_.most_arcs(at.present.edge_count());
}

Status RootProgram::run_ball(const BatchContext& at, const std::vector<std::int64_t>& roots, Found& found, bool& fits) {
  fits = false;
  const Stopwatch watch;
  const std::uint64_t most = most_arcs(at);
  std::optional<Ball> ball = at.balls.around(at.present, some_.reads, roots, at.dictionary, most);
  if (!ball) return Status::Ok;
  if (!some_.prepared->rebind(ball->graph)) {
    return reporter_->error(Status::Run, "a program does not fit a part of its graph");
  }
  runtime::InputList list;
  runtime::InputColumn& column = list.columns.emplace_back();
  column.kind = runtime::ColumnKind::Vertex;
  column.ranks = ball->roots;
  list.size = column.ranks.size();
  const codegen::Argument more[] = {static_cast<const runtime::InputList*>(&list), &ball->degrees};
  codegen::RunOptions how = at.options.run;
  if (ball->arcs < kArcsOfOneThread) how.threads = 1;
  if (most != kAllArcs) {
    // After this time running the whole graph is faster.
    const std::chrono::duration<double, std::milli> whole_run(cost_.whole_run_ms(at.present.edge_count()));
    const auto limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(whole_run);
    how.deadline = how.deadline ? std::min(*how.deadline, limit) : limit;
  }
  const codegen::RunOutcome outcome = run(some_, how, {more, some_.params.degrees ? 2U : 1U}, found);
  cost_.add_ball_time(ball->arcs, watch.ms());
  const auto* const result = std::get_if<codegen::RunResult>(&outcome);
  // The run on the whole graph reports the same error.
  if (result == nullptr) return Status::Ok;
  if (result->ending == codegen::Ending::Deadline) {
    const std::optional<Clock::time_point>& asked = at.options.run.deadline;
    return asked && Clock::now() >= *asked ? Status::Timeout : Status::Ok;
  }
  fits = result->ending == codegen::Ending::Complete;
  return fits ? Status::Ok : Status::Interrupted;
}

Status RootProgram::before(const BatchContext& at) {
  const Stopwatch watch;
  roots_.reset();
  changes_ = {};
  if (old_rows_) return Status::Ok;
  const std::uint64_t most = most_arcs(at);
  if (most == 0) {
    cost_.skip_roots();
    return Status::Ok;
  }
  std::optional<std::vector<std::int64_t>> roots = at.balls.touched(at.present, some_.reads, at.batch, most);
  bool fits = roots.has_value();
  if (fits) {
    if (const Status status = run_ball(at, *roots, was_, fits); status != Status::Ok) return status;
  }
  if (fits) {
    roots_ = std::move(*roots);
  } else {
    cost_.count_failure();
  }
  ms_ = watch.ms();
  return Status::Ok;
}

Status RootProgram::after(const BatchContext& at, bool& done) {
  const Stopwatch watch;
  done = false;
  if (!roots_) return Status::Ok;
  std::vector<std::int64_t> roots = std::move(*roots_);
  roots_.reset();
  for (const VertexChange& vertex : at.batch.vertices) {
    if (vertex.was && !vertex.is) std::erase(roots, vertex.id);
    if (!vertex.was && vertex.is) roots.push_back(vertex.id);
  }
  std::ranges::sort(roots);
  Found is;
  const Status status = run_ball(at, roots, is, done);
  if (!done) cost_.count_failure();
  if (status != Status::Ok || !done) return status;
  cost_.succeeded();
  done = put(is, 1) && put(was_, -1);
  if (reports_rows()) changes_ = difference(is.rows, was_.rows);
  cost_.add_roots_time(ms_ + watch.ms());
  return Status::Ok;
}

std::vector<Number> RootProgram::results() const {
  if (has_rows_) return {totals_[0].count()};
  codegen::host::Values values;
  std::vector<Number> numbers;
  codegen::host::Evaluator evaluator(values, some_.prepared->universe());
  for (std::size_t i = 0; i < some_.sinks.size(); ++i) {
    const RootSink& sink = some_.sinks[i];
    values.scalars[sink.var] = totals_[i].value();
  }
  for (const ir::Stmt* stmt : some_.module.body->body) {
    if (const auto* const let = ir::as<ir::Let>(stmt)) values.scalars[let->var] = evaluator.scalar(*let->value);
    const auto* const last = ir::as<ir::Return>(stmt);
    if (last == nullptr) continue;
    for (const ir::Expr* value : last->values) {
      const codegen::host::Scalar scalar = evaluator.scalar(*value);
      if (value->type->is_scalar(ir::ScalarKind::Vid)) {
        numbers.emplace_back(VertexNumber{std::get<std::int64_t>(scalar)});
      } else if (const auto* const narrow = std::get_if<std::int64_t>(&scalar)) {
        numbers.emplace_back(static_cast<__int128>(*narrow));
      } else if (const auto* const wide = std::get_if<__int128>(&scalar)) {
        numbers.emplace_back(*wide);
      } else if (const auto* const real = std::get_if<double>(&scalar)) {
        numbers.emplace_back(*real);
      } else {
        numbers.emplace_back(std::get<bool>(scalar));
      }
    }
  }
  return numbers;
}

Status RootProgram::refresh(const ResidentGraph::Shared& graph, const ApplyOptions& options) {
  const std::optional<std::vector<Number>> last = last_;
  Status status = run_roots(graph, options);
  Answer ignored;
  if (status == Status::Ok) status = answer(MaintenanceMethod::Recompute, ignored);
  if (std::exchange(last_stays_, false)) last_ = last;
  return status;
}

Status RootProgram::answer(MaintenanceMethod how, Answer& answer) {
  try {
    answer.total = results();
  } catch (const codegen::host::Trap& trap) {
    return some_.prepared->report({trap.error, trap.loc}, *reporter_);
  }
  answer.how = how;
  if (last_) answer.delta = difference(answer.total, *last_);
  if (last_ && reports_rows()) {
    answer.plus = changes_.count(1);
    answer.minus = changes_.count(-1);
  }
  if (options_.rows) answer.changes = std::move(changes_);
  changes_ = {};
  last_ = answer.total;
  return Status::Ok;
}

}  // namespace matcha::session::stream
