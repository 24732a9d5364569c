#pragma once

#include <string_view>

namespace matcha {

/// Reports a bug of ours (file, line, message) on stderr and aborts. Mistakes of users are diagnostics instead.
[[noreturn]] void report_bug(const char* file, int line, std::string_view message);

}  // namespace matcha

/// Checks an invariant of ours; the message states the expectation.
#define MATCHA_CHECK(condition, message)                                   \
  do {                                                                     \
    if (!(condition)) ::matcha::report_bug(__FILE__, __LINE__, (message)); \
  } while (false)

#define MATCHA_UNREACHABLE(message) ::matcha::report_bug(__FILE__, __LINE__, (message))
