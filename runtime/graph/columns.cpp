#include "runtime/graph/columns.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/graph/detail/column_ids.h"
#include "runtime/graph/detail/csr.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/label_form.h"
#include "runtime/machine.h"

/// Graphs from columns in memory.
namespace matcha::runtime {

namespace {

using detail::Csr;

Error column_error(std::string message, std::string hint = {}) {
  return Error{ErrorKind::Input, std::move(message), "", 0, std::move(hint)};
}

/// The first item for which `is_wrong` holds.
template <typename Wrong>
std::optional<std::uint64_t> find_item(const IntColumn& column, const Wrong& is_wrong) {
  return with_items(column, [&](const auto& items) -> std::optional<std::uint64_t> {
    for (std::uint64_t at = 0; at < column.count; ++at) {
      if (is_wrong(items[at])) return at;
    }
    return std::nullopt;
  });
}

/// Unsigned ids of 64 bits may be too large.
Status check_ids(const IntColumn& ids, std::string_view called) {
  if (ids.kind != IntColumn::Kind::Uint64) return Done{};
  const std::optional<std::uint64_t> large = find_item(ids, [](auto id) {
    return static_cast<std::uint64_t>(id) > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  });
  if (!large) return Done{};
  return column_error(std::string(called) + " " + std::to_string(*large) + ": an id is 2^63 or more");
}

/// The number that a word is, as in a file of labels; the one that no label has stays a word.
std::optional<std::int64_t> number_of(const std::string& word) {
  const std::optional<std::int64_t> number = label_number(word);
  return number == kNoLabel ? std::nullopt : number;
}

std::string place_of(std::string_view called, std::uint64_t at) {
  return std::string(called) + " " + std::to_string(at);
}

Status check_labels(const LabelColumn& labels, std::uint64_t count, std::string_view called) {
  if (!labels.is_there()) return Done{};
  if (labels.codes.count != count) {
    return column_error(std::to_string(labels.codes.count) + " labels for " + std::to_string(count) + " items of " +
                        std::string(called));
  }
  const std::int64_t words = static_cast<std::int64_t>(labels.words.size());
  if (words == 0) return Done{};
  const std::optional<std::uint64_t> wrong = find_item(labels.codes, [words](auto item) {
    const std::int64_t code = static_cast<std::int64_t>(item);
    return code != kNoLabel && (code < 0 || code >= words);
  });
  if (!wrong) return Done{};
  return column_error(place_of(called, *wrong) + ": the label is no position in the words");
}

/// Negative labels would be mistaken for codes of words.
Status check_negative(const LabelColumn& labels, std::string_view called) {
  if (!labels.is_there()) return Done{};
  const std::optional<std::uint64_t> wrong = find_item(labels.codes, [&](auto item) {
    const std::int64_t code = static_cast<std::int64_t>(item);
    if (code == kNoLabel) return false;
    return (labels.words.empty() ? code : number_of(labels.words[static_cast<std::size_t>(code)]).value_or(0)) < 0;
  });
  if (!wrong) return Done{};
  return column_error(place_of(called, *wrong) + ": a negative label beside labels that are words or missing",
                      "use numbers from 0");
}

Status check_columns(const ColumnInput& input) {
  if (input.sources.count != input.targets.count) {
    return column_error(std::to_string(input.sources.count) + " sources and " + std::to_string(input.targets.count) +
                        " targets");
  }
  for (Status status :
       {check_ids(input.sources, "source"), check_ids(input.targets, "target"), check_ids(input.vertices, "vertex"),
        check_labels(input.edge_labels, input.sources.count, "edge"),
        check_labels(input.vertex_labels, input.vertices.count, "vertex")}) {
    if (!status) return status;
  }
  const bool informed = input.edge_labels.is_there() || input.edge_floats != nullptr;
  if (input.keep_loops && !input.directed) return column_error("loops are kept of directed graphs");
  if (informed && input.sources.count > kMaxVertices / (input.directed ? 1 : 2)) {
    return Error{ErrorKind::Resource, "a graph with edge information has at most 4294967294 arcs", "", 0, ""};
  }
  return Done{};
}

/// The code in the graph of each label of a column; a missing label has the code of the empty word.
class Coder {
 public:
  Coder(const LabelColumn& labels, const LabelDictionary& dictionary) : none_(dictionary.code("").value_or(kNoLabel)) {
    for (const std::string& word : labels.words) {
      const std::optional<std::int64_t> number = number_of(word);
      codes_.push_back(number ? *number : *dictionary.code(word));
    }
  }
  std::int64_t operator()(std::int64_t label) const {
    if (label == kNoLabel) return none_;
    return codes_.empty() ? label : codes_[static_cast<std::size_t>(label)];
  }

