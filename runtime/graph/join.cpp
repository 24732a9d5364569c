#include "runtime/graph/join.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "runtime/graph/detail/name_table.h"
#include "runtime/graph/detail/rebase.h"
#include "runtime/graph/detail/source.h"

namespace matcha::runtime {

namespace {

using IdColumn = std::vector<std::int64_t>;

std::uint64_t nth_vertex(const GraphView& view, std::uint64_t at) {
  return view.vertices != nullptr ? view.vertices[at] : at;
}

/// The most general kind of ids among the members.
IdKind common_kind(const std::vector<JoinMember>& members) {
  bool any_unsigned = false, any_negative = false;
  for (const JoinMember& member : members) {
    if (member.maybe_ids != nullptr) return IdKind::Int;
    const Universe& universe = member.graph->universe();
    if (universe.kind() == IdKind::Text) return IdKind::Text;
    any_unsigned = any_unsigned || universe.kind() == IdKind::Unsigned;
    any_negative = any_negative || (universe.kind() == IdKind::Int && universe.size() != 0 && universe.id(0) < 0);
  }
  return !any_unsigned ? IdKind::Int : any_negative ? IdKind::Text : IdKind::Unsigned;
}

/// The ids of the member's vertices as int64, or uint64 with the highest bit flipped.
IdColumn number_ids(const JoinMember& member, IdKind kind) {
  const GraphView view = member.graph->view();
  const Universe& universe = member.graph->universe();
  IdColumn ids(view.vertex_count);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t rank = nth_vertex(view, at);
    if (member.maybe_ids != nullptr) {
      ids[at] = member.maybe_ids[at];
    } else if (kind == IdKind::Int) {
      ids[at] = universe.id(rank);
    } else {
      ids[at] = detail::flip_id(universe.names() != nullptr ? universe.names()->number(rank)
                                                            : static_cast<std::uint64_t>(universe.id(rank)));
    }
  }
  return ids;
}

Result<std::shared_ptr<const Universe>> int_universe(const std::vector<IdColumn>& ids) {
  std::vector<IdSpan> spans;
  for (const IdColumn& each : ids) spans.push_back(IdSpan{each.data(), each.size()});
  Universe made = MATCHA_TRY(Universe::from_ids(spans, {}));
  return std::make_shared<const Universe>(std::move(made));
}

/// For ids that are not int64; writes their places into `ids`.
Result<std::shared_ptr<const Universe>> named_universe(const std::vector<JoinMember>& members, IdKind kind,
                                                       std::vector<IdColumn>& ids) {
  std::vector<detail::NameTable> tables(kind == IdKind::Text ? members.size() : 0);
  std::vector<detail::NamedCells> cells;
  std::vector<IdColumn*> columns;
  for (std::size_t i = 0; i < members.size(); ++i) {
    columns.push_back(&ids[i]);
    if (kind != IdKind::Text) continue;
    const GraphView view = members[i].graph->view();
    std::string id;
    for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
      id.clear();
      members[i].graph->universe().append_id(id, nth_vertex(view, at));
      ids[i][at] = tables[i].intern(id);
    }
    cells.push_back({&tables[i], {&ids[i]}});
  }
  std::shared_ptr<const IdNames> names =
      MATCHA_TRY(kind == IdKind::Text ? detail::resolve_names(cells, {}) : detail::resolve_unsigned(columns, {}));
  return std::make_shared<const Universe>(Universe::named(names));
}

/// The new rank of each rank.
Buffer<std::uint32_t> moves(const GraphView& view, const IdColumn& ids, const Universe& universe) {
  Buffer<std::uint32_t> ranks(ids.size());
  universe.ranks(ids.data(), ids.size(), ranks.data());
  if (view.vertices == nullptr) return ranks;
  Buffer<std::uint32_t> moved(view.universe);
  std::fill(moved.begin(), moved.end(), detail::kNowhere);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) moved[view.vertices[at]] = ranks[at];
  return moved;
}

}  // namespace

Result<GraphJoin> GraphJoin::of(const std::vector<JoinMember>& members) {
  try {
    GraphJoin join;
    const IdKind kind = common_kind(members);
    std::vector<IdColumn> ids;
    for (const JoinMember& member : members) {
      const bool own_text = kind == IdKind::Text;
      ids.push_back(own_text ? IdColumn(member.graph->vertex_count()) : number_ids(member, kind));
      if (!own_text && std::ranges::adjacent_find(ids.back(), std::ranges::greater_equal{}) != ids.back().end()) {
        return detail::input_error("", 0, "the ids of a graph to join do not ascend");
      }
    }
    join.universe_ = MATCHA_TRY(kind == IdKind::Int ? int_universe(ids) : named_universe(members, kind, ids));
    const bool are_places =
        std::ranges::any_of(members, [](const JoinMember& member) { return member.graph->universe().are_places(); });
    if (are_places && kind == IdKind::Int && join.universe_->is_identity()) {
      join.universe_ = std::make_shared<const Universe>(Universe::places(join.universe_->size()));
    }
    std::vector<std::string> words;
    for (const JoinMember& member : members) {
      const std::vector<std::string>& more = member.graph->dictionary().words();
      words.insert(words.end(), more.begin(), more.end());
    }
    join.dictionary_ = std::make_shared<const LabelDictionary>(std::move(words));
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Graph& graph = *members[i].graph;
      join.unchanged_.push_back(members[i].maybe_ids == nullptr && graph.universe().kind() == kind &&
                                graph.universe().size() == join.universe_->size() &&
                                graph.vertex_count() == join.universe_->size() &&
                                graph.dictionary().words() == join.dictionary_->words());
      join.moved_.push_back(moves(graph.view(), ids[i], *join.universe_));
      ids[i] = {};
    }
    return join;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> GraphJoin::joined(std::size_t member, const Graph& form) const {
  try {
    GraphArrays arrays = detail::rebased(form.view(), moved_[member], universe_->size());
    const LabelDictionary& own = form.dictionary();
    Status coded = detail::recode("", own, *dictionary_, arrays.labels.data(), arrays.labels.size());
    if (coded && form.facts().info == InfoKind::Int) {
      // Numbers stay unchanged, and negative ones would be mistaken for words.
      const LabelDictionary none;
      coded = detail::recode("", form.facts().word_info ? own : none, *dictionary_, arrays.edge_info.data(),
                             arrays.edge_info.size());
    }
    if (!coded) return coded.error();
    if (arrays.vertices.size() == universe_->size()) arrays.vertices = {};
    Graph graph = Graph::from_arrays(universe_, std::move(arrays), form.facts());
    graph.set_dictionary(dictionary_);
    MATCHA_TRY(ensure_split_offsets(graph));
    return graph;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
