#include "engines/cliques/sum_rows.h"

#include <array>
#include <string>

namespace matcha::runtime::cliques {

namespace {

using motif::End;

/// Hands over rows in blocks.
class SumWriter {
 public:
  SumWriter(const SumRequest& request, std::uint32_t size, SumOutcome& outcome)
      : request_(request), size_(size), outcome_(outcome) {}

  /// False: no more rows are wanted.
  bool take(std::uint32_t first, std::uint32_t second, std::int64_t cliques) {
    if (request_.size == 0 && cliques == 0) return true;
    ends_[0].push_back(first);
    if (request_.by_edge) ends_[1].push_back(second);
    if (request_.size == 0) sizes_.push_back(size_);
    cliques_.push_back(cliques);
    return cliques_.size() < kRowsOfBlock || flush();
  }
  bool flush() {
    if (cliques_.empty()) return true;
    SumRows rows{cliques_.size(), {ends_[0].data()}, request_.size == 0 ? sizes_.data() : nullptr, cliques_.data()};
    if (request_.by_edge) rows.ends.push_back(ends_[1].data());
    outcome_.rows += rows.count;
    outcome_.refused = !request_.on_rows(rows);
    ends_[0].clear();
    ends_[1].clear();
    sizes_.clear();
    cliques_.clear();
    if (request_.stops.is_stopped()) outcome_.end = End::Stopped;
    if (request_.stops.is_late()) outcome_.end = End::Deadline;
    return !outcome_.refused && outcome_.end == End::Complete;
  }

 private:
  static constexpr std::uint64_t kRowsOfBlock = 1 << 12;

  const SumRequest& request_;
  const std::uint32_t size_;
  SumOutcome& outcome_;
  std::array<std::vector<std::uint32_t>, 2> ends_;
  std::vector<std::int64_t> sizes_, cliques_;
};

/// Requires: the numbers of rows fit an int.
void write_rows(const Graph& graph, const Roots& roots, const SumRequest& request, const SharedSums& sums,
                std::uint32_t size, SumOutcome& outcome) {
  SumWriter writer(request, size, outcome);
  const GraphView view = graph.view();
  // Later neighbours are ascending, so that those of a vertex are met in order.
  std::vector<std::uint64_t> next(roots.begin.begin(), roots.begin.begin() + roots.size);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const auto u = view.vertices == nullptr ? static_cast<std::uint32_t>(at) : view.vertices[at];
    if (!request.by_edge) {
      if (!writer.take(u, 0, sums.at(u))) return;
      continue;
    }
    for (std::uint64_t p = view.offsets[u]; p < view.offsets[u + 1]; ++p) {
      const std::uint32_t v = view.neighbors[p];
      if (v < u) continue;
      const bool is_later = next[u] < roots.begin[u + 1] && roots.near[next[u]] == v;
      if (!writer.take(u, v, sums.at(next[is_later ? u : v]++))) return;
    }
  }
  writer.flush();
}

Error row_too_wide(const SumRequest& request, std::uint32_t size) {
  return {ErrorKind::Runtime,
          std::to_string(size) + "-cliques at one " + (request.by_edge ? "edge" : "vertex") +
              " are a number of more than 63 bits, the most of a row",
          {},
          0,
          "ask for smaller cliques"};
}

}  // namespace

Status write_sums(const Graph& graph, const Roots& roots, const SumRequest& request, const SumsOfSize& sums_of_size,
                  Laps& laps, SumOutcome& outcome) {
  SharedSums sums(request.by_edge ? roots.begin[roots.size] : roots.size, request.threads);
  for (std::uint32_t size = request.size == 0 ? 2 : request.size;; ++size) {
    outcome.end = MATCHA_TRY(sums_of_size(size, sums));
    laps.end("trees");
    if (outcome.end != End::Complete) return Done{};
    const unsigned __int128 most = sums.most();
    if (most > static_cast<unsigned __int128>(INT64_MAX)) return row_too_wide(request, size);
    if (request.size == 0 && most == 0) return Done{};
    write_rows(graph, roots, request, sums, size, outcome);
    laps.end("rows");
    if (request.size != 0 || outcome.refused || outcome.end != End::Complete) return Done{};
  }
}

}  // namespace matcha::runtime::cliques
