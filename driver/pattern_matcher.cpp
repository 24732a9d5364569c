#include "driver/pattern_matcher.h"

#include <algorithm>
#include <utility>

#include "driver/edge_label_facts.h"
#include "frontend/pattern/symmetry.h"

namespace matcha::driver {

namespace {

using frontend::pattern::Mask;
using frontend::pattern::Pattern;

/// Labelled patterns of so many vertices take long to compile, and programs go on where a search goes back.
constexpr int kManyVertices = 10;

/// Of no vertex, for a word that the graph does not have; nothing: any label.
std::optional<std::int64_t> wanted_label(const std::string& literal, const runtime::LabelDictionary& dictionary) {
  if (literal.empty()) return std::nullopt;
  return code_of_literal(literal, dictionary).value_or(runtime::kNoLabel);
}

/// Orders images so that of each subgraph one map is left: vertex after vertex, the image of each is the smallest of
/// those that the automorphisms which fix the ones before it can bring to its place.
std::vector<std::pair<int, int>> restrictions_of(frontend::pattern::Symmetry& symmetry, int size) {
  std::vector<std::pair<int, int>> restrictions;
  Mask fixed = 0;
  for (int v = 0; v < size; ++v) {
    const Mask orbit = symmetry.orbits(fixed)[frontend::pattern::at(v)];
    frontend::pattern::for_each(orbit & ~frontend::pattern::bit(v), [&](int w) { restrictions.emplace_back(w, v); });
    fixed |= frontend::pattern::bit(v);
  }
  return restrictions;
}

}  // namespace

SearchUse use_of_search(const PatternSource& pattern, const PatternOptions& options, const runtime::Graph& graph,
                        bool some) {
  const Pattern& first = pattern.set().patterns.front();
  const runtime::GraphFacts& facts = graph.facts();
  const bool has_arcs = facts.directed || !facts.simple || !facts.loop_free || graph.view().slots != nullptr;
  const auto several = [](const std::string& label) { return frontend::pattern::alternatives(label).size() > 1; };
  if (first.has_loops() || first.has_constants() || std::ranges::any_of(first.labels, several)) {
    return SearchUse::Never;
  }
  if (has_arcs || pattern.match() != frontend::pattern::Match::Iso || pattern.set().motif || first.directed ||
      first.edge_labelled() || options.plan != 1 || (first.labelled() && !facts.labelled)) {
    return SearchUse::Never;
  }
  if (options.algorithm == "join") return SearchUse::Always;
  const bool all_labelled = std::ranges::none_of(first.labels, [](const std::string& label) { return label.empty(); });
  if (options.algorithm != "auto" || !all_labelled) return SearchUse::Never;
  return some || first.size() >= kManyVertices ? SearchUse::Always : SearchUse::Try;
}

std::string search_text(SearchUse use) {
  return use == SearchUse::Always
             ? "On a CPU `run` matches this pattern by candidates and search, not by this program"
             : "On a CPU `run` matches this pattern by candidates and search, and by this program if that takes long";
}

codegen::MatchTask match_task(const PatternSource& pattern, const PatternOptions& options,
                              const runtime::LabelDictionary& dictionary, const BoundInputs& bound, bool rows) {
  // Its automorphisms are those of what is looked for, where all pairs without an edge are alike.
  Pattern first = pattern.set().patterns.front();
  codegen::MatchTask task;
  task.rows = rows;
  if (bound.match_index) task.maybe_index = bound.match_index();
  task.query.size = first.size();
  for (int v = 0; v < first.size(); ++v) {
    task.query.labels.push_back(wanted_label(first.label(v), dictionary));
    if (pattern.induced() == frontend::pattern::Induced::Vertex) {
      first.anti[frontend::pattern::at(v)] = first.all() & ~first.near(v) & ~frontend::pattern::bit(v);
    }
  }
  task.query.near = first.out;
  task.query.anti = first.anti;
  if (options.embeddings) return task;
  frontend::pattern::Symmetry symmetry(first);
  const std::optional<unsigned __int128> maps = symmetry.wide_order();
  if (maps && *maps == 1) return task;
  // Counts are divided, which leaves the search free; for rows, and beyond what can be told, maps are told apart.
  if (!rows && maps) {
    task.divisor = *maps;
    task.restrictions = restrictions_of(symmetry, first.size());
  } else {
    task.query.restrictions = restrictions_of(symmetry, first.size());
  }
  return task;
}

std::optional<codegen::RunOutcome> try_search(codegen::Executable& matcher,
                                              std::span<const codegen::Argument> arguments,
                                              const runtime::Universe& universe, codegen::RunOptions options) {
  options.most_steps = kTrialSteps;
  codegen::RunOutcome outcome = matcher.run(arguments, universe, options);
  const auto* const result = std::get_if<codegen::RunResult>(&outcome);
  if (result != nullptr && result->values.empty()) return std::nullopt;
  return outcome;
}

}  // namespace matcha::driver
