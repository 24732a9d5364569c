#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "incremental/runtime/row_log.h"
#include "incremental/runtime/row_pool.h"

namespace matcha::runtime::stream {

/// Where the rows of a graph are: near, in the memory of a device, or far, where the host has them; and which rows move
/// when some change or are going to be read. It says what is to be moved, and moves nothing itself. A row that goes far
/// is only forgotten, as the host has it.
class RowPlaces {
 public:
  /// The word of a row that is far.
  static constexpr std::uint64_t kFar = std::uint64_t{1} << 63;
  struct Home {
    std::uint64_t word = 0;
    std::uint32_t size = 0;  ///< Words from there on.
    std::uint32_t room = 0;  ///< And no others are in so many, where memory is ample.
  };
  /// A row of a slot gets another home; `before`: the one that it had.
  struct Move {
    std::uint64_t slot = 0;
    Home before, after;
  };
  /// Reads of a row that are expected.
  struct Read {
    std::uint64_t slot = 0;
    double times = 0;
  };

  /// Rows that may be far; or all are near, in memory that is ample, so that only rows that change move, or that is
  /// not.
  enum class Kind : std::uint8_t { Far, Ample, Scarce };
  /// No row has a home.
  void reset(std::uint64_t slots, std::uint64_t near_words, Kind kind);
  bool has_far() const { return kind_ == Kind::Far; }
  /// Gives a row without a home one, near or far; false: there is no room. It is no move.
  bool put(std::uint64_t slot, std::uint32_t size, bool near);
  /// Of the near memory, what rows may take at once.
  std::uint64_t near_room() const { return near_.capacity() - near_.reserve(); }
  /// No longer row is near.
  std::uint64_t longest_near() const { return near_.longest(); }

  const Home& home(std::uint64_t slot) const { return rows_[slot].home; }
  bool is_near(std::uint64_t slot) const { return (rows_[slot].home.word & kFar) == 0; }

  /// Whether what the host has of a row is read in this turn: it is far, or comes near.
  bool is_read_from_host(std::uint64_t slot) const { return !is_near(slot) || rows_[slot].came == turn_; }

  /// Lets the processor fetch what is known of a row, so many rows ahead, as rows that change or are read are anywhere.
  static constexpr std::size_t kAhead = 16;
  void fetch(std::uint64_t slot) const { __builtin_prefetch(&rows_[slot], 1); }

  /// A turn: then the moves of the one before are done.
  void begin_turn(std::size_t most_moves);
  /// A row is made anew, with so many words; one that is near then moves, one that is far does not. False: there is no
  /// room, or there are too many moves, and nothing holds but what `reset` is for.
  bool change(std::uint64_t slot, std::uint32_t size);
  /// What became of the rows that are going to be read more than once.
  struct Chosen {
    std::uint64_t kept = 0;  ///< Were near.
    std::uint64_t sent = 0;  ///< Came near.
    std::uint64_t left = 0;  ///< Are far, as there is no room, or others are of more use.
    std::uint64_t gone = 0;  ///< Had to go for others, in this turn.
  };
  /// Takes rows that are going to be read near, in place of those that are read less; each once.
  Chosen choose(std::span<const Read> reads);

  /// The moves of this turn, by rounds: those of a round may be done at the same time, each round behind the one
  /// before.
  const std::vector<Move>& moves() const { return moves_; }
  /// Of each round the number of moves up to its end; the last one is open.
  const std::vector<std::size_t>& rounds() const { return rounds_; }
  /// Rows that went far in this turn, some of which may have come back.
  const std::vector<std::uint64_t>& gone() const { return gone_; }

 private:
  struct Use {
    float reads = 0;
    std::uint32_t turn = 0;
  };
  /// What is known of a row, together, as it is asked for in no order.
  struct Row {
    Home home;
    Use use;
    std::uint32_t round = 0;  ///< The last one that moved it.
    std::uint32_t came = 0;   ///< The last turn in which it came near.
  };
  static_assert(sizeof(Row) == 32);

  bool is_full() const { return moves_.size() + gone_.size() >= most_moves_; }
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
  RowLog near_;
  RowPool pool_;             ///< In place of it, where memory is ample.
  std::vector<Row> rows_;    ///< By slot.
  std::uint32_t round_ = 0;  ///< Of all turns.
  std::uint32_t turn_ = 1;
  std::size_t most_moves_ = 0;
  std::vector<Move> moves_;
  std::vector<std::size_t> rounds_;
  std::vector<std::uint64_t> gone_;
};

}  // namespace matcha::runtime::stream
