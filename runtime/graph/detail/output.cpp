#include "runtime/graph/detail/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "runtime/graph/detail/source.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

bool is_special(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

}  // namespace

/// A compressed stream; packed bytes go to `sink` in blocks.
struct OutputFile::Packer {
  virtual ~Packer() = default;
  virtual void pack(std::string_view bytes, bool last, OutputFile& sink) = 0;
  std::string block = std::string(kBlock, '\0');
};

struct GzipPacker final : OutputFile::Packer {
  GzipPacker() {
    constexpr int kGzipWindow = 15 + 16;
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipPacker() override { deflateEnd(&stream_); }

  void pack(std::string_view bytes, bool last, OutputFile& sink) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int state = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      state = deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      sink.put(std::string_view(block).substr(0, block.size() - stream_.avail_out));
    } while (last ? state != Z_STREAM_END : stream_.avail_in != 0);
  }

 private:
  z_stream stream_{};
};

struct ZstdPacker final : OutputFile::Packer {
  ZstdPacker() : stream_(ZSTD_createCCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacker() override { ZSTD_freeCCtx(stream_); }

  void pack(std::string_view bytes, bool last, OutputFile& sink) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{block.data(), block.size(), 0};
      left = ZSTD_compressStream2(stream_, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
      sink.put(std::string_view(block).substr(0, output.pos));
    } while (!ZSTD_isError(left) && (last ? left != 0 : input.pos != input.size));
  }

 private:
  ZSTD_CCtx* stream_;
};

OutputFile::OutputFile() = default;

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, Compression compression) {
  static std::atomic<unsigned> next{0};
  std::unique_ptr<OutputFile> file(new OutputFile());
  file->path_ = path;
  if (compression == Compression::Gzip) file->packer_ = std::make_unique<GzipPacker>();
  if (compression == Compression::Zstd) file->packer_ = std::make_unique<ZstdPacker>();
  int flags = O_WRONLY | O_CLOEXEC;
  std::string target = path;
  if (!is_special(path)) {
    target = path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(next.fetch_add(1));
    flags |= O_CREAT | O_EXCL;
  }
  constexpr mode_t kReadable = 0666;
  file->descriptor_ = ::open(target.c_str(), flags, kReadable);
  if (file->descriptor_ < 0) return input_error(path, 0, std::string("cannot write: ") + std::strerror(errno));
  if (target != path) file->temporary_ = target;
  return file;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  while (bytes.size() > kBlock) {
    packer_->pack(bytes.substr(0, kBlock), false, *this);
    bytes.remove_prefix(kBlock);
  }
  packer_->pack(bytes, last, *this);
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
  if (failure_ == 0 && !temporary_.empty() && ::fsync(descriptor_) != 0) failure_ = errno;
  if (::close(descriptor_) != 0 && failure_ == 0) failure_ = errno;
  descriptor_ = -1;
  if (failure_ == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) failure_ = errno;
  if (failure_ == EPIPE) return Done{};
  if (failure_ != 0) return input_error(path_, 0, std::string("cannot write: ") + std::strerror(failure_));
  temporary_.clear();
  return Done{};
}

}  // namespace matcha::runtime::detail
