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

/// The abilities of the target machine and the user's wishes. Only `schedule-regions`, `map-lanes` and `legalize` read
/// them.
struct TargetInfo {
  std::string name = "cpu";
  std::uint32_t max_group = 1;  ///< Threads that can work together on one position.
  std::uint32_t group = 0;      ///< Requested width of groups, at most `max_group`; 0: `map-lanes` chooses for each
                                ///< region.
  std::uint32_t max_split = 2;  ///< Loop levels at which the positions of a long task can be split.
  std::uint32_t split = 0;      ///< Requested number of such levels; 0: `schedule-regions` chooses.
  /// The run time hands on work as tasks (runtime/common). Only then schedules choose stealing, the kind of stack and
  /// shared rows; else a region has Stealing::Give, Stack::Array and no shared rows.
  bool tasks = false;
  ir::Stealing steal = ir::Stealing::Give;
  ir::Stack stack = ir::Stack::Array;
};

/// A GPU: groups have all lanes of a warp. Narrower groups were slower on every graph tried: work is dealt to groups,
/// and more of them wait for the last one.
TargetInfo gpu_target(std::uint32_t group = 0);
/// The threads of a program that is compiled ahead of time.
TargetInfo cpp_target();

/// The label words of the bound graph, for `bind-labels`. Without `code` the words of the program get -1, -2, … in
/// sorted order, for printing a program without its graph.
using LabelWords = ir::LabelWords;

/// Options of one use of a pass: `fuse{copies=2}`. All are ints with a default in passes.def.
using PassOptions = std::map<std::string, std::int64_t, std::less<>>;

/// Counts of a pass's changes, by name: `slices: 3`. Ordered, so that printing is deterministic.
using Statistics = std::map<std::string, std::int64_t, std::less<>>;

/// The inputs of a pass beside the module. A pass that reports an error returns its input.
struct PassContext {
  ir::Context& context;
  const PassOptions& options;  ///< Every option that passes.def declares for the pass is set.
  const TargetInfo& target;
  const LabelWords& labels;
  Diagnostics& diagnostics;
  Statistics& statistics;
  /// Assumptions about input graphs that passes may make: the caller can check them, or has checked them.
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
/// By its name or an older one that is still accepted; null if there is none.
const PassInfo* find_pass(std::string_view name);

}  // namespace matcha::passes
