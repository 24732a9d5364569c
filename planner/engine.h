#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codegen/backend.h"
#include "planner/question.h"

namespace matcha::planner {

/// The facts about the graph and the machine that an engine may use. Costly facts are functions, which are called only
/// if the decision depends on them.
struct Catalog {
  /// Expected nanoseconds of the compiled program, on one thread of a CPU or on a GPU that is open; nothing: unknown.
  /// Plans the program at the first call for a device.
  std::function<std::optional<double>(bool on_gpu)> program_ns;
  unsigned threads = 1;       ///< The number of threads of a CPU; at least 1.
  bool may_have_gpu = false;  ///< A GPU may be there; whether it can be used costs a start of its driver:
  std::function<std::string()> gpu_problem;  ///< The reason why it cannot; empty: it can.
  double ns_to_open = 0;  ///< The time that opening a GPU adds; 0: it is open, or opens in the background.
  /// A GPU that the decision would open may answer beside a CPU, and the first answer is kept.
  bool may_race = false;
  bool complete = false;  ///< For display: every offer is priced, even if another one is surely chosen.
};

/// In place of a cost that is not known: an offer that is taken only if no other one is known to be cheaper.
inline constexpr double kUnknownNs = 1e18;

/// One way to answer a question on one device.
struct Offer {
  std::string_view engine = {};
  bool on_gpu = false;
  double ns = 0;  ///< Expected wall time, by the prices of planner/prices.def; with `price`, it is at least that.
  /// Computes the whole cost, which takes time: called only if the choice depends on it.
  std::function<double()> price = {};
  /// It gives up after a fixed number of steps, or a fixed time; both cost less than compiling. The next offer then
  /// answers.
  bool is_trial = false;
  std::optional<std::uint64_t> bytes = {};  ///< The most memory beside the graph, if known.
  /// Makes the executable for the graph of the catalog; empty: the caller compiles a program.
  std::function<std::unique_ptr<codegen::Executable>()> make = {};
  /// Its plan, as lines for display; may be empty.
  std::function<std::vector<std::string>()> plan = {};
};

/// Why an engine does not answer a question on a device: a sentence that users read, without a full stop.
struct Refusal {
  std::string why;
  std::string_view engine = {};
  bool on_gpu = false;
};

/// A kind of algorithm that answers questions.
class Engine {
 public:
  virtual ~Engine() = default;
  /// The word of `--engine`.
  virtual std::string_view name() const = 0;
  /// The cost of an answer to the question on a CPU or a GPU, or the reason why there is none. An estimate that takes
  /// as long as planning a program is left to `Offer::price`. If the question names this engine, a high cost is no
  /// reason to refuse.
  virtual std::variant<Offer, Refusal> offer(const Question& question, const Catalog& catalog, bool on_gpu) const = 0;
};

using EngineList = std::vector<std::unique_ptr<Engine>>;

}  // namespace matcha::planner
