#include "runtime/graph/mtg.h"

#include <sys/stat.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>

#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/detail/mtg_notes.h"
#include "runtime/graph/detail/row_checks.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/graph/page_limit.h"
#include "runtime/graph/stats.h"

static_assert(std::endian::native == std::endian::little, "the arrays of a .mtg are used as they lie in the file");

namespace matcha::runtime {

namespace {

using detail::input_error;
using detail::MtgEntry;
using detail::MtgHeader;
using detail::MtgSection;
using Block = tbb::blocked_range<std::uint64_t>;

constexpr std::uint64_t kVerticesALook = 16;  ///< Vertices, whose rows may be looked at.
constexpr std::uint64_t kUniverseGrain = std::uint64_t{1} << 14;
constexpr std::size_t kSections = detail::kMtgSections + 1;

/// The bytes of each section by its number; absent ones have no data.
using Sections = std::array<std::optional<std::string_view>, kSections>;

std::optional<std::string_view>& section(Sections& sections, MtgSection which) {
  return sections[static_cast<std::size_t>(which)];
}

template <typename T>
const T* items(Sections& sections, MtgSection which) {
  const std::optional<std::string_view>& bytes = section(sections, which);
  return bytes ? reinterpret_cast<const T*>(bytes->data()) : nullptr;
}

/// Reads and checks a `.mtg` in memory.
class MtgReader {
 public:
  MtgReader(const std::string& path, const detail::WholeFile& file, const detail::MtgNotes& notes,
            const MappedPages& pages = {})
      : path_(path), file_(file), notes_(notes), pages_(pages) {}

  Result<Graph> read() {
    Status header = read_header();
    if (!header) return header.error();
    Status table = read_table();
    if (!table) return table.error();
    Status sizes = check_sizes();
    if (!sizes) return sizes.error();
    const std::optional<GraphTotals> noted = notes_.find(content_key_, std::time(nullptr));
    Status content = noted ? Status(Done{}) : check_content();
    if (!content) return content.error();
    Status names = read_names();
    if (!names) return names.error();
    Status words = read_words();
    if (!words) return words.error();
    Graph graph = make_graph(noted);
    const std::time_t now = std::time(nullptr);
    if (!noted && notes_.may_add(now)) {
      graph.set_totals(totals_of(graph));
      notes_.add(content_key_, *graph.totals(), now);
    }
    return graph;
  }

 private:
  Error corrupt(std::string what) const {
    return input_error(path_, 0, "the .mtg is corrupt: " + std::move(what), "convert the graph again");
  }

  Status read_header() {
    const std::string_view bytes = file_.bytes;
    if (!bytes.starts_with(detail::kMtgMagic)) {
      return input_error(path_, 0, "the file is no .mtg", "make one with `matcha graph convert`");
    }
    if (bytes.size() < sizeof(MtgHeader)) return corrupt("it ends inside its header");
    std::memcpy(&header_, bytes.data(), sizeof(header_));
    if (header_.endian_tag != detail::kMtgEndianTag) {
      return input_error(path_, 0, "the .mtg is from a machine with another byte order, or corrupt",
                         "convert the graph on this machine");
    }
    if (header_.version == 0 || header_.version > kMtgVersion) {
      return input_error(
          path_, 0,
          "the .mtg has version " + std::to_string(header_.version) + "; this program reads versions up to " +
              std::to_string(kMtgVersion),
          header_.version > kMtgVersion ? "use a newer Matcha, or convert the graph again" : "convert the graph again");
    }
    if (header_.section_count > most_sections()) return corrupt("it has too many sections");
    const std::uint64_t table_end = sizeof(MtgHeader) + header_.section_count * sizeof(MtgEntry);
    if (bytes.size() < table_end + sizeof(std::uint64_t)) return corrupt("it ends inside its section table");
    std::uint64_t sum = 0;
    std::memcpy(&sum, bytes.data() + table_end, sizeof(sum));
    if (sum != XXH3_64bits(bytes.data(), table_end)) return corrupt("the checksum of its header is wrong");
    content_key_ = sum;
    if (header_.file_bytes != bytes.size()) {
      return input_error(path_, 0,
                         "the .mtg has " + std::to_string(bytes.size()) + " bytes and should have " +
                             std::to_string(header_.file_bytes),
                         "the file may be truncated; fetch or convert it again");
    }
    const std::uint64_t known = header_.version == 1   ? detail::kMtgFlagsOfFirst
                                : header_.version <= 3 ? detail::kMtgFlagsOfThird
                                                       : detail::kMtgKnownFlags;
    if ((header_.flags & ~known) != 0) return corrupt("it has unknown flags");
    if (header_.universe > kMaxVertices) return corrupt("it has too many vertices");
    return Done{};
  }

