#pragma once

#include <cstdint>

#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/rows.h"

namespace matcha::runtime::detail {

/// A `t/v/e` file: its edges as rows, and its `v` lines.
struct TveFile {
  Rows edges;
  std::vector<std::int64_t> vertex_ids;  ///< In file order; empty when there are no `v` lines.
  std::vector<std::uint64_t> vertex_lines;
  bool has_labels = false;
  LabelCells labels;  ///< Aligned with `vertex_ids` when has_labels.
};

/// What is wanted of the edges of a file.
struct TveAsk {
  std::vector<ColumnSpec> columns;       ///< Of the `e` lines, after the `e`.
  const TakeRows* maybe_take = nullptr;  ///< As that of RowPlan; then it is not looked whether ends have `v` lines.
  /// With `maybe_take`: ids, ascending; it is an error if an edge has another one.
  const std::vector<std::int64_t>* maybe_known = nullptr;
};

/// Reads the three dialects: RapidMatch `t N M`, gSpan `t # 0` or `# t 0`, and CaLiG without a header. Errors: Input
/// for unknown lines, several graphs in a file, counts that disagree with the header, an edge to a vertex without `v`
/// line, a vertex given twice, labels on some vertices only.
Result<TveFile> read_tve(LineSource& source, const TveAsk& ask, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
