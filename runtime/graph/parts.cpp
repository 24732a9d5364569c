#include "runtime/graph/parts.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/mtg.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

/// Arcs of a window: the part of the file that is read before its pages are dropped.
constexpr std::uint64_t kWindowArcs = std::uint64_t{1} << 22;
constexpr std::uint64_t kWindowVertices = std::uint64_t{1} << 20;
constexpr std::uint64_t kVerticesPerTask = 512;

/// Assigns ranks to parts by their remainder modulo the number of parts: neighbouring ranks, of which all or none are
/// hubs, are in different parts. Ranks and parts fit 32 bits, so that a division is two products (Lemire, Kaser and
/// Kurz, Software: Practice and Experience 2019).
class Dealing {
 public:
  explicit Dealing(std::uint64_t parts) : parts_(parts), inverse_(~std::uint64_t{0} / parts + 1) {}

  std::uint64_t turn_of(std::uint32_t rank) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(inverse_) * rank >> 64);
  }
  std::uint32_t part_of(std::uint32_t rank) const { return rank - static_cast<std::uint32_t>(turn_of(rank) * parts_); }
  /// The number of ranks below `universe` in a part.
  std::uint64_t size_of(std::uint32_t part, std::uint64_t universe) const {
    return universe / parts_ + (part < universe % parts_ ? 1 : 0);
  }

 private:
  std::uint64_t parts_;
  std::uint64_t inverse_;
};

/// New ranks for the vertices of some parts, in the order of the old ones.
class Selection {
 public:
  Selection(std::uint64_t parts, std::span<const std::uint32_t> chosen, std::uint64_t universe)
      : dealing_(parts), parts_(parts), chosen_(chosen), place_(parts, kNone) {
    for (std::size_t at = 0; at < chosen.size(); ++at) {
      place_[chosen[at]] = static_cast<std::uint32_t>(at);
      size_ += dealing_.size_of(chosen[at], universe);
    }
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::uint64_t size() const { return size_; }
  /// The new rank, or kNone. In each round of `parts` ranks the selected ones come first, so there are no gaps.
  std::uint32_t operator()(std::uint32_t old) const {
    const std::uint64_t turn = dealing_.turn_of(old);
    const std::uint32_t place = place_[old - turn * parts_];
    return place == kNone ? kNone : static_cast<std::uint32_t>(turn * chosen_.size() + place);
  }
  /// Writes the new ranks of the selected ones among `count` old ranks and returns their number. `out` has room for
  /// `count`.
  std::uint64_t filter(const std::uint32_t* old, std::uint64_t count, std::uint32_t* out) const {
    const Dealing dealing = dealing_;
    const std::uint32_t* const place = place_.data();
    const std::uint64_t parts = parts_, chosen = chosen_.size();
    std::uint64_t found = 0;
    for (std::uint64_t at = 0; at != count; ++at) {  // Branch-free: the selection is unpredictable.
      const std::uint64_t turn = dealing.turn_of(old[at]);
      const std::uint32_t own = place[old[at] - turn * parts];
      out[found] = static_cast<std::uint32_t>(turn * chosen + own);
      found += own != kNone ? 1 : 0;
    }
    return found;
  }
  std::uint64_t old_rank(std::uint64_t rank) const {
    return rank / chosen_.size() * parts_ + chosen_[rank % chosen_.size()];
  }
  /// The number of new ranks of old ones below `old`.
  std::uint64_t below(std::uint64_t old) const {
    const std::uint64_t in_turn =
        static_cast<std::uint64_t>(std::lower_bound(chosen_.begin(), chosen_.end(), old % parts_) - chosen_.begin());
    return old / parts_ * chosen_.size() + in_turn;
  }

 private:
  Dealing dealing_;
  std::uint64_t parts_;
  std::span<const std::uint32_t> chosen_;
  std::vector<std::uint32_t> place_;
  std::uint64_t size_ = 0;
};

/// Calls `take(first, last)` for windows of the rows, one after the other.
template <typename Take>
Status for_windows(const std::uint64_t* offsets, std::uint64_t universe, const IoOptions& options, const Take& take) {
  for (std::uint64_t first = 0; first < universe;) {
    if (options.cancelled()) return detail::interrupted_error();
    const std::uint64_t most = std::min(universe, first + kWindowVertices);
    const std::uint64_t* const end =
        std::upper_bound(offsets + first + 1, offsets + most + 1, offsets[first] + kWindowArcs);
    const std::uint64_t last = std::clamp(static_cast<std::uint64_t>(end - offsets) - 1, first + 1, most);
    take(first, last);
    first = last;
  }
  return Done{};
}

std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    result = result * (n - k + i) / i;
    if (result > std::uint64_t{1} << 56) return result;
  }
  return result;
}

