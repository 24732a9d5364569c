#pragma once

#include "runtime/graph/detail/raw_graph.h"
#include "runtime/graph/formats/registry.h"

/// Graphs and lists from the formats of `formats.def` that have a reader.
namespace matcha::runtime::detail {

/// Reads the rest of the source into `raw`: rows, vertices, labels, and the notes for the load report. Errors: as
/// Reader; Input where the caller names a column or an attribute that the format does not have.
Status read_format(RawGraph& raw, const FormatEntry& entry, LineSource& source, const IoOptions& options,
                   Budget& budget, RunIds& ids);

/// The same for a list: a row for each edge.
Result<Rows> read_format_rows(const ListSpec& spec, const FormatEntry& entry, LineSource& source,
                              const IoOptions& options, Budget& budget, RunIds& ids);

/// Errors: Input where a column of labels is named although there is neither a file of vertices nor a format with
/// attributes.
Status check_label_column(const GraphSpec& spec, const FormatEntry& entry);

/// The size at the top of an edge list.
struct SizeLine {
  IdRange vertices = {};
  std::string note;  ///< For the load report; empty: no size line.
  bool is_guessed = false;
};
/// Consumes the first line of an edge list if it is a size. `table`: how the rest is read. `asked_edges`: the caller
/// declared an edge list; otherwise `format` becomes Metis for a METIS file. Errors: as `judge_first_line`.
/// `directed`: each line is an arc, so lines in both directions are no sign of a size.
Result<SizeLine> take_size_line(LineSource& source, const std::vector<ColumnSpec>& columns, TableOptions& table,
                                bool asked_edges, bool directed, Format& format, const IoOptions& options);

}  // namespace matcha::runtime::detail
