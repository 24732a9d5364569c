#include "incremental/delayed_batches.h"

#include <tbb/blocked_range.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>

#include "runtime/parallel.h"
#include "session/compile.h"

namespace matcha::session::stream {

using runtime::stream::DeltaSearch;
using runtime::stream::DeviceSearch;
using runtime::stream::PairSet;

/// The vertices' numbers; false: they do not exist.
bool DelayedBatches::pair_of(const EdgeChange& edge, std::uint64_t& pair) const {
  const std::optional<std::uint32_t> u = environment_.present.number(edge.u), v = environment_.present.number(edge.v);
  if (!u || !v || *u == *v) return false;
  pair = PairSet::pair_of(*u, *v);
  return true;
}

/// The pairs of a batch, deleted ones first.
bool DelayedBatches::find_pairs(const NetBatch& batch) {
  // Looking up ids is random access, so threads share it if there are many.
  constexpr std::size_t kOfTask = 128;
  const std::size_t deleted = batch.deleted.size();
  found_.resize(deleted + batch.inserted.size());
  const auto find = [&](std::size_t i) {
    return pair_of(i < deleted ? batch.deleted[i] : batch.inserted[i - deleted], found_[i]);
  };
  std::atomic<bool> fits = true;
  const auto find_some = [&](const tbb::blocked_range<std::size_t>& part) {
    for (std::size_t i = part.begin(); i < part.end(); ++i) {
      if (!find(i)) fits.store(false, std::memory_order_relaxed);
    }
  };
  const tbb::blocked_range<std::size_t> all(0, found_.size(), kOfTask);
  if (found_.size() <= kOfTask) {
    find_some(all);
  } else {
    runtime::for_blocks(all, find_some);
  }
  return fits.load();
}

/// Computes the changes of rows by the edges of a batch and updates their labels; false: they do not fit.
bool DelayedBatches::find_updates(const NetBatch& batch, std::uint32_t slot) {
  updates_.clear();
  for (const bool is_insert : {false, true}) {
    const bool fits = is_insert ? environment_.present.take_inserted(batch, changes_)
                                : environment_.present.take_deleted(batch, changes_);
    if (!fits) return false;
    for (const runtime::stream::EdgeUpdate& one : changes_) {
      updates_.push_back({one.u, one.v, is_insert ? slot + 1 : slot, one.layer});
    }
  }
  return true;
}

/// The first pairs are deleted, the others inserted.
bool DelayedBatches::take_in(const NetBatch& batch, std::uint32_t slot) {
  for (const std::uint64_t pair : found_) pairs_.add(pair);
  if (environment_.present.keeps_edge_labels()) return find_updates(batch, slot) && maybe_gpu_->add(updates_);
  const runtime::stream::DynamicGraph& graph = environment_.present.graph();
  constexpr int kHigh = 32;
  updates_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const std::uint32_t u = static_cast<std::uint32_t>(found_[i] >> kHigh), v = static_cast<std::uint32_t>(found_[i]);
    updates_.push_back({graph.place(u), graph.place(v), i < batch.deleted.size() ? slot : slot + 1});
  }
  return maybe_gpu_->add(updates_);
}

Status DelayedBatches::add(const NetBatch& batch, const ApplyOptions& options) {
  constexpr std::chrono::milliseconds kLongest{50};
  options_ = options;
  const Stopwatch watch;
  bool fits = find_pairs(batch);
  double begin_ms = 0;
  maybe_gpu_ = environment_.gpu.maybe_ready(environment_.programs(), environment_.reporter);
  // An item of a row has only one stamp.
  const bool is_twice = std::ranges::any_of(found_, [this](std::uint64_t pair) { return pairs_.has(pair); });
  const bool is_full_before = maybe_gpu_ != nullptr && !waiting_.empty() && !maybe_gpu_->has_room(found_.size());
  if (fits && (is_twice || is_full_before)) {
    const Stopwatch beginning;
    if (const Status status = begin(); status != Status::Ok) return status;
    begin_ms = beginning.ms();
  }
  maybe_gpu_ = environment_.gpu.maybe_ready(environment_.programs(), environment_.reporter);
  if (maybe_gpu_ == nullptr) return one_by_one({{batch, 0}});
  if (waiting_.empty()) since_ = Clock::now();
  const std::uint32_t slot = 2 * static_cast<std::uint32_t>(waiting_.size());
  fits = fits && take_in(batch, slot);
  if (!fits) {
    runtime::Error error;
    error.kind = runtime::ErrorKind::Runtime;
    error.message = "the batch does not fit the graph: a deleted edge did not exist, or an inserted one did";
    return environment_.reporter.error(error);
  }
  waiting_.push_back({batch, watch.ms() - begin_ms});
  // With fewer, a launch takes the host longer than counting their edges.
  constexpr std::size_t kEnough = 8192;
  const bool begins = maybe_gpu_->is_full(slot + 2) || Clock::now() - since_ > kLongest ||
                      (maybe_gpu_->added() >= kEnough && maybe_gpu_->is_idle());
  return begins ? begin() : Status::Ok;
}

