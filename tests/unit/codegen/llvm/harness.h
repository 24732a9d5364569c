#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "codegen/llvm/compiler.h"
#include "codegen/plan/tiers.h"
#include "ir/builder.h"
#include "runtime/graph/graph.h"

namespace matcha::codegen::test {

/// The inputs that the modules of these tests are run on.
struct World {
  std::shared_ptr<const runtime::Universe> universe;
  std::vector<runtime::Graph> graphs;
  std::vector<runtime::InputList> lists;

  /// A random undirected graph of `vertices` with ids 3 i - 5 (or i), labels i % 3, edge information i.
  static World random(unsigned vertices, double density, std::uint64_t seed, bool sparse_ids);
  std::vector<Argument> arguments();
};

/// The ways to run a module: compiled code, a plan, or a plan with compiled code for every other task.
enum class Tiers { Native, Plan, Alternating };

/// How a module is run.
struct Settings {
  unsigned threads = 1;
  runtime::Tier tier = runtime::Tier::Scalar;
  bool split_always = false;  ///< Every second-level loop is offered to other workers.
};

/// The results as text, such as `3, [(1, 2), (4, 5)]`, or `error: …` with the message of the run or the compiler.
std::string run_llvm(const std::string& text, World& world);
std::string run_interpreter(const std::string& text, World& world);

/// A compiled module and the objects that must outlive it.
class Compiled {
 public:
  explicit Compiled(const std::string& text, Tiers tiers = Tiers::Native);
  cpu::CpuExecutable& executable() { return *executable_; }
  const jit::CompileTimes& times() const { return times_; }

 private:
  SourceManager sources_;
  ir::Context context_;
  std::unique_ptr<cpu::CpuExecutable> executable_;
  jit::CompileTimes times_;
};

std::string run(Compiled& compiled, World& world, const Settings& settings);
std::string render(const RunOutcome& outcome);

}  // namespace matcha::codegen::test
