#include "lsp/transport.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "session/output_file.h"

namespace matcha::tools::lsp {

namespace {

/// Longest line of a header; a longer one is malformed.
constexpr std::size_t kLongestHeader = 4096;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c; }

/// The number of a line `Content-Length: N`; empty for other headers.
std::optional<std::size_t> content_length(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  bool named = line.size() > kName.size() &&
               std::equal(kName.begin(), kName.end(), line.begin(), [](char a, char b) { return a == lower(b); });
  if (!named) return std::nullopt;
  line.remove_prefix(kName.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  std::size_t value = 0;
  std::from_chars_result result = std::from_chars(line.data(), line.data() + line.size(), value);
  if (result.ec != std::errc() || result.ptr != line.data() + line.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Transport::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBlock);
  ssize_t got = 0;
  do {
    got = ::read(in_, buffer_.data() + size, kBlock);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

bool Transport::line(std::string& text) {
  std::size_t end = 0;
  while ((end = buffer_.find('\n', at_)) == std::string::npos) {
    if (buffer_.size() - at_ > kLongestHeader) {
      end = buffer_.size() - 1;
      break;
    }
    if (!fill()) return false;
  }
  text = buffer_.substr(at_, end - at_);
  at_ = end + 1;
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return true;
}

Transport::ReadResult Transport::read(std::string& body) {
  std::optional<std::size_t> length;
  std::string text;
  bool any = false;
  while (true) {
    if (!line(text)) return ReadResult::End;
    if (text.empty() && any) break;
    if (text.empty()) continue;
    any = true;
    if (const std::optional<std::size_t> found = content_length(text)) length = found;
  }
  if (!length) {
    body = "the header has no valid Content-Length";
    return ReadResult::Malformed;
  }
  const bool wanted = *length <= kLongestMessage;
  body.clear();
  for (std::size_t left = *length; left > 0;) {
    if (at_ == buffer_.size() && !fill()) return ReadResult::End;
    const std::size_t part = std::min(left, buffer_.size() - at_);
    if (wanted) body.append(buffer_, at_, part);
    at_ += part;
    left -= part;
  }
  if (wanted) return ReadResult::Message;
  body = fmt::format("the message has {} bytes; {} are the most", *length, kLongestMessage);
  return ReadResult::Malformed;
}

bool Transport::write(std::string_view body) {
  return session::write_all(out_, fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body)) == 0;
}

}  // namespace matcha::tools::lsp
