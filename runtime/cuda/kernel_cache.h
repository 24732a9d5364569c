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

/// An image for the driver to load.
struct KernelImage {
  std::string bytes;  ///< A cubin, or PTX text.
  bool is_ptx = false;
  int arch = 0;  ///< The architecture it was compiled for.
  bool from_cache = false;
  double milliseconds = 0;  ///< The time to load or compile it.
  std::string note;         ///< A note for the user: PTX for lack of the architecture, an unusable cache.
};

/// Kernels in a CodeCache, as `<key>.cubin`.
class KernelCache {
 public:
  /// The image, and the cache's note.
  struct Found {
    std::optional<KernelImage> image;
    std::string note;
  };

  /// A cache in a folder, created on the first write; an empty name disables it.
  explicit KernelCache(std::string folder) : cache_(std::move(folder)) {}

  /// The key of the source, its name, the architecture, NVRTC's version, the options and Matcha's version.
  static std::string key(const CompileRequest& request, const std::string& nvrtc_version);
  Found load(const std::string& key) const;
  /// Writes an image. Returns the reason if it cannot, else an empty string; a failed write is not an error.
  std::string store(const std::string& key, const KernelImage& image) const;

  /// A short text that an earlier process stored beside the images under this subject; empty if there is none.
  std::optional<std::string> note(std::string_view subject) const;
  /// Stores a text. Failures are ignored, as it only saves time.
  void keep_note(std::string_view subject, std::string_view text) const;

 private:
  CodeCache cache_;
};

/// The image from the cache, else compiled and stored. Errors: as Nvrtc::compile.
Result<KernelImage> compile_cached(const Nvrtc& nvrtc, const KernelCache& cache, const CompileRequest& request);

}  // namespace matcha::runtime::cuda
