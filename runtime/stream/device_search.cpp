#include "runtime/stream/device_search.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace matcha::runtime::stream {

using matcha_program::DeltaLaunch;
using matcha_program::DeltaShared;
using matcha_program::DeltaSum;
using matcha_program::DeltaTask;
using matcha_program::DeltaUnit;
using matcha_program::DeltaUpdate;

namespace {

using match::aligned_to_line;
using match::kGroupsOfBlock;
using match::reserve;
using match::shape_of;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTasks = std::uint64_t{1} << 18;
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 27;
constexpr std::size_t kMostUpdates = std::size_t{1} << 22;
/// With more at a time a launch is no sooner done, and those after it wait.
constexpr std::size_t kMostAdded = std::size_t{1} << 16;

}  // namespace

/// Where what goes to the device with a launch lies: what comes back is in front.
struct DeviceSearch::Layout {
  std::uint64_t sums = 0, back = 0, updates = 0, units = 0, terms = 0, bytes = 0;

  Layout(std::uint64_t sum_count, std::uint64_t update_count, std::uint64_t unit_count, std::uint64_t term_bytes) {
    sums = aligned_to_line(sizeof(DeltaShared));
    back = sums + sum_count * sizeof(DeltaSum);
    updates = aligned_to_line(back);
    units = aligned_to_line(updates + update_count * sizeof(DeltaUpdate));
    terms = aligned_to_line(units + unit_count * sizeof(DeltaUnit));
    bytes = aligned_to_line(terms + term_bytes);
  }
};

DeviceSearch::DeviceSearch(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count,
                           cuda::Function patch, unsigned most_blocks)
    : graph_(graph),
      stream_(std::make_unique<cuda::Stream>(std::move(stream))),
      code_(std::move(code)),
      count_(std::move(count)),
      most_blocks_(most_blocks),
      rows_(graph),
      mirror_(graph, *stream_, std::move(patch)) {}

Result<std::unique_ptr<DeviceSearch>> DeviceSearch::make(DynamicGraph& graph, const cuda::DeviceRef& device,
                                                         cuda::Module code) {
  Result<cuda::Function> count = code.function("delta_count"), patch = code.function("delta_patch");
  if (!count) return count.error();
  if (!patch) return patch.error();
  const Result<unsigned> most = match::most_blocks(*count, *device);
  if (!most) return most.error();
  Result<cuda::Stream> stream = cuda::Stream::create(device);
  if (!stream) return stream.error();
  std::unique_ptr<DeviceSearch> made(
      new DeviceSearch(graph, std::move(*stream), std::move(code), std::move(*count), std::move(*patch), *most));
  Result<match::KernelWish> wish = match::KernelWish::make(device);
  if (!wish) return wish.error();
  made->wish_ = std::move(*wish);
  Result<cuda::DeviceBuffer<DeltaTask>> tasks = cuda::DeviceBuffer<DeltaTask>::allocate(device, kTasks);
  if (!tasks) return tasks.error();
  made->tasks_ = std::move(*tasks);
  const Status cleared = made->tasks_.fill(*made->stream_, 0);
  if (!cleared) return cleared.error();
  return made;
}

std::string DeviceSearch::problem_of(const SharedTerms& terms) const {
  std::string why;
  (void)TermData::make(terms, graph_, why);
  return why;
}

/// Term by term, so that groups seldom add to the sum of another one.
void DeviceSearch::find_units(const SharedTerms& terms) {
  const auto each = [&](auto take) {
    for (std::uint32_t i = 0; i < begun_.size(); ++i) {
      const std::size_t u = graph_.class_at(begun_[i].u), v = graph_.class_at(begun_[i].v);
      for (const std::uint32_t term : terms.by_classes[u * terms.classes + v]) take(term, i);
    }
  };
  firsts_.assign(terms.all.size() + 1, 0);
  each([&](std::uint32_t term, std::uint32_t) { ++firsts_[term + 1]; });
  for (std::size_t t = 1; t < firsts_.size(); ++t) firsts_[t] += firsts_[t - 1];
  units_.resize(firsts_.back());
  each([&](std::uint32_t term, std::uint32_t update) { units_[firsts_[term]++] = {update, term}; });
}

