#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "incremental/answer.h"
#include "incremental/vertex_names.h"
#include "planner/decide.h"
#include "session/row_encoder.h"

namespace matcha::session::stream {

/// The facts of a batch that are reported besides the answers.
struct BatchFacts {
  std::uint64_t batch = 0;                  ///< Its number; 0: the initial graph.
  std::uint64_t updates = 0;                ///< Lines,
  std::uint64_t noops = 0;                  ///< of these, lines that changed nothing,
  std::uint64_t late = 0;                   ///< and lines that arrived too late and were dropped.
  std::uint64_t inserted = 0, deleted = 0;  ///< Edges, net.
  std::optional<std::int64_t> first_time, last_time;
  bool are_dates = false;    ///< These are nanoseconds since 1970.
  std::uint64_t offset = 0;  ///< Bytes of the input up to here.
  double wait_ms = 0;        ///< From the first arrival to the start of work.
  double apply_ms = 0;       ///< To change the graph.
};

/// `batch 17  +1203 -88  total 609503`, with the name of the program if there are several.
std::string answer_line(const BatchFacts& facts, const Answer& answer, const std::string& maybe_name);
/// The object of matcha.stream/1, on one line. `maybe_decision`: of the program, to be part of it; null: it is not.
std::string answer_json(const BatchFacts& facts, const Answer& answer, const std::string& maybe_name,
                        const planner::Decision* maybe_decision = nullptr);
/// The rows that a batch brought and took, a line each, ascending: text or lines of JSON. `maybe_names`: of vertices
/// whose ids are text; null: there are none.
std::string rows_text(std::uint64_t batch, const RowChanges& changes, const RowFormat& format,
                      const VertexNames* maybe_names);
/// The same in one object: `columns`, and the arrays `added` and `removed` of rows. `names`: of the columns.
std::string rows_json(const RowChanges& changes, const std::vector<std::string>& names, const VertexNames* maybe_names);
/// The batch number in a line of either kind; empty for other lines.
std::optional<std::uint64_t> batch_of_line(std::string_view line);

/// The time of updates from arrival to answer, accurate to 1 % in constant memory.
class Latencies {
 public:
  void add(double ms, std::uint64_t updates);
  /// The quantile `part` in milliseconds; 0 without updates.
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
