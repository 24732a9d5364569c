#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/device_text.h"
#include "codegen/cuda/frame_layout.h"
#include "codegen/cuda/graph_build.h"
#include "codegen/cuda/host_values.h"
#include "codegen/cuda/program.h"
#include "codegen/cuda/region_plan.h"
#include "codegen/cuda/sinks.h"
#include "engines/cliques/clique_text.h"
#include "engines/identities/motif_text.h"
#include "engines/search/match_text.h"
#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "incremental/delta_count_text.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/unit/codegen/cuda/cuda_text.h"

namespace matcha::codegen::gpu {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files(const char* folder, const char* extension) {
  std::vector<fs::path> result;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

constexpr int kArchs[] = {80, 90, 100, 120};

bool full() { return std::getenv("MATCHA_FULL") != nullptr; }

/// The architecture for a text: one after the other in turn, because NVRTC is slow, or all if `full`.
std::vector<int> archs(std::size_t turn) {
  if (full()) return {std::begin(kArchs), std::end(kArchs)};
  return {kArchs[turn % std::size(kArchs)]};
}

TEST_F(CudaText, ExamplesCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  constexpr std::uint32_t kWidths[] = {32, 1, 8, 16};
  std::size_t turn = 0;
  for (const fs::path& path : files("examples", ".mt")) {
    std::optional<ir::Module> module = program(read(path), kWidths[turn % std::size(kWidths)]);
    ASSERT_TRUE(module) << path;
    DeviceText text = emit_device_text(*module, Search::Plain, true);
    for (int arch : archs(turn)) EXPECT_EQ(compile(**nvrtc, text.text, arch), "") << path << ", sm_" << arch;
    ++turn;
  }
}

TEST_F(CudaText, TextsForRowsElsewhereCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  for (const auto& [path, width] : {std::pair("examples/house.mt", 32U), {"examples/wedge.mt", 1U}}) {
    std::optional<ir::Module> module = program(read(path), width);
    ASSERT_TRUE(module) << path;
    DeviceText text = emit_device_text(*module, Search::Plain, false, {}, true);
    EXPECT_EQ(compile(**nvrtc, text.text, kArchs[0]), "") << path;
  }
}

TEST_F(CudaText, TriangleCompilesForEveryArchitecture) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  std::optional<ir::Module> module = program(read("examples/triangle.mt"));
  ASSERT_TRUE(module);
  DeviceText text = emit_device_text(*module);
  for (int arch : kArchs) EXPECT_EQ(compile(**nvrtc, text.text, arch), "") << arch;
}

TEST_F(CudaText, KernelsThatBuildGraphsCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  for (int arch : kArchs) EXPECT_EQ(compile(**nvrtc, graph_build_text(), arch), "") << arch;
}

TEST_F(CudaText, KernelsThatCountDeltasCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  for (int arch : kArchs) EXPECT_EQ(compile(**nvrtc, session::stream::delta_count_text(), arch), "") << arch;
}

TEST_F(CudaText, KernelsThatMatchPatternsCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  for (int arch : kArchs) EXPECT_EQ(compile(**nvrtc, match_text(), arch), "") << arch;
}

TEST_F(CudaText, KernelsThatFindSumsOverWedgesCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  for (int arch : kArchs) EXPECT_EQ(compile(**nvrtc, motif_text(), arch), "") << arch;
}

TEST_F(CudaText, KernelsThatWalkPivotTreesCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  for (int arch : kArchs) {
    EXPECT_EQ(compile(**nvrtc, clique_text(), arch), "") << arch;
    for (const bool wide : {false, true}) EXPECT_EQ(compile(**nvrtc, clique_sum_text(wide), arch), "") << arch;
  }
}

/// A graph stays on the device when nothing else reads its rows and the host reads no more than its counts.
TEST_F(CudaText, GraphsOfRowsAreBuiltOnTheDevice) {
  struct Case {
    const char* text;
    std::size_t builds;
  };
  constexpr Case kCases[] = {
      {"D = mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(G)))\n"
       "    return sum(apply(lambda v: size(neighbor(D, v)), vertices(D)))\n",
       1},
      {"D = mk_graph(edges(G))\n"
       "    return sum(apply(lambda v: size(neighbor(D, v)), vertices(D)))\n",
       0},
      {"D = mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(G)),\n"
       "                 vlabel=apply(lambda v: mk_tuple(val=[v, v % 3]), vertices(G)))\n"
       "    return sum(apply(lambda v: vertex_label(D, v), vertices(D)))\n",
       1},
      {"L = apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(G))\n"
       "    D = mk_graph(L)\n"
       "    return sum(apply(lambda e: size(neighbor(D, get(e, 0))), L))\n",
       0},
      {"D = mk_graph(apply(lambda e: e, cond=lambda e: get(e, 0) < get(e, 1), edges(G)))\n"
       "    return sum(apply(lambda v: size(neighbor(D, v)), vertices(D))) + size(neighbor(D, get(vertices(D), 0)))\n",
       0}};
  for (const Case& c : kCases) {
    std::optional<ir::Module> module = program(std::string("def f(G: Graph) -> int:\n    ") + c.text);
    ASSERT_TRUE(module) << c.text;
    EXPECT_EQ(DeviceGraphs(host::Plan(*module)).builds.size(), c.builds) << c.text;
  }
}

/// A fifth of them, or all when `full`.
TEST_F(CudaText, KernelModulesCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  const std::size_t step = full() ? 1 : 5;
  std::size_t turn = 0;
  std::size_t number = 0;
  for (const fs::path& path : files("tests/unit/codegen/llvm/modules", ".mtir")) {
    std::optional<ir::Module> module = kernel_module(read(path));
    ASSERT_TRUE(module) << path;
    if (!check_device_program(*module, diagnostics_) || number++ % step != 0) continue;
    DeviceText text = emit_device_text(*module);
    for (int arch : archs(turn)) EXPECT_EQ(compile(**nvrtc, text.text, arch), "") << path << ", sm_" << arch;
    ++turn;
  }
}

TEST_F(CudaText, ProgramHoldsTheVeryTextOfTheDevice) {
  std::optional<ir::Module> module = program(read("examples/clique4.mt"));
  ASSERT_TRUE(module);
  std::optional<std::string> text = emit_program(*module, {}, diagnostics_);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(emit_device_text(*module).text), std::string::npos);
}

