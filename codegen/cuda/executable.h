#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/module_plan.h"
#include "codegen/cuda/session.h"

namespace matcha::codegen::gpu {

/// A program of a GPU. The device, the kernels and their memory are kept from run to run.
class CudaExecutable final : public Executable {
 public:
  /// `opening`: a session that is being opened, or none.
  CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening);
  ~CudaExecutable() override;

  void begin() override;
  void set_rescheduler(Rescheduler rescheduler) override { rescheduler_ = std::move(rescheduler); }
  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

 private:
  class Run;

  void begin_compile(Session& session, bool hubs, PendingKernels early = {}) const;
  /// The same program with paged lists; null if it cannot be scheduled so.
  const ir::Module* paged_module();

  ir::Module module_;
  Rescheduler rescheduler_;
  std::optional<ir::Module> paged_;  ///< The result of `reschedule_`. Its variables are those of `module_`.
  CudaOptions options_;
  ModulePlan plan_;
  std::unique_ptr<Session> session_;
  OpeningSession opening_;  ///< The source of `session_`.
};

}  // namespace matcha::codegen::gpu
