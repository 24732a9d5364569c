#pragma once

#include <memory>
#include <string>

#include "runtime/result.h"
#include "session/gpu_matcher.h"

namespace matcha::session::stream {

/// The first GPU and the kernels that count what edges do, made ready by another thread while there is other work.
/// Nobody has to wait for it.
class GpuOpening {
 public:
  /// Begins. `code_folder`: as for open_gpu_code. Null: there is no driver, or no thread.
  static std::shared_ptr<GpuOpening> begin(const std::string& code_folder);
  /// Whether a thread of this process is at it: it must not end but by _Exit.
  static bool is_any_under_way();

  GpuOpening();
  ~GpuOpening();
  GpuOpening(const GpuOpening&) = delete;
  GpuOpening& operator=(const GpuOpening&) = delete;

  bool is_done() const;
  /// What became of it; waits. Requires: it is taken once. Errors: as for open_gpu_code.
  runtime::Result<GpuCode> take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace matcha::session::stream
