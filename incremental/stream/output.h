#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::session::stream {

/// A file, or standard output, that grows batch by batch. Text is not buffered: it reaches the reader at once.
class StreamOutput {
 public:
  /// `keeps`: the file keeps its content; false: it is emptied. Errors: Input when it cannot be written.
  static runtime::Result<StreamOutput> open(const std::string& path, bool keeps);
  StreamOutput(StreamOutput&& other) noexcept;
  StreamOutput& operator=(StreamOutput&&) = delete;
  ~StreamOutput();

  bool is_file() const { return is_file_; }
  /// The size of the file in bytes. Requires: a file. Errors: Input.
  runtime::Result<std::uint64_t> size() const;
  /// Calls `take` with each whole line of the file, until it returns false. Returns the bytes of the lines for which it
  /// returned true. Requires: a file. Errors: Input when it cannot be read.
  using TakeLine = std::function<bool(std::string_view line)>;
  runtime::Result<std::uint64_t> walk(const TakeLine& take) const;
  /// Truncates the file to its first `bytes` bytes. Errors: Input.
  runtime::Status cut(std::uint64_t bytes);
  /// Appends text. Errors: Input. A pipe without a reader is no error; then `closed_by_reader` is true.
  runtime::Status write(std::string_view text);
  bool closed_by_reader() const { return closed_; }
  /// Waits until all text is on the disk.
  runtime::Status sync();

 private:
  StreamOutput() = default;
  runtime::Error failure(int code) const;

  std::string path_;
  int descriptor_ = -1;
  bool is_file_ = false;
  bool closed_ = false;
};

}  // namespace matcha::session::stream
