#include "session/query/typed_rows.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace matcha::session::statement {

namespace {

using Kind = Value::Kind;
using runtime::ElementKind;

constexpr const char* kHint = "`.csv`, `.tsv` and `.ndjson` have values of any type";

}  // namespace

bool TypedRows::fits(Column& column, const std::string& name, const Value& value, Progress& progress) const {
  const bool is_held = value.is(Kind::Node) || value.is(Kind::Int) || value.is(Kind::Float) || value.is(Kind::Bool);
  if (!is_held) {
    progress.fail(loc_,
                  fmt::format("`.npy` and `.arrow` have ids, numbers and bools, and the column `{}` has {}", name,
                              name_of(value.kind)),
                  kHint, Status::Usage);
    return false;
  }
  if (column.kind == Kind::Null) column.kind = value.kind;
  if (column.kind == value.kind) return true;
  const bool are_numbers = value.is_number() && (column.kind == Kind::Int || column.kind == Kind::Float);
  progress.fail(loc_,
                are_numbers ? fmt::format("the column `{}` has ints and floats, and its type is one", name)
                            : fmt::format("the column `{}` has {} and {}, and its type is one", name,
                                          name_of(column.kind), name_of(value.kind)),
                kHint, Status::Usage);
  return false;
}

void TypedRows::put(Column& column, const Value& value, const Store& store) {
  switch (column.kind) {
    case Kind::Node: column.nodes.push_back(store.rank(static_cast<std::uint32_t>(value.integer))); return;
    case Kind::Float: column.floats.push_back(value.number); return;
    case Kind::Bool: column.bools.push_back(value.integer != 0 ? 1 : 0); return;
    default: column.ints.push_back(value.integer);
  }
}

bool TypedRows::take(const Value* row, std::uint64_t weight, Progress& progress) {
  std::vector<Value> values(row, row + columns_.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    Value& value = values[at];
    if (value.is(Kind::Relationship)) value = store_.relationship_id(static_cast<std::uint32_t>(value.integer));
    if (!fits(columns_[at], names_[at], value, progress)) return false;
  }
  for (std::uint64_t time = 0; time < weight; ++time, ++count_) {
    if (progress.is_over() || !progress.keep(values.size() * sizeof(double), loc_)) return false;
    for (std::size_t at = 0; at < values.size(); ++at) put(columns_[at], values[at], store_);
  }
  return true;
}

std::string TypedRows::encode(const RowFormat& format, std::string& out) const {
  RowColumns rows;
  for (const Column& column : columns_) {
    switch (column.kind) {
      case Kind::Node:
        rows.kinds.push_back(ElementKind::Vid);
        rows.data.push_back(column.nodes.data());
        break;
      case Kind::Float:
        rows.kinds.push_back(ElementKind::Float);
        rows.data.push_back(column.floats.data());
        break;
      case Kind::Bool:
        rows.kinds.push_back(ElementKind::Bool);
        rows.data.push_back(column.bools.data());
        break;
      default: rows.kinds.push_back(ElementKind::Int); rows.data.push_back(column.ints.data());
    }
  }
  const std::unique_ptr<RowEncoder> encoder = RowEncoder::make(format, names_, rows.kinds, *store_.table().universe);
  encoder->begin(out);
  encoder->take(rows, 0, count_, out);
  return encoder->finish(count_, out);
}

}  // namespace matcha::session::statement
