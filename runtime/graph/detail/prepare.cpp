#include <tbb/parallel_sort.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "runtime/graph/detail/csr.h"
#include "runtime/graph/detail/info_in_pieces.h"
#include "runtime/graph/detail/raw_graph.h"
#include "runtime/graph/detail/rebase.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/graph/stats.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

/// The rows of a graph in ranks.
struct RankColumns {
  Buffer<std::uint32_t> sources;
  Buffer<std::uint32_t> targets;
  Buffer<std::uint64_t> info;
};

/// Replaces words of edge info by codes.
void put_labels(const LabelCells& labels, const LabelDictionary& dictionary, std::uint64_t* info) {
  std::vector<std::int64_t> codes;
  for (const std::string& word : labels.words) codes.push_back(*dictionary.code(word));
  for (std::uint64_t at = 0; at < labels.size(); ++at) {
    const bool word = !labels.is_word.empty() && labels.is_word[at];
    const std::int64_t value = labels.values[at];
    info[at] = static_cast<std::uint64_t>(word ? codes[static_cast<std::size_t>(value)] : value);
  }
}

RankColumns rank_rows(Rows& rows, const Universe& universe, const LabelDictionary& dictionary, bool with_info) {
  std::vector<std::uint64_t> begins(rows.chunks.size() + 1, 0);
  for (std::size_t at = 0; at < rows.chunks.size(); ++at) begins[at + 1] = begins[at] + rows.chunks[at].rows;
  RankColumns columns;
  columns.sources = Buffer<std::uint32_t>(rows.count);
  columns.targets = Buffer<std::uint32_t>(rows.count);
  if (with_info) columns.info = Buffer<std::uint64_t>(rows.count);
  for_indices(0, rows.chunks.size(), [&](std::size_t at) {
    RowChunk chunk = std::move(rows.chunks[at]);
    universe.ranks(chunk.cells[0].data(), chunk.rows, columns.sources.data() + begins[at]);
    universe.ranks(chunk.cells[1].data(), chunk.rows, columns.targets.data() + begins[at]);
    if (with_info && chunk.labels.size() != 0) {
      put_labels(chunk.labels, dictionary, columns.info.data() + begins[at]);
    } else if (with_info && chunk.rows != 0) {
      std::memcpy(columns.info.data() + begins[at], chunk.cells[2].data(), chunk.rows * sizeof(std::uint64_t));
    }
  });
  rows = Rows();
  return columns;
}

/// Drops the loops of a graph with edge info in place; returns their number.
std::uint64_t drop_loops(RankColumns& columns) {
  std::uint64_t kept = 0;
  const std::uint64_t count = columns.sources.size();
  for (std::uint64_t at = 0; at < count; ++at) {
    if (columns.sources[at] == columns.targets[at]) continue;
    columns.sources[kept] = columns.sources[at];
    columns.targets[kept] = columns.targets[at];
    columns.info[kept] = columns.info[at];
    ++kept;
  }
  columns.sources.truncate(kept);
  columns.targets.truncate(kept);
  columns.info.truncate(kept);
  return count - kept;
}

std::uint64_t count_loops(const RankColumns& columns) {
  std::uint64_t loops = 0;
  for (std::uint64_t at = 0; at < columns.sources.size(); ++at) loops += columns.sources[at] == columns.targets[at];
  return loops;
}

/// The arrays of a `.mtg` over a larger universe. Ranks grow but keep their order, so lists stay sorted.
GraphArrays rebase(const Graph& graph, const Universe& universe) {
  const GraphView view = graph.view();
  Buffer<std::int64_t> ids(view.universe);
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) ids[rank] = graph.universe().id(rank);
  Buffer<std::uint32_t> moved(view.universe);
  universe.ranks(ids.data(), ids.size(), moved.data());
  return rebased(view, moved, universe.size());
}

/// Copies of labels have codes above all labels, which must exist.
Status check_room_for_copies(const std::string& path, const LabelCells& labels) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (std::ranges::all_of(labels.values, [](std::int64_t value) { return value < kMost; })) return Done{};
  return input_error(path, 0, "a label of an edge is 2^62 or more", "use smaller numbers, or words");
}

/// Converts label cells to codes.
class LabelCoder {
 public:
  LabelCoder(const RawLabels& raw, const LabelDictionary& dictionary) : raw_(raw), has_words_(!dictionary.empty()) {
    for (const std::string& word : raw.cells.words) codes_.push_back(*dictionary.code(word));
  }

