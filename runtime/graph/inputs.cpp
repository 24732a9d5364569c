#include "runtime/graph/inputs.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/graph/detail/raw_graph.h"
#include "runtime/graph/detail/source.h"
#include "runtime/machine.h"

namespace matcha::runtime {

namespace {

/// A list between its file and its ranks.
struct RawList {
  ListSpec spec;
  detail::Rows rows;
};

/// Labels of edges as texts.
void add_texts(const detail::LabelCells& labels, CellTexts& texts) {
  for (std::uint64_t at = 0; at < labels.size(); ++at) {
    const bool is_word = !labels.is_word.empty() && labels.is_word[at];
    const std::int64_t value = labels.values[at];
    texts.add(is_word ? labels.words[static_cast<std::size_t>(value)] : std::to_string(value));
  }
}

InputList finish_list(RawList& raw, const Universe& universe) {
  InputList list;
  list.size = raw.rows.count;
  list.table = raw.rows.table;
  for (std::size_t at = 0; at < raw.spec.columns.size(); ++at) {
    InputColumn& column = list.columns.emplace_back();
    column.kind = raw.spec.columns[at].kind;
    for (const detail::RowChunk& chunk : raw.rows.chunks) {
      const std::vector<std::int64_t>& cells = chunk.cells[at];
      switch (column.kind) {
        case ColumnKind::Vertex: {
          const std::size_t begin = column.ranks.size();
          column.ranks.resize(begin + cells.size());
          universe.ranks(cells.data(), cells.size(), column.ranks.data() + begin);
          break;
        }
        case ColumnKind::Label: add_texts(chunk.labels, column.texts); break;
        case ColumnKind::Int: column.ints.insert(column.ints.end(), cells.begin(), cells.end()); break;
        case ColumnKind::Float: {
          const std::size_t begin = column.floats.size();
          column.floats.resize(begin + cells.size());
          if (!cells.empty()) std::memcpy(column.floats.data() + begin, cells.data(), cells.size() * sizeof(double));
          break;
        }
        case ColumnKind::Text:
          if (at >= chunk.texts.size()) break;
          for (std::uint64_t cell = 0; cell < chunk.texts[at].size(); ++cell)
            column.texts.add(chunk.texts[at].at(cell));
          break;
      }
    }
  }
  return list;
}

/// The edges of a graph as a list.
Result<InputList> list_of(detail::RawGraph& raw, const Universe& universe, const LabelDictionary& dictionary) {
  ListSpec spec;
  for (const detail::RowChunk& chunk : raw.rows.chunks) {
    MATCHA_TRY(detail::check_numbers(raw.spec.path, dictionary, chunk.labels));
  }
  spec.columns = detail::columns_of(raw.spec, raw.is_blank);
  RawList edges{std::move(spec), std::move(raw.rows)};
  InputList list = finish_list(edges, universe);
  list.table = raw.report.table;
  if (!raw.labels) return list;
  const Buffer<std::int64_t> codes = MATCHA_TRY(detail::labels_by_rank(raw, universe, dictionary));
  CellTexts& labels = list.vertex_labels.emplace();
  for (const std::int64_t code : codes) labels.add(code == kNoLabel ? std::string() : dictionary.name(code));
  return list;
}

}  // namespace

ColumnRef::ColumnRef(const std::string& text) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) name = text;
}

struct InputSet::State {
  explicit State(IoOptions given) : options(std::move(given)), budget(options) { allow_threads(0); }

  bool is_taken(const std::string& name) const {
    for (const detail::RawGraph& graph : graphs) {
      if (graph.spec.name == name) return true;
    }
    for (const RawList& list : lists) {
      if (list.spec.name == name) return true;
    }
    return false;
  }

  Result<std::shared_ptr<const Universe>> make_universe() {
    if (ids != IdKind::Int) return make_named_universe();
    std::vector<IdSpan> spans;
    std::vector<IdRange> ranges;
    for (const detail::RawGraph& graph : graphs) detail::collect_ids(graph, spans, ranges);
    for (const RawList& list : lists) {
      for (std::size_t column = 0; column < list.spec.columns.size(); ++column) {
        if (list.spec.columns[column].kind != ColumnKind::Vertex) continue;
        for (const detail::RowChunk& chunk : list.rows.chunks) {
          spans.push_back(IdSpan{chunk.cells[column].data(), chunk.cells[column].size()});
        }
      }
    }
    Universe universe = MATCHA_TRY(Universe::from_ids(spans, ranges, budget.rest(options)));
    return std::make_shared<const Universe>(std::move(universe));
  }

