#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/match.h"
#include "runtime/graph/labels.h"
#include "session/exhaustive_count.h"
#include "session/program_patterns.h"
#include "tests/differential/pattern_programs.h"
#include "tests/unit/sanitized.h"

/// Programs that are read as sums of patterns: the counts of those patterns, found by trying all maps, give the results
/// that the interpreter has for the program as it is written. Most programs are made at random, or by changing one word
/// of a program that counts a pattern, so that most of these count something else.
namespace matcha::session {
namespace {

enum class Edges { Both, Arcs };

/// A random graph of a few vertices, each with the label 0 or 1.
runtime::Graph random_graph(std::mt19937_64& random, Edges edges) {
  const std::size_t size = 4 + random() % 3;
  const std::uint64_t density = 3 + random() % 6;
  std::vector<std::vector<bool>> adjacent(size, std::vector<bool>(size, false));
  for (std::size_t u = 0; u < size; ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      adjacent[u][v] = random() % 10 < density;
      adjacent[v][u] = edges == Edges::Arcs ? random() % 10 < density : adjacent[u][v];
    }
  }
  runtime::GraphArrays arrays;
  std::vector<std::uint32_t> neighbors;
  arrays.offsets = runtime::Buffer<std::uint64_t>(size + 1);
  arrays.labels = runtime::Buffer<std::int64_t>(size);
  for (std::size_t u = 0; u < size; ++u) {
    arrays.offsets[u] = neighbors.size();
    arrays.labels[u] = static_cast<std::int64_t>(random() % 2);
    for (std::size_t v = 0; v < size; ++v) {
      if (adjacent[u][v]) neighbors.push_back(static_cast<std::uint32_t>(v));
    }
  }
  arrays.offsets[size] = neighbors.size();
  arrays.neighbors = runtime::Buffer<std::uint32_t>(neighbors.size());
  std::copy(neighbors.begin(), neighbors.end(), arrays.neighbors.begin());
  runtime::GraphFacts facts;
  facts.directed = edges == Edges::Arcs;
  return runtime::Graph::from_arrays(std::make_shared<const runtime::Universe>(runtime::Universe::identity(size)),
                                     std::move(arrays), facts);
}

using Values = std::map<const ir::Expr*, __int128>;

/// The arithmetic of a program's results.
__int128 value_of(const ir::Expr& expr, const Values& known) {
  if (const auto found = known.find(&expr); found != known.end()) return found->second;
  const auto of = [&](std::size_t at) { return value_of(*expr.operands[at], known); };
  switch (expr.kind) {
    case ir::Kind::ConstInt: return ir::as<ir::ConstInt>(&expr)->value;
    case ir::Kind::Convert: return of(0);
    case ir::Kind::Neg: return -of(0);
    case ir::Kind::Add: return of(0) + of(1);
    case ir::Kind::Sub: return of(0) - of(1);
    case ir::Kind::Mul: return of(0) * of(1);
    case ir::Kind::Div: {
      const __int128 divisor = of(1);
      if (divisor == 0) throw std::domain_error("division by zero");
      return of(0) / divisor;
    }
    case ir::Kind::Min: return std::min(of(0), of(1));
    case ir::Kind::Max: return std::max(of(0), of(1));
    default: ADD_FAILURE() << "another operation in a result"; return 0;
  }
}

std::string text_of(__int128 value) { return std::to_string(static_cast<std::int64_t>(value)); }

/// The results by the counts of the patterns; nothing if they are too many to try.
std::optional<std::string> by_patterns(const CountedProgram& counted, const runtime::Graph& graph) {
  const runtime::LabelDictionary none;
  std::vector<__int128> counts;
  for (const CountedPattern& one : counted.patterns) {
    pattern::PatternSet set;
    set.patterns.push_back(one.pattern);
    const auto found = count_exhaustively(set, {one.induced, false, 4'000'000}, graph, none);
    if (!found) return std::nullopt;
    counts.push_back(static_cast<__int128>((*found)[0]));
  }
  Values known;
  for (const CountedSum& sum : counted.sums) {
    __int128& total = known[sum.value];
    for (const CountedSum::Term& term : sum.terms) total += counts[term.pattern] * term.times;
  }
  try {
    for (const ir::Let* step : counted.steps) known[step->var] = value_of(*step->value, known);
    std::string text;
    for (const ir::Expr* result : counted.results) text += text_of(value_of(*result, known)) + " ";
    return text;
  } catch (const std::domain_error& error) {
    return error.what();
  }
}

/// The results by the interpreter.
std::string as_written(codegen::Executable& program, runtime::Graph& graph) {
  const std::vector<codegen::Argument> arguments = {&graph};
  const codegen::RunOutcome ended = program.run(arguments, graph.universe(), {});
  if (const codegen::RunError* error = std::get_if<codegen::RunError>(&ended)) return error->error.message;
  std::string text;
  for (const codegen::ResultValue& value : std::get<codegen::RunResult>(ended).values) {
    const auto* number = std::get_if<__int128>(&value);
    text += number != nullptr ? text_of(*number) + " " : "another value ";
  }
  return text;
}

struct Tally {
  int programs = 0, compiled = 0, read = 0;
};

/// The program without a pass, in the interpreter; null after an error.
std::unique_ptr<codegen::Executable> interpreted(Compilation& compilation, const std::string& text) {
  EXPECT_EQ(compilation.lower_text(text), Status::Ok);
  SourceManager sources;
  Diagnostics diagnostics(sources);
  return codegen::make_interpreter()->load(compilation.module_as_written({}), diagnostics);
}

/// The reason why the program is no sum of patterns; empty if it is one, or if it has errors.
std::string check(const std::string& text, const std::string& entry, std::uint64_t seed, Tally& tally,
                  Edges edges = Edges::Both) {
  CompileOptions options;
  options.file = "program.mt";
  options.entry = entry;
  options.no_files = true;
  ++tally.programs;
  ir::AssumptionKinds all;
  for (const ir::AssumptionKind kind : {ir::AssumptionKind::Symmetric, ir::AssumptionKind::LoopFree,
                                        ir::AssumptionKind::Simple, ir::AssumptionKind::Labelled})
    all.insert(kind);
  if (edges == Edges::Arcs) all.erase(ir::AssumptionKind::Symmetric);
  const auto nests = std::make_shared<ProgramNests>(options, text, all);
  if (nests->maybe_module() == nullptr || nests->maybe_module()->params.size() != 1) return {};
  ++tally.compiled;
  std::string why;
  const std::optional<CountedProgram> counted = counted_program(nests, why);
  const bool is_zero = why == "it counts nothing";
  if (!counted && !is_zero) return why;
  tally.read += is_zero ? 0 : 1;
  const MessageLog log;
  Compilation compilation(options, log);
  const std::unique_ptr<codegen::Executable> program = interpreted(compilation, text);
  if (program == nullptr) return {};
  std::mt19937_64 random(seed);
  std::string constant;  // The results of a sum of nothing: those of the first graph.
  for (int world = 0; world < 4; ++world) {
    runtime::Graph graph = random_graph(random, edges);
    const std::string loops = as_written(*program, graph);
    if (world == 0) constant = loops;
    const std::optional<std::string> patterns = is_zero ? constant : by_patterns(*counted, graph);
    if (!patterns) break;
    EXPECT_EQ(*patterns, loops) << "seed " << seed << ", entry " << entry << "\n" << text;
    if (*patterns != loops) break;
  }
  return why;
}

std::uint64_t wanted(std::uint64_t usual) {
  const char* const text = std::getenv("MATCHA_PROGRAMS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Entry {
  std::string file, name;
};

std::vector<Entry> entries() {
  std::vector<Entry> all;
  for (const char* name : {"wedges",
                           "four_paths",
                           "tailed_triangles",
                           "diamonds",
                           "four_cycles",
                           "five_stars",
                           "forks",
                           "five_paths",
                           "five_cycles",
                           "bulls",
                           "crickets",
                           "long_tailed_triangles",
                           "banners",
                           "houses",
                           "kites",
                           "butterflies",
                           "two_by_threes",
                           "two_by_threes_plus_edge",
                           "gems",
                           "four_clique_tails",
                           "four_wheels",
                           "five_cliques_minus_path",
                           "induced_four_motifs"})
    all.push_back({"stdlib/motif.mt", name});
  for (const char* name : {"four_motifs", "houses", "five_cycles"})
    all.push_back({"tests/tables/keyed_programs.mt", name});
  for (const char* file : {"bench/naive/house.mt", "bench/naive/five_cycle.mt", "examples/four_cycle.mt",
                           "examples/house.mt", "examples/tailed_triangle_induced.mt"})
    all.push_back({file, ""});
  return all;
}

TEST(ProgramPatterns, ProgramsThatCountPatternsAreRead) {
  Tally tally;
  for (const Entry& entry : entries()) {
    EXPECT_EQ(check(file_text(entry.file), entry.name, 1, tally), "") << entry.file << " " << entry.name;
  }
  for (const auto& [name, text] : differential::naive_programs()) EXPECT_EQ(check(text, "", 1, tally), "") << name;
  EXPECT_EQ(tally.read, tally.programs);
}

/// A sum over the walks s, a, b of which `a` is the first one that leads from s to b.
std::string of_first_middle(const std::string& condition, const std::string& value) {
  return "def main(g: Graph) -> int:\n"
         "    def at(s):\n"
         "        def first(a):\n"
         "            def second(b):\n"
         "                middle = intersect(neighbor(g, s), neighbor(g, b))\n"
         "                return " +
         value +
         "\n"
         "            is_first = lambda b: get(intersect(neighbor(g, s), neighbor(g, b)), 0) == a" +
         condition +
         "\n"
         "            return sum(apply(second, cond=is_first, neighbor(g, a)))\n"
         "        return sum(apply(first, neighbor(g, s)))\n"
         "    return sum(apply(at, vertices(g)))\n";
}

TEST(ProgramPatterns, FirstItemsAreDroppedWhereTheListHasAnother) {
  Tally tally;
  for (const char* value : {"size(middle)", "size(middle) * size(neighbor(g, b))",
                            "sum(apply(lambda c: size(middle) if c != s else 0, neighbor(g, b)))",
                            "sum(apply(lambda x: size(neighbor(g, x)), middle))"}) {
    for (const char* condition : {"", " and b != s"})
      EXPECT_EQ(check(of_first_middle(condition, value), "", 1, tally), "") << value << condition;
  }
  EXPECT_EQ(tally.read, 8);
  // The number of pairs with a common neighbour is no sum of patterns, nor one that reads the first of them.
  for (const char* value : {"1", "size(neighbor(g, b))", "size(middle) - 1", "size(middle) * size(neighbor(g, a))"})
    EXPECT_NE(check(of_first_middle("", value), "", 1, tally), "") << value;
  EXPECT_NE(check(of_first_middle(" and a < b", "size(middle)"), "", 1, tally), "");
  EXPECT_EQ(tally.read, 8);
}

TEST(ProgramPatterns, ProgramsCountPatternsOfArcs) {
  const std::string begin = "def main(g: Graph) -> int:\n    return sum(apply(lambda a: sum(apply(lambda b: ";
  const std::string end = ", neighbor(g, a))), vertices(g)))\n";
  Tally tally;
  for (const char* value :
       {"1", "size(neighbor(g, b))", "1 if has_edge(g, b, a) else 0", "0 if has_edge(g, b, a) else 1",
        "1 if a < b and has_edge(g, b, a) else 0", "size(intersect(neighbor(g, a), neighbor(g, b)))",
        "size(neighbor(g, a)) * size(neighbor(g, b))",
        "sum(apply(lambda c: 1 if has_edge(g, c, a) else 0, neighbor(g, b)))",
        "size(diff(neighbor(g, b), neighbor(g, a)))",
        "sum(apply(lambda c: 1, cond=lambda c: c != a and not has_edge(g, c, a), neighbor(g, b)))",
        "sum(apply(lambda c: 1 if has_edge(g, a, c) or has_edge(g, c, a) else 0, neighbor(g, b)))"}) {
    EXPECT_EQ(check(begin + value + end, "", 1, tally, Edges::Arcs), "") << value;
  }
  EXPECT_EQ(tally.read, tally.programs);
  EXPECT_NE(check(begin + "1 if a < b else 0" + end, "", 1, tally, Edges::Arcs), "");
}

TEST(ProgramPatterns, RandomProgramsOnArcsAreReadAsWhatTheyCount) {
  const std::uint64_t programs = wanted(unless_sanitized<std::uint64_t>(1000, 100));
  Tally tally;
  for (std::uint64_t seed = 1; seed <= programs && !::testing::Test::HasFailure(); ++seed)
    check(differential::random_pattern_program(seed), "", seed, tally, Edges::Arcs);
  std::printf("%d programs: %d without errors, %d are sums of patterns\n", tally.programs, tally.compiled, tally.read);
  if (programs >= 1000) {
    EXPECT_GE(tally.read, tally.programs / 50);
  }
}

TEST(ProgramPatterns, ChangedProgramsAreReadAsWhatTheyCount) {
  const std::uint64_t programs = wanted(unless_sanitized<std::uint64_t>(300, 60));
  const std::vector<Entry> all = entries();
  const auto naive = differential::naive_programs();
  Tally tally;
  for (std::uint64_t seed = 1; seed <= programs && !::testing::Test::HasFailure(); ++seed) {
    const std::size_t which = seed % (all.size() + naive.size());
    const bool is_file = which < all.size();
    const std::string text = is_file ? file_text(all[which].file) : naive[which - all.size()].text;
    const std::string entry = is_file ? all[which].name : "";
    check(differential::changed(text, entry, seed), entry, seed, tally);
  }
  std::printf("%d programs: %d without errors, %d are sums of patterns\n", tally.programs, tally.compiled, tally.read);
  if (programs >= 1000) {
    EXPECT_GE(tally.read, tally.programs / 10);
  }
}

TEST(ProgramPatterns, RandomProgramsAreReadAsWhatTheyCount) {
  const std::uint64_t programs = wanted(unless_sanitized<std::uint64_t>(1500, 200));
  Tally tally;
  std::map<std::string, int> reasons;
  for (std::uint64_t seed = 1; seed <= programs && !::testing::Test::HasFailure(); ++seed) {
    ++reasons[check(differential::random_pattern_program(seed), "", seed, tally)];
  }
  std::printf("%d programs: %d without errors, %d are sums of patterns\n", tally.programs, tally.compiled, tally.read);
  for (const auto& [why, times] : reasons) std::printf("%6d %s\n", times, why.empty() ? "read" : why.c_str());
  if (programs >= 1000) {
    EXPECT_GE(tally.read, tally.programs / 5);
  }
}

}  // namespace
}  // namespace matcha::session
