#include "runtime/cpu/region_state.h"

#include <algorithm>
#include <bit>
#include <string>

#include "runtime/graph/page_limit.h"

namespace matcha::runtime {
namespace {

constexpr std::uint32_t kTrapped = 100;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kMaxChunk = 1024;
/// The remaining positions and work (runtime/work.h) are divided into this many chunks for each thread. Chunks below
/// kLittleChunk do not pay for fetching them.
constexpr std::uint64_t kChunksOfPositions = 8, kChunksOfWork = 32, kLittleChunk = 1024;
/// The target duration of a call of `body`.
constexpr std::chrono::microseconds kShortCall{1000}, kLongCall{20000};
constexpr std::uint64_t kLine = 64;  ///< The alignment of scratch memory.
/// The most second-level tasks that may wait for each thread; beyond it a worker runs its loops itself.
constexpr std::uint64_t kMaxItemTasks = 64;

bool collects_rows(const RegionLaunch& launch) {
  if (launch.row_mode != RowMode::Ordered) return false;
  return std::any_of(launch.sinks.begin(), launch.sinks.end(),
                     [](const SinkInfo& sink) { return sink.kind == SinkKind::Rows; });
}

std::vector<Column> make_columns(const SinkInfo& sink) {
  std::vector<Column> columns;
  for (ElementKind kind : sink.columns) columns.emplace_back(kind);
  return columns;
}

RegionError internal_error(std::string message) {
  RegionError error;
  error.message = "internal error: " + std::move(message);
  return error;
}

RegionError memory_error() {
  RegionError error;
  error.code = TrapCode::OutOfMemory;
  error.message = trap_message(error.code);
  return error;
}

}  // namespace

RegionState::RegionState(const RegionLaunch& launch, const RunControl& control, unsigned threads)
    : launch_(launch),
      control_(control),
      threads_(threads),
      ordered_(collects_rows(launch)),
      may_defer_(threads > 1 && launch.inner != nullptr && !ordered_),
      work_total_(work_of(launch.maybe_walked, launch.last() - launch.walked(), launch.last())),
      min_items_(std::clamp<std::uint64_t>(control.defer_items_late / 2, 1, 16)) {
  context_.frame = launch.frame;
  context_.sets = launch.sets;
  context_.defer_threshold = may_defer_ ? control.defer_items : kNever;
  context_.scheduler = this;
  context_.stop = PageLimit::is_any() ? kLooksAtPages : 0;
  next_position_.store(launch.begin, std::memory_order_relaxed);
}

bool RegionState::prepare() {
  std::size_t sinks = launch_.sinks.size();
  maps_.resize(sinks);
  map_pointers_.resize(sinks);
  for (std::size_t s = 0; s < sinks; ++s) {
    if (launch_.sinks[s].kind != SinkKind::Map) continue;
    maps_[s] = make_columns(launch_.sinks[s]);
    for (Column& column : maps_[s]) {
      // One more, so that sizes can be turned into offsets in place.
      if (!column.reserve(launch_.positions + 1) || !column.resize(launch_.positions)) return false;
      map_pointers_[s].push_back(column.data());
    }
  }
  for (unsigned i = 0; i < threads_; ++i) {
    workers_.push_back(std::make_unique<WorkerState>());
    if (!prepare_worker(*workers_.back(), i)) return false;
  }
  return true;
}

bool RegionState::prepare_worker(WorkerState& state, std::uint64_t index) {
  std::size_t sinks = launch_.sinks.size();
  if (launch_.scratch_bytes != 0) {
    // Fresh pages are zero when a worker first touches them.
    const std::uint64_t bytes = launch_.scratch_bytes + kLine;
    state.scratch.reset(launch_.clear_scratch ? std::calloc(1, bytes) : std::malloc(bytes));
    if (state.scratch == nullptr) return false;
  }
  state.slots.resize(sinks);
  state.rows.resize(sinks);
  state.float_sums.resize(sinks);
  state.column_pointers.resize(sinks);
  state.buffers.resize(sinks);
  state.collected.resize(sinks);
  state.placed.resize(sinks);
  for (std::size_t s = 0; s < sinks; ++s) {
    const SinkInfo& sink = launch_.sinks[s];
    if (sink.kind == SinkKind::SumFloat) {
      exact_sum_clear(state.float_sums[s]);
      state.slots[s].low = reinterpret_cast<std::uint64_t>(&state.float_sums[s]);
    } else if (sink.kind == SinkKind::All) {
      state.slots[s].low = 1;
    } else if (sink.kind == SinkKind::Map) {
      state.rows[s] = {0, launch_.positions, map_pointers_[s].data()};
    } else if (sink.kind == SinkKind::Rows) {
      std::uint64_t capacity = std::max<std::uint64_t>(1, control_.row_capacity);
      state.buffers[s] = make_columns(sink);
      state.collected[s] = make_columns(sink);
      if (sink.direct) {
        capacity = std::max(capacity, sink.expected);
        for (Column& column : state.collected[s]) {
          if (!column.reserve(capacity)) return false;
          state.column_pointers[s].push_back(column.data());
        }
        state.rows[s] = {0, capacity, state.column_pointers[s].data()};
        continue;
      }
      for (Column& column : state.buffers[s]) {
        if (!column.resize(capacity)) return false;
        state.column_pointers[s].push_back(column.data());
      }
      state.rows[s] = {0, capacity, state.column_pointers[s].data()};
    }
  }
  state.worker.region = &context_;
  state.worker.index = index;
  const std::uintptr_t scratch = reinterpret_cast<std::uintptr_t>(state.scratch.get());
  state.worker.scratch = reinterpret_cast<std::uint8_t*>((scratch + kLine - 1) / kLine * kLine);
  state.worker.slots = state.slots.data();
  state.worker.rows = state.rows.data();
  state.worker.storage = &state;
  return true;
}

void RegionState::trap(TrapCode code, std::uint32_t line, std::uint32_t column, const char* file) {
  std::uint32_t none = 0;
  if (cause_.compare_exchange_strong(none, kTrapped) || none != kTrapped) {
    // A trap outweighs a stop; of several traps the first one counts.
    std::uint32_t free_code = 0;
    if (std::atomic_ref<std::uint32_t>(context_.error_code)
            .compare_exchange_strong(free_code, static_cast<std::uint32_t>(code))) {
      context_.error_line = line;
      context_.error_column = column;
      context_.error_file = file;
      take_noted_index(context_);
    }
    cause_.store(kTrapped);
  }
  std::atomic_ref<std::uint32_t>(context_.stop).store(1, std::memory_order_relaxed);
}

void RegionState::stop(RegionEnd cause) {
  std::uint32_t none = 0;
  cause_.compare_exchange_strong(none, 1 + static_cast<std::uint32_t>(cause));
  std::atomic_ref<std::uint32_t>(context_.stop).store(1, std::memory_order_relaxed);
}

bool RegionState::stopped() const {
  return std::atomic_ref<std::uint32_t>(const_cast<std::uint32_t&>(context_.stop)).load(std::memory_order_relaxed) == 1;
}

WorkerState& RegionState::enter(std::uint64_t slot) {
  WorkerState& state = *workers_[slot];
  if (state.busy.exchange(true, std::memory_order_acquire)) reentered_.store(true);
  state.worker.kept_position = 0;
  return state;
}

void RegionState::run_body(WorkerState& state, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t before = state.worker.positions_done;
  launch_.body(&context_, &state.worker, begin, end);
  const std::uint64_t walked = state.worker.positions_done - before;
  state.work.fetch_add(work_of(launch_.maybe_walked, begin, begin + walked), std::memory_order_relaxed);
  if (!ordered_) return;
  for (std::size_t s = 0; s < launch_.sinks.size(); ++s) {
    if (launch_.sinks[s].kind != SinkKind::Rows) continue;
    if (!launch_.sinks[s].direct) flush_rows(state, s);
    std::uint64_t rows = launch_.sinks[s].direct ? state.rows[s].count : state.collected[s][0].size();
    if (rows != state.placed[s]) state.segments.push_back({begin, s, state.placed[s], rows - state.placed[s]});
    state.placed[s] = rows;
  }
}

std::uint64_t RegionState::chunk_end(std::uint64_t begin) const {
  std::uint64_t most =
      begin + std::clamp<std::uint64_t>((last_ - begin) / (kChunksOfPositions * threads_), 1, kMaxChunk);
  if (threads_ == 1) return most;
  // If hubs come first, equal numbers of positions would leave most of the work to one thread.
  const std::uint64_t left = work_of(launch_.maybe_walked, begin, last_);
  const std::uint64_t share = std::max(left / (kChunksOfWork * threads_), kLittleChunk);
  std::uint64_t least = begin + 1;
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    if (work_of(launch_.maybe_walked, begin, middle) < share) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return most;
}

bool RegionState::claim(std::uint64_t& begin, std::uint64_t& end) {
  begin = next_position_.load(std::memory_order_relaxed);
  do {
    if (begin >= last_) return false;
    end = chunk_end(begin);
  } while (!next_position_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  if (end == last_ && may_defer_) {
    // From now on a thread without positions waits for second-level items.
    std::atomic_ref<std::uint64_t>(context_.defer_threshold)
        .store(control_.defer_items_late, std::memory_order_relaxed);
  }
  return true;
}

void RegionState::run_positions(std::uint64_t slot) {
  WorkerState& state = enter(slot);
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  while (!stopped() && claim(begin, end)) {
    while (begin < end && !stopped()) begin = run_piece(state, begin, end);
  }
  leave(state);
}

bool RegionState::run_positions_alone(Clock::time_point until) {
  if (may_defer_) context_.defer_threshold = control_.defer_items_late;
  WorkerState& state = enter(0);
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool in_time = true;
  while (in_time && !stopped() && claim(begin, end)) {
    while (in_time && begin < end && !stopped()) {
      begin = run_piece(state, begin, end);
      in_time = Clock::now() < until;
    }
    if (begin < end) next_position_.store(begin, std::memory_order_relaxed);
  }
  leave(state);
  const bool all = next_position_.load(std::memory_order_relaxed) >= last_;
  if (may_defer_ && !all) context_.defer_threshold = control_.defer_items;
  return all || stopped();
}

std::uint64_t RegionState::run_piece(WorkerState& state, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t next = std::min(begin + state.piece, end);
  const Clock::time_point start = Clock::now();
  run_body(state, begin, next);
  const Clock::duration took = Clock::now() - start;
  if (took < kShortCall && state.piece < kMaxChunk) state.piece *= 2;
  if (took > kLongCall) state.piece = std::max<std::uint64_t>(state.piece / 4, 1);
  return next;
}

bool RegionState::defer(std::uint64_t position, std::uint64_t size) {
  if (!may_defer_ || size < 2 || stopped()) return false;
  if (item_tasks_.load(std::memory_order_relaxed) >= kMaxItemTasks * threads_) return false;
  try {
    spawn({position, 0, size, size});
  } catch (...) {
    return false;
  }
  deferred_items_.fetch_add(size, std::memory_order_relaxed);
  deferred_loops_.fetch_add(1, std::memory_order_relaxed);
  deferred_work_.fetch_add(work_of(launch_.maybe_walked, position, position + 1), std::memory_order_relaxed);
  return true;
}

void RegionState::spawn(const ItemRange& items) {
  task_created();
  item_tasks_.fetch_add(1, std::memory_order_relaxed);
  try {
    spawner_->spawn_items(items);
  } catch (...) {
    item_tasks_.fetch_sub(1, std::memory_order_relaxed);
    task_finished();
    throw;
  }
}

void RegionState::run_items(std::uint64_t slot, ItemRange items) {
  WorkerState& state = enter(slot);
  auto& [position, begin, end, size] = items;
  const std::uint64_t work = work_of(launch_.maybe_walked, position, position + 1);
  // The parts of a position's work sum to it.
  const auto work_before = [&](std::uint64_t item) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(work) * item / size);
  };
  std::uint64_t grain = std::max(min_items_, (end - begin) / (8 * threads_));
  while (begin < end && !stopped()) {
    while (end - begin >= 2 * grain && item_tasks_.load(std::memory_order_relaxed) < 2 * threads_) {
      std::uint64_t middle = begin + (end - begin) / 2;
      try {
        spawn({position, middle, end, size});
      } catch (...) {
        break;
      }
      end = middle;
    }
    std::uint64_t next = std::min(begin + grain, end);
    const std::uint64_t before = state.worker.items_done;
    launch_.inner(&context_, &state.worker, position, begin, next);
    const std::uint64_t walked = state.worker.items_done - before;
    state.work.fetch_add(work_before(begin + walked) - work_before(begin), std::memory_order_relaxed);
    begin = next;
  }
  leave(state);
  item_tasks_.fetch_sub(1, std::memory_order_relaxed);
}

