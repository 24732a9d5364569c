#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engines/messages/counter.h"
#include "engines/messages/lister.h"

/// Maps of patterns of arcs against all maps into small graphs.
namespace matcha::runtime::messages {
namespace {

using Arcs = std::set<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>>;

Graph graph_of(std::uint32_t universe, const Arcs& arcs) {
  std::vector<std::uint32_t> sources, targets;
  std::vector<std::int64_t> labels;
  for (const auto& [source, target, label] : arcs) {
    sources.push_back(source);
    targets.push_back(target);
    labels.push_back(label);
  }
  BuildInput input;
  input.universe = std::make_shared<const Universe>(Universe::identity(universe));
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = sources.size();
  input.edge_info = labels.data();
  input.info_kind = InfoKind::Int;
  input.index = IndexKind::Csr;
  return std::move(*build_graph(input));
}

MapQuery::Arc arc(int from, int to, std::int64_t label) { return {from, to, {label}, false}; }

MapQuery query_of(int size, std::vector<MapQuery::Arc> arcs) {
  MapQuery query;
  query.size = size;
  query.arcs = std::move(arcs);
  query.labels.resize(static_cast<std::size_t>(size));
  query.images.resize(static_cast<std::size_t>(size));
  return query;
}

/// The image of each vertex.
using Map = std::vector<std::uint32_t>;

/// Number of ways in which edges match the query's arcs, for these images.
std::uint64_t ways_of(const Arcs& arcs, const MapQuery& query, const Map& image) {
  std::uint64_t sum = 0;
  const auto choices = [&](int number) {
    return std::ranges::any_of(query.arcs, [&](const MapQuery::Arc& one) { return one.shared == number; }) ? 3 : 1;
  };
  for (std::int64_t both = 0; both < choices(1) * choices(2); ++both) {
    const std::array<std::int64_t, 2> shared = {both % choices(1), both / choices(1)};
    std::uint64_t ways = 1;
    for (const MapQuery::Arc& asked : query.arcs) {
      const std::uint32_t from = image[static_cast<std::size_t>(asked.from)];
      const std::uint32_t to = image[static_cast<std::size_t>(asked.to)];
      std::uint64_t edges = 0;
      for (std::int64_t label = 0; label < 3; ++label) {
        const bool any = asked.labels.empty() && asked.shared == 0;
        const bool is_that = asked.shared != 0 && shared[static_cast<std::size_t>(asked.shared - 1)] == label;
        const bool fits = any || is_that || std::ranges::count(asked.labels, label) != 0;
        edges += fits && arcs.count({from, to, label}) != 0 ? 1 : 0;
      }
      ways *= edges;
    }
    sum += ways;
  }
  return sum;
}

/// A map is there once for each of its ways.
std::vector<Map> all_maps(std::uint32_t universe, const Arcs& arcs, const MapQuery& query) {
  Map image(static_cast<std::size_t>(query.size), 0);
  std::vector<Map> found;
  while (true) {
    const std::uint64_t ways = ways_of(arcs, query, image);
    for (std::uint64_t way = 0; way < ways; ++way) found.push_back(image);
    std::size_t at = 0;
    while (at < image.size() && ++image[at] == universe) image[at++] = 0;
    if (at == image.size()) break;
  }
  std::ranges::sort(found);
  return found;
}

/// The rows of `list_maps`, in ascending order.
std::vector<Map> listed(const Graph& graph, const MapQuery& query, const MapPlan& plan, const MapRequest& run,
                        std::optional<std::uint64_t> most = {}) {
  std::vector<Map> maps;
  ListRequest request{run, most, {}};
  request.take = [&](const MapBlock& block) {
    for (std::uint64_t row = 0; row < block.count; ++row) {
      Map& map = maps.emplace_back();
      for (int v = 0; v < query.size; ++v) map.push_back(block.vertices[v][row]);
      for (std::size_t arc = 0; arc < query.arcs.size(); ++arc) {
        if (query.arcs[arc].labels.size() != 1) map.push_back(static_cast<std::uint32_t>(block.labels[arc][row]));
      }
    }
    return true;
  };
  const Result<ListOutcome> outcome = list_maps(graph, query, plan, request);
  EXPECT_TRUE(outcome);
  EXPECT_TRUE(outcome->found.maps == static_cast<__int128>(maps.size()));
  EXPECT_EQ(outcome->is_cut, most && maps.size() == *most);
  std::ranges::sort(maps);
  return maps;
}

/// Every map, with a label for each arc that may have several, in every way to choose these.
std::vector<Map> all_maps_and_labels(std::uint32_t universe, const Arcs& arcs, const MapQuery& query) {
  std::vector<Map> found;
  std::vector<Map> images = all_maps(universe, arcs, query);
  images.erase(std::unique(images.begin(), images.end()), images.end());
  for (const Map& image : images) {
    std::vector<Map> chosen = {image};
    std::vector<std::array<std::optional<std::uint32_t>, 3>> shared(1);
    for (const MapQuery::Arc& arc : query.arcs) {
      if (arc.labels.size() == 1) continue;
      std::vector<Map> longer;
      std::vector<std::array<std::optional<std::uint32_t>, 3>> shared_then;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (const auto& [u, v, label] : arcs) {
          if (u != image[static_cast<std::size_t>(arc.from)] || v != image[static_cast<std::size_t>(arc.to)]) continue;
          const auto code = static_cast<std::uint32_t>(label);
          if (!arc.labels.empty() && std::ranges::find(arc.labels, label) == arc.labels.end()) continue;
          const auto number = static_cast<std::size_t>(arc.shared);
          if (number != 0 && shared[i][number].value_or(code) != code) continue;
          longer.push_back(chosen[i]);
          longer.back().push_back(code);
          shared_then.push_back(shared[i]);
          shared_then.back()[number] = code;
        }
      }
      chosen = std::move(longer);
      shared = std::move(shared_then);
    }
    std::ranges::copy(chosen, std::back_inserter(found));
  }
  std::ranges::sort(found);
  return found;
}

Arcs random_arcs(std::uint32_t universe, std::size_t count, std::mt19937& random) {
  Arcs arcs;
  for (std::size_t i = 0; i < count; ++i) arcs.emplace(random() % universe, random() % universe, random() % 3);
  return arcs;
}

/// Adds plans with this top and each root of its blocks, if it does for the query.
void add_plans(const MapQuery& query, int top, std::vector<MapPlan>& plans) {
  const auto blocks = blocks_below(query, top);
  if (!blocks) return;
  if (blocks->empty()) plans.emplace_back().roots.push_back(top);
  for (int turn = 0; turn < query.size && !blocks->empty(); ++turn) {
    MapPlan& plan = plans.emplace_back();
    plan.cut = top;
    for (const Block& block : *blocks) {
      for (int v = 0; v < query.size; ++v) {
        const int root = (v + turn) % query.size;
        if ((block.tree >> root & 1) == 0) continue;
        plan.roots.push_back(root);
        break;
      }
    }
  }
}

/// Adds plans with these cuts and each root, if they do for the query.
void add_plans(const MapQuery& query, int cut, int second, std::vector<MapPlan>& plans) {
  const auto trees = trees_without(query, cut, second);
  if (!trees) return;
  std::size_t most = 1;
  for (const std::vector<int>& tree : *trees) most = std::max(most, tree.size());
  for (std::size_t turn = 0; turn < most; ++turn) {
    MapPlan& plan = plans.emplace_back();
    plan.cut = cut;
    plan.second = second;
    for (const std::vector<int>& tree : *trees) plan.roots.push_back(tree[turn % tree.size()]);
  }
}

/// Every top, or two cuts, and root that does for the query.
std::vector<MapPlan> plans_of(const MapQuery& query) {
  std::vector<MapPlan> plans;
  for (int cut = 0; cut < query.size; ++cut) {
    add_plans(query, cut, plans);
    for (int second = 0; second < query.size; ++second) {
      if (second != cut) add_plans(query, cut, second, plans);
    }
  }
  return plans;
}

std::string name_of(const MapPlan& plan) {
  std::string name = std::to_string(plan.cut) + " " + std::to_string(plan.second) + ":";
  for (const int root : plan.roots) name += " " + std::to_string(root);
  return name;
}

TEST(Messages, EveryPlanCountsAllMaps) {
  std::mt19937 random(7);
  const std::vector<std::vector<std::pair<int, int>>> shapes = {
      {{0, 1}},
      {{0, 1}, {1, 2}},
      {{0, 1}, {0, 2}, {3, 0}},
      {{0, 1}, {1, 2}, {2, 0}},
      {{0, 1}, {1, 0}, {1, 2}},
      {{0, 1}, {0, 2}, {1, 3}, {2, 3}},
      {{0, 1}, {2, 1}, {0, 3}, {2, 3}, {0, 2}},
      {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}},
      {{0, 1}, {1, 2}, {2, 0}, {1, 3}, {3, 4}},
      // Blocks below blocks:
      {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}},
      {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 1}, {3, 4}, {4, 5}, {5, 3}},
      {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 5}, {5, 4}, {4, 6}, {6, 3}},
      // Two cuts:
      {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {3, 1}},
      {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {4, 1}},
      {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {4, 3}},
      {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 5}, {5, 3}}};
  for (int round = 0; round < 6; ++round) {
    const std::uint32_t universe = 5 + static_cast<std::uint32_t>(round % 2);
    const Arcs arcs = random_arcs(universe, 10 + 4 * static_cast<std::size_t>(round), random);
    const Graph graph = graph_of(universe, arcs);
    for (const auto& shape : shapes) {
      std::vector<MapQuery::Arc> asked;
      int size = 0;
      for (const auto& [u, v] : shape) {
        asked.push_back(arc(u, v, static_cast<std::int64_t>(random() % 3)));
        size = std::max({size, u + 1, v + 1});
      }
      const MapQuery query = query_of(size, asked);
      const std::vector<Map> maps = all_maps(universe, arcs, query);
      const std::uint64_t wanted = maps.size();
      const std::vector<MapPlan> plans = plans_of(query);
      ASSERT_FALSE(plans.empty());
      for (const MapPlan& plan : plans) {
        for (const unsigned threads : {1U, 2U}) {
          const Result<MapOutcome> outcome = count_maps(graph, query, plan, {threads, 0, 1, {}});
          ASSERT_TRUE(outcome);
          EXPECT_EQ(static_cast<std::uint64_t>(outcome->maps), wanted) << name_of(plan);
          EXPECT_EQ(listed(graph, query, plan, {threads, 0, 1, {}}), maps) << name_of(plan);
        }
        // Shares add up.
        std::uint64_t shared = 0;
        std::vector<Map> together;
        for (std::uint64_t part = 0; part < 3; ++part) {
          shared += static_cast<std::uint64_t>(count_maps(graph, query, plan, {1, part, 3, {}})->maps);
          std::ranges::copy(listed(graph, query, plan, {1, part, 3, {}}), std::back_inserter(together));
        }
        EXPECT_EQ(shared, wanted);
        std::ranges::sort(together);
        EXPECT_EQ(together, maps);
        // Any distinct maps, as many as requested.
        const std::vector<Map> some = listed(graph, query, plan, {2, 0, 1, {}}, wanted / 2 + 1);
        EXPECT_EQ(some.size(), std::min(wanted, wanted / 2 + 1));
        EXPECT_EQ(std::ranges::adjacent_find(some), some.end());
        EXPECT_TRUE(std::ranges::includes(maps, some));
      }
    }
  }
}

