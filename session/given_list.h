#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/graph/inputs.h"
#include "runtime/graph/universe.h"
#include "session/reporter.h"

namespace matcha::session {

/// A list for a parameter of a program, in columns of equal length: ids of vertices, which may be text, or numbers.
struct GivenList {
  using Column = std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

  std::vector<Column> columns;
  std::uint64_t size = 0;
  bool has_places = false;  ///< An int is the place of an id where these are no int64, else the id.
};

/// The list as a program takes it under `name`: `wanted` are its columns, `universe` has the vertices. After an error
/// `log` has the error. Ok, Usage where columns or numbers do not fit, or Input where an id is no vertex.
Status take_list(const GivenList& given, const std::string& name, const std::vector<runtime::ColumnSpec>& wanted,
                 const runtime::Universe& universe, const Reporter& log, runtime::InputList& list);

}  // namespace matcha::session
