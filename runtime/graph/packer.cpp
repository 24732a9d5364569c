#include "runtime/graph/packer.h"

#include <zlib.h>
#include <zstd.h>

#include <new>
#include <string>

namespace matcha::runtime {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

class GzipPacker final : public Packer {
 public:
  GzipPacker() {
    constexpr int kGzipWindow = 15 + 16;
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipPacker() override { deflateEnd(&stream_); }

  void pack(std::string_view bytes, bool last, const Sink& sink) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int state = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
      stream_.avail_out = static_cast<uInt>(block_.size());
      state = deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      sink(std::string_view(block_).substr(0, block_.size() - stream_.avail_out));
    } while (last ? state != Z_STREAM_END : stream_.avail_in != 0);
  }

 private:
  z_stream stream_{};
  std::string block_ = std::string(kBlock, '\0');
};

class ZstdPacker final : public Packer {
 public:
  ZstdPacker() : stream_(ZSTD_createCCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacker() override { ZSTD_freeCCtx(stream_); }

  void pack(std::string_view bytes, bool last, const Sink& sink) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{block_.data(), block_.size(), 0};
      left = ZSTD_compressStream2(stream_, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
      sink(std::string_view(block_).substr(0, output.pos));
    } while (!ZSTD_isError(left) && (last ? left != 0 : input.pos != input.size));
  }

 private:
  ZSTD_CCtx* stream_;
  std::string block_ = std::string(kBlock, '\0');
};

}  // namespace

std::unique_ptr<Packer> Packer::make(Compression compression) {
  switch (compression) {
    case Compression::Gzip: return std::make_unique<GzipPacker>();
    case Compression::Zstd: return std::make_unique<ZstdPacker>();
    case Compression::None:
    case Compression::Bzip2:
    case Compression::Xz:
    case Compression::Zip:
    case Compression::Tar: break;
  }
  return nullptr;
}

}  // namespace matcha::runtime
