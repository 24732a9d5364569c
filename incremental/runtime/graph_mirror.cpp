#include "incremental/runtime/graph_mirror.h"

#include <tbb/blocked_range.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "engines/search/unit_kernels.h"
#include "runtime/parallel.h"

namespace matcha::runtime::stream {

using matcha_program::DeltaMove;
using matcha_program::DeltaPatch;
using matcha_program::DeltaRow;

namespace {

constexpr std::uint64_t kWord = sizeof(std::uint32_t);
/// The size of pieces that are packed before they are copied.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;
constexpr std::uint64_t kLeastWords = std::uint64_t{1} << 12;
/// Bytes of an update in a batch: changes of two rows, their patches and moves.
constexpr std::uint64_t kUpdateBytes = 2 * (3 * kWord + sizeof(DeltaPatch) + sizeof(DeltaMove));
constexpr unsigned kBlockThreads = 128, kMostBlocks = 4096;
/// Instead of the number of a patch: the row has no data.
constexpr std::uint32_t kLacks = ~std::uint32_t{0};

constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

/// The layout of the bytes of a batch.
struct GraphMirror::Layout {
  std::uint64_t rows = 0, moves = 0, patches = 0, bytes = 0;

  Layout(std::uint64_t words, std::uint64_t row_items, std::uint64_t move_count, std::uint64_t patch_count) {
    rows = words * kWord;
    moves = aligned(rows + row_items * kWord);
    patches = moves + move_count * sizeof(DeltaMove);
    bytes = patches + patch_count * sizeof(DeltaPatch);
  }
};

void GraphMirror::set_bound(const Bound& bound) {
  if (bound.rows == bound_.rows && bound.batch == bound_.batch) return;
  bound_ = bound;
  whole_ = true;
}

std::uint64_t GraphMirror::record_bytes() const {
  return std::max<std::uint64_t>(row_count() * (graph_.directed() ? 2 : 1), 1) * sizeof(DeltaRow);
}

std::size_t GraphMirror::most_updates(std::uint64_t batch_bytes) {
  // Half is for moves that make room.
  return static_cast<std::size_t>(std::max<std::uint64_t>(batch_bytes / 2 / kUpdateBytes, 1));
}

Error GraphMirror::too_few(std::uint64_t least) const {
  Error error;
  error.kind = ErrorKind::Resource;
  error.message = "the rows of the graph may take " + std::to_string(bound_.rows) +
                  " bytes of the GPU, and where they are takes " + std::to_string(least) + " alone";
  return error;
}

/// Calls `take(slot, row)` for all rows before the batch, in order.
template <typename Take>
void GraphMirror::each_row(BatchRows& batch, const Take& take) {
  const std::uint32_t count = static_cast<std::uint32_t>(row_count());
  for (const bool backwards : {false, true}) {
    if (backwards && !graph_.directed()) return;
    for (std::uint32_t row = 0; row < count; ++row) take(slot(backwards, row), batch.row_before(backwards, row));
  }
}

/// Allocates memory for all rows and the same again as spare; if memory is short, for the present rows. With a bound,
/// allocates the bounded memory on the device, and all rows on the host.
Status GraphMirror::take_room(std::uint64_t live, std::uint64_t spare, std::uint64_t longest) {
  // Nothing reads the old memory afterwards.
  MATCHA_TRY(stream_.synchronize());
  records_ = {};
  resident_ = {};
  const std::uint64_t slots = record_bytes() / sizeof(DeltaRow);
  if (bound_.rows != 0 && bound_.rows < record_bytes()) return too_few(record_bytes());
  records_ = MATCHA_TRY(cuda::DeviceBuffer<DeltaRow>::allocate(stream_.shared_device(), slots));
  patch_of_.assign(slots, 0);
  // A row may grow, and is a small part of the reserve for rows that move.
  constexpr std::uint64_t kPart = 20;
  const std::uint64_t least = std::max((live + spare) * 5 / 4, kPart * (longest + spare)) + kLeastWords;
  const std::uint64_t ample = std::max(live * 5 / 2 + 4 * spare, least);
  std::uint64_t most = ample;
  if (bound_.rows != 0) most = (bound_.rows - records_.bytes()) / kWord;
  if (most < least) return share_room(most);
  for (const std::uint64_t words : {std::min(ample, most), least}) {
    Result<cuda::DeviceBuffer<std::uint32_t>> resident =
        cuda::DeviceBuffer<std::uint32_t>::allocate(stream_.shared_device(), words);
    if (resident) {
      resident_ = std::move(*resident);
      break;
    }
    if (words == least) return resident.error();
  }
  const bool is_ample = resident_.size() >= ample;
  row_places_.reset(slots, resident_.size(), is_ample ? RowPlaces::Kind::Ample : RowPlaces::Kind::Scarce);
  return Done{};
}

/// Allocates `words` words on the device; moves the host's rows to pinned memory that the device reads in place.
Status GraphMirror::share_room(std::uint64_t words) {
  resident_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(stream_.shared_device(), words));
  row_places_.reset(patch_of_.size(), resident_.size(), RowPlaces::Kind::Remote);
  if (graph_.is_rehoused()) return Done{};
  const auto pinned = [device = stream_.shared_device()](std::uint64_t items) {
    Result<cuda::PinnedBuffer<std::uint32_t>> made = cuda::PinnedBuffer<std::uint32_t>::allocate(device, items);
    // Records contain host addresses.
    if (!made || made->device_data() != made->host()) throw std::bad_alloc();
    const auto buffer = std::make_shared<cuda::PinnedBuffer<std::uint32_t>>(std::move(*made));
    return std::shared_ptr<std::uint32_t[]>(buffer, buffer->host());
  };
  try {
    graph_.rehouse(pinned);
  } catch (const std::bad_alloc&) {
    Error error;
    error.kind = ErrorKind::Resource;
    error.message = "the rows of the graph cannot be pinned in memory of the host for " + stream_.device().label();
    return error;
  }
  return Done{};
}

/// A remote row before the batch; empty: it is neither in the graph nor kept.
std::optional<std::span<const std::uint32_t>> GraphMirror::find_remote(const BatchRows& batch,
                                                                       std::uint64_t slot) const {
  const bool backwards = is_of_sources(slot);
  const std::uint32_t row = static_cast<std::uint32_t>(slot - (backwards ? row_count() : 0));
  if (!batch.is_undone(backwards, row)) return std::as_const(graph_).rows(backwards).row(row);
  return kept_.find(slot);
}

std::span<const std::uint32_t> GraphMirror::remote_row(BatchRows& batch, std::uint64_t slot) {
  if (const auto found = find_remote(batch, slot)) return *found;
  const bool backwards = is_of_sources(slot);
  return kept_.put(slot, batch.row_before(backwards, static_cast<std::uint32_t>(slot - (backwards ? row_count() : 0))));
}

matcha_program::DeltaRow GraphMirror::row_at(BatchRows& batch, std::uint64_t slot, const RowPlaces::Home& home,
                                             std::uint32_t changes) {
  const bool is_remote = (home.word & RowPlaces::kRemote) != 0;
  return {is_remote ? remote_row(batch, slot).data() : resident_.data() + home.word, home.size, changes};
}

/// By slot, true if the row is resident initially: those with the most expected reads, then the longest ones, as ends
/// of edges are found in this proportion.
std::vector<bool> GraphMirror::choose_resident(BatchRows& batch, std::span<const RowWalks::Read> reads) {
  std::vector<bool> wanted(patch_of_.size(), !has_remote());
  if (!has_remote()) return wanted;
  std::vector<double> times(patch_of_.size(), 0);
  for (const RowWalks::Read& read : reads) times[slot(read.backwards, read.row)] += read.times;
  std::vector<std::pair<std::pair<double, std::uint32_t>, std::uint64_t>> order;
  each_row(batch, [&](std::uint64_t slot, std::span<const std::uint32_t> row) {
    if (row.empty() || row.size() > row_places_.longest_resident()) return;
    order.push_back({{times[slot], static_cast<std::uint32_t>(row.size())}, slot});
  });
  std::ranges::sort(order, std::greater<>());
  // Some room is left for rows of the first batches.
  std::uint64_t room = row_places_.resident_room() - row_places_.resident_room() / 8;
  for (const auto& [rank, slot] : order) {
    if (rank.second > room) continue;
    room -= rank.second;
    wanted[slot] = true;
  }
  return wanted;
}

/// Assigns a home to every row.
bool GraphMirror::place_rows(BatchRows& batch, const std::vector<bool>& wanted) {
  bool fits = true;
  each_row(batch, [&](std::uint64_t slot, std::span<const std::uint32_t> row) {
    const std::uint32_t size = static_cast<std::uint32_t>(row.size());
    longest_ = std::max(longest_, size);
    if (wanted[slot] && row_places_.put(slot, size, true)) return;
    fits = row_places_.put(slot, size, !has_remote()) && fits;
  });
  return fits;
}

/// Copies the items of resident rows, which are consecutive, and all records.
Status GraphMirror::send_resident(BatchRows& batch) {
  Status status = match::reserve(stage_, stream_.shared_device(), kPiece);
  std::uint64_t begin = 0, end = 0;  // The range of the staged bytes in the destination.
  const auto flush = [&] {
    if (!status || begin == end) return;
    status = resident_.upload(stream_, static_cast<const std::uint32_t*>(stage_.host()), (end - begin) / kWord,
                              begin / kWord);
    if (status) status = stream_.synchronize();
    begin = end;
  };
  const auto put = [&](const void* bytes, std::uint64_t count) {
    std::memcpy(static_cast<std::byte*>(stage_.host()) + (end - begin), bytes, count);
    end += count;
  };
  each_row(batch, [&](std::uint64_t slot, std::span<const std::uint32_t> row) {
    if (row.empty() || !row_places_.is_resident(slot)) return;
    while (status && !row.empty()) {
      const std::uint64_t room = (kPiece - (end - begin)) / kWord;
      const std::span<const std::uint32_t> part = row.first(std::min<std::uint64_t>(room, row.size()));
      put(part.data(), part.size_bytes());
      row = row.subspan(part.size());
      if (kPiece - (end - begin) < kWord) flush();
    }
  });
  flush();
  for (std::uint64_t slot = 0; status && slot < patch_of_.size();) {
    const std::uint64_t count = std::min<std::uint64_t>(kPiece / sizeof(DeltaRow), patch_of_.size() - slot);
    DeltaRow* const records = static_cast<DeltaRow*>(stage_.host());
    for (std::uint64_t i = 0; i < count; ++i) records[i] = row_at(batch, slot + i, row_places_.home(slot + i), 0);
    status = records_.upload(stream_, records, count, slot);
    if (status) status = stream_.synchronize();
    slot += count;
  }
  return status;
}

Status GraphMirror::lay_out(BatchRows& batch, std::span<const RowWalks::Read> reads) {
  std::uint64_t live = 0, longest = 0;
  each_row(batch, [&](std::uint64_t, std::span<const std::uint32_t> row) {
    live += row.size();
    longest = std::max<std::uint64_t>(longest, row.size());
  });
  chosen_ = {};
  sent_rows_.clear();
  sources_.clear();
  longest_ = 0;
  MATCHA_TRY(take_room(live, batch.words().size(), longest));
  kept_.reset();
  if (!place_rows(batch, choose_resident(batch, reads))) return too_few(record_bytes() + live * kWord);
  row_places_.begin_turn(0);
  return send_resident(batch);
}

/// Sorts them, and adds the changes since the last time.
void GraphMirror::find_stale(const DynamicGraph::Changes& changes) {
  whole_ = whole_ || changes.all;
  stale_ = changes.rows;
  std::ranges::sort(stale_);
  stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
}

/// A row now has `size` items; if it is resident, it is built from `source`. False: there is no room.
bool GraphMirror::change(std::uint64_t slot, std::uint32_t size, const Source& source) {
  if (!row_places_.change(slot, size)) return false;
  if (!row_places_.is_resident(slot)) return true;
  sources_.push_back(source);
  sources_.back().move = row_places_.moves().size() - 1;
  return true;
}

/// Plans the moves that the batch requires; false: the layout must be rebuilt.
bool GraphMirror::plan(BatchRows& batch, std::span<const RowWalks::Read> reads) {
  sent_rows_.clear();
  sources_.clear();
  // Half of the sent moves may be for making room, and a few of these cause others.
  constexpr std::size_t kSome = 4;
  const std::size_t most = bound_.batch / 2 / sizeof(DeltaMove) - kSome + (was_made_ ? shown_.size() : 0);
  row_places_.begin_turn(bound_.batch == 0 ? ~std::size_t{0} : most);
  for (std::size_t i = 0; was_made_ && i < shown_.size(); ++i) {
    row_places_.fetch(shown_[std::min(i + RowPlaces::kAhead, shown_.size() - 1)].slot);
    const Shown& row = shown_[i];
    const std::int64_t size = static_cast<std::int64_t>(row_places_.home(row.slot).size) + row.more;
    if (!change(row.slot, static_cast<std::uint32_t>(size), {0, 0, row.word})) return false;
  }
  for (const std::uint32_t number : stale_) {
    for (const bool backwards : {false, true}) {
      if (backwards && !graph_.directed()) continue;
      const std::span<const std::uint32_t> row = batch.row_before(backwards, number);
      longest_ = std::max(longest_, static_cast<std::uint32_t>(row.size()));
      const std::size_t sources = sources_.size();
      const std::uint64_t first = sent_rows_.size();
      if (!change(slot(backwards, number), static_cast<std::uint32_t>(row.size()), {0, first, 0})) return false;
      if (sources_.size() != sources) sent_rows_.insert(sent_rows_.end(), row.begin(), row.end());
    }
  }
  chosen_ = {};
  if (has_remote()) {
    reads_.clear();
    for (const RowWalks::Read& read : reads) reads_.push_back({slot(read.backwards, read.row), read.times});
    chosen_ = row_places_.choose(reads_);
  }
  return true;
}

/// Records of the rows of the batch, of the previous one if it was not applied, and of rows read from host memory,
/// whose address may have changed.
void GraphMirror::plan_patches(BatchRows& batch) {
  patches_.clear();
  const auto put = [&](std::uint64_t slot, std::uint32_t changes) {
    std::uint32_t& number = patch_of_[slot];
    if (number == 0) {
      patches_.emplace_back();
      number = static_cast<std::uint32_t>(patches_.size());
    }
    patches_[number - 1] = {slot, {nullptr, 0, changes}};
  };
  const auto put_remote = [&](std::uint64_t slot) {
    if (!row_places_.is_resident(slot)) put(slot, 0);
  };
  for (const Shown& row : shown_) {
    if (was_made_) {
      put_remote(row.slot);
    } else {
      put(row.slot, 0);
    }
  }
  for (const std::uint64_t slot : row_places_.evicted()) put_remote(slot);
  for (const std::uint32_t number : stale_) {
    put_remote(slot(false, number));
    if (graph_.directed()) put_remote(slot(true, number));
  }
  shown_.clear();
  for (const BatchRows::Row& row : batch.rows()) {
    const std::uint64_t of = slot(row.backwards, row.row);
    put(of, row.word);
    shown_.push_back({of, row.word, row.more});
    longest_ = std::max(longest_, row_places_.home(of).size + row.changes);
  }
  was_made_ = false;
  find_patched(batch);
}

/// Finds the addresses of patched rows. They are scattered in memory, so threads share them if there are many.
void GraphMirror::find_patched(BatchRows& batch) {
  constexpr std::size_t kOfTask = 128;
  std::atomic<bool> lacks = false;
  const auto find = [&](const tbb::blocked_range<std::size_t>& part) {
    for (std::size_t i = part.begin(); i < part.end(); ++i) {
      const RowPlaces::Home& home = row_places_.home(patches_[i].slot);
      DeltaRow& row = patches_[i].row;
      row.size = home.size;
      patch_of_[patches_[i].slot] = 0;
      if ((home.word & RowPlaces::kRemote) == 0) {
        row.items = resident_.data() + home.word;
      } else if (const auto found = find_remote(batch, patches_[i].slot)) {
        row.items = found->data();
      } else {
        patch_of_[patches_[i].slot] = kLacks;
        lacks.store(true, std::memory_order_relaxed);
      }
    }
  };
  const tbb::blocked_range<std::size_t> all(0, patches_.size(), kOfTask);
  if (patches_.size() <= kOfTask) {
    find(all);
  } else {
    for_blocks(all, find);
  }
  if (!lacks.load()) return;
  for (DeltaPatch& patch : patches_) {
    if (std::exchange(patch_of_[patch.slot], 0) == kLacks) patch.row.items = remote_row(batch, patch.slot).data();
  }
}

/// The moves of the plan with addresses, in parts of at most `longest_part` items, for many groups; rows built by the
/// host are at the addresses where they will be sent.
void GraphMirror::find_moves(BatchRows& batch, std::uint32_t longest_part) {
  moves_.clear();
  rounds_.clear();
  std::size_t number = 0, source = 0;
  for (const std::size_t end : row_places_.rounds()) {
    for (; number < end; ++number) {
      const RowPlaces::Move& move = row_places_.moves()[number];
      DeltaMove made{};
      made.slot = move.slot;
      made.to = resident_.data() + move.after.word;
      made.size = move.after.size;
      const bool is_made = source < sources_.size() && sources_[source].move == number;
      if (is_made && sources_[source].changes == 0) {
        made.row = {words() + sources_[source].first, move.after.size, 0};
      } else {
        made.row = row_at(batch, move.slot, move.before, is_made ? sources_[source].changes : 0);
      }
      source += is_made ? 1 : 0;
      do {
        made.last = made.first + std::min(longest_part, made.row.size - made.first);
        moves_.push_back(made);
        made.first = made.last;
      } while (made.first < made.row.size);
    }
    rounds_.push_back(moves_.size());
  }
}

Status GraphMirror::reserve_batch(std::uint64_t bytes) {
  cuda::DeviceMemory& batch = batch_[current_];
  if (bound_.batch == 0) return match::reserve(batch, stream_.shared_device(), bytes);
  if (batch.bytes() == bound_.batch) return Done{};
  batch = {};
  batch = MATCHA_TRY(cuda::DeviceMemory::allocate(stream_.shared_device(), bound_.batch));
  return Done{};
}

Status GraphMirror::send(BatchRows& batch) {
  constexpr std::uint32_t kPart = 1024;
  const std::span<const std::uint32_t> words = batch.words();
  // Rows built by the host are words after the changes.
  for (Source& source : sources_) source.first += words.size();
  current_ ^= 1;
  const auto layout_of = [&](std::uint64_t moves) {
    return Layout(words.size(), sent_rows_.size(), moves, patches_.size());
  };
  std::uint64_t parts = 0;
  for (const RowPlaces::Move& move : row_places_.moves()) {
    parts += 1 + std::max(move.before.size, move.after.size) / kPart;
  }
  const bool in_parts = bound_.batch == 0 || layout_of(parts).bytes <= bound_.batch;
  const std::uint64_t most_moves = in_parts ? parts : row_places_.moves().size();
  MATCHA_TRY(reserve_batch(layout_of(most_moves).bytes));
  MATCHA_TRY(match::reserve(stage_, stream_.shared_device(), layout_of(most_moves).bytes));
  find_moves(batch, in_parts ? kPart : ~std::uint32_t{0});
  const Layout layout = layout_of(moves_.size());
  std::byte* const to = static_cast<std::byte*>(stage_.host());
  std::memcpy(to, words.data(), words.size_bytes());
  if (!sent_rows_.empty()) std::memcpy(to + layout.rows, sent_rows_.data(), sent_rows_.size() * kWord);
  if (!moves_.empty()) std::memcpy(to + layout.moves, moves_.data(), moves_.size() * sizeof(DeltaMove));
  if (!patches_.empty()) std::memcpy(to + layout.patches, patches_.data(), patches_.size() * sizeof(DeltaPatch));
  MATCHA_TRY(batch_[current_].copy_from(stream_, to, layout.bytes));
  return launch(layout);
}

/// Launches the moves, round by round, and the patches.
Status GraphMirror::launch(const Layout& layout) {
  const auto shape_for = [](std::uint64_t count, std::uint64_t of_block) {
    cuda::LaunchShape shape;
    shape.threads = kBlockThreads;
    shape.blocks = static_cast<unsigned>(std::min<std::uint64_t>(count / of_block + 1, kMostBlocks));
    return shape;
  };
  const std::byte* const there = reinterpret_cast<const std::byte*>(batch_[current_].address());
  const std::uint32_t* const last = reinterpret_cast<const std::uint32_t*>(batch_[current_ ^ 1].address());
  DeltaRow* const rows = records_.data();
  is_marked_ = false;
  Status status = has_remote() ? mark(0) : Status(Done{});
  std::uint64_t first = 0;
  for (const std::size_t end : rounds_) {
    const std::uint64_t count = end - first;
    if (!status || count == 0) continue;
    const DeltaMove* const of_round = reinterpret_cast<const DeltaMove*>(there + layout.moves) + first;
    status = kernels_.move.launch(stream_, shape_for(count, match::kGroupsOfBlock), of_round, count, last, rows);
    first += count;
  }
  const std::uint64_t count = patches_.size();
  const DeltaPatch* const patches = reinterpret_cast<const DeltaPatch*>(there + layout.patches);
  if (status && count != 0) {
    status = kernels_.patch.launch(stream_, shape_for(count, kBlockThreads), patches, count, rows);
  }
  if (status && has_remote()) status = mark(1);
  is_marked_ = status && has_remote();
  return status;
}

Status GraphMirror::mark(std::size_t event) {
  if (!marks_[event]) {
    marks_[event] = MATCHA_TRY(cuda::Event::create(stream_.shared_device()));
  }
  return marks_[event]->record(stream_);
}

double GraphMirror::move_ms() const {
  if (!is_marked_) return 0;
  const Result<double> ms = marks_[1]->milliseconds_since(*marks_[0]);
  return ms ? *ms : 0;
}

Status GraphMirror::show(BatchRows& batch, std::span<const RowWalks::Read> reads,
                         const DynamicGraph::Changes& changes) {
  const auto begin = std::chrono::steady_clock::now();
  kept_.begin();
  find_stale(changes);
  bool is_planned = !whole_ && plan(batch, reads);
  if (is_planned) {
    // A row may have a patch for several reasons.
    const std::uint64_t patches = batch.rows().size() + (has_remote() || !was_made_ ? shown_.size() : 0) +
                                  (has_remote() ? row_places_.evicted().size() + 2 * stale_.size() : 0);
    const Layout layout(batch.words().size(), sent_rows_.size(), row_places_.moves().size(), patches);
    is_planned = bound_.batch == 0 || layout.bytes <= bound_.batch;
  }
  // Until the copy is complete.
  whole_ = true;
  Status status = Done{};
  if (!is_planned) {
    shown_.clear();
    stale_.clear();
    status = lay_out(batch, reads);
  }
  if (!status) return status;
  plan_patches(batch);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  plan_ms_ = is_planned && has_remote() ? took.count() : 0;
  status = send(batch);
  whole_ = !status;
  return status;
}

void GraphMirror::end(bool made) {
  was_made_ = made;
  kept_.end();
}

}  // namespace matcha::runtime::stream
