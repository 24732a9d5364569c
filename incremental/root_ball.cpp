#include "incremental/root_ball.h"

#include <algorithm>
#include <utility>

#include "runtime/cpu/set_kernels.h"

namespace matcha::session::stream {

namespace {

using runtime::Buffer;

/// The set kernels write up to this many items past their result.
constexpr std::size_t kSlackItems = 16;

template <typename T>
Buffer<T> copy_of(const std::vector<T>& items) {
  Buffer<T> copy(items.size());
  std::ranges::copy(items, copy.data());
  return copy;
}

}  // namespace

void RootBalls::Front::begin(std::uint64_t places) {
  if (marks_.size() < places) marks_.resize(places, 0);
  places_.clear();
  ends_.clear();
  if (++round_ != 0) return;
  std::ranges::fill(marks_, 0);
  round_ = 1;
}

bool RootBalls::Front::spread(const Graph& graph, int steps, bool backwards, std::uint64_t& arcs_left) {
  ends_.assign(1, places_.size());
  for (std::size_t begin = 0; steps > 0; --steps) {
    const std::size_t end = places_.size();
    for (; begin < end; ++begin) {
      const std::span<const std::uint32_t> row = backwards ? graph.before(places_[begin]) : graph.after(places_[begin]);
      if (row.size() > arcs_left) return false;
      arcs_left -= row.size();
      for (const std::uint32_t place : row) add(place);
    }
    ends_.push_back(places_.size());
  }
  return true;
}

std::uint64_t RootBalls::places_of(const Graph& graph) { return graph.rows(false).size() / graph.layers(); }

std::uint32_t RootBalls::place_of(const DynamicPresent& present, std::int64_t id) {
  const std::optional<std::uint32_t> number = present.number(id);
  return number ? present.graph().place(*number) : Graph::kNone;
}

bool RootBalls::add_near(const DynamicPresent& present, int steps, const std::vector<std::int64_t>& ids,
                         std::uint64_t& arcs_left) {
  if (steps < 0) return true;
  near_.begin(places_of(present.graph()));
  for (const std::int64_t id : ids) {
    if (const std::uint32_t place = place_of(present, id); place != Graph::kNone) near_.add(place);
  }
  if (!near_.spread(present.graph(), steps, true, arcs_left)) return false;
  for (const std::uint32_t place : near_.places()) touched_.add(place);
  return true;
}

/// Adds the vertices near both ends of an edge.
bool RootBalls::add_between(const DynamicPresent& present, int steps, const std::vector<EdgeChange>& edges,
                            std::uint64_t& arcs_left) {
  const Graph& graph = present.graph();
  for (const EdgeChange& edge : edges) {
    std::uint32_t u = place_of(present, edge.u), v = place_of(present, edge.v);
    if (u == Graph::kNone || v == Graph::kNone) continue;
    if (steps == 1) {
      if (graph.before(u).size() > graph.before(v).size()) std::swap(u, v);
      const std::span<const std::uint32_t> few = graph.before(u), many = graph.before(v);
      if (few.size() > arcs_left) return false;
      arcs_left -= few.size();
      const auto is_near_v = [&](std::uint32_t place) { return place == v || std::ranges::binary_search(many, place); };
      if (is_near_v(u)) touched_.add(u);
      for (const std::uint32_t place : few) {
        if (is_near_v(place)) touched_.add(place);
      }
      continue;
    }
    near_.begin(places_of(graph));
    near_.add(u);
    other_.begin(places_of(graph));
    other_.add(v);
    if (!near_.spread(graph, steps, true, arcs_left) || !other_.spread(graph, steps, true, arcs_left)) return false;
    for (const std::uint32_t place : near_.places()) {
      if (other_.contains(place)) touched_.add(place);
    }
  }
  return true;
}

std::optional<std::vector<std::int64_t>> RootBalls::touched(const DynamicPresent& present, const ir::RootReads& reads,
                                                            const NetBatch& batch, std::uint64_t most_arcs) {
  touched_.begin(places_of(present.graph()));
  std::vector<std::int64_t> ends, relabelled, deleted;
  for (const std::vector<EdgeChange>* edges : {&batch.deleted, &batch.inserted}) {
    for (const EdgeChange& edge : *edges) {
      ends.push_back(edge.u);
      if (!present.directed()) ends.push_back(edge.v);
    }
  }
  for (const VertexChange& vertex : batch.vertices) {
    if (vertex.was && vertex.is) relabelled.push_back(vertex.id);
    if (vertex.was && !vertex.is) deleted.push_back(vertex.id);
  }
  std::uint64_t left = most_arcs;
  bool fits = add_near(present, std::max(reads.rows, reads.degrees), ends, left) &&
              add_near(present, reads.labels, relabelled, left) && add_near(present, 0, deleted, left);
  for (const std::vector<EdgeChange>* edges : {&batch.deleted, &batch.inserted}) {
    // For other vertices their degrees change, too.
    if (reads.among && reads.degrees <= reads.rows) fits = fits && add_between(present, reads.rows + 1, *edges, left);
  }
  if (!fits) return std::nullopt;
  std::vector<std::int64_t> ids;
  ids.reserve(touched_.places().size());
  for (const std::uint32_t place : touched_.places()) ids.push_back(present.id(present.graph().vertex(place)));
  std::ranges::sort(ids);
  return ids;
}

void RootBalls::rank(const DynamicPresent& present) {
  const Graph& graph = present.graph();
  const auto id = [&](std::uint32_t place) { return present.id(graph.vertex(place)); };
  order_ = near_.places();
  std::ranges::sort(order_);
  // Places ascend with ids, unless vertices were added or have classes.
  if (!std::ranges::is_sorted(order_, {}, id)) std::ranges::sort(order_, {}, id);
  if (ranks_.size() < places_of(graph)) ranks_.resize(places_of(graph));
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) ranks_[order_[rank]] = rank;
}

