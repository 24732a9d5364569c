#include "session/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "runtime/graph/generate.h"
#include "runtime/graph/random.h"
#include "runtime/machine.h"
#include "session/whole_graph.h"

namespace matcha::session {

namespace {

using Counts = std::vector<__int128>;

/// Sums of as many counts as there are samples, times their number, stay below 2^127.
constexpr __int128 kMostCount = static_cast<__int128>(1) << 86;

/// Appends the counts that a value is; false: it is none, or a larger one.
bool append_counts(const codegen::ResultValue& value, Counts& counts) {
  if (const __int128* const number = std::get_if<__int128>(&value)) {
    counts.push_back(*number);
    return *number < kMostCount;
  }
  if (const runtime::WideInt* const wide = std::get_if<runtime::WideInt>(&value)) {
    counts.push_back(wide->int128());
    return wide->fits_int128() && wide->int128() < kMostCount;
  }
  const codegen::ListValue* const list = std::get_if<codegen::ListValue>(&value);
  if (list == nullptr || list->columns.size() != 1) return false;
  const runtime::Column& column = list->columns.front();
  if (column.kind() != runtime::ElementKind::Int) return false;
  const std::int64_t* const numbers = static_cast<const std::int64_t*>(column.data());
  counts.insert(counts.end(), numbers, numbers + list->size);
  return true;
}

/// The place of a row among the counts of random graphs, which are `stride` apart.
void compare(const Counts& drawn, std::size_t at, std::size_t stride, SignificanceRow& row) {
  const std::size_t samples = drawn.size() / stride;
  const auto total_of = [](std::size_t part, std::size_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  __int128 sum = 0;  // Of differences, which are small where counts are large.
  std::size_t more = 1, less = 1;
  for (std::size_t i = at; i < drawn.size(); i += stride) {
    sum += drawn[i] - row.count;
    more += drawn[i] >= row.count ? 1 : 0;
    less += drawn[i] <= row.count ? 1 : 0;
  }
  const auto number = static_cast<__int128>(samples);
  const auto divisor = static_cast<long double>(samples);
  long double squares = 0;  // Of `samples` times the distance from the mean, which is exact.
  for (std::size_t i = at; i < drawn.size(); i += stride) {
    const auto distance = static_cast<long double>((drawn[i] - row.count) * number - sum);
    squares += distance * distance;
  }
  row.mean = static_cast<double>(static_cast<long double>(sum + row.count * number) / divisor);
  const long double variance = samples > 1 ? squares / (divisor * divisor * (divisor - 1)) : 0;
  row.deviation = static_cast<double>(std::sqrt(variance));
  row.more = total_of(more, samples + 1);
  row.less = total_of(less, samples + 1);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (sum == 0) {
    row.z = 0;
  } else if (variance == 0) {
    row.z = sum < 0 ? kInfinite : -kInfinite;
  } else {
    row.z = static_cast<double>(-static_cast<long double>(sum) / divisor / std::sqrt(variance));
  }
}

constexpr const char* kTimes = "times";

/// The graph with its times in another order; each is as likely.
runtime::Result<ResidentGraph::Shared> with_shuffled_times(const ResidentGraph& graph, std::uint64_t seed) {
  GivenList times = *graph.list(kTimes);
  runtime::Random random(seed);
  for (std::uint64_t left = times.size; left > 1; --left) {
    const std::uint64_t place = random.below(left);
    for (GivenList::Column& column : times.columns) {
      std::visit([&](auto& items) { std::swap(items[left - 1], items[place]); }, column);
    }
  }
  return graph.with_lists({{kTimes, std::move(times)}});
}

/// Says the first error of several threads.
class FirstError final : public Reporter {
 public:
  explicit FirstError(std::shared_ptr<const Reporter> to) : to_(std::move(to)) {}

  void say(const Message& message) const override {
    if (is_first(message.kind == Message::Kind::Error)) to_->say(message);
  }
  void report(const Diagnostics& diagnostics, std::size_t from) const override {
    if (is_first(diagnostics.has_errors())) to_->report(diagnostics, from);
  }
  void write(std::string_view text) const override {
    if (is_first(true)) to_->write(text);
  }

 private:
  bool is_first(bool is_error) const { return is_error && !said_.exchange(true); }

  const std::shared_ptr<const Reporter> to_;
  mutable std::atomic<bool> said_ = false;
};

}  // namespace

/// The programs of one thread, which counts one graph after the other.
class SignificanceRun::Counter {
 public:
  Counter(const SignificanceRequest& request, Reading reading, std::shared_ptr<const Reporter> reporter)
      : request_(request),
        reading_(std::move(reading)),
        reporter_(std::move(reporter)),
        programs_(request.asked.size()),
        numbers_(request.asked.size()) {}

  /// Steps that read patterns are done by `reading` from now on.
  void read_by(Reading reading) { reading_ = std::move(reading); }

