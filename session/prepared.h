#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/search/match_batch.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/engine_choice.h"
#include "session/forecast.h"
#include "session/gpu.h"
#include "session/pattern_reporter.h"
#include "session/pattern_source.h"
#include "session/reporter.h"
#include "session/resident_graph.h"
#include "session/vertex_order.h"

namespace matcha::session {

/// A program or a pattern, and how to compile it.
struct ProgramRequest {
  std::string text;        ///< Of a program; empty: there is a pattern.
  PatternOptions pattern;  ///< Its `text` is empty where there is a program.
  bool matches = false;    ///< A pattern's matches are listed, not counted.
  CompileOptions compile;
  std::vector<std::string> params;  ///< `NAME=VALUE`.
  std::string order = "auto";       ///< As `--order`.
  std::string device = "auto";      ///< As `--device`.
  std::string tier = "auto";        ///< As `--tier`.
  std::string engine;               ///< As `--engine`; empty: the cheapest.
  GpuOptions gpu;
  bool some = false;             ///< Runs will be given `RunOptions::most`: not all matches are wanted.
  bool may_search = true;        ///< Engines other than `program` may answer.
  bool explains = false;         ///< All offers are priced, and what answers runs on a CPU.
  bool shares = false;           ///< Runs are shares of a whole one, which identities do not know.
  bool may_lack_labels = false;  ///< Labels that no vertex or edge has are no error: they may come.
  std::string code_folder;       ///< Where compiled code is kept from process to process; empty: nowhere.
  /// Patterns that a GPU matches together with this one, where it does; null: alone.
  std::shared_ptr<codegen::MatchBatch> maybe_batch;
  std::optional<std::uint64_t> maybe_most;  ///< What `RunOptions::most` will be, if it is known.
  /// Makes of what the pipeline `nests` leaves of a program what is compiled in its place; empty: the program is.
  std::function<ir::Module(ir::Context& context, const ir::Module& nests)> rewrite;
};

/// A program that is compiled for one graph in memory, or several that were joined, and a device, and bound to it. It
/// keeps the graphs.
class Prepared {
 public:
  /// All steps from the text to machine code. After an error nothing is made, and `errors` says what is wrong.
  /// `reading` runs the steps that read programs and patterns: only one thread of a process may.
  using Reading = std::function<void(const std::function<void()>&)>;
  static Status make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph, const Reading& reading,
                     std::string& errors, std::unique_ptr<Prepared>& out);
  /// The same with messages to a reporter, which what is made keeps.
  static Status make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph, const Reading& reading,
                     std::shared_ptr<const Reporter> reporter, std::unique_ptr<Prepared>& out);

  /// Binds it to another graph in place of its own, between runs: one with the same label words, directed and with
  /// information of edges as that is. False: it was compiled for what that graph is not, and must be made anew.
  bool rebind(const std::shared_ptr<ResidentGraph>& graph);

  /// Runs it. Any number of threads may; on a GPU they take turns. `more`: arguments of parameters that a rewritten
  /// module has beside those of the program.
  codegen::RunOutcome run(codegen::RunOptions options, std::span<const codegen::Argument> more = {});

  /// The id of each rank, of vertices in the results.
  const runtime::Universe& universe() const { return *bound_.inputs.universe; }
  const std::shared_ptr<const runtime::Universe>& shared_universe() const { return bound_.inputs.universe; }
  const SourceManager& sources() const { return compilation_->sources(); }
  /// The entry, its parameters and the type of the result.
  const Signature& signature() const { return signature_; }
  /// What a pattern counts, in a line; empty for a program.
  const std::string& semantics() const { return semantics_; }
  /// Names of the columns of rows where they are known: the vertices of a pattern.
  const std::vector<std::string>& row_names() const { return row_names_; }
  /// A pattern of which no further edge of the graph takes a match away.
  bool only_gains() const;
  /// A pattern with a vertex that may have one of several labels.
  bool has_label_choices() const;
  /// A pattern with an edge of any label, each of which is a match of its own.
  bool counts_any_edge() const;
  /// By vertex of a pattern, the codes of the labels that it asks for; empty: any.
  std::vector<std::vector<std::int64_t>> label_codes() const;
  /// There is no program: a pattern is matched by search.
  bool searches() const { return engine_ == "search"; }
  /// There is no program: motifs or orbits are counted by identities.
  bool counts_motifs() const { return engine_ == "identities"; }
  /// There is no program: maps of a pattern are found by messages.
  bool by_messages() const { return engine_ == "messages"; }
  /// The engine that answers, as `--engine` calls it.
  std::string_view engine() const { return engine_; }
  /// By what the vertices are ranked, and the milliseconds that took.
  const OrderReport& order() const { return order_; }
  bool on_gpu() const { return on_gpu_; }
  /// Says why a run failed, with the place in the program or the pattern.
  Status report(const codegen::RunError& failed, const Reporter& to) const;

 private:
  friend class PlanReader;
  Prepared(const ProgramRequest& request, std::shared_ptr<ResidentGraph> graph,
           std::shared_ptr<const Reporter> reporter)
      : reporter_(std::move(reporter)), log_(*reporter_), request_(request), graph_(std::move(graph)) {}
  Status prepare(const Reading& reading);
  /// Reads the program, or the pattern and checks it against the graph.
  Status read(const Reading& reading, Compilation& compilation);
  Status read_pattern(const Reading& reading);
  /// Plans the program of the pattern for a device, unless that is done.
  Status plan(const Reading& reading, bool on_gpu);
  Status bind();
  void say_loops();
  /// A pattern without labels of edges that sees loops goes on with the graph that has them, and a query of edges of
  /// any type with one where these have the same.
  Status take_loops(const PatternSource& pattern);
  /// A pattern of one edge label goes on with the graph of that label.
  Status narrow(PatternSource& pattern);
  /// The graph that a pattern is matched in, with labels of edges if it has some.
  const runtime::Graph& pattern_graph() const {
    return pattern_->edge_labelled() ? *graph_->maybe_informed() : graph_->graph();
  }
  planner::Question question() const;
  EngineContext context();
  /// Asks the engines what answers: `engine`, or if that is empty the cheapest. Requires: the inputs are bound.
  Status decide(const Reading& reading, const std::string& engine, const Reporter& reporter);
  std::optional<double> expected_ns(const Reading& reading, bool on_gpu, Status& status);
  /// Makes what answers without a program; leaves `executable_` null where a program does.
  Status make_without_program();
  /// What `request_.rewrite` makes is compiled.
  Status rewrite(const passes::LabelWords& labels);
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
  Status load(Compilation& compilation, const passes::LabelWords& labels);

  const std::shared_ptr<const Reporter> reporter_;
  const Reporter& log_;  ///< The compilation refers to it and to the options.
  ProgramRequest request_;
  std::shared_ptr<ResidentGraph> graph_;
  std::optional<std::int64_t> label_;  ///< Of all edges of `graph_`, which is part of the graph that was given.
  BoundInputs bound_;
  std::optional<PatternSource> pattern_;
  EngineChoice choice_;
  std::string_view engine_ = "program";
  nlohmann::ordered_json offers_;               ///< With `explains`: what `planner::to_json` gives.
  std::optional<pattern::Device> planned_for_;  ///< The device of the last plan of the pattern's program.
  PatternReporter place_reporter_{log_};        ///< What the compilation says of a pattern is about the pattern.
  std::optional<Compilation> compilation_;
  Signature signature_;
  std::unique_ptr<codegen::Backend> backend_;
  std::unique_ptr<codegen::Executable> executable_;
  OrderReport order_;
  std::string semantics_;
  std::vector<std::string> row_names_;
  bool on_gpu_ = false;
  bool has_gpu_ = false;  ///< A GPU may be used, and can be.
  Forecast forecast_;
  std::timed_mutex turn_;  ///< Of runs on a GPU.
};

}  // namespace matcha::session
