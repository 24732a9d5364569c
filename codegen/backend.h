#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/nodes.h"
#include "ir/support/diagnostics.h"
#include "runtime/common/exact_sum.h"
#include "runtime/cpu/column.h"
#include "runtime/cpu/region.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/cuts.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/inputs.h"
#include "runtime/result.h"

namespace matcha::codegen {

/// A list with its columns; tuples are columns. Vertex columns hold ranks.
struct ListValue {
  std::uint64_t size = 0;
  std::vector<runtime::Column> columns;
};

/// A vertex as a rank of the run's universe.
struct VertexValue {
  std::uint32_t rank = 0;
};

/// One result. An int is 128 bits wide so that a sum at top level is told in full.
using ResultValue = std::variant<__int128, double, bool, VertexValue, ListValue>;

/// What a parameter of the module is bound to, in the order of `Module::params`.
using Argument = std::variant<std::int64_t, double, bool, runtime::Graph*, const runtime::InputList*>;

/// A block of rows of a streamed result; valid during the call. Columns as in `runtime::RowBlock`.
struct Rows {
  std::uint64_t count = 0;
  std::span<const runtime::ElementKind> kinds;
  const void* const* columns = nullptr;
};

/// A part of a run: number `index` of `count`, all of which together do its work once. Of parallel regions whose sinks
/// are results of the program and nothing else, a share walks some positions of the outermost loop; other regions are
/// whole in every share, since later steps read what they find.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  bool is_whole() const { return count == 1; }
};

/// What a share found of a result, so that all shares make the result of the whole run exactly (codegen/shares.h).
struct PartialValue {
  runtime::SinkKind kind = runtime::SinkKind::SumInt;
  bool wide = true;         ///< Of an int: its type has 128 bits.
  bool is_vertex = false;   ///< Of an int: it is a rank.
  bool has_value = false;   ///< Min and max: something was found.
  bool flag = false;        ///< Any, all.
  __int128 integer = 0;     ///< Sums, min and max of ints.
  double number = 0;        ///< Min and max of floats.
  runtime::ExactSum sum{};  ///< Of floats; it is rounded once, when all shares are there.
  ListValue list;
};

class Dealer;

/// How to run. Callbacks come one at a time, from any thread.
struct RunOptions {
  unsigned threads = 0;               ///< 0: as many as the machine has.
  std::optional<runtime::Tier> tier;  ///< SIMD tier of the set kernels; none: the best of the CPU.
  /// A label for each rank of the universe, for graphs that the program builds without labels of their own; or null.
  const std::int64_t* labels = nullptr;
  const std::atomic<std::uint32_t>* stop_request = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Told how much of the work of a step is done.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
  /// If set and the module's one result is a list, its rows are handed over as they are found, in no particular order,
  /// in constant memory; the result is then their number. Returning false ends the run.
  std::function<bool(const Rows&)> on_rows;
  /// Matches that are enough, for back ends that can tell (engines): they then look for no more. Others go by
  /// what `on_rows` returns.
  std::optional<std::uint64_t> most;
  /// The same of a run that only finds out whether it is short: it has no values after so many steps of a search.
  std::optional<std::uint64_t> most_steps;
  /// The device's time of a GPU's kernels is told in `RunResult::times`; asking for it takes longer than a small
  /// kernel.
  bool kernel_times = true;
  /// A share has no values but partial ones. Where a result of the program is no sink of a region, or its regions run
  /// on something else than `make_llvm` gives, shares are an error.
  Share share;
  /// Ranks whose rows of neighbours the run reads, in ascending ranges; empty: any. Devices that may not have all of a
  /// graph have these.
  std::span<const runtime::PositionRange> near_rows;
  /// Deals parts of the work to this run and others (codegen/dealer.h), on what runs shares; a whole share only. Rows
  /// are then kept until all regions are done.
  Dealer* maybe_dealer = nullptr;
};

/// Why a run ended before its end; Sampled: it walked a part of the work, as its back end was told to.
enum class Ending { Complete, Stopped, Deadline, RowsRefused, Sampled };

/// Kernels that groups of threads started for loops of many positions.
struct StartedKernels {
  std::uint64_t started = 0;
  std::uint64_t refused = 0;     ///< Times that there was no room for one, so a group walked its loop alone.
  std::uint64_t at_once = 0;     ///< For how many there was room, in the region where these were most.
  std::uint64_t list_bytes = 0;  ///< Of the intermediate lists of their groups there; of paged ones the page tables.
};

