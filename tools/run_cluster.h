#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/dealer.h"
#include "driver/bind.h"
#include "driver/pattern_source.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/session.h"

namespace matcha::tools {

struct RunVerbOptions;

/// Options of a run that is a part of one in several processes.
struct ClusterOptions {
  std::string shard;                      ///< `I/N` or `auto`; empty: none.
  std::string ledger;                     ///< What the shard finds.
  std::string work;                       ///< A folder that processes share; empty: none.
  std::vector<std::string> from_ledgers;  ///< Nothing is run: all is in these files.
  std::vector<std::string> words;         ///< Of the command line, behind `run`.

  bool any() const { return !shard.empty() || !work.empty() || !from_ledgers.empty(); }
};

void add_cluster_options(CLI::App& verb, ClusterOptions& options);

/// What a pattern that is matched by search asks for, so that runs that differ in it are told apart.
std::string search_words(const driver::PatternSource& pattern, bool rows);

/// The part of a run that is in this process.
class ClusterRun {
 public:
  ClusterRun(const ClusterOptions& options, const Console& console) : options_(options), console_(console) {}

  /// Before anything is read: what the options say, and that they fit the others.
  Status check(const RunVerbOptions& all);
  /// For how many threads plans are made: processes that share a run must come to the same ones.
  unsigned planned_threads(unsigned own) const { return options_.any() ? kPlannedThreads : own; }
  /// Once the program is compiled: `program` is its text, or the words of a search.
  Status begin(std::string_view program, const BoundInputs& bound, const Session& session);
  /// Null before `begin`, and where the run is whole.
  codegen::Dealer* dealer() const { return dealer_.get(); }
  /// Of a shard there is no answer; this is said instead.
  bool has_answer() const { return options_.shard.empty(); }
  std::string shard_text(bool json, bool complete) const;

 private:
  static constexpr unsigned kPlannedThreads = 16;

  const ClusterOptions& options_;
  const Console& console_;
  std::uint64_t shard_ = 0, shards_ = 1;
  std::unique_ptr<codegen::Dealer> dealer_;
};

}  // namespace matcha::tools
