#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

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
  std::string note;  ///< What a user should know: PTX for want of the architecture, a cache that cannot be written.
};

/// A folder of `<hash>.cubin` files. The hash is XXH3-128 of the source, its name, the architecture, NVRTC's version,
/// the options and Matcha's version; each file has a header with its hash, length and checksum. Files appear by
/// renaming, so processes and threads may share the folder.
class KernelCache {
 public:
  struct Size {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };

  /// `$MATCHA_CACHE_DIR/kernels`, else `$XDG_CACHE_HOME/matcha/kernels`, else `~/.cache/matcha/kernels`; no folder, and
  /// so no cache, when there is no home either.
  static KernelCache standard();
  /// A cache in a folder, made when it is first written; an empty name keeps nothing.
  explicit KernelCache(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }

  /// The name that a compilation has in the cache, 32 hexadecimal digits.
  static std::string key(const CompileRequest& request, const std::string& nvrtc_version);
  /// The entry, unless it is missing or damaged.
  std::optional<KernelImage> load(const std::string& key) const;
  /// Writes an entry. Gives why it could not, or nothing: a cache that cannot be written is no failure.
  std::string store(const std::string& key, const KernelImage& image) const;

  /// A short text that an earlier process kept beside the entries under the same subject; nothing if there is none.
  std::optional<std::string> note(std::string_view subject) const;
  /// Keeps a text. What cannot be kept is not: it only saves time.
  void keep_note(std::string_view subject, std::string_view text) const;

  /// Makes the folder if need be. Gives why kernels cannot be kept in it, or nothing.
  std::string problem() const;
  /// The entries that are there, whole or not.
  Size size() const;
  /// Removes the entries and what interrupted writers left; gives what was removed.
  /// Errors: Resource when a file cannot be removed.
  Result<Size> clear() const;

 private:
  /// A file that is there as a whole or not at all. Gives the number of the error, or 0.
  int write(const std::string& name, std::initializer_list<std::string_view> parts) const;

  std::string folder_;
};

/// The image from the cache, else compiled and kept. Errors: as Nvrtc::compile.
Result<KernelImage> compile_cached(const Nvrtc& nvrtc, const KernelCache& cache, const CompileRequest& request);

}  // namespace matcha::runtime::cuda
