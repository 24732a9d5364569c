#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::runtime {

/// The unpacked bytes of a file, a pipe or standard input (`-`), as they arrive. A plain file is read as it grows; a
/// packed pipe is read to its end first.
class ByteStream {
 public:
  /// Errors: Input when it cannot be opened or is a directory.
  static Result<std::unique_ptr<ByteStream>> open(const std::string& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Gives up to `room` bytes. Waits for the first byte up to the given time. Errors: Input.
  struct ReadResult {
    std::uint64_t bytes = 0;
    bool at_end = false;  ///< True at the end of the stream. No bytes and false: nothing arrived in time.
  };
  Result<ReadResult> read(char* out, std::uint64_t room, int wait_ms);
  /// Skips `bytes` bytes, before the first `read`. Errors: Input when the stream is shorter.
  Status skip(std::uint64_t bytes);
  /// True for a file, which a later run can read again. The bytes of a pipe are gone once read.
  bool may_repeat() const { return may_repeat_; }

 private:
  struct Packed;
  ByteStream() = default;
  Status begin();
  Result<std::uint64_t> fill(char* out, std::uint64_t room);
  Error failure(int code) const;

  std::string path_;
  int descriptor_ = -1;
  bool may_repeat_ = false;
  bool begun_ = false;
  std::string head_;  ///< Bytes that were read to detect compression.
  std::unique_ptr<Packed> packed_;
};

}  // namespace matcha::runtime
