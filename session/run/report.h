#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/matches.h"
#include "session/status.h"
#include "session/tuned_schedules.h"
#include "session/verification.h"
#include "session/vertex_order.h"

namespace matcha::session {

/// The progress of a run in several processes.
struct UnitsReport {
  /// The finished units of all processes, and all units, of the loops that have begun.
  std::uint64_t done = 0, total = 0;
  int ranks = 0;  ///< The ranks of an MPI job; 0: it is none.
};

/// The results of a run so far; any part may be missing after an early stop.
struct RunReport {
  const Compilation* compilation = nullptr;
  std::optional<Signature> signature;  ///< The signature of the program or the pattern; nothing before it is read.
  const BoundInputs* bound = nullptr;  ///< Null: stopped before the inputs were read.
  const codegen::RunResult* result = nullptr;  ///< Null: stopped before the run.
  const MatchWriter* matches = nullptr;        ///< Null: rows were not streamed.
  bool only_counts = false;                    ///< `--count`: only the number of rows is printed.
  bool within = false;                         ///< `--within`: the answer may be an interval.
  bool asks_exists = false;                    ///< `--exists`: the answer is whether there is a match.
  std::string matches_path;                    ///< The file of `--matches`; empty: none.
  std::string pattern;                         ///< The line about the pattern; empty: a program was given.
  std::vector<std::string> count_names;        ///< The name of each number of the result; empty: not known.
  std::vector<std::string> columns;            ///< The names of the columns of streamed rows.
  std::string given;                           ///< One of several patterns, as the user gave it.
  std::size_t name_width = 0;                  ///< The length of the longest name of several patterns, in characters.
  std::string backend;
  std::string engine = "program";  ///< The engine that answered, as in `--engine`.
  std::string device = "cpu";      ///< `cpu`, or the name of the GPU.
  std::string device_why;          ///< The reason why `--device auto` took the CPU; empty: there is no GPU, or the
                                   ///< device was given.
  unsigned threads = 0;
  OrderReport order;
  std::optional<Tuning> tuning;              ///< The result of `--tune`.
  std::optional<Verification> verification;  ///< The result of `--verify`.
  std::optional<UnitsReport> units;
  Status verdict = Status::Ok;  ///< The reason of an early stop.
  double load_ms = 0, run_ms = 0;

  /// The number of counted matches with `only_counts` or `asks_exists`; nothing before the run.
  std::optional<std::uint64_t> counted() const;
  bool complete() const;
  /// `timeout`, `interrupt`, `limit` or `closed`; empty when complete.
  std::string stopped_by() const;
};

/// A name and a number a line, in columns: names take `width` characters, or as many as the longest.
std::string named_lines(const std::vector<std::string>& names, const std::vector<std::string>& values,
                        std::size_t width = 0);
/// The JSON object of `run --json`; of several patterns, each in a line.
std::string report_json(const RunReport& report);
/// The answer as text for standard output; empty when there is none.
std::string report_text(const RunReport& report);
/// The choice of `--tune` and its candidates, in a line.
std::string tuning_text(const Tuning& tuning);
/// `26 of 7,115 outer iterations, 1.2% of the work`.
std::string iterations_text(const codegen::RunResult& result);
/// The JSON objects of a run that is stopped now, for each way to be stopped.
std::map<Status, std::string> reports_of_stops(RunReport& report);
/// A line on the rows that were `drawn`, or went to standard output; empty: there is nothing to say.
std::string closing_line(const RunReport& report, bool drawn, bool on_output);
/// A line on how a run with a partial result ended, for standard error.
std::string partial_line(const RunReport& report);

}  // namespace matcha::session
