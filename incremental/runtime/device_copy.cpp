#include "incremental/runtime/device_copy.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace matcha::runtime::stream {

using match::aligned_to_line;
using match::kGroupsOfBlock;
using match::reserve;
using match::shape_of;
using matcha_program::DeltaLaunch;
using matcha_program::DeltaShared;
using matcha_program::DeltaSum;
using matcha_program::DeltaTask;
using matcha_program::DeltaUnit;
using matcha_program::DeltaUpdate;

/// The layout of the data sent to the device with a launch; results come first.
struct DeviceCopy::Layout {
  std::uint64_t sums = 0, reads = 0, back = 0, long_taken = 0, updates = 0, units = 0, terms = 0, bytes = 0;

  Layout(std::uint64_t sum_count, std::uint64_t update_count, std::uint64_t unit_count, std::uint64_t term_bytes) {
    constexpr std::uint64_t kMostLong = 64;
    sums = aligned_to_line(sizeof(DeltaShared));
    reads = sums + sum_count * sizeof(DeltaSum);
    back = reads + 3 * sizeof(std::uint64_t);  // Reads of resident rows, of remote rows, and the number of matches.
    long_taken = aligned_to_line(back);
    updates = long_taken + kMostLong * sizeof(std::uint64_t);
    units = aligned_to_line(updates + update_count * sizeof(DeltaUpdate));
    terms = aligned_to_line(units + unit_count * sizeof(DeltaUnit));
    bytes = aligned_to_line(terms + term_bytes);
  }
};

void DeviceOutcome::add(const DeviceOutcome& other) {
  is_refused = is_refused || other.is_refused;
  is_overfull = is_overfull || other.is_overfull;
  if (found.ending == DeltaSearch::Ending::Complete) found.ending = other.found.ending;
  if (!is_complete()) return;
  for (std::size_t i = 0; i < found.maps.size(); ++i) {
    if (__builtin_add_overflow(found.maps[i], other.found.maps[i], &found.maps[i])) {
      found.ending = DeltaSearch::Ending::Overflow;
    }
  }
  matches.insert(matches.end(), other.matches.begin(), other.matches.end());
}

DeviceCopy::DeviceCopy(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count,
                       GraphMirror::Kernels kernels, unsigned most_blocks)
    : graph_(graph),
      stream_(std::make_unique<cuda::Stream>(std::move(stream))),
      code_(std::move(code)),
      count_(std::move(count)),
      most_blocks_(most_blocks),
      mirror_(graph, *stream_, std::move(kernels)) {}

Result<std::unique_ptr<DeviceCopy>> DeviceCopy::make(DynamicGraph& graph, const cuda::DeviceRef& device,
                                                     cuda::Module code) {
  Result<cuda::Function> count = code.function("delta_count"), patch = code.function("delta_patch"),
                         move = code.function("delta_move");
  for (const Result<cuda::Function>* function : {&count, &patch, &move}) {
    if (!*function) return function->error();
  }
  const unsigned most = MATCHA_TRY(match::most_blocks(*count, *device));
  cuda::Stream stream = MATCHA_TRY(cuda::Stream::create(device));
  std::unique_ptr<DeviceCopy> made(new DeviceCopy(graph, std::move(stream), std::move(code), std::move(*count),
                                                  {std::move(*patch), std::move(*move)}, most));
  made->stop_word_ = MATCHA_TRY(match::StopWord::make(device));
  return made;
}

SearchNeeds DeviceCopy::needs(const TermData& terms, std::uint64_t longest) const {
  SearchNeeds needs;
  needs.record_bytes = mirror_.record_bytes();
  needs.least_batch = GraphMirror::kLeastBatch;
  needs.least_control = Layout(2 * terms.terms(), 1, terms.terms(), terms.bytes().size()).bytes;
  needs.arrays = std::max<std::uint64_t>(terms.rooms(), 1);
  needs.longest = longest;
  needs.most_groups = most_blocks_ * kGroupsOfBlock;
  if (terms.listed() != 0) needs.match_bytes = (1 + terms.listed()) * sizeof(std::uint32_t);
  return needs;
}