 private:
  std::int64_t none_;
  std::vector<std::int64_t> codes_;
};

bool are_alike(const IntColumn& a, const IntColumn& b) {
  const auto is_narrow = [](const IntColumn& c) {
    return c.kind == IntColumn::Kind::Int32 || c.kind == IntColumn::Kind::Uint32;
  };
  return is_narrow(a) == is_narrow(b) && a.stride == b.stride;
}

/// The ends of the edges as ranks.
struct RankedEnds {
  RankedEnds(const ColumnInput& input, const Universe& universe)
      : sources(input.sources.count), targets(input.sources.count) {
    detail::ranks_of(universe, input.sources, sources.data());
    detail::ranks_of(universe, input.targets, targets.data());
  }
  IntColumn column(const Buffer<std::uint32_t>& ends) const {
    return {ends.data(), ends.size(), IntColumn::Kind::Uint32, sizeof(std::uint32_t)};
  }

  Buffer<std::uint32_t> sources, targets;
};

/// The adjacency without edge information; without loops unless they are kept.
detail::SimpleCsr simple_adjacency(const ColumnInput& input, const Universe& universe) {
  if (!input.keep_loops && universe.is_identity() && are_alike(input.sources, input.targets)) {
    return detail::simple_csr_in_place(universe.size(), input.sources, input.targets, input.directed);
  }
  const RankedEnds ends(input, universe);
  if (input.keep_loops) {
    const detail::EdgeColumns edges{ends.sources.data(), ends.targets.data(), ends.sources.size()};
    return detail::simple_csr(universe.size(), edges, true, {}, true);
  }
  return detail::simple_csr_in_place(universe.size(), ends.column(ends.sources), ends.column(ends.targets),
                                     input.directed);
}

/// The adjacency with edge information; without loops unless they are kept. `loops`: the number of loops.
detail::SimpleCsr informed_adjacency(const ColumnInput& input, const Universe& universe,
                                     const LabelDictionary& dictionary, std::uint64_t& loops) {
  RankedEnds ends(input, universe);
  Buffer<std::uint64_t> info(input.sources.count);
  const Coder code(input.edge_labels, dictionary);
  std::uint64_t kept = 0;
  const auto keep = [&](const auto& word_of) {
    for (std::uint64_t at = 0; at < input.sources.count; ++at) {
      if (ends.sources[at] == ends.targets[at]) {
        ++loops;
        if (!input.keep_loops) continue;
      }
      ends.sources[kept] = ends.sources[at];
      ends.targets[kept] = ends.targets[at];
      info[kept++] = word_of(at);
    }
  };
  if (input.edge_floats != nullptr) {
    keep([&](std::uint64_t at) {
      std::uint64_t word = 0;
      std::memcpy(&word, input.edge_floats + at, sizeof(word));
      return word;
    });
  } else {
    with_items(input.edge_labels.codes, [&](const auto& items) {
      keep([&](std::uint64_t at) { return static_cast<std::uint64_t>(code(static_cast<std::int64_t>(items[at]))); });
    });
  }
  return detail::labelled_csr(universe.size(), {ends.sources.data(), ends.targets.data(), kept}, info.data(),
                              input.directed);
}

bool is_missing(const LabelColumn& labels) {
  return labels.is_there() &&
         find_item(labels.codes, [](auto code) { return static_cast<std::int64_t>(code) == kNoLabel; });
}

/// True if an id of the edges is not among the listed vertices.
bool omits_some(const ColumnInput& input, const Universe& universe, const Buffer<std::uint32_t>& ranks) {
  if (!input.vertex_labels.is_there()) return false;
  std::vector<bool> listed(universe.size());
  std::uint64_t count = 0;
  for (const std::uint32_t rank : ranks) {
    count += listed[rank] ? 0 : 1;
    listed[rank] = true;
  }
  return count < universe.size();
}

/// A label for each rank. `ranks`: those of `input.vertices`.
Status fill_labels(const ColumnInput& input, const Universe& universe, const Buffer<std::uint32_t>& ranks,
                   const LabelDictionary& dictionary, Buffer<std::int64_t>& labels) {
  if (!input.vertex_labels.is_there()) return Done{};
  const std::int64_t none = dictionary.code("").value_or(kNoLabel);
  labels = Buffer<std::int64_t>(universe.size());
  std::fill(labels.begin(), labels.end(), none);
  const Coder code(input.vertex_labels, dictionary);
  return with_items(input.vertex_labels.codes, [&](const auto& items) -> Status {
    for (std::uint64_t at = 0; at < ranks.size(); ++at) {
      const std::int64_t label = code(static_cast<std::int64_t>(items[at]));
      std::int64_t& known = labels[ranks[at]];
      if (known != none && label != none && known != label) {
        return column_error("vertex " + std::to_string(at) + " has id " + universe.id_text(ranks[at]) +
                            ", which has another label already");
      }
      if (label != none) known = label;
    }
    return Done{};
  });
}

/// The words of all labels. `lacks_some`: a vertex or an edge has no label, so the empty word is one of them.
std::shared_ptr<const LabelDictionary> dictionary_of(const ColumnInput& input, bool lacks_some) {
  std::vector<std::string> words = input.edge_labels.words;
  words.insert(words.end(), input.vertex_labels.words.begin(), input.vertex_labels.words.end());
  std::erase_if(words, [](const std::string& word) { return number_of(word).has_value(); });
  if (lacks_some) words.emplace_back();
  return std::make_shared<const LabelDictionary>(std::move(words));
}

/// The same arcs without information, each once; without loops unless they are kept. Shares arrays of `base` that are
/// the same.
Graph plain_graph(const std::shared_ptr<const Graph>& base, bool keep_loops) {
  GraphFacts facts = base->facts();
  GraphView view = base->view();
  view.edge_info = nullptr;
  facts.info = InfoKind::None;
  facts.word_info = false;
  if (facts.simple) return Graph::from_view(base->shared_universe(), view, facts, base);
  keep_loops = keep_loops && !facts.loop_free;
  facts.simple = facts.loop_free = !keep_loops;
  Csr csr = detail::without_parallels(view.universe, view.offsets, view.neighbors, keep_loops);
  GraphArrays arrays;
  arrays.offsets = std::move(csr.offsets);
  arrays.neighbors = std::move(csr.neighbors);
  const auto copy = [](const auto* items, std::uint64_t count, auto& to) {
    if (items == nullptr) return;
    to = std::decay_t<decltype(to)>(count);
    std::copy_n(items, count, to.data());
  };
  copy(view.labels, view.universe, arrays.labels);
  copy(view.vertices, view.vertex_count, arrays.vertices);
  return Graph::from_arrays(base->shared_universe(), std::move(arrays), facts);
}

/// Gives a graph derived from `base` its words and split offsets.
Status make_ready(Graph& graph, const std::shared_ptr<const Graph>& base) {
  graph.set_dictionary(std::shared_ptr<const LabelDictionary>(base, &base->dictionary()));
  return ensure_split_offsets(graph);
}

Result<ColumnGraphs> graphs_of(const ColumnInput& input, const IoOptions& options) {
  MATCHA_TRY(check_columns(input));
  Universe ids = MATCHA_TRY(detail::universe_of({input.sources, input.targets, input.vertices}, {}, options));
  if (input.name_count != 0) {
    if (!ids.is_identity() || ids.size() != input.name_count) {
      return column_error("the ids are not the places of " + std::to_string(input.name_count) + " names");
    }
    ids = input.maybe_names != nullptr ? Universe::named(input.maybe_names) : Universe::places(input.name_count);
  }
  const auto universe = std::make_shared<const Universe>(std::move(ids));
  Buffer<std::uint32_t> ranks(input.vertex_labels.is_there() ? input.vertices.count : 0);
  if (!ranks.empty()) detail::ranks_of(*universe, input.vertices, ranks.data());
  const bool edges_lack = is_missing(input.edge_labels);
  const bool lacks_some = edges_lack || is_missing(input.vertex_labels) || omits_some(input, *universe, ranks);
  const std::shared_ptr<const LabelDictionary> dictionary = dictionary_of(input, lacks_some);
  GraphArrays arrays;
  MATCHA_TRY(fill_labels(input, *universe, ranks, *dictionary, arrays.labels));
  if (!dictionary->empty()) MATCHA_TRY(check_negative(input.edge_labels, "edge"));
  if (!dictionary->empty()) MATCHA_TRY(check_negative(input.vertex_labels, "vertex"));
  if (options.cancelled()) return detail::interrupted_error();
  const bool informed = input.edge_labels.is_there() || input.edge_floats != nullptr;
  std::uint64_t loops = 0;
  detail::SimpleCsr made =
      informed ? informed_adjacency(input, *universe, *dictionary, loops) : simple_adjacency(input, *universe);
  Csr csr = std::move(made.csr);
  if (options.cancelled()) return detail::interrupted_error();
  GraphFacts facts;
  facts.directed = input.directed;
  facts.lost_repeats = made.duplicates;
  if (!informed) {
    facts.all_loops = made.loops == 0;
    if (input.keep_loops) facts.simple = facts.loop_free = !detail::has_loops(csr);
  } else {
    facts.all_loops = input.keep_loops || loops == 0;
    facts.loop_free = !input.keep_loops || loops == 0;
    facts.simple = facts.loop_free && !detail::has_parallels(csr);
    facts.info = input.edge_floats != nullptr ? InfoKind::Float : InfoKind::Int;
    facts.word_info = (!input.edge_labels.words.empty() || edges_lack) && !dictionary->empty();
  }
  arrays.offsets = std::move(csr.offsets);
  arrays.neighbors = std::move(csr.neighbors);
  arrays.edge_info = std::move(csr.edge_info);
  Graph graph = Graph::from_arrays(universe, std::move(arrays), facts);
  graph.set_dictionary(dictionary);
  if (informed) return graphs_of_informed(std::move(graph));
  if (!facts.loop_free) return graphs_of_looped(std::move(graph));
  MATCHA_TRY(ensure_split_offsets(graph));
  return ColumnGraphs{std::move(graph), std::nullopt};
}

}  // namespace

Result<ColumnGraphs> graphs_of_informed(Graph informed) {
  try {
    const auto base = std::make_shared<const Graph>(std::move(informed));
    ColumnGraphs graphs;
    graphs.maybe_informed = Graph::from_view(base->shared_universe(), base->view(), base->facts(), base);
    // Edges by label, which a file may provide.
    graphs.maybe_informed->set_label_slices(std::shared_ptr<LabelSlices>(base, &base->label_slices()));
    graphs.simple = plain_graph(base, false);
    for (Graph* graph : {&graphs.simple, &*graphs.maybe_informed}) {
      MATCHA_TRY(make_ready(*graph, base));
    }
    return graphs;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<ColumnGraphs> graphs_of_looped(Graph looped) {
  try {
    const auto base = std::make_shared<const Graph>(std::move(looped));
    ColumnGraphs graphs;
    graphs.simple = plain_graph(base, false);
    if (!base->facts().loop_free) graphs.maybe_looped = Graph::alias(*base, base);
    MATCHA_TRY(make_ready(graphs.simple, base));
    if (graphs.maybe_looped) MATCHA_TRY(make_ready(*graphs.maybe_looped, base));
    return graphs;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> looped_of_informed(const std::shared_ptr<const Graph>& informed) {
  try {
    Graph looped = plain_graph(informed, true);
    MATCHA_TRY(make_ready(looped, informed));
    return looped;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> blank_graph(const std::shared_ptr<const Graph>& graph) {
  try {
    struct Kept {
      std::shared_ptr<const Graph> graph;
      std::vector<std::int64_t> info;
    };
    GraphView view = graph->view();
    const auto kept = std::make_shared<const Kept>(graph, std::vector<std::int64_t>(view.arc_count, kNoLabel));
    view.edge_info = kept->info.data();
    GraphFacts facts = graph->facts();
    facts.info = InfoKind::Int;
    facts.blank_info = true;
    Graph blank = Graph::from_view(graph->shared_universe(), view, facts, kept);
    MATCHA_TRY(make_ready(blank, graph));
    return blank;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<ColumnGraphs> graphs_of_columns(const ColumnInput& input, const IoOptions& options) {
  try {
    allow_threads(0);
    return graphs_of(input, options);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
