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
  std::string note;  ///< For the load report.
  bool has_labels = false;
  LabelCells labels;  ///< Aligned with `vertex_ids` when has_labels.
};

/// The part of the edges that the caller reads.
struct TveRequest {
  std::vector<ColumnSpec> columns;       ///< Columns of the `e` lines, after the `e`.
  const TakeRows* maybe_take = nullptr;  ///< As in RowPlan; then ends are not checked to have `v` lines.
  /// With `maybe_take`: the allowed ids, ascending; an edge with another id is an error.
  const std::vector<std::int64_t>* maybe_known = nullptr;
};

/// Reads the three dialects: RapidMatch `t N M`, gSpan `t # 0` or `# t 0`, and CaLiG without a header. Errors: Input
/// for unknown lines, several graphs in a file, counts that disagree with the header, an edge to a vertex without `v`
/// line, a vertex given twice, labels on only some vertices.
Result<TveFile> read_tve(LineSource& source, const TveRequest& ask, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
