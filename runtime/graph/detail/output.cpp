#include "runtime/graph/detail/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/graph/detail/source.h"
#include "runtime/opened_output.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

}  // namespace

OutputFile::OutputFile() = default;

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, Compression compression) {
  std::unique_ptr<OutputFile> file(new OutputFile());
  OpenedOutput opened = open_output(path);
  if (opened.descriptor < 0) return input_error(path, 0, std::string("cannot write: ") + std::strerror(opened.failure));
  file->path_ = std::move(opened.path);
  file->packer_ = Packer::make(compression);
  file->descriptor_ = opened.descriptor;
  file->temporary_ = std::move(opened.temporary);
  return file;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::put(std::string_view bytes) {
  while (!bytes.empty() && failure_ == 0) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) failure_ = errno;
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::flush(std::string_view bytes, bool last) {
  if (packer_ == nullptr) {
    put(bytes);
    return;
  }
  const Packer::Sink sink = [this](std::string_view packed) { put(packed); };
  while (bytes.size() > kBlock) {
    packer_->pack(bytes.substr(0, kBlock), false, sink);
    bytes.remove_prefix(kBlock);
  }
  packer_->pack(bytes, last, sink);
}

void OutputFile::write(std::string_view bytes) {
  if (pending_.size() + bytes.size() < kBlock) {
    pending_.append(bytes);
    return;
  }
  flush(pending_, false);
  pending_.clear();
  flush(bytes, false);
}

Status OutputFile::finish() {
  flush(pending_, true);
  pending_.clear();
  if (failure_ == 0 && temporary_.exists() && ::fsync(descriptor_) != 0) failure_ = errno;
  if (::close(descriptor_) != 0 && failure_ == 0) failure_ = errno;
  descriptor_ = -1;
  if (failure_ == 0 && temporary_.exists()) failure_ = temporary_.rename_to(path_);
  if (failure_ == EPIPE) return Done{};
  if (failure_ != 0) return input_error(path_, 0, std::string("cannot write: ") + std::strerror(failure_));
  return Done{};
}

}  // namespace matcha::runtime::detail
