#include "codegen/backend.h"
#include "codegen/interp/runner.h"
#include "codegen/shares.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace matcha::codegen {

namespace {

class InterpretedProgram final : public Executable {
 public:
  explicit InterpretedProgram(const ir::Module& module) : module_(module), shared_(interp::shared_nodes(module)) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override {
    if (!options.share.is_whole() || options.maybe_dealer != nullptr) return no_shares("the interpreter");
    return interp::Runner(module_, shared_, universe, options).run(arguments);
  }

 private:
  ir::Module module_;
  std::unordered_set<const ir::Expr*> shared_;
};

class Interpreter final : public Backend {
 public:
  std::string_view name() const override { return "interp"; }
  /// Modules of stage loop are accepted as well.
  ir::Stage stage() const override { return ir::Stage::Kernel; }

  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    if (!ir::verify(module, diagnostics)) return std::nullopt;
    return ir::print(module);
  }

  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    if (!ir::verify(module, diagnostics)) return nullptr;
    return std::make_unique<InterpretedProgram>(module);
  }
};

}  // namespace

std::unique_ptr<Backend> make_interpreter() { return std::make_unique<Interpreter>(); }

}  // namespace matcha::codegen
