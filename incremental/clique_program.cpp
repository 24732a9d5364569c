#include "incremental/clique_program.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engines/cliques/counter.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/machine.h"

namespace matcha::session::stream {

namespace {

using Clock = std::chrono::steady_clock;
using runtime::WideInt;
using runtime::cliques::EdgeOrder;
using runtime::cliques::EdgeOutcome;
using runtime::stream::DynamicGraph;

unsigned bit_width(const WideInt& number) {
  for (unsigned i = 4; i-- > 0;) {
    if (number.words[i] != 0) return 64 * i + static_cast<unsigned>(std::bit_width(number.words[i]));
  }
  return 0;
}

void add(std::vector<WideInt>& to, const std::vector<WideInt>& more) {
  to.resize(std::max(to.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

}  // namespace

CliqueProgram::CliqueProgram(ProgramRequest request, const ProgramOptions& options, std::uint32_t size,
                             Prepared::Reading reading, std::shared_ptr<const Reporter> reporter)
    : request_(std::move(request)),
      options_(options),
      size_(size),
      reading_(std::move(reading)),
      reporter_(std::move(reporter)) {
  request_.matches = false;
  request_.may_lack_labels = true;
}

Status CliqueProgram::make(const ProgramRequest& request, const ProgramOptions& options, std::uint32_t size,
                           const ResidentGraph::Shared& graph, const Prepared::Reading& reading,
                           std::shared_ptr<const Reporter> reporter, std::unique_ptr<BatchProgram>& out) {
  std::unique_ptr<CliqueProgram> made(new CliqueProgram(request, options, size, reading, std::move(reporter)));
  const Status status = made->recompile(graph);
  if (status == Status::Ok) out = std::move(made);
  return status;
}

Status CliqueProgram::recompile(const ResidentGraph::Shared& graph) {
  prepared_.reset();
  return Prepared::make(request_, graph, reading_, reporter_, prepared_);
}

void CliqueProgram::invalidate(bool also_last) {
  is_valid_ = false;
  if (also_last) last_.reset();
}

Status CliqueProgram::count_all(const ResidentGraph::Shared& graph, const ApplyOptions& options, Counts& found) {
  if (!prepared_->rebind(graph)) {
    if (const Status status = recompile(graph); status != Status::Ok) return status;
  }
  const codegen::RunOutcome outcome = prepared_->run(options.run);
  if (const auto* const failed = std::get_if<codegen::RunError>(&outcome)) {
    return prepared_->report(*failed, *reporter_);
  }
  const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
  if (result.ending == codegen::Ending::Deadline) return Status::Timeout;
  if (result.ending != codegen::Ending::Complete) return Status::Interrupted;
  found.clear();
  for (const codegen::ResultValue& value : result.values) {
    const auto* const wide = std::get_if<WideInt>(&value);
    found.push_back(wide != nullptr ? *wide : WideInt(static_cast<unsigned __int128>(std::get<__int128>(value))));
  }
  return Status::Ok;
}

Status CliqueProgram::run_whole(const ResidentGraph::Shared& graph, const ApplyOptions& options, double layout_ms) {
  const Stopwatch watch;
  const Status status = count_all(graph, options, counts_);
  if (status != Status::Ok) return status;
  is_valid_ = true;
  whole_ms_ = watch.ms() + layout_ms;
  whole_edges_ = graph->graph().edge_count();
  return status;
}

Status CliqueProgram::refresh(const ResidentGraph::Shared& graph, const ApplyOptions& options) {
  const Status status = run_whole(graph, options, 0);
  if (status == Status::Ok) last_ = counts_;
  return status;
}

std::optional<Clock::time_point> CliqueProgram::time_limit(const BatchContext& at) const {
  if (at.options.strategy == BatchStrategy::EdgeByEdge || !whole_ms_) return at.options.run.deadline;
  constexpr std::uint64_t kFewEdges = 1000;
  const double edges = static_cast<double>(at.present.edge_count() + kFewEdges);
  const std::chrono::duration<double, std::milli> whole(*whole_ms_ * edges /
                                                        static_cast<double>(whole_edges_ + kFewEdges));
  const Clock::time_point limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(whole);
  return at.options.run.deadline ? std::min(*at.options.run.deadline, limit) : limit;
}

Status CliqueProgram::count_at(const std::vector<EdgeChange>& edges, const BatchContext& at,
                               std::optional<Counts>& found) {
  bits_ = 0;
  found = Counts();
  if (edges.empty()) return Status::Ok;
  found.reset();
  if (at.options.strategy == BatchStrategy::Recount || batches_to_skip_ != 0) return Status::Ok;
  const DynamicGraph& graph = at.present.graph();
  std::vector<EdgeOrder::Edge> ends;
  ends.reserve(edges.size());
  for (const EdgeChange& edge : edges) {
    const std::optional<std::uint32_t> u = at.present.number(edge.u), v = at.present.number(edge.v);
    if (!u || !v) return reporter_->error(Status::Run, "the batch does not fit the graph: an edge has no end");
    ends.emplace_back(graph.place(*u), graph.place(*v));
  }
  const unsigned threads = at.options.run.threads != 0 ? at.options.run.threads : runtime::machine().threads;
  if (!counter_ || counter_threads_ != threads) {
    counter_.emplace(size_, at.options.run.tier.value_or(runtime::best_tier()), threads);
    counter_threads_ = threads;
  }
  const auto near = [&graph](std::uint32_t place) { return graph.after(place); };
  const runtime::Result<EdgeOutcome> outcome = counter_->count(
      EdgeOrder(std::move(ends)), near, graph.rows(false).size(), {at.options.run.stop_request, time_limit(at)});
  if (!outcome) return reporter_->error(outcome.error());
  if (outcome->end == runtime::motif::End::Stopped) return Status::Interrupted;
  if (outcome->end == runtime::motif::End::Deadline) {
    // The next batches do without trees, the more the more often that happens.
    constexpr unsigned kMostSkipped = 8;
    const std::optional<Clock::time_point>& asked = at.options.run.deadline;
    failures_ = std::min(2 * failures_ + 1, kMostSkipped);
    batches_to_skip_ = failures_ + 1;
    return asked && Clock::now() >= *asked ? Status::Timeout : Status::Ok;
  }
  bits_ = outcome->bits;
  const Counts& counts = outcome->counts;
  if (size_ != 0) {
    found = Counts{size_ < counts.size() ? counts[size_] : WideInt()};
  } else {
    found =
        Counts(counts.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(counts.size())), counts.end());
  }
  return Status::Ok;
}

Status CliqueProgram::before(const BatchContext& at) {
  rest_.reset();
  wants_rest_ = false;
  if (batches_to_skip_ != 0) --batches_to_skip_;
  std::optional<Counts> minus;
  const Status status = count_at(at.batch.deleted, at, minus);
  if (status != Status::Ok) return status;
  if (minus) {
    rest_ = counts_;
    for (std::size_t i = 0; i < minus->size() && i < rest_->size(); ++i) (*rest_)[i] -= (*minus)[i];
  } else {
    wants_rest_ = options_.changes && size_ != 0 && !at.batch.inserted.empty();
  }
  return status;
}

Status CliqueProgram::run_rest(const ResidentGraph::Shared& graph, const ApplyOptions& options) {
  return count_all(graph, options, rest_.emplace());
}

bool CliqueProgram::fits(std::uint32_t bits) const {
  unsigned most = bits;
  for (const WideInt& count : counts_) most = std::max(most, bit_width(count));
  return most < WideInt::kBits;
}

Status CliqueProgram::after(const BatchContext& at, bool& done) {
  done = false;
  if (!rest_) return Status::Ok;
  std::optional<Counts> plus;
  const Status status = count_at(at.batch.inserted, at, plus);
  if (status != Status::Ok || !plus || !fits(bits_)) return status;
  failures_ = 0;
  counts_ = *rest_;
  add(counts_, *plus);
  if (size_ == 0) {
    counts_.front() = WideInt(at.present.vertex_count());
    while (counts_.size() > 1 && counts_.back().is_zero()) counts_.pop_back();
  }
  done = true;
  return status;
}

std::vector<Number> CliqueProgram::numbers(const Counts& counts) const {
  std::vector<Number> numbers;
  for (const WideInt& count : counts) numbers.push_back(number_of(count));
  if (size_ == 0) as_series(numbers);
  return numbers;
}

Status CliqueProgram::answer(MaintenanceMethod how, Answer& answer) {
  answer.how = how;
  answer.total = numbers(counts_);
  if (last_) {
    const std::vector<Number> last = numbers(*last_);
    answer.delta = difference(answer.total, last);
    // Without insertions all that is left is in common.
    if (size_ != 0 && options_.changes) answer.set_changes(answer.total, last, rest_ ? numbers(*rest_) : answer.total);
  }
  rest_.reset();
  last_ = counts_;
  return Status::Ok;
}

}  // namespace matcha::session::stream
