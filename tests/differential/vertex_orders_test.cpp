#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/analysis/vertex_order.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "tests/unit/sanitized.h"

/// Random nests of loops on graphs whose vertices are in several orders: modules that `ir::vertex_order` calls free
/// have the same results on all of them.
namespace matcha::differential {
namespace {

class RandomNest {
 public:
  explicit RandomNest(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    const std::size_t loops = 2 + pick(3);
    const bool inside = pick(5) == 0;
    std::string body;
    for (std::size_t i = 0; i < loops; ++i) {
      body += fmt::format("for %v{} in {} {{ if {} {{\n", i, i == 0 ? "vertices(%G)" : set(), condition(i));
      ++known_;
      if (i == 0 && inside) body += "collect %t: sum i64 {\n";
    }
    body += inside ? "yield %t, 1\n" : fmt::format("yield %n, {}\n", value());
    for (std::size_t i = 1; i < loops; ++i) body += "} }";
    if (inside) body += "}\nyield %n, (%t * %t)\n";
    body += "} }";
    return fmt::format(
        "module loop \"nest\" (%G: graph) assumes simple(%G), labelled(%G) {{\ncollect %n: sum i128 {{\n{}\n}}\nreturn "
        "%n\n}}\n",
        body);
  }

 private:
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  std::string any() { return fmt::format("%v{}", pick(known_)); }
  std::string near() { return fmt::format("neighbors(%G, {})", any()); }

  std::string set() {
    switch (pick(8)) {
      case 0: return "vertices(%G)";
      case 1: return fmt::format("diff({}, {})", near(), near());
      case 2: return fmt::format("diff({}, list<list<vid>>({}))", near(), any());
      case 3: return fmt::format("diff(intersect({}, {}), {})", near(), near(), near());
      case 4:
      case 5: return fmt::format("intersect({}, {})", near(), near());
      default: return near();
    }
  }

  /// On the item `last` and those before it.
  std::string condition(std::size_t last) {
    const std::string item = fmt::format("%v{}", last);
    if (last == 0 || pick(8) == 0) {
      return pick(4) != 0 ? "true" : fmt::format("(label(%G, {}) == {})", item, pick(2));
    }
    const std::string other = any();
    switch (pick(10)) {
      case 0: return fmt::format("({} <= {})", item, other);
      case 1: return fmt::format("({} != {})", item, other);
      case 2: return fmt::format("(({} < {}) or ({} == {}))", other, item, item, any());
      case 3: return fmt::format("(({} < {}) and ({} < {}))", item, other, any(), item);
      case 4: return fmt::format("has_edge(%G, {}, {})", item, other);
      case 5: return fmt::format("(({} < {}) and ({} <= size(neighbors(%G, {}))))", item, other, 1 + pick(4), item);
      case 6: return fmt::format("({} < {})", other, item);
      default: return fmt::format("({} < {})", item, other);
    }
  }

  std::string value() {
    switch (pick(6)) {
      case 0: return fmt::format("size({})", set());
      case 1: return fmt::format("(size({}) * size({}))", set(), set());
      case 2: {
        const std::string n = fmt::format("size({})", set());
        return fmt::format("(({} * ({} - 1)) / 2)", n, n);
      }
      case 3: return fmt::format("(size({}) * label(%G, {}))", near(), any());
      default: return "1";
    }
  }

  std::mt19937_64 random_;
  std::size_t known_ = 0;
};

/// A random graph of a few vertices, each with a label.
struct RandomGraph {
  explicit RandomGraph(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    size = 5 + random() % 3;
    const std::uint64_t density = 2 + random() % 6;
    adjacent.assign(size, std::vector<bool>(size, false));
    for (std::size_t u = 0; u < size; ++u) {
      labels.push_back(static_cast<std::int64_t>(random() % 2));
      for (std::size_t v = 0; v < u; ++v) adjacent[u][v] = adjacent[v][u] = random() % 10 < density;
    }
  }

