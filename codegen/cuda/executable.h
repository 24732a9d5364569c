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
  /// `opening`: a session that was begun before, or none.
  CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening);
  ~CudaExecutable() override;

  void begin() override;
  void set_rescheduler(Rescheduler rescheduler) override { rescheduler_ = std::move(rescheduler); }
  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

 private:
  class Run;

  void begin_compile(Session& session, bool hubs, Compiling early = {}) const;
  /// The same program with lists in pages; null: nobody made it so.
  const ir::Module* paged_module();

  ir::Module module_;
  Rescheduler rescheduler_;
  std::optional<ir::Module> paged_;  ///< What that made. Its variables are those of `module_`.
  CudaOptions options_;
  ModulePlan plan_;
  std::unique_ptr<Session> session_;
  OpeningSession opening_;  ///< What `session_` becomes.
};

}  // namespace matcha::codegen::gpu
