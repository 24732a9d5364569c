#include "codegen/cuda/cuda.h"
#include "codegen/cuda/device_text.h"
#include "codegen/cuda/executable.h"

namespace matcha::codegen {

namespace {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const CudaOptions& options) : options_(options) {}

  std::string_view name() const override { return "cuda"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    if (!gpu::check_device_program(module, diagnostics)) return std::nullopt;
    constexpr std::uint32_t kWarp = 32;
    return gpu::emit_device_text(module, gpu::group_widths(module, options_.group, kWarp), options_.steal,
                                 options_.stack)
        .text;
  }
  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    if (!gpu::check_device_program(module, diagnostics)) return nullptr;
    return std::make_unique<gpu::CudaExecutable>(module, options_);
  }

 private:
  CudaOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda(const CudaOptions& options) { return std::make_unique<CudaBackend>(options); }

}  // namespace matcha::codegen
