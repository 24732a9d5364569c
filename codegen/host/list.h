#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "ir/nodes.h"

/// Lists of the host: arguments, values of steps, results.
namespace matcha::codegen::host {

/// Columns that live as long as `keeper` and the inputs of the run. A part of a list shares its columns.
struct List {
  std::uint64_t size = 0;
  std::vector<runtime::ElementKind> kinds;
  std::vector<const void*> columns;
  std::shared_ptr<const std::vector<runtime::Column>> keeper;

  /// Column `c` as `T`, which must be the type of its kind.
  template <typename T>
  std::span<const T> column(std::size_t c) const {
    return {static_cast<const T*>(columns[c]), size};
  }
  /// Address of item `at` of column `c`.
  const void* address(std::size_t c, std::uint64_t at) const {
    return static_cast<const char*>(columns[c]) + at * runtime::element_bytes(kinds[c]);
  }
  /// The items at positions [begin, end).
  List part(std::uint64_t begin, std::uint64_t end) const;
};

/// The first `size` items of columns that live as long as the list is used.
List view_of(std::span<const runtime::Column> columns, std::uint64_t size);
/// A list that keeps its columns.
List owned(std::vector<runtime::Column> columns, std::uint64_t size);
List view_of(const runtime::InputList& input);

/// A copy as the result of a run. Empty: there is no memory.
std::optional<ListValue> list_value(const List& list);

/// Hands the rows over in blocks and counts them in `rows`; false once no more are wanted.
bool hand_over(const List& list, const std::function<bool(const Rows&)>& on_rows, std::uint64_t& rows);

/// The graph that `s` builds of these lists; `info` and `labels` are present if `s` has them, `info` as long as the
/// edges.
runtime::Result<runtime::Graph> build_graph(ir::GraphIndex index, ir::RowOrder order, const runtime::Universe& universe,
                                            const List& edges, const List* labels, const List* info);

}  // namespace matcha::codegen::host
