#include "runtime/graph/mtg.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <optional>

#include "runtime/graph/detail/mtg_checks.h"
#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/detail/mtg_notes.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/page_limit.h"
#include "runtime/graph/stats.h"
#include "runtime/parallel.h"

static_assert(std::endian::native == std::endian::little, "the arrays of a .mtg are used as they lie in the file");

namespace matcha::runtime {

namespace {

using detail::input_error;
using detail::MtgEntry;
using detail::MtgHeader;
using detail::MtgSection;

constexpr std::uint64_t kUniverseGrain = std::uint64_t{1} << 14;

/// Reads and checks a `.mtg` in memory.
class MtgReader {
 public:
  MtgReader(const std::string& path, const detail::WholeFile& file, const detail::MtgNotes& notes,
            const MappedPages& pages = {})
      : path_(path), file_(file), notes_(notes) {
    mtg_.path = path;
    mtg_.pages = pages;
  }

  Result<Graph> read() {
    MATCHA_TRY(read_header());
    MATCHA_TRY(read_table());
    MATCHA_TRY(check_sizes());
    const std::optional<GraphTotals> noted = notes_.find(content_key_, std::time(nullptr));
    MATCHA_TRY(noted ? Status(Done{}) : detail::check_mtg_content(mtg_));
    MATCHA_TRY(read_names());
    MATCHA_TRY(read_words());
    MATCHA_TRY(noted ? Status(Done{})
                     : detail::check_mtg_codes(mtg_, dictionary_ == nullptr ? 0 : dictionary_->words().size()));
    Graph graph = make_graph(noted);
    const std::time_t now = std::time(nullptr);
    if (!noted && notes_.may_add(now)) {
      graph.set_totals(totals_of(graph));
      notes_.add(content_key_, *graph.totals(), now);
    }
    return graph;
  }

 private:
  Status read_header() {
    const std::string_view bytes = file_.bytes;
    if (!bytes.starts_with(detail::kMtgMagic)) {
      return input_error(path_, 0, "the file is no .mtg", "make one with `matcha graph convert`");
    }
    if (bytes.size() < sizeof(MtgHeader)) return mtg_.corrupt("it ends inside its header");
    std::memcpy(&mtg_.header, bytes.data(), sizeof(mtg_.header));
    if (mtg_.header.endian_tag != detail::kMtgEndianTag) {
      return input_error(path_, 0, "the .mtg is from a machine with another byte order, or corrupt",
                         "convert the graph on this machine");
    }
    if (mtg_.header.version == 0 || mtg_.header.version > kMtgVersion) {
      return input_error(path_, 0,
                         "the .mtg has version " + std::to_string(mtg_.header.version) +
                             "; this program reads versions up to " + std::to_string(kMtgVersion),
                         mtg_.header.version > kMtgVersion ? "use a newer Matcha, or convert the graph again"
                                                           : "convert the graph again");
    }
    if (mtg_.header.section_count > most_sections()) return mtg_.corrupt("it has too many sections");
    const std::uint64_t table_end = sizeof(MtgHeader) + mtg_.header.section_count * sizeof(MtgEntry);
    if (bytes.size() < table_end + sizeof(std::uint64_t)) return mtg_.corrupt("it ends inside its section table");
    std::uint64_t sum = 0;
    std::memcpy(&sum, bytes.data() + table_end, sizeof(sum));
    if (sum != XXH3_64bits(bytes.data(), table_end)) return mtg_.corrupt("the checksum of its header is wrong");
    content_key_ = sum;
    if (mtg_.header.file_bytes != bytes.size()) {
      return input_error(path_, 0,
                         "the .mtg has " + std::to_string(bytes.size()) + " bytes and should have " +
                             std::to_string(mtg_.header.file_bytes),
                         "the file may be truncated; fetch or convert it again");
    }
    const std::uint64_t known = mtg_.header.version == 1   ? detail::kMtgFlagsOfFirst
                                : mtg_.header.version <= 3 ? detail::kMtgFlagsOfThird
                                                           : detail::kMtgKnownFlags;
    if ((mtg_.header.flags & ~known) != 0) return mtg_.corrupt("it has unknown flags");
    if (mtg_.header.universe > kMaxVertices) return mtg_.corrupt("it has too many vertices");
    return Done{};
  }

  std::uint64_t most_sections() const {
    if (mtg_.header.version == 1) return detail::kMtgSectionsOfFirst;
    if (mtg_.header.version == 2) return detail::kMtgSectionsOfSecond;
    if (mtg_.header.version == 3) return detail::kMtgSectionsOfThird;
    if (mtg_.header.version == 4) return detail::kMtgSectionsOfFourth;
    return mtg_.header.version == 5 ? detail::kMtgSectionsOfFifth : detail::kMtgSections;
  }

