#pragma once

#include <cstdint>
#include <string>

#include "codegen/cpu/program.h"
#include "runtime/cpu/region.h"

namespace matcha::codegen::cpu {

/// The code of a region.
struct RegionCode {
  runtime::RegionBody body = nullptr;
  runtime::RegionInner inner = nullptr;  ///< Null: the second level cannot be split off.
  const void* plan = nullptr;            ///< Value of `kPlanSlot`.
  std::uint64_t scratch_bytes = 0;       ///< Bytes of scratch memory of each worker beyond the buffers; `kScratchSlot`
                                         ///< holds their offset.
};

/// The functions of a program, ready to be called by any number of threads.
class Code {
 public:
  virtual ~Code() = default;
  /// Calls a step function.
  virtual void call(const std::string& function, runtime::RegionContext& context) const = 0;
  virtual RegionCode region(const RegionStep& step) const = 0;
};

}  // namespace matcha::codegen::cpu
