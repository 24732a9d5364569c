#include "ir/check.h"

#include <cstdio>
#include <cstdlib>

namespace matcha {

void report_bug(const char* file, int line, std::string_view message) {
  std::fprintf(stderr, "matcha: internal error: %.*s (%s:%d)\nplease report this with the program and the command\n",
               static_cast<int>(message.size()), message.data(), file, line);
  std::abort();
}

}  // namespace matcha
