#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// A function as it is written.
struct FunctionDoc {
  std::string name;
  std::string signature;                ///< On one line.
  std::string comment;                  ///< The lines above it, which may be about several functions.
  std::string doc;                      ///< Its docstring, unindented.
  std::vector<std::string> parameters;  ///< The parameters of type int, float and bool.
};

struct ModuleDoc {
  std::string doc;
  std::vector<FunctionDoc> functions;
};

/// The documents of a program or a module and its functions. Nothing if it has syntax errors, which `diagnostics`
/// gets.
std::optional<ModuleDoc> module_doc(SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics);

/// A docstring without the indentation of its lines and blank lines around it.
std::string unindented(std::string_view text);

}  // namespace matcha::frontend
