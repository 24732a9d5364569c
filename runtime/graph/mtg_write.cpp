#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/detail/output.h"
#include "runtime/graph/detail/row_checks.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/mtg.h"
#include "runtime/graph/page_limit.h"

namespace matcha::runtime {

namespace {

using detail::MtgEntry;
using detail::MtgHeader;
using detail::MtgSection;

template <typename T>
std::string_view bytes_of(const T* data, std::uint64_t count) {
  return std::string_view(reinterpret_cast<const char*>(data), count * sizeof(T));
}

std::string words_section(const LabelDictionary& dictionary) {
  std::string numbers;
  std::string text;
  const auto add = [&numbers](std::uint64_t number) { numbers.append(bytes_of(&number, 1)); };
  add(dictionary.words().size());
  for (const std::string& word : dictionary.words()) {
    text += word;
    add(text.size());
  }
  return numbers + text;
}

std::uint64_t aligned(std::uint64_t at) {
  return (at + detail::kMtgAlignment - 1) / detail::kMtgAlignment * detail::kMtgAlignment;
}

/// The arcs of a hash-indexed graph, indexed by a CSR. Slots already point to arcs in the order of their vertices.
Buffer<std::uint64_t> offsets_of_slots(const GraphView& view) {
  Buffer<std::uint64_t> offsets(view.universe + 1);
  std::fill(offsets.begin(), offsets.end(), 0);
  for (std::uint64_t place = 0; place <= view.slot_mask; ++place) {
    const HashSlot& slot = view.slots[place];
    if (slot.vertex != kEmptySlot) offsets[slot.vertex + 1] = slot.end - slot.begin;
  }
  for (std::uint64_t vertex = 0; vertex < view.universe; ++vertex) offsets[vertex + 1] += offsets[vertex];
  return offsets;
}

struct Part {
  MtgSection section;
  std::string_view bytes;
};

detail::MtgHalfSizes half_sizes_of(const Graph& graph) {
  return {graph.lower_sizes().longest, graph.lower_sizes().squares, graph.upper_sizes().longest,
          graph.upper_sizes().squares};
}

/// Writes a section in pieces; it may be in a file larger than memory.
void write_slowly(std::string_view bytes, detail::OutputFile& file) {
  const std::uint64_t step = PageLimit::is_any() ? detail::kMtgPiece : bytes.size();
  for (std::uint64_t at = 0; at < bytes.size(); at += step) {
    PageLimit::check();
    file.write(bytes.substr(at, step));
  }
}

Status write_parts(const std::string& path, MtgHeader header, const std::vector<Part>& parts,
                   const IoOptions& options) {
  std::unique_ptr<detail::OutputFile> file = MATCHA_TRY(detail::OutputFile::create(path, Compression::None));
  std::vector<MtgEntry> table;
  const std::uint64_t head = sizeof(MtgHeader) + parts.size() * sizeof(MtgEntry);
  std::uint64_t at = aligned(head + sizeof(std::uint64_t));
  std::uint64_t end = at;
  for (const Part& part : parts) {
    table.push_back(MtgEntry{
        static_cast<std::uint64_t>(part.section), at, part.bytes.size(),
        header.version == 1 ? XXH3_64bits(part.bytes.data(), part.bytes.size()) : detail::mtg_sum(part.bytes)});
    end = at + part.bytes.size();
    at = aligned(end);
  }
  header.file_bytes = end;
  header.section_count = parts.size();
  std::string front(bytes_of(&header, 1));
  front.append(bytes_of(table.data(), table.size()));
  const std::uint64_t sum = XXH3_64bits(front.data(), front.size());
  front.append(bytes_of(&sum, 1));
  file->write(front);
  std::uint64_t written = front.size();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (options.cancelled()) return detail::interrupted_error();
    file->write(std::string(table[part].begin - written, '\0'));
    write_slowly(parts[part].bytes, *file);
    written = table[part].begin + parts[part].bytes.size();
  }
  return file->finish();
}

/// The number of repeats to store. Only queries that count arcs read it.
std::uint64_t lost_repeats(const Graph& graph) { return graph.facts().directed ? graph.facts().lost_repeats : 0; }

/// True if the file must record whether loops were dropped. Queries ask for all loops, even if there are none.
bool records_loops(const Graph& graph, bool has_info) {
  const GraphFacts& facts = graph.facts();
  return (!facts.simple && !facts.loop_free) || (facts.directed && facts.all_loops && !has_info);
}

/// The lowest version that can hold a graph. `least`: the version required by its sections.
std::uint32_t version_of(const Graph& graph, bool has_info, bool by_label, std::uint32_t least) {
  if (lost_repeats(graph) != 0) return 6;
  if (by_label || records_loops(graph, has_info)) return std::max(least, 4U);
  return graph.universe().names() != nullptr ? std::max(least, 3U) : least;
}

}  // namespace

