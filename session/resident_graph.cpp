#include "session/resident_graph.h"

#include <new>
#include <utility>

#include "engines/search/match_index.h"
#include "session/borrowed_rows.h"
#include "session/graph_sketch.h"
#include "session/label_graph.h"

namespace matcha::session {

runtime::Result<ResidentGraph::Shared> ResidentGraph::made_of(runtime::Result<runtime::ColumnGraphs> graphs) {
  if (!graphs) return graphs.error();
  return Shared(new ResidentGraph(std::move(*graphs)));
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::read(const std::string& path, const std::string& labels_path,
                                                           bool directed, const std::atomic<bool>* maybe_cancel,
                                                           bool edge_labels) {
  runtime::GraphSpec spec;
  spec.name = "G";
  spec.path = path;
  spec.labels_path = labels_path;
  spec.directed = directed;
  spec.edge_info = edge_labels;
  return read(spec, maybe_cancel);
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::read(const runtime::GraphSpec& spec,
                                                           const std::atomic<bool>* maybe_cancel) {
  runtime::GraphSpec whole = spec;
  whole.simple = !spec.edge_info;  // Loops may be kept.
  if (spec.edge_info) whole.info = runtime::ColumnKind::Label;
  runtime::IoOptions options;
  options.cancel = maybe_cancel;
  runtime::LoadedGraph loaded = MATCHA_TRY(runtime::load_graph(whole, options));
  const bool looped = !loaded.graph.facts().loop_free;
  runtime::Result<Shared> made = spec.edge_info ? made_of(runtime::graphs_of_informed(std::move(loaded.graph)))
                                 : looped       ? made_of(runtime::graphs_of_looped(std::move(loaded.graph)))
                                                : Shared(new ResidentGraph(std::move(loaded.graph)));
  if (made) (*made)->report_ = std::move(loaded.report);
  return made;
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::from_columns(const runtime::ColumnInput& columns,
                                                                   const std::atomic<bool>* maybe_cancel) {
  runtime::IoOptions options;
  options.cancel = maybe_cancel;
  return made_of(runtime::graphs_of_columns(columns, options));
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::from_csr(const runtime::IntColumn& offsets,
                                                               const runtime::IntColumn& targets, bool directed,
                                                               std::shared_ptr<const void> owner) {
  try {
    std::shared_ptr<const BorrowedRows> rows = MATCHA_TRY(borrow_rows(offsets, targets, directed, std::move(owner)));
    runtime::GraphView view{};
    view.vertex_count = rows->vertices;
    view.universe = rows->vertices;
    view.arc_count = rows->arcs;
    view.offsets = rows->offsets;
    view.neighbors = rows->targets;
    runtime::GraphFacts facts;
    facts.directed = directed;
    auto universe = std::make_shared<const runtime::Universe>(runtime::Universe::identity(view.universe));
    runtime::Graph graph = runtime::Graph::from_view(std::move(universe), view, facts, std::move(rows));
    graph.set_dictionary(std::make_shared<const runtime::LabelDictionary>());
    MATCHA_TRY(runtime::ensure_split_offsets(graph));
    return Shared(new ResidentGraph(std::move(graph)));
  } catch (const std::bad_alloc&) {
    return runtime::out_of_memory();
  }
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::joined(const runtime::GraphJoin& join, std::size_t member) const {
  const bool unchanged = join.is_unchanged(member);
  runtime::Graph graph = MATCHA_TRY(unchanged ? view() : join.joined(member, graph_));
  Shared made(new ResidentGraph(std::move(graph)));
  made->graph_.set_device_copies(nullptr);
  made->report_ = report_;
  if (informed_) {
    made->informed_ = MATCHA_TRY(unchanged ? informed_view() : join.joined(member, *informed_));
    made->informed_->set_device_copies(nullptr);
  }
  if (looped_) {
    made->looped_ = MATCHA_TRY(unchanged ? view_of(*looped_) : join.joined(member, *looped_));
    made->looped_->set_device_copies(nullptr);
  }
  return made;
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::join(const std::vector<Named>& graphs) {
  std::vector<runtime::JoinMember> members;
  for (const Named& each : graphs) members.push_back({&each.graph->graph_, each.maybe_ids});
  const runtime::GraphJoin join = MATCHA_TRY(runtime::GraphJoin::of(members));
  Shared first;
  for (std::size_t at = 0; at < graphs.size(); ++at) {
    // The first one is to have others, and the graph that was given has none.
    Shared made = MATCHA_TRY(at != 0 && join.is_unchanged(at) ? graphs[at].graph : graphs[at].graph->joined(join, at));
    if (at == 0) {
      first = std::move(made);
      first->name_ = graphs[at].name;
    } else {
      first->others_.push_back({graphs[at].name, std::move(made)});
    }
  }
  return first;
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::with_lists(std::map<std::string, GivenList> lists) const {
  runtime::Graph graph = MATCHA_TRY(view());
  Shared made(new ResidentGraph(std::move(graph)));
  made->graph_.set_device_copies(nullptr);
  if (informed_) {
    made->informed_ = MATCHA_TRY(informed_view());
    made->informed_->set_device_copies(nullptr);
  }
  if (looped_) {
    made->looped_ = MATCHA_TRY(view_of(*looped_));
    made->looped_->set_device_copies(nullptr);
  }
  made->report_ = report_;
  made->name_ = name_;
  made->others_ = others_;
  made->base_ = base_ != nullptr ? base_ : std::const_pointer_cast<ResidentGraph>(shared_from_this());
  made->device_copies_ = device_copies_;
  made->lists_ = lists_;
  for (auto& [name, list] : lists) made->lists_[name] = std::make_shared<const GivenList>(std::move(list));
  return made;
}

const GivenList* ResidentGraph::list(const std::string& name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? nullptr : found->second.get();
}

ResidentGraph* ResidentGraph::find(std::string_view name) {
  if (!name_.empty() && name == name_) return this;
  for (const Named& each : others_) {
    if (each.name == name) return each.graph.get();
  }
  return nullptr;
}

runtime::Result<runtime::Graph> ResidentGraph::view_of(const runtime::Graph& graph) const {
  try {
    runtime::Graph view = runtime::Graph::alias(graph, std::shared_ptr<const void>(shared_from_this()));
    view.set_dictionary(std::shared_ptr<const runtime::LabelDictionary>(shared_from_this(), &graph_.dictionary()));
    view.set_device_copies(device_copies_);
    MATCHA_TRY(runtime::ensure_split_offsets(view));
    return view;
  } catch (const std::bad_alloc&) {
    return runtime::out_of_memory();
  }
}

SketchCache& ResidentGraph::sketches() {
  if (base_ != nullptr) return base_->sketches();
  const std::lock_guard lock(mutex_);
  if (sketches_ == nullptr) sketches_ = std::make_shared<SketchCache>();
  return *sketches_;
}

runtime::Result<runtime::Graph> ResidentGraph::ranked(runtime::Halves halves) {
  if (base_ != nullptr) return base_->ranked(halves);
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = ranked_.find(halves);
  if (found == ranked_.end()) {
    runtime::Graph ordered = MATCHA_TRY(runtime::ordered_by_degree(graph_, halves));
    found = ranked_.emplace(halves, std::move(ordered)).first;
  }
  return view_of(found->second);
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::of_label(std::int64_t label) {
  if (base_ != nullptr) return base_->of_label(label);
  const std::lock_guard lock(mutex_);
  std::weak_ptr<ResidentGraph>& known = of_labels_[label];
  if (const Shared kept = known.lock()) return kept;
  runtime::Graph graph =
      MATCHA_TRY(graph_of_label(std::shared_ptr<const runtime::Graph>(shared_from_this(), &*informed_), label));
  Shared made = from_graph(std::move(graph));
  known = made;
  return made;
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::looped() {
  if (base_ != nullptr) return base_->looped();
  const std::lock_guard lock(mutex_);
  if (const Shared kept = with_loops_.lock()) return kept;
  runtime::Graph graph = MATCHA_TRY(
      looped_ ? view_of(*looped_)
              : runtime::looped_of_informed(std::shared_ptr<const runtime::Graph>(shared_from_this(), &*informed_)));
  Shared made = from_graph(std::move(graph));
  with_loops_ = made;
  return made;
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::blank() {
  if (base_ != nullptr) return base_->blank();
  const std::lock_guard lock(mutex_);
  if (const Shared kept = blank_.lock()) return kept;
  runtime::Graph graph = MATCHA_TRY(
      runtime::blank_graph(std::shared_ptr<const runtime::Graph>(shared_from_this(), looped_ ? &*looped_ : &graph_)));
  runtime::Result<Shared> made = from_informed(std::move(graph));
  if (made) blank_ = *made;
  return made;
}

std::shared_ptr<runtime::match::MatchIndex> ResidentGraph::match_index(bool informed) {
  if (base_ != nullptr) return base_->match_index(informed);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<runtime::match::MatchIndex>& kept = match_indexes_[informed ? 1 : 0];
  if (kept == nullptr) kept = std::make_shared<runtime::match::MatchIndex>(informed ? *informed_ : graph_);
  return kept;
}

}  // namespace matcha::session