TEST(Messages, RequiredImagesLeaveOutOtherMaps) {
  std::mt19937 random(6);
  const Arcs arcs = random_arcs(5, 24, random);
  const Graph graph = graph_of(5, arcs);
  for (std::size_t v = 0; v < 4; ++v) {
    MapQuery query = query_of(4, {arc(0, 1, 0), arc(1, 2, 1), arc(1, 3, 2)});
    std::vector<Map> maps = all_maps(5, arcs, query);
    ASSERT_FALSE(maps.empty());
    const std::uint32_t image = maps[maps.size() / 2][v];
    std::erase_if(maps, [&](const Map& map) { return map[v] != image; });
    query.images[v] = image;
    for (const MapPlan& plan : plans_of(query)) {
      EXPECT_EQ(static_cast<std::uint64_t>(count_maps(graph, query, plan, {1, 0, 1, {}})->maps), maps.size());
      EXPECT_EQ(listed(graph, query, plan, {1, 0, 1, {}}), maps) << name_of(plan);
    }
  }
}

TEST(Messages, AlikeSiblingsCountAsOneThatIsMetOften) {
  std::mt19937 random(5);
  // Labels by arc: of each query some siblings are alike, and some differ in a label below, a tie or a direction.
  const std::vector<std::vector<std::array<int, 3>>> queries = {
      {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 1}},
      {{0, 1, 0}, {0, 2, 0}, {1, 3, 1}, {2, 4, 1}},
      {{0, 1, 0}, {0, 2, 0}, {1, 3, 1}, {2, 3, 1}},
      {{0, 1, 0}, {0, 2, 0}, {1, 3, 1}, {2, 3, 2}},
      {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {1, 4, 1}, {2, 4, 1}, {3, 4, 1}, {4, 0, 2}},
      {{2, 0, 0}, {2, 1, 0}, {0, 3, 1}, {1, 4, 1}, {3, 5, 0}, {4, 5, 0}},
      {{0, 1, 0}, {1, 2, 1}, {2, 0, 2}, {0, 3, 0}, {3, 4, 1}, {4, 0, 2}},
      {{0, 1, 0}, {2, 1, 0}, {0, 3, 1}, {2, 3, 1}, {1, 4, 0}, {1, 5, 0}, {3, 0, 2}, {3, 2, 2}},
      {{0, 2, 0}, {1, 2, 1}, {0, 3, 0}, {1, 3, 1}, {0, 4, 0}, {1, 4, 1}, {0, 1, 2}}};
  for (int round = 0; round < 4; ++round) {
    const Arcs arcs = random_arcs(5, 16 + 6 * static_cast<std::size_t>(round), random);
    const Graph graph = graph_of(5, arcs);
    for (const auto& asked : queries) {
      std::vector<MapQuery::Arc> all;
      int size = 0;
      for (const auto& [u, v, label] : asked) {
        all.push_back(arc(u, v, label));
        size = std::max({size, u + 1, v + 1});
      }
      const MapQuery query = query_of(size, all);
      const std::vector<Map> maps = all_maps(5, arcs, query);
      for (const MapPlan& plan : plans_of(query)) {
        EXPECT_EQ(static_cast<std::uint64_t>(count_maps(graph, query, plan, {1, 0, 1, {}})->maps), maps.size())
            << name_of(plan);
        EXPECT_EQ(listed(graph, query, plan, {1, 0, 1, {}}), maps) << name_of(plan);
      }
    }
  }
}