  /// Counts everything that is asked, on some threads.
  Status count(const ResidentGraph::Shared& graph, unsigned threads, Counts& counts) {
    counts.clear();
    for (std::size_t at = 0; at < programs_.size(); ++at) {
      const std::size_t before = counts.size();
      Status status = fit(at, graph);
      if (status == Status::Ok) status = run(at, threads, counts);
      if (status != Status::Ok) return status;
      numbers_[at] = counts.size() - before;
    }
    return Status::Ok;
  }

  /// A row for each of the counts that `count` gave.
  std::vector<SignificanceRow> rows(const Counts& counts) const {
    std::vector<SignificanceRow> rows;
    for (std::size_t at = 0; at < programs_.size(); ++at) {
      std::vector<std::string> names = programs_[at]->count_names(), patterns = programs_[at]->pattern_texts();
      if (names.empty()) names.push_back(request_.asked[at].pattern.text);
      names.resize(numbers_[at]);
      patterns.resize(numbers_[at]);
      for (std::size_t i = 0; i < numbers_[at]; ++i) {
        rows.push_back({.name = std::move(names[i]), .pattern = std::move(patterns[i]), .count = counts[rows.size()]});
      }
    }
    return rows;
  }

 private:
  /// Binds the program to the graph; compiles it where it must.
  Status fit(std::size_t at, const ResidentGraph::Shared& graph) {
    std::unique_ptr<Prepared>& program = programs_[at];
    bool fits = false;
    if (program != nullptr) {
      const auto rebind = [&] { fits = program->rebind(graph); };
      if (program->rebind_reads()) {
        reading_(rebind);
      } else {
        rebind();
      }
    }
    if (fits) return Status::Ok;
    program.reset();
    const Status status = Prepared::make(request_.asked[at], graph, reading_, reporter_, program);
    if (status != Status::Ok || !program->counts_all_sizes()) return status;
    return reporter_->error(Status::Usage, fmt::format("`{}` is several counts", request_.asked[at].pattern.text),
                            "give its patterns one by one, or a number of vertices");
  }

  Status run(std::size_t at, unsigned threads, Counts& counts) {
    codegen::RunOptions how;
    how.kernel_times = false;
    how.stop_request = request_.maybe_stop;
    how.deadline = request_.deadline;
    how.threads = threads;
    const codegen::RunOutcome outcome = programs_[at]->run(how);
    if (const codegen::RunError* const failed = std::get_if<codegen::RunError>(&outcome)) {
      return programs_[at]->report(*failed, *reporter_);
    }
    const codegen::RunResult& ran = std::get<codegen::RunResult>(outcome);
    if (ran.ending == codegen::Ending::Deadline) return Status::Timeout;
    if (ran.ending != codegen::Ending::Complete) return Status::Interrupted;
    const bool are_counts = std::ranges::all_of(
        ran.values, [&](const codegen::ResultValue& value) { return append_counts(value, counts); });
    return are_counts ? Status::Ok : reporter_->error(Status::Run, "statistics are of counts, which are below 2^86");
  }

  const SignificanceRequest& request_;
  Reading reading_;
  const std::shared_ptr<const Reporter> reporter_;
  std::vector<std::unique_ptr<Prepared>> programs_;
  std::vector<std::size_t> numbers_;  ///< Of counts, for each program.
};

/// Random graphs, counted by several threads. The thread that waits for them reads their patterns.
class SignificanceRun::Samples {
 public:
  /// `counts`: the number of counts of a graph. The references outlive it.
  Samples(const SignificanceRequest& request, const Reading& reading, const Reporter& reporter, std::size_t counts)
      : request_(request), reading_(reading), reporter_(reporter), stride_(counts), drawn_(request.samples * counts) {}

  /// Each of the counters has a separate thread.
  Status run(ResidentGraph& graph, const std::vector<std::unique_ptr<Counter>>& counters) {
    const runtime::Result<WholeGraph> whole = WholeGraph::of(graph);
    if (!whole) return reporter_.error(whole.error());
    std::vector<std::thread> threads;
    for (const std::unique_ptr<Counter>& counter : counters) {
      try {
        threads.emplace_back([this, &counter, &graph, &whole] { work(*counter, graph, **whole); });
      } catch (const std::system_error&) {
        break;  // Fewer do it.
      }
    }
    attend(threads.size());
    for (std::thread& worker : threads) worker.join();
    if (thrown_) std::rethrow_exception(thrown_);
    if (threads.empty()) return reporter_.error(Status::Resource, "no thread can be started");
    return status_;
  }

  /// For the threads of counters: has the thread that waits for them do a step, and waits for that.
  void read_there(const std::function<void()>& step) {
    std::packaged_task<void()> task(step);
    std::future<void> end = task.get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      steps_.push_back(std::move(task));
      changed_.notify_all();
    }
    end.get();
  }

  /// The counts of each random graph, one after the other.
  const Counts& drawn() const { return drawn_; }

