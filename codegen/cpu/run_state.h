#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "codegen/cpu/code.h"
#include "codegen/cpu/program.h"

namespace matcha::codegen::cpu {

/// Set kernels write up to this many items past the end.
inline constexpr std::uint64_t kSlack = 16;

/// One run of a program: the frame and the data that it points to.
class Run {
 public:
  Run(const Program& program, const Code& code, const runtime::RunControl& control, const runtime::Universe& universe,
      const RunOptions& options);

  /// Runs the steps. `binding` is held while arrays are added to the graphs among the arguments.
  RunOutcome walk(std::span<const Argument> arguments, std::mutex& binding);

 private:
  using Failure = std::optional<RunError>;

  // Each returns the error that ends the run, or nothing.
  Failure bind(std::span<const Argument> arguments);
  Failure add_graph(std::uint32_t slot, runtime::Graph& graph, bool own_labels);
  Failure call(const std::string& function);
  Failure step(const EvaluateStep& s) { return call(s.function); }
  Failure step(const ListStep& s);
  Failure step(const BuildStep& s);
  Failure build_of_rows(const BuildStep& s);
  Failure step(const RegionStep& s);
  Failure step(const RepeatStep& s);
  Failure step(const AgainStep& s);
  Failure step(const ReturnStep& s);

  Failure plan_scratch(const RegionStep& s, std::uint64_t own_bytes, runtime::RegionLaunch& launch, unsigned threads);
  Failure check_share() const;
  Failure give_partials(const ReturnStep& s);
  static PartialValue partial_of(const SinkPlan& plan, runtime::SinkResult& sink);
  Failure take_results(const RegionStep& s, runtime::RegionResult& result);
  Failure run_part(const RegionStep& s, const runtime::RegionLaunch& launch, const runtime::RunControl& control,
                   runtime::RegionResult& out);

  // dealing.cpp
  Failure check_dealing() const;
  /// Walks the units of a region that the dealer deals to this run.
  Failure deal(const RegionStep& s, runtime::RegionLaunch& launch, const runtime::RunControl& control);
  Failure take_merged(const RegionStep& s, std::vector<PartialValue> merged);
  /// True if step `at` and those behind it are skipped, since the run is a part and none of them is dealt.
  bool is_after_last_dealt(std::size_t at) const;
  host::List list_at(std::uint32_t slot, std::vector<runtime::ElementKind> kinds) const;
  host::List kept_list(const ResultPlan& plan) const;
  ResultValue scalar_result(const ResultPlan& plan) const;
  bool streams(const RegionStep& s) const {
    return options_.on_rows && s.stream_sink >= 0 && options_.maybe_dealer == nullptr;
  }
  RunError trap(std::uint32_t code, SourceLoc loc) const;
  SourceLoc place(std::string_view file, std::uint32_t line, std::uint32_t column) const;
  static RunError failure(runtime::ErrorKind kind, std::string message, std::string hint = {}, SourceLoc loc = {});
  bool ended() const { return result_.ending != Ending::Complete; }

  const Program& program_;
  const Code& code_;
  const runtime::Universe& universe_;
  const RunOptions& options_;
  runtime::RunControl control_;
  const runtime::SetKernels* sets_;
  std::vector<std::uint64_t> frame_;
  std::map<std::uint32_t, std::vector<runtime::Column>> lists_;  ///< By slot.
  std::vector<std::unique_ptr<runtime::CpuGraphView>> views_;
  std::vector<std::unique_ptr<runtime::Graph>> graphs_;
  std::vector<runtime::Column> arrays_;
  std::map<std::uint32_t, PartialValue> partials_;  ///< The parts of a share, by the slot of the sink.
  bool same(const RoundValue& value) const;
  Failure take(std::span<const RoundValue> values);

  std::int64_t rounds_ = 0;          ///< The number of rounds that ended.
  std::optional<std::size_t> next_;  ///< The next step, if it is not the following one.
  std::size_t dealt_begun_ = 0;
  bool streamed_ = false;
  bool map_cut_ = false;  ///< A region that fills rows by position ended early, so some rows are not set.
  RunResult result_;
};

}  // namespace matcha::codegen::cpu