void RegionState::flush_rows(WorkerState& state, std::uint64_t sink) noexcept {
  RowBuffer& buffer = state.rows[sink];
  if (buffer.count == 0) return;
  if (launch_.row_mode == RowMode::Ordered) {
    for (std::size_t c = 0; c < state.collected[sink].size(); ++c) {
      if (!state.collected[sink][c].append(buffer.columns[c], buffer.count)) {
        trap(TrapCode::OutOfMemory, 0, 0, nullptr);
        break;
      }
    }
  } else {
    std::lock_guard<std::mutex> lock(rows_mutex_);
    std::uint32_t cause = cause_.load();
    bool wanted = cause != kTrapped && cause != 1 + static_cast<std::uint32_t>(RegionEnd::RowsRefused);
    if (wanted) {
      state.slots[sink].low += buffer.count;
      if (!control_.on_rows || !control_.on_rows({sink, buffer.count, buffer.columns})) stop(RegionEnd::RowsRefused);
    }
  }
  buffer.count = 0;
}

bool RegionState::grow_rows(WorkerState& state, std::uint64_t sink, std::uint64_t rows) noexcept {
  RowBuffer& buffer = state.rows[sink];
  const std::uint64_t capacity = std::max(buffer.count + rows, buffer.capacity + buffer.capacity / 2);
  for (std::size_t c = 0; c < state.collected[sink].size(); ++c) {
    if (!state.collected[sink][c].reserve(capacity)) {
      trap(TrapCode::OutOfMemory, 0, 0, nullptr);
      return false;
    }
    state.column_pointers[sink][c] = state.collected[sink][c].data();
  }
  buffer.capacity = capacity;
  return true;
}