std::uint64_t subgraphs_of(std::uint64_t parts, std::uint64_t match) {
  std::uint64_t sets = 0;
  for (std::uint64_t size = 1; size <= match; ++size) sets += binomial(parts, size);
  return sets;
}

/// Calls `take(set)` for all sets of `size` parts in lexical order.
template <typename Take>
void for_sets(std::uint64_t parts, std::uint64_t size, const Take& take) {
  std::vector<std::uint32_t> set(size);
  for (std::size_t at = 0; at < size; ++at) set[at] = static_cast<std::uint32_t>(at);
  while (true) {
    take(set);
    std::size_t at = size;
    while (at > 0 && set[at - 1] == parts - size + at - 1) --at;
    if (at == 0) return;
    ++set[at - 1];
    for (; at < size; ++at) set[at] = set[at - 1] + 1;
  }
}

std::uint64_t arcs_within(const PartsPlan& plan, std::span<const std::uint32_t> parts) {
  std::uint64_t arcs = 0;
  for (const std::uint32_t p : parts) {
    for (const std::uint32_t q : parts) arcs += plan.arcs[p * plan.parts + q];
  }
  return arcs;
}

Error no_plan(std::uint64_t memory) {
  return Error{ErrorKind::Resource,
               "no parts of the graph are small enough to be counted within " + std::to_string(memory) + " bytes", "",
               0, "give more memory"};
}

}  // namespace

std::vector<__int128> part_weights(std::uint64_t parts, std::uint64_t match) {
  // A match in exactly t parts is found in all sets of j parts that contain these: in binomial(parts - t, j - t) sets.
  std::vector<__int128> weights(match + 1, 0);
  for (std::uint64_t t = match; t > 0; --t) {
    __int128 weight = 1;
    for (std::uint64_t j = t + 1; j <= match; ++j) {
      weight -= weights[j] * static_cast<__int128>(binomial(parts - t, j - t));
    }
    weights[t] = weight;
  }
  return weights;
}

std::vector<std::vector<std::uint32_t>> part_sets(std::uint64_t parts, std::uint64_t match) {
  std::vector<std::vector<std::uint32_t>> sets;
  for (std::uint64_t size = match; size > 0; --size) {
    for_sets(parts, size, [&](const std::vector<std::uint32_t>& set) { sets.push_back(set); });
  }
  return sets;
}

Result<std::shared_ptr<const PartedGraph>> PartedGraph::open(const std::string& path, const IoOptions& options,
                                                             bool keeps_pages) {
  Result<MtgInPieces> file = read_mtg_in_pieces(path, options);
  if (!file) return file.error();
  auto parted = std::make_shared<PartedGraph>();
  parted->pages_ = file->pages;
  parted->keeps_pages_ = keeps_pages;
  parted->graph_ = std::move(file->graph);
  const GraphView view = parted->graph_.view();
  const StoredOrder& order = parted->graph_.stored_order();
  parted->offsets_ = view.offsets;
  parted->neighbors_ = view.neighbors;
  // Ranks that are not vertices are found by id.
  if (order.offsets != nullptr && view.vertices == nullptr) {
    parted->offsets_ = order.offsets;
    parted->neighbors_ = order.neighbors;
    parted->maybe_from_ = order.from;
  }
  return std::shared_ptr<const PartedGraph>(std::move(parted));
}

