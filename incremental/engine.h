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
#include "session/prepared.h"
#include "session/reporter.h"
#include "session/resident_graph.h"
#include "session/status.h"

/// Programs that keep their answers while the graph changes. An engine holds the graph as it is now and all programs of
/// a stream; after each batch it says what each of them finds. The rule: a total is what a run on that graph gives.
namespace matcha::session::stream {

/// How what a batch changes is counted where there are deltas.
enum class Way : std::uint8_t {
  ByCost,  ///< Edge by edge, unless so many are left that counting the whole graph anew is sooner.
  Edges,   ///< Edge by edge, always.
  Anew,    ///< The whole graph anew wherever that may be.
};

/// How to run a batch.
struct ApplyOptions {
  codegen::RunOptions run;  ///< Threads, tier, stop request and deadline; no callbacks.
  /// The graph follows, and nothing is answered, as the answers are out already: the vector of answers stays empty.
  bool quiet = false;
  Way way = Way::ByCost;  ///< What is found does not depend on it.
  /// Threads share the edges of a batch however few and cheap they are; else where that is sooner. What is found does
  /// not depend on it, nor on the number of threads.
  bool shares_always = false;
  /// Who counts the edges of all batches with this engine; each has one of its own, and all take the same batches.
  /// Wants `shares_always`, Way::Edges and no rows; where one has a GPU that is wanted, all have. Null: nobody.
  runtime::stream::Partners* maybe_partners = nullptr;
};

/// What is wanted of a program.
struct ProgramOptions {
  bool rows = false;    ///< Rows that come and go; the program gives a list, or it is a pattern.
  bool totals = true;   ///< Else `Answer::total` may be left out.
  bool changes = true;  ///< `plus` and `minus`; else they may be left out where they take more work.
};

/// Where it is counted what changed edges do.
struct DeltaDevice {
  enum class Kind : std::uint8_t {
    Cpu,
    Gpu,   ///< GPUs count, and list rows; what they cannot is left to the CPU.
    Auto,  ///< Where it is sooner, by what is measured, the first GPU counts, if there is one; else the CPU.
  };
  Kind kind = Kind::Cpu;
  std::string code_folder;  ///< Where kernels are kept; empty: nowhere.
  /// Most bytes of the GPU, with all buffers; rows for which there is no room are read in memory of the host. 0: as
  /// many as there are.
  std::uint64_t bytes = 0;
  std::uint64_t row_bytes = ~std::uint64_t{0};  ///< Of them, most for rows.
  /// So many GPUs, from the first one on, hold the graph and share the edges of batches; 0: all. More than one want
  /// Kind::Gpu and no bound on their bytes.
  std::uint32_t gpus = 1;
  /// Of processes of a host that each take `gpus` of its GPUs in turn: the number.
  std::uint32_t turn = 0;
  /// About so many edges are going to change, as far as is known; 0: it is not.
  std::uint64_t expected_edges = 0;
};

/// Calls come one at a time. After an error the engine is of no more use.
class Engine {
 public:
  virtual ~Engine() = default;

  /// The graph after all batches so far.
  virtual const Present& present() const = 0;
  /// The same, to be written to a file. Errors: Resource.
  virtual runtime::Result<ResidentGraph::Shared> graph() = 0;
  virtual const runtime::LabelDictionary& dictionary() const = 0;

  /// Compiles a program; before `start`. Errors go to the reporter, which the engine keeps.
  virtual Status add(const ProgramRequest& request, const ProgramOptions& options,
                     std::shared_ptr<const Reporter> reporter) = 0;
  /// How many were added.
  virtual std::size_t size() const = 0;
  /// The result of a program: a list for a pattern with rows.
  virtual const frontend::Type& result_type(std::size_t program) const = 0;
  /// What a pattern counts, in a line; empty for a program.
  virtual const std::string& semantics(std::size_t program) const = 0;
  /// Names of the columns of its rows, where they are known.
  virtual const std::vector<std::string>& row_names(std::size_t program) const = 0;

  /// Totals of the graph as it is, one answer a program, before the first batch; without totals it need not be called.
  /// Rows, where they are wanted, are all there are, with +.
  virtual Status start(const ApplyOptions& options, std::vector<Answer>& answers) = 0;
  /// Takes a batch, which must fit the present graph, and answers, one a program. Ends with Timeout or Interrupted when
  /// it was stopped: then there are no answers, and nothing else may be called.
  virtual Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) = 0;
  /// Takes batches one after the other, and answers each (`--each`): `answers` has one vector a batch.
  virtual Status apply_each(const std::vector<NetBatch>& batches, const ApplyOptions& options,
                            std::vector<std::vector<Answer>>& answers);

  /// Takes a batch in as `apply` does, and owes its answers, where many batches are answered sooner together:
  /// `is_late`. Else nothing is done. They come by `settle`, or, should other calls be in between, are kept for it.
  virtual Status put_off(const NetBatch& batch, const ApplyOptions& options, bool& is_late);
  /// Answers of a batch that was put off.
  struct Late {
    std::vector<Answer> answers;
    double apply_ms = 0;  ///< What it took beside what its answers say.
  };
  /// The next answers that were owed, by batch, in order: all of them, or those that are there without waiting. Where
  /// it ends early, it gives those of before.
  virtual Status settle(bool all, std::vector<Late>& answers);

  /// Label words that updates bring, beside those that are known: then codes change (LabelDictionary). The graph gets
  /// the new ones, programs that name labels are compiled anew, and totals stay. Vertices without a label get the empty
  /// word, where it is one of them.
  virtual Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> dictionary) = 0;
};

/// Reads programs and patterns on the calling thread: for processes where one thread does so.
inline void read_here(const std::function<void()>& reading) { reading(); }

/// The reference: the graph is rebuilt for each batch, and each program runs on it. Takes every program on one graph.
/// `start`: the first graph, with labels of edges where it has `maybe_informed`; its ids are ints. Errors go to the
/// reporter; then there is no engine. `reading` runs the steps that read programs and patterns, as for Prepared.
std::unique_ptr<Engine> make_recompute(const ResidentGraph::Shared& start, std::shared_ptr<const Reporter> reporter,
                                       const Prepared::Reading& reading = read_here);

/// Patterns answer by deltas: what each changed edge does is counted, on a graph that changes in place, or, after many
/// edges, the graph that there is then. What has no
/// delta is left to an engine that runs again; its answers say why. The same requirements.
std::unique_ptr<Engine> make_delta(const ResidentGraph::Shared& start, std::shared_ptr<const Reporter> reporter,
                                   const Prepared::Reading& reading = read_here, const DeltaDevice& device = {});

}  // namespace matcha::session::stream
