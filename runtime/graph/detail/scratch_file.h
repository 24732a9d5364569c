#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::runtime::detail {

/// An unnamed file for data that does not fit in memory. It is deleted with the object, and with the process.
class ScratchFile {
 public:
  /// Creates a file in a folder. Errors: Input if that fails.
  static Result<std::shared_ptr<ScratchFile>> create(const std::string& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Thread-safe. Errors: Resource when the disk is full or fails.
  Status write(std::uint64_t at, const void* bytes, std::uint64_t count) const;
  /// Thread-safe. Requires: the bytes were written.
  Status read(std::uint64_t at, void* bytes, std::uint64_t count) const;
  /// A path to it, valid in this process.
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  /// Maps its first `count` bytes as long as this object lives, followed by a cache line of slack. The page limit of
  /// the thread's `Reading` watches them. Call once. Errors: Resource.
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
