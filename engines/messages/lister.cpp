#include "engines/messages/lister.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

#include "engines/messages/forest.h"
#include "engines/messages/gatherer.h"
#include "runtime/graph/detail/source.h"

namespace matcha::runtime::messages {

namespace {

constexpr std::uint64_t kRowsOfBlock = 4096;

/// Collects the maps of all threads.
class Outlet {
 public:
  explicit Outlet(const ListRequest& request)
      : request_(request), left_(request.most.value_or(std::numeric_limits<std::uint64_t>::max())) {}

  /// Maps that a thread buffers before it passes them on.
  std::uint64_t rows_of_block() const { return std::min(kRowsOfBlock, std::max<std::uint64_t>(left_at_begin(), 1)); }
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

  /// Takes maps. False: no more are wanted, or the run should end.
  bool take(MapBlock maps) {
    const std::lock_guard lock(mutex_);
    if (is_over()) return false;
    const std::uint64_t taken = std::min(maps.count, left_);
    maps.count = taken;
    const bool wanted = taken == 0 || !request_.take || request_.take(maps);
    left_ -= taken;
    found_ += taken;
    is_cut_ = !wanted || left_ == 0;
    const match::Stops& stops = request_.run.stops;
    if (stops.is_stopped()) end_ = motif::End::Stopped;
    if (stops.is_late()) end_ = motif::End::Deadline;
    is_over_ = is_cut_ || end_ != motif::End::Complete;
    return !is_over();
  }

  std::uint64_t found() const { return found_; }
  bool is_cut() const { return is_cut_; }
  motif::End end() const { return end_; }

 private:
  std::uint64_t left_at_begin() const { return request_.most.value_or(kRowsOfBlock); }

  const ListRequest& request_;
  std::mutex mutex_;
  std::uint64_t left_;
  std::uint64_t found_ = 0;
  bool is_cut_ = false;
  motif::End end_ = motif::End::Complete;
  std::atomic<bool> is_over_{false};
};

/// A vertex of the pattern in the order in which images are chosen, parents first.
struct Step {
  const Node* node = nullptr;
  int parent = -1;  ///< -1: the root of a tree that is tied to the cut.
  bool is_gathered = false;
};

/// The vertices below the top. Those of tied trees have images from a gatherer.
std::vector<Step> steps_of(const Forest& forest) {
  std::vector<Step> steps;
  const auto add = [&](const auto& self, int vertex, int parent, bool is_gathered) -> void {
    const Node& node = forest.node(vertex);
    steps.push_back({&node, parent, is_gathered});
    for (const int root : node.blocks) self(self, root, -1, true);
    for (const int child : node.strands) self(self, child, vertex, true);
    for (const int child : node.pendants) self(self, child, vertex, false);
  };
  std::vector<const Node*> tops = {&forest.top()};
  if (forest.maybe_second() != nullptr) tops.push_back(forest.maybe_second());
  for (const int root : forest.shared_strands()) add(add, root, -1, true);
  for (const Node* const top : tops) {
    for (const int root : top->blocks) add(add, root, -1, true);
    for (const int child : top->pendants) add(add, child, top->vertex, false);
  }
  return steps;
}

/// The edges of a map: for arcs that may have several labels, each edge that fits.
class EdgeChoice {
 public:
  /// `has_several`: the arcs with several labels. Requires: the query outlives it.
  EdgeChoice(const GraphView& view, const MapQuery& query, const std::vector<bool>& has_several)
      : view_(view), query_(&query) {
    for (std::size_t arc = 0; arc < query.arcs.size(); ++arc) {
      if (has_several[arc]) arcs_.push_back(arc);
    }
  }

  bool is_needed() const { return !arcs_.empty(); }
  /// Calls `give` for each way to choose edges between these images, with the labels in `labels`, one per arc. Returns
  /// false if `give` did.
  template <typename Give>
  bool choose(const std::vector<std::uint32_t>& images, std::vector<std::int64_t>& labels, const Give& give,
              std::size_t at = 0) const {
    if (at == arcs_.size()) return give();
    const MapQuery::Arc& arc = query_->arcs[arcs_[at]];
    const std::uint32_t from = images[static_cast<std::size_t>(arc.from)];
    const std::uint32_t* const begin = view_.neighbors + view_.offsets[from];
    const std::uint32_t* const end = view_.neighbors + view_.offsets[from + 1];
    const auto [first, last] = std::equal_range(begin, end, images[static_cast<std::size_t>(arc.to)]);
    return std::all_of(first, last, [&](const std::uint32_t& edge) {
      const auto label = static_cast<const std::int64_t*>(view_.edge_info)[&edge - view_.neighbors];
      if (!arc.labels.empty() && std::ranges::find(arc.labels, label) == arc.labels.end()) return true;
      labels[arcs_[at]] = label;
      return choose(images, labels, give, at + 1);
    });
  }