/// The results in the order of `return`. Unless `ending` is Complete they cover only what was done until then, and may
/// be missing (`values` shorter than the results) when the run ended before they came to be. A sample has none.
struct RunResult {
  std::vector<ResultValue> values;
  std::vector<PartialValue> partials;  ///< Of a share, one a result.
  Ending ending = Ending::Complete;
  std::uint64_t rows = 0;             ///< Rows handed over.
  std::uint64_t positions = 0;        ///< Outermost iterations that were walked,
  std::uint64_t positions_total = 0;  ///< of so many in the parallel steps that were begun; 0: not known.
  /// Of those steps: work in units of its own, such as the arcs of the vertices that were walked. Total 0: not known.
  std::uint64_t work_done = 0, work_total = 0;
  std::uint64_t deferred = 0;  ///< Loops that were split off stragglers.
  /// Of a pattern that was matched without a program: vertices of the graph that may be images, and images tried.
  std::uint64_t candidates = 0, images_tried = 0;
  /// Where the intermediate lists of a GPU's workers were, `array` or `paged`, in the region whose lists took most; its
  /// groups of threads and the bytes of all their lists. Empty: no GPU.
  std::string stack;
  std::uint64_t workers = 0;
  std::uint64_t list_bytes = 0;
  std::optional<StartedKernels> kernels;  ///< Of a GPU whose groups may start some.
  std::uint64_t uploaded_bytes = 0;       ///< Of graphs and lists that were copied to GPUs, those kept there not again.
  std::string level;                      ///< What a CPU ran: `interp`, `native`, or one after the other.
  std::string tier;                       ///< SIMD tier that ran, or the GPU; empty for the interpreter.
  std::vector<std::string> notes;         ///< What a user should know, such as a schedule that was cut down to fit.
  /// Milliseconds of parts of the run, in order. Of a GPU, once: `device` (open it), `ready` (from the start until that
  /// was done). Of a GPU, for each region: `nvrtc` or `kernel_cache`, `module` (load it), `ready` (the wait for these,
  /// which overlap with all before), `upload` (the wait for what the region reads), `launch` (the host's time until the
  /// kernel is with the device), `kernel` (the device's time, if it is wanted), `collect`. `build`: a graph that was
  /// built on the device, after `build_kernels` (the wait for the kernels that do it), once.
  std::vector<std::pair<std::string, double>> times;
};

/// A failure while running, with the place in the program that raised it where there is one.
struct RunError {
  runtime::Error error;
  SourceLoc loc;
};
using RunOutcome = std::variant<RunResult, RunError>;

/// Schedules a module of stage kernel again, for another stack: a run of the passes that schedule it. What it gives
/// differs in schedules and modes of loops alone; variables stay. Nothing: it cannot be done.
using Rescheduler = std::function<std::optional<ir::Module>(const ir::Module&, ir::Stack)>;

/// A program ready to run, any number of times; one run at a time, but for what LLVM compiled.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Begins what takes long and needs no arguments, such as compiling for a GPU, in the background; `run` waits for it.
  virtual void begin() {}
  /// `arguments`: one a parameter. `universe` is that of all graphs and lists among them.
  virtual RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                         const RunOptions& options) = 0;
  /// Before `run`: asked when there is not memory enough for the stack that was chosen. Must not outlive the module's
  /// context.
  virtual void set_rescheduler(Rescheduler) {}
  /// Its code was compiled by an earlier process and kept.
  virtual bool from_cache() const { return false; }
};

/// A target. Emission is separate from loading, so that text needs no device.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// The stage of the modules that it takes.
  virtual ir::Stage stage() const = 0;
  /// The program as text of the target; nothing after an error.
  virtual std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) = 0;
  /// Begins what takes long and needs no program, such as opening a GPU, in the background; `load` hands it on.
  virtual void begin() {}
  /// The program ready to run; nothing after an error. The module's context must outlive it.
  virtual std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) = 0;
};

/// The slow, obvious interpreter; takes both stages.
std::unique_ptr<Backend> make_interpreter();
/// Plans for the CPU, which start at once and call the set kernels; see codegen/plan.
std::unique_ptr<Backend> make_plan();
/// A plan at once, and what `make_llvm` gives once that is compiled: on another thread, for runs of at least
/// `patience`.
std::unique_ptr<Backend> make_tiers(std::string code_folder = {},
                                    std::chrono::microseconds patience = std::chrono::milliseconds(5));
/// Whether a thread still compiles for such a program. Who ends the process need not wait for it: `std::_Exit`.
bool compiles_in_background();
/// LLVM ORC for the CPU that this runs on. Compiled code is kept in the folder (runtime/code_cache.h); empty: nowhere.
std::unique_ptr<Backend> make_llvm(std::string code_folder = {});

}  // namespace matcha::codegen
