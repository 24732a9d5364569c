#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/columns.h"
#include "runtime/graph/device_copies.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/inputs.h"
#include "runtime/graph/join.h"
#include "runtime/graph/order.h"
#include "runtime/result.h"
#include "runtime/sample/kept_draws.h"
#include "session/given_list.h"

namespace matcha::runtime::match {
class MatchIndex;
}  // namespace matcha::runtime::match

namespace matcha::session {

class SketchCache;

/// A graph that stays in memory, shared by programs and threads. It never changes; additions of one program, such as
/// the source of each arc, go to a separate view.
class ResidentGraph : public std::enable_shared_from_this<ResidentGraph> {
 public:
  using Shared = std::shared_ptr<ResidentGraph>;

  /// From a file, made simple; and symmetric unless `directed`. `labels_path`: of its vertices; empty: none.
  /// `edge_labels`: the third column has labels of the edges. Ends with the Runtime error `interrupted` soon after
  /// `maybe_cancel` has become true.
  static runtime::Result<Shared> read(const std::string& path, const std::string& labels_path, bool directed,
                                      const std::atomic<bool>* maybe_cancel = nullptr, bool edge_labels = false);
  /// The same as `spec` says: tables, columns, more vertices, a query. `spec.edge_info`: edges have labels.
  static runtime::Result<Shared> read(const runtime::GraphSpec& spec, const std::atomic<bool>* maybe_cancel);
  /// From columns, which are not kept; see `graphs_of_columns`.
  static runtime::Result<Shared> from_columns(const runtime::ColumnInput& columns,
                                              const std::atomic<bool>* maybe_cancel = nullptr);
  /// The resident form of a graph that was read.
  static Shared from_graph(runtime::Graph graph) { return Shared(new ResidentGraph(std::move(graph))); }

  /// The same for a graph with information of edges; also without it, and simple. Errors: Resource.
  static runtime::Result<Shared> from_informed(runtime::Graph informed) {
    return made_of(runtime::graphs_of_informed(std::move(informed)));
  }

  /// From its rows: the neighbours of vertex v are `targets[offsets[v]]` up to `targets[offsets[v + 1]]`, ascending;
  /// its ids are 0…offsets.count - 2; both columns are packed. Offsets of 64 bits and targets of 32 are not copied:
  /// they must live as long as `owner`, which the graph keeps while it reads them. Errors: Input when they are no graph
  /// without loops and repeats, or not symmetric though not `directed`.
  static runtime::Result<Shared> from_csr(const runtime::IntColumn& offsets, const runtime::IntColumn& targets,
                                          bool directed, std::shared_ptr<const void> owner);

  /// A graph under the name of a parameter.
  struct Named {
    std::string name;  ///< Empty: none; only of the first.
    Shared graph;
    const std::int64_t* maybe_ids = nullptr;  ///< Other ids of its vertices, ascending; of all or of none.
  };
  /// Joins graphs over one set of vertices: vertices with the same id are the same. The result is the first graph, and
  /// has the others. Graphs that have all ids and words share their arrays. Requires: at least one graph; names differ;
  /// none is a join itself. Errors: Input and Resource, as GraphJoin.
  static runtime::Result<Shared> join(const std::vector<Named>& graphs);

  /// The same graph, which shares everything with this one, with lists by the names of parameters. They take the place
  /// of its lists of these names. Errors: Resource.
  runtime::Result<Shared> with_lists(std::map<std::string, GivenList> lists) const;
  /// Null: none has the name.
  const GivenList* list(const std::string& name) const;
  bool has_lists() const { return !lists_.empty(); }

  bool is_joined() const { return !name_.empty() || !others_.empty(); }
  /// The graphs that it was joined with.
  const std::vector<Named>& others() const { return others_; }
  /// This graph or one of the others; null: none has the name.
  ResidentGraph* find(std::string_view name);
  const std::string& name() const { return name_; }

