#include "runtime/graph/detail/mtg_checks.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/graph/buffer.h"
#include "runtime/graph/detail/arc_sums.h"
#include "runtime/graph/detail/row_checks.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/graph/page_limit.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::uint64_t kVerticesPerCheck = 16;  ///< Vertices between two checks of the page limit.
constexpr std::uint64_t kUniverseGrain = std::uint64_t{1} << 14;

/// True if `is_good(at)` for all of [begin, end), on all threads.
template <typename IsGood>
bool all_good(std::uint64_t begin, std::uint64_t end, const IsGood& is_good) {
  std::atomic<bool> good{true};
  for_blocks(Block(begin, std::max(begin, end), kUniverseGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      if (at % kVerticesPerCheck == 0) PageLimit::check();
      if (!is_good(at)) good.store(false, std::memory_order_relaxed);
    }
  });
  return good.load();
}

template <typename T>
bool all_ascend(const T* items, std::uint64_t count) {
  return all_good(1, count, [&](std::uint64_t at) { return items[at - 1] < items[at]; });
}

bool is_no_label(std::int64_t code) { return code == kNoLabel; }

/// Checks every arc and vertex of a file.
class MtgChecks {
 public:
  explicit MtgChecks(const MtgFile& file) : file_(file) {}

  Status all() {
    MATCHA_TRY(check_sums());
    const ArcSums lists = MATCHA_TRY(check_lists(MtgSection::Offsets, MtgSection::Neighbors, nullptr));
    MATCHA_TRY(file_.is_ranked() ? check_ranked(lists) : Status(Done{}));
    MATCHA_TRY(file_.is_halved() ? check_halves() : Status(Done{}));
    MATCHA_TRY(file_.is_by_label() ? check_by_label(lists) : Status(Done{}));
    return check_vertices();
  }

 private:
  Status check_sums() {
    static constexpr std::array<std::string_view, kMtgSections + 1> kNames = {"",
                                                                              "offsets",
                                                                              "neighbours",
                                                                              "ids",
                                                                              "vertices",
                                                                              "labels",
                                                                              "label words",
                                                                              "edge info",
                                                                              "offsets by degree",
                                                                              "neighbours by degree",
                                                                              "ranks by degree",
                                                                              "unsigned ids",
                                                                              "text ids",
                                                                              "edge labels",
                                                                              "rows by label",
                                                                              "ends by label",
                                                                              "neighbours by label",
                                                                              "halves of rows",
                                                                              "halves by degree",
                                                                              "sizes of halves"};
    std::atomic<std::uint64_t> bad{0};
    for_indices(1, kNames.size(), [&](std::size_t at) {
      const std::optional<std::string_view>& bytes = file_.sections[at];
      if (!bytes) return;
      const std::uint64_t sum = file_.header.version == 1 ? plain_sum(*bytes) : mtg_sum(*bytes, file_.pages);
      if (sum != file_.sums[at]) bad.store(at);
    });
    if (bad.load() != 0) return file_.corrupt("the checksum of its " + std::string(kNames[bad.load()]) + " is wrong");
    return Done{};
  }

  /// Checks that rows are in order and in range, and that an undirected graph has each edge in the rows of both ends,
  /// with the same edge info. Returns the sums of their arcs. `maybe_from`: the ranks of the vertices by id.
  Result<ArcSums> check_lists(MtgSection which_offsets, MtgSection which_neighbors, const std::uint32_t* maybe_from) {
    UncheckedRows rows;
    rows.offsets = file_.items<std::uint64_t>(which_offsets);
    rows.neighbors = file_.items<std::uint32_t>(which_neighbors);
    rows.universe = file_.header.universe;
    rows.arc_count = file_.header.arc_count;
    if (rows.offsets[0] != 0 || rows.offsets[file_.header.universe] != file_.header.arc_count)
      return file_.corrupt("its offsets are wrong");
    rows.simple = (file_.header.flags & kMtgSimple) != 0;
    rows.loop_free = rows.simple || (file_.header.flags & kMtgLoops) == 0;
    rows.directed = file_.is_directed();
    rows.wants_sums = !rows.directed || file_.is_by_label();
    rows.maybe_info = file_.items<std::uint64_t>(MtgSection::EdgeInfo);
    rows.maybe_from = maybe_from;
    rows.pages = file_.pages;
    const std::optional<ArcSums> sums = sums_of_good_rows(rows);
    if (!sums) return file_.corrupt("its neighbours are out of order or out of range");
    if (!file_.is_directed() && sums->up != sums->down)
      return file_.corrupt("it is undirected, and has edges at one of their ends only");
    return *sums;
  }

