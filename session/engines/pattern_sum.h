#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "runtime/graph/graph.h"
#include "session/prepared.h"
#include "session/program_patterns.h"

namespace matcha::session {

/// A program as arithmetic of counts of patterns. Each pattern is prepared for the graph with the engine that is best
/// for it, on a CPU; identities count theirs together.
class PatternSum {
 public:
  /// `graph` outlives it. `code_folder`: where compiled code is kept; empty: nowhere. `reading`: as of QuestionRun.
  /// Null, with the reason in `why`, if a pattern cannot be prepared, or if the patterns are expected to take more than
  /// `most_ns`.
  static std::shared_ptr<PatternSum> make(CountedProgram counted, const runtime::Graph& graph,
                                          const std::string& code_folder, const QuestionRun::Reading& reading,
                                          double most_ns, std::string& why);

  /// Expected nanoseconds of all counts.
  double ns() const;
  /// Each sum, and the engine that counts each pattern, in lines for people.
  std::vector<std::string> lines() const;
  /// The results of the program, exact in 128 bits where they are sums. `arguments`: of its parameters. `universe`: of
  /// the graph. A run that is stopped gives results of the matches that it counted, if more matches could only raise
  /// them.
  codegen::RunOutcome run(std::span<const codegen::Argument> arguments, const runtime::Universe& universe,
                          const codegen::RunOptions& options);

 private:
  struct Part {
    std::unique_ptr<Prepared> prepared;
    std::optional<std::size_t> together;  ///< Its place among the results of `together_`.
  };

  /// By pattern; empty: it was not counted.
  using Counts = std::vector<std::optional<__int128>>;

  void count_together();
  double ns_of(const Part& part) const;
  codegen::RunOutcome count(Counts& counts, const codegen::RunOptions& options);
  /// False: beyond 128 bits.
  bool add_up(const Counts& counts, std::map<const ir::Expr*, __int128>& sums) const;
  /// Whether more matches can only raise all results.
  bool only_grows() const;

  CountedProgram counted_;
  std::optional<runtime::Graph> graph_;
  std::vector<Part> parts_;  ///< By pattern.
  std::unique_ptr<codegen::Executable> together_;
  double together_ns_ = 0;
};

/// Runs it, whatever the graph of the arguments: it is that of the sum.
std::unique_ptr<codegen::Executable> make_executable(std::shared_ptr<PatternSum> sum);

}  // namespace matcha::session
