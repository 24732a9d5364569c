#pragma once

#include <string>
#include <string_view>

#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// N-Triples of the W3C: a triple a line, `<subject> <predicate> "object" .`
namespace matcha::runtime::detail {

/// What a triple is made of, as a graph has them. An IRI is what stands between `<` and `>`; a blank node has its `_:`;
/// a literal has its quotes, and its language in lower case or its type, `"5"^^<IRI>`, unless that is xsd:string.
/// Escapes are resolved; in a literal quotes, backslashes and control characters are written with one again, so that
/// two spellings of a literal are one.
struct Triple {
  std::string subject, predicate, object;
  bool has_literal = false;  ///< The object is one.
};

/// Whether a line looks like the begin of a triple: an IRI or a blank node, an IRI, and the begin of something.
bool looks_like_triple(std::string_view line);

/// Reads the triple of a line that ends with a line feed; without one on a line that is blank or a comment `triple` has
/// no subject. An error has no line.
std::optional<LineError> read_triple(const char* line, Triple& triple);

struct TripleRows {
  Rows rows;
  std::uint64_t literals = 0;  ///< Triples whose object is a literal; with `drop_literals` those left out.
};

/// Reads the rest of the source; ids are text. Columns: 0 subjects, 1 objects, 2 predicates as labels. `maybe_take`: as
/// that of RowPlan.
/// Errors: Input, with file and line, also where a column is no id or label; Resource.
Result<TripleRows> read_triples(LineSource& source, const std::vector<ColumnSpec>& columns, bool drop_literals,
                                const TakeRows* maybe_take, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