std::uint64_t RegionState::work_done() const {
  const std::uint64_t deferred = deferred_work_.load(std::memory_order_relaxed);
  std::uint64_t done = 0;
  for (const std::unique_ptr<WorkerState>& state : workers_) done += state->work.load(std::memory_order_relaxed);
  // The position of a loop that was just split off is not counted so far.
  return done > deferred ? done - deferred : 0;
}

std::optional<RegionError> RegionState::check_positions(RegionResult& result) {
  std::uint64_t items = 0;
  for (const std::unique_ptr<WorkerState>& state : workers_) {
    result.positions_done += state->worker.positions_done;
    items += state->worker.items_done;
  }
  result.work_done = work_done();
  result.work_total = work_total_;
  result.deferred = deferred_loops_.load();
  if (live_tasks_.load(std::memory_order_acquire) != 0) return internal_error("tasks are left after the region");
  if (reentered_.load()) return internal_error("a worker was entered twice");
  std::uint32_t cause = cause_.load();
  if (cause == kTrapped) {
    RegionError error;
    error.code = static_cast<TrapCode>(context_.error_code);
    error.message = trap_message(error.code);
    error.hint = trap_hint(error.code, context_.error_index, context_.error_size);
    error.file = context_.error_file == nullptr ? "" : context_.error_file;
    error.line = context_.error_line;
    error.column = context_.error_column;
    return error;
  }
  bool all = result.positions_done == launch_.walked() && items == deferred_items_.load();
  if (all && cause != 1 + static_cast<std::uint32_t>(RegionEnd::RowsRefused)) return std::nullopt;
  if (cause == 0) {
    return internal_error("walked " + std::to_string(result.positions_done) + " of " +
                          std::to_string(launch_.walked()) + " positions and " + std::to_string(items) + " of " +
                          std::to_string(deferred_items_.load()) + " split-off items");
  }
  result.end = static_cast<RegionEnd>(cause - 1);
  return std::nullopt;
}

