#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "session/bind.h"
#include "session/compile.h"
#include "session/gpu.h"
#include "session/message_log.h"
#include "session/targets.h"
#include "tests/differential/outcome.h"

namespace matcha::differential {

/// How the tool runs a program.
struct ToolChoice {
  std::uint32_t group = 0;     ///< Lanes of a group on the emulated GPU; 0: a CPU.
  std::string order = "auto";  ///< As `--order`; by id if the program does not allow another order.
  bool early = false;          ///< Compiled before the inputs are read, and again if it assumed too much.

  std::string text() const;
};

/// Options with which small inputs reach the code for large ones: loops are split at once into a tiny queue.
session::GpuOptions hurried_gpu(std::uint32_t group);

/// A world as inputs that the tool has read.
class ToolInputs {
 public:
  explicit ToolInputs(const World& world);

  const session::BoundInputs& bound() const { return bound_; }

 protected:
  const World& world_;
  session::BoundInputs bound_;
};

/// A program compiled by the tool's own steps: the same functions in the same order, with their facts about the graph.
class ToolRun : ToolInputs {
 public:
  ToolRun(const std::string& text, const World& world, const ToolChoice& choice);

  /// False if it does not compile; `log` and `diagnostics` say why.
  bool prepare();
  Outcome run(codegen::RunOptions options);

  bool by_degree() const { return by_degree_; }
  bool assumes_something() const { return !compilation_.pipeline().module.assumptions.empty(); }
  const std::string& log() const { return log_.text(); }
  const Diagnostics& diagnostics() const { return compilation_.diagnostics(); }
  /// The module that the passes left.
  std::string module() const;

 private:
  session::Status passes(const passes::LabelWords& labels, const session::BoundInputs* maybe_bound);
  session::Status order(const passes::LabelWords& labels);

  const session::MessageLog log_;
  const ToolChoice choice_;
  session::CompileOptions options_;
  const session::Target& target_;
  session::TargetSettings settings_;
  session::Compilation compilation_;
  std::optional<Arguments> arguments_;
  std::unique_ptr<codegen::Backend> backend_;
  std::unique_ptr<codegen::Executable> executable_;
  bool by_degree_ = false;
};

/// The codes of the world's label words.
passes::LabelWords label_words(const World& world);

}  // namespace matcha::differential
