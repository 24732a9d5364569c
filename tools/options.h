#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "driver/bind.h"
#include "driver/compile.h"
#include "driver/pattern_source.h"
#include "driver/resident_graph.h"
#include "runtime/cpu/set_kernels.h"
#include "tools/console.h"
#include "tools/exit_codes.h"

/// The options of the steps of a run, which several verbs have.
namespace matcha::tools {

/// FILE and `--entry`.
void add_program_options(CLI::App& verb, CompileOptions& options);
/// `--passes` and `--disable-pass`.
void add_pass_options(CLI::App& verb, CompileOptions& options);

/// GRAPH, `--in`, `--param`, `--labels`, `--directed`, `--keep-loops` and `--temporal`.
void add_bind_options(CLI::App& verb, BindOptions& options);

/// `--format` of an input, or another name where that is taken.
void add_format_option(CLI::App& verb, TableBinding& options, const char* name);

/// Columns and headings of tables, and the file of vertices; all of them but `--labels`.
void add_table_options(CLI::App& verb, TableBinding& options);

/// The graphs of a verb that keeps them in memory.
struct GraphInput {
  std::string path;                 ///< May end in `:src,dst`; empty: there is a query, or `inputs` has all.
  std::vector<std::string> inputs;  ///< `NAME=FILE`, `NAME=FILE:src,dst`: a graph for the parameter of that name.
  TableBinding table;
  bool directed = false;
  bool edge_labels = false;
  bool keep_loops = false;  ///< Of directed graphs.

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
/// All options of graphs but the path of the first.
void add_graph_input_options(CLI::App& verb, GraphInput& input);

/// `--order auto|id|degree`.
void add_order_option(CLI::App& verb, std::string& choice);

/// `--param`, those of tables, `--labels` and `--directed`: how a program and a graph are to be read.
void add_input_meaning(CLI::App& verb, std::vector<std::string>& params, TableBinding& table, bool& directed);

/// Where the options of a run on a CPU go.
struct CpuOptions {
  std::string& tier;
  unsigned& threads;
  std::string& simd;
  std::string& order;
};
/// `--tier`, `--threads`, `--simd` and `--order`.
void add_cpu_options(CLI::App& verb, const CpuOptions& options);

/// `--induced`, `--match`, `--embeddings`, `--algorithm`, `--plan`, `--unlabelled` and `--unlabelled-edges`; all that
/// were added.
std::vector<CLI::Option*> add_pattern_options(CLI::App& verb, PatternOptions& options);
/// `--pattern P`, any number of times, and `--patterns FILE`.
void add_pattern_list(CLI::App& verb, std::vector<std::string>& patterns, std::string& file);
/// `--pattern P` of a verb that takes a program otherwise, with `text` as its help, and those options, which mean
/// nothing for a program.
void add_pattern_or_program(CLI::App& verb, PatternOptions& options, const std::string& text);

/// Folders of what is kept from run to run, in `$MATCHA_CACHE_DIR`, else `$XDG_CACHE_HOME/matcha`, else
/// `~/.cache/matcha`; empty: there is no such folder. `code`: compiled code. `tuned`: what `--tune` finds out.
std::string code_folder();
std::string tuning_folder();
/// Modules of the binary as files, for editors.
std::string library_folder();
/// `--no-cache`: the folder is not used, and becomes empty.
void add_no_cache(CLI::App& verb, std::string& code_folder);

/// The SIMD tier that `--simd` names; none if it is empty. An error if there is none of that name, or not here.
Status choose_tier(const std::string& name, const Console& console, std::optional<runtime::Tier>& tier);

}  // namespace matcha::tools
