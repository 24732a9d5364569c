#include "runtime/stream/graph_mirror.h"

#include <algorithm>
#include <random>
#include <span>
#include <string>

namespace matcha::runtime::stream {

using matcha_program::DeltaPatch;
using matcha_program::DeltaRow;

namespace {

/// Words that are packed before they are copied.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 22;
constexpr std::uint64_t kLeastWords = std::uint64_t{1} << 12;
constexpr unsigned kPatchThreads = 128, kMostPatchBlocks = 1024;

/// A buffer with room for so many items; what it had is lost where there was less.
template <typename Buffer>
Status reserve(Buffer& buffer, const cuda::Stream& stream, std::uint64_t items) {
  if (buffer.size() >= items) return Done{};
  buffer = Buffer();
  Result<Buffer> made = Buffer::allocate(stream.shared_device(), items + items / 2);
  if (!made) return made.error();
  buffer = std::move(*made);
  return Done{};
}

}  // namespace

void GraphMirror::put(std::uint64_t slot, const DeltaRow& row) {
  std::uint32_t& number = patch_of_[slot];
  if (number == 0) {
    patches_.emplace_back();
    number = static_cast<std::uint32_t>(patches_.size());
  }
  patches_[number - 1] = {slot, row};
}

/// Sends `count` items, which `next(to, most)` gives in turn, as many as it says.
template <typename T, typename Next>
Status GraphMirror::send(const cuda::DeviceBuffer<T>& to, std::uint64_t count, const Next& next) {
  constexpr std::uint64_t kItems = kPiece * sizeof(std::uint32_t) / sizeof(T);
  Status status = reserve(stage_, stream_, std::min(kItems, count) * sizeof(T) / sizeof(std::uint32_t));
  const std::uint64_t room = stage_.size() * sizeof(std::uint32_t) / sizeof(T);
  for (std::uint64_t done = 0; status && done < count;) {
    T* const items = reinterpret_cast<T*>(stage_.host());
    const std::uint64_t taken = next(items, std::min(room, count - done));
    status = to.upload(stream_, items, taken, done);
    if (status) status = stream_.synchronize();
    done += taken;
  }
  return status;
}

Error GraphMirror::too_few(std::uint64_t least) const {
  Error error;
  error.kind = ErrorKind::Resource;
  error.message = "the graph may take " + std::to_string(most_bytes_) +
                  " bytes of the GPU, and where its rows are takes " + std::to_string(least) + " alone";
  return error;
}

template <typename Take>
void GraphMirror::each_row(const Take& take) const {
  const std::uint32_t places = static_cast<std::uint32_t>(graph_.rows(false).size());
  for (int kind = 0; kind < (graph_.directed() ? 2 : 1); ++kind) {
    for (std::uint32_t p = 0; p < places; ++p) take(slot(kind != 0, p), graph_.rows(kind != 0).row(p));
  }
}

/// Room for all rows and as much to spare, or, where there is not so much memory, for what there is to be; or for what
/// the device may have, and on the host for all.
Status GraphMirror::take_room(std::uint64_t live, std::uint64_t spare) {
  records_ = {};
  arena_ = {};
  host_ = {};
  const std::uint64_t slots = graph_.rows(false).size() * (graph_.directed() ? 2 : 1);
  Result<cuda::DeviceBuffer<DeltaRow>> records =
      cuda::DeviceBuffer<DeltaRow>::allocate(stream_.shared_device(), std::max<std::uint64_t>(slots, 1));
  if (!records) return records.error();
  records_ = std::move(*records);
  patch_of_.assign(slots, 0);
  const std::uint64_t ample = std::max(kLeastWords, 2 * live + 4 * spare), least = live + spare + 1;
  std::uint64_t most = ample;
  if (most_bytes_ != 0) {
    if (most_bytes_ < records_.bytes() + sizeof(std::uint32_t)) return too_few(records_.bytes());
    most = (most_bytes_ - records_.bytes()) / sizeof(std::uint32_t);
  }
  if (most < least) return share_room(most, ample);
  for (const std::uint64_t words : {std::min(ample, most), least}) {
    Result<cuda::DeviceBuffer<std::uint32_t>> arena =
        cuda::DeviceBuffer<std::uint32_t>::allocate(stream_.shared_device(), words);
    if (arena) {
      arena_ = std::move(*arena);
      return Done{};
    }
    if (words == least) return arena.error();
  }
  return Done{};
}

/// Room on the device for so many words, and for so many on the host.
Status GraphMirror::share_room(std::uint64_t words, std::uint64_t host_words) {
  Result<cuda::DeviceBuffer<std::uint32_t>> arena =
      cuda::DeviceBuffer<std::uint32_t>::allocate(stream_.shared_device(), words);
  if (!arena) return arena.error();
  arena_ = std::move(*arena);
  Result<cuda::PinnedBuffer<std::uint32_t>> host =
      cuda::PinnedBuffer<std::uint32_t>::allocate(stream_.shared_device(), host_words);
  if (!host) return host.error();
  host_ = std::move(*host);
  return Done{};
}

/// Which rows the device has: those of which walks from what changes read most items, for their size. A walk goes on
/// with a random neighbour and stands for all of them.
void GraphMirror::choose(const BatchRows& batch) {
  constexpr std::size_t kWalks = std::size_t{1} << 15;
  constexpr int kSteps = 2;
  std::vector<double> reads(patch_of_.size(), 0);
  std::vector<std::pair<double, std::uint64_t>> order;
  std::uint64_t room = arena_.size() - arena_.size() / 4;
  each_row([&](std::uint64_t slot, std::span<const std::uint32_t> row) {
    // Ends of edges are found in this proportion.
    constexpr double kFew = 1e-3;
    reads[slot] = kFew * static_cast<double>(row.size());
  });
  std::mt19937_64 random(1);
  const std::vector<BatchRows::Row>& starts = batch.rows();
  for (std::size_t walk = 0; walk < kWalks && !starts.empty(); ++walk) {
    const BatchRows::Row& start = starts[random() % starts.size()];
    std::uint32_t at = start.place;
    double stands_for = start.changes;
    for (int step = 0; step < kSteps; ++step) {
      const std::span<const std::uint32_t> row = graph_.after(at);
      if (row.empty()) break;
      stands_for *= static_cast<double>(row.size());
      at = row[random() % row.size()];
      reads[slot(false, at)] += stands_for;
      if (graph_.directed()) reads[slot(true, at)] += stands_for;
    }
  }
  each_row([&](std::uint64_t slot, std::span<const std::uint32_t> row) {
    if (!row.empty()) order.emplace_back(-reads[slot] / static_cast<double>(row.size()), slot);
  });
  std::ranges::sort(order);
  inside_.assign(patch_of_.size(), false);
  const std::uint64_t places = graph_.rows(false).size();
  for (const auto& [rank, slot] : order) {
    const std::uint64_t size = graph_.rows(slot >= places).row(static_cast<std::uint32_t>(slot % places)).size();
    if (size > room) continue;
    room -= size;
    inside_[slot] = true;
  }
}

Status GraphMirror::lay_out(const BatchRows& batch) {
  const std::uint64_t spare = batch.words().size();
  std::uint64_t live = 0;
  each_row([&](std::uint64_t, std::span<const std::uint32_t> row) { live += row.size(); });
  inside_.clear();
  Status status = take_room(live, spare);
  if (!status) return status;
  if (host_.size() != 0) choose(batch);
  longest_ = 0;
  used_[0] = used_[1] = 0;
  std::vector<DeltaRow> records;
  records.reserve(patch_of_.size());
  std::uint32_t* outside = host_.host();
  each_row([&](std::uint64_t slot, std::span<const std::uint32_t> row) {
    const bool inside = is_inside(slot);
    std::uint64_t& used = used_[inside ? 0 : 1];
    records.push_back(row_at(inside ? used : used | kHost, static_cast<std::uint32_t>(row.size()), 0));
    used += row.size();
    if (!inside) outside = std::copy(row.begin(), row.end(), outside);
  });
  std::size_t next = 0;
  status = send(records_, records.size(), [&](DeltaRow* to, std::uint64_t most) {
    std::copy_n(records.begin() + static_cast<std::ptrdiff_t>(next), most, to);
    next += most;
    return most;
  });
  return status ? send_items() : status;
}

/// Those of the arena.
Status GraphMirror::send_items() {
  const std::uint32_t places = static_cast<std::uint32_t>(graph_.rows(false).size());
  int kind = 0;
  std::uint32_t place = 0, at = 0;
  return send(arena_, used_[0], [&](std::uint32_t* to, std::uint64_t most) {
    std::uint64_t taken = 0;
    while (taken < most) {
      const std::span<const std::uint32_t> row = graph_.rows(kind != 0).row(place);
      const std::uint64_t left = is_inside(slot(kind != 0, place)) ? row.size() - at : 0;
      const std::uint64_t part = std::min<std::uint64_t>(left, most - taken);
      std::copy_n(row.data() + at, part, to + taken);
      taken += part;
      at += static_cast<std::uint32_t>(part);
      if (part != left) continue;
      at = 0;
      if (++place == places) place = 0, ++kind;
    }
    return taken;
  });
}

/// The rows that changed outside of batches, and then those of the batch.
Status GraphMirror::send_words(const BatchRows& batch, std::uint64_t words) {
  if (words == 0) return Done{};
  const bool inside = used_[0] + words <= arena_.size();
  Status status = inside ? reserve(stage_, stream_, words) : Status(Done{});
  if (!status) return status;
  const std::uint64_t base = inside ? used_[0] : used_[1] | kHost;
  std::uint32_t* const begin = inside ? stage_.host() : host_.host() + used_[1];
  std::uint32_t* to = begin;
  for (const std::uint32_t place : stale_) {
    for (int kind = 0; kind < (graph_.directed() ? 2 : 1); ++kind) {
      if (batch.has(kind != 0, place)) continue;
      const std::span<const std::uint32_t> row = graph_.rows(kind != 0).row(place);
      const std::uint64_t word = base + static_cast<std::uint64_t>(to - begin);
      put(slot(kind != 0, place), row_at(word, static_cast<std::uint32_t>(row.size()), 0));
      to = std::copy(row.begin(), row.end(), to);
    }
  }
  batch_word_ = base + static_cast<std::uint64_t>(to - begin);
  std::copy(batch.words().begin(), batch.words().end(), to);
  used_[inside ? 0 : 1] += words;
  return inside ? arena_.upload(stream_, begin, words, used_[0] - words) : status;
}

Status GraphMirror::send_patches() {
  for (const DeltaPatch& patch : patches_) patch_of_[patch.slot] = 0;
  const std::uint64_t count = patches_.size();
  if (count == 0) return Done{};
  Status status = reserve(patches_there_, stream_, count);
  if (status) status = reserve(patch_stage_, stream_, count);
  if (!status) return status;
  std::copy(patches_.begin(), patches_.end(), patch_stage_.host());
  status = patches_there_.upload(stream_, patch_stage_.host(), count);
  if (!status) return status;
  cuda::LaunchShape shape;
  shape.threads = kPatchThreads;
  shape.blocks = static_cast<unsigned>(std::min<std::uint64_t>(count / kPatchThreads + 1, kMostPatchBlocks));
  const DeltaPatch* const patches = patches_there_.data();
  DeltaRow* const rows = records_.data();
  return patch_.launch(stream_, shape, patches, count, rows);
}

Status GraphMirror::show(const BatchRows& batch) {
  DynamicGraph::Changes changes = graph_.take_changes();
  whole_ = whole_ || changes.all;
  stale_.insert(stale_.end(), changes.places.begin(), changes.places.end());
  std::ranges::sort(stale_);
  stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
  std::uint64_t words = batch.words().size();
  for (const std::uint32_t place : stale_) {
    if (!batch.has(false, place)) words += graph_.rows(false).row(place).size();
    if (graph_.directed() && !batch.has(true, place)) words += graph_.rows(true).row(place).size();
  }
  patches_.clear();
  Status status = Done{};
  if (whole_ || !has_room(words)) {
    whole_ = true;
    stale_.clear();
    kept_.clear();
    words = batch.words().size();
    status = lay_out(batch);
  }
  for (const DeltaPatch& patch : kept_) put(patch.slot, patch.row);
  if (status) status = send_words(batch, words);
  for (const BatchRows::Row& row : batch.rows()) {
    if (status) put(slot(row.backwards, row.place), row_at(batch_word_ + row.items, row.size, row.size));
  }
  if (status) status = send_patches();
  whole_ = !status;
  kept_.clear();
  stale_.clear();
  return status;
}

void GraphMirror::end(const BatchRows& batch, bool made) {
  for (const BatchRows::Row& row : batch.rows()) {
    if (made) {
      kept_.push_back({slot(row.backwards, row.place), row_at(batch_word_ + row.after, row.after_size, 0)});
    } else {
      stale_.push_back(row.place);
    }
  }
}

}  // namespace matcha::runtime::stream
