#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/code_cache.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/result.h"

/// Compiled kernels on disk, so that a program is compiled once for a device, not once a run.
namespace matcha::runtime::cuda {

/// What the driver loads.
struct KernelImage {
  std::string bytes;  ///< A cubin, or PTX text.
  bool is_ptx = false;
  int arch = 0;  ///< What it was compiled for.
  bool from_cache = false;
  double milliseconds = 0;  ///< What getting it took.
  std::string log;          ///< The compiler's warnings; empty when it came from the cache.
  std::string note;         ///< What a user should know: PTX for want of the architecture, a cache that will not do.
};

/// Kernels in a CodeCache, as `<key>.cubin`.
class KernelCache {
 public:
  /// What was looked for, and the cache's note.
  struct Found {
    std::optional<KernelImage> image;
    std::string note;
  };

  /// A cache in a folder, made when it is first written; an empty name keeps nothing.
  explicit KernelCache(std::string folder) : cache_(std::move(folder)) {}

  /// For the source, its name, the architecture, NVRTC's version, the options and Matcha's version.
  static std::string key(const CompileRequest& request, const std::string& nvrtc_version);
  Found load(const std::string& key) const;
  /// Writes an image. Gives why it could not, or nothing: a cache that cannot be written is no failure.
  std::string store(const std::string& key, const KernelImage& image) const;

  /// A short text that an earlier process kept beside the images under the same subject; nothing if there is none.
  std::optional<std::string> note(std::string_view subject) const;
  /// Keeps a text. What cannot be kept is not: it only saves time.
  void keep_note(std::string_view subject, std::string_view text) const;

 private:
  CodeCache cache_;
};

/// The image from the cache, else compiled and kept. Errors: as Nvrtc::compile.
Result<KernelImage> compile_cached(const Nvrtc& nvrtc, const KernelCache& cache, const CompileRequest& request);

}  // namespace matcha::runtime::cuda