  /// Checks that ranks by degree are a permutation of those by id with the same neighbours. `sums`: those of the rows
  /// by id.
  Status check_ranked(const ArcSums& sums) {
    const std::uint32_t* from = file_.items<std::uint32_t>(MtgSection::RankedFrom);
    // Random reads would thrash under a limit on mapped files.
    Buffer<std::uint32_t> copy(PageLimit::is_any() ? file_.header.universe : 0);
    if (copy.size() != 0) std::copy_n(from, copy.size(), copy.data());
    if (copy.size() != 0) from = copy.data();
    if (!all_good(0, file_.header.universe, [&](std::uint64_t rank) { return from[rank] < file_.header.universe; }))
      return file_.corrupt("its ranks by degree are wrong");
    VertexSet seen(file_.header.universe);
    seen.add(from, file_.header.universe);
    if (seen.count() != file_.header.universe) return file_.corrupt("its ranks by degree are wrong");
    const ArcSums ranked = MATCHA_TRY(check_lists(MtgSection::RankedOffsets, MtgSection::RankedNeighbors, from));
    if (!(ranked == sums)) return file_.corrupt("its neighbours by degree are others");
    return Done{};
  }

  /// The facts of some half rows.
  struct HalvesFound {
    bool good = true;
    HalfSizes lower, upper;
  };

  /// Checks the offsets of the halves and their stored sizes; sums of squares up to rounding.
  Status check_halves(MtgSection which_offsets, MtgSection which_neighbors, MtgSection which_halves, std::size_t at) {
    const std::uint64_t* const offsets = file_.items<std::uint64_t>(which_offsets);
    const std::uint32_t* const neighbors = file_.items<std::uint32_t>(which_neighbors);
    const std::uint32_t* const halves = file_.items<std::uint32_t>(which_halves);
    const auto add = [](HalfSizes& sizes, std::uint64_t size) {
      sizes.longest = std::max(sizes.longest, size);
      sizes.squares += static_cast<double>(size) * static_cast<double>(size);
    };
    const auto look = [&](const Block& block, HalvesFound found) {
      for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
        if (vertex % kVerticesPerCheck == 0) PageLimit::check();
        const std::uint64_t begin = offsets[vertex], end = offsets[vertex + 1];
        const std::uint64_t below = count_below(neighbors + begin, neighbors + end, vertex);
        add(found.lower, below);
        add(found.upper, end - begin - below);
        found.good = found.good && halves[2 * vertex] == static_cast<std::uint32_t>(begin) &&
                     halves[2 * vertex + 1] == static_cast<std::uint32_t>(begin + below);
      }
      return found;
    };
    const auto join = [](HalvesFound one, const HalvesFound& other) {
      one.good = one.good && other.good;
      for (const auto half : {&HalvesFound::lower, &HalvesFound::upper}) {
        (one.*half).longest = std::max((one.*half).longest, (other.*half).longest);
        (one.*half).squares += (other.*half).squares;
      }
      return one;
    };
    const HalvesFound found =
        tbb::parallel_reduce(Block(0, file_.header.universe, kUniverseGrain), HalvesFound{}, look, join);
    const auto is_close = [](double said, double sum) { return said >= sum * (1 - 1e-6) && said <= sum * (1 + 1e-6); };
    const MtgHalfSizes& sizes = file_.items<MtgHalfSizes>(MtgSection::HalfSizes)[at];
    const bool good =
        found.good && halves[2 * file_.header.universe] == static_cast<std::uint32_t>(file_.header.arc_count) &&
        sizes.longest_lower == found.lower.longest && sizes.longest_upper == found.upper.longest &&
        is_close(sizes.lower_squares, found.lower.squares) && is_close(sizes.upper_squares, found.upper.squares);
    if (!good) return file_.corrupt("its halves of rows are wrong");
    return Done{};
  }

  Status check_halves() {
    MATCHA_TRY(check_halves(MtgSection::Offsets, MtgSection::Neighbors, MtgSection::Halves, 0));
    return check_halves(MtgSection::RankedOffsets, MtgSection::RankedNeighbors, MtgSection::RankedHalves, 1);
  }

  /// Checks that the edges by label are in order and equal those of the rows. `sums`: those of the rows.
  Status check_by_label(const ArcSums& sums) {
    const LabelTable table = file_.label_table();
    if (const char* const problem = problem_of(table, file_.is_directed(), file_.header.universe))
      return file_.corrupt(problem);
    if (table.items.size() != file_.header.arc_count * (file_.is_directed() ? 2 : 1))
      return file_.corrupt("it has more or fewer edges by label");
    const ArcSums by_label = sums_of_table(table, file_.is_directed(), file_.pages);
    if (by_label.up != sums.up || by_label.down != sums.up) return file_.corrupt("its edges by label are others");
    return Done{};
  }

  Status check_vertices() {
    const std::int64_t* const ids = file_.items<std::int64_t>(MtgSection::Ids);
    if (ids != nullptr && !all_ascend(ids, file_.header.universe)) return file_.corrupt("its ids do not ascend");
    const std::uint32_t* const vertices = file_.items<std::uint32_t>(MtgSection::Vertices);
    if (vertices == nullptr) return Done{};
    const bool fits = file_.header.vertex_count == 0 || vertices[file_.header.vertex_count - 1] < file_.header.universe;
    if (!all_ascend(vertices, file_.header.vertex_count) || !fits)
      return file_.corrupt("its vertices are out of order");
    // Ranks between vertices have no arcs and no label.
    const std::uint64_t* const offsets = file_.items<std::uint64_t>(MtgSection::Offsets);
    const std::uint32_t* const neighbors = file_.items<std::uint32_t>(MtgSection::Neighbors);
    const std::int64_t* const labels = file_.items<std::int64_t>(MtgSection::Labels);
    const std::uint32_t* const end = vertices + file_.header.vertex_count;
    const bool good = all_good(0, file_.header.vertex_count + 1, [&](std::uint64_t at) {
      const std::uint64_t first = at == 0 ? 0 : vertices[at - 1] + std::uint64_t{1};
      const std::uint64_t last = at == file_.header.vertex_count ? file_.header.universe : vertices[at];
      return offsets[first] == offsets[last] &&
             (labels == nullptr || std::all_of(labels + first, labels + last, is_no_label));
    });
    const bool hit = !file_.is_directed() || all_good(0, file_.header.arc_count, [&](std::uint64_t at) {
      return std::binary_search(vertices, end, neighbors[at]);
    });
    if (!good || !hit) return file_.corrupt("it has arcs or labels of ranks that are no vertices");
    return Done{};
  }

  const MtgFile& file_;
};

}  // namespace