std::uint64_t PartedGraph::bytes_of(std::uint64_t vertices, std::uint64_t arcs) const {
  const GraphView view = graph_.view();
  std::uint64_t of_vertex = sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t);  // `offsets` and `split_offsets`.
  if (view.labels != nullptr) of_vertex += sizeof(std::int64_t);
  if (view.vertices != nullptr) of_vertex += sizeof(std::uint32_t);
  return vertices * of_vertex + arcs * sizeof(std::uint32_t);
}

bool PartedGraph::has_parts() const {
  return !graph_.facts().directed && graph_.facts().simple && graph_.view().edge_info == nullptr;
}

std::uint64_t PartedGraph::whole_bytes(bool ranked) const {
  const GraphView view = graph_.view();
  const std::uint64_t ids = view.original_ids != nullptr ? view.universe * sizeof(std::int64_t) : 0;
  const std::uint64_t info = view.edge_info != nullptr ? view.arc_count * sizeof(std::uint64_t) : 0;
  return bytes_of(view.universe, view.arc_count) * (ranked && has_parts() ? 2 : 1) + ids + info;
}

void PartedGraph::drop_rows(std::uint64_t first, std::uint64_t last) const {
  if (keeps_pages_) return;
  pages_.drop(neighbors_ + offsets_[first], (offsets_[last] - offsets_[first]) * sizeof(std::uint32_t));
  pages_.drop(offsets_ + first, (last - first) * sizeof(std::uint64_t));
}

Status PartedGraph::count_arcs(PartsPlan& plan, const IoOptions& options) const {
  const Dealing dealing(plan.parts);
  tbb::enumerable_thread_specific<std::vector<std::uint64_t>> counts(
      std::vector<std::uint64_t>(plan.parts * plan.parts, 0));
  const Status done =
      for_windows(offsets_, graph_.view().universe, options, [&](std::uint64_t first, std::uint64_t last) {
        for_blocks(Block(first, last, kVerticesPerTask), [&](const Block& block) {
          std::vector<std::uint64_t>& own = counts.local();
          for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
            std::uint64_t* const row = own.data() + dealing.part_of(static_cast<std::uint32_t>(rank)) * plan.parts;
            for (std::uint64_t at = offsets_[rank]; at != offsets_[rank + 1]; ++at) {
              ++row[dealing.part_of(neighbors_[at])];
            }
          }
        });
        drop_rows(first, last);
      });
  plan.arcs.assign(plan.parts * plan.parts, 0);
  for (const std::vector<std::uint64_t>& own : counts) {
    for (std::size_t at = 0; at < own.size(); ++at) plan.arcs[at] += own[at];
  }
  return done;
}

