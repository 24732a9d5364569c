#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "ir/types.h"
#include "runtime/graph/graph.h"

/// The values of the interpreter: plain vectors, copied whenever that is simplest.
namespace matcha::codegen::interp {

struct List;
using ListPtr = std::shared_ptr<const List>;

struct Vid {
  std::uint32_t rank = 0;
};

/// A graph of a run: its arrays, with the labels of the run if it has none.
struct GraphValue {
  runtime::GraphView view;
};
using GraphPtr = std::shared_ptr<const GraphValue>;

/// One alternative a type of the intermediate representation.
using Value = std::variant<std::monostate, bool, Vid, std::int64_t, __int128, double, ListPtr, GraphPtr>;

/// `rows` items in columns of that length.
struct List {
  explicit List(std::size_t column_count) : columns(column_count) {}

  std::size_t rows = 0;
  std::vector<std::vector<Value>> columns;

  /// Appends row `row` of `from`.
  void append_row(const List& from, std::size_t row);
};

/// The order of two scalars of one type: ranks and numbers by value, false before true; NaN after every number.
bool less(const Value& a, const Value& b);

/// The smaller or the larger of two scalars of one type. For floats -0 is below +0, and NaN wins over all others.
const Value& extreme(const Value& a, const Value& b, bool smaller);

/// The items of a list of one column in ascending order.
std::vector<Value> ascending(const std::vector<Value>& items);

/// The order of two rows, compared from the left by `less`, but -0 is below +0: negative, zero, positive.
int compare_rows(const std::vector<Value>& a, const std::vector<Value>& b);

/// True if `items`, in the order of `ascending`, contain a value equal to `item`; NaN equals nothing.
bool holds(const std::vector<Value>& items, const Value& item);

}  // namespace matcha::codegen::interp
