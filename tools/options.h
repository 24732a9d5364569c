#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cpu/set_kernels.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/pattern_source.h"
#include "session/resident_graph.h"
#include "tools/console.h"
#include "tools/exit_codes.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace matcha::session {
struct OptionTargets;
enum Verb : std::uint32_t;
}  // namespace matcha::session

/// The options of the steps of a run, which several verbs have.
namespace matcha::tools {

/// Adds the options of the table (session/options.h) that the verb takes, in its order, except those that the verb has
/// already. Values go to `to`; its parts must outlive the verb.
void add_options(CLI::App& verb, Verb which, const OptionTargets& to);
/// Adds one of them, perhaps by another name, such as `--input-format`.
CLI::Option* add_option(CLI::App& verb, Verb which, const char* option, const OptionTargets& to, const char* name);
/// The options of a pattern, which mean nothing without `--pattern`, need it.
void need_pattern(CLI::App& verb);

/// FILE, the program.
void add_program_file(CLI::App& verb, CompileOptions& options);
/// GRAPH.
void add_graph_file(CLI::App& verb, BindOptions& options);
/// The parts of inputs.
void put_targets(OptionTargets& to, BindOptions& options);

/// The graphs of a verb that keeps them in memory.
struct GraphInput {
  std::string path;                 ///< May end in `:src,dst`; empty: there is a query, or `inputs` has all.
  std::vector<std::string> inputs;  ///< `NAME=FILE`, `NAME=FILE:src,dst`: a graph for the parameter of that name.
  TableBinding table;
  bool directed = false;
  bool edge_labels = false;
  bool keep_loops = false;  ///< For directed graphs: loops are kept.

  bool empty() const { return path.empty() && inputs.empty() && table.sql.empty(); }
  /// Errors: Usage where options contradict each other. Requires: not empty.
  Status check(const Console& console) const;
  /// Reads all graphs and joins them. Requires: `check` found no error.
  runtime::Result<ResidentGraph::Shared> read(const std::atomic<bool>* maybe_cancel) const;

 private:
  /// One for each graph, named for its parameter; the first may be without a name.
  std::vector<runtime::GraphSpec> specs() const;
  runtime::GraphSpec spec_of(std::string name, std::string path) const;
};
/// The parts of the graphs of a verb.
void put_targets(OptionTargets& to, GraphInput& input);

/// Folders of files that are kept from run to run, in `$MATCHA_CACHE_DIR`, else `$XDG_CACHE_HOME/matcha`, else
/// `~/.cache/matcha`; empty: there is no such folder. `code`: compiled code. `tuned`: results of `--tune`.
std::string code_folder();
std::string tuning_folder();
/// Modules of the binary as files, for editors.
std::string library_folder();

}  // namespace matcha::tools
