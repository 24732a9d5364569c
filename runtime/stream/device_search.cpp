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

constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 27;
constexpr std::size_t kMostUpdates = std::size_t{1} << 22;
/// With more at a time a launch is no sooner done, and those after it wait.
constexpr std::size_t kMostAdded = std::size_t{1} << 16;
/// Where rows are chosen for a launch.
constexpr std::size_t kMostChosen = kMostAdded;

}  // namespace

/// Where what goes to the device with a launch lies: what comes back is in front.
struct DeviceSearch::Layout {
  std::uint64_t sums = 0, reads = 0, back = 0, long_taken = 0, updates = 0, units = 0, terms = 0, bytes = 0;

  Layout(std::uint64_t sum_count, std::uint64_t update_count, std::uint64_t unit_count, std::uint64_t term_bytes) {
    constexpr std::uint64_t kMostLong = 64;
    sums = aligned_to_line(sizeof(DeltaShared));
    reads = sums + sum_count * sizeof(DeltaSum);
    back = reads + 3 * sizeof(std::uint64_t);  // Near ones, far ones, and the number of matches.
    long_taken = aligned_to_line(back);
    updates = long_taken + kMostLong * sizeof(std::uint64_t);
    units = aligned_to_line(updates + update_count * sizeof(DeltaUpdate));
    terms = aligned_to_line(units + unit_count * sizeof(DeltaUnit));
    bytes = aligned_to_line(terms + term_bytes);
  }
};

DeviceSearch::DeviceSearch(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count,
                           GraphMirror::Kernels kernels, unsigned most_blocks)
    : graph_(graph),
      stream_(std::make_unique<cuda::Stream>(std::move(stream))),
      code_(std::move(code)),
      count_(std::move(count)),
      most_blocks_(most_blocks),
      rows_(graph),
      walks_(graph),
      mirror_(graph, *stream_, std::move(kernels)),
      edits_(graph) {}