  std::uint64_t most_sections() const {
    if (header_.version == 1) return detail::kMtgSectionsOfFirst;
    if (header_.version == 2) return detail::kMtgSectionsOfSecond;
    if (header_.version == 3) return detail::kMtgSectionsOfThird;
    return header_.version == 4 ? detail::kMtgSectionsOfFourth : detail::kMtgSections;
  }

  Status read_table() {
    for (std::uint64_t at = 0; at < header_.section_count; ++at) {
      MtgEntry entry{};
      std::memcpy(&entry, file_.bytes.data() + sizeof(MtgHeader) + at * sizeof(MtgEntry), sizeof(entry));
      const std::uint64_t size = file_.bytes.size();
      if (entry.section == 0 || entry.section > most_sections()) return corrupt("it has an unknown section");
      if (entry.begin % detail::kMtgAlignment != 0 || entry.begin > size || entry.bytes > size - entry.begin) {
        return corrupt("a section lies outside the file");
      }
      std::optional<std::string_view>& place = sections_[entry.section];
      if (place) return corrupt("a section occurs twice");
      place = file_.bytes.substr(entry.begin, entry.bytes);
      sums_[entry.section] = entry.xxh3;
    }
    return Done{};
  }

  bool has_size(MtgSection which, std::uint64_t count, std::uint64_t item_bytes) {
    const std::optional<std::string_view>& bytes = section(sections_, which);
    return !bytes || (bytes->size() / item_bytes == count && bytes->size() % item_bytes == 0);
  }

  /// Whether a section whose number of items no other one gives has no part of an item.
  bool is_whole(MtgSection which, std::uint64_t item_bytes) {
    const std::optional<std::string_view>& bytes = section(sections_, which);
    return !bytes || bytes->size() % item_bytes == 0;
  }

  Status check_sizes() {
    if (!section(sections_, MtgSection::Offsets) || !section(sections_, MtgSection::Neighbors)) {
      return corrupt("it has no edges section");
    }
    const bool good = has_size(MtgSection::Offsets, header_.universe + 1, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::Neighbors, header_.arc_count, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::Ids, header_.universe, sizeof(std::int64_t)) &&
                      has_size(MtgSection::Vertices, header_.vertex_count, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::Labels, header_.universe, sizeof(std::int64_t)) &&
                      has_size(MtgSection::EdgeInfo, header_.arc_count, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::RankedOffsets, header_.universe + 1, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::RankedNeighbors, header_.arc_count, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::RankedFrom, header_.universe, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::UnsignedIds, header_.universe, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::Halves, 2 * header_.universe + 1, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::RankedHalves, 2 * header_.universe + 1, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::HalfSizes, 2, sizeof(detail::MtgHalfSizes)) &&
                      is_whole(MtgSection::LabelEntries, sizeof(LabelEntry)) &&
                      is_whole(MtgSection::LabelRows, sizeof(std::uint32_t)) &&
                      is_whole(MtgSection::LabelEnds, sizeof(std::uint32_t)) &&
                      is_whole(MtgSection::LabelItems, sizeof(std::uint32_t));
    if (!good) return corrupt("the size of a section is wrong");
    if (!section(sections_, MtgSection::Vertices) && header_.vertex_count != header_.universe) {
      return corrupt("its number of vertices is wrong");
    }
    const bool has_info = section(sections_, MtgSection::EdgeInfo).has_value();
    if (has_info != (info_kind() != InfoKind::None)) return corrupt("its edge info is missing or of unknown kind");
    if ((header_.flags & detail::kMtgWordInfo) != 0 && info_kind() != InfoKind::Int) {
      return corrupt("its edge info is missing or of unknown kind");
    }
    const bool plain = (header_.flags & (detail::kMtgSimple | detail::kMtgDirected)) == detail::kMtgSimple && !has_info;
    for (const MtgSection which : {MtgSection::RankedOffsets, MtgSection::RankedNeighbors, MtgSection::RankedFrom}) {
      if (section(sections_, which).has_value() != is_ranked() || (is_ranked() && !plain)) {
        return corrupt("its order by degree is missing or out of place");
      }
    }
    for (const MtgSection which : {MtgSection::LabelRows, MtgSection::LabelEnds, MtgSection::LabelItems}) {
      if (section(sections_, which).has_value() != is_by_label() || (is_by_label() && info_kind() != InfoKind::Int))
        return corrupt("its edges by label are missing or out of place");
    }
    for (const MtgSection which : {MtgSection::RankedHalves, MtgSection::HalfSizes}) {
      if (section(sections_, which).has_value() != is_halved() || (is_halved() && !is_ranked()))
        return corrupt("its halves of rows are missing or out of place");
    }
    return Done{};
  }

