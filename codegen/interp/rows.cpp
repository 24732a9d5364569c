#include "codegen/interp/rows.h"

#include <utility>

#include "codegen/interp/evaluator.h"
#include "ir/check.h"

namespace matcha::codegen::interp {

namespace {

constexpr std::size_t kBlock = 1024;

runtime::ElementKind element_kind(const ir::Type& type) {
  switch (type.scalar) {
    case ir::ScalarKind::Bool: return runtime::ElementKind::Bool;
    case ir::ScalarKind::Vid: return runtime::ElementKind::Vid;
    case ir::ScalarKind::I64: return runtime::ElementKind::Int;
    case ir::ScalarKind::F64: return runtime::ElementKind::Float;
    case ir::ScalarKind::I128: break;
  }
  MATCHA_UNREACHABLE("a column of 128-bit values");
}

bool append(runtime::Column& column, const Value& value) {
  switch (column.kind()) {
    case runtime::ElementKind::Vid: return column.append(&std::get<Vid>(value).rank, 1);
    case runtime::ElementKind::Int: return column.append(&std::get<std::int64_t>(value), 1);
    case runtime::ElementKind::Float: return column.append(&std::get<double>(value), 1);
    case runtime::ElementKind::Bool: {
      std::uint8_t byte = std::get<bool>(value) ? 1 : 0;
      return column.append(&byte, 1);
    }
  }
  MATCHA_UNREACHABLE("an element kind");
}

}  // namespace

ListValue list_result(const ir::Type& type, const List& list) {
  ListValue result;
  result.size = list.rows;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    runtime::Column& column = result.columns.emplace_back(element_kind(*type.columns[c]));
    for (const Value& value : list.columns[c]) {
      if (!append(column, value)) trap(runtime::TrapCode::OutOfMemory, {});
    }
  }
  return result;
}

ListPtr list_argument(const runtime::InputList& list) {
  std::shared_ptr<List> result = std::make_shared<List>(list.columns.size());
  result->rows = list.size;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    const runtime::InputColumn& column = list.columns[c];
    for (std::uint32_t rank : column.ranks) result->columns[c].push_back(Vid{rank});
    for (std::int64_t number : column.ints) result->columns[c].push_back(number);
    for (double number : column.floats) result->columns[c].push_back(number);
  }
  return result;
}

RowStream::RowStream(const ir::Type& type, std::function<bool(const Rows&)> on_rows)
    : type_(type), on_rows_(std::move(on_rows)), pending_(type.columns.size()) {}

bool RowStream::add(const std::vector<Value>& values) {
  if (refused_) return false;
  for (std::size_t c = 0; c < values.size(); ++c) pending_.columns[c].push_back(values[c]);
  if (++pending_.rows == kBlock) flush();
  return !refused_;
}

void RowStream::finish() {
  if (pending_.rows != 0 && !refused_) flush();
}

void RowStream::flush() {
  ListValue block = list_result(type_, pending_);
  std::vector<runtime::ElementKind> kinds;
  std::vector<const void*> columns;
  for (const runtime::Column& column : block.columns) {
    kinds.push_back(column.kind());
    columns.push_back(column.data());
  }
  refused_ = !on_rows_(Rows{block.size, kinds, columns.data()});
  rows_ += block.size;
  pending_ = List(type_.columns.size());
}

}  // namespace matcha::codegen::interp
