#include "runtime/graph/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/graph/detail/source.h"

namespace matcha::runtime {

/// The bytes of a packed file, and its unpacker.
struct ByteStream::Packed {
  std::string bytes;
  std::unique_ptr<detail::Unpacker> unpacker;
};

Result<std::unique_ptr<ByteStream>> ByteStream::open(const std::string& path) {
  std::unique_ptr<ByteStream> stream(new ByteStream());
  stream->path_ = path;
  stream->descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (stream->descriptor_ < 0) return stream->failure(errno);
  struct stat facts {};
  if (::fstat(stream->descriptor_, &facts) != 0) return stream->failure(errno);
  if (S_ISDIR(facts.st_mode)) return stream->failure(EISDIR);
  stream->may_repeat_ = S_ISREG(facts.st_mode);
  return stream;
}

ByteStream::~ByteStream() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

Error ByteStream::failure(int code) const {
  return detail::input_error(path_ == "-" ? "<stdin>" : path_, 0,
                             std::string("cannot be read: ") + std::strerror(code));
}

/// Reads bytes of the descriptor; 0 at its end.
Result<std::uint64_t> ByteStream::fill(char* out, std::uint64_t room) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, out, room);
    if (got >= 0) return static_cast<std::uint64_t>(got);
    if (errno == EAGAIN) {
      struct pollfd ready = {descriptor_, POLLIN, 0};
      (void)::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return failure(errno);
    }
  }
}

/// Detects compression from the first bytes.
Status ByteStream::begin() {
  constexpr std::uint64_t kHead = 4096;
  head_.resize(kHead);
  const std::uint64_t got = MATCHA_TRY(fill(head_.data(), head_.size()));
  head_.resize(got);
  begun_ = true;
  if (detail::compression_of(head_) == Compression::None) return Done{};
  auto packed = std::make_unique<Packed>();
  packed->bytes = std::exchange(head_, {});
  for (;;) {
    const std::size_t size = packed->bytes.size();
    const std::uint64_t more = std::max<std::uint64_t>(kHead, size);
    packed->bytes.resize(size + more);
    const std::uint64_t next = MATCHA_TRY(fill(packed->bytes.data() + size, more));
    packed->bytes.resize(size + next);
    if (next == 0) break;
  }
  Compression compression = Compression::None;
  packed->unpacker = MATCHA_TRY(detail::open_unpacker(packed->bytes, path_ == "-" ? "<stdin>" : path_, compression));
  packed_ = std::move(packed);
  return Done{};
}

Result<ByteStream::ReadResult> ByteStream::read(char* out, std::uint64_t room, int wait_ms) {
  if (packed_ == nullptr && head_.empty()) {
    struct pollfd ready = {descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, wait_ms) <= 0) return ReadResult{};
  }
  if (!begun_) {
    MATCHA_TRY(begin());
    if (packed_ == nullptr && head_.empty()) return ReadResult{0, true};
  }
  if (packed_ != nullptr) {
    const std::uint64_t got = MATCHA_TRY(packed_->unpacker->read(out, room));
    return ReadResult{got, got < room};
  }
  if (!head_.empty()) {
    const std::uint64_t size = std::min<std::uint64_t>(room, head_.size());
    std::copy_n(head_.data(), size, out);
    head_.erase(0, size);
    return ReadResult{size, false};
  }
  const std::uint64_t got = MATCHA_TRY(fill(out, room));
  return ReadResult{got, got == 0};
}

Status ByteStream::skip(std::uint64_t bytes) {
  std::string block(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20), '\0');
  while (bytes != 0) {
    const ReadResult got = MATCHA_TRY(read(block.data(), std::min<std::uint64_t>(bytes, block.size()), -1));
    bytes -= got.bytes;
    if (got.at_end && bytes != 0) {
      return detail::input_error(path_ == "-" ? "<stdin>" : path_, 0,
                                 "the input is shorter than the part that was read before");
    }
  }
  return Done{};
}

}  // namespace matcha::runtime