  Status read_table() {
    for (std::uint64_t at = 0; at < mtg_.header.section_count; ++at) {
      MtgEntry entry{};
      std::memcpy(&entry, file_.bytes.data() + sizeof(MtgHeader) + at * sizeof(MtgEntry), sizeof(entry));
      const std::uint64_t size = file_.bytes.size();
      if (entry.section == 0 || entry.section > most_sections()) return mtg_.corrupt("it has an unknown section");
      if (entry.begin % detail::kMtgAlignment != 0 || entry.begin > size || entry.bytes > size - entry.begin) {
        return mtg_.corrupt("a section lies outside the file");
      }
      std::optional<std::string_view>& place = mtg_.sections[entry.section];
      if (place) return mtg_.corrupt("a section occurs twice");
      place = file_.bytes.substr(entry.begin, entry.bytes);
      mtg_.sums[entry.section] = entry.xxh3;
    }
    return Done{};
  }

  bool has_size(MtgSection which, std::uint64_t count, std::uint64_t item_bytes) {
    const std::optional<std::string_view>& bytes = mtg_.section(which);
    return !bytes || (bytes->size() / item_bytes == count && bytes->size() % item_bytes == 0);
  }

  /// True if a section holds whole items; for sections whose number of items is not given elsewhere.
  bool is_whole(MtgSection which, std::uint64_t item_bytes) {
    const std::optional<std::string_view>& bytes = mtg_.section(which);
    return !bytes || bytes->size() % item_bytes == 0;
  }

  Status check_sizes() {
    if (!mtg_.section(MtgSection::Offsets) || !mtg_.section(MtgSection::Neighbors)) {
      return mtg_.corrupt("it has no edges section");
    }
    const bool good = has_size(MtgSection::Offsets, mtg_.header.universe + 1, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::Neighbors, mtg_.header.arc_count, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::Ids, mtg_.header.universe, sizeof(std::int64_t)) &&
                      has_size(MtgSection::Vertices, mtg_.header.vertex_count, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::Labels, mtg_.header.universe, sizeof(std::int64_t)) &&
                      has_size(MtgSection::EdgeInfo, mtg_.header.arc_count, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::RankedOffsets, mtg_.header.universe + 1, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::RankedNeighbors, mtg_.header.arc_count, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::RankedFrom, mtg_.header.universe, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::UnsignedIds, mtg_.header.universe, sizeof(std::uint64_t)) &&
                      has_size(MtgSection::Halves, 2 * mtg_.header.universe + 1, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::RankedHalves, 2 * mtg_.header.universe + 1, sizeof(std::uint32_t)) &&
                      has_size(MtgSection::HalfSizes, 2, sizeof(detail::MtgHalfSizes)) &&
                      has_size(MtgSection::LostRepeats, 1, sizeof(std::uint64_t)) &&
                      is_whole(MtgSection::LabelEntries, sizeof(LabelEntry)) &&
                      is_whole(MtgSection::LabelRows, sizeof(std::uint32_t)) &&
                      is_whole(MtgSection::LabelEnds, sizeof(std::uint32_t)) &&
                      is_whole(MtgSection::LabelItems, sizeof(std::uint32_t));
    if (!good) return mtg_.corrupt("the size of a section is wrong");
    if (!mtg_.section(MtgSection::Vertices) && mtg_.header.vertex_count != mtg_.header.universe) {
      return mtg_.corrupt("its number of vertices is wrong");
    }
    const bool has_info = mtg_.section(MtgSection::EdgeInfo).has_value();
    if (has_info != (mtg_.info_kind() != InfoKind::None))
      return mtg_.corrupt("its edge info is missing or of unknown kind");
    if ((mtg_.header.flags & detail::kMtgWordInfo) != 0 && mtg_.info_kind() != InfoKind::Int) {
      return mtg_.corrupt("its edge info is missing or of unknown kind");
    }
    const bool plain =
        (mtg_.header.flags & (detail::kMtgSimple | detail::kMtgDirected)) == detail::kMtgSimple && !has_info;
    for (const MtgSection which : {MtgSection::RankedOffsets, MtgSection::RankedNeighbors, MtgSection::RankedFrom}) {
      if (mtg_.section(which).has_value() != mtg_.is_ranked() || (mtg_.is_ranked() && !plain)) {
        return mtg_.corrupt("its order by degree is missing or out of place");
      }
    }
    for (const MtgSection which : {MtgSection::LabelRows, MtgSection::LabelEnds, MtgSection::LabelItems}) {
      if (mtg_.section(which).has_value() != mtg_.is_by_label() ||
          (mtg_.is_by_label() && mtg_.info_kind() != InfoKind::Int))
        return mtg_.corrupt("its edges by label are missing or out of place");
    }
    for (const MtgSection which : {MtgSection::RankedHalves, MtgSection::HalfSizes}) {
      if (mtg_.section(which).has_value() != mtg_.is_halved() || (mtg_.is_halved() && !mtg_.is_ranked()))
        return mtg_.corrupt("its halves of rows are missing or out of place");
    }
    return Done{};
  }

