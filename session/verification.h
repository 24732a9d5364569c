#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "codegen/backend.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/graph_samples.h"
#include "session/pattern_source.h"

/// Checks of an answer by other ways to it (`run --verify`).
namespace matcha::session {

/// The answers that were compared and found equal.
struct Verification {
  std::uint64_t samples = 0;       ///< Small graphs on which the program was checked; of these
  std::uint64_t with_matches = 0;  ///< the number of answers other than 0.
  std::string by;                  ///< How their answers were found.
  std::string why_no_samples;      ///< Empty: there are samples.
  std::string second_run;          ///< How the whole answer was found again; empty: not at all.
};

/// The answer of a run as text by which two runs are compared; the items of a list are sorted, since runs may find them
/// in any order.
std::string comparable(const std::vector<codegen::ResultValue>& values, const runtime::Universe& universe);

/// A program, ready to run, that samples are given to.
struct SampleTask {
  const BoundInputs* bound = nullptr;
  /// Makes the executable for a sample; null if it cannot be made.
  std::function<codegen::Executable*(const SampleInputs&)> tested;
  codegen::RunOptions options;
  /// The pattern; null for a program, which `compilation` then is, with the words of `labels`.
  const PatternSource* maybe_pattern = nullptr;
  bool embeddings = false;
  Compilation* compilation = nullptr;
  passes::LabelWords labels;
};

/// Runs the program on small random samples of its graph, and compares the results with all maps of the pattern, or
/// with the interpreter on the program as it is written. Gives the difference in words; empty if there is none. Takes a
/// second at most, besides the program's own time.
std::string check_on_samples(const SampleTask& task, Verification& found);

/// `9 and 10`: two answers that differ, shortened.
std::string difference(const std::string& answer, const std::string& other);

/// The comparison, in a line for people.
std::string verification_text(const Verification& found);

}  // namespace matcha::session
