#include "incremental/runtime/row_places.h"

#include <algorithm>
#include <cmath>

namespace matcha::runtime::stream {

namespace {

/// One part in this many of the memory is reserved for rows that are appended again.
constexpr std::uint64_t kReservePart = 8;
/// Fetching a row that is read once does not pay.
constexpr double kLeastReads = 2;

}  // namespace

void RowPlaces::reset(std::uint64_t slots, std::uint64_t resident_words, Kind kind) {
  kind_ = kind;
  resident_.reset(resident_words, resident_words / kReservePart);
  pool_.reset(kind == Kind::Ample ? resident_words : 0);
  // Usage counts are kept if the rows are the same.
  if (!has_remote() || rows_.size() != slots) rows_.clear();
  rows_.resize(slots);
  for (Row& row : rows_) {
    row.home = {};
    row.round = row.fetched_in = 0;
  }
  moves_.clear();
  evicted_.clear();
  rounds_.assign(1, 0);
}

bool RowPlaces::put(std::uint64_t slot, std::uint32_t size, bool resident) {
  std::uint64_t word = resident ? 0 : kRemote;
  if (resident && size != 0) {
    if (kind_ != Kind::Ample && size > resident_.longest()) return false;
    const std::optional<std::uint64_t> found =
        kind_ == Kind::Ample ? pool_.append(size) : resident_.append(slot, size, false);
    if (!found) return false;
    word = *found;
  }
  rows_[slot].home = {word, size, size};
  return true;
}

void RowPlaces::begin_turn(std::size_t most_moves) {
  moves_.clear();
  evicted_.clear();
  rounds_.assign(1, 0);
  most_moves_ = most_moves;
  ++turn_;
  ++round_;
  resident_.turn();
  pool_.turn();
}

void RowPlaces::next_round() {
  rounds_.push_back(moves_.size());
  ++round_;
  resident_.turn();
  pool_.turn();
}

/// The row is at its stated place once earlier rounds are done.
void RowPlaces::wait_for(std::uint64_t slot) {
  if (rows_[slot].round == round_) next_round();
}

void RowPlaces::add_move(std::uint64_t slot, const Home& after) {
  Row& row = rows_[slot];
  moves_.push_back({slot, row.home, after});
  rounds_.back() = moves_.size();
  row.round = round_;
  row.home = after;
}

double RowPlaces::use_of(std::uint64_t slot) const {
  const Use& use = rows_[slot].use;
  return use.reads == 0
             ? 0
             : std::ldexp(static_cast<double>(use.reads), -static_cast<int>(std::min(turn_ - use.turn, 64U)));
}

/// Appends the oldest row again; false: there is no room.
bool RowPlaces::keep_oldest() {
  const RowLog::Entry entry = resident_.oldest();
  wait_for(entry.slot);
  std::optional<std::uint64_t> word = resident_.append(entry.slot, entry.words, true);
  if (!word) {
    next_round();
    word = resident_.append(entry.slot, entry.words, true);
  }
  if (!word) return false;
  add_move(entry.slot, {*word, entry.words, entry.words});
  resident_.drop_oldest();
  return true;
}

void RowPlaces::send_oldest_away() {
  const RowLog::Entry entry = resident_.oldest();
  rows_[entry.slot].home = {kRemote, entry.words, 0};
  evicted_.push_back(entry.slot);
  resident_.drop_oldest();
}

/// Makes room for `words` words in the next round, which begins then: drops obsolete rows and, if rows may be remote,
/// evicts those of less use. Frees somewhat more, so that rounds are few. False: not enough was found.
bool RowPlaces::clean(std::uint32_t words, double use) {
  // If a row must get room, everything is examined, repeatedly, as kept rows leave gaps.
  constexpr std::uint64_t kLooks = 4, kRoundPart = 64;
  const std::uint64_t wanted = std::max<std::uint64_t>(words, resident_.capacity() / kRoundPart);
  const std::uint64_t most = has_remote() ? kLooks * wanted : 2 * resident_.capacity();
  std::uint64_t freed = 0, looked = 0;
  while (freed < wanted) {
    if (resident_.empty() || looked > (freed < words ? most : wanted) || is_full()) break;
    const RowLog::Entry entry = resident_.oldest();
    fetch(resident_.after_oldest(kAhead).slot);
    looked += entry.words;
    const Home& home = rows_[entry.slot].home;
    const bool is_live = home.size != 0 && home.word == resident_.word_of(entry);
    if (!is_live) {
      resident_.drop_oldest();
      freed += entry.words;
    } else if (has_remote() && use_of(entry.slot) < use) {
      send_oldest_away();
      freed += entry.words;
    } else if (!keep_oldest()) {
      break;
    }
  }
  if (freed < words) return false;
  next_round();
  return true;
}

bool RowPlaces::find_room(std::uint64_t slot, std::uint32_t words, double use, std::uint64_t& word) {
  word = 0;
  if (words == 0) return true;
  if (words > resident_.longest()) return false;
  const std::uint32_t before = round_;
  for (;;) {
    if (const std::optional<std::uint64_t> found = resident_.append(slot, words, false)) {
      word = *found;
      return true;
    }
    // If cleaning has gone through the whole memory without a sufficient gap, there is none.
    if (round_ - before > 4 * kReservePart || !clean(words, use)) return false;
  }
}

/// A changed row gets other words, as its old ones are still read.
bool RowPlaces::change_ample(std::uint64_t slot, std::uint32_t size) {
  const Home before = home(slot);
  Home after{0, size, 0};
  if (size != 0) {
    std::optional<std::uint64_t> word = pool_.take(size, after.room);
    if (!word) {
      next_round();
      word = pool_.take(size, after.room);
    }
    if (!word) return false;
    after.word = *word;
  }
  wait_for(slot);
  add_move(slot, after);
  pool_.give_back(before.word, before.room);
  return true;
}

bool RowPlaces::change(std::uint64_t slot, std::uint32_t size) {
  if (is_full()) return false;
  if (kind_ == Kind::Ample) return change_ample(slot, size);
  std::uint64_t word = 0;
  const bool stays = is_resident(slot) && find_room(slot, size, has_remote() ? use_of(slot) : 0, word);
  if (!stays) {
    if (has_remote()) rows_[slot].home = {kRemote, size, 0};
    return has_remote();
  }
  wait_for(slot);
  add_move(slot, {word, size, size});
  return true;
}

RowPlaces::Chosen RowPlaces::choose(std::span<const Read> reads) {
  Chosen chosen;
  std::vector<std::pair<double, std::uint64_t>> wanted;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    fetch(reads[std::min(i + kAhead, reads.size() - 1)].slot);
    const Read& read = reads[i];
    Use& use = rows_[read.slot].use;
    use = {static_cast<float>(use_of(read.slot) + read.times), turn_};
    if (read.times < kLeastReads || home(read.slot).size == 0) continue;
    if (is_resident(read.slot)) {
      ++chosen.kept;
    } else {
      wanted.emplace_back(-static_cast<double>(use.reads), read.slot);
    }
  }
  std::ranges::sort(wanted);
  // Later ones are of even less use, but may be shorter.
  constexpr std::size_t kMostFailures = 16;
  std::size_t failures = 0;
  for (const auto& [use, slot] : wanted) {
    std::uint64_t word = 0;
    const std::uint32_t size = home(slot).size;
    if (failures == kMostFailures || is_full() || !find_room(slot, size, -use, word)) {
      failures += failures < kMostFailures ? 1 : 0;
      ++chosen.left;
      continue;
    }
    wait_for(slot);
    add_move(slot, {word, size, size});
    rows_[slot].fetched_in = turn_;
    ++chosen.sent;
  }
  chosen.evicted = evicted_.size();
  return chosen;
}

}  // namespace matcha::runtime::stream
