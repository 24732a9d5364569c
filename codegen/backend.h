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
#include "runtime/sample/interval.h"
#include "runtime/wide_int.h"

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

/// One result. An int is 128 bits wide, so that a sum at top level is reported exactly. A larger count of cliques is a
/// WideInt.
using ResultValue = std::variant<__int128, double, bool, VertexValue, ListValue, runtime::WideInt>;

/// The value bound to a parameter of the module, in the order of `Module::params`.
using Argument = std::variant<std::int64_t, double, bool, runtime::Graph*, const runtime::InputList*>;

/// A block of rows of a streamed result; valid during the call. Columns as in `runtime::RowBlock`.
struct Rows {
  std::uint64_t count = 0;
  std::span<const runtime::ElementKind> kinds;
  const void* const* columns = nullptr;
};

/// A part of a run: number `index` of `count`; all shares together do the work of the run once. A share walks some
/// positions of the outermost loop of regions whose sinks are only results of the program. Other regions run whole in
/// every share, because later steps read their values.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  bool is_whole() const { return count == 1; }
};

/// The part of a result that one share found. The parts of all shares merge to the exact result (codegen/shares.h).
struct PartialValue {
  runtime::SinkKind kind = runtime::SinkKind::SumInt;
  bool wide = true;         ///< Int: its type has 128 bits.
  bool is_vertex = false;   ///< Int: it is a rank.
  bool has_value = false;   ///< Min and max: at least one value was found.
  bool flag = false;        ///< Any, all.
  __int128 integer = 0;     ///< Sums, min and max of ints.
  double number = 0;        ///< Min and max of floats.
  runtime::ExactSum sum{};  ///< Sum of floats; rounded once, after all shares are merged.
  ListValue list;
};

class Dealer;

/// How to run. Callbacks come one at a time, from any thread.
struct RunOptions {
  unsigned threads = 0;               ///< 0: one for each hardware thread.
  std::optional<runtime::Tier> tier;  ///< SIMD tier of the set kernels; empty: the best of the CPU.
  /// A label for each rank of the universe, for graphs that the program builds without labels; or null.
  const std::int64_t* labels = nullptr;
  const std::atomic<std::uint32_t>* stop_request = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Called with the progress of the current step: units of work done, of `total`.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
  /// Receives notes for the user during a run, such as that it will take long.
  std::function<void(const std::string& note)> on_note;
  /// If set and the module's one result is a list, receives its rows as they are found, in no particular order and in
  /// constant memory; the result is then the number of rows. Returns false to end the run.
  std::function<bool(const Rows&)> on_rows;
  /// The caller needs at most this many matches. Engines that count matches stop there; other back ends stop when
  /// `on_rows` returns false.
  std::optional<std::uint64_t> most;
  /// A limit on the steps of a search, for runs that only measure whether it is short. At the limit the run ends
  /// without values.
  std::optional<std::uint64_t> most_steps;
  /// Measure the device's time of GPU kernels for `RunResult::times`. Measuring takes longer than a small kernel.
  bool kernel_times = true;
  /// The share of the work to do. A share gives `partials` in place of values. Shares are an error if a result of the
  /// program is not a sink of a region, or if the back end is not that of `make_llvm`.
  Share share;
  /// Ranks whose rows of neighbours the run reads, in ascending ranges; empty: any. A device that holds a part of a
  /// graph keeps these rows resident.
  std::span<const runtime::PositionRange> resident_rows;
  /// Deals units of the work to this run and to others (codegen/dealer.h), for back ends that support shares. Requires:
  /// `share` is the whole. Rows are then kept until all regions are done.
  Dealer* maybe_dealer = nullptr;
};

/// Why a run ended. Sampled: it walked only the part of the work that its options name.
enum class Ending { Complete, Stopped, Deadline, RowsRefused, Sampled };

/// Kernels that groups of threads started for loops of many positions.
struct StartedKernels {
  std::uint64_t started = 0;
  std::uint64_t refused = 0;     ///< Requests refused for lack of room; the group then walked its loop itself.
  std::uint64_t at_once = 0;     ///< Kernels that have room at the same time, in the region with the largest number.
  std::uint64_t list_bytes = 0;  ///< Bytes of the intermediate lists of their groups in that region; with paged lists,
                                 ///< of the page tables.
};

