#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ir/nodes.h"

namespace matcha::codegen {

/// Gives each value an identifier that is stable from run to run: its hint, with a number when the hint is taken or
/// would be a word of C++, CUDA or the runtime's text.
class Names {
 public:
  const std::string& of(const ir::Var* var);

 private:
  std::unordered_map<const ir::Var*, std::string> names_;
  std::unordered_map<std::string, int> taken_;
};

}  // namespace matcha::codegen
