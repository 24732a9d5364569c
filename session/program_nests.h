#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/compile.h"
#include "session/message_log.h"

namespace matcha::session {

/// The nests of a program (pipeline `nests`), for analyses of its meaning. Labels stay words.
/// Errors of the program are not reported: its compilation for a run reports them.
class ProgramNests {
 public:
  /// `allowed`: the assumptions that may be made about the graphs.
  ProgramNests(CompileOptions options, std::string text, ir::AssumptionKinds allowed);
  /// Of a program that has been lowered, which outlives this object.
  ProgramNests(Compilation& lowered, ir::AssumptionKinds allowed) : allowed_(allowed), maybe_lowered_(&lowered) {}
  /// The assumptions that may be made about a graph that changes. `directed`: it has arcs.
  static ir::AssumptionKinds of_stream(bool directed);

  /// Null: the program has errors. Compiles it at the first call.
  const ir::Module* maybe_module();
  /// The program. Requires: there is a module.
  const frontend::asg::Graph& graph() const { return maybe_lowered_->graph(); }
  /// The words of labels that the program has. Requires: there is a module.
  const std::vector<std::string>& words() const { return words_; }
  /// Whether the graph may have arcs, which nests have in place of edges then.
  bool has_arcs() const { return !allowed_.contains(ir::AssumptionKind::Symmetric); }
  bool is_list() const { return maybe_lowered_->signature().result->is_list(); }
  /// A label in the syntax of patterns, from the text of its constant; empty if it is not a label.
  std::optional<std::string> literal_of(const std::string& constant) const;

 private:
  void compile();

  CompileOptions options_;
  std::string text_;
  const ir::AssumptionKinds allowed_;
  const MessageLog log_;
  std::vector<std::string> words_;
  std::optional<Compilation> own_;
  Compilation* maybe_lowered_ = nullptr;  ///< Null: `text_` has not been compiled, or has errors.
  bool is_read_ = false;
  std::optional<ir::Module> module_;
};

}  // namespace matcha::session
