#include "incremental/rebuild.h"

#include <tbb/blocked_range.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <span>
#include <utility>

#include "runtime/parallel.h"

namespace matcha::session::stream {

namespace {

using runtime::Buffer;
using runtime::GraphView;

constexpr std::uint32_t kGone = 0xFFFFFFFF;

runtime::Error misfit(std::string what) {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Runtime;
  error.message = "the batch does not fit the graph: " + std::move(what);
  return error;
}

/// A change of one direction of an edge. Deletions use ranks before the batch, insertions those after it.
struct ArcChange {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::int64_t label = 0;
  auto operator<=>(const ArcChange&) const = default;
};

std::span<const ArcChange> changes_of(const std::vector<ArcChange>& changes, std::uint64_t source) {
  const auto less = [](const ArcChange& a, std::uint64_t rank) { return a.source < rank; };
  const auto begin = std::lower_bound(changes.begin(), changes.end(), source, less);
  auto end = begin;
  while (end != changes.end() && end->source == source) ++end;
  return {begin, end};
}

/// Builds the arrays of the graph after a batch.
class Rebuild {
 public:
  Rebuild(const ResidentGraph& graph, const NetBatch& batch)
      : batch_(batch),
        old_(graph.maybe_informed() != nullptr ? *graph.maybe_informed() : graph.graph()),
        view_(old_.view()),
        info_(static_cast<const std::int64_t*>(view_.edge_info)) {}

  runtime::Result<ResidentGraph::Shared> run() {
    if (const runtime::Status ranked = rank_vertices(); !ranked) return ranked.error();
    if (!take_changes()) return misfit("an edge has an end that is no vertex");
    if (!measure_rows()) return misfit("more edges of a vertex are deleted than it has");
    find_changed_rows();
    runtime::for_blocks(
        tbb::blocked_range<std::uint64_t>(0, size(), 1024),
        [this](const tbb::blocked_range<std::uint64_t>& block) { fill_rows(block.begin(), block.end()); });
    if (misfits_) return misfit("a deleted edge did not exist, or an inserted one did");
    fill_labels();
    return make();
  }

 private:
  std::uint64_t size() const { return universe_->size(); }

  /// The universe after the batch, and the new rank of each old one.
  runtime::Status rank_vertices() {
    const runtime::Universe& before = old_.universe();
    const auto moves = [](const VertexChange& change) { return change.was != change.is; };
    if (std::ranges::none_of(batch_.vertices, moves)) {
      universe_ = old_.shared_universe();
      return runtime::Done{};
    }
    moved_ = true;
    std::vector<std::int64_t> ids;
    ids.reserve(before.size() + batch_.vertices.size());
    ranks_ = Buffer<std::uint32_t>(before.size());
    auto change = batch_.vertices.begin();
    const auto add_until = [&](std::int64_t id) {
      for (; change != batch_.vertices.end() && change->id < id; ++change) {
        if (change->was) return false;
        if (change->is) ids.push_back(change->id);
      }
      return true;
    };
    for (std::uint64_t rank = 0; rank < before.size(); ++rank) {
      const std::int64_t id = before.id(rank);
      if (!add_until(id)) return misfit("a deleted vertex did not exist");
      const bool changes = change != batch_.vertices.end() && change->id == id;
      if (changes && !change->was) return misfit("an inserted vertex existed");
      const bool stays = !changes || change->is;
      ranks_[rank] = stays ? static_cast<std::uint32_t>(ids.size()) : kGone;
      if (stays) ids.push_back(id);
      if (changes) ++change;
    }
    for (; change != batch_.vertices.end(); ++change) {
      if (change->was) return misfit("a deleted vertex did not exist");
      if (change->is) ids.push_back(change->id);
    }
    return take_ids(ids);
  }