TEST_F(CudaText, ProgramPartReadsLikeTheProgram) {
  std::optional<ir::Module> module = program(
      "def wedges(G: Graph) -> int:\n"
      "    return sum(apply(lambda v: size(neighbor(G, v)), vertices(G)))\n",
      32);
  ASSERT_TRUE(module);
  std::string text = emit_device_text(*module).text;
  EXPECT_EQ(text.substr(text.find("struct Frame")), read("tests/unit/codegen/cuda/degrees.golden"));
}

TEST_F(CudaText, NamesKeepOffTheWordsOfTheEmitter) {
  std::optional<ir::Module> module = program(
      "def wedges(G: Graph) -> int:\n"
      "    return sum(apply(lambda at: sum(apply(lambda walk: at + walk, neighbor(G, at))), vertices(G)))\n",
      1);
  ASSERT_TRUE(module);
  std::string text = emit_device_text(*module).text;
  EXPECT_NE(text.find("const u32 at_0 = item<0>(walked0, at0);"), std::string::npos)
      << text.substr(text.find("struct Frame"));
  EXPECT_NE(text.find("const u32 walk_0 = "), std::string::npos);
}

/// Values with the names that the emitter uses itself: several counts of an item, pairs of positions, items that lanes
/// append to a list.
TEST_F(CudaText, NamesKeepOffTheWordsOfLanes) {
  const auto text_of = [&](const std::string& body) {
    std::optional<ir::Module> module = program("def f(G: Graph) -> int:\n" + body);
    EXPECT_TRUE(module) << body;
    return module ? emit_device_text(*module).text : "";
  };
  const std::string counts = text_of(
      "    def of(v, u):\n"
      "        count = size(intersect(neighbor(G, v), neighbor(G, u)))\n"
      "        hits = size(diff(apply(lambda x: x, cond=lambda x: x < v, neighbor(G, u)), neighbor(G, v)))\n"
      "        return count * hits + count + hits\n"
      "    return sum(apply(lambda v: sum(apply(lambda u: of(v, u), neighbor(G, v))), vertices(G)))\n");
  expect_lines(counts, {"const i64 count_0 = count;", "const i64 hits_0 = count1;"});
  const std::string pairs = text_of(
      "    def of(own, first):\n"
      "        return sum(apply(lambda pairs: own + first + pairs, neighbor(G, first)))\n"
      "    return sum(apply(lambda own: sum(apply(lambda first: of(own, first), neighbor(G, own))), vertices(G)))\n");
  expect_lines(pairs, {"w.walk_pairs(", "own_0", "first_0", "pairs_0"});
  const std::string lists = text_of(
      "    def of(item2):\n"
      "        near = apply(lambda u: u, cond=lambda u: size(neighbor(G, u)) + item2 > 3, neighbor(G, item2))\n"
      "        return sum(apply(lambda passes: size(intersect(near, neighbor(G, passes))) + passes, near))\n"
      "    return sum(apply(of, vertices(G)))\n");
  expect_lines(lists, {"u32 item2_0{};", "const u32 item2_v0 = item<0>(", "const u32 passes_0 = item<0>("});
}