/// Divides the bounded memory, given the length of the longest row.
Status DeviceCopy::share_memory(const TermData& terms, std::uint64_t longest) {
  const SearchNeeds needs = this->needs(terms, longest);
  const std::optional<SearchMemory> shared =
      memory_ ? memory_->grown(needs, most_bytes_) : SearchMemory::share(needs, most_bytes_);
  if (!shared) {
    Error error;
    error.kind = ErrorKind::Resource;
    error.message = "it may take " + std::to_string(most_bytes_) + " bytes of the GPU, and " +
                    std::to_string(SearchMemory::least(needs)) + " are the least that suffice";
    memory_.reset();
    return error;
  }
  memory_ = shared;
  tasks_ = {};
  scratch_ = {};
  control_ = {};
  matches_ = {};
  const std::uint64_t rows = std::min(memory_->rows - needs.record_bytes, most_row_bytes_);
  mirror_.set_bound({needs.record_bytes + rows, memory_->batch});
  return Done{};
}

std::uint64_t DeviceCopy::least_bytes(const TermData& terms) const {
  return SearchMemory::least(needs(terms, graph_.longest_row()));
}

Status DeviceCopy::prepare(const TermData& terms) {
  if (most_bytes_ == 0 || memory_) return Done{};
  return share_memory(terms, graph_.longest_row());
}

std::size_t DeviceCopy::most_updates(const TermData& terms) const {
  if (!memory_) return kMostUpdates;
  const std::uint64_t of_update = sizeof(DeltaUpdate) + std::max<std::uint64_t>(terms.terms(), 1) * sizeof(DeltaUnit);
  const std::uint64_t of_control = 1 + spare_control(terms) / 2 / of_update;
  return static_cast<std::size_t>(
      std::min({std::uint64_t{kMostUpdates}, of_control, std::uint64_t{GraphMirror::most_updates(memory_->batch)}}));
}

bool DeviceCopy::is_full(const TermData& terms, std::uint64_t sums) const {
  return memory_ && sums * sizeof(DeltaSum) > spare_control(terms) / 2;
}

/// The bytes sent with a launch beyond those for one update.
std::uint64_t DeviceCopy::spare_control(const TermData& terms) const {
  // Each part may begin after a gap.
  constexpr std::uint64_t kGaps = 4 * match::kLine;
  const std::uint64_t spare = memory_->control - needs(terms, 0).least_control;
  return spare - std::min(spare, kGaps);
}

Status DeviceCopy::reserve_tasks(std::uint64_t tasks) {
  if (tasks_.size() == tasks) return Done{};
  tasks_ = {};
  tasks_ = MATCHA_TRY(cuda::DeviceBuffer<DeltaTask>::allocate(stream_->shared_device(), tasks));
  return tasks_.fill(*stream_, 0);
}

Status DeviceCopy::reserve_matches(const TermData& terms) {
  if (terms.listed() == 0) return Done{};
  const std::uint64_t words = 1 + terms.listed();
  const std::uint64_t wanted = memory_ ? memory_->matches / sizeof(std::uint32_t) : match_room_ * words;
  if (matches_.size() == wanted) return Done{};
  matches_ = {};
  matches_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(stream_->shared_device(), wanted));
  return Done{};
}

bool DeviceCopy::grow_matches() {
  constexpr std::uint64_t kMostRoom = std::uint64_t{1} << 26;
  if (memory_ || match_room_ >= kMostRoom) return false;
  match_room_ *= 4;
  return true;
}

/// Allocates arrays for the sets of all groups, or of fewer if memory is short.
Status DeviceCopy::reserve_scratch(const TermData& terms) {
  SearchNeeds needs = this->needs(terms, mirror_.longest());
  const bool fits = rooms_.long_words >= needs.longest && arrays_ >= needs.arrays && scratch_.size() != 0;
  if (fits) return Done{};
  scratch_ = {};
  arrays_ = needs.arrays;
  if (memory_) {
    rooms_ = memory_->rooms;
  } else {
    // Rows that grow do so with every batch.
    if (rooms_.groups != 0) needs.longest += needs.longest / 2;
    const cuda::Device::Memory memory = MATCHA_TRY(stream_->device().memory());
    // Half of the free memory, so that the graph can grow.
    rooms_ = share_rooms(needs, memory.free / 2);
  }
  scratch_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(stream_->shared_device(), rooms_.items(arrays_)));
  return Done{};
}

std::uint64_t DeviceCopy::bytes() const {
  return mirror_.bytes() + tasks_.bytes() + scratch_.bytes() + control_.bytes() + matches_.bytes();
}

