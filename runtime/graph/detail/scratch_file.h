#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  /// Calls `call`, pread or pwrite, until all bytes are done. `at_end`: the number of its error if it does none.
  template <typename Byte, typename Call>
  Status each_part(const Call& call, std::uint64_t at, Byte* bytes, std::uint64_t count, const char* failure,
                   int at_end) const;

  int descriptor_;
  std::string folder_;
  void* mapping_ = nullptr;
  std::uint64_t mapped_ = 0;
};

/// Values for several places of a file. One object fills each place in order. Copies, one a thread, fill the same
/// places, each from a separate buffer.
template <typename Value>
class Places {
 public:
  /// `begins`: where each place begins, in values. `bytes`: the size of the buffers, which have room for at least
  /// `least` values a place.
  Places(const ScratchFile& file, const std::vector<std::uint64_t>& begins, std::uint64_t bytes,
         std::uint64_t least = 1)
      : file_(&file), next_(std::make_shared<Cursors>(begins.size())), waiting_(begins.size()) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 16;
    room_ = std::clamp(bytes / sizeof(Value) / std::max<std::uint64_t>(begins.size(), 1), least, kMost);
    for (std::size_t place = 0; place < begins.size(); ++place) (*next_)[place] = begins[place];
  }

  Status add(std::size_t place, const Value& value) {
    std::vector<Value>& values = waiting_[place];
    if (values.capacity() == 0) values.reserve(room_);
    values.push_back(value);
    return values.size() < room_ ? Status(Done{}) : flush(place);
  }

  Status flush_all() {
    for (std::size_t place = 0; place < waiting_.size(); ++place) MATCHA_TRY(flush(place));
    return Done{};
  }

 private:
  using Cursors = std::vector<std::atomic<std::uint64_t>>;

  Status flush(std::size_t place) {
    std::vector<Value>& values = waiting_[place];
    if (values.empty()) return Done{};
    const std::uint64_t at = (*next_)[place].fetch_add(values.size(), std::memory_order_relaxed);
    Status done = file_->write(at * sizeof(Value), values.data(), values.size() * sizeof(Value));
    values.clear();
    return done;
  }

  const ScratchFile* file_;
  std::shared_ptr<Cursors> next_;
  std::uint64_t room_ = 1;
  std::vector<std::vector<Value>> waiting_;
};

}  // namespace matcha::runtime::detail
