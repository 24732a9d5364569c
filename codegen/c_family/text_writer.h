#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace matcha::codegen {

/// Builds indented C-family text line by line.
class TextWriter {
 public:
  void line(std::string_view text) {
    if (!text.empty()) out_.append(static_cast<std::size_t>(indent_) * 2, ' ').append(text);
    out_ += '\n';
  }
  /// `text {` and one level deeper; `comment` stands behind the brace.
  void open(std::string_view text, std::string_view comment = "") {
    line(std::string(text) + " {" + std::string(comment));
    ++indent_;
  }
  /// One level back and `}` followed by `after`.
  void close(std::string_view after = "") {
    --indent_;
    line("}" + std::string(after));
  }
  /// `} text {` on one line.
  void turn(std::string_view text) {
    --indent_;
    line("} " + std::string(text) + " {");
    ++indent_;
  }
  void blank() { out_ += '\n'; }
  void raw(std::string_view text) { out_ += text; }
  std::string take() { return std::exchange(out_, {}); }

 private:
  std::string out_;
  int indent_ = 0;
};

}  // namespace matcha::codegen
