#include "runtime/stream/row_places.h"

#include <algorithm>
#include <cmath>

namespace matcha::runtime::stream {

namespace {

/// A part of the memory is for rows that are appended again.
constexpr std::uint64_t kReservePart = 8;
/// A row that is read once is read as soon where it is.
constexpr double kLeastReads = 2;

}  // namespace

void RowPlaces::reset(std::uint64_t slots, std::uint64_t near_words, std::uint64_t far_words) {
  near_.reset(near_words, near_words / kReservePart);
  far_.reset(far_words, far_words / kReservePart);
  homes_.assign(slots, {});
  round_of_.assign(slots, 0);
  if (far_words == 0) {
    uses_.clear();
  } else {
    uses_.resize(slots);
  }
  moves_.clear();
  rounds_.assign(1, 0);
}

bool RowPlaces::put(std::uint64_t slot, std::uint32_t size, bool near) {
  std::uint64_t word = 0;
  if (size != 0) {
    RowLog& log = near ? near_ : far_;
    if (size > log.longest()) return false;
    const std::optional<std::uint64_t> found = log.append(slot, size, false);
    if (!found) return false;
    word = *found | (near ? 0 : kFar);
  }
  homes_[slot] = {word, size};
  return true;
}

void RowPlaces::begin_turn(std::size_t most_moves) {
  moves_.clear();
  rounds_.assign(1, 0);
  most_moves_ = most_moves;
  gone_ = 0;
  ++turn_;
  ++round_;
  near_.turn();
  far_.turn();
}

void RowPlaces::next_round() {
  rounds_.push_back(moves_.size());
  ++round_;
  near_.turn();
  far_.turn();
}

/// The row is where it is said to be, once the rounds before this one are done.
void RowPlaces::wait_for(std::uint64_t slot) {
  if (round_of_[slot] == round_) next_round();
}

void RowPlaces::add_move(std::uint64_t slot, const Home& after) {
  moves_.push_back({slot, homes_[slot], after});
  rounds_.back() = moves_.size();
  round_of_[slot] = round_;
  homes_[slot] = after;
}

double RowPlaces::use_of(std::uint64_t slot) const {
  const Use& use = uses_[slot];
  return use.reads == 0
             ? 0
             : std::ldexp(static_cast<double>(use.reads), -static_cast<int>(std::min(turn_ - use.turn, 64U)));
}

/// Appends the oldest row again; false: there is no room.
bool RowPlaces::keep_oldest(bool near) {
  RowLog& log = near ? near_ : far_;
  const RowLog::Entry entry = log.oldest();
  wait_for(entry.slot);
  std::optional<std::uint64_t> word = log.append(entry.slot, entry.words, true);
  if (!word) {
    next_round();
    word = log.append(entry.slot, entry.words, true);
  }
  if (!word) return false;
  add_move(entry.slot, {*word | (near ? 0 : kFar), entry.words});
  log.drop_oldest();
  return true;
}

bool RowPlaces::send_oldest_away() {
  const RowLog::Entry entry = near_.oldest();
  std::uint64_t word = 0;
  if (!find_room(false, entry.slot, entry.words, 0, word)) return false;
  wait_for(entry.slot);
  add_move(entry.slot, {word, entry.words});
  near_.drop_oldest();
  ++gone_;
  return true;
}

/// Makes room for so many words in the next round, which begins then: what is no row any more goes, and, of the near
/// memory, what is of less use. Some more is freed with them, so that rounds are few. False: not so much was found.
bool RowPlaces::clean(bool near, std::uint32_t words, double use) {
  RowLog& log = near ? near_ : far_;
  const bool may_send = near && !uses_.empty();
  // Where a row has to have room, all is looked at, and again, as rows that are kept leave gaps.
  constexpr std::uint64_t kLooks = 4, kRoundPart = 64;
  const std::uint64_t wanted = std::max<std::uint64_t>(words, log.capacity() / kRoundPart);
  const std::uint64_t most = may_send ? kLooks * wanted : 2 * log.capacity();
  std::uint64_t freed = 0, looked = 0;
  while (freed < wanted) {
    if (log.empty() || looked > (freed < words ? most : wanted) || moves_.size() >= most_moves_) break;
    const RowLog::Entry entry = log.oldest();
    looked += entry.words;
    const Home& home = homes_[entry.slot];
    const bool is_live = home.size != 0 && home.word == (log.word_of(entry) | (near ? 0 : kFar));
    if (!is_live) {
      log.drop_oldest();
      freed += entry.words;
    } else if (may_send && use_of(entry.slot) < use) {
      if (!send_oldest_away()) break;
      freed += entry.words;
    } else if (!keep_oldest(near)) {
      break;
    }
  }
  if (freed < words) return false;
  next_round();
  return true;
}

bool RowPlaces::find_room(bool near, std::uint64_t slot, std::uint32_t words, double use, std::uint64_t& word) {
  word = 0;
  if (words == 0) return true;
  RowLog& log = near ? near_ : far_;
  if (words > log.longest()) return false;
  const std::uint64_t before = round_;
  for (;;) {
    if (const std::optional<std::uint64_t> found = log.append(slot, words, false)) {
      word = *found | (near ? 0 : kFar);
      return true;
    }
    // Cleaning that turned the whole memory over without a room that is long enough finds none.
    if (round_ - before > 4 * kReservePart || !clean(near, words, use)) return false;
  }
}

bool RowPlaces::change(std::uint64_t slot, std::uint32_t size) {
  if (moves_.size() >= most_moves_) return false;
  std::uint64_t word = 0;
  const bool has_far = !uses_.empty();
  const bool stays = is_near(slot) && find_room(true, slot, size, has_far ? use_of(slot) : 0, word);
  if (!stays && (!has_far || !find_room(false, slot, size, 0, word))) return false;
  wait_for(slot);
  add_move(slot, {word, size});
  return true;
}

RowPlaces::Chosen RowPlaces::choose(std::span<const Read> reads) {
  Chosen chosen;
  std::vector<std::pair<double, std::uint64_t>> wanted;
  for (const Read& read : reads) {
    Use& use = uses_[read.slot];
    use = {static_cast<float>(use_of(read.slot) + read.times), turn_};
    if (read.times < kLeastReads || homes_[read.slot].size == 0) continue;
    if (is_near(read.slot)) {
      ++chosen.kept;
    } else {
      wanted.emplace_back(-static_cast<double>(use.reads), read.slot);
    }
  }
  std::ranges::sort(wanted);
  // Those behind are of even less use, but they may be shorter.
  constexpr std::size_t kMostFailures = 16;
  std::size_t failures = 0;
  for (const auto& [use, slot] : wanted) {
    std::uint64_t word = 0;
    const std::uint32_t size = homes_[slot].size;
    if (failures == kMostFailures || moves_.size() >= most_moves_ || !find_room(true, slot, size, -use, word)) {
      failures += failures < kMostFailures ? 1 : 0;
      ++chosen.left;
      continue;
    }
    wait_for(slot);
    add_move(slot, {word, size});
    ++chosen.sent;
  }
  chosen.gone = gone_;
  return chosen;
}

}  // namespace matcha::runtime::stream