  Result<std::int64_t> code(std::uint64_t at) const {
    const std::int64_t value = raw_.cells.values[at];
    if (value == kNoLabel) return value;
    if (!raw_.cells.is_word.empty() && raw_.cells.is_word[at]) return codes_[static_cast<std::size_t>(value)];
    if (has_words_ && value < 0) return negative_label(raw_.path, raw_.lines[at], value);
    return value;
  }

 private:
  const RawLabels& raw_;
  bool has_words_;
  std::vector<std::int64_t> codes_;
};

std::uint64_t vertex_at(const GraphArrays& arrays, std::uint64_t at) {
  return arrays.vertices.data() != nullptr ? arrays.vertices[at] : at;
}

Error wrong_label_count(const RawLabels& raw, std::uint64_t vertices) {
  const std::uint64_t count = raw.cells.size();
  const std::uint64_t line = count > vertices ? raw.lines[vertices] : (raw.lines.empty() ? 0 : raw.lines.back());
  return input_error(
      raw.path, line,
      "the file has " + std::to_string(count) + " labels, the graph has " + std::to_string(vertices) + " vertices",
      "line i labels the i-th vertex in ascending order of ids; or write `id label` lines");
}

/// An id of a labels file, for messages.
std::string id_of(const Universe& universe, std::int64_t id) {
  return universe.names() != nullptr ? universe.names()->name(static_cast<std::uint64_t>(id)) : std::to_string(id);
}

Status assign_labels(const RawGraph& graph, const Universe& universe, const LabelDictionary& dictionary,
                     GraphArrays& arrays) {
  const RawLabels& raw = *graph.labels;
  const std::uint64_t vertices = arrays.vertices.data() != nullptr ? arrays.vertices.size() : universe.size();
  const LabelCoder coder(raw, dictionary);
  if (raw.by_order && raw.cells.size() != vertices) return wrong_label_count(raw, vertices);
  Buffer<std::int64_t> labels(universe.size());
  std::fill(labels.begin(), labels.end(), kNoLabel);
  for (std::uint64_t at = 0; at < raw.cells.size(); ++at) {
    std::int64_t code = MATCHA_TRY(coder.code(at));
    std::uint64_t rank = 0;
    if (raw.by_order) {
      rank = vertex_at(arrays, at);
    } else {
      const std::int64_t id = raw.ids[at];
      const std::optional<std::uint32_t> found = universe.rank(id);
      const bool known = found && (arrays.vertices.data() == nullptr ||
                                   std::binary_search(arrays.vertices.begin(), arrays.vertices.end(), *found));
      if (!known) {
        return input_error(raw.path, raw.lines[at], "vertex `" + id_of(universe, id) + "` is not in the graph",
                           graph.has_size_line
                               ? "the first line of the graph is taken as its size; `--header no`: it is an edge"
                               : "");
      }
      rank = *found;
      if (labels[rank] != kNoLabel) {
        return input_error(raw.path, raw.lines[at], "vertex `" + id_of(universe, id) + "` has a second label",
                           "several types of one vertex are one label, with `;` between: `1 Person;Admin`");
      }
    }
    labels[rank] = code;
  }
  const std::optional<std::int64_t> none = dictionary.code("");
  for (std::uint64_t at = 0; at < vertices && none; ++at) {
    std::int64_t& label = labels[vertex_at(arrays, at)];
    if (label == kNoLabel) label = *none;
  }
  arrays.labels = std::move(labels);
  return Done{};
}

bool same_ids(const Universe& a, const Universe& b) {
  if (a.size() != b.size() || a.is_identity() != b.is_identity() || a.kind() != b.kind()) return false;
  if (a.names() != b.names() && !(*a.names() == *b.names())) return false;
  return a.is_identity() || std::equal(a.ids(), a.ids() + a.size(), b.ids());
}

/// Adds the vertices that the files list to those of the edges.
void add_listed_vertices(const RawGraph& raw, const Universe& universe, VertexSet& vertices) {
  const auto add = [&](const std::vector<std::int64_t>& ids) {
    Buffer<std::uint32_t> ranks(ids.size());
    universe.ranks(ids.data(), ids.size(), ranks.data());
    vertices.add(ranks.data(), ranks.size());
  };
  add(raw.vertex_ids);
  if (raw.labels && !raw.is_closed) add(raw.labels->ids);
  if (raw.declared.count != 0) {
    const std::uint64_t first = universe.lower_rank(raw.declared.first);
    vertices.add_range(first, first + raw.declared.count);
  }
}

