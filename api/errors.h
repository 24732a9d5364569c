#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "api/handles.h"

/// Error handling of the functions of matcha.h.
namespace matcha::api {

inline matcha_status fail(matcha_status status, std::string text, matcha_error** error) {
  if (error != nullptr) *error = new (std::nothrow) matcha_error{std::move(text)};
  return status;
}

inline matcha_status usage(const std::string& message, matcha_error** error) {
  return fail(MATCHA_ERROR_USAGE, fmt::format("error: {}\n", message), error);
}

/// Runs the work of a function and turns exceptions into errors.
template <typename Work>
matcha_status call(matcha_error** error, Work work) {
  if (error != nullptr) *error = nullptr;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(MATCHA_ERROR_RESOURCE, "error: out of memory\n", error);
  } catch (const std::exception& thrown) {
    return fail(MATCHA_ERROR_RUN, fmt::format("error: internal error: {}\n", thrown.what()), error);
  }
}

}  // namespace matcha::api
