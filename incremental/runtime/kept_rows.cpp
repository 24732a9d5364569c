#include "incremental/runtime/kept_rows.h"

#include <cstring>
#include <utility>

namespace matcha::runtime::stream {

void KeptRows::reset() {
  drop(waiting_);
  drop(counted_);
  layout_ = graph_.layout();
  is_open_ = places_.has_remote();
  const std::uint64_t slots = is_open_ ? graph_.rows(false).size() * (graph_.directed() ? 2 : 1) : 0;
  waiting_.number.assign(slots, 0);
  counted_.number.assign(slots, 0);
}

void KeptRows::drop(Group& group) {
  for (const Kept& kept : group.rows) {
    group.number[kept.slot] = 0;
    if (kept.items != nullptr) graph_.rows(is_of_sources(kept.slot)).pool_->give_back(kept.items, kept.size_class);
  }
  group.rows.clear();
}

void KeptRows::keep(bool backwards, std::uint32_t row, std::uint32_t* items, std::uint32_t length,
                    std::uint32_t size_class) {
  const std::uint64_t of = slot(backwards, row);
  waiting_.rows.push_back({of, items, length, size_class});
  waiting_.number[of] = static_cast<std::uint32_t>(waiting_.rows.size());
}

void KeptRows::begin() {
  drop(counted_);
  std::swap(waiting_, counted_);
}

std::optional<std::span<const std::uint32_t>> KeptRows::find(std::uint64_t slot) const {
  const std::uint32_t number = counted_.number[slot];
  if (number == 0) return std::nullopt;
  const Kept& kept = counted_.rows[number - 1];
  return std::span<const std::uint32_t>{kept.items, kept.length};
}

std::span<const std::uint32_t> KeptRows::put(std::uint64_t slot, std::span<const std::uint32_t> items) {
  counted_.rows.reserve(counted_.rows.size() + 1);
  Kept kept{slot, nullptr, static_cast<std::uint32_t>(items.size()), ArrayPool::class_of(items.size())};
  if (!items.empty()) {
    kept.items = graph_.rows(is_of_sources(slot)).pool_->take(kept.size_class);
    std::memcpy(kept.items, items.data(), items.size_bytes());
  }
  counted_.rows.push_back(kept);
  counted_.number[slot] = static_cast<std::uint32_t>(counted_.rows.size());
  return {kept.items, kept.length};
}

void KeptRows::undo() {
  const std::uint64_t rows = graph_.rows(false).size();
  for (Group* const group : {&waiting_, &counted_}) {
    for (const Kept& kept : group->rows) graph_.note_change(static_cast<std::uint32_t>(kept.slot % rows));
    drop(*group);
  }
}

}  // namespace matcha::runtime::stream