void RootBalls::take_row(std::span<const std::uint32_t> row, std::vector<std::uint32_t>& out) const {
  out.clear();
  for (const std::uint32_t place : row) out.push_back(ranks_[place]);
  if (!std::ranges::is_sorted(out)) std::ranges::sort(out);
}

bool RootBalls::lay_out_all(const Graph& graph, std::size_t whole, std::uint64_t& arcs_left) {
  const runtime::SetKernels& kernels = runtime::set_kernels(runtime::best_tier());
  std::vector<std::uint32_t> places = near_.places(), whole_places(places.begin(), places.begin() + whole);
  std::ranges::sort(places);
  std::ranges::sort(whole_places);
  std::vector<std::uint32_t> both(places.size() + kSlackItems), row;
  offsets_.assign(1, 0);
  neighbors_.clear();
  for (const std::uint32_t place : order_) {
    std::span<const std::uint32_t> targets = graph.after(place);
    if (!std::ranges::binary_search(whole_places, place)) {
      // Only a part of it is near.
      const std::uint64_t walked = std::min<std::uint64_t>(targets.size(), places.size());
      if (walked > arcs_left) return false;
      arcs_left -= walked;
      targets = {both.data(),
                 kernels.intersect(targets.data(), targets.size(), places.data(), places.size(), both.data())};
    }
    take_row(targets, row);
    neighbors_.insert(neighbors_.end(), row.begin(), row.end());
    offsets_.push_back(neighbors_.size());
  }
  return true;
}

void RootBalls::lay_out_first(const Graph& graph, std::size_t whole) {
  const std::vector<std::uint32_t>& places = near_.places();
  std::vector<std::uint64_t> next(places.size() + 1, 0);
  std::vector<bool> is_whole(places.size());
  for (std::size_t i = 0; i < whole; ++i) {
    const std::span<const std::uint32_t> targets = graph.after(places[i]);
    is_whole[ranks_[places[i]]] = true;
    next[ranks_[places[i]]] = targets.size();
  }
  for (std::size_t i = 0; i < whole && !graph.directed(); ++i) {
    for (const std::uint32_t target : graph.after(places[i])) {
      if (!is_whole[ranks_[target]]) ++next[ranks_[target]];
    }
  }
  std::uint64_t sum = 0;
  for (std::uint64_t& count : next) sum += std::exchange(count, sum);
  offsets_ = next;
  neighbors_.resize(sum);
  std::vector<std::uint32_t> row;
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
    if (!is_whole[rank]) continue;
    take_row(graph.after(order_[rank]), row);
    std::ranges::copy(row, neighbors_.begin() + static_cast<std::ptrdiff_t>(offsets_[rank]));
    for (std::size_t i = 0; i < row.size() && !graph.directed(); ++i) {
      if (!is_whole[row[i]]) neighbors_[next[row[i]]++] = rank;
    }
  }
}

std::optional<Ball> RootBalls::around(const DynamicPresent& present, const ir::RootReads& reads,
                                      const std::vector<std::int64_t>& roots,
                                      std::shared_ptr<const runtime::LabelDictionary> dictionary,
                                      std::uint64_t most_arcs) {
  const Graph& graph = present.graph();
  near_.begin(places_of(graph));
  for (const std::int64_t id : roots) near_.add(place_of(present, id));
  std::uint64_t left = most_arcs;
  const int steps = reads.rows + 1;
  if (!near_.spread(graph, steps, false, left)) return std::nullopt;
  rank(present);
  // The rows of all vertices but the farthest ones are complete.
  const std::size_t whole = steps == 0 ? 0 : near_.ends()[static_cast<std::size_t>(reads.rows)];
  if (!reads.among) {
    lay_out_first(graph, whole);
  } else if (!lay_out_all(graph, whole, left)) {
    return std::nullopt;
  }
  Ball ball;
  ball.arcs = neighbors_.size();
  runtime::GraphArrays arrays, degrees;
  arrays.labels = Buffer<std::int64_t>(order_.size());
  degrees.labels = Buffer<std::int64_t>(order_.size());
  degrees.offsets = Buffer<std::uint64_t>(order_.size() + 1);
  degrees.neighbors = Buffer<std::uint32_t>(0);
  std::ranges::fill(degrees.offsets, 0);
  Buffer<std::int64_t> ids(order_.size());
  for (std::size_t rank = 0; rank < order_.size(); ++rank) {
    ids[rank] = present.id(graph.vertex(order_[rank]));
    arrays.labels[rank] = present.label(graph.vertex(order_[rank]));
    degrees.labels[rank] = static_cast<std::int64_t>(graph.after(order_[rank]).size());
  }
  for (const std::int64_t id : roots) ball.roots.push_back(ranks_[place_of(present, id)]);
  arrays.offsets = copy_of(offsets_);
  arrays.neighbors = copy_of(neighbors_);
  runtime::GraphFacts facts;
  facts.directed = graph.directed();
  const bool is_empty = order_.empty();
  auto universe = std::make_shared<const runtime::Universe>(is_empty ? runtime::Universe::identity(0)
                                                                     : runtime::Universe::from_sorted(std::move(ids)));
  ball.degrees = runtime::Graph::from_arrays(universe, std::move(degrees), facts);
  runtime::Graph made = runtime::Graph::from_arrays(std::move(universe), std::move(arrays), facts);
  made.set_dictionary(std::move(dictionary));
  ball.graph = ResidentGraph::from_graph(std::move(made));
  return ball;
}

}  // namespace matcha::session::stream