  /// Without information of edges, and simple.
  const runtime::Graph& graph() const { return graph_; }
  /// The load report; empty for a graph that came from no file.
  const std::optional<runtime::LoadReport>& report() const { return report_; }
  /// With it; null if there is none.
  const runtime::Graph* maybe_informed() const { return informed_ ? &*informed_ : nullptr; }
  /// Where GPUs keep it from run to run, in all its orders.
  runtime::DeviceCopies& device_copies() const { return *device_copies_; }
  /// The same arrays as a separate graph, which keeps this one.
  runtime::Result<runtime::Graph> view() const { return view_of(graph_); }
  /// Requires: there is information of edges.
  runtime::Result<runtime::Graph> informed_view() const { return view_of(*informed_); }
  /// Statistics of `graph` and `maybe_informed` for the cost model of patterns.
  SketchCache& sketches();
  /// The index that all searches share; made once. It must not outlive this graph.
  /// `informed`: of the graph with information of edges; requires it.
  std::shared_ptr<runtime::match::MatchIndex> match_index(bool informed = false);
  /// The draws of intervals of this graph.
  std::shared_ptr<runtime::sample::KeptDraws> draws() { return base_ != nullptr ? base_->draws() : draws_; }
  /// The edges with a label, of an undirected graph with labels of edges, as a graph that keeps this one. While a
  /// caller holds it, all callers get the same. Errors: Resource.
  runtime::Result<Shared> of_label(std::int64_t label);
  /// Whether the input has loops; `graph` has none.
  bool has_loops() const { return looped_ || (informed_ && !informed_->facts().loop_free); }
  /// The graph with its loops and without information of edges; kept as that of a label is. Requires: it has loops.
  /// Errors: Resource.
  runtime::Result<Shared> looped();
  /// The graph with its loops, and kNoLabel as the information of each edge; kept likewise. Requires: there is no
  /// information of edges. Errors: Resource.
  runtime::Result<Shared> blank();
  /// The same with ranks by degree. The copy is made once; callers that come meanwhile wait for it.
  runtime::Result<runtime::Graph> ranked(runtime::Halves halves);

 private:
  explicit ResidentGraph(runtime::Graph graph) : graph_(std::move(graph)) {}
  explicit ResidentGraph(runtime::ColumnGraphs graphs)
      : graph_(std::move(graphs.simple)),
        looped_(std::move(graphs.maybe_looped)),
        informed_(std::move(graphs.maybe_informed)) {}
  static runtime::Result<Shared> made_of(runtime::Result<runtime::ColumnGraphs> graphs);
  /// The same arrays as a separate graph, or those that it has in a join.
  runtime::Result<Shared> joined(const runtime::GraphJoin& join, std::size_t member) const;
  runtime::Result<runtime::Graph> view_of(const runtime::Graph& graph) const;

  runtime::Graph graph_;
  std::shared_ptr<ResidentGraph> base_;  ///< Has the derived data of the graph; null: this one has it.
  std::map<std::string, std::shared_ptr<const GivenList>> lists_;
  std::string name_;
  std::vector<Named> others_;
  std::optional<runtime::LoadReport> report_;
  std::optional<runtime::Graph> looped_;  ///< With loops, without information.
  std::optional<runtime::Graph> informed_;
  std::mutex mutex_;
  std::weak_ptr<ResidentGraph> with_loops_, blank_;  ///< They keep this one.
  std::map<runtime::Halves, runtime::Graph> ranked_;
  std::map<std::int64_t, std::weak_ptr<ResidentGraph>> of_labels_;            ///< They keep this one.
  std::array<std::shared_ptr<runtime::match::MatchIndex>, 2> match_indexes_;  ///< Without the information, and with it.
  std::shared_ptr<SketchCache> sketches_;
  std::shared_ptr<runtime::sample::KeptDraws> draws_ = std::make_shared<runtime::sample::KeptDraws>();
  std::shared_ptr<runtime::DeviceCopies> device_copies_ = std::make_shared<runtime::DeviceCopies>();
};

}  // namespace matcha::session
