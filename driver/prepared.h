#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/match/motif_counter.h"
#include "codegen/match/orbit_task.h"
#include "driver/bind.h"
#include "driver/compile.h"
#include "driver/forecast.h"
#include "driver/gpu.h"
#include "driver/pattern_matcher.h"
#include "driver/pattern_reporter.h"
#include "driver/pattern_source.h"
#include "driver/reporter.h"
#include "driver/resident_graph.h"
#include "driver/vertex_order.h"

namespace matcha::driver {

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
  GpuOptions gpu;
  bool some = false;             ///< Runs will be given `RunOptions::most`: not all matches are wanted.
  bool may_search = true;        ///< A pattern need not become a program (pattern_matcher.h, motif_sets.h).
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
  bool searches() const { return search_ != SearchUse::Never; }
  /// There is no program: motifs or orbits are counted by identities.
  bool counts_motifs() const { return motifs_ || orbits_; }
  /// There is no program: maps of a pattern are found by messages.
  bool by_messages() const { return by_messages_; }
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
  Status read(const Reading& reading, Compilation& compilation);
  /// Writes the program of the pattern.
  Status plan(const Reading& reading, Compilation& compilation);
  Status bind();
  void say_loops();
  /// A pattern without labels of edges that sees loops goes on with the graph that has them, and a query of edges of
  /// any type with one where these have the same.
  Status take_loops(const PatternSource& pattern);
  /// A pattern of one edge label goes on with the graph of that label.
  Status narrow(PatternSource& pattern);
  /// Finds out whether the patterns are motifs that identities count; if so, that is done on the CPU.
  void find_motifs(const runtime::Graph& graph);
  bool may_be_motifs() const;
  /// Whether identities count a pattern, whose program was priced, sooner on the CPU or on the GPU that was asked for;
  /// then they do.
  bool find_motifs_by_cost(const runtime::Graph& graph);
  /// The same of orbits, which nothing else counts.
  Status find_orbits(const runtime::Graph& graph);
  std::unique_ptr<codegen::Executable> motif_counter() const {
    return orbits_ ? codegen::make_orbit_counter(*orbits_) : codegen::make_motif_counter(*motifs_);
  }
  /// Whether the pattern's maps are found by messages; if so, that is done on the CPU.
  bool may_go_by_messages(const runtime::Graph& graph) const;
  std::unique_ptr<codegen::Executable> map_matcher() const;
  /// Matches the pattern by search, where that is sooner: then `executable_` is there.
  void search();
  /// What `request_.rewrite` makes is compiled.
  Status rewrite(const passes::LabelWords& labels);
  /// What a search looks for, and on what; nothing: a GPU is wanted, which cannot do that.
  std::optional<codegen::MatchTask> search_task();
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
  Status choose_device();
  Status load(Compilation& compilation, const passes::LabelWords& labels);

  const std::shared_ptr<const Reporter> reporter_;
  const Reporter& log_;  ///< The compilation refers to it and to the options.
  ProgramRequest request_;
  std::shared_ptr<ResidentGraph> graph_;
  std::optional<std::int64_t> label_;  ///< Of all edges of `graph_`, which is part of the graph that was given.
  BoundInputs bound_;
  std::optional<PatternSource> pattern_;
  SearchUse search_ = SearchUse::Never;
  std::optional<codegen::MotifTask> motifs_;
  bool motifs_by_cost_ = false;  ///< They were chosen when the program was priced.
  std::optional<codegen::OrbitTask> orbits_;
  bool by_messages_ = false;
  PatternReporter place_reporter_{log_};  ///< What the compilation says of a pattern is about the pattern.
  std::optional<Compilation> compilation_;
  Signature signature_;
  std::unique_ptr<codegen::Backend> backend_;
  std::unique_ptr<codegen::Executable> executable_;
  OrderReport order_;
  std::string semantics_;
  std::vector<std::string> row_names_;
  bool on_gpu_ = false;
  bool hands_over_ = false;  ///< A search that takes long on a CPU goes to a GPU.
  Forecast forecast_;
  std::timed_mutex turn_;  ///< Of runs on a GPU.
};

}  // namespace matcha::driver
