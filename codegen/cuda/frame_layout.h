#pragma once

#include <cstdint>
#include <vector>

#include "ir/nodes.h"

namespace matcha::codegen::gpu {

/// One member of `Frame`.
struct FrameField {
  const ir::Var* var;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t alignment;
  bool may_be_empty;  ///< A min or max.
};

/// The memory layout of the top-level values of a module in the device's `Frame`, as C++ lays out the emitted text:
///
///   bool                  1 byte, 0 or 1
///   u32 (a vertex)        4 bytes
///   i64, f64              8 bytes
///   i128                  16 bytes, aligned to 16
///   Graph                 the 13 words of runtime::GraphView
///   List<T, ...>          16 bytes a column: address, number of items
///   Least<T>, Greatest<T> the T, then a byte that is 1 if there is one, padded to the alignment of T
///
/// in the order of the program: parameters, then the values bound by each top-level statement. The emitted text asserts
/// sizes and alignments, from which the offsets follow.
struct FrameLayout {
  explicit FrameLayout(const ir::Module& module);

  std::vector<FrameField> fields;
  std::uint64_t bytes = 1;  ///< The size of the whole struct; 1 if it is empty.
};

}  // namespace matcha::codegen::gpu
