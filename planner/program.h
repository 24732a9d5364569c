#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/support/diagnostics.h"
#include "planner/sketch.h"
#include "question/pattern.h"
#include "question/read.h"

/// From patterns to the text of a program.
namespace matcha::pattern {

/// The most positions of a tuple; the counts of more motifs are a list.
inline constexpr std::size_t kMostInTuple = 64;

enum class Algorithm {
  Auto,       ///< The cheapest by the cost model.
  Extend,     ///< Vertex after vertex.
  Join,       ///< Candidates of each vertex are reduced along the edges first.
  Decompose,  ///< Counts of parts around a cutset are multiplied.
};
std::string_view to_string(Algorithm algorithm);
/// Nothing if there is none of this name.
std::optional<Algorithm> algorithm_of(std::string_view name);

/// The question about a pattern.
struct Request {
  Induced induced = Induced::Vertex;  ///< Edge, unless maps are injective.
  Match match = Match::Iso;
  bool loops = false;       ///< The graph may have loops.
  bool embeddings = false;  ///< Count maps of the pattern, not subgraphs; true unless maps are injective.
  bool rows = false;        ///< List matches, as tuples in the order of the pattern's vertices.
  Algorithm algorithm = Algorithm::Auto;
  std::vector<int> columns = {};            ///< The vertices of each row, in order; empty: all. Larger numbers are
  std::vector<std::string> variables = {};  ///< these: variables of edges, for their labels.
  std::size_t plan = 0;                     ///< The number of cheaper plans to skip.
  std::string hint_of_many = {};            ///< The hint if there are too many ways to choose labels; empty: a
                                            ///< hint for patterns.
  bool by_degree = true;                    ///< Leave out vertices with too few neighbours; else degrees are not read.
};

/// A way to answer, and its cost by the model.
struct Choice {
  Algorithm algorithm = Algorithm::Extend;
  std::string plan;  ///< `v0 v1 v2 | v0 > v1`: the order and the restrictions.
  double cost = 0;   ///< Nanoseconds of one core, or of the GPU, roughly.
};

/// A loop that the program of a pattern has, or the count in the place of its innermost one.
struct ExpectedLoop {
  std::vector<std::string> vertices;  ///< The names of the items of the loops around it, its own last.
  double matches = 0;                 ///< Expected matches of these vertices.
  /// All vertices are matched, and each match is counted once.
  bool complete = false;
};

/// How one pattern is matched, for display. Vertices are those of `pattern`.
struct MatchingPlan {
  Pattern pattern;
  Algorithm algorithm = Algorithm::Extend;
  std::vector<int>
      order;  ///< In the order of the loops; for products only the cutset. Empty: other plans are added up.
  std::vector<std::pair<int, int>> restrictions;  ///< (larger, smaller) ids; none that follows from others.
  std::int64_t factor = 1;                        ///< The factor of its number in that of the first plan.
  std::vector<ExpectedLoop> loops;
};

struct PatternProgram {
  std::string text;
  std::vector<Choice> choices;  ///< Cheapest first but for the wanted one; the text is the first. Empty for a motif.
  double cost = 0;              ///< The cost of the text, as `Choice::cost`; for a motif, of all its patterns.
  /// The plan of the pattern; then, if it is counted by other patterns, their plans. For a motif, one plan per pattern.
  std::vector<MatchingPlan> plans;
  bool directed = false;       ///< The graph must keep its arcs.
  bool labelled = false;       ///< The graph must have labels.
  bool edge_labelled = false;  ///< The graph must have labels of edges, as its edge information.
};

/// The program that answers `request` for the patterns on graphs like `sketch`; nothing after an error (`pattern-plan`
/// at `loc`), such as a list of all motifs.
std::optional<PatternProgram> write_program(const PatternSet& set, const Request& request, const GraphSketch& sketch,
                                            SourceLoc loc, Diagnostics& diagnostics);

/// Whether a program of the algorithm `join` matches the pattern.
bool can_join(const Pattern& pattern);

/// Comment lines that describe the count: the pattern, its semantics, its symmetry.
std::string describe(const Pattern& pattern, const Request& request, std::optional<std::uint64_t> automorphisms);

/// `estimated 1.2 ms of one core, for …`: the time, and the graph that it is for.
std::string estimate_text(double nanoseconds, const GraphSketch& sketch);

}  // namespace matcha::pattern