LabelTable MtgFile::label_table() const {
  const auto all = [this]<typename T>(MtgSection which, T) {
    return std::span<const T>(items<T>(which), section(which)->size() / sizeof(T));
  };
  return {all(MtgSection::LabelEntries, LabelEntry{}), all(MtgSection::LabelRows, std::uint32_t{}),
          all(MtgSection::LabelEnds, std::uint32_t{}), all(MtgSection::LabelItems, std::uint32_t{})};
}

Error MtgFile::corrupt(std::string what) const {
  return input_error(path, 0, "the .mtg is corrupt: " + std::move(what), "convert the graph again");
}

bool ascends(const std::uint64_t* items, std::uint64_t count) { return all_ascend(items, count); }

Status check_mtg_content(const MtgFile& file) { return MtgChecks(file).all(); }

Status check_mtg_codes(const MtgFile& file, std::uint64_t words) {
  const auto is_word = [words](std::int64_t code) {
    return code >= 0 || static_cast<std::uint64_t>(-1 - code) < words;
  };
  // Without words all labels are numbers.
  const std::int64_t* const labels = words == 0 ? nullptr : file.items<std::int64_t>(MtgSection::Labels);
  const auto is_label = [&](std::uint64_t rank) { return is_no_label(labels[rank]) || is_word(labels[rank]); };
  if (labels != nullptr && !all_good(0, file.header.universe, is_label))
    return file.corrupt("its labels are no words of it");
  const std::int64_t* const info = file.items<std::int64_t>(MtgSection::EdgeInfo);
  const bool has_words = (file.header.flags & kMtgWordInfo) != 0;
  if (!has_words && file.info_kind() != InfoKind::Bool) return Done{};
  std::atomic<bool> good{true};
  for_blocks(Block(0, file.header.arc_count, kUniverseGrain), [&](const Block& block) {
    PageLimit::check();
    const bool all = std::all_of(info + block.begin(), info + block.end(),
                                 [&](std::int64_t word) { return has_words ? is_word(word) : word == 0 || word == 1; });
    if (!all) good.store(false, std::memory_order_relaxed);
    file.pages.drop(info + block.begin(), block.size() * sizeof(std::int64_t));
  });
  if (good.load()) return Done{};
  return file.corrupt(has_words ? "its labels of edges are no words of it" : "its edge info is no bool");
}

}  // namespace matcha::runtime::detail
