#pragma once

#include <memory>
#include <string>

#include "runtime/result.h"
#include "session/engines/gpu_matcher.h"

namespace matcha::session::stream {

/// Opens the first GPU and loads the delta kernels in another thread, concurrently with other work. Waiting for it is
/// optional.
class GpuOpening {
 public:
  /// Begins. `code_folder`: as for open_gpu_code. Null: there is no driver, or no thread.
  static std::shared_ptr<GpuOpening> begin(const std::string& code_folder);
  /// True if a thread of this process is opening a GPU: then the process may only end by _Exit.
  static bool is_any_under_way();

  GpuOpening();
  ~GpuOpening();
  GpuOpening(const GpuOpening&) = delete;
  GpuOpening& operator=(const GpuOpening&) = delete;

  bool is_done() const;
  /// Waits for the result. Requires: called once. Errors: as for open_gpu_code.
  runtime::Result<GpuCode> take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace matcha::session::stream