struct Prepared {
  GraphArrays arrays;
  GraphFacts facts;
  std::vector<LabelCopy> copies = {};
};

/// `count` times kNoLabel.
Buffer<std::uint64_t> blank_info(std::uint64_t count) {
  Buffer<std::uint64_t> info(count);
  std::fill(info.begin(), info.end(), static_cast<std::uint64_t>(kNoLabel));
  return info;
}

/// The adjacency of rows with edge info; fills the report, the facts of its info, and copies of labels.
Csr informed_csr(RawGraph& raw, const Universe& universe, RankColumns& columns, GraphFacts& facts,
                 std::vector<LabelCopy>& copies) {
  facts.info = raw.spec.info == ColumnKind::Float ? InfoKind::Float : InfoKind::Int;
  facts.blank_info = raw.is_blank;
  if (raw.spec.keep_loops) {
    facts.loop_free = count_loops(columns) == 0;
  } else {
    raw.report.loops = drop_loops(columns);
  }
  facts.all_loops = raw.report.loops == 0;
  const EdgeColumns edges{columns.sources.data(), columns.targets.data(), columns.sources.size()};
  if (raw.spec.temporal) {
    facts.simple = false;
    return multi_csr(universe.size(), edges, columns.info.data());
  }
  const bool keeps_repeats = raw.spec.keep_repeats && raw.spec.directed && raw.spec.info == ColumnKind::Label;
  SimpleCsr made = keeps_repeats ? repeated_csr(universe.size(), edges, columns.info.data(), copies)
                                 : labelled_csr(universe.size(), edges, columns.info.data(), raw.spec.directed);
  raw.report.duplicates = facts.lost_repeats = made.duplicates;
  raw.report.reversed = made.reversed;
  facts.simple = facts.loop_free && !has_parallels(made.csr);
  return std::move(made.csr);
}

std::uint64_t bytes_of_rows(const Rows& rows) {
  std::uint64_t bytes = 0;
  for (const RowChunk& chunk : rows.chunks) bytes += chunk.bytes();
  return bytes;
}

/// The peak memory for building the adjacency of `rows` rows: columns of ranks and sorted keys, or keys and the cleaned
/// keys. With edge info the columns stay to the end; with both directions there are twice as many.
std::uint64_t bytes_to_build(std::uint64_t rows, std::uint64_t vertices, bool informed, bool both) {
  constexpr std::uint64_t kPerVertex = 32;
  const std::uint64_t per_row = informed ? (both ? 84 : 28) : (both ? 16 : 12);
  return per_row * rows + kPerVertex * vertices;
}

/// Errors: Resource if a graph with edge information has too many edges.
Status check_count(const RawGraph& raw) {
  const bool informed = raw.spec.temporal || raw.spec.edge_info;
  const bool doubled = informed && !raw.spec.temporal && !raw.spec.directed;
  if (!informed || raw.rows.count <= kMaxVertices / (doubled ? 2 : 1)) return Done{};
  return Error{ErrorKind::Resource, "a graph with edge information has at most 4294967294 arcs", raw.spec.path, 0, ""};
}

