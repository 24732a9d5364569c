#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/backend.h"
#include "codegen/interp/value.h"
#include "ir/types.h"

namespace matcha::codegen::interp {

/// A list as the result of a run. Throws Trap when there is no memory. Requires: columns of scalars.
ListValue list_result(const ir::Type& type, const List& list);

/// The columns of a bound list as values.
ListPtr list_argument(const runtime::InputList& list);

/// Hands rows over in blocks.
class RowStream {
 public:
  RowStream(const ir::Type& type, std::function<bool(const Rows&)> on_rows);

  /// Takes one value for each column; false once no more rows are wanted.
  bool add(const std::vector<Value>& values);
  /// Hands over the remaining rows.
  void finish();
  std::uint64_t rows() const { return rows_; }
  bool refused() const { return refused_; }

 private:
  void flush();

  const ir::Type& type_;
  std::function<bool(const Rows&)> on_rows_;
  List pending_;
  std::uint64_t rows_ = 0;
  bool refused_ = false;
};

}  // namespace matcha::codegen::interp
