#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/compile.h"
#include "session/message_log.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// The nests of a program of a stream (pipeline `nests`), for the methods that maintain its answer. Words of labels get
/// codes that no graph has. Errors of the program are not reported: its compilation for a run reports them.
class ProgramNests {
 public:
  /// The request must outlive it. `directed`: the graph has arcs.
  ProgramNests(const ProgramRequest& request, bool directed);

  /// Null: the program has errors. Compiles it at the first call.
  const ir::Module* maybe_module();
  /// The program. Requires: there is a module.
  const frontend::asg::Graph& graph() const { return compilation_->graph(); }
  bool is_list() const { return compilation_->signature().result->is_list(); }
  /// A label in the syntax of patterns, from the text of its constant; empty if it is not a label.
  std::optional<std::string> literal_of(const std::string& constant) const;

 private:
  void compile();

  const ProgramRequest& request_;
  const bool directed_;
  const MessageLog log_;
  CompileOptions options_;
  std::vector<std::string> words_;
  std::optional<Compilation> compilation_;
  std::optional<ir::Module> module_;
};

}  // namespace matcha::session::stream
