// The parts of a device's text that each lane of a group executes by itself.
#include <fmt/format.h>

#include "tests/unit/codegen/cuda/cuda_text.h"

namespace matcha::codegen::gpu {
namespace {

TEST_F(CudaText, LanesTakeArcsAndCountTogether) {
  std::optional<ir::Module> module = program(read("examples/triangle.mt"));
  ASSERT_TRUE(module);
  std::string text = emit_device_text(*module).text;
  expect_lines(text, {
                         "for (auto from_arc = walk0.begin; from_arc < walk0.end; from_arc += w.lanes()) {",
                         "const u64 at1 = place_of_arc(f.G0, arc, lower0);",
                         "counted = sides(span(lower0, 0ll, i0), lower_neighbors(f.G0, v0));",
                         "sum0_share += w.share_flat(task, 0, 0, 0, from_arc, counted);",
                     });
}

/// The code behind a count follows the lanes' own values, and binds the ones it reads again.
TEST_F(CudaText, LanesRebindValuesBehindTheCount) {
  constexpr std::string_view kCount = "size(intersect(neighbor(G, v), neighbor(G, u)))";
  const std::string arcs = fmt::format(
      "def f(G: Graph) -> int:\n"
      "    return sum(apply(lambda v: sum(apply(lambda u: {} * (size(neighbor(G, u)) - size(neighbor(G, v))), "
      "neighbor(G, v))),\n"
      "                     vertices(G)))\n",
      kCount);
  const std::string nested = fmt::format(
      "def f(G: Graph) -> int:\n"
      "    def of(v):\n"
      "        first = sum(apply(lambda u: {} * u, neighbor(G, v)))\n"
      "        return first * first\n"
      "    return sum(apply(of, vertices(G)))\n",
      kCount);
  const auto behind_count = [&](const std::string& text) {
    std::optional<ir::Module> module = program(text);
    EXPECT_TRUE(module) << text;
    const std::string made = module ? emit_device_text(*module).text : "";
    const std::size_t count = made.find("w.count_flat(");
    EXPECT_NE(count, std::string::npos) << text;
    return count != std::string::npos ? made.substr(count) : "";
  };
  expect_lines(behind_count(arcs),
               {"const u32 v0 = f.G0.sources[arc];", "const u32 u0 = item<0>(", "w.multiply(count, "});
  expect_lines(behind_count(nested), {"const u32 u0 = item<0>("});
}

/// Counts of one item are made one after the other; those that another worker has taken over are left out of all.
TEST_F(CudaText, LanesMakeSeveralCounts) {
  std::optional<ir::Module> module = program(
      "def f(G: Graph) -> int:\n"
      "    def of(v, u):\n"
      "        a = size(intersect(neighbor(G, v), neighbor(G, u)))\n"
      "        b = size(diff(apply(lambda x: x, cond=lambda x: x < v, neighbor(G, u)), neighbor(G, v)))\n"
      "        return a * b + a\n"
      "    return sum(apply(lambda v: sum(apply(lambda u: of(v, u), neighbor(G, v))), vertices(G)))\n");
  ASSERT_TRUE(module);
  expect_lines(emit_device_text(*module).text,
               {"counted1 = sides(", "const i64 hits1 = w.count_flat(", "if (!counted.there) counted1 = {};",
                "const i64 count1 = i64(counted1.whole) - hits1;"});
}

/// While lists are counted another group may take an item over, with all that it adds.
TEST_F(CudaText, LanesAddNothingBeforeTheyHaveCounted) {
  std::optional<ir::Module> module = program(
      "def f(G: Graph) -> int:\n"
      "    a = sum(apply(lambda v: sum(apply(lambda u: size(neighbor(G, u)) * 3, neighbor(G, v))), vertices(G)))\n"
      "    b = sum(apply(lambda v: sum(apply(lambda u: size(intersect(neighbor(G, v), neighbor(G, u))), neighbor(G, "
      "v))),\n"
      "                  vertices(G)))\n"
      "    return a + b\n");
  ASSERT_TRUE(module);
  const std::string text = emit_device_text(*module).text;
  const std::size_t counted = text.find("w.count_flat(task, ");
  const std::size_t added = text.find("t.a0_lanes += i64(");
  ASSERT_NE(counted, std::string::npos);
  ASSERT_NE(added, std::string::npos);
  EXPECT_LT(counted, added);
}

TEST_F(CudaText, LanesWalkPairsOfPositions) {
  std::optional<ir::Module> module = program(read("examples/clique5.mt"));
  ASSERT_TRUE(module);
  std::string text = emit_device_text(*module).text;
  expect_lines(
      text,
      {
          "const auto rows0 = w.bit_rows(f.D0, all0, w.buffer<u64>(0), w.shared_rows(task, at0, u64(all0.size)));",
          "own3 = u32(count_bits(bit_row(rows0, p0)));",
          "auto pairs3 = w.walk_pairs(own3);",
          "const i64 p1 = nth_position(bit_row(rows0, p0), pairs3.rank);",
          "const auto fourth0 = keep_bits(common_bits(bit_row(rows0, p0), bit_row(rows0, p1)), fourth0_words);",
          "for (auto bits4 = w.walk_own(fourth0, pairs3.lanes); bits4.next();) {",
          "sum0_part4 += count_bits(common_bits(fourth0, bit_row(rows0, p2)));",
          "sum0_share += sum0_part4;",
      });
  // A single lane walks and counts as a group, and stores repeatedly read lists where lists are stored.
  module = program(read("examples/clique5.mt"), 1);
  ASSERT_TRUE(module);
  text = emit_device_text(*module).text;
  EXPECT_NE(text.find("for (auto bits4 = walk_bits_from(walked3, walk2.begin); bits4.next()"), std::string::npos);
  EXPECT_NE(text.find("const auto fourth0 = w.store_bits("), std::string::npos);
}

TEST_F(CudaText, LanesWalkPairsOfNeighbours) {
  const std::string kPaths =
      "def paths(G: Graph) -> int:\n"
      "    def third(v, u):\n"
      "        return sum(apply(lambda w: size(neighbor(G, w)), cond=lambda w: w != v, neighbor(G, u)))\n"
      "    def second(v):\n"
      "        return sum(apply(lambda u: third(v, u), cond=lambda u: u > v, neighbor(G, v)))\n"
      "    return sum(apply(second, vertices(G)))\n";
  std::optional<ir::Module> module = program(kPaths);
  ASSERT_TRUE(module);
  std::string text = emit_device_text(*module).text;
  expect_lines(text, {
                         "if (w.leave_lanes(task, 1, walk1, at0, 0, from_at1)) break;",
                         "own2 = u32(walked3.size);",
                         "auto pairs2 = w.walk_pairs(own2);",
                         "const u32 w0 = item<0>(walked4, pairs2.rank);",
                         "from_at1 += pairs2.taken;",
                     });
}

/// Arcs that a label mostly skips, with one loop without set operations for the others.
TEST_F(CudaText, ArcsAreLightWhereALabelLeavesMostOfThem) {
  const auto light = [&](const std::string& cond, const std::string& of_common, bool all_labelled = false) {
    std::optional<ir::Module> module = program(
        "def second(G: Graph, u: int, v: int) -> int:\n"
        "    common = intersect(neighbor(G, u), neighbor(G, v))\n"
        "    return sum(apply(lambda w: " +
            of_common +
            ", common))\n"
            "def kinds(G: Graph) -> int:\n"
            "    first = lambda u: sum(apply(lambda v: second(G, u, v), cond=lambda v: " +
            cond +
            ", neighbor(G, u)))\n"
            "    return sum(apply(first, vertices(G)))\n",
        passes::gpu_target(), all_labelled);
    return module && emit_device_text(*module).regions.at(0).light_arcs;
  };
  EXPECT_TRUE(light("vertex_label(G, v) == 1", "w * w"));
  EXPECT_TRUE(light("vertex_label(G, v) == 1", "w * w", true));
  EXPECT_FALSE(light("vertex_label(G, v) == 1", "sum(neighbor(G, w))"));
  EXPECT_FALSE(light("vertex_label(G, v) == 1", "size(intersect(common, neighbor(G, w)))"));
  EXPECT_FALSE(light("vertex_label(G, u) == 1", "w * w"));
  EXPECT_FALSE(light("u < v", "w * w"));
}

/// One that looked something up for its item keeps it for those that have pairs with the item.
TEST_F(CudaText, LanesAskTheOneThatLookedUp) {
  std::optional<ir::Module> module = program(
      "def paths(G: Graph) -> int:\n"
      "    def third(v, u):\n"
      "        near = has_edge(G, v, u)\n"
      "        return sum(apply(lambda w: near and has_edge(G, w, v), neighbor(G, u)))\n"
      "    def second(v):\n"
      "        return sum(apply(lambda u: third(v, u), cond=lambda u: u > v, vertices(G)))\n"
      "    return sum(apply(second, vertices(G)))\n");
  ASSERT_TRUE(module);
  expect_lines(emit_device_text(*module).text,
               {"bool kept2_0{};", "kept2_0 = fixed0;", "while (pairs2.next()) {  // line 4",
                "const auto fixed0 = pairs2.of_owner(kept2_0);", "if (!pairs2.there) continue;"});
}

TEST_F(CudaText, LanesTakeItemsUnderSeveralConditions) {
  std::optional<ir::Module> module = program(
      "def kinds(G: Graph) -> int:\n"
      "    def second(u, v):\n"
      "        common = intersect(neighbor(G, u), neighbor(G, v))\n"
      "        small = size(apply(lambda w: w, cond=lambda w: vertex_label(G, w) == 1, common))\n"
      "        return small * size(apply(lambda w: w, cond=lambda w: vertex_label(G, w) == 2, common))\n"
      "    def first(u):\n"
      "        return sum(apply(lambda v: second(u, v), neighbor(G, u)))\n"
      "    return sum(apply(first, vertices(G)))\n");
  ASSERT_TRUE(module);
  expect_lines(emit_device_text(*module).text,
               {
                   "for (auto [from_step2, end] = all_of(set0.size); from_step2 < end; from_step2 += w.kLanes) {",
                   "list_size0_lanes += 1ll;",
                   "list_size1_lanes += 1ll;",
                   "list_size0_ += w.gather(list_size0_lanes);",
                   "list_size1_ += w.gather(list_size1_lanes);",
                   "t.sum0_ += w.multiply(list_size0, list_size1, 5, 16);",
               });
}

/// A count by the whole group would wait for lanes without a position, or count for the wrong position.
TEST_F(CudaText, LanesOfAFlatLoopCountTheirOwnBits) {
  std::optional<ir::Module> module = kernel_module(
      with_rows("if (2 <= size(bit_row(%rows, %p))) { yield %sum, size(below(bit_row(%rows, %p), %p)) }\n"));
  ASSERT_TRUE(module) << render_text(diagnostics_, false);
  std::string text = emit_device_text(*module).text;
  expect_lines(text, {"for (auto from_at1 = ", "if (2ll <= count_bits(bit_row(rows0, p0))) {",
                      "+= count_bits(bits_below(bit_row(rows0, p0), p0));"});
}

}  // namespace
}  // namespace matcha::codegen::gpu