  /// The graph whose vertex `order[i]` has rank i.
  runtime::Graph in_order(const std::vector<std::size_t>& order) const {
    runtime::GraphArrays arrays;
    std::vector<std::uint32_t> neighbors;
    arrays.offsets = runtime::Buffer<std::uint64_t>(size + 1);
    arrays.labels = runtime::Buffer<std::int64_t>(size);
    for (std::size_t i = 0; i < size; ++i) {
      arrays.offsets[i] = neighbors.size();
      arrays.labels[i] = labels[order[i]];
      for (std::size_t j = 0; j < size; ++j) {
        if (adjacent[order[i]][order[j]]) neighbors.push_back(static_cast<std::uint32_t>(j));
      }
    }
    arrays.offsets[size] = neighbors.size();
    arrays.neighbors = runtime::Buffer<std::uint32_t>(neighbors.size());
    std::copy(neighbors.begin(), neighbors.end(), arrays.neighbors.begin());
    return runtime::Graph::from_arrays(std::make_shared<const runtime::Universe>(runtime::Universe::identity(size)),
                                       std::move(arrays), runtime::GraphFacts{});
  }

  std::size_t size = 0;
  std::vector<std::vector<bool>> adjacent;
  std::vector<std::int64_t> labels;
};

/// The result of a module on a graph, as text.
std::string result_of(codegen::Executable& program, runtime::Graph graph) {
  const std::vector<codegen::Argument> arguments = {&graph};
  codegen::RunOptions options;
  const codegen::RunOutcome ended = program.run(arguments, graph.universe(), options);
  if (const codegen::RunError* error = std::get_if<codegen::RunError>(&ended)) return error->error.message;
  const codegen::ResultValue& value = std::get<codegen::RunResult>(ended).values[0];
  return std::to_string(static_cast<std::int64_t>(std::get<__int128>(value)));
}

constexpr std::uint64_t kPrograms = unless_sanitized<std::uint64_t>(2000, 500);

TEST(VertexOrders, FreeProgramsGiveTheSameInEveryOrder) {
  const char* wanted = std::getenv("MATCHA_PROGRAMS");
  const std::uint64_t programs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kPrograms;
  std::uint64_t free_and_used = 0, seen_to_differ = 0, not_free = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    ir::Context context;
    const std::string text = RandomNest(seed).text();
    const std::optional<ir::Module> module = ir::parse(context, sources.add("nest.mtir", text), diagnostics);
    ASSERT_TRUE(module) << render_text(diagnostics, false) << text;
    const passes::PipelineResult nests = passes::run_pipeline(*module, *passes::parse_pipeline("nests", diagnostics),
                                                              context, passes::TargetInfo{}, {}, {}, diagnostics);
    ASSERT_TRUE(nests.ok);
    const ir::VertexOrder order = ir::vertex_order(nests.module);
    const std::unique_ptr<codegen::Executable> program = codegen::make_interpreter()->load(*module, diagnostics);
    bool differs = false;
    for (std::uint64_t world = 0; world < 2; ++world) {
      const RandomGraph graph(2 * seed + world);
      std::vector<std::size_t> ranks(graph.size);
      std::iota(ranks.begin(), ranks.end(), std::size_t{0});
      const std::string first = result_of(*program, graph.in_order(ranks));
      std::mt19937_64 random(seed);
      for (int tries = 0; tries < 4; ++tries) {
        std::shuffle(ranks.begin(), ranks.end(), random);
        const std::string other = result_of(*program, graph.in_order(ranks));
        differs = differs || other != first;
        ASSERT_TRUE(!order.is_free || other == first) << "seed " << seed << ": " << first << " and " << other << "\n"
                                                      << text << ir::print(nests.module);
      }
    }
    free_and_used += order.is_free && order.is_used;
    not_free += !order.is_free;
    seen_to_differ += differs;
  }
  std::printf("%llu programs: %llu free with an order, %llu not free, of which %llu differ\n",
              static_cast<unsigned long long>(programs), static_cast<unsigned long long>(free_and_used),
              static_cast<unsigned long long>(not_free), static_cast<unsigned long long>(seen_to_differ));
  if (programs >= 500) {
    EXPECT_GE(free_and_used, programs / 50);
    EXPECT_GE(seen_to_differ, programs / 10);
  }
}

}  // namespace
}  // namespace matcha::differential