/// Memory for the lists of so many blocks, or of fewer where there is not so much: for `groups`.
Status DeviceSearch::reserve_scratch(std::uint64_t blocks, std::uint64_t& groups) {
  constexpr std::uint64_t kLeastRoom = 64, kRoomStep = 32;
  if (room_words_ < mirror_.longest() || room_words_ == 0) {
    const std::uint64_t longest = std::max<std::uint64_t>(mirror_.longest(), kLeastRoom);
    room_words_ = (longest + longest / 4 + kRoomStep - 1) / kRoomStep * kRoomStep;
  }
  const std::uint64_t of_group = std::max<std::uint64_t>(data_->rooms(), 1) * room_words_;
  groups = blocks * kGroupsOfBlock;
  if (scratch_.size() >= groups * of_group) return Done{};
  scratch_ = {};
  const Result<cuda::Device::Memory> memory = stream_->device().memory();
  if (!memory) return memory.error();
  // Half of what is free, so that the graph can grow.
  const std::uint64_t most = memory->free / 2 / sizeof(std::uint32_t) / of_group;
  groups = std::min(groups, std::max<std::uint64_t>(most, 1));
  const std::uint64_t wanted = std::min(std::max<std::uint64_t>(most, 1), most_blocks_ * kGroupsOfBlock);
  Result<cuda::DeviceBuffer<std::uint32_t>> made =
      cuda::DeviceBuffer<std::uint32_t>::allocate(stream_->shared_device(), wanted * of_group);
  if (!made) return made.error();
  scratch_ = std::move(*made);
  return Done{};
}

Status DeviceSearch::send(const Layout& layout) {
  Status status = reserve(control_, stream_->shared_device(), layout.bytes);
  if (status) status = reserve(control_stage_, stream_->shared_device(), layout.bytes);
  if (!status) return status;
  std::byte* const to = static_cast<std::byte*>(control_stage_.host());
  std::memset(to, 0, layout.updates);
  DeltaShared shared{};
  shared.live = units_.size();
  std::memcpy(to, &shared, sizeof(shared));
  static_assert(sizeof(BatchUpdate) == sizeof(DeltaUpdate));
  std::memcpy(to + layout.updates, begun_.data(), begun_.size() * sizeof(DeltaUpdate));
  if (!units_.empty()) std::memcpy(to + layout.units, units_.data(), units_.size() * sizeof(DeltaUnit));
  std::memcpy(to + layout.terms, data_->bytes().data(), data_->bytes().size());
  return control_.copy_from(*stream_, to, layout.bytes);
}

Result<DeviceSearch::Outcome> DeviceSearch::read(const match::Stops& stops) const {
  const std::byte* const from = static_cast<const std::byte*>(control_stage_.host());
  DeltaShared shared{};
  std::memcpy(&shared, from, sizeof(shared));
  Outcome outcome;
  outcome.is_refused = shared.refused != 0;
  if (shared.stop != 0 && !outcome.is_refused) {
    outcome.found.ending = stops.is_stopped() ? DeltaSearch::Ending::Stopped : DeltaSearch::Ending::Deadline;
    return outcome;
  }
  if (shared.stop == 0 && (shared.live != 0 || shared.next < units_.size())) {
    Error error;
    error.kind = ErrorKind::Runtime;
    error.message = "a kernel of " + stream_->device().label() + " has not looked at all updates";
    return error;
  }
  const std::size_t count = std::size_t{slots_} * data_->terms();
  const std::byte* const sums = from + aligned_to_line(sizeof(shared));
  outcome.found.maps.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    DeltaSum sum{};
    std::memcpy(&sum, sums + i * sizeof(sum), sizeof(sum));
    const unsigned __int128 all = static_cast<unsigned __int128>(sum.high) << 64 | sum.low;
    outcome.found.maps.push_back(static_cast<__int128>(all));
  }
  return outcome;
}

/// What is `begun_`, as the device was shown it.
Status DeviceSearch::launch(const SharedTerms& terms, std::uint32_t slots) {
  slots_ = slots;
  if (!data_ || data_layout_ != graph_.layout()) {
    std::string why;
    data_ = TermData::make(terms, graph_, why);
    data_layout_ = graph_.layout();
    if (!data_) {
      Error error;
      error.kind = ErrorKind::Resource;
      error.message = why;
      return error;
    }
  }
  find_units(terms);
  const Layout layout(std::uint64_t{slots} * data_->terms(), begun_.size(), units_.size(), data_->bytes().size());
  // Some groups more than units, for what busy ones give away.
  constexpr std::uint64_t kChunks = 16, kLongestChunk = 8;
  const std::uint64_t some =
      2 * static_cast<std::uint64_t>(std::max(stream_->device().properties().multiprocessors, 1));
  const std::uint64_t blocks = std::min<std::uint64_t>(std::max(units_.size() / 2, some), most_blocks_);
  std::uint64_t groups = 0;
  Status status = reserve_scratch(blocks, groups);
  if (status) status = send(layout);
  if (!status) return status;
  wish_.clear();
  const std::byte* const there = reinterpret_cast<const std::byte*>(control_.address());
  DeltaLaunch launch{};
  launch.after = mirror_.rows(false);
  launch.before = mirror_.rows(true);
  launch.terms = data_->at(there + layout.terms);
  launch.updates = reinterpret_cast<const DeltaUpdate*>(there + layout.updates);
  launch.units = reinterpret_cast<const DeltaUnit*>(there + layout.units);
  launch.unit_count = units_.size();
  launch.chunk = std::clamp<std::uint64_t>(units_.size() / (groups * kChunks), 1, kLongestChunk);
  launch.shared = reinterpret_cast<DeltaShared*>(control_.address());
  launch.tasks = tasks_.data();
  launch.task_capacity = kTasks;
  launch.number = ++number_;
  launch.tried = tried_;
  launch.workers = groups;
  launch.scratch = scratch_.data();
  launch.scratch_words = std::max<std::uint64_t>(data_->rooms(), 1) * room_words_;
  launch.room_words = room_words_;
  launch.sums = reinterpret_cast<DeltaSum*>(control_.address() + layout.sums);
  launch.sums_of_slot = data_->terms();
  launch.wish = reinterpret_cast<const matcha_program::u64*>(wish_.address());
  status = count_.launch(*stream_, shape_of(groups), launch);
  return status ? control_.copy_to(*stream_, control_stage_.host(), layout.back) : status;
}