Result<Prepared> prepare_rows(RawGraph& raw, const Universe& universe, const LabelDictionary& dictionary,
                              Budget& budget) {
  const bool temporal = raw.spec.temporal, informed = temporal || raw.spec.edge_info;
  const bool doubled = informed && !temporal && !raw.spec.directed;
  // The rows are freed when the columns of ranks exist, and these before the adjacency is complete.
  const std::uint64_t rows = bytes_of_rows(raw.rows);
  budget.give_back(rows);
  MATCHA_TRY(budget.check(std::max(rows, bytes_to_build(raw.rows.count, universe.size(), informed,
                                                        doubled || (!informed && !raw.spec.directed))),
                          raw.spec.path));
  MATCHA_TRY(check_count(raw));
  Prepared prepared;
  for (const RowChunk& chunk : raw.rows.chunks) {
    MATCHA_TRY(check_numbers(raw.spec.path, dictionary, chunk.labels));
    if (raw.spec.keep_repeats) MATCHA_TRY(check_room_for_copies(raw.spec.path, chunk.labels));
    prepared.facts.word_info = prepared.facts.word_info || !chunk.labels.words.empty();
  }
  RankColumns columns = rank_rows(raw.rows, universe, dictionary, informed && !raw.is_blank);
  VertexSet vertices(universe.size());
  vertices.add(columns.sources.data(), columns.sources.size());
  vertices.add(columns.targets.data(), columns.targets.size());
  add_listed_vertices(raw, universe, vertices);
  Csr csr;
  prepared.facts.directed = raw.spec.directed || temporal;
  prepared.facts.by_position = raw.report.format == Format::EdgeList && raw.spec.columns.empty();
  if (informed) {
    if (raw.is_blank) columns.info = blank_info(columns.sources.size());
    csr = informed_csr(raw, universe, columns, prepared.facts, prepared.copies);
  } else {
    const EdgeColumns edges{columns.sources.data(), columns.targets.data(), columns.sources.size()};
    SimpleCsr simple = simple_csr(
        universe.size(), edges, raw.spec.directed, [&] { columns = RankColumns(); }, raw.spec.keep_loops);
    raw.report.loops = simple.loops;
    prepared.facts.lost_repeats = raw.report.duplicates += simple.duplicates;
    raw.report.reversed = simple.reversed;
    prepared.facts.all_loops = simple.loops == 0;
    csr = std::move(simple.csr);
    if (raw.spec.keep_loops) prepared.facts.simple = prepared.facts.loop_free = !has_loops(csr);
  }
  prepared.arrays.offsets = std::move(csr.offsets);
  prepared.arrays.neighbors = std::move(csr.neighbors);
  prepared.arrays.edge_info = std::move(csr.edge_info);
  prepared.arrays.vertices = vertices.take();
  return prepared;
}

Result<Prepared> prepare_mtg(RawGraph& raw, const Universe& universe, const LabelDictionary& dictionary) {
  Prepared prepared;
  prepared.facts = raw.mtg->facts();
  prepared.arrays = rebase(*raw.mtg, universe);
  GraphArrays& arrays = prepared.arrays;
  const LabelDictionary& own = raw.mtg->dictionary();
  MATCHA_TRY(recode(raw.spec.path, own, dictionary, arrays.labels.data(), arrays.labels.size()));
  if (prepared.facts.word_info) {
    MATCHA_TRY(recode(raw.spec.path, own, dictionary, arrays.edge_info.data(), arrays.edge_info.size()));
  }
  if (raw.spec.simple) {
    const bool loops = raw.spec.keep_loops && !prepared.facts.loop_free;
    if (!prepared.facts.simple) {
      Csr csr = without_parallels(universe.size(), arrays.offsets.data(), arrays.neighbors.data(), loops);
      arrays.offsets = std::move(csr.offsets);
      arrays.neighbors = std::move(csr.neighbors);
    }
    arrays.edge_info = {};
    prepared.facts.all_loops = prepared.facts.all_loops && (loops || prepared.facts.loop_free);
    prepared.facts.simple = prepared.facts.loop_free = !loops;
    prepared.facts.info = InfoKind::None;
    prepared.facts.word_info = false;
  }
  if (raw.is_blank) {
    arrays.edge_info = blank_info(arrays.neighbors.size());
    prepared.facts.info = InfoKind::Int;
    prepared.facts.blank_info = true;
  }
  VertexSet vertices(universe.size());
  vertices.add(prepared.arrays.vertices.data(), prepared.arrays.vertices.size());
  add_listed_vertices(raw, universe, vertices);
  prepared.arrays.vertices = vertices.take();
  // Vertices that a table adds have no label.
  const std::optional<std::int64_t> none = dictionary.code("");
  if (arrays.labels.size() != 0 && none) {
    const std::uint64_t count = arrays.vertices.data() != nullptr ? arrays.vertices.size() : universe.size();
    for (std::uint64_t at = 0; at < count; ++at) {
      std::int64_t& label = arrays.labels[vertex_at(arrays, at)];
      if (label == kNoLabel) label = *none;
    }
  }
  return prepared;
}

/// Checks that a `.mtg` has the requested loops, and no others.
Status check_loops(const RawGraph& raw) {
  const GraphFacts& facts = raw.mtg->facts();
  if (raw.spec.keep_loops && !facts.all_loops) {
    return input_error(
        raw.spec.path, 0, "the .mtg does not have the loops of the file that it was made from",
        "make it with `matcha graph convert --directed --keep-loops`, and `--edge-labels` if it has some");
  }
  if (!facts.loop_free && !raw.spec.keep_loops && !raw.spec.simple) {
    return input_error(raw.spec.path, 0, "the .mtg has loops",
                       "add `--keep-loops`, or make it without that option of `matcha graph convert`");
  }
  return Done{};
}

