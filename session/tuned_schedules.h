#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/graph.h"

/// Results of `--tune`, on disk, so that a program is timed once for a graph and a device.
namespace matcha::session {

/// A schedule as the words that a command line would have for it, such as `--group 16 --steal half`; empty: the
/// default.
using ScheduleWords = std::vector<std::string>;
/// `--group 16`, or `default`.
std::string schedule_text(const ScheduleWords& words);

/// The winner and the other candidates.
struct Tuning {
  struct Timed {
    ScheduleWords words;
    double ms = 0;  ///< The time of a sample; negative: it was not done, or failed, after this time.
  };

  ScheduleWords chosen;
  std::vector<Timed> timed;
  std::int64_t stride = 1;  ///< One in this many outermost positions was timed.
  bool remembered = false;  ///< An earlier run timed them.
};

/// The key of a winner: a hash of all that the run depends on.
class TuningKey {
 public:
  /// Adds a text, and its length.
  void add(std::string_view text);
  /// Adds the edges and labels of a graph.
  void add(const runtime::Graph& graph);
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  void add_words(const void* words, std::uint64_t bytes);

  std::uint64_t hash_ = 0x9E3779B97F4A7C15;
};

/// A folder of `KEY.json` files, which appear by renaming.
class TunedSchedules {
 public:
  /// No folder: nothing is remembered.
  explicit TunedSchedules(std::string folder) : folder_(std::move(folder)) {}

  /// Nothing is remembered, so that no key need be made, which takes a pass over the graph.
  bool empty() const;
  /// Nothing if there is no such file, or one that cannot be understood.
  std::optional<Tuning> load(const std::string& key) const;
  /// Gives why it could not, or nothing: that nothing is kept is no failure.
  std::string store(const std::string& key, const Tuning& tuning) const;

 private:
  std::string folder_;
};

}  // namespace matcha::session
