#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "codegen/backend.h"
#include "codegen/c_family/ahead_of_time.h"
#include "session/gpu.h"

namespace matcha::session {

/// Settings of a back end when it is made; each reads its own.
struct TargetSettings {
  std::string code_folder;  ///< Where the compiled code of a CPU is kept; empty: nowhere.
  GpuOptions gpu = {};
  codegen::AheadOfTime about = {};  ///< For a program that is compiled ahead of time.
};

/// A back end, and the passes for its programs.
struct Target {
  std::string_view name;      ///< The word of `--backend`, such as `llvm`, or the kind of text.
  std::string_view pipeline;  ///< The default pipeline of passes.
  std::string_view emit;      ///< The word of `build --emit` for its text; empty: there is none.
  bool on_gpu = false;
  bool ahead_of_time = false;  ///< Its text is a stand-alone program, or a part of one: this process does not run it.
  std::unique_ptr<codegen::Backend> (*make)(const TargetSettings& settings) = nullptr;
  passes::TargetInfo (*machine)(const TargetSettings& settings) = nullptr;

  /// The machine as the passes see it, and the schedule of regions.
  passes::TargetInfo info(const TargetSettings& settings) const { return machine(settings); }
};

/// All that programs are compiled for; a new back end is a line of this table.
std::span<const Target> targets();

/// Requires: the name of a target.
const Target& target_named(std::string_view name);

/// The name of the target that runs programs on a CPU at a tier: `auto`, `interp` or `native`.
std::string_view target_of_tier(std::string_view tier);

/// The target of which `build --emit` prints the text; null: the word names another stage of the compiler.
const Target* target_of_text(std::string_view emit);

}  // namespace matcha::session