  /// Reads ids that are not int64.
  Status read_names() {
    const std::optional<std::string_view>& text = mtg_.section(MtgSection::TextIds);
    const std::uint64_t* const numbers = mtg_.items<std::uint64_t>(MtgSection::UnsignedIds);
    if (!text && numbers == nullptr) return Done{};
    if ((text && numbers != nullptr) || mtg_.section(MtgSection::Ids)) return mtg_.corrupt("it has ids of two kinds");
    Buffer<std::uint64_t> copy(mtg_.header.universe);
    if (!text) {
      if (!detail::ascends(numbers, mtg_.header.universe)) return mtg_.corrupt("its ids do not ascend");
      std::copy(numbers, numbers + mtg_.header.universe, copy.data());
      names_ = std::make_shared<const IdNames>(IdNames::unsigned_ids(std::move(copy)));
      return Done{};
    }
    const std::uint64_t head = mtg_.header.universe * sizeof(std::uint64_t);
    if (text->size() < head) return mtg_.corrupt("its ids are cut");
    if (head != 0) std::memcpy(copy.data(), text->data(), head);
    const std::string_view bytes = text->substr(head);
    std::uint64_t begin = 0;
    std::string_view before;
    for (std::uint64_t place = 0; place < mtg_.header.universe; ++place) {
      if (copy[place] <= begin || copy[place] > bytes.size()) return mtg_.corrupt("its ids are out of range");
      const std::string_view id = bytes.substr(begin, copy[place] - begin);
      if (place != 0 && id <= before) return mtg_.corrupt("its ids do not ascend");
      before = id;
      begin = copy[place];
    }
    if (begin != bytes.size()) return mtg_.corrupt("its ids are out of range");
    Buffer<char> kept(bytes.size());
    std::copy(bytes.begin(), bytes.end(), kept.data());
    names_ = std::make_shared<const IdNames>(IdNames::text_ids(std::move(copy), std::move(kept)));
    return Done{};
  }

  Status read_words() {
    const std::optional<std::string_view>& bytes = mtg_.section(MtgSection::Words);
    if (!bytes) return Done{};
    constexpr std::uint64_t kItem = sizeof(std::uint64_t);
    std::uint64_t count = 0;
    if (bytes->size() < kItem) return mtg_.corrupt("its label words are cut");
    std::memcpy(&count, bytes->data(), kItem);
    if (count > bytes->size() / kItem - 1) return mtg_.corrupt("its label words are cut");
    const std::string_view text = bytes->substr(kItem * (count + 1));
    std::vector<std::string> words;
    std::uint64_t begin = 0;
    for (std::uint64_t word = 0; word < count; ++word) {
      std::uint64_t end = 0;
      std::memcpy(&end, bytes->data() + kItem * (word + 1), kItem);
      if (end < begin || end > text.size()) return mtg_.corrupt("its label words are out of range");
      words.emplace_back(text.substr(begin, end - begin));
      begin = end;
    }
    const bool ascend = std::ranges::adjacent_find(words, std::greater_equal<>()) == words.end();
    if (begin != text.size() || !ascend) return mtg_.corrupt("its label words are not sorted");
    dictionary_ = std::make_shared<const LabelDictionary>(std::move(words));
    return Done{};
  }

  StoredHalves stored_halves(MtgSection which, std::size_t at) const {
    if (!mtg_.is_halved()) return {};
    const detail::MtgHalfSizes& sizes = mtg_.items<detail::MtgHalfSizes>(MtgSection::HalfSizes)[at];
    return {mtg_.items<std::uint32_t>(which),
            {sizes.longest_lower, sizes.lower_squares},
            {sizes.longest_upper, sizes.upper_squares}};
  }

