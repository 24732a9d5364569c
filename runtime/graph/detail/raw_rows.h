#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/graph/detail/raw_graph.h"

/// Steps that graphs and lists of rows share when their files are read.
namespace matcha::runtime::detail {

/// An Input error where columns are named and the format has columns of its own.
Status check_named_columns(const std::string& path, Format format, bool named);

/// True if the user says how tables are to be read.
bool says_table(const TableOptions& table);

/// The id of a rank of a .mtg, as the cells of a run have it.
std::int64_t id_of_mtg(const Universe& universe, std::uint64_t rank, IdKind kind, NameTable& names);

/// True if the ids of a .mtg can be read as those of the run. Its order of ids must be that of the run.
Status check_mtg_ids(const std::string& path, const Universe& universe, RunIds& ids);

/// Numbers of a format become ids of the run's kind. Errors: Input.
Status lift_ids(const std::string& path, IdKind kind, NameTable& names, std::vector<std::int64_t>& ids);

/// Reads N-Triples. Their ids are text, whatever the ids of other files are. Errors: as `read_ntriples`.
Result<Rows> read_triples_as(LineSource& source, const std::vector<ColumnSpec>& columns, const TableOptions& table,
                             const TakeRows* maybe_take, const IoOptions& options, Budget& budget, RunIds& ids);

}  // namespace matcha::runtime::detail