 private:
  const GraphView view_;
  const MapQuery* query_;
  std::vector<std::size_t> arcs_;
};

/// Lists the maps of one image of the top after the other; used by one thread.
class Lister {
 public:
  Lister(const Forest& forest, const std::vector<Step>& steps, const EdgeChoice& edges,
         const std::vector<bool>& has_several, Outlet& outlet)
      : forest_(&forest),
        steps_(&steps),
        edges_(&edges),
        outlet_(&outlet),
        gatherer_(forest),
        images_(static_cast<std::size_t>(forest.size())),
        labels_(has_several.size()),
        rows_of_block_(outlet.rows_of_block()),
        block_(images_.size() * rows_of_block_),
        label_block_(edges.is_needed() ? labels_.size() * rows_of_block_ : 0),
        columns_(images_.size()),
        label_columns_(labels_.size()) {
    for (std::size_t v = 0; v < columns_.size(); ++v) columns_[v] = block_.data() + v * rows_of_block_;
    for (std::size_t arc = 0; arc < labels_.size(); ++arc) {
      if (has_several[arc]) label_columns_[arc] = label_block_.data() + arc * rows_of_block_;
    }
  }

  void visit(std::uint32_t image) {
    if (outlet_->is_over()) return;
    const Node& top = forest_->top();
    if (!forest_->may_be(top, image)) return;
    cuts_[0] = image;
    if (!leads_on(top)) return;
    const Node* const maybe_second = forest_->maybe_second();
    if (maybe_second == nullptr) {
      begin();
      return;
    }
    forest_->walk_seconds_while(image, [&](std::uint32_t other) {
      if (!forest_->may_be(*maybe_second, other)) return true;
      cuts_[1] = other;
      image_of(*maybe_second) = other;
      return !leads_on(*maybe_second) || !gather(forest_->shared_strands(), cuts_) || begin();
    });
  }
  /// Passes on the buffered maps.
  void flush() {
    if (rows_ != 0) outlet_->take({columns_.data(), label_columns_.data(), rows_});
    rows_ = 0;
  }

 private:
  std::uint32_t& image_of(const Node& node) { return images_[static_cast<std::size_t>(node.vertex)]; }

  /// Computes the images of trees with ties. False: one has none.
  bool gather(const std::vector<int>& roots, const CutImages& cuts) {
    return std::ranges::all_of(roots, [&](int root) {
      gatherer_.gather(forest_->node(root), cuts);
      return !gatherer_.of(root).ranks.empty();
    });
  }
  void sort_below(int root) {
    sort(gatherer_.of(root));
    for (const int child : forest_->node(root).strands) sort_below(child);
  }

  /// True if there are maps of the trees that are attached to the top or a cut, or tied to it only.
  bool leads_on(const Node& node) {
    const std::uint32_t image = cuts_[&node == forest_->maybe_second() ? 1 : 0];
    const auto has_maps = [&](int child) { return gatherer_.sum(forest_->node(child), image) != 0; };
    return std::ranges::all_of(node.pendants, has_maps) && gather(node.blocks, cuts_);
  }

  /// Lists the maps with these images of the cuts, for which all trees have images. False: no more are wanted.
  bool begin() {
    for (const int root : forest_->top().blocks) sort_below(root);
    if (forest_->maybe_second() != nullptr) {
      for (const int root : forest_->maybe_second()->blocks) sort_below(root);
    }
    for (const int root : forest_->shared_strands()) sort_below(root);
    image_of(forest_->top()) = cuts_[0];
    return choose(0);
  }

  static void sort(Images& images) {
    if (!images.ascend) std::sort(images.ranks.begin(), images.ranks.end());
    images.ascend = true;
  }

