#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/program.h"
#include "question/pattern.h"
#include "runtime/sample/interval.h"

namespace matcha::planner {

/// The kind of answer.
enum class Want { Count, Rows, Orbits };

/// The question as data: engines read it and nothing else of the user's options.
struct Question {
  /// The patterns, with the labels of the graph; null: the question is the entry of a program. Outlives the question.
  const pattern::PatternSet* maybe_patterns = nullptr;
  pattern::Induced induced = pattern::Induced::Edge;
  pattern::Match match = pattern::Match::Iso;
  bool embeddings = false;
  std::string algorithm = "auto";      ///< As `--algorithm`.
  std::size_t plan = 1;                ///< As `--plan`.
  std::vector<int> columns = {};       ///< Vertices, and beyond their number labels, that a row has.
  std::vector<std::string> variables;  ///< The variables of these labels.

  Want want = Want::Count;
  bool orbits_by_edge = false;             ///< Orbits of edges; else of vertices.
  bool bounded = false;                    ///< The caller needs a limited number of matches:
  std::optional<std::uint64_t> most = {};  ///< at most this many, if known.

  runtime::sample::IntervalRequest interval = {};  ///< Without a width: the exact count.

  std::string device = "auto";  ///< As `--device`.
  std::string cpu_only = {};    ///< With `auto`: why a GPU does not answer, as a refusal; empty: it may.
  std::string engine = {};      ///< The one engine that may answer; empty: the cheapest.
  std::string only = {};        ///< The only engine that can answer questions of this kind; empty: any may.
  std::string only_why = {};    ///< And why, as a refusal of the others.

  // Each names a given option, or another reason, for the sentence of a refusal; empty: no reason to refuse.
  std::string wants_program = {};      ///< Only programs are compiled or timed so: `--backend`, `--tune`.
  std::string wants_tier = {};         ///< Only programs have tiers: `--tier`.
  std::string wants_gpu_program = {};  ///< Only programs on a GPU have it: `--group`.

  bool in_processes = false;  ///< Several processes share the run by the positions of loops.
  bool in_shares = false;     ///< Runs are shares of a whole one.
  bool graph_grows = false;   ///< Later updates may add labels that the graph does not have yet.

  bool of_motifs() const { return maybe_patterns != nullptr && maybe_patterns->motif; }
  const pattern::Pattern& first() const { return maybe_patterns->patterns.front(); }
};

}  // namespace matcha::planner
