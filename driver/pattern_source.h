#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/reporter.h"
#include "frontend/pattern/program.h"
#include "ir/support/source.h"

namespace matcha::driver {

/// What is asked for: a pattern, and what counts as a match.
struct PatternOptions {
  std::string text;    ///< Text, a name or a file; empty: no pattern.
  std::string labels;  ///< `a,b,c`, one for each vertex.
  std::string induced = "vertex";
  std::string algorithm = "auto";
  std::size_t plan = 1;  ///< Of those that `--list` shows.
  bool embeddings = false;
  bool unlabelled = false;        ///< Forget the labels of the pattern.
  bool unlabelled_edges = false;  ///< Forget those of its edges.
};

/// A pattern, and the programs for it. Errors go to the reporter.
class PatternSource {
 public:
  PatternSource(const PatternOptions& options, const Reporter& reporter) : options_(options), reporter_(reporter) {}

  /// Reads and checks the pattern.
  Status read();
  /// Whether a graph that keeps its arcs, or does not, has what the pattern looks for.
  Status check_arcs(bool graph_keeps_arcs) const;
  /// The program that answers; `rows`: lists matches.
  Status write(bool rows, const frontend::pattern::GraphSketch& sketch);
  /// The program of another plan, as `--plan` counts them; nothing if there is none. After `write`.
  std::optional<frontend::pattern::PatternProgram> write_plan(std::size_t plan,
                                                              const frontend::pattern::GraphSketch& sketch) const;

  /// What the program that `write` would make for another sketch is expected to cost; it stays as it is. After `write`.
  std::optional<double> cost_of(const frontend::pattern::GraphSketch& sketch) const;

  const frontend::pattern::PatternSet& set() const { return *set_; }
  /// After `write`.
  const frontend::pattern::PatternProgram& program() const { return *program_; }
  bool directed() const { return set_->patterns.front().directed; }
  bool edge_labelled() const { return set_->patterns.front().edge_labelled(); }
  /// A program with the same parameters as those for the pattern, to bind the graph before its own is written.
  std::string stub() const;
  /// A name for each of its vertices, in the order of the rows that list matches: `v0`, `v1`, ….
  std::vector<std::string> vertex_names() const;
  /// A name for each pattern of a motif: that by which it can be asked for, or its edges; empty of anything else.
  std::vector<std::string> count_names() const;
  /// What is counted, in a line.
  std::string semantics(bool rows) const;
  /// What a match is, in sentences.
  std::string meaning() const;

 private:
  frontend::pattern::Request request(bool rows) const;

  const PatternOptions& options_;
  const Reporter& reporter_;
  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  SourceLoc loc_;
  std::optional<frontend::pattern::PatternSet> set_;
  std::optional<frontend::pattern::PatternProgram> program_;
};

}  // namespace matcha::driver