  /// Replaces ids that are not int64 by their places.
  Result<std::shared_ptr<const Universe>> make_named_universe() {
    if (graphs.size() == 1 && lists.empty() && detail::is_lone_mtg(graphs[0])) {
      return graphs[0].mtg->shared_universe();
    }
    std::vector<detail::NamedCells> cells;
    for (detail::RawGraph& graph : graphs) detail::lift_mtg(graph, ids);
    for (detail::RawGraph& graph : graphs) detail::collect_names(graph, cells);
    for (RawList& list : lists) detail::collect_names(list.rows, list.spec.columns, cells);
    std::vector<std::vector<std::int64_t>*> columns;
    for (const detail::NamedCells& piece : cells) {
      columns.insert(columns.end(), piece.columns.begin(), piece.columns.end());
    }
    std::shared_ptr<const IdNames> names =
        MATCHA_TRY(ids == IdKind::Text ? detail::resolve_names(cells, budget.rest(options))
                                       : detail::resolve_unsigned(columns, budget.rest(options)));
    for (detail::RawGraph& graph : graphs) {
      if (!graph.mtg) continue;
      Buffer<std::int64_t> places(graph.mtg_ids.size());
      std::copy(graph.mtg_ids.begin(), graph.mtg_ids.end(), places.data());
      graph.mtg->share_universe(std::make_shared<const Universe>(Universe::from_sorted(std::move(places))));
    }
    return std::make_shared<const Universe>(Universe::named(names));
  }

  std::shared_ptr<const LabelDictionary> make_dictionary(const Universe& universe) const {
    std::vector<std::string> words;
    const auto lacks_some = [&universe](const detail::RawGraph& graph) {
      if (!graph.labels && graph.mtg && graph.mtg->view().labels != nullptr && !graph.vertex_ids.empty()) {
        return graph.mtg->view().universe < universe.size();
      }
      return graph.labels && !graph.labels->by_order &&
             (graph.labels->ids.size() < universe.size() || graph.labels->lacks_some());
    };
    // If only some vertices have labels, the others have the empty word.
    if (std::any_of(graphs.begin(), graphs.end(), lacks_some)) words.emplace_back();
    const auto add = [&words](const std::vector<std::string>& more) {
      words.insert(words.end(), more.begin(), more.end());
    };
    for (const detail::RawGraph& graph : graphs) {
      for (const detail::RowChunk& chunk : graph.rows.chunks) add(chunk.labels.words);
      if (graph.maybe_edges) add(graph.maybe_edges->words());
      if (graph.labels) add(graph.labels->cells.words);
      // A labels file replaces the vertices' own labels; words of edges stay.
      if (graph.mtg && (!graph.labels || graph.mtg->facts().word_info)) add(graph.mtg->dictionary().words());
    }
    return std::make_shared<const LabelDictionary>(std::move(words));
  }

  /// Reads a graph or list with the current kind of ids. If the kind changes, all earlier ones are read again.
  template <typename Read>
  Status add(const Read& read) {
    detail::RunIds run{ids, ids};
    Status added = read(run);
    const bool is_first = graphs.size() + lists.size() == (added ? 1 : 0);
    if (run.wanted == ids || (added && is_first)) {
      ids = run.wanted;
      return added;
    }
    if (added) drop_last();
    ids = run.wanted;
    MATCHA_TRY(read_again());
    return add(read);
  }

  Status add_graph(const GraphSpec& spec) {
    last_is_graph = true;
    return add([&](detail::RunIds& run) -> Status {
      detail::RawGraph graph = MATCHA_TRY(detail::read_raw_graph(spec, options, budget, run));
      graphs.push_back(std::move(graph));
      return Done{};
    });
  }

  Status add_list(const ListSpec& spec) {
    last_is_graph = false;
    return add([&](detail::RunIds& run) -> Status {
      detail::Rows rows = MATCHA_TRY(detail::read_list(spec, options, budget, run));
      lists.push_back(RawList{spec, std::move(rows)});
      return Done{};
    });
  }

  void drop_last() {
    if (last_is_graph) {
      graphs.pop_back();
    } else {
      lists.pop_back();
    }
  }