/// The same, and its rows, which are open.
Status DeviceSearch::show_and_launch(const SharedTerms& terms, std::uint32_t slots) {
  Status status = mirror_.show(rows_);
  if (!status) return status;
  status = launch(terms, slots);
  if (!status) mirror_.end(rows_, false);
  return status;
}

Result<DeviceSearch::Outcome> DeviceSearch::run(const SharedSearch::Request& request) {
  const Clock::time_point begin = Clock::now();
  // So many that their units are not too many.
  const std::uint64_t of_update = std::max<std::uint64_t>(request.terms.all.size(), 1);
  const std::size_t fit = static_cast<std::size_t>(std::max<std::uint64_t>(kMostUnits / of_update, 1));
  const std::size_t updates = std::min({request.updates.size(), kMostUpdates, fit});
  const std::uint32_t slot = request.come ? 1 : 0;
  for (const EdgeUpdate& update : request.updates.first(updates)) begun_.push_back({update.u, update.v, slot});
  Outcome none;
  none.found.fits = rows_.open(begun_, BatchRows::Graph::Before);
  if (!none.found.fits) {
    begun_.clear();
    return none;
  }
  Status status = show_and_launch(request.terms, 2);
  Result<Outcome> outcome = none;
  if (status) {
    outcome = finish(request.stops);
  } else {
    outcome = status.error();
  }
  begun_.clear();
  if (!outcome || outcome->is_refused || outcome->found.ending != DeltaSearch::Ending::Complete) return outcome;
  rows_.close();
  std::vector<__int128>& maps = outcome->found.maps;
  const auto first = maps.begin() + static_cast<std::ptrdiff_t>(slot * data_->terms());
  maps = std::vector<__int128>(first, first + static_cast<std::ptrdiff_t>(data_->terms()));
  outcome->found.updates = updates;
  outcome->found.busy_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return outcome;
}

bool DeviceSearch::put(const BatchUpdate& update, bool comes) {
  // What the device has of the rows is known from the updates, so the graph need not note them.
  Rows &after = graph_.rows(false), &before = graph_.rows(true);
  const bool fits = comes ? after.insert(update.u, update.v) : after.erase(update.u, update.v);
  if (!fits) return false;
  (void)(comes ? before.insert(update.v, update.u) : before.erase(update.v, update.u));
  graph_.set_edge_count(comes ? graph_.edge_count() + 1 : graph_.edge_count() - 1);
  return true;
}

bool DeviceSearch::add(const BatchUpdate& update) {
  added_.push_back(update);
  if (put(update, update.comes())) return true;
  added_.pop_back();
  return false;
}

bool DeviceSearch::is_full(const SharedTerms& terms, std::uint32_t slots) const {
  constexpr std::uint64_t kMostSums = std::uint64_t{1} << 20;
  const std::uint64_t count = std::max<std::uint64_t>(terms.all.size(), 1);
  return added_.size() >= kMostAdded || added_.size() * count >= kMostUnits || slots * count >= kMostSums;
}

Status DeviceSearch::begin(const SharedTerms& terms, std::uint32_t slots) {
  begun_ = std::exchange(added_, std::exchange(begun_, {}));
  added_.clear();
  if (!rows_.open(begun_, BatchRows::Graph::After)) {
    Error error;
    error.kind = ErrorKind::Runtime;
    error.message = "updates that were taken into the graph are not there";
    return error;
  }
  return show_and_launch(terms, slots);
}

Result<DeviceSearch::Outcome> DeviceSearch::finish(const match::Stops& stops) {
  const Status status = wish_.wait(*stream_, stops);
  Result<Outcome> outcome = status ? read(stops) : status.error();
  const bool made = outcome && !outcome->is_refused && outcome->found.ending == DeltaSearch::Ending::Complete;
  mirror_.end(rows_, made);
  if (!made) return outcome;
  outcome->found.updates = begun_.size();
  begun_.clear();
  return outcome;
}

void DeviceSearch::undo() {
  for (std::vector<BatchUpdate>* updates : {&added_, &begun_}) {
    for (; !updates->empty(); updates->pop_back()) put(updates->back(), !updates->back().comes());
  }
}

}  // namespace matcha::runtime::stream
