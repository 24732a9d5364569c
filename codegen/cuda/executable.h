#pragma once

#include <memory>
#include <unordered_set>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/frame_layout.h"
#include "codegen/cuda/graph_build.h"
#include "codegen/cuda/session.h"
#include "codegen/host/host_plan.h"

namespace matcha::codegen::gpu {

/// A program of a GPU. The device, the kernels and their memory are kept from run to run.
class CudaExecutable final : public Executable {
 public:
  /// `opening`: a session that was begun before, or none.
  CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening);
  ~CudaExecutable() override;

  void begin() override;
  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

 private:
  class Run;

  void begin_compile(Session& session, bool hubs, Compiling early = {}) const;

  ir::Module module_;
  CudaOptions options_;
  host::Plan plan_;
  host::Signature signature_;
  FrameLayout layout_;
  std::unordered_set<const ir::Var*> on_device_;  ///< Top-level values that regions read.
  DeviceGraphs device_graphs_;
  bool reads_ids_ = false;  ///< A region converts between ids and vertices.
  std::unique_ptr<Session> session_;
  OpeningSession opening_;  ///< What `session_` becomes.
};

}  // namespace matcha::codegen::gpu
