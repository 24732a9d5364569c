#pragma once

#include <string>
#include <utility>

#include "ir/support/source.h"
#include "runtime/cpu/region.h"
#include "runtime/result.h"

namespace matcha::codegen::host {

/// An exception that ends a run with an error, thrown here and caught in the calling back end.
struct Trap {
  runtime::Error error;
  SourceLoc loc;
};

[[noreturn]] void fail(runtime::ErrorKind kind, std::string message, std::string hint = {}, SourceLoc loc = {});
[[noreturn]] void trap(runtime::TrapCode code, SourceLoc loc);

/// The value, or the error thrown.
template <typename T>
T need(runtime::Result<T> result, SourceLoc loc = {}) {
  if (!result) throw Trap{std::move(result.error()), loc};
  return std::move(*result);
}

}  // namespace matcha::codegen::host