  Graph make_graph(const std::optional<GraphTotals>& noted) {
    std::shared_ptr<const Universe> universe;
    const std::int64_t* const ids = mtg_.items<std::int64_t>(MtgSection::Ids);
    if (names_ != nullptr) {
      universe = std::make_shared<const Universe>(Universe::named(names_));
    } else if (ids == nullptr) {
      universe = std::make_shared<const Universe>(Universe::identity(mtg_.header.universe));
    } else {
      Buffer<std::int64_t> copy(mtg_.header.universe);
      for_blocks(Block(0, mtg_.header.universe, kUniverseGrain), [&](const Block& block) {
        PageLimit::check();
        std::copy(ids + block.begin(), ids + block.end(), copy.data() + block.begin());
      });
      universe = std::make_shared<const Universe>(Universe::from_sorted(std::move(copy)));
    }
    GraphView view{};
    view.arc_count = mtg_.header.arc_count;
    view.offsets = mtg_.items<std::uint64_t>(MtgSection::Offsets);
    view.neighbors = mtg_.items<std::uint32_t>(MtgSection::Neighbors);
    view.edge_info = mtg_.items<std::uint64_t>(MtgSection::EdgeInfo);
    view.labels = mtg_.items<std::int64_t>(MtgSection::Labels);
    view.vertices = mtg_.items<std::uint32_t>(MtgSection::Vertices);
    view.vertex_count = mtg_.header.vertex_count;
    GraphFacts facts;
    facts.directed = mtg_.is_directed();
    facts.simple = (mtg_.header.flags & detail::kMtgSimple) != 0;
    facts.loop_free = facts.simple || (mtg_.header.flags & detail::kMtgLoops) == 0;
    facts.all_loops = (mtg_.header.flags & detail::kMtgAllLoops) != 0;
    if (const std::uint64_t* lost = mtg_.items<std::uint64_t>(MtgSection::LostRepeats)) facts.lost_repeats = *lost;
    facts.info = mtg_.info_kind();
    facts.word_info = (mtg_.header.flags & detail::kMtgWordInfo) != 0;
    Graph graph = noted ? Graph::from_view(std::move(universe), view, facts, file_.owner, *noted)
                        : Graph::from_view(std::move(universe), view, facts, file_.owner);
    graph.set_content_key(content_key_);
    if (dictionary_ != nullptr) graph.set_dictionary(dictionary_);
    if (mtg_.is_by_label()) graph.set_label_slices(std::make_shared<LabelSlices>(mtg_.label_table(), file_.owner));
    if (mtg_.is_ranked()) {
      graph.set_stored_order(
          {(mtg_.header.flags & detail::kMtgLargestFirst) != 0, mtg_.items<std::uint64_t>(MtgSection::RankedOffsets),
           mtg_.items<std::uint32_t>(MtgSection::RankedNeighbors), mtg_.items<std::uint32_t>(MtgSection::RankedFrom),
           stored_halves(MtgSection::RankedHalves, 1)});
      graph.set_stored_halves(stored_halves(MtgSection::Halves, 0));
    }
    return graph;
  }

  const std::string& path_;
  const detail::WholeFile& file_;
  const detail::MtgNotes& notes_;
  detail::MtgFile mtg_;
  std::uint64_t content_key_ = 0;  ///< The checksum of the header and the table, which contains those of the sections.
  std::shared_ptr<const LabelDictionary> dictionary_;
  std::shared_ptr<const IdNames> names_;
};

}  // namespace

bool is_mtg_file(const std::string& path) {
  struct stat facts {};
  // Opening a pipe would consume its content.
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const Result<std::unique_ptr<detail::LineSource>> source = detail::LineSource::open(path, {});
  return source && (*source)->is_mtg();
}

Result<Graph> read_mtg(const std::string& path, const IoOptions& options) {
  try {
    const detail::MtgNotes notes(path, options.notes_folder);
    detail::WholeFile file = MATCHA_TRY(detail::read_whole(path, options));
    PageLimit* const maybe_limit = PageLimit::of_reading();
    if (maybe_limit == nullptr || !file.is_mapped) return MtgReader(path, file, notes).read();
    if (!file.is_watched) maybe_limit->watch(file.bytes, file.owner);
    return MtgReader(path, file, notes, MappedPages(file.bytes)).read();
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

Result<MtgInPieces> read_mtg_in_pieces(const std::string& path, const IoOptions& options) {
  try {
    const detail::MtgNotes notes(path, options.notes_folder);
    detail::WholeFile file = MATCHA_TRY(detail::read_whole(path, options));
    if (!file.is_mapped) return detail::input_error(path, 0, "a packed .mtg cannot be read in pieces", "unpack it");
    const MappedPages pages(file.bytes);
    Graph graph = MATCHA_TRY(MtgReader(path, file, notes, pages).read());
    pages.drop(file.bytes.data(), file.bytes.size());
    return MtgInPieces{std::move(graph), pages};
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

}  // namespace matcha::runtime
