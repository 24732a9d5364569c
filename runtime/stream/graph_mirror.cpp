#include "runtime/stream/graph_mirror.h"

#include <algorithm>

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

/// Room for all rows and as much to spare, or, where there is not so much memory, for what there is to be.
Status GraphMirror::take_room(std::uint64_t live, std::uint64_t spare) {
  records_ = {};
  arena_ = {};
  const std::uint64_t slots = graph_.rows(false).size() * (graph_.directed() ? 2 : 1);
  Result<cuda::DeviceBuffer<DeltaRow>> records =
      cuda::DeviceBuffer<DeltaRow>::allocate(stream_.shared_device(), std::max<std::uint64_t>(slots, 1));
  if (!records) return records.error();
  records_ = std::move(*records);
  patch_of_.assign(slots, 0);
  for (const std::uint64_t words : {std::max(kLeastWords, 2 * live + 4 * spare), live + spare + 1}) {
    Result<cuda::DeviceBuffer<std::uint32_t>> arena =
        cuda::DeviceBuffer<std::uint32_t>::allocate(stream_.shared_device(), words);
    if (arena) {
      arena_ = std::move(*arena);
      return Done{};
    }
    if (words == live + spare + 1) return arena.error();
  }
  return Done{};
}

Status GraphMirror::lay_out(std::uint64_t spare) {
  const std::uint32_t places = static_cast<std::uint32_t>(graph_.rows(false).size());
  const int kinds = graph_.directed() ? 2 : 1;
  std::uint64_t live = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    for (std::uint32_t p = 0; p < places; ++p) live += graph_.rows(kind != 0).row(p).size();
  }
  Status status = take_room(live, spare);
  if (!status) return status;
  longest_ = 0;
  std::uint64_t word = 0;
  int kind = 0;
  std::uint32_t place = 0;
  status =
      send(records_, std::uint64_t{places} * static_cast<std::uint64_t>(kinds), [&](DeltaRow* to, std::uint64_t most) {
        for (std::uint64_t i = 0; i < most; ++i) {
          const std::uint32_t size = static_cast<std::uint32_t>(graph_.rows(kind != 0).row(place).size());
          to[i] = row_at(word, size, 0);
          word += size;
          if (++place == places) place = 0, ++kind;
        }
        return most;
      });
  if (!status) return status;
  kind = 0;
  place = 0;
  std::uint32_t at = 0;
  status = send(arena_, live, [&](std::uint32_t* to, std::uint64_t most) {
    std::uint64_t taken = 0;
    while (taken < most) {
      const std::span<const std::uint32_t> row = graph_.rows(kind != 0).row(place);
      const std::uint64_t part = std::min<std::uint64_t>(row.size() - at, most - taken);
      std::copy_n(row.data() + at, part, to + taken);
      taken += part;
      at += static_cast<std::uint32_t>(part);
      if (at != row.size()) continue;
      at = 0;
      if (++place == places) place = 0, ++kind;
    }
    return taken;
  });
  used_ = live;
  return status;
}

/// The rows that changed outside of batches, and then those of the batch.
Status GraphMirror::send_words(const BatchRows& batch, std::uint64_t words) {
  if (words == 0) return Done{};
  Status status = reserve(stage_, stream_, words);
  if (!status) return status;
  std::uint32_t* to = stage_.host();
  for (const std::uint32_t place : stale_) {
    for (int kind = 0; kind < (graph_.directed() ? 2 : 1); ++kind) {
      if (batch.has(kind != 0, place)) continue;
      const std::span<const std::uint32_t> row = graph_.rows(kind != 0).row(place);
      const std::uint64_t word = used_ + static_cast<std::uint64_t>(to - stage_.host());
      put(slot(kind != 0, place), row_at(word, static_cast<std::uint32_t>(row.size()), 0));
      to = std::copy(row.begin(), row.end(), to);
    }
  }
  batch_word_ = used_ + static_cast<std::uint64_t>(to - stage_.host());
  std::copy(batch.words().begin(), batch.words().end(), to);
  status = arena_.upload(stream_, stage_.host(), words, used_);
  used_ += words;
  return status;
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
  if (whole_ || used_ + words > arena_.size()) {
    whole_ = true;
    stale_.clear();
    kept_.clear();
    words = batch.words().size();
    status = lay_out(words);
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
