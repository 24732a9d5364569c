#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "incremental/answer.h"
#include "incremental/delta_query.h"
#include "incremental/dynamic_present.h"
#include "incremental/engine.h"
#include "incremental/least_rows.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// What the end of a search comes to; reports that a number is beyond 128 bits.
Status status_of(runtime::stream::DeltaSearch::Ending ending, const Reporter& reporter);

/// Why a program that asks for types has no deltas: a class of vertices has one label.
inline constexpr const char* kTypesProblem = "vertices have several types";

/// A program of a stream whose answers follow from what each changed edge does.
class DeltaProgram {
 public:
  /// Nothing, and why, if there are no deltas for it. Errors of the program are not told: whoever compiles it does.
  /// A program counts patterns if `patterns_of` says so.
  static std::optional<DeltaProgram> make(const ProgramRequest& request, const ProgramOptions& options, bool directed,
                                          std::string& why);

  /// Labels of vertices that it asks for, and of edges, as patterns write them.
  std::vector<std::string> labels() const;
  std::vector<std::string> edge_labels() const;
  /// Whether vertices of several types (session/vertex_types.h) have some of these labels, which patterns then ask for
  /// in other words: there are no deltas.
  bool asks_for_types(const runtime::LabelDictionary& dictionary) const;
  /// Plans it for the graph, whose classes and layers are laid out. False, and why, if it cannot be.
  bool plan(const runtime::stream::DynamicGraph& graph, const NumberOf& class_of, const NumberOf& layer_of,
            std::string& why);

  /// The edge comes (+1) or goes (-1), by places, in its layer; it is not in the graph.
  runtime::stream::DeltaSearch::Ending take(runtime::stream::DeltaSearch& search, const DynamicPresent& present,
                                            const runtime::stream::EdgeUpdate& edge, int sign);
  /// Puts its terms behind those of others that are evaluated together; until the next plan.
  void add_terms(runtime::stream::SharedTerms& all);
  std::size_t term_count() const { return term_count_; }
  /// What it counts: a sum of patterns, each as often as it says, or a result for each.
  const std::vector<pattern::Pattern>& patterns() const { return patterns_; }
  pattern::Induced induced() const { return induced_; }
  /// What its terms, `maps` by term, did when all of some edges came (+1) or went (-1). False: it is beyond 128 bits.
  bool take_counts(const __int128* maps, int sign);
  /// A row with its sign behind.
  using Row = std::vector<std::uint64_t>;
  /// The match of one of its terms, as `take` keeps it.
  Row row_of(std::size_t term, const std::uint32_t* places, const DynamicPresent& present, int sign) const;
  void take_rows(std::vector<Row> rows);
  /// The results on the graph as it is now: what came and went since the last answer need not be told. Requires: the
  /// total is known, and no rows are wanted.
  void recount(const std::vector<Number>& now);
  /// All that goes has gone; what follows comes.
  void turn();

  /// What changed since the last answer. A total that was known is kept. Nothing if what changed is not whole, which is
  /// an error of ours.
  std::optional<Answer> answer();

  const std::optional<std::vector<Number>>& total() const { return total_; }
  void set_total(std::vector<Number> total) { total_ = std::move(total); }
  /// Nobody knows what it finds: edges came and went that it was not told of.
  void forget();
  bool wants_total() const { return options_.totals; }
  bool wants_rows() const { return options_.rows; }

 private:
  bool read_pattern(const ProgramRequest& request, bool directed, std::string& why);
  bool choose_labels(std::string& why);
  bool read_program(const ProgramRequest& request, bool directed, std::string& why);
  std::optional<std::vector<__int128>> counted() const;
  std::optional<std::vector<__int128>> delta() const;
  bool add_delta(std::size_t query, const EdgeDelta& delta, int sign);
  Row row_of_query(std::size_t query, const std::uint32_t* places, const DynamicPresent& present, int sign) const;
  RowChanges row_changes() const;

  std::vector<pattern::Pattern> patterns_;
  pattern::Induced induced_ = pattern::Induced::Edge;
  bool embeddings_ = false;
  /// Of a program, by pattern: how often an embedding counts, times kWholeFactor, in its one result. Empty: each
  /// pattern is a result.
  std::vector<__int128> factors_;
  ProgramOptions options_;
  std::optional<LeastRows> least_rows_;  ///< Where rows of subgraphs are wanted.
  std::vector<DeltaQuery> queries_;
  std::size_t term_count_ = 0;  ///< Of all queries.
  bool only_gains_ = false;
  bool is_pattern_ = false;  ///< Else a program, which asks for labels as they are.

  std::optional<std::vector<Number>> total_;
  std::vector<__int128> delta_;      ///< By pattern, since the last answer or recount.
  std::vector<__int128> recounted_;  ///< By result, the total at the recount since the last answer; empty: none.
  std::optional<__int128> at_turn_;  ///< The change of the first result when all had gone.
  std::vector<Row> rows_;
};

}  // namespace matcha::session::stream
