#pragma once

#include <cstdint>
#include <vector>

#include "api/matcha.h"
#include "codegen/backend.h"
#include "runtime/graph/universe.h"

namespace matcha::api {

/// A column with ids instead of ranks; one of the two vectors is used.
struct Column {
  matcha_kind kind = MATCHA_INT;  ///< Of its items.
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
};

Column column_of(runtime::ElementKind kind, const void* items, std::uint64_t rows, const runtime::Universe& universe);

}  // namespace matcha::api

struct matcha_result {
  struct Value {
    matcha_kind kind = MATCHA_INT;
    __int128 integer = 0;
    double real = 0;
    std::uint64_t rows = 0;
    std::vector<matcha::api::Column> columns;
  };

  bool complete = true;
  std::vector<Value> values;
};

namespace matcha::api {

matcha_result::Value value_of(const codegen::ResultValue& value, const runtime::Universe& universe);

}  // namespace matcha::api