  runtime::Status take_ids(const std::vector<std::int64_t>& ids) {
    if (ids.size() > runtime::kMaxVertices) {
      runtime::Error error = runtime::out_of_memory();
      error.message = "the graph would have more than 4294967294 vertices";
      return error;
    }
    const bool is_identity =
        ids.empty() || (ids.front() == 0 && ids.back() == static_cast<std::int64_t>(ids.size()) - 1);
    if (is_identity) {
      universe_ = std::make_shared<const runtime::Universe>(runtime::Universe::identity(ids.size()));
    } else {
      Buffer<std::int64_t> sorted(ids.size());
      std::ranges::copy(ids, sorted.data());
      universe_ = std::make_shared<const runtime::Universe>(runtime::Universe::from_sorted(std::move(sorted)));
    }
    return runtime::Done{};
  }

  bool take_changes() {
    return take(batch_.deleted, old_.universe(), deleted_) && take(batch_.inserted, *universe_, inserted_);
  }

  bool take(const std::vector<EdgeChange>& edges, const runtime::Universe& universe, std::vector<ArcChange>& arcs) {
    const bool both = !old_.facts().directed;
    arcs.reserve(edges.size() * (both ? 2 : 1));
    for (const EdgeChange& edge : edges) {
      const std::optional<std::uint32_t> u = universe.rank(edge.u), v = universe.rank(edge.v);
      if (!u || !v || *u == *v) return false;
      arcs.push_back({*u, *v, edge.label});
      if (both) arcs.push_back({*v, *u, edge.label});
    }
    std::ranges::sort(arcs);
    return true;
  }

  bool measure_rows() {
    offsets_ = Buffer<std::uint64_t>(size() + 1);
    std::fill(offsets_.begin(), offsets_.end(), 0);
    for (std::uint64_t rank = 0; rank < view_.universe; ++rank) {
      const std::uint32_t now = rank_now(rank);
      if (now != kGone) offsets_[now] = view_.offsets[rank + 1] - view_.offsets[rank];
    }
    for (const ArcChange& arc : deleted_) {
      const std::uint32_t now = rank_now(arc.source);
      if (now == kGone) continue;
      if (offsets_[now] == 0) return false;
      --offsets_[now];
    }
    for (const ArcChange& arc : inserted_) ++offsets_[arc.source];
    std::uint64_t sum = 0;
    for (std::uint64_t rank = 0; rank <= size(); ++rank) sum += std::exchange(offsets_[rank], sum);
    neighbors_ = Buffer<std::uint32_t>(offsets_[size()]);
    if (info_ != nullptr) edge_info_ = Buffer<std::uint64_t>(offsets_[size()]);
    if (!moved_) return true;
    before_ = Buffer<std::uint32_t>(size());
    std::fill(before_.begin(), before_.end(), kGone);
    for (std::uint64_t rank = 0; rank < view_.universe; ++rank) {
      if (ranks_[rank] != kGone) before_[ranks_[rank]] = static_cast<std::uint32_t>(rank);
    }
    return true;
  }

  std::uint32_t rank_now(std::uint64_t rank) const { return moved_ ? ranks_[rank] : static_cast<std::uint32_t>(rank); }

  void put(std::uint64_t at, std::uint32_t target, std::int64_t label) {
    neighbors_[at] = target;
    if (info_ != nullptr) edge_info_[at] = static_cast<std::uint64_t>(label);
  }

  /// If ranks are unchanged, unchanged rows are copied as blocks.
  void find_changed_rows() {
    if (moved_) return;
    for (const std::vector<ArcChange>* arcs : {&deleted_, &inserted_}) {
      for (const ArcChange& arc : *arcs) changed_.push_back(arc.source);
    }
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  }

  void fill_rows(std::uint64_t begin, std::uint64_t end) {
    if (moved_) {
      for (; begin != end; ++begin) fill_row(begin);
      return;
    }
    for (auto next = std::ranges::lower_bound(changed_, begin); next != changed_.end() && *next < end; ++next) {
      copy_rows(begin, *next);
      fill_row(*next);
      begin = std::uint64_t{*next} + 1;
    }
    copy_rows(begin, end);
  }

  void copy_rows(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = view_.offsets[begin], count = view_.offsets[end] - from, to = offsets_[begin];
    std::copy_n(view_.neighbors + from, count, neighbors_.data() + to);
    if (info_ != nullptr) std::copy_n(info_ + from, count, reinterpret_cast<std::int64_t*>(edge_info_.data()) + to);
  }

