#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::session::stream {

/// A file, or standard output, that grows batch by batch. What goes before it is written reaches the reader at once.
class StreamOutput {
 public:
  /// `keeps`: what is in the file stays. Errors: Input when it cannot be written.
  static runtime::Result<StreamOutput> open(const std::string& path, bool keeps);
  StreamOutput(StreamOutput&& other) noexcept;
  StreamOutput& operator=(StreamOutput&&) = delete;
  ~StreamOutput();

  bool is_file() const { return is_file_; }
  /// Its bytes. Requires: a file. Errors: Input.
  runtime::Result<std::uint64_t> size() const;
  /// Calls `take` with each whole line of the file until that gives false; the bytes of the lines before that one.
  /// Requires: a file. Errors: Input when it cannot be read.
  using TakeLine = std::function<bool(std::string_view line)>;
  runtime::Result<std::uint64_t> walk(const TakeLine& take) const;
  /// Keeps so many bytes of a file. Errors: Input.
  runtime::Status cut(std::uint64_t bytes);
  /// Errors: Input. A pipe that nobody reads any more is none.
  runtime::Status write(std::string_view text);
  bool closed_by_reader() const { return closed_; }
  /// What was written is on the disk.
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
