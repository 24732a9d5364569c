#include "codegen/cpu/code_maker.h"

#include <algorithm>

#include "ir/analysis/walk.h"

namespace matcha::codegen::cpu {

bool holds_split(const RegionShape& shape, const ir::Stmt& stmt) {
  bool splits = false;
  ir::for_each_stmt_of(stmt, [&](const ir::Stmt& inner) {
    splits = splits || std::ranges::find(shape.split, &inner) != shape.split.end();
  });
  return splits;
}

}  // namespace matcha::codegen::cpu