  /// Merges the remaining items of a row with the inserted ones.
  void fill_row(std::uint64_t rank) {
    std::uint64_t out = offsets_[rank];
    const std::uint64_t end = offsets_[rank + 1];
    const std::uint32_t before = moved_ ? before_[rank] : static_cast<std::uint32_t>(rank);
    std::span<const ArcChange> come = changes_of(inserted_, rank), go;
    const auto is_before = [&](const ArcChange& arc, std::uint32_t target, std::int64_t label) {
      return arc.target < target || (arc.target == target && info_ != nullptr && arc.label < label);
    };
    if (before != kGone) {
      go = changes_of(deleted_, before);
      for (std::uint64_t at = view_.offsets[before]; at != view_.offsets[before + 1]; ++at) {
        const std::uint32_t target = view_.neighbors[at];
        const std::int64_t label = info_ != nullptr ? info_[at] : runtime::kNoLabel;
        if (!go.empty() && go.front().target == target && (info_ == nullptr || go.front().label == label)) {
          go = go.subspan(1);
          continue;
        }
        const std::uint32_t now = rank_now(target);
        for (; !come.empty() && is_before(come.front(), now, label); come = come.subspan(1)) {
          if (out < end) put(out++, come.front().target, come.front().label);
        }
        const bool repeats =
            !come.empty() && come.front().target == now && (info_ == nullptr || come.front().label == label);
        if (now == kGone || repeats || out >= end) {
          misfits_ = true;
          return;
        }
        put(out++, now, label);
      }
    }
    for (; !come.empty() && out < end; come = come.subspan(1)) put(out++, come.front().target, come.front().label);
    if (!go.empty() || !come.empty() || out != end) misfits_ = true;
  }

  void fill_labels() {
    labels_ = Buffer<std::int64_t>(size());
    for (std::uint64_t rank = 0; rank < size(); ++rank) {
      const std::uint32_t before = moved_ ? before_[rank] : static_cast<std::uint32_t>(rank);
      labels_[rank] = before == kGone || view_.labels == nullptr ? runtime::kNoLabel : view_.labels[before];
    }
    for (const VertexChange& change : batch_.vertices) {
      if (!change.is) continue;
      if (const std::optional<std::uint32_t> rank = universe_->rank(change.id)) labels_[*rank] = change.new_label;
    }
  }

  runtime::Result<ResidentGraph::Shared> make() {
    runtime::GraphFacts facts = old_.facts();
    if (info_ != nullptr) {
      facts.simple = true;
      for (std::uint64_t rank = 0; rank < size() && facts.simple; ++rank) {
        const std::uint32_t* const begin = neighbors_.data() + offsets_[rank];
        const std::uint32_t* const end = neighbors_.data() + offsets_[rank + 1];
        facts.simple = std::adjacent_find(begin, end) == end;
      }
    }
    runtime::GraphArrays arrays;
    arrays.offsets = std::move(offsets_);
    arrays.neighbors = std::move(neighbors_);
    arrays.edge_info = std::move(edge_info_);
    arrays.labels = std::move(labels_);
    runtime::Graph graph = runtime::Graph::from_arrays(universe_, std::move(arrays), facts);
    graph.set_dictionary(std::make_shared<const runtime::LabelDictionary>(old_.dictionary()));
    if (info_ != nullptr) return ResidentGraph::from_informed(std::move(graph));
    MATCHA_TRY(runtime::ensure_split_offsets(graph));
    return ResidentGraph::from_graph(std::move(graph));
  }