  /// Chooses images for all steps from this one on, in all ways. Returns false if no more maps are wanted.
  bool choose(std::size_t at) {
    if (at == steps_->size()) {
      return edges_->is_needed() ? edges_->choose(images_, labels_, [&] { return give(); }) : give();
    }
    const Step& step = (*steps_)[at];
    const Node& node = *step.node;
    const auto go_on = [&](std::uint32_t image) {
      image_of(node) = image;
      if (!node.blocks.empty()) {
        gather(node.blocks, {image, 0});
        for (const int root : node.blocks) sort_below(root);
      }
      return choose(at + 1);
    };
    if (step.parent < 0) return std::ranges::all_of(gatherer_.of(node.vertex).ranks, go_on);
    const std::uint32_t above = images_[static_cast<std::size_t>(step.parent)];
    if (!step.is_gathered) {
      return walk_distinct_while(
          node.down, above, [&](std::uint32_t image) { return gatherer_.weight(node, image) == 0 || go_on(image); });
    }
    const Ranks all = gatherer_.of(node.vertex).ranks;
    if (all.size() < node.down.row(above).size()) {
      return std::ranges::all_of(
          all, [&](std::uint32_t image) { return ways(node.down, 0, above, image) == 0 || go_on(image); });
    }
    return walk_distinct_while(node.down, above,
                               [&](std::uint32_t image) { return !contains(all, image) || go_on(image); });
  }

  bool give() {
    for (std::size_t v = 0; v < images_.size(); ++v) block_[v * rows_of_block_ + rows_] = images_[v];
    for (std::size_t arc = 0; edges_->is_needed() && arc < labels_.size(); ++arc)
      label_block_[arc * rows_of_block_ + rows_] = labels_[arc];
    if (++rows_ < rows_of_block_) return true;
    rows_ = 0;
    return outlet_->take({columns_.data(), label_columns_.data(), rows_of_block_});
  }

  const Forest* forest_;
  const std::vector<Step>* steps_;
  const EdgeChoice* edges_;
  Outlet* outlet_;
  Gatherer gatherer_;
  CutImages cuts_ = {};
  std::vector<std::uint32_t> images_;
  std::vector<std::int64_t> labels_;  ///< By arc.
  std::uint64_t rows_of_block_;
  std::vector<std::uint32_t> block_;       ///< One column for each vertex,
  std::vector<std::int64_t> label_block_;  ///< and for each arc, if any arc has several labels.
  std::vector<const std::uint32_t*> columns_;
  std::vector<const std::int64_t*> label_columns_;
  std::uint64_t rows_ = 0;
};

/// Lists the maps of a query without a shared label, one of several alternatives; `has_several` applies to all.
void list_maps_of(const Graph& graph, const LabelTable& table, const MapQuery& query,
                  const std::vector<bool>& has_several, const MapPlan& plan, const ListRequest& request,
                  ListOutcome& outcome) {
  MapOutcome& found = outcome.found;
  auto begin = std::chrono::steady_clock::now();
  const Forest forest(graph, table, query, plan, Sums::Some);
  const std::vector<Step> steps = steps_of(forest);
  const EdgeChoice edges(graph.view(), query, has_several);
  found.index_ms += match::ms_since(begin);
  begin = std::chrono::steady_clock::now();
  const Ranks all = forest.candidates();
  const std::uint64_t first = all.size() * request.run.part / request.run.parts;
  const std::uint64_t last = all.size() * (request.run.part + 1) / request.run.parts;
  Outlet outlet(request);
  tbb::enumerable_thread_specific<Lister> listers([&] { return Lister(forest, steps, edges, has_several, outlet); });
  motif::VertexLoop loop(last - first, request.run.threads, request.run.stops);
  loop(listers, [&](Lister& lister, std::uint64_t at) { lister.visit(all[first + at]); });
  for (Lister& lister : listers) lister.flush();
  found.end = outlet.end() != motif::End::Complete ? outlet.end() : loop.end();
  found.positions += last - first;
  found.maps += static_cast<__int128>(outlet.found());
  outcome.is_cut = outlet.is_cut();
  found.count_ms += match::ms_since(begin);
}

}  // namespace

Result<ListOutcome> list_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const ListRequest& request) {
  try {
    ListOutcome outcome;
    if (query.is_impossible) return outcome;
    outcome.is_cut = request.most && *request.most == 0;
    if (outcome.is_cut) return outcome;
    const LabelTable table = MATCHA_TRY(graph.label_slices().table(graph));
    std::vector<bool> has_several;
    for (const MapQuery::Arc& arc : query.arcs) has_several.push_back(arc.labels.size() != 1);
    std::vector<std::int64_t> labels;
    for (const LabelEntry& entry : table.labels) labels.push_back(entry.label);
    ListRequest left = request;
    bind_shared(query, labels, [&](const MapQuery& bound) {
      if (request.most) left.most = *request.most - static_cast<std::uint64_t>(outcome.found.maps);
      list_maps_of(graph, table, bound, has_several, plan, left, outcome);
      return !outcome.is_cut && outcome.found.end == motif::End::Complete;
    });
    return outcome;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime::messages
