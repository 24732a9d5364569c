#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend::testing {

/// A text that was compiled, with all that lives behind the graph.
struct Compiled {
  SourceManager sources;
  std::unique_ptr<Diagnostics> diagnostics;
  std::optional<asg::Graph> graph;

  /// `line: message [id]` for each diagnostic.
  std::vector<std::string> messages() const;
  bool has(DiagId id) const;
};

std::unique_ptr<Compiled> compile_text(const std::string& text, const std::string& entry = {});

/// The graph as text, or the diagnostics.
std::string asg_text(const std::string& text);

/// The loop module as text, or the diagnostics; fails the test if the verifier finds fault with it.
std::string ir_text(const std::string& text);

/// Compiles up to the loop module, for fuzzers. True if there is one; it is verified.
bool compile_fully(const std::string& text);

std::string read_file(const std::string& path);

}  // namespace matcha::frontend::testing