Status DeviceCopy::send(const Layout& layout, const Batch& batch) {
  Status status = Done{};
  if (!memory_) {
    status = reserve(control_, stream_->shared_device(), layout.bytes);
  } else if (control_.bytes() != memory_->control) {
    control_ = {};
    control_ = MATCHA_TRY(cuda::DeviceMemory::allocate(stream_->shared_device(), memory_->control));
  }
  if (status && layout.bytes > control_.bytes()) {
    Error error;
    error.kind = ErrorKind::Resource;
    error.message = "the data of a launch does not fit the GPU";
    return error;
  }
  if (status) status = reserve(control_stage_, stream_->shared_device(), layout.bytes);
  if (!status) return status;
  std::byte* const to = static_cast<std::byte*>(control_stage_.host());
  std::memset(to, 0, layout.updates);
  DeltaShared shared{};
  shared.live = batch.units.size();
  std::memcpy(to, &shared, sizeof(shared));
  static_assert(sizeof(BatchUpdate) == sizeof(DeltaUpdate));
  std::memcpy(to + layout.updates, batch.updates.data(), batch.updates.size_bytes());
  if (batch.units.step == 1 && batch.units.size() != 0) {
    const std::span<const DeltaUnit> units = batch.units.all.subspan(batch.units.first);
    std::memcpy(to + layout.units, units.data(), units.size_bytes());
  } else {
    std::byte* next = to + layout.units;
    for (std::size_t i = batch.units.first; i < batch.units.all.size(); i += batch.units.step) {
      std::memcpy(next, &batch.units.all[i], sizeof(DeltaUnit));
      next += sizeof(DeltaUnit);
    }
  }
  std::memcpy(to + layout.terms, batch.terms.bytes().data(), batch.terms.bytes().size());
  return control_.copy_from(*stream_, to, layout.bytes);
}

Result<DeviceOutcome> DeviceCopy::read(const match::Stops& stops) {
  const std::byte* const from = static_cast<const std::byte*>(control_stage_.host());
  DeltaShared shared{};
  std::memcpy(&shared, from, sizeof(shared));
  DeviceOutcome outcome;
  outcome.is_refused = shared.refused != 0;
  const std::byte* const sums = from + aligned_to_line(sizeof(shared));
  std::uint64_t reads[3] = {0, 0, 0};
  std::memcpy(reads, sums + begun_.sums * sizeof(DeltaSum), sizeof(reads));
  outcome.match_words = begun_.match_words;
  outcome.is_overfull = begun_.lists && reads[2] > matches_.size() / outcome.match_words;
  if (outcome.is_overfull) return outcome;
  if (shared.stop != 0 && !outcome.is_refused) {
    outcome.found.ending = stops.is_stopped() ? DeltaSearch::Ending::Stopped : DeltaSearch::Ending::Deadline;
    return outcome;
  }
  MATCHA_TRY(match::took_all_units(shared, begun_.units, stream_->device()));
  outcome.found.maps.reserve(begun_.sums);
  for (std::size_t i = 0; i < begun_.sums; ++i) {
    DeltaSum sum{};
    std::memcpy(&sum, sums + i * sizeof(sum), sizeof(sum));
    const unsigned __int128 all = static_cast<unsigned __int128>(sum.high) << 64 | sum.low;
    outcome.found.maps.push_back(static_cast<__int128>(all));
  }
  if (reads[2] != 0) {
    outcome.matches.resize(reads[2] * outcome.match_words);
    MATCHA_TRY(matches_.download(*stream_, outcome.matches.data(), outcome.matches.size()));
    MATCHA_TRY(stream_->synchronize());
  }
  outcome.resident_reads = reads[0];
  outcome.remote_reads = reads[1];
  outcome.rows = mirror_.chosen();
  outcome.choose_ms = begun_.choose_ms;
  outcome.move_ms = mirror_.move_ms();
  return outcome;
}

