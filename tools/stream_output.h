#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace matcha::tools {

/// A file, or standard output, that grows batch by batch. What goes before it is written reaches the reader at once.
class StreamOutput {
 public:
  /// `keeps`: what is in the file stays. Errors: Input when it cannot be written.
  static runtime::Result<StreamOutput> open(const std::string& path, bool keeps);
  StreamOutput(StreamOutput&& other) noexcept;
  StreamOutput& operator=(StreamOutput&&) = delete;
  ~StreamOutput();

  bool is_file() const { return is_file_; }
  /// Calls `take` with each whole line of the file until that gives false, and cuts the file before that line, or
  /// after the last whole one. Requires: a file.
  using TakeLine = std::function<bool(std::string_view line)>;
  runtime::Status cut(const TakeLine& take);
  /// The same without cutting.
  runtime::Status look(const TakeLine& take) const;
  /// Errors: Input. A pipe that nobody reads any more is none.
  runtime::Status write(std::string_view text);
  bool closed_by_reader() const { return closed_; }
  /// What was written is on the disk.
  runtime::Status sync();

 private:
  StreamOutput() = default;
  runtime::Error failure(int code) const;
  runtime::Result<std::uint64_t> walk(const TakeLine& take) const;

  std::string path_;
  int descriptor_ = -1;
  bool is_file_ = false;
  bool closed_ = false;
};

}  // namespace matcha::tools
