// Programs and patterns that are made ready for a graph in memory, as C, Python and `matcha serve` do it.
#include "session/prepared.h"

#include <gtest/gtest.h>

#include "ir/support/stop_scope.h"

namespace matcha::session {
namespace {

std::shared_ptr<ResidentGraph> wiki_vote() {
  auto graph = ResidentGraph::read("examples/graphs/wiki-vote.txt.gz", "", false);
  EXPECT_TRUE(graph);
  return graph ? std::move(*graph) : nullptr;
}

/// `pattern`, made ready to be counted in the graph on the CPU.
std::unique_ptr<Prepared> prepared(const std::string& pattern, const std::shared_ptr<ResidentGraph>& graph,
                                   bool shares = false) {
  ProgramRequest request;
  request.pattern.text = pattern;
  request.device = "cpu";
  request.shares = shares;
  std::string errors;
  std::unique_ptr<Prepared> made;
  EXPECT_EQ(Status::Ok, Prepared::make(
                            request, graph, [](const auto& work) { work(); }, errors, made))
      << errors;
  return made;
}

/// -1: there is no count.
std::int64_t count(Prepared& pattern) {
  codegen::RunOptions options;
  options.threads = 2;
  const codegen::RunOutcome outcome = pattern.run(options);
  const auto* const result = std::get_if<codegen::RunResult>(&outcome);
  return result == nullptr || result->values.size() != 1
             ? -1
             : static_cast<std::int64_t>(std::get<__int128>(result->values[0]));
}

TEST(Prepared, CountsALongPatternByIdentities) {
  const std::shared_ptr<ResidentGraph> graph = wiki_vote();
  const std::unique_ptr<Prepared> cycles = prepared("cycle:5", graph);
  ASSERT_NE(nullptr, cycles);
  EXPECT_TRUE(cycles->counts_motifs());
  EXPECT_EQ(5260254667, count(*cycles));
  ASSERT_TRUE(cycles->rebind(wiki_vote()));
  EXPECT_TRUE(cycles->counts_motifs());
  EXPECT_EQ(5260254667, count(*cycles));
}

TEST(Prepared, CountsShortPatternsAndSharesByPrograms) {
  const std::shared_ptr<ResidentGraph> graph = wiki_vote();
  EXPECT_FALSE(prepared("triangle", graph)->counts_motifs());
  EXPECT_TRUE(prepared("motif:4", graph)->counts_motifs());
  EXPECT_FALSE(prepared("cycle:5", graph, true)->counts_motifs());
}

TEST(Prepared, EndsAtEachStepOfPlanning) {
  const std::shared_ptr<ResidentGraph> graph = wiki_vote();
  std::uint64_t looks = 0, last = UINT64_MAX;
  const StopScope::IsOver is_over = [&] { return ++looks >= last; };
  const StopScope scope(&is_over);
  ASSERT_NE(nullptr, prepared("motif:5", graph, true));
  const std::uint64_t all = looks;
  EXPECT_GT(all, 1000U);
  // The passes are the last ones that look.
  for (const std::uint64_t at : {std::uint64_t{1}, std::uint64_t{10}, all / 100, all / 2, all - 20, all - 1}) {
    looks = 0;
    last = at;
    EXPECT_THROW(prepared("motif:5", graph, true), Stopped) << at;
    EXPECT_EQ(at, looks);
  }
}

}  // namespace
}  // namespace matcha::session
