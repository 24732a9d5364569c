#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/cliques/clique_task.h"
#include "session/question_run.h"
#include "session/reporter.h"
#include "session/resident_graph.h"

namespace matcha::session {

struct Explanation;
struct ExplainRun;

/// A program that is compiled for one graph in memory, or several that were joined, and a device, and bound to it. It
/// keeps the graphs.
class Prepared {
 public:
  /// All steps from the text to machine code. After an error nothing is made, and `errors` has the messages.
  /// `reading` runs the steps that read programs and patterns: only one thread of a process may.
  using Reading = QuestionRun::Reading;
  static Status make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph, const Reading& reading,
                     std::string& errors, std::unique_ptr<Prepared>& out);
  /// The same with messages to a reporter, which the result keeps.
  static Status make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph, const Reading& reading,
                     std::shared_ptr<const Reporter> reporter, std::unique_ptr<Prepared>& out);

  /// Explains the decision for the request (session/explanation.h), on a CPU.
  static Status explain(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                        const Reading& reading, const ExplainRun& how, std::string& errors, Explanation& found);
  static Status explain(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                        const Reading& reading, const ExplainRun& how, std::shared_ptr<const Reporter> reporter,
                        Explanation& found);

  /// Binds it to another graph instead of the present one, between runs: one with the same label words, directed and
  /// with information of edges as that is. False: it was compiled for other facts of the graph, and must be made again.
  bool rebind(const std::shared_ptr<ResidentGraph>& graph);

  /// Runs it. Any number of threads may; on a GPU they take turns. `more`: arguments of parameters that a rewritten
  /// module has beside those of the program.
  codegen::RunOutcome run(codegen::RunOptions options, std::span<const codegen::Argument> more = {});

  /// The id of each rank, of vertices in the results.
  const runtime::Universe& universe() const { return *run_.bound.inputs.universe; }
  const std::shared_ptr<const runtime::Universe>& shared_universe() const { return run_.bound.inputs.universe; }
  const SourceManager& sources() const { return run_.compilation->sources(); }
  /// The entry, its parameters and the type of the result.
  const Signature& signature() const { return run_.signature; }
  /// What a pattern counts, in a line; empty for a program.
  const std::string& semantics() const { return semantics_; }
  /// Names of the columns of rows where they are known: the vertices of a pattern.
  const std::vector<std::string>& row_names() const { return row_names_; }
  /// Names of the counts of a set of patterns, or of the numbers of a program; empty: there is one, without a name.
  std::vector<std::string> count_names() const { return run_.pattern ? run_.pattern->count_names() : row_names_; }
  /// The edges of the pattern, or of each pattern of a set, as text; empty: it is a program.
  std::vector<std::string> pattern_texts() const;
  /// Whether `rebind` reads patterns, which only one thread of a process may.
  bool rebind_reads() const { return engine_ != "program" && !counts_motifs(); }
  /// A pattern of which no further edge of the graph takes a match away.
  bool only_gains() const;
  /// Cliques of each number of vertices, whose counts are as many values.
  bool counts_all_sizes() const;
  /// Cliques of the graph that pivot trees count.
  std::optional<codegen::CliqueTask> cliques() const;
  /// A pattern with a vertex that may have one of several labels.
  bool has_label_choices() const;
  /// A pattern with an edge of any label, each of which is a separate match.
  bool counts_any_edge() const;
  /// By vertex of a pattern, the codes of the labels that it asks for; empty: any.
  std::vector<std::vector<std::int64_t>> label_codes() const;
  /// There is no program: a pattern is matched by search.
  bool searches() const { return engine_ == "search"; }
  /// There is no program: motifs or orbits are counted by identities.
  bool counts_motifs() const { return engine_ == "identities"; }
  /// Without a program: maps of a pattern are found by messages.
  bool by_messages() const { return engine_ == "messages"; }
  /// The engine that answers, as `--engine` calls it.
  std::string_view engine() const { return engine_; }
  /// Its offer.
  const planner::Offer& offer() const { return run_.chosen(); }
  const Compilation& compilation() const { return *run_.compilation; }
  /// The order of the vertices, and the milliseconds of ranking.
  const OrderReport& order() const { return run_.order; }
  bool on_gpu() const { return run_.target->on_gpu; }
  /// Says why a run failed, with the place in the program or the pattern.
  Status report(const codegen::RunError& failed, const Reporter& to) const;

 private:
  Prepared(const ProgramRequest& request, std::shared_ptr<ResidentGraph> graph, const Reading& reading,
           std::shared_ptr<const Reporter> reporter)
      : reporter_(std::move(reporter)), run_(request, *reporter_, reading), graph_(std::move(graph)) {}
  /// All until the engines have decided.
  Status begin();
  Status prepare();
  /// Reads the program, or the pattern and checks it against the graph.
  Status read();
  Status check_pattern();
  Status bind();
  void say_loops();
  /// A pattern without labels of edges that sees loops continues with the graph that has them; a query of edges of any
  /// type, with the graph in which all types are equal.
  Status take_loops(const PatternSource& pattern);
  /// A pattern of one edge label continues with the graph of that label.
  Status narrow(PatternSource& pattern);
  /// Binds the graph that the pattern is matched in, with labels of edges if the pattern has some, instead of the main
  /// one.
  void take_pattern_graph();
  /// Lets the engines decide: `engine`, or if that is empty the engine of the request. Requires: the inputs are bound.
  Status decide(const std::string& engine, const Reporter& reporter);
  /// The graph that a parameter of a program names; null: none. Patterns are about the first.
  ResidentGraph* graph_of(const std::string& name) const;
  /// Has the graphs bound to the parameters of their names, and the first one to a parameter that is left; reports
  /// parameters without a graph, and gives false.
  bool name_graphs(BindOptions& options) const;
  Status bind_graph(const std::string& name, const ParamPlan& param);
  Status bind_list(const std::string& name, const ParamPlan& param);
  Status bind_edges(const std::string& name, const ParamPlan& param);
  /// Whether a graph has the information of edges that the program reads; reports if not.
  bool has_info(const ParamPlan& param, const ResidentGraph& graph) const;
  Status find_gpu();

  const std::shared_ptr<const Reporter> reporter_;
  QuestionRun run_;
  std::shared_ptr<ResidentGraph> graph_;
  /// The label of all edges of `graph_`, which is part of the graph that was given.
  std::optional<std::int64_t> label_;
  bool of_pairs_ = false;  ///< A query lost labels of edges that it did not need (`needs_no_labels`).
  std::string_view engine_ = "program";
  std::string semantics_;
  std::vector<std::string> row_names_;
  bool has_gpu_ = false;   ///< A GPU may be used, and can be.
  std::timed_mutex turn_;  ///< Held during a run on a GPU.
};

}  // namespace matcha::session
