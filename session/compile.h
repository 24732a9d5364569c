#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "codegen/c_family/ahead_of_time.h"
#include "frontend/frontend.h"
#include "ir/analysis/vertex_order.h"
#include "ir/context.h"
#include "passes/pass_manager.h"
#include "session/reporter.h"
#include "session/signature.h"

namespace matcha::session {

/// Options of every verb that compiles.
struct CompileOptions {
  std::string file;    ///< The program; `-`: standard input; or a module of the binary, such as `std.clique`.
  std::string entry;   ///< Empty: `main`, else the last function.
  std::string passes;  ///< Empty: the pipeline of the back end.
  std::vector<std::string> disabled;
  bool may_loop = false;        ///< Graphs whose edges carry information may have loops;
  bool plain_may_loop = false;  ///< others, too.
  bool no_files = false;        ///< The program imports modules of the binary only.
};

/// The name of the program in messages: `<stdin>` for `-`, `<std.clique>` for a module of the binary, else the file.
std::string program_name(const std::string& file);
/// Whether it names a module of the binary, known or not, and no file.
bool is_module(const std::string& file);
/// Reads the text of a program: of a file, of standard input for `-`, or of a module of the binary. Gives Interrupted,
/// without a message, soon after `maybe_cancel` has become true.
Status read_program(const std::string& file, const std::atomic<bool>* maybe_cancel, const Reporter& reporter,
                    std::string& text);

/// A program on its way from text to machine code. The steps are called in the order below; each reports its errors and
/// gives its status (Ok: continue).
class Compilation {
 public:
  explicit Compilation(const CompileOptions& options, const Reporter& reporter)
      : options_(options), reporter_(reporter) {}

  Status read();
  /// Instead of `read`: takes a program that is in no file. `plan_ms`: the time to write it, a separate step; 0:
  /// none.
  void take(std::string text, double plan_ms = 0);
  /// Syntax only, for the AST.
  Status parse();
  /// The program in the layout of `matcha fmt`; it parses to the same tree. Errors: Query, syntax; Run, a bug.
  Status format(std::string& formatted);
  /// Names and types, then the ASG. Warnings are reported too. Lists by vertex or edge of a module of the binary get
  /// the vertices, and positions of tuples their names: a user cannot add them there.
  Status check();
  Status lower();
  /// Instead of all these if no program is compiled: milliseconds of planning.
  void add_plan(double ms) { times_.emplace_back("plan", ms); }
  /// `take`, `check` and `lower`.
  Status lower_text(std::string text, double plan_ms = 0);
  /// After `lower`: makes label words parameters, and says all that a program compiled ahead of time has to know.
  codegen::AheadOfTime ahead_of_time();
  /// The back end's pipeline, label words and the records to keep come from the verb.
  Status run_passes(std::string_view pipeline, const passes::LabelWords& labels, passes::ManagerOptions manager);
  /// Before `run_passes`: for which machine; a CPU if it is not said.
  void set_target(const passes::TargetInfo& target) { target_ = target; }
  /// Before `run_passes` and `vertex_order`: the assumptions on the graphs among the inputs.
  void allow(ir::AssumptionKinds allowed) { allowed_ = allowed; }
  /// The module if every set stays a list and every count stays where it is, for display. After
  /// `run_passes`.
  ir::Module module_of_lists(const passes::LabelWords& labels);
  /// After `lower`: the program as it is written, without a pass, but for the words of labels.
  ir::Module module_as_written(const passes::LabelWords& labels);
  /// After `lower`: the result of the pipeline `nests`, for analyses, under the assumptions `allowed`; nothing after an
  /// error. It is kept, unless the program reads labels.
  std::optional<ir::Module> nests(const passes::LabelWords& labels, ir::AssumptionKinds allowed);
  /// After `lower`: another module of stage loop in its place, made in `context`, with the same parameters first.
  void set_loop(const ir::Module& module) {
    loop_ = module;
    nests_.reset();
  }
  /// After `lower`: whether the results depend on the order of the vertices of an undirected graph.
  ir::VertexOrder vertex_order(const passes::LabelWords& labels);
  /// After `lower`: whether the program reads labels, which only the inputs know.
  bool reads_labels() const;
  /// Emits or loads the module that the passes left.
  Status emit(codegen::Backend& backend, std::string& text);
  Status load(codegen::Backend& backend, std::unique_ptr<codegen::Executable>& executable);
  /// Loads a module that was made of that one; the step is called `step` among the times.
  Status load_variant(const ir::Module& module, const std::string& step, codegen::Backend& backend,
                      std::unique_ptr<codegen::Executable>& executable);

  /// The text of the program.
  std::string_view text() const { return sources_.text(file_); }
  const SourceManager& sources() const { return sources_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const frontend::Program& program() const { return *program_; }
  const frontend::asg::Graph& graph() const { return *graph_; }
  /// The entry, its parameters and its result. After `check`; the kinds that binding needs are known after `lower`.
  const Signature& signature() const { return *signature_; }
  bool has_graph() const { return graph_.has_value(); }
  const ir::Module& loop() const { return *loop_; }
  const passes::PipelineResult& pipeline() const { return *pipeline_; }
  bool has_pipeline() const { return pipeline_.has_value(); }
  ir::Context& context() { return context_; }
  /// Names of the columns of the result's rows, or of the positions of a tuple, where they are known.
  const std::vector<std::string>& row_names() const { return row_names_; }
  /// Name of the program, as messages print it.
  std::string name() const { return program_name(options_.file); }
  /// Milliseconds of each step so far, in order.
  const std::vector<std::pair<std::string, double>>& times() const { return times_; }
  double total_ms() const;
  /// Reading standard input ends when this becomes true.
  void set_cancel(const std::atomic<bool>* cancel) { cancel_ = cancel; }
  /// Nothing is reported while it is off; `check --diagnostics=json` prints the diagnostics itself.
  void set_reporting(bool on) { reporting_ = on; }

 private:
  Status report(Status code_of_errors = Status::Query);
  /// Runs the passes that schedule regions for the target again, for loaders; must not outlive this object.
  codegen::Rescheduler rescheduler();
  Status check_stage(codegen::Backend& backend);

  const CompileOptions& options_;
  const Reporter& reporter_;
  bool reporting_ = true;
  ir::AssumptionKinds allowed_;
  passes::TargetInfo target_;
  const std::atomic<bool>* cancel_ = nullptr;
  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  std::size_t reported_ = 0;
  std::uint32_t file_ = 0;
  std::unique_ptr<frontend::Program> program_;
  std::optional<frontend::asg::Graph> graph_;
  std::optional<Signature> signature_;
  std::vector<std::string> row_names_;
  ir::Context context_;
  std::mutex rescheduling_;  ///< Runs are concurrent, and the context is for one thread.
  std::optional<ir::Module> loop_;
  std::optional<std::pair<ir::AssumptionKinds, ir::Module>> nests_;  ///< The last ones, without labels.
  std::optional<passes::PipelineResult> pipeline_;
  std::vector<std::pair<std::string, double>> times_;
};

/// Whether it begins as gzip, zstd and .mtg files do.
bool looks_like_graph(std::string_view text);

/// Milliseconds since it was made.
class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace matcha::session
