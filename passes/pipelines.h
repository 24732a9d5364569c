#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace matcha::passes {

/// One use of a pass, or a `fixpoint{…}` over others (then `pass` is null).
struct PipelineStep {
  const PassInfo* pass = nullptr;
  PassOptions options;
  std::vector<PipelineStep> body;
};
using Pipeline = std::vector<PipelineStep>;

/// Names of the pipelines that `parse_pipeline` knows: `c-family` (C++ and CUDA), `cpu`, `loop`, `nests` (for
/// `ir::vertex_order`).
const std::vector<std::string>& pipeline_names();

/// Reads `fuse,restrict{…},fixpoint{fuse,restrict}`; a pipeline's name stands for its list. Errors (`unknown-pass`,
/// `bad-pipeline`) go to `diagnostics` and give nothing.
std::optional<Pipeline> parse_pipeline(std::string_view text, Diagnostics& diagnostics);

/// The text that `parse_pipeline` reads back; options that have their default are left out.
std::string to_string(const PipelineStep& step);

}  // namespace matcha::passes
