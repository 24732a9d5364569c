#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "runtime/graph/detail/source.h"

namespace matcha::runtime::detail {

namespace {

/// A limit in the units of users: small values and multiples exactly, else in MiB.
std::string limit_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKib = 1024, kMib = kKib * kKib, kSmall = 10 * kMib;
  if (bytes % kMib == 0 || bytes > kSmall) return std::to_string(bytes / kMib) + " MiB";
  return bytes % kKib == 0 ? std::to_string(bytes / kKib) + " KiB" : std::to_string(bytes) + " bytes";
}

/// Closes a descriptor at the end of its scope.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Status read_pipe(int descriptor, const std::string& path, const IoOptions& options, std::string& out) {
  const std::uint64_t limit = options.memory_limit();
  std::string block(std::size_t{1} << 16, '\0');
  while (true) {
    if (options.cancelled()) return interrupted_error();
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(path, 0, std::string("cannot read: ") + std::strerror(errno));
    if (got == 0) return Done{};
    if (out.size() + static_cast<std::uint64_t>(got) > limit) {
      return Error{ErrorKind::Resource, "more data than the memory limit of " + limit_text(limit), path, 0,
                   "raise the memory limit"};
    }
    out.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Status Budget::take(std::uint64_t bytes, const std::string& path) {
  Status room = check(bytes, path);
  if (room) used += bytes;
  return room;
}

Status Budget::check(std::uint64_t bytes, const std::string& path) const {
  if (bytes > limit || used > limit - bytes) {
    return Error{ErrorKind::Resource, "loading needs more than the memory limit of " + limit_text(limit), path, 0,
                 "raise the memory limit, or load a smaller file"};
  }
  return Done{};
}

Error input_error(const std::string& path, std::uint64_t line, std::string message, std::string hint) {
  return Error{ErrorKind::Input, std::move(message), path, line, std::move(hint)};
}

Error count_error(const std::string& path, std::uint64_t line, std::int64_t declared, std::uint64_t found,
                  const std::string& what) {
  const bool cut = declared >= 0 && static_cast<std::uint64_t>(declared) > found;
  return input_error(
      path, line,
      "the header declares " + std::to_string(declared) + " " + what + ", the file has " + std::to_string(found),
      cut ? "the file may be truncated" : "correct the number in the header");
}

Error interrupted_error() { return Error{ErrorKind::Runtime, "interrupted", "", 0, ""}; }

Error out_of_memory_error(const std::string& path) {
  return Error{ErrorKind::Resource, "out of memory", path, 0, "use a machine with more memory, or a smaller graph"};
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  static constexpr char kHex[] = "0123456789abcdef";
  const auto byte_of = [](char c) { return static_cast<unsigned char>(c); };
  std::size_t end = std::min(text.size(), kLongest);
  while (end != 0 && end != text.size() && (byte_of(text[end]) & 0xC0U) == 0x80U) --end;  // No part of a character.
  const bool cut = end != text.size();
  std::string shown = "`";
  for (const char c : text.substr(0, end)) {
    const unsigned char byte = byte_of(c);
    if (byte >= 0x20 && byte != 0x7F) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kHex[byte >> 4];
      shown += kHex[byte & 15];
    }
  }
  return shown + (cut ? "…`" : "`");
}

Result<std::shared_ptr<const FileBytes>> FileBytes::open_standard_input(const IoOptions& options) {
  // Reading consumes standard input, and several readers need it: for the format, then for the content.
  static std::mutex guard;
  static std::shared_ptr<const FileBytes> kept;
  const std::lock_guard<std::mutex> lock(guard);
  if (kept != nullptr) return kept;
  std::shared_ptr<FileBytes> bytes(new FileBytes());
  MATCHA_TRY(read_pipe(STDIN_FILENO, "-", options, bytes->read_));
  bytes->bytes_ = bytes->read_;
  if (bytes->bytes_.empty()) return input_error("-", 0, "standard input is empty", "");
  kept = std::move(bytes);
  return kept;
}

Result<std::shared_ptr<const FileBytes>> FileBytes::open(const std::string& path, const IoOptions& options) {
  if (path == "-") return open_standard_input(options);
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) {
    const bool is_address = errno == ENOENT && path.find("://") != std::string::npos;
    return input_error(path, 0, std::string("cannot open: ") + std::strerror(errno),
                       is_address
                           ? "addresses are not read: download it, or `curl ADDRESS | matcha run … -`; DuckDB reads "
                             "some for --graph-sql"
                           : "");
  }
  struct stat facts {};
  if (::fstat(file.number, &facts) != 0) {
    return input_error(path, 0, std::string("cannot read: ") + std::strerror(errno));
  }
  if (S_ISDIR(facts.st_mode)) return input_error(path, 0, "is a directory", "name a file");
  std::shared_ptr<FileBytes> bytes(new FileBytes());
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) {
    const std::size_t size = static_cast<std::size_t>(facts.st_size);
    void* const mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (mapping == MAP_FAILED) return input_error(path, 0, std::string("cannot map: ") + std::strerror(errno));
    bytes->mapping_ = mapping;
    bytes->bytes_ = std::string_view(static_cast<const char*>(mapping), size);
  } else {
    MATCHA_TRY(read_pipe(file.number, path, options, bytes->read_));
    bytes->bytes_ = bytes->read_;
  }
  if (bytes->bytes_.empty()) {
    return input_error(path, 0, "the file is empty", "a graph without edges is a file with a comment line");
  }
  return std::shared_ptr<const FileBytes>(std::move(bytes));
}

FileBytes::~FileBytes() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

}  // namespace matcha::runtime::detail
