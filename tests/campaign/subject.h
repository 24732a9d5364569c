#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/pattern_source.h"
#include "tests/campaign/answer.h"
#include "tests/campaign/brute.h"
#include "tests/campaign/sample_graph.h"
#include "tests/differential/tree.h"

namespace matcha::campaign {

/// The answer of the brute force for a graph.
struct Expectation {
  Answer answer;
  std::set<std::string> traps;  ///< Messages of failures that a run may end with instead.
};

/// A pattern, or a program of the language, which is compiled once; and the graphs for it.
struct Subject {
  GraphKind kind;
  bool is_pattern = false;

  session::PatternOptions options;
  bool rows = false;
  int motif = 0;  ///< Counts all connected patterns of this many vertices; 0: `patterns` has one.
  std::vector<PlainPattern> patterns;
  std::vector<std::vector<int>> automorphisms;

  differential::Program program;
  std::vector<std::string> words;  ///< Labels that its text names.

  std::string text() const;
  /// The equivalent options of the command line.
  std::string command() const;
  /// Nothing if a brute force takes too long.
  std::optional<Expectation> expect(const SampleGraph& graph) const;
  /// Answers that mean the same become the same.
  Answer normal(Answer answer) const;
  /// Programs that are simpler, for shrinking.
  std::vector<Subject> simpler() const;
};

/// A random subject; the same for the same seed.
Subject random_subject(std::uint64_t seed, int hub);
/// The two kinds, for callers that need one.
Subject random_pattern(std::uint64_t seed, int hub);
Subject random_program(std::uint64_t seed);

}  // namespace matcha::campaign
