#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/graph/packer.h"
#include "runtime/result.h"
#include "runtime/unfinished_file.h"

namespace matcha::session {

/// Standard output (`-`) or a file that appears under its name only when it is complete: it is written beside it and
/// renamed by `commit`. See `runtime::open_output` for links, modes and devices.
class OutputFile {
 public:
  /// Errors: Input when the file cannot be written; found here and not after a long run.
  static runtime::Result<OutputFile> open(const std::string& path,
                                          runtime::Compression compression = runtime::Compression::None);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Without `commit` nothing stays.
  ~OutputFile();

  /// Buffers; after a failure nothing more is written.
  void write(std::string_view text);
  /// Packed bytes are written when a block is full.
  void flush();
  bool failed() const { return failure_ != 0; }
  /// The reader of a pipe went away: no error, but nothing more is wanted.
  bool closed_by_reader() const;
  bool is_standard_output() const { return descriptor_ == 1; }
  /// Whether its beginning may be replaced when it is complete.
  bool may_replace() const { return temporary_.exists() && packer_ == nullptr; }
  /// Makes the file appear, with `head` in the place of its first bytes. Requires: `may_replace`, or no head. Errors:
  /// Input when anything could not be written, but for a closed pipe.
  runtime::Status commit(std::string_view head = {});

 private:
  OutputFile() = default;
  void put(bool last);
  runtime::Error failure(int code) const;

  std::string path_;
  runtime::UnfinishedFile temporary_;
  std::string buffer_;
  std::unique_ptr<runtime::Packer> packer_;  ///< Null: the text is written as it is.
  int descriptor_ = -1;
  int failure_ = 0;
};

/// Writes all of `text` to a descriptor. The errno of the first failure, or 0.
int write_all(int descriptor, std::string_view text);

/// Writes a whole text to `path`, or standard output for `-` or an empty path.
runtime::Status write_text_file(const std::string& path, std::string_view text);

}  // namespace matcha::session