TEST(Messages, LabelsThatAreAnyOrOneOfSeveralOrShared) {
  std::mt19937 random(11);
  const std::vector<std::vector<std::pair<int, int>>> shapes = {{{0, 1}},
                                                                {{0, 1}, {1, 0}},
                                                                {{0, 1}, {0, 1}, {1, 2}},
                                                                {{0, 1}, {2, 1}, {2, 3}},
                                                                {{0, 1}, {1, 2}, {2, 0}},
                                                                {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 1}},
                                                                {{0, 1}, {2, 1}, {0, 3}, {2, 3}, {0, 2}},
                                                                {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {3, 1}},
                                                                {{0, 1}, {1, 2}, {2, 0}, {1, 3}, {3, 4}}};
  for (int round = 0; round < 12; round += 3) {
    const std::uint32_t universe = 4 + static_cast<std::uint32_t>(round % 2);
    const Arcs arcs = random_arcs(universe, 12 + 4 * static_cast<std::size_t>(round), random);
    const Graph graph = graph_of(universe, arcs);
    for (const auto& shape : shapes) {
      std::vector<MapQuery::Arc> asked;
      int size = 0;
      for (const auto& [u, v] : shape) {
        const std::vector<std::int64_t> few = {0, 2};
        const std::vector<MapQuery::Arc> kinds = {
            {u, v, {}, 0}, {u, v, few, 0}, {u, v, {}, 1}, {u, v, {}, 2}, arc(u, v, 1)};
        asked.push_back(kinds[random() % kinds.size()]);
        size = std::max({size, u + 1, v + 1});
      }
      const MapQuery query = query_of(size, asked);
      const std::vector<Map> maps = all_maps_and_labels(universe, arcs, query);
      const std::uint64_t wanted = all_maps(universe, arcs, query).size();
      ASSERT_EQ(maps.size(), wanted);
      for (const MapPlan& plan : plans_of(query)) {
        for (const unsigned threads : {1U, 2U}) {
          const Result<MapOutcome> outcome = count_maps(graph, query, plan, {threads, 0, 1, {}});
          ASSERT_TRUE(outcome);
          EXPECT_EQ(static_cast<std::uint64_t>(outcome->maps), wanted) << name_of(plan);
        }
        EXPECT_EQ(listed(graph, query, plan, {2, 0, 1, {}}), maps) << name_of(plan);
        const std::vector<Map> some = listed(graph, query, plan, {1, 0, 1, {}}, wanted / 2 + 1);
        EXPECT_EQ(some.size(), std::min(wanted, wanted / 2 + 1));
        EXPECT_TRUE(std::ranges::includes(maps, some));
      }
    }
  }
}

