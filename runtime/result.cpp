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

Error out_of_memory() { return Error{ErrorKind::Resource, "out of memory", "", 0, ""}; }

}  // namespace matcha::runtime
