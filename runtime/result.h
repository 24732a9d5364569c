#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace matcha::runtime {

/// The class of a failure; each has its exit code (DESIGN: 3 input data, 4 device or run time, 5 resources).
enum class ErrorKind { Input, Runtime, Resource };

/// A failure with its place. `line == 0`: the whole file; an empty `file`: not related to a file.
struct Error {
  ErrorKind kind = ErrorKind::Input;
  std::string message;  ///< Lower case, no full stop, code in backticks.
  std::string file;
  std::uint64_t line = 0;
  std::string hint;
  bool lacks_edge_info = false;  ///< The file lacks the requested labels or numbers of edges.

  /// `file:line: error: message` and the hint on its own line.
  std::string render() const;
};

/// A Resource error: no memory could be allocated.
Error out_of_memory();

/// A value or an Error. `const Graph graph = MATCHA_TRY(load(file));`
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() { return std::get<1>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
struct Done {};
using Status = Result<Done>;

/// The value of a Result. If it is an Error, the calling function returns the error. An expression of GCC and Clang.
#define MATCHA_TRY(...)                          \
  ({                                             \
    auto tried = (__VA_ARGS__);                  \
    if (!tried) return std::move(tried.error()); \
    std::move(*tried);                           \
  })

}  // namespace matcha::runtime
