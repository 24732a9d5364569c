#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/io.h"
#include "runtime/graph/mapped_pages.h"
#include "runtime/result.h"

/// From a path to unpacked bytes and whole lines. Used in this folder only.
namespace matcha::runtime::detail {

inline constexpr std::uint64_t kMaxLineBytes = std::uint64_t{1} << 20;
/// The number of bytes at the start of a text that show its format.
inline constexpr std::uint64_t kHeadBytes = std::uint64_t{1} << 16;

/// The memory in use by the data of one run, and its limit.
struct Budget {
  std::uint64_t limit = 0;
  std::uint64_t used = 0;

  explicit Budget(const IoOptions& options) : limit(options.memory_limit()) {}
  /// Errors: Resource past the limit.
  Status take(std::uint64_t bytes, const std::string& path);
  /// The same for memory that is released soon.
  Status check(std::uint64_t bytes, const std::string& path) const;
  void give_back(std::uint64_t bytes) { used -= bytes < used ? bytes : used; }
  /// Options for a step that checks the limit itself: the remaining memory is its limit.
  IoOptions rest(IoOptions options) const {
    options.max_bytes = used < limit ? limit - used : 1;
    return options;
  }
};

Error input_error(const std::string& path, std::uint64_t line, std::string message, std::string hint = "");
/// The error of a header, at `line`, that declares a different number of `what` (`edges`) than the file has.
Error count_error(const std::string& path, std::uint64_t line, std::int64_t declared, std::uint64_t found,
                  const std::string& what);
Error interrupted_error();
Error out_of_memory_error(const std::string& path);

/// A piece of a file for messages: cut at 40 bytes, control bytes as \xNN, in backticks. The console
/// escapes bytes that are no UTF-8.
std::string quote(std::string_view text);

/// The bytes of a file on disk: mapped, or read into memory if it is a pipe.
class FileBytes {
 public:
  /// `-` is standard input, which is kept after reading. Errors: Input when it cannot be opened or is a directory or
  /// empty; Resource when a pipe exceeds the memory limit.
  static Result<std::shared_ptr<const FileBytes>> open(const std::string& path, const IoOptions& options);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::string_view bytes() const { return bytes_; }
  /// True if mapped, false if kept in memory.
  bool is_mapped() const { return mapping_ != nullptr; }

 private:
  FileBytes() = default;
  static Result<std::shared_ptr<const FileBytes>> open_standard_input(const IoOptions& options);
  std::string_view bytes_;
  void* mapping_ = nullptr;
  std::string read_;
};

/// Unpacks a compressed file piece by piece.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// Fills `out` with up to `room` bytes; fewer only at the end. Errors: Input when truncated or corrupt.
  virtual Result<std::uint64_t> read(char* out, std::uint64_t room) = 0;
  /// Bytes of the packed file used so far.
  virtual std::uint64_t consumed() const = 0;
};
/// Null for Compression::None. Tar: for a `.tar` without other compression.
std::unique_ptr<Unpacker> make_unpacker(Compression compression, std::string_view packed, const std::string& path);
/// Errors of packed data; `kind`: of packing.
Error ends_early(const std::string& path, std::string_view kind);
/// `what`: the reason.
Error corrupt_data(const std::string& path, std::string_view kind, std::string_view what = {});
Error bytes_behind(const std::string& path, std::string_view kind);
std::unique_ptr<Unpacker> make_bzip2_unpacker(std::string_view packed, const std::string& path);
std::unique_ptr<Unpacker> make_xz_unpacker(std::string_view packed, const std::string& path);
/// Unpacks the only table of a zip or tar archive, whose bytes come from `maybe_outer`, or from `bytes` if that is
/// null.
std::unique_ptr<Unpacker> make_archive_unpacker(std::unique_ptr<Unpacker> maybe_outer, std::string_view bytes,
                                                const std::string& path);
/// Decides by the first 512 bytes.
bool is_tar(std::string_view head);
bool is_zip(std::string_view head);

Compression compression_of(std::string_view bytes);

/// The unpacker of a file, with Tar for a packed tar archive; null for plain files. Errors: Input.
Result<std::unique_ptr<Unpacker>> open_unpacker(std::string_view bytes, const std::string& path,
                                                Compression& compression);

/// Whole lines; the last byte is a newline. Points into the file or into `storage`.
struct LineChunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  Buffer<char> storage;
};

/// A text file, unpacked, cut into chunks of whole lines. A byte order mark is skipped; a missing last newline is
/// added.
class LineSource {
 public:
  /// Errors: as FileBytes, and Input for files that are not text: archives, UTF-16, zero bytes near the start.
  static Result<std::unique_ptr<LineSource>> open(const std::string& path, const IoOptions& options);

  /// The same for bytes in memory, called `path` in messages.
  static Result<std::unique_ptr<LineSource>> of_bytes(std::shared_ptr<const FileBytes> file, const std::string& path,
                                                      const IoOptions& options);