RegionOutcome RegionState::finish() {
  RegionResult result;
  if (launch_.row_mode == RowMode::Stream) {
    for (const std::unique_ptr<WorkerState>& state : workers_) {
      for (std::size_t s = 0; s < launch_.sinks.size(); ++s) {
        if (launch_.sinks[s].kind == SinkKind::Rows) flush_rows(*state, s);
      }
    }
  }
  if (std::optional<RegionError> error = check_positions(result)) return *std::move(error);
  result.sinks.resize(launch_.sinks.size());
  for (std::size_t s = 0; s < launch_.sinks.size(); ++s) {
    if (std::optional<RegionError> error = merge_sink(s, result.sinks[s])) return *std::move(error);
  }
  return result;
}

bool RegionState::merge_map(std::uint64_t sink, SinkResult& result) {
  result.rows = launch_.walked();
  if (result.rows == launch_.positions) {
    result.columns = std::move(maps_[sink]);
    return true;
  }
  for (const Column& all : maps_[sink]) {
    const char* const items = static_cast<const char*>(all.data());
    Column& column = result.columns.emplace_back(all.kind());
    if (!column.append(items + launch_.begin * element_bytes(all.kind()), result.rows)) return false;
  }
  return true;
}

bool RegionState::merge_rows(std::uint64_t sink, SinkResult& result) {
  for (const std::unique_ptr<WorkerState>& state : workers_) {
    if (!launch_.sinks[sink].direct) break;
    for (Column& column : state->collected[sink]) {
      if (!column.resize(state->rows[sink].count)) return false;
    }
  }
  if (workers_.size() == 1) {
    result.columns = std::move(workers_[0]->collected[sink]);
    result.rows = result.columns[0].size();
    return true;
  }
  struct Piece {
    const RowSegment* segment;
    WorkerState* state;
  };
  std::vector<Piece> pieces;
  for (const std::unique_ptr<WorkerState>& state : workers_) {
    for (const RowSegment& segment : state->segments) {
      if (segment.sink == sink) pieces.push_back({&segment, state.get()});
      if (segment.sink == sink) result.rows += segment.count;
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& x, const Piece& y) { return x.segment->position < y.segment->position; });
  result.columns = make_columns(launch_.sinks[sink]);
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    Column& column = result.columns[c];
    if (!column.reserve(result.rows)) return false;
    for (const Piece& piece : pieces) {
      const char* from = static_cast<const char*>(piece.state->collected[sink][c].data());
      if (!column.append(from + piece.segment->first * element_bytes(column.kind()), piece.segment->count))
        return false;
    }
    for (const std::unique_ptr<WorkerState>& state : workers_) state->collected[sink][c] = Column(column.kind());
  }
  return true;
}

