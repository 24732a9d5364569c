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
#include "session/program_nests.h"

namespace matcha::session::stream {

/// The status for the end of a search; reports a number beyond 128 bits.
Status status_of(runtime::stream::DeltaSearch::Ending ending, const Reporter& reporter);

/// Why a program that uses vertex types has no deltas: a class of vertices has one label.
inline constexpr const char* kTypesProblem = "vertices have several types";

/// A program of a stream that is maintained by the deltas of changed edges.
class DeltaProgram {
 public:
  /// Empty, with the reason, if the program has no deltas. Errors of the program are not reported: its later
  /// compilation reports them. A program counts patterns if `patterns_of` says so. `nests`: those of the request.
  static std::optional<DeltaProgram> make(const ProgramRequest& request, const ProgramOptions& options, bool directed,
                                          ProgramNests& nests, std::string& why);

  /// The vertex and edge labels that it uses, in the syntax of patterns.
  std::vector<std::string> labels() const;
  std::vector<std::string> edge_labels() const;
  /// True if vertices with several types (session/vertex_types.h) have some of these labels, which patterns then
  /// express differently: there are no deltas.
  bool uses_vertex_types(const runtime::LabelDictionary& dictionary) const;
  /// Plans it for the graph, whose classes and layers are set. False, with the reason, if that is impossible.
  bool plan(const runtime::stream::DynamicGraph& graph, const NumberOf& class_of, const NumberOf& layer_of,
            std::string& why);

  /// Counts an edge that is inserted (+1) or deleted (-1), by places, in its layer; it is not in the graph.
  runtime::stream::DeltaSearch::Ending take(runtime::stream::DeltaSearch& search, const DynamicPresent& present,
                                            const runtime::stream::EdgeUpdate& edge, int sign);
  /// Sets the pairs of classes whose edges its patterns read (DynamicGraph::set_asked).
  void add_asked(std::vector<bool>& asked) const {
    for (const DeltaQuery& query : queries_) query.add_asked(asked);
  }
  /// Appends its terms to those of other programs, for joint evaluation; valid until the next plan.
  void add_terms(runtime::stream::SharedTerms& all);
  std::size_t term_count() const { return term_count_; }
  /// The patterns that it counts: terms of a weighted sum, or one for each result.
  const std::vector<pattern::Pattern>& patterns() const { return patterns_; }
  pattern::Induced induced() const { return induced_; }
  /// Takes the counts of its terms, `maps` by term, for a set of edges inserted (+1) or deleted (-1). False: overflow
  /// of 128 bits.
  bool take_counts(const __int128* maps, int sign);
  /// A row followed by its sign.
  using Row = std::vector<std::uint64_t>;
  /// The match of one of its terms, in the form of `take`.
  Row row_of(std::size_t term, const std::uint32_t* places, const DynamicPresent& present, int sign) const;
  void take_rows(std::vector<Row> rows);
  /// Sets the results of the present graph: changes since the last answer need not be reported. Requires: the total is
  /// known, and rows are not requested.
  void recount(const std::vector<Number>& now);
  /// All deletions are done; insertions follow.
  void turn();

  /// The changes since the last answer. A known total is updated. Empty if a change is not an integer, which is an
  /// internal error.
  std::optional<Answer> answer();

  const std::optional<std::vector<Number>>& total() const { return total_; }
  void set_total(std::vector<Number> total) { total_ = std::move(total); }
  /// Invalidates the totals: edges changed without being counted.
  void invalidate();
  bool wants_total() const { return options_.totals; }
  bool wants_rows() const { return options_.rows; }

 private:
  bool read_pattern(const ProgramRequest& request, bool directed, std::string& why);
  bool choose_labels(std::string& why);
  bool read_program(const ProgramRequest& request, bool directed, ProgramNests& nests, std::string& why);
  std::optional<std::vector<__int128>> counted() const;
  std::optional<std::vector<__int128>> delta() const;
  bool add_delta(std::size_t query, const EdgeDelta& delta, int sign);
  Row row_of_query(std::size_t query, const std::uint32_t* places, const DynamicPresent& present, int sign) const;
  RowChanges row_changes() const;

  std::vector<pattern::Pattern> patterns_;
  pattern::Induced induced_ = pattern::Induced::Edge;
  bool embeddings_ = false;
  /// By pattern, the weight of an embedding in the one result of a program, times kWholeFactor. Empty: each pattern is
  /// a result.
  std::vector<__int128> factors_;
  ProgramOptions options_;
  std::optional<LeastRows> least_rows_;  ///< If rows of subgraphs are requested.
  std::vector<DeltaQuery> queries_;
  std::size_t term_count_ = 0;  ///< The number of terms of all queries together.
  bool only_gains_ = false;
  bool is_pattern_ = false;  ///< False: a program, which compares labels as they are.

  std::optional<std::vector<Number>> total_;
  std::vector<__int128> delta_;      ///< By pattern, since the last answer or recount.
  std::vector<__int128> recounted_;  ///< By result, the total at the recount since the last answer; empty: none.
  std::optional<__int128> at_turn_;  ///< The change of the first result after all deletions.
  std::vector<Row> rows_;
};

}  // namespace matcha::session::stream