  /// A new source that starts at the beginning of the same file. Errors: as `open`.
  Result<std::unique_ptr<LineSource>> again(const IoOptions& options) const { return of_bytes(file_, path_, options); }

  const std::string& path() const { return path_; }
  Compression compression() const { return compression_; }
  std::uint64_t file_bytes() const { return file_->bytes().size(); }
  std::uint64_t consumed_bytes() const;
  /// The first bytes of the text, without a byte order mark, at most `kHeadBytes`.
  std::string_view head() const { return head_; }
  /// True for `.mtg`, whose bytes are not lines.
  bool is_mtg() const { return is_mtg_; }
  /// Detects the format by the first lines. Consumes nothing. `is_table`: the user sets an option of tables, so that
  /// lines beginning with `v` or `e` are rows.
  Result<Format> sniff(bool is_table = false);
  /// The next chunk; empty at the end of the file. Errors: Input.
  Result<LineChunk> next();
  /// The next single line without its newline, for headers; valid until the next call. Errors: Input.
  Result<std::optional<std::string_view>> next_line();
  /// The first lines that are neither blank nor comments, without their line ends: at most `most` lines, and at most
  /// 1 MiB. Valid until the next call of `next` or `next_line`. Consumes nothing. `below_heading`: no line after the
  /// first one is a comment. Errors: Input.
  Result<std::vector<std::string_view>> peek(std::size_t most, bool below_heading = false);
  /// The line number of the first of these lines, after `peek`.
  std::uint64_t first_line() const { return first_line_; }
  /// The last comment before the first of these lines, after `peek`; empty: none. Valid as long as the lines.
  std::string_view comment_above() const { return comment_above_; }
  /// Skips the first line that is neither blank nor a comment. Errors: Input.
  Status skip_first();
  /// From now on a line feed between quotes does not end a line: `next` returns chunks in which quotes are paired,
  /// except for an unclosed last one. `has_comments`: quotes in comments do not count.
  void pair_quotes(bool has_comments) {
    pairs_quotes_ = true;
    has_comments_ = has_comments;
  }
  /// From now on `next` cuts the text anywhere, so that lines may have any length.
  void read_bytes() { reads_bytes_ = true; }
  /// From now on pages are dropped once their lines are read, so that a mapped file is never resident as a whole.
  void read_once() { reads_once_ = true; }
  /// Releases the lines of a chunk, except on the page that the next chunk may share.
  void release(const LineChunk& lines) const {
    if (reads_once_ && file_->is_mapped()) {
      MappedPages(file_->bytes()).drop(lines.begin, static_cast<std::uint64_t>(lines.end - lines.begin));
    }
  }
  /// Lines taken by `next_line`.
  std::uint64_t lines_taken() const { return lines_taken_; }

 private:
  LineSource() = default;
  Status begin(const IoOptions& options);
  Status check_text(std::string_view head) const;
  /// True if the first line, which begins with `t`, `v` or `e`, and the next one are those of a t/v/e file.
  Result<bool> is_tve(bool is_table);
  Result<LineChunk> produce();
  Result<LineChunk> produce_mapped();
  Result<LineChunk> produce_unpacked();
  Result<LineChunk> take_chunk();

  std::string path_;
  std::shared_ptr<const FileBytes> file_;
  Compression compression_ = Compression::None;
  std::unique_ptr<Unpacker> unpacker_;
  std::uint64_t chunk_bytes_ = 0;
  bool is_mtg_ = false;
  bool at_end_ = false;
  bool pairs_quotes_ = false;
  bool has_comments_ = true;
  bool reads_once_ = false;
  bool reads_bytes_ = false;
  std::string_view head_;
  std::string unpacked_head_;  ///< The bytes that `head_` points to, for packed files.
  std::uint64_t at_ = 0;       ///< The position in a mapped file.
  std::string carry_;          ///< Unpacked bytes after the last newline of the previous chunk.
  std::deque<LineChunk> pending_;
  LineChunk spent_;  ///< Keeps the line of `next_line` alive.
  std::uint64_t lines_taken_ = 0;
  std::uint64_t first_line_ = 0;
  std::string_view comment_above_;
};

/// All unpacked bytes of a file, for `.mtg`. `owner` keeps `bytes` alive. With `IoOptions::piece_bytes` a packed file
/// is unpacked into an unnamed file. Errors: as LineSource; Resource past the limit.
struct WholeFile {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
  Compression compression = Compression::None;
  std::uint64_t file_bytes = 0;
  bool is_mapped = false;   ///< `bytes` are those of the file, or of a mapped unnamed file.
  bool is_watched = false;  ///< The page limit of the thread's `Reading` watches it.
};
Result<WholeFile> read_whole(const std::string& path, const IoOptions& options);

}  // namespace matcha::runtime::detail
