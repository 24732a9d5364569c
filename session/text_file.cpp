#include "session/text_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "runtime/private_files.h"

namespace matcha::session {

std::string read_text_file(const std::string& path, std::string& text, const std::atomic<bool>* maybe_cancel) {
  constexpr std::size_t kLongest = std::size_t{64} << 20, kBlock = std::size_t{1} << 16;
  const bool standard = path == "-";
  const runtime::Descriptor file(standard ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!standard && !file.valid()) return std::strerror(errno);
  const int descriptor = standard ? STDIN_FILENO : file.get();
  text.clear();
  while (text.size() <= kLongest) {
    // A read that waits for a terminal would not notice Ctrl-C.
    constexpr int kPauseMs = 100;
    struct pollfd ready = {descriptor, POLLIN, 0};
    if (::poll(&ready, 1, kPauseMs) <= 0) {
      if (maybe_cancel != nullptr && maybe_cancel->load()) return "interrupted";
      continue;
    }
    const std::size_t size = text.size();
    text.resize(size + kBlock);
    const ssize_t got = ::read(descriptor, text.data() + size, kBlock);
    const int code = got < 0 ? errno : 0;
    text.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return "";
    if (got < 0 && code != EINTR) return std::strerror(code);
  }
  return "it is longer than 64 MiB";
}

std::string read_pattern_file(const std::string& path, std::string& text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string why = read_text_file(path, text);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return why;
}

}  // namespace matcha::session