TEST_F(CudaText, ScheduleOfAnotherTargetIsRefused) {
  const std::string text =
      "module kernel \"m\" (%g: graph) {\n"
      "  region (parallel, split=1, group=1) {\n"
      "    collect %sum: sum i128 {\n"
      "      for %v in vertices(%g) {\n"
      "        yield %sum, size(neighbors(%g, %v))\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "  return %sum\n"
      "}\n";
  std::optional<ir::Module> module = ir::parse(context_, sources_.add("test.mtir", text), diagnostics_);
  ASSERT_TRUE(module);
  EXPECT_FALSE(check_device_program(*module, diagnostics_));
  ASSERT_EQ(diagnostics_.all().size(), 1U);
  EXPECT_EQ(diagnostics_.all()[0].id, DiagId::TargetLimit);
  EXPECT_EQ(diagnostics_.all()[0].loc.line, 2U);
}

/// Otherwise the compiler of the device's text would be the first to report it.
TEST_F(CudaText, ValuesBeyondTheParametersOfAKernelAreRefused) {
  const auto is_taken = [&](std::size_t ints) {
    std::string text = "module kernel \"m\" (%p0: i64";
    for (std::size_t i = 1; i < ints; ++i) text += fmt::format(", %p{}: i64", i);
    text += ") {\n  return %p0\n}\n";
    std::optional<ir::Module> module = ir::parse(context_, sources_.add("test.mtir", text), diagnostics_);
    return module && check_device_program(*module, diagnostics_);
  };
  const std::size_t most = (32'764 - sizeof(matcha_program::Launch)) / 8;
  EXPECT_TRUE(is_taken(most));
  EXPECT_TRUE(diagnostics_.all().empty());
  EXPECT_FALSE(is_taken(most + 1));
  ASSERT_EQ(diagnostics_.all().size(), 1U);
  EXPECT_EQ(diagnostics_.all()[0].id, DiagId::TargetLimit);
  EXPECT_EQ(diagnostics_.all()[0].loc.line, 2U);
}

/// Nothing is known about a parameter.
TEST_F(CudaText, AListIsCutBesideAParameter) {
  std::optional<ir::Module> module = kernel_module(
      "module kernel \"m\" (%g: graph, %s: list<vid>) {\n"
      "  region (parallel, split=1, group=1) {\n"
      "    collect %sum: sum i128 {\n"
      "      for %v in vertices(%g) {\n"
      "        yield %sum, size(intersect(%s, below(neighbors(%g, %v), %v)))\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "  return %sum\n"
      "}\n");
  ASSERT_TRUE(module);
  EXPECT_NE(emit_device_text(*module).text.find("below(neighbors(f.g0, v0), v0)"), std::string::npos);
}

/// All items of `slice0` are below v0, so the other list may stay whole if the search for the cut saves nothing.
TEST_F(CudaText, AListIsCutOnlyWhereTheOtherOneDoesNotDoIt) {
  std::optional<ir::Module> module = kernel_module(
      "module kernel \"m\" (%G: graph) assumes simple(%G) {\n"
      "  region (parallel, split=2, group=1) {\n"
      "    collect %sum: sum i128 {\n"
      "      for %v0 in vertices(%G) {\n"
      "        let %below = lower_neighbors(%G, %v0)\n"
      "        for %v1 at %i in %below {\n"
      "          let %slice = below(neighbors(%G, %v1), %v0)\n"
      "          for %v3 in span(%below, 0, %i) {\n"
      "            yield %sum, size(intersect(%slice, below(neighbors(%G, %v3), %v0)))\n"
      "          }\n"
      "        }\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "  return %sum\n"
      "}\n");
  ASSERT_TRUE(module);
  const std::string text = emit_device_text(*module).text;
  EXPECT_NE(text.find("= sides(slice0, cut_beside(slice0, neighbors(f.G0, "), std::string::npos);
  module = program(
      "def m(G: Graph) -> int:\n"
      "    def of(u, v):\n"
      "        near = apply(lambda w: w, cond=lambda w: w < v, neighbor(G, u))\n"
      "        far = apply(lambda w: w, cond=lambda w: w < u, neighbor(G, v))\n"
      "        return size(intersect(near, far))\n"
      "    return sum(apply(lambda u: sum(apply(lambda v: of(u, v), neighbor(G, u))), vertices(G)))\n");
  ASSERT_TRUE(module);
  const std::string apart = emit_device_text(*module).text;
  EXPECT_NE(apart.find("= sides("), std::string::npos);
  EXPECT_EQ(apart.find("cut_beside(slice"), std::string::npos);
}

TEST_F(CudaText, FramePlacesFollowTheRulesOfCpp) {
  std::optional<ir::Module> module = kernel_module(
      "module kernel \"m\" (%a: bool, %b: i64, %G: graph, %l: list<vid, i64>, %c: bool) {\n"
      "  let %d = (%b + 1)\n"
      "  let %w = convert<i128>(%b)\n"
      "  return %w\n"
      "}\n");
  ASSERT_TRUE(module);
  FrameLayout layout(*module);
  std::vector<std::uint64_t> offsets;
  for (const FrameField& field : layout.fields) offsets.push_back(field.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 8, 16, 144, 176, 184, 192}));
  EXPECT_EQ(layout.bytes, 208u);
}

