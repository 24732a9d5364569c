#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/cpu/set_kernels.h"
#include "session/gpu.h"
#include "tests/campaign/answer.h"
#include "tests/campaign/sample_graph.h"
#include "tests/campaign/subject.h"

/// Runs the subjects of a campaign, through the steps of the driver or through libmatcha.
namespace matcha::campaign {

/// Counts of events, to verify that a campaign tests something.
using Tally = std::map<std::string, std::uint64_t>;

/// The options for the code of a subject, drawn once for each subject.
struct Setup {
  std::optional<session::GpuOptions> gpu;  ///< None: for a CPU.
  std::vector<std::string> disabled;       ///< Passes.
  std::string cpu = "llvm";                ///< The target on a CPU.
  bool tiny_rows = false;                  ///< Limits of `bitset-neighborhood` that graphs of a few vertices reach.
  std::string text;                        ///< For people.
};

/// How code is run.
struct Way {
  std::optional<runtime::Tier> tier;
  unsigned threads = 1;
  bool stream = false;  ///< The rows of a list are streamed.

  std::string text() const;
};

/// A graph in memory with the code for it.
class Bound {
 public:
  virtual ~Bound() = default;
  /// The answer. Requires: there is neither a trap nor a problem.
  virtual Answer run(const Way& way) = 0;

  std::string unfit;    ///< Why it cannot be run, though nothing is wrong.
  std::string problem;  ///< Why it cannot be run, which is wrong.
};

/// Compiles a subject, and runs the code on one graph after the other.
class Compiled {
 public:
  virtual ~Compiled() = default;
  /// `order`: as `--order`. `sketch`: a pattern is planned for this graph, else for the first one. The result must be
  /// destroyed before this object.
  virtual std::unique_ptr<Bound> bind(const SampleGraph& graph, const std::string& order, bool sketch) = 0;
};

class Machine {
 public:
  virtual ~Machine() = default;
  virtual bool takes(const Subject& subject) const = 0;
  /// Draws how a subject is compiled and run.
  virtual std::vector<Setup> setups(std::mt19937_64& random) const = 0;
  virtual std::vector<Way> ways(const Subject& subject, std::mt19937_64& random) const = 0;
  /// Its arguments must outlive its result.
  virtual std::unique_ptr<Compiled> compile(const Subject& subject, const Setup& setup, Tally& tally) const = 0;
  /// Events that each campaign of a few subjects must have counted.
  virtual std::vector<std::string> floors() const = 0;
};

struct MachineOptions {
  bool cuda = false;
  int schedules = 3;    ///< For each subject on a GPU.
  bool narrow = false;  ///< Groups of one thread only, which an emulated GPU runs fast.
  std::string code_folder;
  std::filesystem::path scratch;  ///< For files of graphs.
};

/// The machine of this program. `problem`: the reason if there is none.
std::unique_ptr<Machine> make_machine(const MachineOptions& options, std::string& problem);

/// The errors are limits of the compiler, or the request has no answer.
bool is_limit(const std::string& errors);

}  // namespace matcha::campaign
