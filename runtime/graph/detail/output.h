#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/graph/io.h"
#include "runtime/graph/packer.h"
#include "runtime/result.h"
#include "runtime/unfinished_file.h"

namespace matcha::runtime::detail {

/// A file that appears under its name only when it is complete: written beside it, then renamed. Unfinished ones are
/// removed. Writing to something that is no regular file (such as /dev/stdout) goes straight there.
class OutputFile {
 public:
  /// Errors: Input when the file cannot be made.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, Compression compression);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Errors are kept until `finish`.
  void write(std::string_view bytes);
  /// Makes the file appear. Errors: Input when anything could not be written, but for a closed pipe, whose reader wants
  /// no more.
  Status finish();

 private:
  OutputFile();
  /// Packs if asked to, and puts; `last` ends the packed stream.
  void flush(std::string_view bytes, bool last);
  void put(std::string_view bytes);

  std::string path_;
  UnfinishedFile temporary_;  ///< None once renamed, or when writing straight.
  int descriptor_ = -1;
  int failure_ = 0;  ///< The first errno.
  std::string pending_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace matcha::runtime::detail