std::optional<RegionError> RegionState::merge_sink(std::uint64_t sink, SinkResult& result) {
  SinkKind kind = launch_.sinks[sink].kind;
  result.flag = kind == SinkKind::All;
  ExactSum float_sum;
  exact_sum_clear(float_sum);
  for (const std::unique_ptr<WorkerState>& state : workers_) {
    const SinkSlot& slot = state->slots[sink];
    std::int64_t integer = static_cast<std::int64_t>(slot.low);
    double number = std::bit_cast<double>(slot.low);
    bool first = !result.has_value;
    switch (kind) {
      case SinkKind::SumInt: {
        __int128 part = static_cast<__int128>(static_cast<unsigned __int128>(slot.high) << 64 | slot.low);
        if (__builtin_add_overflow(result.sum, part, &result.sum)) {
          RegionError error;
          error.code = TrapCode::IntegerOverflow;
          error.message = "a sum does not fit 128 bits";
          return error;
        }
        break;
      }
      case SinkKind::SumFloat: exact_sum_merge(float_sum, state->float_sums[sink]); break;
      case SinkKind::MinInt:
      case SinkKind::MaxInt:
        if (slot.high == 0) break;
        if (first || (kind == SinkKind::MinInt) == (integer < result.integer)) result.integer = integer;
        result.has_value = true;
        break;
      case SinkKind::MinFloat:
      case SinkKind::MaxFloat:
        if (slot.high == 0) break;
        result.number = first                        ? number
                        : kind == SinkKind::MinFloat ? rt_min_f64(result.number, number)
                                                     : rt_max_f64(result.number, number);
        result.has_value = true;
        break;
      case SinkKind::Any: result.flag = result.flag || slot.low != 0; break;
      case SinkKind::All: result.flag = result.flag && slot.low != 0; break;
      case SinkKind::Rows:
        if (launch_.row_mode == RowMode::Stream) result.rows += slot.low;
        break;
      case SinkKind::Map: break;
    }
  }
  if (kind == SinkKind::SumFloat) {
    result.number = exact_sum_round(float_sum);
    result.exact_sum = float_sum;
  }
  if (kind == SinkKind::Map && !merge_map(sink, result)) return memory_error();
  if (kind == SinkKind::Rows && launch_.row_mode == RowMode::Ordered && !merge_rows(sink, result))
    return memory_error();
  return std::nullopt;
}

}  // namespace matcha::runtime
