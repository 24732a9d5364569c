#include "codegen/cuda/cuda.h"
#include "codegen/cuda/device_text.h"
#include "codegen/cuda/executable.h"
#include "codegen/cuda/program.h"
#include "codegen/cuda/query_part.h"
#include "runtime/cuda/nvrtc.h"

namespace matcha::codegen {

namespace {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const CudaOptions& options) : options_(options) {}

  std::string_view name() const override { return "cuda"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    if (!gpu::check_device_program(module, diagnostics)) return std::nullopt;
    return gpu::emit_device_text(module, options_.search, options_.hubs != 0).text;
  }
  void begin() override { opening_ = gpu::open_session(options_); }
  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    if (!gpu::check_device_program(module, diagnostics)) return nullptr;
    if (!gpu::check_loaded_query(module, options_.query, diagnostics)) return nullptr;
    return std::make_unique<gpu::CudaExecutable>(module, options_, std::move(opening_));
  }

 private:
  CudaOptions options_;
  gpu::OpeningSession opening_;
};

class CudaProgramBackend final : public Backend {
 public:
  CudaProgramBackend(AheadOfTime about, const CudaOptions& options) : about_(std::move(about)), options_(options) {}

  std::string_view name() const override { return "cuda"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    if (about_.only_query) {
      if (!gpu::check_device_program(module, diagnostics)) return std::nullopt;
      return gpu::query_part(module);
    }
    return gpu::emit_program(module, about_, diagnostics, options_.search);
  }
  std::unique_ptr<Executable> load(const ir::Module&, Diagnostics&) override { return nullptr; }

 private:
  AheadOfTime about_;
  CudaOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda(const CudaOptions& options) { return std::make_unique<CudaBackend>(options); }

std::unique_ptr<Backend> make_cuda_program(AheadOfTime about, const CudaOptions& options) {
  return std::make_unique<CudaProgramBackend>(std::move(about), options);
}

runtime::Result<std::string> compile_to_ptx(std::string text, bool starts_kernels, int arch) {
  const runtime::cuda::Nvrtc* nvrtc = MATCHA_TRY(runtime::cuda::Nvrtc::open());
  runtime::cuda::Compilation made =
      MATCHA_TRY(nvrtc->compile({std::move(text), "program.cu", arch, gpu::compile_options(starts_kernels)}));
  return std::move(made.ptx);
}

}  // namespace matcha::codegen
