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

/// Of a run in several processes.
struct UnitsReport {
  std::uint64_t done = 0, total = 0;  ///< Units of work that are done, by all, of the loops that were reached.
  int ranks = 0;                      ///< Of an MPI job; 0: it is none.
};

/// The results of a run so far; any part may be missing after an early stop.
struct RunReport {
  const Compilation* compilation = nullptr;
  std::optional<Signature> signature;          ///< Of the program or the pattern; nothing before it is read.
  const BoundInputs* bound = nullptr;          ///< Null: stopped before the inputs were read.
  const codegen::RunResult* result = nullptr;  ///< Null: stopped before the run.
  const MatchWriter* matches = nullptr;        ///< Null: rows were not streamed.
  bool only_counts = false;                    ///< Of `--count`: only the number of rows is printed.
  bool within = false;                         ///< Of `--within`: an interval will do.
  bool asks_exists = false;                    ///< Of `--exists`: whether there is one.
  std::string matches_path;                    ///< Of `--matches`; empty: none.
  std::string pattern;                         ///< The line about the pattern; empty: a program was given.
  std::vector<std::string> count_names;        ///< The name of each number of the result; empty: not known.
  std::vector<std::string> columns;            ///< The names of the columns of streamed rows.
  std::string given;                           ///< Of several patterns: this one, as the user gave it;
  std::size_t name_width = 0;                  ///< and the characters of the longest name in their lines.
  std::string backend;
  std::string engine = "program";  ///< The engine that answered, as `--engine` calls it.
  std::string device = "cpu";      ///< Or the GPU's name.
  std::string device_why;          ///< The reason why `--device auto` took the CPU; empty: there is no GPU, or the
                                   ///< device was given.
  unsigned threads = 0;
  OrderReport order;
  std::optional<Tuning> tuning;              ///< Of `--tune`.
  std::optional<Verification> verification;  ///< Of `--verify`.
  std::optional<UnitsReport> units;
  Status verdict = Status::Ok;  ///< Why it was stopped.
  double load_ms = 0, run_ms = 0;

  /// The matches that were counted with `only_counts` or `asks_exists`; nothing before the run.
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