Status write_mtg(const Graph& graph, const std::string& path, const IoOptions& options, RankedCopy ranked,
                 bool by_label) {
  try {
    const GraphView view = graph.view();
    Buffer<std::uint64_t> made;
    if (view.offsets == nullptr) made = offsets_of_slots(view);
    const std::uint64_t* const offsets = view.offsets != nullptr ? view.offsets : made.data();
    const std::string words = words_section(graph.dictionary());
    std::vector<Part> parts = {{MtgSection::Offsets, bytes_of(offsets, view.universe + 1)},
                               {MtgSection::Neighbors, bytes_of(view.neighbors, view.arc_count)}};
    std::string text_ids;
    if (const IdNames* const names = graph.universe().names().get(); names != nullptr) {
      if (names->kind() == IdKind::Text) text_ids = std::string(names->number_bytes()).append(names->text_bytes());
      parts.push_back(names->kind() == IdKind::Text ? Part{MtgSection::TextIds, text_ids}
                                                    : Part{MtgSection::UnsignedIds, names->number_bytes()});
    }
    if (view.original_ids != nullptr) parts.push_back({MtgSection::Ids, bytes_of(view.original_ids, view.universe)});
    if (view.vertices != nullptr) {
      parts.push_back({MtgSection::Vertices, bytes_of(view.vertices, view.vertex_count)});
    }
    if (view.labels != nullptr) parts.push_back({MtgSection::Labels, bytes_of(view.labels, view.universe)});
    if (!graph.dictionary().empty()) parts.push_back({MtgSection::Words, words});
    const bool has_info = view.edge_info != nullptr && graph.facts().info != InfoKind::None;
    if (has_info) {
      parts.push_back(
          {MtgSection::EdgeInfo, bytes_of(static_cast<const std::uint64_t*>(view.edge_info), view.arc_count)});
    }
    Buffer<std::uint32_t> from;
    if (ranked.graph != nullptr) {
      const GraphView other = ranked.graph->view();
      from = Buffer<std::uint32_t>(other.universe);
      graph.universe().ranks(other.original_ids, other.universe, from.data());
      parts.push_back({MtgSection::RankedOffsets, bytes_of(other.offsets, other.universe + 1)});
      parts.push_back({MtgSection::RankedNeighbors, bytes_of(other.neighbors, other.arc_count)});
      parts.push_back({MtgSection::RankedFrom, bytes_of(from.data(), from.size())});
    }
    const bool halved = ranked.graph != nullptr && graph.split_offsets().offsets != nullptr &&
                        ranked.graph->split_offsets().offsets != nullptr;
    std::array<detail::MtgHalfSizes, 2> sizes{};
    if (halved) {
      sizes = {half_sizes_of(graph), half_sizes_of(*ranked.graph)};
      const std::uint64_t items = 2 * view.universe + 1;
      parts.push_back({MtgSection::Halves, bytes_of(graph.split_offsets().offsets, items)});
      parts.push_back({MtgSection::RankedHalves, bytes_of(ranked.graph->split_offsets().offsets, items)});
      parts.push_back({MtgSection::HalfSizes, bytes_of(sizes.data(), sizes.size())});
    }
    if (by_label) {
      const LabelTable table = MATCHA_TRY(graph.label_slices().table(graph));
      parts.push_back({MtgSection::LabelEntries, bytes_of(table.labels.data(), table.labels.size())});
      parts.push_back({MtgSection::LabelRows, bytes_of(table.rows.data(), table.rows.size())});
      parts.push_back({MtgSection::LabelEnds, bytes_of(table.ends.data(), table.ends.size())});
      parts.push_back({MtgSection::LabelItems, bytes_of(table.items.data(), table.items.size())});
    }
    const std::uint64_t lost = lost_repeats(graph);
    if (lost != 0) parts.push_back({MtgSection::LostRepeats, bytes_of(&lost, 1)});
    MtgHeader header{};
    std::memcpy(header.magic, detail::kMtgMagic.data(), sizeof(header.magic));
    const bool is_long =
        std::ranges::any_of(parts, [](const Part& part) { return part.bytes.size() > detail::kMtgPiece; });
    const bool loops = !graph.facts().simple && !graph.facts().loop_free;
    const std::uint32_t least = halved ? 5 : is_long || ranked.graph != nullptr ? 2 : 1;
    header.version = version_of(graph, has_info, by_label, least);
    header.endian_tag = detail::kMtgEndianTag;
    header.flags = (graph.facts().directed ? detail::kMtgDirected : 0) |
                   (graph.facts().simple ? detail::kMtgSimple : 0) | (loops ? detail::kMtgLoops : 0) |
                   (header.version >= 4 && graph.facts().all_loops ? detail::kMtgAllLoops : 0) |
                   (ranked.graph == nullptr ? 0 : detail::kMtgByDegree) |
                   (ranked.graph != nullptr && ranked.halves == Halves::Lower ? detail::kMtgLargestFirst : 0) |
                   (has_info && graph.facts().word_info ? detail::kMtgWordInfo : 0) |
                   (has_info ? static_cast<std::uint64_t>(graph.facts().info) << detail::kMtgInfoShift : 0);
    header.universe = view.universe;
    header.arc_count = view.arc_count;
    header.vertex_count = view.vertex_count;
    return write_parts(path, header, parts, options);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

}  // namespace matcha::runtime