  bool is_halved() { return section(sections_, MtgSection::Halves).has_value(); }

  bool is_by_label() { return section(sections_, MtgSection::LabelEntries).has_value(); }

  template <typename T>
  std::span<const T> all_items(MtgSection which) {
    return {items<T>(sections_, which), section(sections_, which)->size() / sizeof(T)};
  }

  /// Requires: it is by label.
  LabelTable label_table() {
    return {all_items<LabelEntry>(MtgSection::LabelEntries), all_items<std::uint32_t>(MtgSection::LabelRows),
            all_items<std::uint32_t>(MtgSection::LabelEnds), all_items<std::uint32_t>(MtgSection::LabelItems)};
  }

  /// The edges by label are in order and as many as there are edges. That they are the same ones is up to the
  /// checksums.
  Status check_by_label() {
    const LabelTable table = label_table();
    const bool directed = (header_.flags & detail::kMtgDirected) != 0;
    if (const char* const problem = problem_of(table, directed, header_.universe)) return corrupt(problem);
    if (table.items.size() != header_.arc_count * (directed ? 2 : 1))
      return corrupt("it has more or fewer edges by label");
    return Done{};
  }

  bool is_ranked() const { return (header_.flags & detail::kMtgByDegree) != 0; }

  InfoKind info_kind() const { return static_cast<InfoKind>(header_.flags >> detail::kMtgInfoShift & 3); }

  Status check_sums() {
    std::atomic<std::uint64_t> bad{0};
    tbb::parallel_for(std::size_t{1}, kSections, [&](std::size_t at) {
      const std::optional<std::string_view>& bytes = sections_[at];
      if (!bytes) return;
      const std::uint64_t sum = header_.version == 1 ? detail::plain_sum(*bytes) : detail::mtg_sum(*bytes, pages_);
      if (sum != sums_[at]) bad.store(at);
    });
    static constexpr std::array<std::string_view, kSections> kNames = {"",
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
    if (bad.load() != 0) return corrupt("the checksum of its " + std::string(kNames[bad.load()]) + " is wrong");
    return Done{};
  }

  /// Whether `is_good(at)` for all of [begin, end), on all threads.
  template <typename IsGood>
  static bool all_good(std::uint64_t begin, std::uint64_t end, const IsGood& is_good) {
    std::atomic<bool> good{true};
    tbb::parallel_for(Block(begin, std::max(begin, end), kUniverseGrain), [&](const Block& block) {
      for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
        if (at % kVerticesALook == 0) PageLimit::look();
        if (!is_good(at)) good.store(false, std::memory_order_relaxed);
      }
    });
    return good.load();
  }

  template <typename T>
  static bool ascends(const T* items, std::uint64_t count) {
    return all_good(1, count, [&](std::uint64_t at) { return items[at - 1] < items[at]; });
  }

  Status check_lists(MtgSection which_offsets, MtgSection which_neighbors) {
    const std::uint64_t* const offsets = items<std::uint64_t>(sections_, which_offsets);
    const std::uint32_t* const neighbors = items<std::uint32_t>(sections_, which_neighbors);
    if (offsets[0] != 0 || offsets[header_.universe] != header_.arc_count) return corrupt("its offsets are wrong");
    const bool simple = (header_.flags & detail::kMtgSimple) != 0;
    const bool loop_free = simple || (header_.flags & detail::kMtgLoops) == 0;
    const bool good =
        detail::rows_are_good({offsets, neighbors, header_.universe, header_.arc_count, simple, loop_free, pages_});
    if (!good) return corrupt("its neighbours are out of order or out of range");
    return Done{};
  }