  const NetBatch& batch_;
  const runtime::Graph& old_;
  const GraphView view_;
  const std::int64_t* const info_;
  std::shared_ptr<const runtime::Universe> universe_;
  bool moved_ = false;            ///< Ranks have changed.
  Buffer<std::uint32_t> ranks_;   ///< The new rank of each old one.
  Buffer<std::uint32_t> before_;  ///< The inverse.
  std::vector<ArcChange> deleted_, inserted_;
  std::vector<std::uint32_t> changed_;  ///< Ranks with changed rows.
  Buffer<std::uint64_t> offsets_;
  Buffer<std::uint32_t> neighbors_;
  Buffer<std::uint64_t> edge_info_;
  Buffer<std::int64_t> labels_;
  std::atomic<bool> misfits_ = false;
};

/// Sorts the labels of parallel edges again.
void sort_parallels(const GraphView& view, Buffer<std::uint64_t>& info) {
  const auto less = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  };
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    for (std::uint64_t first = view.offsets[rank], last = first; first != view.offsets[rank + 1]; first = last) {
      while (last != view.offsets[rank + 1] && view.neighbors[last] == view.neighbors[first]) ++last;
      if (last - first > 1) std::sort(info.data() + first, info.data() + last, less);
    }
  }
}

}  // namespace

runtime::Result<ResidentGraph::Shared> rebuilt(const ResidentGraph& graph, const NetBatch& batch) {
  try {
    return Rebuild(graph, batch).run();
  } catch (const std::bad_alloc&) {
    return runtime::out_of_memory();
  }
}

std::optional<std::int64_t> recode(std::int64_t label, const runtime::LabelDictionary& from,
                                   const runtime::LabelDictionary& to) {
  if (label == runtime::kNoLabel || label >= 0) return label;
  const std::uint64_t word = static_cast<std::uint64_t>(-1 - label);
  if (word < from.words().size()) return to.code(from.words()[word]);
  // Without words, negative labels are numbers.
  return word < to.words().size() ? std::nullopt : std::optional(label);
}

runtime::Result<ResidentGraph::Shared> recoded(const ResidentGraph& graph,
                                               std::shared_ptr<const runtime::LabelDictionary> dictionary) {
  try {
    const bool informed = graph.maybe_informed() != nullptr;
    const runtime::Graph& old = informed ? *graph.maybe_informed() : graph.graph();
    const GraphView view = old.view();
    bool unknown = false;
    const auto code = [&](std::int64_t label) {
      const std::optional<std::int64_t> other = recode(label, old.dictionary(), *dictionary);
      unknown = unknown || !other;
      return other.value_or(runtime::kNoLabel);
    };
    const std::int64_t none = dictionary->code("").value_or(runtime::kNoLabel);
    runtime::GraphArrays arrays;
    arrays.offsets = Buffer<std::uint64_t>(view.universe + 1);
    std::copy_n(view.offsets, view.universe + 1, arrays.offsets.data());
    arrays.neighbors = Buffer<std::uint32_t>(view.arc_count);
    std::copy_n(view.neighbors, view.arc_count, arrays.neighbors.data());
    arrays.labels = Buffer<std::int64_t>(view.universe);
    for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
      const std::int64_t label = view.labels == nullptr ? runtime::kNoLabel : code(view.labels[rank]);
      arrays.labels[rank] = label == runtime::kNoLabel ? none : label;
    }
    runtime::GraphFacts facts = old.facts();
    if (informed) {
      arrays.edge_info = Buffer<std::uint64_t>(view.arc_count);
      const auto* const info = static_cast<const std::int64_t*>(view.edge_info);
      for (std::uint64_t at = 0; at < view.arc_count; ++at) {
        arrays.edge_info[at] = static_cast<std::uint64_t>(code(info[at]));
      }
      sort_parallels(view, arrays.edge_info);
      facts.word_info = !dictionary->empty();
    }
    if (unknown) return misfit("a label word got lost");
    runtime::Graph made = runtime::Graph::from_arrays(old.shared_universe(), std::move(arrays), facts);
    made.set_dictionary(std::move(dictionary));
    if (informed) return ResidentGraph::from_informed(std::move(made));
    MATCHA_TRY(runtime::ensure_split_offsets(made));
    return ResidentGraph::from_graph(std::move(made));
  } catch (const std::bad_alloc&) {
    return runtime::out_of_memory();
  }
}

