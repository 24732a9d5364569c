#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/nodes.h"

namespace matcha::codegen::cpu {

/// Slots that every frame begins with.
enum FixedSlot : std::uint32_t {
  kOriginalIdsSlot = 0,   ///< `const int64_t*`: original id of each rank, null for the identity.
  kUniverseSizeSlot = 1,  ///< Number of ranks.
  kUniverseSlot = 2,      ///< `const runtime::Universe*`, for the helpers.
  kShortSlot = 3,         ///< First lists of fewer items are done without a call: 17, or 0 if the run's tier does not
                          ///< support it.
  kPlanSlot = 4,          ///< `RegionCode::plan` of the current region.
  kScratchSlot = 5,       ///< Offset of that region's own memory from `Worker::scratch`.
  kFirstFreeSlot = 6,
};

/// The slots of the top-level variables while a program runs: an array of 64-bit words, which code reaches through
/// `RegionContext::frame`. A variable has consecutive slots:
///
///   bool, vid, i64, f64   its value (a bool is 0 or 1, a vid is zero-extended, an f64 is its bits)
///   min and max sinks     the value, then 1 if there is one
///   i128                  low word, high word
///   graph                 `const GraphView*`
///   list                  number of items, then the address of each column
///   buffer                capacity in items, then the offset of each column from `Worker::scratch`
class FrameLayout {
 public:
  /// The first slot of `var`, assigned at the first call.
  std::uint32_t slot(const ir::Var& var);
  /// Slots without a variable.
  std::uint32_t reserve(std::uint32_t count);
  std::uint32_t slot_count() const { return next_; }

 private:
  std::unordered_map<const ir::Var*, std::uint32_t> slots_;
  std::uint32_t next_ = kFirstFreeSlot;
};

}  // namespace matcha::codegen::cpu
