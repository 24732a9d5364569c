#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "runtime/graph/detail/source.h"

namespace matcha::runtime::detail {

namespace {

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker(std::string_view packed, const std::string& path) : packed_(packed), path_(path) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }

  Result<std::uint64_t> read(char* out, std::uint64_t room) override {
    std::uint64_t done = 0;
    while (done < room && !finished_) {
      feed();
      const uInt want = static_cast<uInt>(std::min<std::uint64_t>(room - done, kMost));
      stream_.next_out = reinterpret_cast<Bytef*>(out + done);
      stream_.avail_out = want;
      const int state = inflate(&stream_, Z_NO_FLUSH);
      done += want - stream_.avail_out;
      if (state == Z_STREAM_END) {
        MATCHA_TRY(next_member());
      } else if (state == Z_BUF_ERROR || (state == Z_OK && rest() == 0 && stream_.avail_out != 0)) {
        if (rest() == 0) return ends_early(path_, "gzip");
      } else if (state == Z_MEM_ERROR) {
        return out_of_memory_error(path_);
      } else if (state != Z_OK) {
        return corrupt_data(path_, "gzip", stream_.msg != nullptr ? stream_.msg : "bad data");
      }
    }
    return done;
  }

  std::uint64_t consumed() const override { return packed_.size() - rest(); }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

  std::uint64_t rest() const { return packed_.size() - fed_ + stream_.avail_in; }

  void feed() {
    if (stream_.avail_in != 0) return;
    const std::uint64_t size = std::min<std::uint64_t>(packed_.size() - fed_, kMost);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data() + fed_));
    stream_.avail_in = static_cast<uInt>(size);
    fed_ += size;
  }

  /// A gzip file has one or more members; zeros may fill the last block of a tape.
  Status next_member() {
    const std::string_view left = packed_.substr(packed_.size() - rest());
    if (left.find_first_not_of('\0') == std::string_view::npos) {
      finished_ = true;
      return Done{};
    }
    if (compression_of(left) != Compression::Gzip) {
      return bytes_behind(path_, "gzip");
    }
    inflateReset(&stream_);
    return Done{};
  }

  std::string_view packed_;
  std::string path_;
  z_stream stream_{};
  std::uint64_t fed_ = 0;
  bool finished_ = false;
};

class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker(std::string_view packed, const std::string& path)
      : packed_(packed), path_(path), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }

  Result<std::uint64_t> read(char* out, std::uint64_t room) override {
    ZSTD_inBuffer input{packed_.data(), packed_.size(), at_};
    ZSTD_outBuffer output{out, room, 0};
    while (output.pos < room) {
      if (input.pos == input.size && frame_done_) break;
      const std::size_t before_in = input.pos;
      const std::size_t before_out = output.pos;
      const std::size_t state = ZSTD_decompressStream(stream_, &output, &input);
      if (ZSTD_isError(state)) return corrupt_data(path_, "zstd", ZSTD_getErrorName(state));
      frame_done_ = state == 0;
      if (input.pos == before_in && output.pos == before_out && !frame_done_) return ends_early(path_, "zstd");
    }
    at_ = input.pos;
    return output.pos;
  }

  std::uint64_t consumed() const override { return at_; }

 private:
  std::string_view packed_;
  std::string path_;
  ZSTD_DStream* stream_;
  std::size_t at_ = 0;
  bool frame_done_ = false;
};

Error packed_error(const std::string& path, const std::string& message) {
  return input_error(path, 0, message, "fetch or pack it again");
}

}  // namespace

Error ends_early(const std::string& path, std::string_view kind) {
  return packed_error(path, "the file is truncated: its " + std::string(kind) + " data end early");
}

Error corrupt_data(const std::string& path, std::string_view kind, std::string_view what) {
  return packed_error(
      path, "the " + std::string(kind) + " data are corrupt" + (what.empty() ? "" : ": ") + std::string(what));
}

Error bytes_behind(const std::string& path, std::string_view kind) {
  return packed_error(path, "there are other bytes after the " + std::string(kind) + " data");
}

Compression compression_of(std::string_view bytes) {
  if (bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b') return Compression::Gzip;
  if (bytes.starts_with("BZh") && bytes.size() > 3 && bytes[3] >= '1' && bytes[3] <= '9') return Compression::Bzip2;
  if (bytes.starts_with(std::string_view("\xFD"
                                         "7zXZ\0",
                                         6)))
    return Compression::Xz;
  if (is_zip(bytes)) return Compression::Zip;
  if (is_tar(bytes)) return Compression::Tar;
  if (bytes.size() >= 4) {
    std::uint32_t magic = 0;
    for (int i = 3; i >= 0; --i) magic = magic << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    constexpr std::uint32_t kSkippableMask = 0xFFFFFFF0U;
    if (magic == ZSTD_MAGICNUMBER || (magic & kSkippableMask) == ZSTD_MAGIC_SKIPPABLE_START) {
      return Compression::Zstd;
    }
  }
  return Compression::None;
}

std::unique_ptr<Unpacker> make_unpacker(Compression compression, std::string_view packed, const std::string& path) {
  switch (compression) {
    case Compression::None: return nullptr;
    case Compression::Gzip: return std::make_unique<GzipUnpacker>(packed, path);
    case Compression::Zstd: return std::make_unique<ZstdUnpacker>(packed, path);
    case Compression::Bzip2: return make_bzip2_unpacker(packed, path);
    case Compression::Xz: return make_xz_unpacker(packed, path);
    case Compression::Zip:
    case Compression::Tar: return make_archive_unpacker(nullptr, packed, path);
  }
  return nullptr;
}

Result<std::unique_ptr<Unpacker>> open_unpacker(std::string_view bytes, const std::string& path,
                                                Compression& compression) {
  constexpr std::uint64_t kTarHead = 512;
  compression = compression_of(bytes);
  std::unique_ptr<Unpacker> unpacker = make_unpacker(compression, bytes, path);
  if (unpacker == nullptr || compression == Compression::Zip || compression == Compression::Tar) return unpacker;
  std::string head(kTarHead, '\0');
  std::uint64_t got = MATCHA_TRY(unpacker->read(head.data(), head.size()));
  unpacker = make_unpacker(compression, bytes, path);
  if (!is_tar(std::string_view(head).substr(0, got))) return unpacker;
  compression = Compression::Tar;
  return make_archive_unpacker(std::move(unpacker), {}, path);
}

}  // namespace matcha::runtime::detail
