#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/result.h"

/// The run-time compiler of CUDA C++, loaded on first use. It needs no GPU. Source: NVRTC manual.
namespace matcha::runtime::cuda {

/// A program to compile.
struct CompileRequest {
  std::string source;
  std::string name = "kernel.cu";    ///< The name of the source in messages.
  int arch = 0;                      ///< Compute capability of the device, 10·major + minor.
  std::vector<std::string> options;  ///< Other options of NVRTC, without `-arch`.
};

/// The result of a compilation.
struct Compilation {
  std::string cubin;  ///< Machine code; empty when NVRTC does not support the device and there is only `ptx`.
  std::string ptx;
  std::string log;   ///< Warnings; may be empty.
  std::string note;  ///< Why there is no cubin, or empty.
  int arch = 0;      ///< The architecture it was compiled for: the request's, or the newest supported one before it.
};

/// Where to look for the library.
struct NvrtcSearch {
  std::string file;         ///< Only this file, unless empty.
  int preferred_major = 0;  ///< 12 or 13: tried first. 0: the newest first.
};

/// A loaded library. It stays loaded until the process ends, and so does the object. Safe to use from several threads.
class Nvrtc {
 public:
  /// The file that MATCHA_NVRTC names, else `libnvrtc.so.13`, then `.12`: in the loader's folders, in `lib64` and `lib`
  /// of CUDA_PATH, of CUDA_HOME and of /usr/local/cuda. Errors: Runtime when there is none or it lacks an entry.
  static Result<const Nvrtc*> open(const NvrtcSearch& search = {});

  /// The file that was loaded.
  const std::string& path() const { return path_; }
  /// `13.0`.
  std::string version_text() const;
  int major() const { return major_; }
  /// Architectures it can compile machine code for, ascending, as 10·major + minor.
  const std::vector<int>& archs() const { return archs_; }

  /// Compiles to a cubin and PTX. A device newer than the library gets PTX of the newest supported architecture before
  /// it, which the driver compiles. Errors: Runtime with NVRTC's log, or when the device is older than all supported
  /// ones.
  Result<Compilation> compile(const CompileRequest& request) const;
  /// The file of the device runtime, to link kernels that start kernels: the one that MATCHA_CUDADEVRT names, else
  /// `libcudadevrt.a` beside this library, where wheels of PyPI and distributions have it, and in the toolkits that
  /// `open` searches. Errors: Runtime when there is none.
  Result<std::string> device_runtime() const;
  /// The note on code for `arch` when the device has `wanted`; empty when they are the same.
  std::string fallback_note(int wanted, int arch) const;

 private:
  struct Table;
  struct Program;

  Nvrtc() = default;
  static Result<const Nvrtc*> load(const std::string& library);
  Status check(int result, const char* symbol) const;
  Status start();

  std::string path_;
  int major_ = 0;
  int minor_ = 0;
  std::vector<int> archs_;
  std::shared_ptr<const Table> table_;
};

}  // namespace matcha::runtime::cuda
