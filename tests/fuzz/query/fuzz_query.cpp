#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "question/query/query.h"
#include "question/query/statement.h"
#include "tests/fuzz/fuzzer.h"

/// Any bytes as a query of SPARQL or Cypher: refused with an error, or a pattern or a statement.
MATCHA_FUZZER(query) {
  using namespace matcha;
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("<query>", std::string(reinterpret_cast<const char*>(data), size));
  const std::optional<query::Query> query = query::read_query(sources, file, true, diagnostics);
  render_text(diagnostics, true);
  render_json(diagnostics);
  if (query.has_value() == diagnostics.has_errors()) __builtin_trap();
  if (!query) return;
  if (query->maybe_statement == nullptr) {
    if (query->set.patterns.empty()) __builtin_trap();
    return;
  }
  if (query->maybe_statement->parts.empty()) __builtin_trap();
  if (!query::refuse_statement(*query, diagnostics) || !diagnostics.has_errors()) __builtin_trap();
}
