#pragma once

#include <string>
#include <string_view>

#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// N-Triples of the W3C: a triple a line, `<subject> <predicate> "object" .`
namespace matcha::runtime::detail {

/// The parts of a triple as a graph stores them. An IRI is the text between `<` and `>`; a blank node keeps its `_:`. A
/// literal keeps its quotes and its language in lower case, or its type, `"5"^^<IRI>`, unless that is xsd:string.
/// Escapes are resolved; in a literal, quotes, backslashes and control characters are escaped again, so that two
/// spellings of a literal become one.
struct Triple {
  std::string subject, predicate, object;
  bool has_literal = false;  ///< The object is a literal.
};

/// True if a line looks like the start of a triple: an IRI or a blank node, an IRI, and the start of an object.
bool looks_like_triple(std::string_view line);

/// Reads the triple of a line that ends with a line feed. On a blank or comment line, returns no error and a `triple`
/// without subject. An error has no line.
std::optional<LineError> read_triple(const char* line, Triple& triple);

struct TripleRows {
  Rows rows;
  std::uint64_t literals = 0;  ///< Triples whose object is a literal; with `drop_literals` the dropped ones.
};

/// Reads the rest of the source; ids are text. Columns: 0 subjects, 1 objects, 2 predicates as labels. `maybe_take`: as
/// in RowPlan. Errors: Input, with file and line, also where a column is not an id or label; Resource.
Result<TripleRows> read_triples(LineSource& source, const std::vector<ColumnSpec>& columns, bool drop_literals,
                                const TakeRows* maybe_take, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
