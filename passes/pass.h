#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/bind_labels.h"
#include "ir/context.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::passes {

/// What the machine that runs the program can do, and what the user wants of it. `schedule-regions`, `map-lanes` and
/// `legalize` ask.
struct TargetInfo {
  std::string name = "cpu";
  std::uint32_t max_group = 1;  ///< Threads that can work together on one position.
  std::uint32_t group = 0;      ///< How many of them do, at most `max_group`; 0: `map-lanes` chooses for each region.
  std::uint32_t max_split = 2;  ///< Loop levels at which a straggler's positions may be dealt again.
  std::uint32_t split = 0;      ///< How many of them are used; 0: `schedule-regions` chooses.
  /// Work is handed on as tasks (runtime/common). Only then schedules choose how work is stolen, where lists are and
  /// which rows are shared; else a region has Stealing::Give, Stack::Array and no shared rows.
  bool tasks = false;
  ir::Stealing steal = ir::Stealing::Give;
  ir::Stack stack = ir::Stack::Array;
};

/// A GPU: groups of as many lanes as a warp has. Narrower groups were slower on every graph that was tried: work is
/// dealt out to groups, and there are more of them to wait for the last.
TargetInfo gpu_target(std::uint32_t group = 0);
/// The threads of a program that is compiled ahead of time.
TargetInfo cpp_target();

/// The label words of the bound graph, for `bind-labels`. Without `code` the words of the program count from -1 down in
/// sorted order, which serves for looking at a program without its graph.
using LabelWords = ir::LabelWords;

/// Options of one use of a pass: `fuse{copies=2}`. All are ints with a default in passes.def.
using PassOptions = std::map<std::string, std::int64_t, std::less<>>;

/// What a pass did, by name: `slices: 3`. Ordered, so that printing it is deterministic.
using Statistics = std::map<std::string, std::int64_t, std::less<>>;

/// What a pass sees beside the module. A pass that adds an error returns its input.
struct PassContext {
  ir::Context& context;
  const PassOptions& options;  ///< Every option that passes.def declares for the pass is there.
  const TargetInfo& target;
  const LabelWords& labels;
  Diagnostics& diagnostics;
  Statistics& statistics;
  /// What passes may assume of the graphs that the program gets: what the caller can check, or has checked.
  ir::AssumptionKinds allowed{};

  std::int64_t option(std::string_view name) const { return options.find(name)->second; }
  bool allows(ir::AssumptionKind kind) const { return allowed.contains(kind); }
  void count(std::string_view name, std::int64_t n = 1) { statistics[std::string(name)] += n; }
};

using PassFunction = ir::Module (*)(const ir::Module&, PassContext&);

/// One line of passes.def.
struct PassInfo {
  std::string_view name;
  PassFunction function;
  ir::Stage takes;
  ir::Stage gives;
  std::string_view summary;
};

struct PassOption {
  std::string_view pass;
  std::string_view name;
  std::int64_t default_value;
  std::string_view meaning;
};

/// In the order of passes.def.
std::span<const PassInfo> all_passes();
std::span<const PassOption> all_pass_options();
/// By its name or an old one that is still accepted; null if there is none.
const PassInfo* find_pass(std::string_view name);

}  // namespace matcha::passes
