#include "api/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/errors.h"
#include "api/rows.h"
#include "codegen/shares.h"
#include "engines/cliques/clique_task.h"

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
      out.kind = universe.names() != nullptr ? MATCHA_NAME : MATCHA_VERTEX;
      for (std::uint64_t i = 0; i < rows; ++i) out.ints[i] = universe.id(static_cast<const std::uint32_t*>(items)[i]);
      break;
    case runtime::ElementKind::Bool:
      out.kind = MATCHA_BOOL;
      for (std::uint64_t i = 0; i < rows; ++i) out.ints[i] = static_cast<const std::uint8_t*>(items)[i];
      break;
    case runtime::ElementKind::Int:
    case runtime::ElementKind::Float:
      for (std::uint64_t i = 0; i < rows; ++i) out.ints[i] = static_cast<const std::int64_t*>(items)[i];
      break;
  }
  return out;
}

void mark_labels(std::vector<Column>& columns, const std::vector<bool>& are_labels) {
  for (std::size_t c = 0; c < are_labels.size(); ++c) {
    if (are_labels[c]) columns[c].kind = MATCHA_LABEL;
  }
}

matcha_result::Value value_of(const codegen::ResultValue& value, const runtime::Universe& universe) {
  matcha_result::Value out;
  if (const __int128* integer = std::get_if<__int128>(&value)) {
    out.integer = *integer;
    out.real = static_cast<double>(*integer);
  } else if (const runtime::WideInt* wide = std::get_if<runtime::WideInt>(&value)) {
    out.integer = wide->int128();
    out.wide = *wide;
    out.real = wide->to_double();
  } else if (const double* real = std::get_if<double>(&value)) {
    out.kind = MATCHA_FLOAT;
    out.real = *real;
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    out.kind = MATCHA_BOOL;
    out.integer = *flag ? 1 : 0;
  } else if (const codegen::VertexValue* vertex = std::get_if<codegen::VertexValue>(&value)) {
    out.kind = universe.names() != nullptr ? MATCHA_NAME : MATCHA_VERTEX;
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

namespace {

/// The reason why these are not all shares of one run; empty: they are.
std::string problem_of(std::span<const matcha_result* const> shares) {
  const auto other_run = [&](const matcha_result& a, const matcha_result& b) {
    return a.share.count != b.share.count || a.partials.size() != b.partials.size() ||
           a.source.owner_before(b.source) || b.source.owner_before(a.source);
  };
  if (shares.empty()) return "there are no shares";
  std::vector<bool> there;
  for (const matcha_result* share : shares) {
    if (share == nullptr) return "a share is NULL";
    if (share->share.is_whole() || share->partials.empty()) return "a result is not that of a share";
    if (other_run(*share, *shares[0])) return "the shares are of different runs";
    there.resize(shares[0]->share.count);
    if (there[share->share.index]) return fmt::format("share {} is there twice", share->share.index);
    there[share->share.index] = true;
  }
  const auto missing = std::ranges::find(there, false);
  if (missing != there.end()) return fmt::format("share {} is missing", missing - there.begin());
  return {};
}

}  // namespace

std::unique_ptr<matcha_result> merge_shares(std::span<const matcha_result* const> shares, std::string& problem,
                                            bool& run_error) {
  run_error = false;
  problem = problem_of(shares);
  if (!problem.empty()) return nullptr;
  std::vector<const matcha_result*> ordered(shares.begin(), shares.end());
  std::ranges::sort(ordered, {}, [](const matcha_result* share) { return share->share.index; });
  auto merged = std::make_unique<matcha_result>();
  for (const matcha_result* share : ordered) merged->complete = merged->complete && share->complete;
  std::vector<codegen::PartialValue> parts;
  for (std::size_t i = 0; i < ordered[0]->partials.size(); ++i) {
    codegen::PartialValue& part = parts.emplace_back(codegen::none_of(ordered[0]->partials[i]));
    std::optional<runtime::Error> failed;
    for (const matcha_result* share : ordered) {
      if (!failed) failed = codegen::merge(part, share->partials[i]);
    }
    if (!failed) continue;
    run_error = true;
    problem = failed->message;
    return nullptr;
  }
  std::vector<codegen::ResultValue> values;
  if (const std::optional<std::uint32_t> size = ordered[0]->size_of_cliques) {
    values = codegen::clique_values(parts, *size, ordered[0]->vertices);
  }
  for (std::size_t i = 0; !ordered[0]->size_of_cliques && i < parts.size(); ++i) {
    runtime::Result<codegen::ResultValue> found = codegen::whole(parts[i]);
    if (!found) {
      run_error = true;
      problem = found.error().message;
      return nullptr;
    }
    values.push_back(std::move(*found));
  }
  for (const codegen::ResultValue& value : values) {
    merged->values.push_back(value_of(value, *ordered[0]->universe));
  }
  return merged;
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
int matcha_result_interval(const matcha_result* result, double interval[4]) {
  if (!result->estimate) return 0;
  interval[0] = result->estimate->value;
  interval[1] = result->estimate->half_width;
  interval[2] = static_cast<double>(result->estimate->draws);
  interval[3] = static_cast<double>(result->estimate->hits);
  return 1;
}

int matcha_result_complete(const matcha_result* result) { return result->complete ? 1 : 0; }
matcha_kind matcha_result_kind(const matcha_result* result, size_t at) { return result->values[at].kind; }

int64_t matcha_result_int(const matcha_result* result, size_t at, int64_t* high) {
  const __int128 value = result->values[at].integer;
  if (high != nullptr) *high = static_cast<int64_t>(value >> 64);
  return static_cast<int64_t>(value);
}

int matcha_result_words(const matcha_result* result, size_t at, uint64_t words[4]) {
  const matcha_result::Value& value = result->values[at];
  const bool negative = !value.wide && value.integer < 0;
  matcha::runtime::WideInt all(static_cast<unsigned __int128>(value.integer));
  if (negative) all.words[2] = all.words[3] = ~std::uint64_t{0};
  if (value.wide) all = *value.wide;
  std::copy(std::begin(all.words), std::end(all.words), words);
  return negative ? 1 : 0;
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

matcha_status matcha_result_merge(const matcha_result* const* shares, size_t count, matcha_result** whole,
                                  matcha_error** error) {
  return matcha::api::call(error, [&] {
    *whole = nullptr;
    if (shares == nullptr && count != 0) return matcha::api::usage("the shares are NULL", error);
    std::string problem;
    bool run_error = false;
    std::unique_ptr<matcha_result> merged = matcha::api::merge_shares({shares, count}, problem, run_error);
    *whole = merged.release();
    if (problem.empty()) return MATCHA_OK;
    if (!run_error) return matcha::api::usage(problem, error);
    return matcha::api::fail(MATCHA_ERROR_RUN, fmt::format("error: {}\n", problem), error);
  });
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