Status DelayedBatches::finish() {
  Status status = begin();
  if (status == Status::Ok) status = land();
  return status;
}

/// Submits the waiting batches after those that were counted.
Status DelayedBatches::begin() {
  const Stopwatch preparing;
  if (maybe_gpu_ != nullptr && !waiting_.empty()) maybe_gpu_->prepare();
  const double prepare_ms = preparing.ms();
  Status status = land();
  if (status != Status::Ok || waiting_.empty()) return status;
  const Stopwatch watch;
  begun_ = std::exchange(waiting_, {});
  pairs_.clear();
  if (maybe_gpu_->added() == 0) return answer({});
  const runtime::Status begun = maybe_gpu_->begin(2 * static_cast<std::uint32_t>(begun_.size()));
  spent_ms_ = prepare_ms + watch.ms();
  return begun ? Status::Ok : fail(begun.error());
}

Status DelayedBatches::land() {
  if (begun_.empty()) return Status::Ok;
  const Stopwatch watch;
  const runtime::Result<DeviceSearch::Outcome> outcome =
      maybe_gpu_->finish({options_.run.stop_request, options_.run.deadline});
  spent_ms_ += watch.ms();
  if (!outcome) return fail(outcome.error());
  if (outcome->is_refused) return one_by_one(take_back());
  if (outcome->found.ending != DeltaSearch::Ending::Complete)
    return status_of(outcome->found.ending, environment_.reporter);
  environment_.gpu.set_each_ms(spent_ms_ / static_cast<double>(outcome->found.updates));
  rows_ = rows_of(*outcome);
  return answer(outcome->found.maps);
}

Status DelayedBatches::fail(const runtime::Error& error) {
  if (error.kind != runtime::ErrorKind::Resource) return environment_.reporter.error(error);
  const std::vector<PendingBatch> batches = take_back();
  environment_.gpu.give_up(environment_.reporter, error.message);
  return one_by_one(batches);
}

/// Restores the graph to the state before all pending batches.
std::vector<DelayedBatches::PendingBatch> DelayedBatches::take_back() {
  maybe_gpu_->undo();
  std::vector<PendingBatch> batches = std::exchange(begun_, {});
  std::ranges::move(std::exchange(waiting_, {}), std::back_inserter(batches));
  for (auto one = batches.rbegin(); one != batches.rend(); ++one) environment_.present.take_labels_back(one->batch);
  pairs_.clear();
  return batches;
}

Status DelayedBatches::one_by_one(const std::vector<PendingBatch>& batches) {
  for (const PendingBatch& one : batches) {
    const Stopwatch watch;
    Engine::DelayedAnswers late;
    const Status status = environment_.apply(one.batch, options_, late.answers);
    if (status != Status::Ok) return status;
    late.apply_ms = watch.ms();
    for (const Answer& answer : late.answers) late.apply_ms -= answer.match_ms;
    done_.push_back(std::move(late));
  }
  return Status::Ok;
}

/// `maps`: of all slots; empty: they are all 0.
Status DelayedBatches::answer(const std::vector<__int128>& maps) {
  const std::vector<DeltaProgram*> programs = environment_.programs();
  const std::vector<PendingBatch> batches = std::exchange(begun_, {});
  const auto size = [](const PendingBatch& one) { return one.batch.deleted.size() + one.batch.inserted.size(); };
  std::size_t all = 0;
  double ms = spent_ms_;
  for (const PendingBatch& one : batches) {
    all += size(one);
    ms += one.apply_ms;
  }
  environment_.gpu.add(true, all, ms, environment_.reporter);
  const double each_ms = spent_ms_ / static_cast<double>(std::max<std::size_t>(all, 1));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    bool fits = maps.empty() || maybe_gpu_->take_counts(maps, 2 * i, -1);
    for (DeltaProgram* program : programs) program->turn();
    fits = fits && (maps.empty() || maybe_gpu_->take_counts(maps, 2 * i + 1, 1));
    if (!fits) return status_of(DeltaSearch::Ending::Overflow, environment_.reporter);
    Engine::DelayedAnswers late;
    late.apply_ms = batches[i].apply_ms;
    for (DeltaProgram* program : programs) {
      std::optional<Answer> answer = program->answer();
      if (!answer) {
        return environment_.reporter.error(Status::Run, "a number of matches cannot be computed from its changes");
      }
      answer->on_gpu = size(batches[i]) != 0;
      if (answer->on_gpu && environment_.gpu.is_bounded()) answer->gpu_rows = rows_;
      answer->match_ms = each_ms * static_cast<double>(size(batches[i])) / static_cast<double>(programs.size());
      late.answers.push_back(std::move(*answer));
    }
    done_.push_back(std::move(late));
  }
  return Status::Ok;
}

}  // namespace matcha::session::stream