Result<PartsPlan> PartedGraph::plan(std::uint64_t memory, std::uint64_t match, const IoOptions& options) const {
  try {
    const std::uint64_t universe = graph_.view().universe;
    const double arcs = static_cast<double>(graph_.view().arc_count);
    for (std::uint64_t parts = match + 1; parts <= kMostParts; ++parts) {
      PartsPlan plan;
      plan.parts = parts;
      plan.match = match;
      plan.subgraphs = subgraphs_of(parts, match);
      if (plan.subgraphs > kMostSubgraphs) break;
      // Parts are nearly equal, so only plausible numbers of parts are examined exactly.
      const double share = static_cast<double>(match) / static_cast<double>(parts);
      const std::uint64_t vertices = match * (universe / parts);
      if (bytes_of(vertices, static_cast<std::uint64_t>(share * share * arcs * 0.9)) > memory) continue;
      const Status counted = count_arcs(plan, options);
      if (!counted) return counted.error();
      const Dealing dealing(parts);
      for_sets(parts, match, [&](const std::vector<std::uint32_t>& set) {
        std::uint64_t size = 0;
        for (const std::uint32_t part : set) size += dealing.size_of(part, universe);
        plan.largest_bytes = std::max(plan.largest_bytes, bytes_of(size, arcs_within(plan, set)));
      });
      if (plan.largest_bytes <= memory) return plan;
    }
    return no_plan(memory);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> PartedGraph::induced(const PartsPlan& plan, std::span<const std::uint32_t> parts,
                                   const IoOptions& options) const {
  try {
    const GraphView view = graph_.view();
    const Selection selection(plan.parts, parts, view.universe);
    GraphArrays arrays;
    arrays.offsets = Buffer<std::uint64_t>(selection.size() + 1);
    arrays.neighbors = Buffer<std::uint32_t>(arcs_within(plan, parts));
    arrays.offsets[0] = 0;
    bool changed = false;               // True if the arcs differ from those of the plan.
    std::vector<std::uint32_t> window;  // Rows of new ranks, each at the position of its old ranks.
    const Status done = for_windows(offsets_, view.universe, options, [&](std::uint64_t first, std::uint64_t last) {
      const std::uint64_t begin = selection.below(first), end = std::min(selection.below(last), selection.size());
      const std::uint64_t base = offsets_[first];
      window.resize(std::max<std::size_t>(window.size(), offsets_[last] - base));
      for_blocks(Block(begin, end, kVerticesPerTask), [&](const Block& block) {
        for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
          const std::uint64_t old = selection.old_rank(rank), row = offsets_[old];
          arrays.offsets[rank + 1] =
              selection.filter(neighbors_ + row, offsets_[old + 1] - row, window.data() + (row - base));
        }
      });
      for (std::uint64_t rank = begin; rank != end; ++rank) arrays.offsets[rank + 1] += arrays.offsets[rank];
      if (arrays.offsets[end] > arrays.neighbors.size()) changed = true;
      if (changed) return;
      for_blocks(Block(begin, end, kVerticesPerTask), [&](const Block& block) {
        for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
          const std::uint32_t* const row = window.data() + (offsets_[selection.old_rank(rank)] - base);
          const std::uint64_t count = arrays.offsets[rank + 1] - arrays.offsets[rank];
          std::copy(row, row + count, arrays.neighbors.data() + arrays.offsets[rank]);
        }
      });
      drop_rows(first, last);
    });
    if (!done) return done.error();
    if (changed || arrays.offsets[selection.size()] != arrays.neighbors.size()) {
      return detail::input_error("", 0, "the graph changes while it is counted",
                                 "run again when no process writes to its file");
    }
    if (view.labels != nullptr) {
      arrays.labels = Buffer<std::int64_t>(selection.size());
      for (std::uint64_t rank = 0; rank != selection.size(); ++rank) {
        const std::uint64_t old = selection.old_rank(rank);
        arrays.labels[rank] = view.labels[maybe_from_ != nullptr ? maybe_from_[old] : old];
      }
    }
    if (view.vertices != nullptr) {
      std::uint64_t count = 0;
      arrays.vertices = Buffer<std::uint32_t>(selection.size());
      for (std::uint64_t at = 0; at != view.vertex_count; ++at) {
        const std::uint32_t rank = selection(view.vertices[at]);
        if (rank != Selection::kNone) arrays.vertices[count++] = rank;
      }
      arrays.vertices.truncate(count);
    }
    GraphFacts facts;
    facts.all_loops = graph_.facts().all_loops;
    Graph graph = Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(selection.size())),
                                     std::move(arrays), facts);
    graph.set_dictionary(std::make_shared<const LabelDictionary>(graph_.dictionary()));
    const Status halved = ensure_split_offsets(graph);
    if (!halved) return halved.error();
    return graph;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