Result<std::unique_ptr<DeviceSearch>> DeviceSearch::make(DynamicGraph& graph, const cuda::DeviceRef& device,
                                                         cuda::Module code) {
  Result<cuda::Function> count = code.function("delta_count"), patch = code.function("delta_patch"),
                         move = code.function("delta_move");
  for (const Result<cuda::Function>* function : {&count, &patch, &move}) {
    if (!*function) return function->error();
  }
  const Result<unsigned> most = match::most_blocks(*count, *device);
  if (!most) return most.error();
  Result<cuda::Stream> stream = cuda::Stream::create(device);
  if (!stream) return stream.error();
  std::unique_ptr<DeviceSearch> made(new DeviceSearch(graph, std::move(*stream), std::move(code), std::move(*count),
                                                      {std::move(*patch), std::move(*move)}, *most));
  Result<match::KernelWish> wish = match::KernelWish::make(device);
  if (!wish) return wish.error();
  made->wish_ = std::move(*wish);
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

Status DeviceSearch::make_data(const SharedTerms& terms) {
  if (data_ && data_layout_ == graph_.layout()) return Done{};
  std::string why;
  data_ = TermData::make(terms, graph_, why);
  data_layout_ = graph_.layout();
  memory_.reset();
  if (data_) return Done{};
  Error error;
  error.kind = ErrorKind::Resource;
  error.message = why;
  return error;
}

SearchNeeds DeviceSearch::needs(std::uint64_t longest) const {
  SearchNeeds needs;
  needs.record_bytes = mirror_.record_bytes();
  needs.least_batch = GraphMirror::kLeastBatch;
  needs.least_control = Layout(2 * data_->terms(), 1, data_->terms(), data_->bytes().size()).bytes;
  needs.arrays = std::max<std::uint64_t>(data_->rooms(), 1);
  needs.longest = longest;
  needs.most_groups = most_blocks_ * kGroupsOfBlock;
  if (data_->listed() != 0) needs.match_bytes = (1 + data_->listed()) * sizeof(std::uint32_t);
  return needs;
}

Result<std::uint64_t> DeviceSearch::least_bytes(const SharedTerms& terms) {
  const Status made = make_data(terms);
  if (!made) return made.error();
  return SearchMemory::least(needs(graph_.longest_row()));
}

/// What of the bound is for what, where the longest row has so many items.
Status DeviceSearch::share_memory(std::uint64_t longest) {
  const SearchNeeds needs = this->needs(longest);
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

/// Terms as the device has them, and where there is a bound, what is for what.
Status DeviceSearch::prepare_terms(const SharedTerms& terms) {
  Status status = make_data(terms);
  if (status && most_bytes_ != 0 && !memory_) status = share_memory(graph_.longest_row());
  return status;
}

std::size_t DeviceSearch::most_added(const SharedTerms& terms) {
  // Where there is an error, it comes again.
  if (!prepare_terms(terms) || !memory_) return kMostAdded;
  const std::uint64_t of_update = sizeof(DeltaUpdate) + std::max<std::uint64_t>(data_->terms(), 1) * sizeof(DeltaUnit);
  const std::uint64_t of_control = 1 + spare_control() / 2 / of_update;
  return static_cast<std::size_t>(
      std::min({std::uint64_t{kMostChosen}, of_control, std::uint64_t{GraphMirror::most_updates(memory_->batch)}}));
}

/// Of the bytes that go to the device with a launch, those that are for more than one update.
std::uint64_t DeviceSearch::spare_control() const {
  // Each part may begin behind a gap.
  constexpr std::uint64_t kGaps = 4 * match::kLine;
  const std::uint64_t spare = memory_->control - needs(0).least_control;
  return spare - std::min(spare, kGaps);
}

Status DeviceSearch::reserve_tasks(std::uint64_t tasks) {
  if (tasks_.size() == tasks) return Done{};
  tasks_ = {};
  Result<cuda::DeviceBuffer<DeltaTask>> made = cuda::DeviceBuffer<DeltaTask>::allocate(stream_->shared_device(), tasks);
  if (!made) return made.error();
  tasks_ = std::move(*made);
  return tasks_.fill(*stream_, 0);
}

Status DeviceSearch::reserve_matches() {
  if (data_->listed() == 0) return Done{};
  const std::uint64_t words = 1 + data_->listed();
  const std::uint64_t wanted = memory_ ? memory_->matches / sizeof(std::uint32_t) : match_room_ * words;
  if (matches_.size() == wanted) return Done{};
  matches_ = {};
  Result<cuda::DeviceBuffer<std::uint32_t>> made =
      cuda::DeviceBuffer<std::uint32_t>::allocate(stream_->shared_device(), wanted);
  if (!made) return made.error();
  matches_ = std::move(*made);
  return Done{};
}

/// More room for matches, if that may be.
bool DeviceSearch::grow_matches() {
  constexpr std::uint64_t kMostRoom = std::uint64_t{1} << 26;
  if (memory_ || match_room_ >= kMostRoom) return false;
  match_room_ *= 4;
  return true;
}

/// Arrays for the sets of all groups, or of fewer where there is not so much memory.
Status DeviceSearch::reserve_scratch() {
  SearchNeeds needs = this->needs(mirror_.longest());
  const bool fits = rooms_.long_words >= needs.longest && arrays_ >= needs.arrays && scratch_.size() != 0;
  if (fits) return Done{};
  scratch_ = {};
  arrays_ = needs.arrays;
  if (memory_) {
    rooms_ = memory_->rooms;
  } else {
    // Rows that grow do so batch after batch.
    if (rooms_.groups != 0) needs.longest += needs.longest / 2;
    const Result<cuda::Device::Memory> memory = stream_->device().memory();
    if (!memory) return memory.error();
    // Half of what is free, so that the graph can grow.
    rooms_ = share_rooms(needs, memory->free / 2);
  }
  Result<cuda::DeviceBuffer<std::uint32_t>> made =
      cuda::DeviceBuffer<std::uint32_t>::allocate(stream_->shared_device(), rooms_.items(arrays_));
  if (!made) return made.error();
  scratch_ = std::move(*made);
  return Done{};
}

std::uint64_t DeviceSearch::bytes() const {
  return mirror_.bytes() + tasks_.bytes() + scratch_.bytes() + control_.bytes() + matches_.bytes();
}

Status DeviceSearch::send(const Layout& layout) {
  Status status = Done{};
  if (!memory_) {
    status = reserve(control_, stream_->shared_device(), layout.bytes);
  } else if (control_.bytes() != memory_->control) {
    control_ = {};
    Result<cuda::DeviceMemory> made = cuda::DeviceMemory::allocate(stream_->shared_device(), memory_->control);
    if (!made) return made.error();
    control_ = std::move(*made);
  }
  if (status && layout.bytes > control_.bytes()) {
    Error error;
    error.kind = ErrorKind::Resource;
    error.message = "what goes to the GPU with a launch has no room";
    return error;
  }
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

Result<DeviceSearch::Outcome> DeviceSearch::read(const match::Stops& stops) {
  const std::byte* const from = static_cast<const std::byte*>(control_stage_.host());
  DeltaShared shared{};
  std::memcpy(&shared, from, sizeof(shared));
  Outcome outcome;
  outcome.is_refused = shared.refused != 0;
  const std::size_t count = std::size_t{slots_} * data_->terms();
  const std::byte* const sums = from + aligned_to_line(sizeof(shared));
  std::uint64_t reads[3] = {0, 0, 0};
  std::memcpy(reads, sums + count * sizeof(DeltaSum), sizeof(reads));
  outcome.match_words = 1 + data_->listed();
  is_overfull_ = data_->listed() != 0 && reads[2] > matches_.size() / outcome.match_words;
  if (is_overfull_) return outcome;
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
  outcome.found.maps.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    DeltaSum sum{};
    std::memcpy(&sum, sums + i * sizeof(sum), sizeof(sum));
    const unsigned __int128 all = static_cast<unsigned __int128>(sum.high) << 64 | sum.low;
    outcome.found.maps.push_back(static_cast<__int128>(all));
  }
  if (reads[2] != 0) {
    outcome.matches.resize(reads[2] * outcome.match_words);
    Status copied = matches_.download(*stream_, outcome.matches.data(), outcome.matches.size());
    if (copied) copied = stream_->synchronize();
    if (!copied) return copied.error();
  }
  outcome.near_reads = reads[0];
  outcome.far_reads = reads[1];
  outcome.rows = mirror_.chosen();
  outcome.choose_ms = choose_ms_;
  outcome.move_ms = mirror_.move_ms();
  return outcome;
}

/// What is `begun_`, as the device was shown it.
Status DeviceSearch::launch(const SharedTerms& terms, std::uint32_t slots) {
  slots_ = slots;
  find_units(terms);
  const Layout layout(std::uint64_t{slots} * data_->terms(), begun_.size(), units_.size(), data_->bytes().size());
  // Some groups more than units, for what busy ones give away.
  constexpr std::uint64_t kChunks = 16, kLongestChunk = 8;
  const std::uint64_t some =
      2 * static_cast<std::uint64_t>(std::max(stream_->device().properties().multiprocessors, 1));
  const std::uint64_t blocks = std::min<std::uint64_t>(std::max(units_.size() / 2, some), most_blocks_);
  Status status = reserve_scratch();
  if (status) status = reserve_matches();
  if (status) status = reserve_tasks(memory_ ? memory_->tasks : SearchMemory::kMostTasks);
  if (status) status = send(layout);
  if (!status) return status;
  wish_.clear();
  const std::uint64_t groups = std::min(blocks * kGroupsOfBlock, rooms_.groups);
  const std::byte* const there = reinterpret_cast<const std::byte*>(control_.address());
  DeltaLaunch launch{};
  launch.after = mirror_.rows(false);
  launch.before = mirror_.rows(true);
  launch.words = mirror_.words();
  launch.near = mirror_.near();
  launch.near_end = mirror_.near_end();
  if (mirror_.has_far()) launch.reads = reinterpret_cast<matcha_program::u64*>(control_.address() + layout.reads);
  launch.terms = data_->at(there + layout.terms);
  launch.updates = reinterpret_cast<const DeltaUpdate*>(there + layout.updates);
  launch.units = reinterpret_cast<const DeltaUnit*>(there + layout.units);
  launch.unit_count = units_.size();
  launch.chunk = std::clamp<std::uint64_t>(units_.size() / (groups * kChunks), 1, kLongestChunk);
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
  launch.sums_of_slot = data_->terms();
  launch.wish = reinterpret_cast<const matcha_program::u64*>(wish_.address());
  launch.matches = matches_.data();
  launch.match_words = 1 + data_->listed();
  launch.match_room = matches_.size() / launch.match_words;
  launch.match_count = reinterpret_cast<matcha_program::u64*>(control_.address() + layout.reads) + 2;
  status = count_.launch(*stream_, shape_of(groups), launch);
  return status ? control_.copy_to(*stream_, control_stage_.host(), layout.back) : status;
}

/// Opens the rows of `begun_`, or of what is added, and estimates what it will read.
void DeviceSearch::open_rows(BatchRows::Graph graph, const SharedTerms& terms) {
  const std::vector<BatchUpdate>& updates = graph == BatchRows::Graph::Before ? begun_ : added_;
  // Those of a graph that has them were taken into it.
  fits_ = rows_.open(updates, graph, graph == BatchRows::Graph::After);
  reads_ = {};
  // Before the first layout it is not known whether some are far.
  if (!fits_ || most_bytes_ == 0) return;
  const Clock::time_point begin = Clock::now();
  reads_ = walks_.estimate(terms, updates);
  walk_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// The same, and its rows, which are open.
Status DeviceSearch::show_and_launch(const SharedTerms& terms, std::uint32_t slots) {
  Status status = prepare_terms(terms);
  if (status) status = mirror_.show(rows_, reads_);
  if (status && memory_ && mirror_.longest() > memory_->rooms.long_words) {
    mirror_.end(false);
    status = share_memory(mirror_.longest());
    // What was sent is under way.
    if (status) status = stream_->synchronize();
    if (status) status = mirror_.show(rows_, reads_);
  }
  if (!status) return status;
  choose_ms_ = walk_ms_ + mirror_.plan_ms();
  status = launch(terms, slots);
  if (!status) mirror_.end(false);
  return status;
}

Result<DeviceSearch::Outcome> DeviceSearch::run(const SharedSearch::Request& request) {
  // So many that their units are not too many.
  const std::uint64_t of_update = std::max<std::uint64_t>(request.terms.all.size(), 1);
  const std::size_t fit = static_cast<std::size_t>(std::max<std::uint64_t>(kMostUnits / of_update, 1));
  const std::size_t most = most_bytes_ == 0 ? kMostUpdates : most_added(request.terms);
  for (std::size_t updates = std::min({request.updates.size(), most, fit});; updates /= 2) {
    Result<Outcome> outcome = run_some(request, updates);
    while (outcome && is_overfull_ && grow_matches()) outcome = run_some(request, updates);
    if (!outcome || !is_overfull_) return outcome;
    // Of one update the host can list what is too much here.
    outcome->is_refused = updates == 1;
    if (outcome->is_refused) return outcome;
  }
}

/// The first updates of a request; where `is_overfull_`, nothing is done.
Result<DeviceSearch::Outcome> DeviceSearch::run_some(const SharedSearch::Request& request, std::size_t updates) {
  const Clock::time_point begin = Clock::now();
  const std::uint32_t slot = request.come ? 1 : 0;
  for (const EdgeUpdate& update : request.updates.first(updates)) begun_.push_back({update.u, update.v, slot});
  Outcome none;
  is_prepared_ = is_overfull_ = false;
  open_rows(BatchRows::Graph::Before, request.terms);
  none.found.fits = fits_;
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
  if (!outcome || is_overfull_ || outcome->is_refused || outcome->found.ending != DeltaSearch::Ending::Complete) {
    return outcome;
  }
  rows_.close();
  std::vector<__int128>& maps = outcome->found.maps;
  const auto first = maps.begin() + static_cast<std::ptrdiff_t>(slot * data_->terms());
  maps = std::vector<__int128>(first, first + static_cast<std::ptrdiff_t>(data_->terms()));
  outcome->found.updates = updates;
  outcome->found.busy_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return outcome;
}

bool DeviceSearch::put(std::span<const BatchUpdate> updates, bool undone) {
  edges_.clear();
  for (const BatchUpdate& update : updates) edges_.push_back({update.u, update.v, update.comes() != undone});
  // What the device has of the rows is known from the updates, so the graph need not note them.
  return edits_.make(edges_, undone ? nullptr : &mirror_.kept());
}

bool DeviceSearch::add(std::span<const BatchUpdate> updates) {
  is_prepared_ = false;
  if (!put(updates, false)) return false;
  added_.insert(added_.end(), updates.begin(), updates.end());
  return true;
}

bool DeviceSearch::is_full(const SharedTerms& terms, std::uint32_t slots) const {
  constexpr std::uint64_t kMostSums = std::uint64_t{1} << 20;
  const std::uint64_t count = std::max<std::uint64_t>(terms.all.size(), 1);
  if (memory_ && data_) {
    if (added_.size() >= kMostChosen || (slots + 2) * count * sizeof(DeltaSum) > spare_control() / 2) return true;
  }
  return added_.size() >= kMostAdded || added_.size() * count >= kMostUnits || slots * count >= kMostSums;
}

void DeviceSearch::prepare(const SharedTerms& terms) {
  if (added_.empty()) return;
  open_rows(BatchRows::Graph::After, terms);
  is_prepared_ = true;
}

Status DeviceSearch::begin(const SharedTerms& terms, std::uint32_t slots) {
  if (!std::exchange(is_prepared_, false)) open_rows(BatchRows::Graph::After, terms);
  begun_ = std::exchange(added_, std::exchange(begun_, {}));
  added_.clear();
  if (fits_) return show_and_launch(terms, slots);
  Error error;
  error.kind = ErrorKind::Runtime;
  error.message = "updates that were taken into the graph are not there";
  return error;
}

Result<DeviceSearch::Outcome> DeviceSearch::finish(const match::Stops& stops) {
  const Status status = wish_.wait(*stream_, stops);
  Result<Outcome> outcome = status ? read(stops) : status.error();
  const bool made =
      outcome && !is_overfull_ && !outcome->is_refused && outcome->found.ending == DeltaSearch::Ending::Complete;
  mirror_.end(made);
  if (!made) return outcome;
  outcome->found.updates = begun_.size();
  begun_.clear();
  return outcome;
}

void DeviceSearch::undo() {
  is_prepared_ = false;
  for (std::vector<BatchUpdate>* updates : {&added_, &begun_}) {
    (void)put(*updates, true);
    updates->clear();
  }
  mirror_.kept().undo();
}

}  // namespace matcha::runtime::stream