/// Launches the batch that was copied to the device.
Status DeviceCopy::launch(const Batch& batch) {
  const TermData& terms = batch.terms;
  const std::uint64_t units = batch.units.size();
  begun_ = {std::uint64_t{batch.slots} * terms.terms(), units, 1 + std::uint64_t{terms.listed()}, terms.listed() != 0,
            batch.walk_ms + mirror_.plan_ms()};
  const Layout layout(begun_.sums, batch.updates.size(), units, terms.bytes().size());
  // Some more groups than units, so that busy ones can give work away.
  constexpr std::uint64_t kChunks = 16, kLongestChunk = 8;
  const std::uint64_t some =
      2 * static_cast<std::uint64_t>(std::max(stream_->device().properties().multiprocessors, 1));
  const std::uint64_t blocks = std::min<std::uint64_t>(std::max(units / 2, some), most_blocks_);
  MATCHA_TRY(reserve_scratch(terms));
  MATCHA_TRY(reserve_matches(terms));
  MATCHA_TRY(reserve_tasks(memory_ ? memory_->tasks : SearchMemory::kMostTasks));
  MATCHA_TRY(send(layout, batch));
  stop_word_.clear();
  const std::uint64_t groups = std::min(blocks * kGroupsOfBlock, rooms_.groups);
  const std::byte* const there = reinterpret_cast<const std::byte*>(control_.address());
  DeltaLaunch launch{};
  launch.after = mirror_.rows(false);
  launch.before = mirror_.rows(true);
  launch.layers = graph_.layers();
  launch.words = mirror_.words();
  launch.resident = mirror_.resident();
  launch.resident_end = mirror_.resident_end();
  if (mirror_.has_remote()) launch.reads = reinterpret_cast<matcha_program::u64*>(control_.address() + layout.reads);
  launch.terms = terms.at(there + layout.terms);
  launch.updates = reinterpret_cast<const DeltaUpdate*>(there + layout.updates);
  launch.units = reinterpret_cast<const DeltaUnit*>(there + layout.units);
  launch.unit_count = units;
  launch.chunk = std::clamp<std::uint64_t>(units / (groups * kChunks), 1, kLongestChunk);
  launch.shared = reinterpret_cast<DeltaShared*>(control_.address());
  launch.tasks = tasks_.data();
  launch.task_capacity = tasks_.size();
  launch.number = ++number_;
  launch.tried = tried_;
  launch.workers = groups;
  launch.scratch = scratch_.data();
  launch.scratch_words = arrays_ * rooms_.words;
  launch.arrays = arrays_;
  launch.room_words = rooms_.words;
  launch.long_rooms = scratch_.data() + rooms_.groups * launch.scratch_words;
  launch.long_words = rooms_.long_words;
  launch.long_taken = reinterpret_cast<matcha_program::u64*>(control_.address() + layout.long_taken);
  launch.long_count = rooms_.long_count;
  launch.sums = reinterpret_cast<DeltaSum*>(control_.address() + layout.sums);
  launch.sums_of_slot = terms.terms();
  launch.stop_word = reinterpret_cast<const matcha_program::u64*>(stop_word_.address());
  launch.matches = matches_.data();
  launch.match_words = 1 + terms.listed();
  launch.match_room = matches_.size() / launch.match_words;
  launch.match_count = reinterpret_cast<matcha_program::u64*>(control_.address() + layout.reads) + 2;
  MATCHA_TRY(count_.launch(*stream_, shape_of(groups), launch));
  return control_.copy_to(*stream_, control_stage_.host(), layout.back);
}

Status DeviceCopy::begin(const Batch& batch) {
  const Status status = show_and_launch(batch);
  if (status || status.error().kind != ErrorKind::Runtime) return status;
  Error error = status.error();
  error.message = "the work on " + stream_->device().label() + " failed; " + error.message;
  return error;
}

Status DeviceCopy::show_and_launch(const Batch& batch) {
  Status status = mirror_.show(batch.rows, batch.reads, batch.changes);
  if (status && memory_ && mirror_.longest() > memory_->rooms.long_words) {
    mirror_.end(false);
    status = share_memory(batch.terms, mirror_.longest());
    // Transfers may be in progress.
    if (status) status = stream_->synchronize();
    if (status) status = mirror_.show(batch.rows, batch.reads, {false, {}});
  }
  if (!status) return status;
  status = launch(batch);
  if (!status) mirror_.end(false);
  return status;
}

Result<DeviceOutcome> DeviceCopy::finish(const match::Stops& stops) {
  const Status status = stop_word_.wait(*stream_, stops);
  return status ? read(stops) : status.error();
}

void DeviceCopy::cancel() {
  // If it fails, the kernel is over too.
  (void)stop_word_.wait(*stream_, {nullptr, std::chrono::steady_clock::now()});
}

}  // namespace matcha::runtime::stream
