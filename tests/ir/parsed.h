#pragma once

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "ir/parser.h"

namespace matcha::ir {

/// A text of the intermediate representation and the parser's result.
struct Parsed {
  explicit Parsed(const std::string& text) : diagnostics(sources) {
    module = parse(context, sources.add("test.mtir", text), diagnostics);
  }

  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::optional<Module> module;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace matcha::ir