std::optional<std::int64_t> PresentGraph::label_of(std::int64_t id) const {
  const runtime::Graph& graph = graph_->graph();
  const std::optional<std::uint32_t> rank = graph.universe().rank(id);
  if (!rank) return std::nullopt;
  const std::int64_t* const labels = graph.view().labels;
  return labels == nullptr ? runtime::kNoLabel : labels[*rank];
}

runtime::ArcRange PresentGraph::range_between(std::int64_t u, std::int64_t v) const {
  const runtime::Graph& graph = arcs();
  const std::optional<std::uint32_t> from = graph.universe().rank(u), to = graph.universe().rank(v);
  if (!from || !to) return {};
  const runtime::ArcRange row = runtime::arcs_of(graph.view(), *from);
  const std::uint32_t* const targets = graph.view().neighbors;
  const auto found = std::equal_range(targets + row.begin, targets + row.end, *to);
  return {static_cast<std::uint64_t>(found.first - targets), static_cast<std::uint64_t>(found.second - targets)};
}

void PresentGraph::labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const {
  const runtime::ArcRange range = range_between(u, v);
  const auto* const info = static_cast<const std::int64_t*>(arcs().view().edge_info);
  for (std::uint64_t at = range.begin; at != range.end; ++at) {
    labels.push_back(info != nullptr ? info[at] : runtime::kNoLabel);
  }
}

bool PresentGraph::has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const {
  const runtime::ArcRange range = range_between(u, v);
  const auto* const info = static_cast<const std::int64_t*>(arcs().view().edge_info);
  if (info == nullptr) return range.begin != range.end;
  return std::binary_search(info + range.begin, info + range.end, label);
}

void PresentGraph::find_sources() const {
  const GraphView view = arcs().view();
  arcs_to_.assign(view.universe + 1, 0);
  for (std::uint64_t at = 0; at < view.arc_count; ++at) ++arcs_to_[view.neighbors[at]];
  std::uint64_t sum = 0;
  for (std::uint64_t& count : arcs_to_) sum += std::exchange(count, sum);
  sources_.resize(view.arc_count);
  std::vector<std::uint64_t> next(arcs_to_);
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    for (std::uint64_t at = view.offsets[rank]; at != view.offsets[rank + 1]; ++at) {
      sources_[next[view.neighbors[at]]++] = static_cast<std::uint32_t>(rank);
    }
  }
}

std::uint64_t PresentGraph::degree_of(std::int64_t id) const {
  const runtime::Graph& graph = arcs();
  const std::optional<std::uint32_t> rank = graph.universe().rank(id);
  if (!rank) return 0;
  const runtime::ArcRange row = runtime::arcs_of(graph.view(), *rank);
  if (!graph.facts().directed) return row.end - row.begin;
  if (arcs_to_.empty()) find_sources();
  return row.end - row.begin + arcs_to_[*rank + 1] - arcs_to_[*rank];
}

void PresentGraph::each_edge_at(std::int64_t id, const TakeEdge& take) const {
  const runtime::Graph& graph = arcs();
  const std::optional<std::uint32_t> rank = graph.universe().rank(id);
  if (!rank) return;
  const GraphView view = graph.view();
  const auto* const info = static_cast<const std::int64_t*>(view.edge_info);
  for (std::uint64_t at = view.offsets[*rank]; at != view.offsets[*rank + 1]; ++at) {
    take(id, graph.universe().id(view.neighbors[at]), info != nullptr ? info[at] : runtime::kNoLabel);
  }
  if (!graph.facts().directed) return;
  if (arcs_to_.empty()) find_sources();
  std::vector<std::int64_t> labels;
  for (std::uint64_t at = arcs_to_[*rank]; at != arcs_to_[*rank + 1]; ++at) {
    // Parallel arcs repeat their source.
    if (at != arcs_to_[*rank] && sources_[at] == sources_[at - 1]) continue;
    const std::int64_t source = graph.universe().id(sources_[at]);
    labels.clear();
    labels_between(source, id, labels);
    for (const std::int64_t label : labels) take(source, id, label);
  }
}

}  // namespace matcha::session::stream