  Status read_again() {
    budget = detail::Budget(options);
    for (detail::RawGraph& graph : graphs) {
      detail::RunIds run{ids, ids};
      const GraphSpec spec = graph.spec;
      graph = MATCHA_TRY(detail::read_raw_graph(spec, options, budget, run));
    }
    for (RawList& list : lists) {
      detail::RunIds run{ids, ids};
      list.rows = MATCHA_TRY(detail::read_list(list.spec, options, budget, run));
    }
    return Done{};
  }

  IoOptions options;
  detail::Budget budget;
  IdKind ids = IdKind::Int;
  bool last_is_graph = false;  ///< True if `add` reads a graph.
  std::vector<detail::RawGraph> graphs;
  std::vector<RawList> lists;
};

InputSet::InputSet(IoOptions options) : state_(std::make_unique<State>(std::move(options))) {}
InputSet::~InputSet() = default;
InputSet::InputSet(InputSet&&) noexcept = default;
InputSet& InputSet::operator=(InputSet&&) noexcept = default;

Status InputSet::add_graph(const GraphSpec& spec) {
  if (state_->is_taken(spec.name)) {
    return detail::input_error("", 0, "input " + detail::quote(spec.name) + " is given twice");
  }
  try {
    return state_->add_graph(spec);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(spec.path);
  }
}

Status InputSet::add_list(const ListSpec& spec) {
  if (state_->is_taken(spec.name)) {
    return detail::input_error("", 0, "input " + detail::quote(spec.name) + " is given twice");
  }
  ListSpec whole = spec;
  if (whole.columns.empty()) whole.columns = {{0, ColumnKind::Vertex}, {1, ColumnKind::Vertex}};
  try {
    return state_->add_list(whole);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(spec.path);
  }
}

Result<Inputs> InputSet::finish() {
  const std::unique_ptr<State> state = std::exchange(state_, std::make_unique<State>(state_->options));
  try {
    Inputs inputs;
    std::shared_ptr<const Universe> universe = MATCHA_TRY(state->make_universe());
    inputs.universe = universe;
    inputs.dictionary = state->make_dictionary(*universe);
    for (detail::RawGraph& raw : state->graphs) {
      if (raw.spec.as_list) {
        inputs.lists.emplace(raw.spec.name, MATCHA_TRY(list_of(raw, *universe, *inputs.dictionary)));
        continue;
      }
      Graph graph =
          MATCHA_TRY(detail::prepare_graph(raw, inputs.universe, inputs.dictionary, state->options, state->budget));
      if (!graph.dictionary().copies().empty()) inputs.dictionary = graph.shared_dictionary();
      inputs.graphs.emplace(raw.spec.name, std::move(graph));
      inputs.reports.emplace(raw.spec.name, raw.report);
    }
    for (RawList& raw : state->lists) inputs.lists.emplace(raw.spec.name, finish_list(raw, *inputs.universe));
    return inputs;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<LoadedGraph> load_graph(const GraphSpec& spec, const IoOptions& options) {
  InputSet set(options);
  MATCHA_TRY(set.add_graph(spec));
  Inputs inputs = MATCHA_TRY(set.finish());
  return LoadedGraph{std::move(inputs.graphs.at(spec.name)), std::move(inputs.reports.at(spec.name))};
}

Result<InputList> edge_list(const Graph& graph) {
  try {
    const GraphView view = graph.view();
    InputList list;
    list.size = view.arc_count;
    list.columns.resize(view.edge_info != nullptr ? 3 : 2);
    std::vector<std::uint32_t>& sources = list.columns[0].ranks;
    sources.reserve(view.arc_count);
    for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
      const ArcRange arcs = arcs_of(view, rank);
      sources.insert(sources.end(), arcs.end - arcs.begin, static_cast<std::uint32_t>(rank));
    }
    list.columns[1].ranks.assign(view.neighbors, view.neighbors + view.arc_count);
    if (view.edge_info == nullptr) return list;
    InputColumn& info = list.columns[2];
    if (graph.facts().info == InfoKind::Float) {
      const double* const words = static_cast<const double*>(view.edge_info);
      info.kind = ColumnKind::Float;
      info.floats.assign(words, words + view.arc_count);
    } else {
      const std::int64_t* const words = static_cast<const std::int64_t*>(view.edge_info);
      info.kind = ColumnKind::Int;
      info.ints.assign(words, words + view.arc_count);
    }
    return list;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
