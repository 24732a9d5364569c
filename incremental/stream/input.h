#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/graph/byte_stream.h"
#include "runtime/result.h"

namespace matcha::session::stream {

/// Lines of a stream with their times of arrival. A thread reads while batches are processed.
class StreamInput {
 public:
  using Clock = std::chrono::steady_clock;

  /// `offset`: the number of bytes of the input before the next byte of `bytes`.
  StreamInput(std::unique_ptr<runtime::ByteStream> bytes, std::uint64_t offset);
  ~StreamInput();
  StreamInput(const StreamInput&) = delete;
  StreamInput& operator=(const StreamInput&) = delete;

  enum class Found : std::uint8_t {
    Line,
    Nothing,  ///< None until that time.
    End,
    TooLong,  ///< The next line has more than 1 MiB.
    Failed,   ///< See `error`.
  };
  struct Line {
    std::string_view text;      ///< Without its line feed; valid until the next call.
    Clock::time_point arrived;  ///< The time at which its last byte arrived.
    std::uint64_t offset = 0;   ///< The place of the byte after it in the input.
  };
  /// The next line, if it was already read; false: call `next`.
  bool next_buffered(Line& line);
  /// The next line; waits for it until `until` at most. The last line needs no line feed.
  Found next(Clock::time_point until, Line& line);
  const runtime::Error& error() const { return *error_; }

 private:
  struct Block {
    std::string bytes;
    Clock::time_point arrived;
  };
  void read_all();

  std::unique_ptr<runtime::ByteStream> bytes_;
  std::mutex mutex_;
  std::condition_variable more_, room_;
  std::deque<Block> blocks_;
  bool ended_ = false, ending_ = false;
  std::optional<runtime::Error> error_;
  // Of the caller's thread.
  Block current_;
  std::size_t at_ = 0;
  std::string part_;  ///< The beginning of a line that went on in the next block.
  bool used_part_ = false;
  std::uint64_t offset_;
  std::thread thread_;
};

}  // namespace matcha::session::stream
