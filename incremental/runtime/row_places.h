#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "incremental/runtime/row_log.h"
#include "incremental/runtime/row_pool.h"

namespace matcha::runtime::stream {

/// Tracks where the rows of a graph are: resident in device memory, or remote in host memory; and plans the moves of
/// rows that change or are expected to be read. It moves nothing itself. Evicting a row copies nothing, as the host has
/// it.
class RowPlaces {
 public:
  /// The word of a remote row.
  static constexpr std::uint64_t kRemote = std::uint64_t{1} << 63;
  struct Home {
    std::uint64_t word = 0;
    std::uint32_t size = 0;  ///< The number of its words.
    std::uint32_t room = 0;  ///< The number of reserved words, if memory is ample.
  };
  /// The row of a slot moves; `before`: its old home.
  struct Move {
    std::uint64_t slot = 0;
    Home before, after;
  };
  /// Expected reads of a row.
  struct Read {
    std::uint64_t slot = 0;
    double times = 0;
  };

  /// Far: rows may be remote. Otherwise all are resident: in ample memory only changed rows move, in scarce memory
  /// others may.
  enum class Kind : std::uint8_t { Remote, Ample, Scarce };
  /// Resets it: no row has a home.
  void reset(std::uint64_t slots, std::uint64_t resident_words, Kind kind);
  bool has_remote() const { return kind_ == Kind::Remote; }
  /// Gives a row its first home, resident or remote; false: there is no room. This is not a move.
  bool put(std::uint64_t slot, std::uint32_t size, bool resident);
  /// The words of device memory that rows may use at once.
  std::uint64_t resident_room() const { return resident_.capacity() - resident_.reserve(); }
  /// The most words of a resident row.
  std::uint64_t longest_resident() const { return resident_.longest(); }

  const Home& home(std::uint64_t slot) const { return rows_[slot].home; }
  bool is_resident(std::uint64_t slot) const { return (rows_[slot].home.word & kRemote) == 0; }

  /// True if the host's copy of a row is read in this turn: it is remote, or is being fetched.
  bool is_read_from_host(std::uint64_t slot) const { return !is_resident(slot) || rows_[slot].fetched_in == turn_; }

  /// Prefetches the data of a row, this many rows ahead, as accesses are random.
  static constexpr std::size_t kAhead = 16;
  void fetch(std::uint64_t slot) const { __builtin_prefetch(&rows_[slot], 1); }

  /// Begins a turn: the moves of the last one are done.
  void begin_turn(std::size_t most_moves);
  /// A row is rebuilt with `size` words; a resident row then moves, a remote one does not. False: there is no room, or
  /// there are too many moves; then the state is invalid until `reset`.
  bool change(std::uint64_t slot, std::uint32_t size);
  /// The rows that are expected to be read more than once, by where they are.
  struct Chosen {
    std::uint64_t kept = 0;     ///< Were resident.
    std::uint64_t sent = 0;     ///< Were fetched.
    std::uint64_t left = 0;     ///< Stay remote, as there is no room, or others are of more use.
    std::uint64_t evicted = 0;  ///< Rows evicted for others in this turn.
  };
  /// Fetches rows that are expected to be read, evicting those that are read less; each row once.
  Chosen choose(std::span<const Read> reads);

  /// The moves of this turn, by rounds: moves of a round are independent, and rounds are sequential.
  const std::vector<Move>& moves() const { return moves_; }
  /// For each round the number of moves up to its end; the last round is open.
  const std::vector<std::size_t>& rounds() const { return rounds_; }
  /// Rows evicted in this turn; some may have been fetched again.
  const std::vector<std::uint64_t>& evicted() const { return evicted_; }

 private:
  struct Use {
    float reads = 0;
    std::uint32_t turn = 0;
  };
  /// The data of a row, in one place because accesses are random.
  struct Row {
    Home home;
    Use use;
    std::uint32_t round = 0;       ///< The last round that moved it.
    std::uint32_t fetched_in = 0;  ///< The last turn that fetched it.
  };
  static_assert(sizeof(Row) == 32);

  bool is_full() const { return moves_.size() + evicted_.size() >= most_moves_; }
  double use_of(std::uint64_t slot) const;
  bool change_ample(std::uint64_t slot, std::uint32_t size);
  bool find_room(std::uint64_t slot, std::uint32_t words, double use, std::uint64_t& word);
  bool clean(std::uint32_t words, double use);
  bool keep_oldest();
  void send_oldest_away();
  void add_move(std::uint64_t slot, const Home& after);
  void wait_for(std::uint64_t slot);
  void next_round();

  Kind kind_ = Kind::Scarce;
  RowLog resident_;
  RowPool pool_;             ///< Used instead of it, if memory is ample.
  std::vector<Row> rows_;    ///< By slot.
  std::uint32_t round_ = 0;  ///< Counts over all turns.
  std::uint32_t turn_ = 1;
  std::size_t most_moves_ = 0;
  std::vector<Move> moves_;
  std::vector<std::size_t> rounds_;
  std::vector<std::uint64_t> evicted_;
};

}  // namespace matcha::runtime::stream
