#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "codegen/cuda/device_text.h"
#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "ir/match.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "runtime/cuda/nvrtc.h"

namespace matcha::codegen::gpu {

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A module that makes rows of bits, %rows, of the neighbours of each vertex %u, which are the list %all; `body`: its
/// statements for the item %v at %p.
inline std::string with_rows(const std::string& body) {
  return "module kernel \"f\" (%G: graph) assumes simple(%G) {\n"
         "  region (parallel, split=1, group=32) {\n"
         "    buffer %room: list<bits>[64]\n"
         "    collect %sum: sum i128 {\n"
         "      for %u in vertices(%G) {\n"
         "        let %all = span(neighbors(%G, %u), 0, 64)\n"
         "        store %rows in %room = bit_rows(%G, %all)\n"
         "        for %v at %p in %all {\n" +
         body +
         "        }\n"
         "      }\n"
         "    }\n"
         "  }\n"
         "  return %sum\n"
         "}\n";
}

inline void expect_lines(const std::string& text, std::initializer_list<const char*> lines) {
  for (const char* line : lines) EXPECT_NE(text.find(line), std::string::npos) << line;
}

/// Compiles a text, or returns the error.
class CudaText : public testing::Test {
 protected:
  /// With the schedule of a GPU, for groups of `group` lanes; 0: chosen.
  std::optional<ir::Module> kernel_module(const std::string& text, std::uint32_t group = 0) {
    std::optional<ir::Module> module = ir::parse(context_, sources_.add("test.mtir", text), diagnostics_);
    if (!module || !ir::verify(*module, diagnostics_)) return std::nullopt;
    return scheduled(*module, "schedule", {}, passes::gpu_target(group));
  }

  std::optional<ir::Module> program(const std::string& text, std::uint32_t group = 0) {
    return program(text, passes::gpu_target(group));
  }
  /// `all_labelled`: every vertex of the graphs that it gets has a label.
  std::optional<ir::Module> program(const std::string& text, const passes::TargetInfo& target,
                                    bool all_labelled = false) {
    std::optional<frontend::asg::Graph> graph =
        frontend::compile(sources_, sources_.add("test.mt", text), {}, diagnostics_);
    if (!graph) return std::nullopt;
    std::optional<ir::Module> loop = frontend::lower(*graph, context_, diagnostics_);
    if (!loop) return std::nullopt;
    passes::LabelWords labels;
    labels.code = [](std::string_view) { return std::optional<std::int64_t>(-1); };
    passes::ManagerOptions manager;
    if (all_labelled) manager.allowed.insert(ir::AssumptionKind::Labelled);
    return scheduled(*loop, "c-family", labels, target, manager);
  }

  /// Empty: it compiles for the architecture.
  static std::string compile(const runtime::cuda::Nvrtc& nvrtc, const std::string& text, int arch,
                             bool starts_kernels = false) {
    runtime::cuda::CompileRequest request{text, "test.cu", arch, compile_options(starts_kernels)};
    runtime::Result<runtime::cuda::Compilation> result = nvrtc.compile(request);
    if (!result) return result.error().render();
    return result->cubin.empty() ? "no machine code" : result->log;
  }

  std::optional<ir::Module> scheduled(const ir::Module& module, const std::string& passes,
                                      const passes::LabelWords& labels, const passes::TargetInfo& target,
                                      const passes::ManagerOptions& manager = {}) {
    const std::optional<passes::Pipeline> pipeline = passes::parse_pipeline(passes, diagnostics_);
    if (!pipeline) return std::nullopt;
    const passes::PipelineResult result =
        passes::run_pipeline(module, *pipeline, context_, target, labels, manager, diagnostics_);
    if (diagnostics_.error_count() != 0) return std::nullopt;
    return result.module;
  }

  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  ir::Context context_;
};

}  // namespace matcha::codegen::gpu
