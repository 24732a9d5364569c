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

/// An output as `open_output` has it: a regular file appears under its name only when it is complete, and incomplete
/// files are removed.
class OutputFile {
 public:
  /// Errors: Input when the file cannot be created.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, Compression compression);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Errors are reported by `finish`.
  void write(std::string_view bytes);
  /// Renames the file to its final name. Errors: Input when a write failed, except for a closed pipe, whose reader has
  /// stopped reading.
  Status finish();

 private:
  OutputFile();
  /// Packs if requested, then writes; `last` ends the packed stream.
  void flush(std::string_view bytes, bool last);
  void put(std::string_view bytes);

  std::string path_;
  UnfinishedFile temporary_;  ///< Empty after renaming, or when writes are direct.
  int descriptor_ = -1;
  int failure_ = 0;  ///< The first errno.
  std::string pending_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace matcha::runtime::detail