 private:
  void work(Counter& counter, const ResidentGraph& graph, const runtime::Graph& whole) {
    Counts counts;
    Status status = Status::Ok;
    std::exception_ptr thrown;
    try {
      while (status == Status::Ok && !is_over_.load()) {
        const std::uint64_t at = next_.fetch_add(1);
        if (at >= request_.samples) break;
        status = count(counter, graph, whole, at, counts);
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (thrown || status != Status::Ok) is_over_ = true;
    if (thrown && !thrown_) thrown_ = thrown;
    if (status_ == Status::Ok) status_ = status;
    ++ended_;
    changed_.notify_all();
  }

  static runtime::Result<ResidentGraph::Shared> drawn(const ResidentGraph& graph, const runtime::Graph& whole,
                                                      std::uint64_t seed, const runtime::IoOptions& io) {
    if (graph.list(kTimes) != nullptr) return with_shuffled_times(graph, seed);
    runtime::Graph made = MATCHA_TRY(runtime::rewired(whole, seed, io));
    return ResidentGraph::from_graph(std::move(made));
  }

  Status count(Counter& counter, const ResidentGraph& graph, const runtime::Graph& whole, std::uint64_t at,
               Counts& counts) {
    runtime::IoOptions io;
    io.cancel = request_.maybe_cancel;
    const runtime::Result<ResidentGraph::Shared> made = drawn(graph, whole, request_.seed + at, io);
    if (!made && io.cancelled()) {
      const bool is_late = request_.deadline && std::chrono::steady_clock::now() >= *request_.deadline;
      return is_late ? Status::Timeout : Status::Interrupted;
    }
    if (!made) return reporter_.error(made.error());
    const Status status = counter.count(*made, 1, counts);
    if (status != Status::Ok) return status;
    if (counts.size() != stride_) return reporter_.error(Status::Usage, "the number of counts depends on the graph");
    std::ranges::copy(counts, drawn_.begin() + static_cast<std::ptrdiff_t>(at * stride_));
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
    changed_.notify_all();
    return status;
  }

  /// Runs the steps that workers hand over, and reports progress, until all workers have ended.
  void attend(std::size_t workers) {
    std::uint64_t reported = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ == workers || !steps_.empty() || done_ != reported; });
      if (!steps_.empty()) {
        std::packaged_task<void()> step = std::move(steps_.front());
        steps_.pop_front();
        lock.unlock();
        if (reading_) {
          reading_([&] { step(); });
        } else {
          step();
        }
        lock.lock();
      } else if (done_ != reported) {
        reported = done_;
        lock.unlock();
        if (request_.on_progress) request_.on_progress(reported, request_.samples);
        lock.lock();
      } else {
        return;
      }
    }
  }

  const SignificanceRequest& request_;
  const Reading& reading_;
  const Reporter& reporter_;
  const std::size_t stride_;
  Counts drawn_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> is_over_ = false;  ///< A worker has failed.
  std::mutex mutex_;                   ///< Of the rest.
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> steps_;
  std::uint64_t ended_ = 0, done_ = 0;
  Status status_ = Status::Ok;
  std::exception_ptr thrown_;
};

SignificanceRun::SignificanceRun(SignificanceRequest request, ResidentGraph::Shared graph, Reading reading,
                                 std::shared_ptr<const Reporter> reporter)
    : request_(std::move(request)),
      graph_(std::move(graph)),
      reading_(std::move(reading)),
      reporter_(std::make_shared<const FirstError>(std::move(reporter))) {}

SignificanceRun::~SignificanceRun() = default;

Status SignificanceRun::run() {
  if (request_.samples != 0 && graph_->report() && graph_->report()->graphs > 1) {
    return reporter_->error(Status::Usage,
                            "the random graphs of a set of graphs would join vertices of different graphs",
                            "give one graph");
  }
  counters_.push_back(std::make_unique<Counter>(request_, reading_, reporter_));
  Counts counts;
  Status status = counters_.front()->count(graph_, request_.threads, counts);
  if (status != Status::Ok) return status;
  rows_ = counters_.front()->rows(counts);
  if (request_.samples == 0) return Status::Ok;
  Samples samples(request_, reading_, *reporter_, counts.size());
  const Reading ask = [&samples](const std::function<void()>& step) { samples.read_there(step); };
  counters_.front()->read_by(ask);
  const unsigned threads = request_.threads != 0 ? request_.threads : runtime::machine().threads;
  while (counters_.size() < std::min<std::uint64_t>(threads, request_.samples)) {
    counters_.push_back(std::make_unique<Counter>(request_, ask, reporter_));
  }
  status = samples.run(*graph_, counters_);
  if (status != Status::Ok) return status;
  for (std::size_t at = 0; at < rows_.size(); ++at) compare(samples.drawn(), at, rows_.size(), rows_[at]);
  return Status::Ok;
}

}  // namespace matcha::session
