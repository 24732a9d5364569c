#include "runtime/result.h"

namespace matcha::runtime {

std::string Error::render() const {
  std::string text;
  if (!file.empty()) {
    text += file;
    if (line != 0) text += ":" + std::to_string(line);
    text += ": ";
  }
  text += "error: " + message;
  if (!hint.empty()) text += "\n  hint: " + hint;
  return text;
}

}  // namespace matcha::runtime
