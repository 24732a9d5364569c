#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::runtime::detail {

/// A file without a name, for what does not fit in memory: it is gone with the object, and with the process.
class ScratchFile {
 public:
  /// In a folder. Errors: Input when there can be none.
  static Result<std::shared_ptr<ScratchFile>> create(const std::string& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// From any thread. Errors: Resource when the disk is full or fails.
  Status write(std::uint64_t at, const void* bytes, std::uint64_t count) const;
  /// From any thread. Requires: the bytes were written.
  Status read(std::uint64_t at, void* bytes, std::uint64_t count) const;
  /// A name for it in this process.
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  /// Its first bytes, mapped as long as this object lives, and followed by a cache line of slack. The page limit of the
  /// thread's reading watches them. Once. Errors: Resource.
  static Result<std::string_view> map(const std::shared_ptr<ScratchFile>& file, std::uint64_t count);

 private:
  ScratchFile(int descriptor, std::string folder) : descriptor_(descriptor), folder_(std::move(folder)) {}
  Error failed(const char* what, int number) const;

  int descriptor_;
  std::string folder_;
  void* mapping_ = nullptr;
  std::uint64_t mapped_ = 0;
};

}  // namespace matcha::runtime::detail
