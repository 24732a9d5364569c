#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/graph/detail/raw_graph.h"

/// Steps that graphs and lists of rows share when their files are read.
namespace matcha::runtime::detail {

/// An Input error if columns are named and the format has fixed columns.
Status check_named_columns(const std::string& path, Format format, bool named);

/// The error of a file of this format, of which a column is asked for.
Error columns_of_no_table(const std::string& path, Format format);

/// True if the user sets an option of tables.
bool sets_table_options(const TableOptions& table);

/// The id of a rank of a .mtg, as a cell of a run with ids of `kind`.
std::int64_t id_of_mtg(const Universe& universe, std::uint64_t rank, IdKind kind, NameTable& names);

/// Checks that the ids of a .mtg can be read as those of the run. Errors: Input if its order of ids differs from that
/// of the run.
Status check_mtg_ids(const std::string& path, const Universe& universe, RunIds& ids);

/// Converts numeric ids of a format to ids of the run's kind. Errors: Input.
Status lift_ids(const std::string& path, IdKind kind, NameTable& names, std::vector<std::int64_t>& ids);

/// Reads N-Triples. Their ids are text, whatever the kind of the run. Errors: as `read_triples`.
Result<Rows> read_triples_as(LineSource& source, const std::vector<ColumnSpec>& columns, const TableOptions& table,
                             const TakeRows* maybe_take, const IoOptions& options, Budget& budget, RunIds& ids);

}  // namespace matcha::runtime::detail