  /// Its ranks by degree are those by id in another order, and have as many neighbours. That they have the same ones is
  /// up to the checksums.
  Status check_ranked() {
    Status lists = check_lists(MtgSection::RankedOffsets, MtgSection::RankedNeighbors);
    if (!lists) return lists.error();
    const std::uint64_t* const offsets = items<std::uint64_t>(sections_, MtgSection::Offsets);
    const std::uint64_t* const ranked = items<std::uint64_t>(sections_, MtgSection::RankedOffsets);
    const std::uint32_t* const from = items<std::uint32_t>(sections_, MtgSection::RankedFrom);
    const bool good = all_good(0, header_.universe, [&](std::uint64_t rank) {
      return from[rank] < header_.universe &&
             offsets[from[rank] + std::uint64_t{1}] - offsets[from[rank]] == ranked[rank + 1] - ranked[rank];
    });
    if (!good) return corrupt("its ranks by degree are wrong");
    detail::VertexSet seen(header_.universe);
    seen.add(from, header_.universe);
    if (seen.count() != header_.universe) return corrupt("its ranks by degree are wrong");
    return Done{};
  }

  /// The halves of rows begin where they should, and have the sizes that are said.
  Status check_halves(MtgSection which_offsets, MtgSection which_neighbors, MtgSection which_halves, std::size_t at) {
    const std::uint64_t* const offsets = items<std::uint64_t>(sections_, which_offsets);
    const std::uint32_t* const neighbors = items<std::uint32_t>(sections_, which_neighbors);
    const std::uint32_t* const halves = items<std::uint32_t>(sections_, which_halves);
    std::atomic<std::uint64_t> longest_lower{0}, longest_upper{0};
    const auto raise = [](std::atomic<std::uint64_t>& most, std::uint64_t size) {
      std::uint64_t known = most.load(std::memory_order_relaxed);
      while (size > known && !most.compare_exchange_weak(known, size, std::memory_order_relaxed)) {
      }
    };
    bool good = all_good(0, header_.universe, [&](std::uint64_t vertex) {
      const std::uint64_t begin = offsets[vertex], end = offsets[vertex + 1];
      const std::uint64_t below = detail::count_below(neighbors + begin, neighbors + end, vertex);
      raise(longest_lower, below);
      raise(longest_upper, end - begin - below);
      return halves[2 * vertex] == static_cast<std::uint32_t>(begin) &&
             halves[2 * vertex + 1] == static_cast<std::uint32_t>(begin + below);
    });
    const detail::MtgHalfSizes& sizes = items<detail::MtgHalfSizes>(sections_, MtgSection::HalfSizes)[at];
    good = good && halves[2 * header_.universe] == static_cast<std::uint32_t>(header_.arc_count) &&
           sizes.longest_lower == longest_lower && sizes.longest_upper == longest_upper;
    if (!good) return corrupt("its halves of rows are wrong");
    return Done{};
  }

  Status check_halves() {
    Status by_id = check_halves(MtgSection::Offsets, MtgSection::Neighbors, MtgSection::Halves, 0);
    if (!by_id) return by_id;
    return check_halves(MtgSection::RankedOffsets, MtgSection::RankedNeighbors, MtgSection::RankedHalves, 1);
  }

  StoredHalves stored_halves(MtgSection which, std::size_t at) {
    if (!is_halved()) return {};
    const detail::MtgHalfSizes& sizes = items<detail::MtgHalfSizes>(sections_, MtgSection::HalfSizes)[at];
    return {items<std::uint32_t>(sections_, which),
            {sizes.longest_lower, sizes.lower_squares},
            {sizes.longest_upper, sizes.upper_squares}};
  }

  /// What takes a look at every arc or vertex.
  Status check_content() {
    Status sums = check_sums();
    if (!sums) return sums.error();
    Status lists = check_lists(MtgSection::Offsets, MtgSection::Neighbors);
    if (!lists) return lists.error();
    Status ranked = is_ranked() ? check_ranked() : Status(Done{});
    if (!ranked) return ranked.error();
    Status halves = is_halved() ? check_halves() : Status(Done{});
    if (!halves) return halves.error();
    Status labels = is_by_label() ? check_by_label() : Status(Done{});
    return labels ? check_vertices() : labels;
  }

