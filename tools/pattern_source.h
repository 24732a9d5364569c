#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/pattern/program.h"
#include "ir/support/source.h"
#include "tools/verbs.h"

namespace matcha::tools {

/// What `matcha pattern` and `matcha run --pattern` say about a pattern.
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

/// `--induced`, `--embeddings`, `--algorithm`, `--plan`, `--unlabelled` and `--unlabelled-edges`; all that were added.
std::vector<CLI::Option*> add_pattern_options(CLI::App& verb, PatternOptions& options);
/// `--pattern P` of a verb that takes a program otherwise, with `text` as its help, and those options, which mean
/// nothing for a program.
void add_pattern_or_program(CLI::App& verb, PatternOptions& options, const std::string& text);

/// A pattern from the command line, and the programs for it. Errors are reported on the console.
class PatternSource {
 public:
  PatternSource(const PatternOptions& options, const Console& console) : options_(options), console_(console) {}

  /// Reads and checks the pattern.
  ExitCode read();
  /// Whether a graph that keeps its arcs, or does not, has what the pattern looks for.
  ExitCode check_arcs(bool graph_keeps_arcs) const;
  /// The program that answers; `rows`: lists matches.
  ExitCode write(bool rows, const frontend::pattern::GraphSketch& sketch);
  /// The program of another plan, as `--plan` counts them; nothing if there is none. After `write`.
  std::optional<frontend::pattern::PatternProgram> write_plan(std::size_t plan,
                                                              const frontend::pattern::GraphSketch& sketch) const;

  const frontend::pattern::PatternSet& set() const { return *set_; }
  /// After `write`.
  const frontend::pattern::PatternProgram& program() const { return *program_; }
  bool directed() const { return set_->patterns.front().directed; }
  bool edge_labelled() const { return set_->patterns.front().edge_labelled(); }
  /// A program with the same parameters as those for the pattern, to bind the graph before its own is written.
  std::string stub() const;
  /// What is counted, in a line.
  std::string semantics(bool rows) const;
  /// What a match is, in sentences.
  std::string meaning() const;

 private:
  frontend::pattern::Request request(bool rows) const;

  const PatternOptions& options_;
  const Console& console_;
  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  SourceLoc loc_;
  std::optional<frontend::pattern::PatternSet> set_;
  std::optional<frontend::pattern::PatternProgram> program_;
};

}  // namespace matcha::tools