/// Checks that a `.mtg` has the requested edge info.
Status check_info(const RawGraph& raw, const LabelDictionary& dictionary) {
  if ((!raw.spec.edge_info && !raw.spec.temporal) || raw.is_blank) return Done{};
  const GraphView view = raw.mtg->view();
  const GraphFacts& facts = raw.mtg->facts();
  if (view.arc_count == 0) return Done{};
  if (facts.info == InfoKind::None) {
    return input_error(raw.spec.path, 0, "the edges of the .mtg have no labels or other information",
                       "make it with `matcha graph convert --edge-labels`, or --temporal");
  }
  if ((facts.info == InfoKind::Float) != (raw.spec.info == ColumnKind::Float)) {
    return input_error(raw.spec.path, 0,
                       std::string("the edge info of the .mtg is ") +
                           (facts.info == InfoKind::Float ? "float, not int" : "int, not float"));
  }
  const std::int64_t* const values = static_cast<const std::int64_t*>(view.edge_info);
  if (raw.spec.info != ColumnKind::Label || facts.word_info || dictionary.empty()) return Done{};
  const std::int64_t* const negative =
      std::find_if(values, values + view.arc_count, [](std::int64_t value) { return value < 0; });
  return negative == values + view.arc_count ? Status(Done{}) : Status(negative_label(raw.spec.path, 0, *negative));
}

/// The adjacency of edges in a file with information; fills the facts of its info.
Result<CsrInFile> informed_pieces(RawGraph& raw, const Universe& universe, std::uint64_t besides,
                                  const IoOptions& options, GraphFacts& facts) {
  const GraphSpec& spec = raw.spec;
  const InfoRules rules{spec.directed || spec.temporal, spec.keep_loops, spec.temporal};
  InfoCsr made = MATCHA_TRY(info_csr_in_pieces(universe.size(), *raw.maybe_edges, rules, besides, options));
  facts.info = spec.info == ColumnKind::Float ? InfoKind::Float : InfoKind::Int;
  facts.word_info = !raw.maybe_edges->words().empty();
  if (spec.keep_loops) facts.loop_free = !made.has_loops;
  facts.simple = !spec.temporal && facts.loop_free && !made.has_parallels;
  return std::move(made.csr);
}

std::shared_ptr<const LabelDictionary> with_copies(LabelDictionary dictionary, std::vector<LabelCopy> copies) {
  dictionary.set_copies(std::move(copies));
  return std::make_shared<const LabelDictionary>(std::move(dictionary));
}

/// Prepares a graph whose edges stay in a file.
Result<Graph> prepare_pieces(RawGraph& raw, const std::shared_ptr<const Universe>& universe,
                             const LabelDictionary& dictionary, const IoOptions& options) {
  MATCHA_TRY(check_count(raw));
  if (raw.maybe_edges->negative() && !dictionary.empty())
    return negative_label(raw.spec.path, 0, *raw.maybe_edges->negative());
  GraphArrays arrays;
  if (raw.labels) {
    MATCHA_TRY(assign_labels(raw, *universe, dictionary, arrays));
    raw.labels.reset();
  }
  raw.rows = {};
  raw.vertex_ids = {};
  (void)std::exchange(raw.vertex_names, NameTable());
  // In a run with one graph, all ids are vertices of it.
  std::uint64_t besides = raw.maybe_edges->rank_by(universe, dictionary) + arrays.labels.size() * sizeof(std::int64_t);
  if (universe->names() != nullptr) besides += universe->names()->bytes();
  GraphFacts facts;
  facts.directed = raw.spec.directed || raw.spec.temporal;
  const bool informed = raw.spec.temporal || raw.spec.edge_info;
  CsrInFile csr =
      MATCHA_TRY(informed ? informed_pieces(raw, *universe, besides, options, facts)
                          : csr_in_pieces(universe->size(), *raw.maybe_edges, raw.spec.directed, besides, options));
  raw.maybe_edges.reset();
  raw.report.loops = csr.loops;
  facts.lost_repeats = raw.report.duplicates += csr.duplicates;
  raw.report.reversed = csr.reversed;
  facts.all_loops = csr.loops == 0;
  csr.labels = std::move(arrays.labels);
  Graph graph = graph_in_file(universe, std::move(csr), facts);
  if (facts.info != InfoKind::Int || raw.spec.temporal) return graph;
  MATCHA_TRY(slice_in_pieces(graph, besides, options));
  return graph;
}

}  // namespace

