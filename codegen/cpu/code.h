#pragma once

#include <cstdint>
#include <string>

#include "codegen/cpu/program.h"
#include "runtime/cpu/region.h"

namespace matcha::codegen::cpu {

/// How a region is walked.
struct RegionCode {
  runtime::RegionBody body = nullptr;
  runtime::RegionInner inner = nullptr;  ///< Null: the second level cannot be split off.
  const void* plan = nullptr;            ///< Goes to `kPlanSlot`.
  std::uint64_t scratch_bytes = 0;       ///< More for each worker than the buffers; where it is goes to `kScratchSlot`.
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
