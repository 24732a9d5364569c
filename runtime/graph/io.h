#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matcha::runtime {

/// The format of a file, recognized by its first bytes and lines, never by its name. `formats/formats.def` lists all
/// formats.
enum class Format {
  Auto,  ///< Detect it.
#define MATCHA_FORMAT(enumerator, option, name, recogniser, reader, attributes) enumerator,
#include "runtime/graph/formats/formats.def"
#undef MATCHA_FORMAT
};
std::string_view format_name(Format format);
/// The values of `--format`: `auto`, then one for each format.
std::vector<std::string> format_options();
/// The format of such a value; empty if it is unknown.
std::optional<Format> format_of_option(std::string_view word);

/// How a file is packed, recognized by its magic bytes. Only the first three are written.
enum class Compression { None, Gzip, Zstd, Bzip2, Xz, Zip, Tar };
std::string_view compression_name(Compression compression);

/// Settings shared by everything that reads or builds. The number of threads is oneTBB's (tbb::global_control).
struct IoOptions {
  /// The most bytes of memory that the data of one run may take while loading; more is a Resource error.
  /// 0: three quarters of the memory of the machine, or of the container.
  std::uint64_t max_bytes = 0;
  /// Not 0: graphs are built in about this many bytes, and their arcs go through unnamed files in `scratch_folder`.
  /// Does not apply to the rows of a query.
  std::uint64_t piece_bytes = 0;
  std::string scratch_folder = {};
  /// Text is parsed in pieces of about this many bytes.
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
  /// The folder with notes of the `.mtg` files that passed their check, so that they are not checked again for a day.
  /// Empty: every file is checked.
  std::string notes_folder = {};
  /// When it becomes true, the running call soon returns the Runtime error `interrupted`.
  const std::atomic<bool>* cancel = nullptr;
  /// Called from time to time with the bytes read of the file on disk, from any thread but never concurrently.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;

  /// `max_bytes` with its default filled in.
  std::uint64_t memory_limit() const;
  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace matcha::runtime