TEST(Messages, TheRestWithoutTheCutHasNoCycle) {
  const MapQuery clique =
      query_of(4, {arc(0, 1, 0), arc(0, 2, 0), arc(0, 3, 0), arc(1, 2, 0), arc(1, 3, 0), arc(2, 3, 0)});
  EXPECT_FALSE(trees_without(clique, 0));
  EXPECT_TRUE(trees_without(clique, 0, 2));
  EXPECT_FALSE(blocks_below(clique, 0));
  const MapQuery twice = query_of(2, {arc(0, 1, 0), arc(1, 0, 1)});
  EXPECT_TRUE(trees_without(twice, -1));
  const MapQuery square = query_of(4, {arc(0, 1, 0), arc(1, 2, 0), arc(2, 3, 0), arc(3, 0, 0)});
  EXPECT_FALSE(trees_without(square, -1));
  ASSERT_TRUE(trees_without(square, 0));
  EXPECT_EQ(trees_without(square, 0)->size(), 1U);
}

TEST(Messages, ARunEndsOnRequest) {
  std::mt19937 random(3);
  const Graph graph = graph_of(8, random_arcs(8, 60, random));
  const MapQuery query = query_of(3, {arc(0, 1, 0), arc(1, 2, 1), arc(2, 0, 2)});
  const std::atomic<std::uint32_t> stop{1};
  const Result<MapOutcome> outcome = count_maps(graph, query, plans_of(query).front(), {1, 0, 1, {&stop, {}}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, motif::End::Stopped);
  match::Stops late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(count_maps(graph, query, plans_of(query).front(), {1, 0, 1, late})->end, motif::End::Deadline);
  EXPECT_EQ(list_maps(graph, query, plans_of(query).front(), {{1, 0, 1, late}, {}, {}})->found.end,
            motif::End::Deadline);
}

TEST(Messages, NumbersOfOver64Bits) {
  Arcs arcs;
  for (std::uint32_t u = 0; u < 40; ++u) {
    for (std::uint32_t v = 0; v < 40; ++v) arcs.emplace(u, v, 0);
  }
  const Graph graph = graph_of(40, arcs);
  std::vector<MapQuery::Arc> path;
  for (int v = 0; v < 9; ++v) path.push_back(arc(v, v + 1, 0));
  MapPlan plan;
  plan.roots = {0};
  const Result<MapOutcome> fits = count_maps(graph, query_of(10, path), plan, {});
  ASSERT_TRUE(fits);
  EXPECT_FALSE(fits->overflow);
  __int128 wanted = 1;
  for (int v = 0; v < 10; ++v) wanted *= 40;
  EXPECT_TRUE(fits->maps == wanted);
  for (int v = 9; v < 20; ++v) path.push_back(arc(v, v + 1, 0));
  for (int v = 10; v < 21; ++v) wanted *= 40;
  for (const unsigned threads : {1U, 3U}) {
    const Result<MapOutcome> wide = count_maps(graph, query_of(21, path), plan, {threads, 0, 1, {}});
    EXPECT_FALSE(wide->overflow);
    EXPECT_TRUE(wide->maps == wanted);
  }
  // 40^24 is beyond 2^127. Some of them can be listed, also for a cycle.
  for (int v = 20; v < 23; ++v) path.push_back(arc(v, v + 1, 0));
  EXPECT_TRUE(count_maps(graph, query_of(24, path), plan, {})->overflow);
  EXPECT_EQ(listed(graph, query_of(24, path), plan, {}, 5000).size(), 5000U);
  path.push_back(arc(23, 0, 0));
  plan = plans_of(query_of(24, path)).front();
  EXPECT_TRUE(count_maps(graph, query_of(24, path), plan, {})->overflow);
  EXPECT_EQ(listed(graph, query_of(24, path), plan, {}, 5000).size(), 5000U);
}

TEST(Messages, TheCallerCanEndTheRun) {
  Arcs arcs;
  for (std::uint32_t u = 0; u < 100; ++u) {
    for (std::uint32_t v = 0; v < 100; ++v) arcs.emplace(u, v, 0);
  }
  const Graph graph = graph_of(100, arcs);
  MapPlan plan;
  plan.roots = {0};
  int calls = 0;
  ListRequest request;
  request.take = [&](const MapBlock&) { return ++calls < 2; };
  const Result<ListOutcome> outcome = list_maps(graph, query_of(3, {arc(0, 1, 0), arc(1, 2, 0)}), plan, request);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->is_cut);
  EXPECT_EQ(calls, 2);
  EXPECT_LT(outcome->found.maps, 1000000);
}

TEST(Messages, AGraphWithoutLabelsIsAnError) {
  BuildInput input;
  const std::uint32_t ends[] = {0, 1};
  input.universe = std::make_shared<const Universe>(Universe::identity(2));
  input.sources = ends;
  input.targets = ends + 1;
  input.count = 1;
  const Result<Graph> graph = build_graph(input);
  ASSERT_TRUE(graph);
  MapPlan plan;
  plan.roots = {0};
  EXPECT_FALSE(count_maps(*graph, query_of(2, {arc(0, 1, 0)}), plan, {}));
}

}  // namespace
}  // namespace matcha::runtime::messages