  Status check_vertices() {
    const std::int64_t* const ids = items<std::int64_t>(sections_, MtgSection::Ids);
    if (ids != nullptr && !ascends(ids, header_.universe)) return corrupt("its ids do not ascend");
    const std::uint32_t* const vertices = items<std::uint32_t>(sections_, MtgSection::Vertices);
    if (vertices != nullptr) {
      const bool fits = header_.vertex_count == 0 || vertices[header_.vertex_count - 1] < header_.universe;
      if (!ascends(vertices, header_.vertex_count) || !fits) return corrupt("its vertices are out of order");
    }
    return Done{};
  }

  /// Ids that are no int64.
  Status read_names() {
    const std::optional<std::string_view>& text = section(sections_, MtgSection::TextIds);
    const std::uint64_t* const numbers = items<std::uint64_t>(sections_, MtgSection::UnsignedIds);
    if (!text && numbers == nullptr) return Done{};
    if ((text && numbers != nullptr) || section(sections_, MtgSection::Ids)) return corrupt("it has ids of two kinds");
    Buffer<std::uint64_t> copy(header_.universe);
    if (!text) {
      if (!ascends(numbers, header_.universe)) return corrupt("its ids do not ascend");
      std::copy(numbers, numbers + header_.universe, copy.data());
      names_ = std::make_shared<const IdNames>(IdNames::unsigned_ids(std::move(copy)));
      return Done{};
    }
    const std::uint64_t head = header_.universe * sizeof(std::uint64_t);
    if (text->size() < head) return corrupt("its ids are cut");
    if (head != 0) std::memcpy(copy.data(), text->data(), head);
    const std::string_view bytes = text->substr(head);
    std::uint64_t begin = 0;
    std::string_view before;
    for (std::uint64_t place = 0; place < header_.universe; ++place) {
      if (copy[place] <= begin || copy[place] > bytes.size()) return corrupt("its ids are out of range");
      const std::string_view id = bytes.substr(begin, copy[place] - begin);
      if (place != 0 && id <= before) return corrupt("its ids do not ascend");
      before = id;
      begin = copy[place];
    }
    if (begin != bytes.size()) return corrupt("its ids are out of range");
    Buffer<char> kept(bytes.size());
    std::copy(bytes.begin(), bytes.end(), kept.data());
    names_ = std::make_shared<const IdNames>(IdNames::text_ids(std::move(copy), std::move(kept)));
    return Done{};
  }

  Status read_words() {
    const std::optional<std::string_view>& bytes = section(sections_, MtgSection::Words);
    if (!bytes) return Done{};
    constexpr std::uint64_t kItem = sizeof(std::uint64_t);
    std::uint64_t count = 0;
    if (bytes->size() < kItem) return corrupt("its label words are cut");
    std::memcpy(&count, bytes->data(), kItem);
    if (count > bytes->size() / kItem - 1) return corrupt("its label words are cut");
    const std::string_view text = bytes->substr(kItem * (count + 1));
    std::vector<std::string> words;
    std::uint64_t begin = 0;
    for (std::uint64_t word = 0; word < count; ++word) {
      std::uint64_t end = 0;
      std::memcpy(&end, bytes->data() + kItem * (word + 1), kItem);
      if (end < begin || end > text.size()) return corrupt("its label words are out of range");
      words.emplace_back(text.substr(begin, end - begin));
      begin = end;
    }
    if (begin != text.size() || !ascends(words.data(), words.size())) return corrupt("its label words are not sorted");
    dictionary_ = std::make_shared<const LabelDictionary>(std::move(words));
    return Done{};
  }

