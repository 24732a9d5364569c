#include "incremental/id_numbers.h"

#include <algorithm>

namespace matcha::session::stream {

namespace {

/// The array has at most kPlacesOfId places for each id, but at least kLeastPlaces.
constexpr std::uint64_t kPlacesOfId = 4, kLeastPlaces = 1024;
constexpr unsigned kFirstBits = 4;

}  // namespace

std::size_t IdNumbers::slot_of(std::int64_t id) const {
  std::size_t slot = first_slot(id);
  while (slots_[slot] != kNone && ids_[slots_[slot]] != id) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

void IdNumbers::rehash(unsigned bits) {
  slots_.assign(std::size_t{1} << bits, kNone);
  shift_ = 64 - bits;
  hashed_ = 0;
  for (std::uint32_t number = 0; number < ids_.size(); ++number) {
    if (static_cast<std::uint64_t>(ids_[number]) < direct_.size()) continue;
    slots_[slot_of(ids_[number])] = number;
    ++hashed_;
  }
}

/// Ids below `size` move to the array.
void IdNumbers::grow_direct(std::uint64_t size) {
  const std::uint64_t before = direct_.size();
  direct_.resize(size, kNone);
  if (hashed_ == 0) return;
  for (std::uint32_t number = 0; number < ids_.size(); ++number) {
    const std::uint64_t id = static_cast<std::uint64_t>(ids_[number]);
    if (id >= before && id < size) direct_[id] = number;
  }
  rehash(64 - shift_);
}

void IdNumbers::add(std::int64_t id) {
  const std::uint32_t number = size();
  ids_.push_back(id);
  const std::uint64_t place = static_cast<std::uint64_t>(id);
  const std::uint64_t most = std::max(kLeastPlaces, kPlacesOfId * ids_.size());
  // With ids in the hash table each growth reads all ids, so it must at least double the array.
  const bool pays = hashed_ == 0 || most >= 2 * std::uint64_t{direct_.size()};
  if (place >= direct_.size() && place < most && pays) {
    ids_.pop_back();
    grow_direct(std::min(most, std::max(place + 1, 2 * std::uint64_t{direct_.size()})));
    ids_.push_back(id);
  }
  if (place < direct_.size()) {
    direct_[place] = number;
    return;
  }
  if (2 * (hashed_ + 1) > slots_.size()) {
    rehash(slots_.empty() ? kFirstBits : 65 - shift_);  // It takes the new id too.
    return;
  }
  slots_[slot_of(id)] = number;
  ++hashed_;
}

}  // namespace matcha::session::stream
