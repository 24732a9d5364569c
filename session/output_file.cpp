#include "session/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/opened_output.h"

namespace matcha::session {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

runtime::Error OutputFile::failure(int code) const {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.message =
      fmt::format("cannot write {}: {}", path_ == "-" ? "standard output" : "`" + path_ + "`", std::strerror(code));
  return error;
}

runtime::Result<OutputFile> OutputFile::open(const std::string& path, runtime::Compression compression) {
  OutputFile file;
  file.path_ = path;
  file.packer_ = runtime::Packer::make(compression);
  if (path == "-") {
    file.descriptor_ = STDOUT_FILENO;
    return file;
  }
  runtime::OpenedOutput opened = runtime::open_output(path);
  if (opened.descriptor < 0) return file.failure(opened.failure);
  file.path_ = std::move(opened.path);
  file.descriptor_ = opened.descriptor;
  file.temporary_ = std::move(opened.temporary);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      buffer_(std::move(other.buffer_)),
      packer_(std::move(other.packer_)),
      descriptor_(other.descriptor_),
      failure_(other.failure_) {
  other.descriptor_ = -1;
}

OutputFile::~OutputFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

bool OutputFile::closed_by_reader() const { return failure_ == EPIPE; }

void OutputFile::write(std::string_view text) {
  if (failed()) return;
  buffer_ += text;
  if (buffer_.size() >= kBlock) flush();
}

void OutputFile::put(bool last) {
  if (!failed() && packer_ == nullptr) failure_ = write_all(descriptor_, buffer_);
  if (!failed() && packer_ != nullptr) {
    packer_->pack(buffer_, last, [this](std::string_view packed) {
      if (!failed()) failure_ = write_all(descriptor_, packed);
    });
  }
  buffer_.clear();
}

void OutputFile::flush() { put(false); }

runtime::Status OutputFile::commit(std::string_view head) {
  put(true);
  if (!failed() && !head.empty() &&
      ::pwrite(descriptor_, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) {
    failure_ = errno != 0 ? errno : EIO;
  }
  if (closed_by_reader()) return runtime::Done{};
  if (failed()) return failure(failure_);
  if (descriptor_ > STDERR_FILENO) {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) return failure(errno);
  }
  if (temporary_.exists()) {
    const int code = temporary_.rename_to(path_);
    if (code != 0) return failure(code);
  }
  return runtime::Done{};
}

runtime::Status write_text_file(const std::string& path, std::string_view text) {
  OutputFile file = MATCHA_TRY(OutputFile::open(path.empty() ? "-" : path));
  file.write(text);
  return file.commit();
}

}  // namespace matcha::session
