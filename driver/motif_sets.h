#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codegen/match/motif_counter.h"
#include "codegen/match/orbit_task.h"
#include "driver/pattern_source.h"
#include "runtime/graph/graph.h"

namespace matcha::driver {

/// How the counts of a pattern, or of all motifs of 3 to 5 vertices, come from edge-induced counts that patterns share.
/// Nothing where identities cannot tell them: other sizes, labels, arcs, pairs that must not be adjacent, patterns that
/// are not connected, graphs that are not undirected and simple or whose edges have labels or numbers, another
/// `--algorithm` than `auto`, and other plans than the first.
std::optional<codegen::MotifTask> motif_task(const PatternSource& pattern, const PatternOptions& options,
                                             const runtime::Graph& graph);

/// A set of motifs that identities count sooner than programs do: of four vertices and more.
bool is_for_identities(const PatternSource& pattern);

/// Orbits are of undirected graphs whose edges have no labels and no numbers; others are an error (Usage).
Status check_for_orbits(const runtime::Graph& graph, const Reporter& reporter);

/// What counting them takes, in nanoseconds of one thread, roughly.
double motif_cost(const runtime::Graph& graph, const runtime::motif::MotifSet& wanted);

/// Whether identities count one pattern of `graph` though it is no set: its program is expected to take long,
/// `ns_of_program` of one core, and identities surely less, with a list of triangles that surely fits.
bool pay_alone(const codegen::MotifTask& task, const runtime::Graph& graph, double ns_of_program);

/// The patterns of one command that identities could count, on one graph.
class MotifSets {
 public:
  /// `ns_of_program`: what its program is expected to take, in nanoseconds of one thread; nothing: it is counted by
  /// identities whatever that is.
  void add(const codegen::MotifTask& task, std::optional<double> ns_of_program);
  /// Whether counting them together takes less than their programs, with compiling those.
  bool pay(const runtime::Graph& graph, unsigned threads) const;
  /// What is given to the tasks of all, so that they count together.
  const std::shared_ptr<codegen::SharedMotifs>& shared() const { return shared_; }

 private:
  std::shared_ptr<codegen::SharedMotifs> shared_ = std::make_shared<codegen::SharedMotifs>();
  bool always_ = false;
  std::size_t programs_ = 0;
  double ns_of_programs_ = 0;
};

/// Whether the patterns of one run are counted by identities, and what counts them.
class MotifChoice {
 public:
  /// Finds out whether they could be. `maybe_others`: the patterns of the same command. Both outlive it. Orbits are an
  /// error (Usage) where they could not.
  Status find(const PatternSource& pattern, const PatternOptions& options, const runtime::Graph& graph,
              MotifSets* maybe_others, const Reporter& reporter);
  /// They are counted so without a look at the costs: what they are is a set of motifs.
  bool is_sure() const { return orbits_ || (task_ && is_set_); }
  /// Tells the others what a program is expected to take, in nanoseconds of one thread.
  void offer(double ns_of_program);
  /// Whether they are counted so, once all others have offered theirs.
  bool pay(unsigned threads) const;
  /// Whether one pattern, the only one of its command, is counted so though it is no set.
  bool pay_alone(double ns_of_program) const {
    return task_ && maybe_others_ == nullptr && driver::pay_alone(*task_, *maybe_graph_, ns_of_program);
  }
  /// Has the first GPU count them so, each pattern of a command for itself, if that is sooner than programs on it;
  /// whether it is.
  bool take_to_gpu(const std::string& code_folder, std::optional<double> ns_of_program);
  bool was_on_gpu(const codegen::RunResult& result) const {
    return task_ && task_->maybe_device != nullptr && result.tier == task_->maybe_device->label();
  }
  std::unique_ptr<codegen::Executable> counter() const {
    return orbits_ ? codegen::make_orbit_counter(*orbits_) : codegen::make_motif_counter(*task_);
  }

 private:
  std::optional<codegen::MotifTask> task_;
  std::optional<codegen::OrbitTask> orbits_;  ///< In place of counts of patterns.
  bool is_set_ = false;
  MotifSets* maybe_others_ = nullptr;
  const runtime::Graph* maybe_graph_ = nullptr;
};

/// What a run then does, for people.
inline constexpr const char* kMotifText = "On a CPU `run` counts by identities, not by this program";

}  // namespace matcha::driver
