#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::runtime {

/// The unpacked bytes of a file, a pipe or standard input (`-`), as they come. A plain one is read as it grows; a
/// packed pipe is read to its end first.
class ByteStream {
 public:
  /// Errors: Input when it cannot be opened or is a directory.
  static Result<std::unique_ptr<ByteStream>> open(const std::string& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Up to `room` bytes, waiting for the first of them at most so long. Errors: Input.
  struct Got {
    std::uint64_t bytes = 0;
    bool at_end = false;  ///< No more will come. Neither: nothing came yet.
  };
  Result<Got> read(char* out, std::uint64_t room, int wait_ms);
  /// Goes so far on, before the first `read`. Errors: Input when there is not so much.
  Status skip(std::uint64_t bytes);
  /// It is a file, which another run finds as it is; else what was read is gone.
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
  std::string head_;  ///< Was read to find out whether it is packed.
  std::unique_ptr<Packed> packed_;
};

}  // namespace matcha::runtime
