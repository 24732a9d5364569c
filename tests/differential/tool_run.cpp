#include "tests/differential/tool_run.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "codegen/cuda/cuda.h"
#include "ir/printer.h"
#include "session/assumptions.h"
#include "session/vertex_order.h"

namespace matcha::differential {

using session::Status;

std::string ToolChoice::text() const {
  return "tool " + (group == 0 ? std::string("llvm") : "cuda " + std::to_string(group)) + " order " + order +
         (early ? " early" : "");
}

session::GpuOptions hurried_gpu(std::uint32_t group) {
  session::GpuOptions options;
  options.group = group;
  options.tau_us = 1;
  options.eager = true;
  options.tile = 2;
  options.chunk = 1;
  options.queue = 4;
  options.rows = 3;
  options.hubs = 2;
  if (const char* folder = std::getenv("MATCHA_CACHE_DIR")) options.code_folder = folder;
  return options;
}

passes::LabelWords label_words(const World& world) {
  const auto code = [&world](std::string_view word) -> std::optional<std::int64_t> {
    const auto found = std::find(world.words.begin(), world.words.end(), word);
    if (found == world.words.end()) return std::nullopt;
    return -1 - (found - world.words.begin());
  };
  return {code, world.words};
}

ToolInputs::ToolInputs(const World& world) : world_(world) {
  RuntimeWorld made(world);
  runtime::Graph& graph = bound_.inputs.graphs.emplace("G", std::move(made.graph)).first->second;
  bound_.main_graph = "G";
  bound_.inputs.universe = graph.shared_universe();
  bound_.labels = graph.view().labels;
  if (!runtime::ensure_split_offsets(graph)) std::abort();
}

ToolRun::ToolRun(const std::string& text, const World& world, const ToolChoice& choice)
    : ToolInputs(world),
      choice_(choice),
      target_(session::target_named(choice.group != 0 ? "cuda" : "llvm")),
      compilation_(options_, log_) {
  settings_.gpu = hurried_gpu(choice.group);
  options_.file = "<program>";
  compilation_.take(text);
}

bool ToolRun::prepare() {
  if (compilation_.check() != Status::Ok || compilation_.lower() != Status::Ok) return false;
  arguments_.emplace(world_, bound_.inputs.graphs.at("G"), compilation_.loop());
  bound_.arguments = arguments_->all();
  for (const ir::Var* param : compilation_.loop().params) {
    if (param->type->is_list()) bound_.inputs.lists.emplace(std::string(param->hint), runtime::InputList());
  }
  compilation_.set_target(target_.info(settings_));
  const passes::LabelWords labels = label_words(world_);
  const bool early = choice_.early && !compilation_.reads_labels();
  if (early && passes({}, nullptr) != Status::Ok) return false;
  if (order(labels) != Status::Ok) return false;
  const bool done = early && session::is_as_assumed(bound_, compilation_);
  if (!done && passes(labels, &bound_) != Status::Ok) return false;
  backend_ = target_.make(settings_);
  return compilation_.load(*backend_, executable_) == Status::Ok && executable_ != nullptr;
}

Status ToolRun::passes(const passes::LabelWords& labels, const session::BoundInputs* maybe_bound) {
  return session::run_passes(target_, compilation_, labels, maybe_bound);
}

Status ToolRun::order(const passes::LabelWords& labels) {
  session::OrderReport report;
  const session::MessageLog ignored;
  Status status = session::order_vertices(choice_.order, {}, compilation_, labels, ignored, bound_, report);
  if (status == Status::Usage && choice_.order == "degree") {
    status = session::order_vertices("id", {}, compilation_, labels, log_, bound_, report);
  }
  by_degree_ = report.by_degree;
  return status;
}

Outcome ToolRun::run(codegen::RunOptions options) {
  options.labels = bound_.labels;
  return outcome_of(executable_->run(bound_.arguments, *bound_.inputs.universe, options), *bound_.inputs.universe);
}

std::string ToolRun::module() const { return ir::print(compilation_.pipeline().module); }

}  // namespace matcha::differential
