#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/dealer.h"
#include "session/bind.h"
#include "session/pattern_source.h"
#include "session/run/host.h"
#include "session/run/report.h"
#include "session/run/request.h"
#include "session/status.h"

namespace matcha::session {

/// The number in a text of digits; nothing for other texts.
std::optional<std::uint64_t> whole_number_of(std::string_view text);

/// The text of a search, or of draws for an interval, part of the key of a run.
std::string search_words(const session::PatternSource& pattern, bool rows,
                         const runtime::sample::IntervalRequest& interval);

/// The part of a run that is in this process.
class ClusterRun {
 public:
  ClusterRun(const ClusterOptions& options, const RunReporter& console) : options_(options), console_(console) {}

  /// Reads and checks the options, before any input is read.
  Status check(const RunRequest& all);
  /// The number of threads that plans are made for: processes that share a run must make the same plans.
  unsigned planned_threads(unsigned own) const { return options_.any() ? kPlannedThreads : own; }
  /// The number of processes that share the run, if known; the same in all of them and in `merge`.
  std::uint64_t processes() const { return processes_; }
  /// Opens the ledger or the work folder. Call it after compiling: `program` is the text of the program, or
  /// `search_words`.
  Status begin(std::string_view program, const BoundInputs& bound, const StopControl& session);
  /// The dealer of units; null before `begin`, and for a run in one process.
  codegen::Dealer* dealer() const { return dealer_.get(); }
  /// Shards have no answer; of an MPI job only rank 0 prints it.
  bool has_answer() const { return options_.shard.empty() && options_.speaks(); }
  /// Message printed by a shard.
  std::string shard_text(bool json, bool complete) const;
  /// The units of a run in several processes, for its report; nothing for a whole run.
  std::optional<UnitsReport> units() const;

 private:
  static constexpr unsigned kPlannedThreads = 16;

  const ClusterOptions& options_;
  const RunReporter& console_;
  std::uint64_t shard_ = 0, shards_ = 1, processes_ = 1;
  bool on_gpu_ = false;
  std::unique_ptr<codegen::Dealer> dealer_;
};

}  // namespace matcha::session
