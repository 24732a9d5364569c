#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "incremental/answer.h"

namespace matcha::session::stream {

/// What is told of a batch beside the answers.
struct BatchFacts {
  std::uint64_t batch = 0;                  ///< Its number; 0: the graph at the start.
  std::uint64_t updates = 0;                ///< Lines,
  std::uint64_t noops = 0;                  ///< of which so many changed nothing;
  std::uint64_t late = 0;                   ///< and so many that came too late to be among them.
  std::uint64_t inserted = 0, deleted = 0;  ///< Edges, net.
  std::optional<std::int64_t> first_time, last_time;
  std::uint64_t offset = 0;  ///< Bytes of the input until here.
  double wait_ms = 0;        ///< From the first arrival until work began.
  double apply_ms = 0;       ///< To change the graph.
};

/// `batch 17  +1203 -88  total 609503`, with the name of the program in it where there are several.
std::string answer_line(const BatchFacts& facts, const Answer& answer, const std::string& maybe_name);
/// The object of matcha.stream/1, a line.
std::string answer_json(const BatchFacts& facts, const Answer& answer, const std::string& maybe_name);
/// The number of the batch that a line of either kind is about; nothing for another line.
std::optional<std::uint64_t> batch_of_line(std::string_view line);

/// How long updates took from arrival to answer, kept to 1% in constant memory.
class Latencies {
 public:
  void add(double ms, std::uint64_t updates);
  /// Milliseconds that a part of the updates stays below; 0 without updates.
  double quantile(double part) const;
  double most() const { return most_; }
  std::uint64_t updates() const { return updates_; }

 private:
  static constexpr std::size_t kBuckets = 2400;
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kBuckets, 0);
  std::uint64_t updates_ = 0;
  double most_ = 0;
};

}  // namespace matcha::session::stream
