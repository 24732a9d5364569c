#include "incremental/backlog.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace matcha::session::stream {

namespace {

auto key_of(const EdgeChange& edge) { return std::tie(edge.u, edge.v, edge.label); }

}  // namespace

/// Insertions and deletions of one edge cancel.
void Backlog::add_net(std::vector<SignedEdge> edges, NetBatch& net) {
  std::ranges::sort(edges, [](const SignedEdge& a, const SignedEdge& b) { return key_of(a.edge) < key_of(b.edge); });
  for (auto first = edges.begin(), last = first; first != edges.end(); first = last) {
    int sum = 0;
    for (; last != edges.end() && last->edge == first->edge; ++last) sum += last->sign;
    if (sum != 0) (sum > 0 ? net.inserted : net.deleted).push_back(first->edge);
  }
}

void Backlog::end(const NetBatch& batch, std::uint64_t most) {
  is_open_ = false;
  if (!is_known_ || batch.empty()) return;
  const std::uint64_t changes = batch.vertices.size() + batch.deleted.size() + batch.inserted.size();
  if (edges_.size() + vertices_.size() + changes > most) return forget_batches();
  for (const EdgeChange& edge : batch.deleted) edges_.push_back({edge, -1});
  for (const EdgeChange& edge : batch.inserted) edges_.push_back({edge, 1});
  vertices_.insert(vertices_.end(), batch.vertices.begin(), batch.vertices.end());
}

std::optional<NetBatch> Backlog::batch() const {
  if (!is_known_ || (is_open_ && is_dirty_)) return std::nullopt;
  NetBatch net;
  add_net(edges_, net);
  std::map<std::int64_t, VertexChange> vertices;
  for (const VertexChange& vertex : vertices_) {
    VertexChange& all = vertices.try_emplace(vertex.id, vertex).first->second;
    all.is = vertex.is;
    all.new_label = vertex.new_label;
  }
  for (const auto& [id, vertex] : vertices) {
    const bool stays = vertex.was && vertex.is && vertex.old_label == vertex.new_label;
    if (!stays && (vertex.was || vertex.is)) net.vertices.push_back(vertex);
  }
  return net;
}

}  // namespace matcha::session::stream
