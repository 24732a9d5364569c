#include "codegen/host/list.h"

#include <algorithm>

namespace matcha::codegen::host {

using runtime::ElementKind;

namespace {

/// The words of 8 bytes in which a graph stores a column of edge information.
std::vector<std::uint64_t> info_words(const List& list) {
  std::vector<std::uint64_t> words(list.size);
  const auto fill = [&]<typename T>(std::span<const T> column) { std::ranges::copy(column, words.begin()); };
  switch (list.kinds[0]) {
    case ElementKind::Vid: fill(list.column<std::uint32_t>(0)); break;
    case ElementKind::Bool: fill(list.column<std::uint8_t>(0)); break;
    case ElementKind::Int:
    case ElementKind::Float: fill(list.column<std::uint64_t>(0)); break;
  }
  return words;
}

runtime::InfoKind info_kind(ElementKind kind) {
  if (kind == ElementKind::Float) return runtime::InfoKind::Float;
  return kind == ElementKind::Bool ? runtime::InfoKind::Bool : runtime::InfoKind::Int;
}

}  // namespace

List List::part(std::uint64_t begin, std::uint64_t end) const {
  List result{end - begin, kinds, {}, keeper};
  for (std::size_t c = 0; c < columns.size(); ++c) result.columns.push_back(address(c, begin));
  return result;
}

List view_of(std::span<const runtime::Column> columns, std::uint64_t size) {
  List list;
  list.size = size;
  for (const runtime::Column& column : columns) {
    list.kinds.push_back(column.kind());
    list.columns.push_back(column.data());
  }
  return list;
}

List owned(std::vector<runtime::Column> columns, std::uint64_t size) {
  std::shared_ptr<std::vector<runtime::Column>> keeper =
      std::make_shared<std::vector<runtime::Column>>(std::move(columns));
  List list = view_of(*keeper, size);
  list.keeper = std::move(keeper);
  return list;
}

List view_of(const runtime::InputList& input) {
  List list;
  list.size = input.size;
  for (const runtime::InputColumn& column : input.columns) {
    switch (column.kind) {
      case runtime::ColumnKind::Vertex:
        list.kinds.push_back(ElementKind::Vid);
        list.columns.push_back(column.ranks.data());
        break;
      case runtime::ColumnKind::Text:  // No program takes them.
      case runtime::ColumnKind::Label:
      case runtime::ColumnKind::Int:
        list.kinds.push_back(ElementKind::Int);
        list.columns.push_back(column.ints.data());
        break;
      case runtime::ColumnKind::Float:
        list.kinds.push_back(ElementKind::Float);
        list.columns.push_back(column.floats.data());
        break;
    }
  }
  return list;
}

std::optional<ListValue> list_value(const List& list) {
  ListValue value;
  value.size = list.size;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    if (!value.columns.emplace_back(list.kinds[c]).append(list.columns[c], list.size)) return std::nullopt;
  }
  return value;
}

bool hand_over(const List& list, const std::function<bool(const Rows&)>& on_rows, std::uint64_t& rows) {
  constexpr std::uint64_t kBlock = 4096;
  for (std::uint64_t at = 0; at < list.size; at += kBlock) {
    const List block = list.part(at, std::min(at + kBlock, list.size));
    rows += block.size;
    if (!on_rows(Rows{block.size, block.kinds, block.columns.data()})) return false;
  }
  return true;
}

runtime::Result<runtime::Graph> build_graph(ir::GraphIndex index, ir::RowOrder order, const runtime::Universe& universe,
                                            const List& edges, const List* labels, const List* info) {
  runtime::BuildInput input;
  input.universe = std::shared_ptr<const runtime::Universe>(std::shared_ptr<void>(), &universe);
  input.count = edges.size;
  input.sources = edges.column<std::uint32_t>(0).data();
  input.targets = edges.column<std::uint32_t>(1).data();
  input.index = index == ir::GraphIndex::Csr ? runtime::IndexKind::Csr : runtime::IndexKind::Hash;
  input.by_info = order == ir::RowOrder::Info;
  if (labels != nullptr) {
    input.label_count = labels->size;
    input.label_vertices = labels->column<std::uint32_t>(0).data();
    input.labels = labels->column<std::int64_t>(1).data();
  }
  std::vector<std::uint64_t> words;
  if (info != nullptr) {
    words = info_words(*info);
    input.edge_info = words.data();
    input.info_kind = info_kind(info->kinds[0]);
  }
  return runtime::build_graph(input);
}

}  // namespace matcha::codegen::host