/// The results in the order of `return`. Unless `ending` is Complete they cover only the work done until then, and
/// `values` may be shorter than the results if the run ended before they existed. A sample has no values.
struct RunResult {
  std::vector<ResultValue> values;
  std::vector<PartialValue> partials;  ///< The results of a share: one for each result.
  Ending ending = Ending::Complete;
  std::optional<runtime::sample::Interval> estimate;  ///< In place of values; `ending` is then Sampled.
  std::uint64_t rows = 0;                             ///< Rows handed over.
  std::uint64_t positions = 0;                        ///< Outermost iterations walked.
  std::uint64_t positions_total = 0;  ///< Outermost iterations of the parallel steps begun so far; 0: unknown.
  /// Work of those steps in units of the step, such as arcs of the vertices walked, also of a run that `most_steps`
  /// ended. Total 0: unknown.
  std::uint64_t work_done = 0, work_total = 0;
  std::uint64_t deferred = 0;  ///< Loops split off long tasks.
  /// For a pattern matched without a program: vertices of the graph that may be images, and images tried.
  std::uint64_t candidates = 0, images_tried = 0;
  /// Kind of the intermediate lists of a GPU's groups, `array` or `paged`, in the region whose lists took most memory.
  /// Then the number of groups and the bytes of their lists. Empty: no GPU.
  std::string stack;
  std::uint64_t workers = 0;
  std::uint64_t list_bytes = 0;
  std::optional<StartedKernels> kernels;  ///< For a GPU whose groups may start kernels.
  std::uint64_t uploaded_bytes = 0;       ///< Bytes of graphs and lists copied to GPUs in this run.
  std::string level;                      ///< Code that a CPU ran: `interp`, `native` or `interp, native`.
  std::string tier;                       ///< SIMD tier that ran, or the GPU; empty for the interpreter.
  std::vector<std::string> notes;         ///< Notes for the user, such as a schedule reduced to fit the memory.
  /// Milliseconds of parts of the run, in order. A GPU has the following, once: `device` (opening it), `ready` (from
  /// the start until it was open), `build_kernels` (the wait for the kernels that build graphs). For each graph built
  /// on the device: `build`. For each region:
  /// - `nvrtc` or `kernel_cache`, `module` (loading it), `ready` (the wait for these, which overlap with earlier
  /// parts);
  /// - `upload` (the wait for the inputs of the region), `launch` (the host's time until the kernel was launched);
  /// - `kernel` (the device's time, if requested), `collect`.
  std::vector<std::pair<std::string, double>> times;
};

/// A failure while running, with its place in the program if known.
struct RunError {
  runtime::Error error;
  SourceLoc loc;
};
using RunOutcome = std::variant<RunResult, RunError>;

/// Schedules a module of stage kernel again for another stack, by the scheduling passes. The new module has the same
/// variables; only schedules and modes of loops differ. Empty: impossible.
using Rescheduler = std::function<std::optional<ir::Module>(const ir::Module&, ir::Stack)>;

/// A program ready to run, any number of times. One run at a time, except for executables of LLVM.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Starts slow preparation that needs no arguments, such as compiling for a GPU, in the background; `run` waits for
  /// it.
  virtual void begin() {}
  /// `arguments`: one for each parameter. `universe`: that of all graphs and lists among them.
  virtual RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                         const RunOptions& options) = 0;
  /// Sets the function that gives a new schedule if the chosen stack does not fit the memory; to be called before
  /// `run`. It must not outlive the module's context.
  virtual void set_rescheduler(Rescheduler) {}
  /// True if its code was loaded from the code cache.
  virtual bool from_cache() const { return false; }
};

/// A target. Emission is separate from loading, so that text needs no device.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// The stage of the modules that `emit` and `load` accept.
  virtual ir::Stage stage() const = 0;
  /// The program as text of the target; nothing after an error.
  virtual std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) = 0;
  /// Starts slow preparation that needs no program, such as opening a GPU, in the background; `load` uses its result.
  virtual void begin() {}
  /// The program ready to run; nothing after an error. The module's context must outlive it.
  virtual std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) = 0;
};

/// The slow, obvious interpreter; takes both stages.
std::unique_ptr<Backend> make_interpreter();
/// Plans for the CPU, which start at once and call the set kernels; see codegen/plan.
std::unique_ptr<Backend> make_plan();
/// Starts with a plan and replaces it by the code of `make_llvm`, which another thread compiles for runs of at least
/// `patience`.
std::unique_ptr<Backend> make_tiers(std::string code_folder = {},
                                    std::chrono::microseconds patience = std::chrono::milliseconds(5));
/// True while a thread still compiles for such a program. A process may end with `std::_Exit` without waiting for it.
bool compiles_in_background();
/// LLVM ORC for the CPU that this runs on. Compiled code is kept in the folder (runtime/code_cache.h); empty: nowhere.
std::unique_ptr<Backend> make_llvm(std::string code_folder = {});

}  // namespace matcha::codegen
