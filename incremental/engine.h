#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "frontend/types.h"
#include "incremental/answer.h"
#include "incremental/present.h"
#include "incremental/runtime/shared_search.h"
#include "incremental/update.h"
#include "planner/decide.h"
#include "session/prepared.h"
#include "session/reporter.h"
#include "session/resident_graph.h"
#include "session/status.h"

/// Maintains the answers of programs while the graph changes. An engine holds the present graph and all programs of a
/// stream, and answers each program after each batch. Invariant: a total equals the result of a run on the present
/// graph.
namespace matcha::session::stream {

class MethodChoice;

/// How the changes of a batch are counted for programs with deltas.
enum class BatchStrategy : std::uint8_t {
  ByCost,      ///< Edge by edge, unless recounting the whole graph is faster for the remaining edges.
  EdgeByEdge,  ///< Always edge by edge.
  Recount,     ///< Recounts the whole graph whenever possible.
};

/// How to run a batch.
struct ApplyOptions {
  codegen::RunOptions run;  ///< Threads, tier, stop request and deadline; no callbacks.
  /// Updates the graph without answering, as the answers were already delivered: the vector of answers stays empty.
  bool quiet = false;
  BatchStrategy strategy = BatchStrategy::ByCost;  ///< Does not affect the answers.
  /// Threads always share the edges of a batch, even if they are few and cheap; false: only if that is faster. Neither
  /// this nor the number of threads affects the answers.
  bool shares_always = false;
  /// Partners that share the edges of all batches with this engine; each has its own engine, and all take the same
  /// batches. Requires `shares_always`, edge-by-edge counting and no rows; if one requires a GPU, all must. Null: none.
  runtime::stream::Partners* maybe_partners = nullptr;
};

/// The outputs requested from a program.
struct ProgramOptions {
  bool rows = false;    ///< Inserted and deleted rows; the program returns a list, or it is a pattern.
  bool totals = true;   ///< False: `Answer::total` may be omitted.
  bool changes = true;  ///< `plus` and `minus`; false: they may be omitted if they take more work.
  /// The only method that may maintain its answer: `delta`, `roots` or `recompute`; empty: the cheapest.
  std::string method = {};
  bool explains = false;  ///< `Engine::decision` has the cost and the plan of each method.
  /// The decision, if it is made already.
  std::shared_ptr<MethodChoice> maybe_choice = {};
};

/// The device that counts deltas.
struct DeltaDevice {
  enum class Kind : std::uint8_t {
    Cpu,
    Gpu,   ///< GPUs count, and list rows; the CPU handles the rest.
    Auto,  ///< The first GPU, if any, counts if it is measured to be faster; else the CPU.
  };
  Kind kind = Kind::Cpu;
  std::string code_folder;  ///< The folder of cached kernels; empty: none.
  /// The most bytes of GPU memory, including all buffers; rows that do not fit are read from host memory. 0: all
  /// memory.
  std::uint64_t bytes = 0;
  std::uint64_t row_bytes = ~std::uint64_t{0};  ///< The most bytes of these for rows.
  /// The number of GPUs, from the first one on, that hold the graph and share the edges of batches; 0: all. More than
  /// one requires Kind::Gpu and no bound on memory.
  std::uint32_t gpus = 1;
  /// The number of this process among those on the host, each of which takes `gpus` GPUs in turn.
  std::uint32_t turn = 0;
  /// An estimate of the number of edges that will change; 0: unknown.
  std::uint64_t expected_edges = 0;
};

/// Calls must be serialized. After an error the engine is unusable.
class Engine {
 public:
  virtual ~Engine() = default;

  /// The graph after all batches so far.
  virtual const Present& present() const = 0;
  /// The same graph for writing to a file. Errors: Resource.
  virtual runtime::Result<ResidentGraph::Shared> graph() = 0;
  virtual const runtime::LabelDictionary& dictionary() const = 0;

  /// Compiles a program; call before `start`. Errors go to the reporter, which the engine keeps: those of the program;
  /// Usage, if the method that the options name does not maintain its answer.
  virtual Status add(const ProgramRequest& request, const ProgramOptions& options,
                     std::shared_ptr<const Reporter> reporter) = 0;
  /// The methods that could maintain the answer of a program, when it was added (methods.h).
  virtual const planner::Decision& decision(std::size_t program) const = 0;
  /// The number of programs.
  virtual std::size_t size() const = 0;
  /// The result of a program: a list for a pattern with rows.
  virtual const frontend::Type& result_type(std::size_t program) const = 0;
  /// A line that describes what a pattern counts; empty for a program.
  virtual const std::string& semantics(std::size_t program) const = 0;
  /// Names of the columns of its rows, if known.
  virtual const std::vector<std::string>& row_names(std::size_t program) const = 0;

  /// The totals of the present graph, one answer for each program, before the first batch; optional without totals.
  /// Rows, if requested, are all rows, with sign +.
  virtual Status start(const ApplyOptions& options, std::vector<Answer>& answers) = 0;
  /// Applies a batch, which must fit the present graph, and answers each program. Returns Timeout or Interrupted when
  /// stopped: then there are no answers, and no other function may be called.
  virtual Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) = 0;
  /// Applies batches one after the other, and answers each (`--each`): `answers` has one vector for each batch.
  virtual Status apply_each(const std::vector<NetBatch>& batches, const ApplyOptions& options,
                            std::vector<std::vector<Answer>>& answers);

  /// Applies a batch like `apply` but delays its answers, if counting many batches together is faster: sets
  /// `is_delayed`. Otherwise does nothing. `settle` returns the delayed answers, also if other calls come in between.
  virtual Status apply_delayed(const NetBatch& batch, const ApplyOptions& options, bool& is_delayed);
  /// The answers of a delayed batch.
  struct DelayedAnswers {
    std::vector<Answer> answers;
    double apply_ms = 0;  ///< Its time in addition to that of the answers.
  };
  /// Returns delayed answers, by batch, in order: all of them, or those that are available without waiting. If it ends
  /// early, it returns those before that point.
  virtual Status settle(bool all, std::vector<DelayedAnswers>& answers);

  /// Adds label words of updates to the known ones, which changes codes (LabelDictionary). The graph gets the new
  /// codes, programs that use labels are recompiled, and totals stay. Vertices without a label get the empty word, if
  /// it is one of the words.
  virtual Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> dictionary) = 0;
};

/// Reads programs and patterns on the calling thread: for processes that use a single thread for this.
inline void read_here(const std::function<void()>& reading) { reading(); }

/// The reference engine: the graph is rebuilt for each batch, and each program runs on it. Supports every program on
/// one graph. `start`: the initial graph, with edge labels if it has `maybe_informed`; its ids are ints. Errors go to
/// the reporter; the result is then null. `reading` runs the steps that read programs and patterns, as in Prepared.
std::unique_ptr<Engine> make_recompute(const ResidentGraph::Shared& start, std::shared_ptr<const Reporter> reporter,
                                       const Prepared::Reading& reading = read_here);

/// Answers patterns by deltas: counts the effect of each changed edge on a graph that changes in place or, for many
/// edges, recounts the new graph. Programs without deltas are recomputed by another engine; their answers give the
/// reason. Requirements as above.
std::unique_ptr<Engine> make_delta(const ResidentGraph::Shared& start, std::shared_ptr<const Reporter> reporter,
                                   const Prepared::Reading& reading = read_here, const DeltaDevice& device = {});

}  // namespace matcha::session::stream