/// A kernel text with every kind of stealing and stacks, in turn, must serve all widths.
TEST_F(CudaText, SchedulesCompile) {
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc = runtime::cuda::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
  struct Case {
    const char* program;
    std::uint32_t group;
    ir::Stealing steal;
    ir::Stack stack;
    Search search = Search::Plain;
  };
  constexpr Case kCases[] = {{"examples/clique5.mt", 32, ir::Stealing::Half, ir::Stack::Paged},
                             {"examples/house.mt", 1, ir::Stealing::Half, ir::Stack::Array},
                             {"examples/house.mt", 8, ir::Stealing::None, ir::Stack::Paged},
                             {"examples/four_cycle.mt", 16, ir::Stealing::Timeout, ir::Stack::Paged},
                             {"examples/clique4.mt", 32, ir::Stealing::Timeout, ir::Stack::Array, Search::Cached},
                             {"examples/house.mt", 8, ir::Stealing::Timeout, ir::Stack::Paged, Search::Merging},
                             {"examples/clique5.mt", 8, ir::Stealing::Kernel, ir::Stack::Array},
                             {"examples/house.mt", 32, ir::Stealing::Kernel, ir::Stack::Paged}};
  for (const Case& c : kCases) {
    passes::TargetInfo target = passes::gpu_target(c.group);
    target.steal = c.steal;
    target.stack = c.stack;
    std::optional<ir::Module> module = program(read(c.program), target);
    ASSERT_TRUE(module);
    DeviceText text = emit_device_text(*module, c.search);
    EXPECT_EQ(compile(**nvrtc, text.text, 90, starts_kernels(*module)), "") << c.program;
  }
}

/// Each of the lists has 1,000 items: 4,000 bytes as an array, one page; 3 x 8,000 bytes, three pages.
const std::vector<BufferSpec> kTwoLists = {{"a", 1000, 4}, {"b", 1000, 24}};

TEST(RegionPlan, ArraysGetFewerGroupsWhenTheyDoNotFit) {
  RegionPlan plan = plan_lists(kTwoLists, 8, ir::Stack::Array, {1 << 20, 0}, {});
  EXPECT_EQ(plan.workers, 8u);
  EXPECT_EQ(plan.note, "");
  EXPECT_EQ(plan.scratch_bytes, 4032u + 24000u);
  EXPECT_EQ(plan.buffers[1].offset, 4032u);
  EXPECT_EQ(plan.bytes(0), 8 * plan.scratch_bytes);
  plan = plan_lists(kTwoLists, 8, ir::Stack::Array, {3 * plan.scratch_bytes, 0}, {});
  EXPECT_EQ(plan.workers, 3u);
  EXPECT_EQ(plan.note, "3 of 8 groups of threads work, because each needs 28032 bytes for its lists");
  EXPECT_FALSE(needs_pages(kTwoLists, 8, {2 * plan.scratch_bytes, 0}));
  EXPECT_FALSE(needs_pages(kTwoLists, 8, {plan.scratch_bytes, 0})) << "four pages take more than the arrays";
  const std::vector<BufferSpec> large = {{"a", 1'000'000, 4}};
  EXPECT_FALSE(needs_pages(large, 8, {2 * 4'000'000, 0}));
  EXPECT_TRUE(needs_pages(large, 8, {2 * 4'000'000 - 1, 0}));
  EXPECT_THROW(plan_lists(kTwoLists, 8, ir::Stack::Array, {28031, 0}, {}), host::Trap);
}

