#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Messages of the Language Server Protocol over two descriptors: `Content-Length: N`, an empty line, N bytes.
namespace matcha::tools::lsp {

/// Longer messages are skipped: no program is that long.
inline constexpr std::size_t kLongestMessage = std::size_t{64} << 20;

class Transport {
 public:
  Transport(int in, int out) : in_(in), out_(out) {}

  enum class ReadResult {
    Message,
    Malformed,  ///< A header without a usable length, or a message that is too long; the next call continues behind it.
    End         ///< The input has ended, perhaps inside a message.
  };
  /// Waits for the next message; `body` receives its content, or the error.
  ReadResult read(std::string& body);
  /// False if the reader is gone.
  bool write(std::string_view body);

 private:
  /// Reads more input; false at its end.
  bool fill();
  /// A line without its end; false at the end of the input.
  bool line(std::string& text);

  int in_;
  int out_;
  std::string buffer_;
  std::size_t at_ = 0;  ///< Bytes of the buffer that were consumed.
};

}  // namespace matcha::tools::lsp
