#include "incremental/stream/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/opened_output.h"
#include "session/output_file.h"

namespace matcha::session::stream {

runtime::Error StreamOutput::failure(int code) const {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.message =
      fmt::format("cannot write {}: {}", path_ == "-" ? "standard output" : "`" + path_ + "`", std::strerror(code));
  return error;
}

runtime::Result<StreamOutput> StreamOutput::open(const std::string& path, bool keeps) {
  StreamOutput output;
  output.path_ = path;
  output.descriptor_ = STDOUT_FILENO;
  if (path == "-") return output;
  if (const std::optional<int> named = runtime::copy_named_descriptor(path)) {
    output.descriptor_ = *named;
    if (*named < 0) return output.failure(errno);
    return output;
  }
  constexpr mode_t kReadable = 0666;
  struct stat before {};
  // A pipe with a name is opened for its reader alone.
  const bool is_special = ::stat(path.c_str(), &before) == 0 && !S_ISREG(before.st_mode) && !S_ISDIR(before.st_mode);
  output.descriptor_ =
      is_special ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC)
                 : ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | (keeps ? 0 : O_TRUNC), kReadable);
  if (output.descriptor_ < 0) return output.failure(errno);
  struct stat facts {};
  output.is_file_ = ::fstat(output.descriptor_, &facts) == 0 && S_ISREG(facts.st_mode);
  return output;
}

StreamOutput::StreamOutput(StreamOutput&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_file_(other.is_file_),
      closed_(other.closed_) {}

StreamOutput::~StreamOutput() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

runtime::Result<std::uint64_t> StreamOutput::walk(const TakeLine& take) const {
  std::string part, block(std::size_t{1} << 18, '\0');
  std::uint64_t at = 0, kept = 0;
  for (bool goes_on = true; goes_on;) {
    const ssize_t got = ::pread(descriptor_, block.data(), block.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(errno);
    if (got == 0) break;
    at += static_cast<std::uint64_t>(got);
    part.append(block, 0, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = part.find('\n'); goes_on && end != std::string::npos; end = part.find('\n', begin)) {
      goes_on = take(std::string_view(part).substr(begin, end - begin));
      if (goes_on) kept += end + 1 - begin;
      begin = end + 1;
    }
    part.erase(0, begin);
  }
  return kept;
}

runtime::Result<std::uint64_t> StreamOutput::size() const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) return failure(errno);
  return static_cast<std::uint64_t>(facts.st_size);
}

runtime::Status StreamOutput::cut(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return failure(errno);
  return runtime::Done{};
}

runtime::Status StreamOutput::write(std::string_view text) {
  if (closed_) return runtime::Done{};
  const int code = write_all(descriptor_, text);
  if (code == EPIPE) {
    closed_ = true;
    return runtime::Done{};
  }
  if (code != 0) return failure(code);
  return runtime::Done{};
}

runtime::Status StreamOutput::sync() {
  if (!is_file_ || ::fsync(descriptor_) == 0) return runtime::Done{};
  return failure(errno);
}

}  // namespace matcha::session::stream
