#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/nodes.h"
#include "tests/differential/world.h"

namespace matcha::differential {

/// The end of a run: its results, or the message of its trap.
struct Outcome {
  bool trapped = false;
  std::string text;
};

Outcome outcome_of(const codegen::RunOutcome& ended, const runtime::Universe& universe);

/// The module's arguments for a world, by the names of its parameters.
class Arguments {
 public:
  Arguments(const World& world, runtime::Graph& graph, const ir::Module& module);
  const std::vector<codegen::Argument>& all() const { return arguments_; }
  bool has_lists() const { return !lists_.empty(); }

 private:
  void add(const World& world, runtime::Graph& graph, const std::string& name, const ir::Type& type);

  std::vector<codegen::Argument> arguments_;
  std::vector<std::unique_ptr<runtime::InputList>> lists_;
};

}  // namespace matcha::differential