void fill_report(const Graph& graph, LoadReport& report) {
  const GraphView view = graph.view();
  const Universe& universe = graph.universe();
  report.directed = graph.facts().directed;
  report.parallel = !graph.facts().simple;
  report.temporal = report.directed && report.parallel;
  report.edge_info = view.edge_info != nullptr;
  report.vertices = graph.vertex_count();
  report.edges = graph.edge_count();
  report.max_degree = view.max_degree;
  const GraphTotals totals = graph.totals() ? *graph.totals() : totals_of(graph);
  report.isolated = totals.isolated;
  report.unlabelled = totals.unlabelled;
  report.labels = totals.label_codes - (totals.unlabelled != 0 && graph.dictionary().code("") ? 1 : 0);
  report.ids = universe.kind();
  report.graph_bytes = graph.bytes();
  if (report.vertices == 0) return;
  const std::uint64_t first = view.vertices != nullptr ? view.vertices[0] : 0;
  const std::uint64_t last = view.vertices != nullptr ? view.vertices[view.vertex_count - 1] : view.universe - 1;
  report.min_id = universe.id(first);
  report.max_id = universe.id(last);
  if (universe.names() != nullptr) {
    report.first_id = universe.id_text(first);
    report.last_id = universe.id_text(last);
  }
  report.identity_ids = report.min_id == 0 && static_cast<std::uint64_t>(report.max_id) == report.vertices - 1;
}

Status check_numbers(const std::string& path, const LabelDictionary& dictionary, const LabelCells& labels) {
  for (std::uint64_t at = 0; at < labels.size() && !dictionary.empty(); ++at) {
    const bool word = !labels.is_word.empty() && labels.is_word[at];
    if (!word && labels.values[at] < 0) return negative_label(path, 0, labels.values[at]);
  }
  return Done{};
}

Result<Buffer<std::int64_t>> labels_by_rank(const RawGraph& raw, const Universe& universe,
                                            const LabelDictionary& dictionary) {
  GraphArrays arrays;
  MATCHA_TRY(assign_labels(raw, universe, dictionary, arrays));
  return std::move(arrays.labels);
}

Result<Graph> prepare_graph(RawGraph& raw, const std::shared_ptr<const Universe>& universe,
                            const std::shared_ptr<const LabelDictionary>& dictionary, const IoOptions& options,
                            Budget& budget) {
  if (options.cancelled()) return interrupted_error();
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  MATCHA_TRY(raw.mtg ? check_info(raw, *dictionary) : Status(Done{}));
  MATCHA_TRY(raw.mtg ? check_loops(raw) : Status(Done{}));
  Graph graph;
  std::vector<LabelCopy> copies;
  const bool stays_mapped = raw.mtg && same_ids(raw.mtg->universe(), *universe) && raw.vertex_ids.empty() &&
                            !raw.labels && !raw.is_blank && raw.mtg->dictionary().words() == dictionary->words() &&
                            (raw.mtg->facts().simple || !raw.spec.simple);
  if (stays_mapped) {
    graph = std::move(*raw.mtg);
    graph.share_universe(universe);
  } else if (raw.maybe_edges) {
    graph = MATCHA_TRY(prepare_pieces(raw, universe, *dictionary, options));
  } else {
    Prepared prepared = MATCHA_TRY(raw.mtg ? prepare_mtg(raw, *universe, *dictionary)
                                           : prepare_rows(raw, *universe, *dictionary, budget));
    if (raw.labels) {
      MATCHA_TRY(assign_labels(raw, *universe, *dictionary, prepared.arrays));
    }
    graph = Graph::from_arrays(universe, std::move(prepared.arrays), prepared.facts);
    budget.used += graph.bytes();
    copies = std::move(prepared.copies);
  }
  graph.set_dictionary(copies.empty() ? dictionary : with_copies(*dictionary, std::move(copies)));
  // Few programs use halves of the lists of a directed graph; those compute them when they run.
  MATCHA_TRY(graph.facts().directed ? Status(Done{}) : ensure_split_offsets(graph));
  fill_report(graph, raw.report);
  raw.report.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return graph;
}

}  // namespace matcha::runtime::detail