  Graph make_graph(const std::optional<GraphTotals>& noted) {
    std::shared_ptr<const Universe> universe;
    const std::int64_t* const ids = items<std::int64_t>(sections_, MtgSection::Ids);
    if (names_ != nullptr) {
      universe = std::make_shared<const Universe>(Universe::named(names_));
    } else if (ids == nullptr) {
      universe = std::make_shared<const Universe>(Universe::identity(header_.universe));
    } else {
      Buffer<std::int64_t> copy(header_.universe);
      tbb::parallel_for(Block(0, header_.universe, kUniverseGrain), [&](const Block& block) {
        PageLimit::look();
        std::copy(ids + block.begin(), ids + block.end(), copy.data() + block.begin());
      });
      universe = std::make_shared<const Universe>(Universe::from_sorted(std::move(copy)));
    }
    GraphView view{};
    view.arc_count = header_.arc_count;
    view.offsets = items<std::uint64_t>(sections_, MtgSection::Offsets);
    view.neighbors = items<std::uint32_t>(sections_, MtgSection::Neighbors);
    view.edge_info = items<std::uint64_t>(sections_, MtgSection::EdgeInfo);
    view.labels = items<std::int64_t>(sections_, MtgSection::Labels);
    view.vertices = items<std::uint32_t>(sections_, MtgSection::Vertices);
    view.vertex_count = header_.vertex_count;
    GraphFacts facts;
    facts.directed = (header_.flags & detail::kMtgDirected) != 0;
    facts.simple = (header_.flags & detail::kMtgSimple) != 0;
    facts.loop_free = facts.simple || (header_.flags & detail::kMtgLoops) == 0;
    facts.all_loops = (header_.flags & detail::kMtgAllLoops) != 0;
    facts.info = info_kind();
    facts.word_info = (header_.flags & detail::kMtgWordInfo) != 0;
    Graph graph = noted ? Graph::from_view(std::move(universe), view, facts, file_.owner, *noted)
                        : Graph::from_view(std::move(universe), view, facts, file_.owner);
    graph.set_content_key(content_key_);
    if (dictionary_ != nullptr) graph.set_dictionary(dictionary_);
    if (is_by_label()) graph.set_label_slices(std::make_shared<LabelSlices>(label_table(), file_.owner));
    if (is_ranked()) {
      graph.set_stored_order(
          {(header_.flags & detail::kMtgLargestFirst) != 0, items<std::uint64_t>(sections_, MtgSection::RankedOffsets),
           items<std::uint32_t>(sections_, MtgSection::RankedNeighbors),
           items<std::uint32_t>(sections_, MtgSection::RankedFrom), stored_halves(MtgSection::RankedHalves, 1)});
      graph.set_stored_halves(stored_halves(MtgSection::Halves, 0));
    }
    return graph;
  }

  const std::string& path_;
  const detail::WholeFile& file_;
  const detail::MtgNotes& notes_;
  const MappedPages pages_;  ///< That are let go of when they were checked.
  MtgHeader header_{};
  std::uint64_t content_key_ = 0;  ///< The checksum of the header and of the table, which has those of the sections.
  Sections sections_;
  std::array<std::uint64_t, kSections> sums_{};
  std::shared_ptr<const LabelDictionary> dictionary_;
  std::shared_ptr<const IdNames> names_;
};

}  // namespace

bool is_mtg_file(const std::string& path) {
  struct stat facts {};
  // Opening a pipe would take what is in it.
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const Result<std::unique_ptr<detail::LineSource>> source = detail::LineSource::open(path, {});
  return source && (*source)->is_mtg();
}

Result<Graph> read_mtg(const std::string& path, const IoOptions& options) {
  try {
    const detail::MtgNotes notes(path, options.notes_folder);
    Result<detail::WholeFile> file = detail::read_whole(path, options);
    if (!file) return file.error();
    PageLimit* const maybe_limit = PageLimit::of_reading();
    if (maybe_limit == nullptr || !file->is_mapped) return MtgReader(path, *file, notes).read();
    if (!file->is_watched) maybe_limit->watch(file->bytes, file->owner);
    return MtgReader(path, *file, notes, MappedPages(file->bytes)).read();
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

Result<MtgInPieces> read_mtg_in_pieces(const std::string& path, const IoOptions& options) {
  try {
    const detail::MtgNotes notes(path, options.notes_folder);
    Result<detail::WholeFile> file = detail::read_whole(path, options);
    if (!file) return file.error();
    if (!file->is_mapped) return detail::input_error(path, 0, "a packed .mtg cannot be read in pieces", "unpack it");
    const MappedPages pages(file->bytes);
    Result<Graph> graph = MtgReader(path, *file, notes, pages).read();
    if (!graph) return graph.error();
    pages.drop(file->bytes.data(), file->bytes.size());
    return MtgInPieces{std::move(*graph), pages};
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

}  // namespace matcha::runtime