TEST(RegionPlan, PagesFillTheMemoryBesideTables) {
  RegionPlan plan = plan_lists(kTwoLists, 8, ir::Stack::Paged, {1 << 20, 0}, {});
  EXPECT_EQ(plan.workers, 8u);
  EXPECT_EQ(plan.scratch_bytes, 128u) << "a line of tables for each list";
  EXPECT_EQ(plan.pages, 32u) << "no more than all groups could use";
  EXPECT_EQ(plan.bytes(5), 8 * 128u + 5 * 8192u);
  EXPECT_EQ(plan.bytes(500), 8 * 128u + 32 * 8192u);
  plan = plan_lists(kTwoLists, 8, ir::Stack::Paged, {1 << 20, 9 * 8192}, {});
  EXPECT_EQ(plan.workers, 2u) << "a page a table at least";
  EXPECT_EQ(plan.pages, 8u);
  EXPECT_NE(plan.note.find("2 of 8 groups"), std::string::npos);
  const std::vector<BufferSpec> long_list = {{"l", 1'000'000'000'000, 4}};
  plan = plan_lists(long_list, 4, ir::Stack::Paged, {std::uint64_t{20} << 30, 0}, {});
  EXPECT_EQ(plan.workers, 4u) << "4 TB of items, but tables of 3.9 GB";
  EXPECT_EQ(plan.pages, ((std::uint64_t{20} << 30) - 4 * plan.scratch_bytes) / 8192);
  EXPECT_THROW(plan_lists(kTwoLists, 8, ir::Stack::Paged, {4 * 8192, 0}, {}), host::Trap);
  EXPECT_THROW(plan_lists(kTwoLists, 8, ir::Stack::Paged, {1 << 20, 3 * 8192}, {}), host::Trap);
}

TEST(RegionPlan, BitsAreArraysBesidePages) {
  const std::vector<BufferSpec> buffers = {{"rows", 1000, 8, true}, {"a", 1000, 4}};
  RegionPlan plan = plan_lists(buffers, 8, ir::Stack::Paged, {1 << 20, 0}, {});
  EXPECT_EQ(plan.scratch_bytes, 8000u + 64u);
  EXPECT_EQ(plan.buffers[1].offset, 8000u);
  EXPECT_EQ(plan.pages, 8u);
  const std::vector<BufferSpec> bits = {{"rows", 1000, 8, true}};
  EXPECT_EQ(plan_lists(bits, 8, ir::Stack::Paged, {3 * 8000, 8192}, {}).workers, 3u);
}

TEST_F(CudaText, RowsComeInOrderOfTheirPlaces) {
  const ir::Type* type = context_.list(context_.i64());
  const ir::Var var{{{ir::Kind::Var, {}}, type, {}}, 0, "l"};
  const ir::Sink sink{&var, ir::SinkKind::List, nullptr};
  const std::uint64_t bits = matcha_program::place_bits(3);
  const auto place = [&](std::uint64_t at0, std::uint64_t inside) { return at0 << bits | inside; };
  host::List rows = ordered_rows(
      sink, {place(2, 5), place(0, 0), place(2, 5), place(2, 1), place(1, 9), place(2, 0), 25, 0, 26, 21, 19, 20}, 6,
      3);
  const std::int64_t* items = static_cast<const std::int64_t*>(rows.columns[0]);
  EXPECT_EQ(std::vector<std::int64_t>(items, items + rows.size), (std::vector<std::int64_t>{0, 19, 20, 21, 25, 26}));
}

TEST_F(CudaText, PlacesHaveRoomForAllPositions) {
  for (std::uint64_t positions : {1ULL, 2ULL, 3ULL, 1ULL << 20, (1ULL << 20) + 1, 1ULL << 40, ~0ULL}) {
    const std::uint64_t bits = matcha_program::place_bits(positions);
    EXPECT_EQ((positions - 1) << bits >> bits, positions - 1) << positions;
    EXPECT_LT(bits, 64u);
  }
  EXPECT_EQ(matcha_program::place_bits(1), 63u);
  EXPECT_EQ(matcha_program::place_bits(1ULL << 32), 31u);
}

}  // namespace
}  // namespace matcha::codegen::gpu
