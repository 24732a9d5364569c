#include "api/results.h"

#include "api/rows.h"

/// Values and rows with ids instead of ranks, and the functions of matcha.h that read them.
namespace matcha::api {

Column column_of(runtime::ElementKind kind, const void* items, std::uint64_t rows, const runtime::Universe& universe) {
  Column out;
  if (kind == runtime::ElementKind::Float) {
    const double* const floats = static_cast<const double*>(items);
    out.kind = MATCHA_FLOAT;
    out.floats.assign(floats, floats + rows);
    return out;
  }
  out.ints.resize(rows);
  switch (kind) {
    case runtime::ElementKind::Vid:
      out.kind = MATCHA_VERTEX;
      for (std::uint64_t i = 0; i < rows; ++i) out.ints[i] = universe.id(static_cast<const std::uint32_t*>(items)[i]);
      break;
    case runtime::ElementKind::Bool:
      out.kind = MATCHA_BOOL;
      for (std::uint64_t i = 0; i < rows; ++i) out.ints[i] = static_cast<const std::uint8_t*>(items)[i];
      break;
    default:
      for (std::uint64_t i = 0; i < rows; ++i) out.ints[i] = static_cast<const std::int64_t*>(items)[i];
      break;
  }
  return out;
}

matcha_result::Value value_of(const codegen::ResultValue& value, const runtime::Universe& universe) {
  matcha_result::Value out;
  if (const __int128* integer = std::get_if<__int128>(&value)) {
    out.integer = *integer;
    out.real = static_cast<double>(*integer);
  } else if (const double* real = std::get_if<double>(&value)) {
    out.kind = MATCHA_FLOAT;
    out.real = *real;
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    out.kind = MATCHA_BOOL;
    out.integer = *flag ? 1 : 0;
  } else if (const codegen::VertexValue* vertex = std::get_if<codegen::VertexValue>(&value)) {
    out.kind = MATCHA_VERTEX;
    out.integer = universe.id(vertex->rank);
  } else if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(&value)) {
    out.kind = MATCHA_LIST;
    out.rows = list->size;
    for (const runtime::Column& column : list->columns) {
      out.columns.push_back(column_of(column.kind(), column.data(), list->size, universe));
    }
  }
  return out;
}

}  // namespace matcha::api

namespace {

using matcha::api::Column;

const int64_t* ints_of(const std::vector<Column>& columns, size_t column) {
  return column < columns.size() && columns[column].kind != MATCHA_FLOAT ? columns[column].ints.data() : nullptr;
}

const double* floats_of(const std::vector<Column>& columns, size_t column) {
  return column < columns.size() && columns[column].kind == MATCHA_FLOAT ? columns[column].floats.data() : nullptr;
}

}  // namespace

size_t matcha_result_size(const matcha_result* result) { return result->values.size(); }
int matcha_result_complete(const matcha_result* result) { return result->complete ? 1 : 0; }
matcha_kind matcha_result_kind(const matcha_result* result, size_t at) { return result->values[at].kind; }

int64_t matcha_result_int(const matcha_result* result, size_t at, int64_t* high) {
  const __int128 value = result->values[at].integer;
  if (high != nullptr) *high = static_cast<int64_t>(value >> 64);
  return static_cast<int64_t>(value);
}

double matcha_result_float(const matcha_result* result, size_t at) { return result->values[at].real; }
size_t matcha_result_rows(const matcha_result* result, size_t at) { return result->values[at].rows; }
size_t matcha_result_columns(const matcha_result* result, size_t at) { return result->values[at].columns.size(); }

matcha_kind matcha_result_column_kind(const matcha_result* result, size_t at, size_t column) {
  return result->values[at].columns[column].kind;
}

const int64_t* matcha_result_ints(const matcha_result* result, size_t at, size_t column) {
  return ints_of(result->values[at].columns, column);
}

const double* matcha_result_floats(const matcha_result* result, size_t at, size_t column) {
  return floats_of(result->values[at].columns, column);
}

void matcha_result_free(matcha_result* result) { delete result; }

size_t matcha_rows_count(const matcha_rows* rows) { return rows->count; }
size_t matcha_rows_columns(const matcha_rows* rows) { return rows->columns.size(); }

matcha_kind matcha_rows_kind(const matcha_rows* rows, size_t column) {
  return column < rows->columns.size() ? rows->columns[column].kind : MATCHA_INT;
}

const int64_t* matcha_rows_ints(const matcha_rows* rows, size_t column) { return ints_of(rows->columns, column); }
const double* matcha_rows_floats(const matcha_rows* rows, size_t column) { return floats_of(rows->columns, column); }
void matcha_rows_free(matcha_rows* rows) { delete rows; }
