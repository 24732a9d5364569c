#include <bzlib.h>
#include <lzma.h>

#include <algorithm>
#include <new>

#include "runtime/graph/detail/source.h"

namespace matcha::runtime::detail {

namespace {

/// One or more bzip2 streams.
class Bzip2Unpacker final : public Unpacker {
 public:
  Bzip2Unpacker(std::string_view packed, std::string path) : packed_(packed), path_(std::move(path)) { begin(); }
  ~Bzip2Unpacker() override { BZ2_bzDecompressEnd(&stream_); }

  Result<std::uint64_t> read(char* out, std::uint64_t room) override {
    std::uint64_t done = 0;
    while (done < room && !finished_) {
      if (stream_.avail_in == 0) feed();
      const unsigned want = static_cast<unsigned>(std::min<std::uint64_t>(room - done, kMost));
      stream_.next_out = out + done;
      stream_.avail_out = want;
      const unsigned before = stream_.avail_in;
      const int state = BZ2_bzDecompress(&stream_);
      done += want - stream_.avail_out;
      if (state == BZ_STREAM_END) {
        MATCHA_TRY(next_stream());
      } else if (state == BZ_MEM_ERROR) {
        return out_of_memory_error(path_);
      } else if (state != BZ_OK) {
        return corrupt_data(path_, "bzip2");
      } else if (stream_.avail_out == want && before == 0) {
        return ends_early(path_, "bzip2");
      }
    }
    return done;
  }

  std::uint64_t consumed() const override { return fed_ - stream_.avail_in; }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

  void begin() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  void feed() {
    const std::uint64_t size = std::min<std::uint64_t>(packed_.size() - fed_, kMost);
    stream_.next_in = const_cast<char*>(packed_.data() + fed_);
    stream_.avail_in = static_cast<unsigned>(size);
    fed_ += size;
  }

  Status next_stream() {
    const std::uint64_t at = consumed();
    if (at == packed_.size()) {
      finished_ = true;
      return Done{};
    }
    if (compression_of(packed_.substr(at)) != Compression::Bzip2) {
      return bytes_behind(path_, "bzip2");
    }
    BZ2_bzDecompressEnd(&stream_);
    stream_ = bz_stream{};
    fed_ = at;
    begin();
    return Done{};
  }

  std::string_view packed_;
  std::string path_;
  bz_stream stream_{};
  std::uint64_t fed_ = 0;
  bool finished_ = false;
};

class XzUnpacker final : public Unpacker {
 public:
  XzUnpacker(std::string_view packed, std::string path) : packed_(packed), path_(std::move(path)) {
    constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30;
    if (lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
  }
  ~XzUnpacker() override { lzma_end(&stream_); }

  Result<std::uint64_t> read(char* out, std::uint64_t room) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = room;
    while (stream_.avail_out != 0 && !finished_) {
      const lzma_ret state = lzma_code(&stream_, LZMA_FINISH);
      if (state == LZMA_STREAM_END) {
        finished_ = true;
      } else if (state == LZMA_MEM_ERROR) {
        return out_of_memory_error(path_);
      } else if (state == LZMA_BUF_ERROR) {
        return ends_early(path_, "xz");
      } else if (state != LZMA_OK) {
        return corrupt_data(path_, "xz");
      }
    }
    return room - stream_.avail_out;
  }

  std::uint64_t consumed() const override { return packed_.size() - stream_.avail_in; }

 private:
  std::string_view packed_;
  std::string path_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> make_bzip2_unpacker(std::string_view packed, const std::string& path) {
  return std::make_unique<Bzip2Unpacker>(packed, path);
}

std::unique_ptr<Unpacker> make_xz_unpacker(std::string_view packed, const std::string& path) {
  return std::make_unique<XzUnpacker>(packed, path);
}

}  // namespace matcha::runtime::detail
