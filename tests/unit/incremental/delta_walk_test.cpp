// Counts of a batch by groups of a device, compared with the search of a thread: once with a thread as a group, and,
// with MATCHA_TEST_WARP, once with a warp of fibers.

#include "tests/unit/runtime/common/on_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "incremental/delta_query.h"
#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/device/delta_walk.h"
#include "incremental/runtime/shared_search.h"
#include "incremental/runtime/term_data.h"
#include "question/read.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/unit/sanitized.h"

namespace matcha::session::stream {
namespace {

using matcha_program::DeltaLaunch;
using matcha_program::DeltaRow;
using matcha_program::DeltaShared;
using matcha_program::DeltaState;
using matcha_program::DeltaSum;
using matcha_program::DeltaTask;
using matcha_program::DeltaUnit;
using matcha_program::DeltaUpdate;
using pattern::Induced;
using runtime::stream::BatchRows;
using runtime::stream::BatchUpdate;
using runtime::stream::DynamicGraph;
using runtime::stream::EdgeUpdate;
using runtime::stream::SharedSearch;
using runtime::stream::SharedTerms;
using runtime::stream::TermData;

#ifdef MATCHA_TEST_WARP
using Lanes = matcha_program::Group<32>;
constexpr std::uint32_t kVertices = 40;
constexpr unsigned kDense = 4;  ///< Percentage of adjacent pairs.
constexpr std::size_t kSome = 5, kMany = 12;
#else
using Lanes = matcha_program::Group<1>;
constexpr std::uint32_t kVertices = 60;
constexpr unsigned kDense = 20;
constexpr std::size_t kSome = 40, kMany = 250;
#endif

DeltaQuery query_of(const std::string& text, Induced induced, const DynamicGraph& graph,
                    pattern::DeltaAnswer answer = pattern::DeltaAnswer::Count) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto set = pattern::read_pattern(sources, sources.add("<pattern>", text), diagnostics);
  EXPECT_TRUE(set) << text;
  std::string why;
  const auto number_of = [](const std::string& label) { return static_cast<std::uint32_t>(std::stoi(label)); };
  const auto query = DeltaQuery::make(set->patterns.front(), induced, answer, graph, number_of, number_of, why);
  EXPECT_TRUE(query) << text << ": " << why;
  return *query;
}

struct Case {
  std::string pattern;
  Induced induced = Induced::Edge;
  bool directed = false;
  std::uint32_t labels = 1;
  std::uint32_t layers = 1;  ///< One more than labels of edges, which are numbers from 1 on.
};

/// A random graph in which the first vertex has many neighbours. Each label is one of half of the pairs.
DynamicGraph random_graph(const Case& one, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> classes;
  for (std::uint32_t v = 0; v < kVertices; ++v) classes.push_back(random() % one.labels);
  DynamicGraph graph(one.directed, one.labels, classes, one.layers);
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = one.directed ? 0 : u + 1; v < kVertices; ++v) {
      const unsigned dense = u == 0 || v == 0 ? 90 : kDense;
      if (u == v || random() % 100 >= dense) continue;
      graph.insert(graph.place(u), graph.place(v));
      for (std::uint32_t layer = 1; layer < one.layers; ++layer) {
        if (random() % 2 == 0) graph.insert(graph.place(u), graph.place(v), layer);
      }
    }
  }
  return graph;
}

/// The possible updates of a pair, with its labels: some only lose labels, and some that stay get others.
void add_updates(const DynamicGraph& graph, std::uint32_t p, std::uint32_t q, bool adds,
                 std::vector<EdgeUpdate>& updates) {
  const bool is_there = graph.has_edge(p, q), only_comes = graph.layers() > 1 && (p + q) % 2 == 0;
  if (is_there && adds != only_comes) return;
  if (!is_there && !adds) return;
  if (!is_there) updates.push_back({p, q});
  for (std::uint32_t layer = 1; layer < graph.layers(); ++layer) {
    if (graph.has_edge(p, q, layer) != adds) updates.push_back({p, q, layer});
  }
  if (!adds && (graph.layers() == 1 || (p + q) % 4 == 1)) updates.push_back({p, q});
}

std::vector<EdgeUpdate> random_updates(const DynamicGraph& graph, bool adds, std::size_t most, unsigned seed) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = graph.directed() ? 0 : u + 1; v < kVertices; ++v) {
      if (u != v) pairs.emplace_back(graph.place(u), graph.place(v));
    }
  }
  std::shuffle(pairs.begin(), pairs.end(), std::mt19937(seed));
  std::vector<EdgeUpdate> updates;
  for (const auto& [p, q] : pairs) add_updates(graph, p, q, adds, updates);
  updates.resize(std::min(updates.size(), most));
  return updates;
}

/// The memory of a device.
class Image {
 public:
  Image(const DynamicGraph& graph, BatchRows& batch) {
    for (const bool backwards : {false, true}) {
      for (std::uint32_t number = 0; number < graph.rows(backwards).size(); ++number) {
        const auto row = batch.row_before(backwards && graph.directed(), number);
        items_.push_back(std::make_unique<std::vector<std::uint32_t>>(row.begin(), row.end()));
        rows_[backwards].push_back({items_.back()->data(), static_cast<std::uint32_t>(row.size()), 0});
      }
    }
    for (const BatchRows::Row& row : batch.rows()) {
      rows_[row.backwards][row.row].changes = row.word;
      if (!graph.directed()) rows_[1][row.row].changes = row.word;
    }
  }
  const DeltaRow* rows(bool backwards) const { return rows_[backwards].data(); }

 private:
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> items_;
  std::vector<DeltaRow> rows_[2];
};

struct Schedule {
  std::uint64_t workers = 3, tasks = 64, tried = 1;
  std::uint64_t idle = 0;  ///< Waiting groups, in addition to the existing ones.
  /// `room`: items of an array for a set. `long_rooms`: the number of arrays that groups share for longer sets.
  std::uint64_t room = kVertices, long_rooms = 0;
  std::uint64_t matches = 0;  ///< Capacity for matches.
};

/// Matches that are given, each its term and the places of its vertices, and how many there were.
struct Listed {
  std::vector<std::vector<std::uint32_t>> matches;
  matcha_program::u64 count = 0;
};

/// Arrays of sets, and room for matches.
class Rooms {
 public:
  Rooms(const Schedule& schedule, std::uint64_t arrays, std::uint64_t vertices)
      : schedule_(schedule),
        arrays_(arrays),
        words_(schedule.long_rooms == 0 ? kLongest : schedule.room),
        match_words_(1 + vertices),
        scratch_(arrays * words_ * schedule.workers),
        long_(schedule.long_rooms * arrays * kLongest),
        taken_(schedule.long_rooms),
        matches_(match_words_ * schedule.matches) {}

  void give(DeltaLaunch& launch) {
    launch.room_words = words_;
    launch.arrays = arrays_;
    launch.scratch_words = arrays_ * words_;
    launch.scratch = scratch_.data();
    launch.long_rooms = long_.data();
    launch.long_words = kLongest;
    launch.long_taken = taken_.data();
    launch.long_count = schedule_.long_rooms;
    launch.matches = matches_.data();
    launch.match_words = match_words_;
    launch.match_room = schedule_.matches;
    launch.match_count = &count_;
  }
  bool are_given_back() const {
    return std::ranges::all_of(taken_, [](matcha_program::u64 one) { return one == 0; });
  }
  Listed listed(const SharedTerms& terms) const {
    Listed found;
    found.count = count_;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count_, schedule_.matches); ++i) {
      const std::uint32_t* const match = matches_.data() + i * match_words_;
      found.matches.emplace_back(match, match + 1 + terms.all[match[0]].term->pattern.walked);
    }
    return found;
  }

 private:
  /// A row with its removed and added items.
  static constexpr std::uint64_t kLongest = 2 * kVertices;

  const Schedule& schedule_;
  std::uint64_t arrays_, words_, match_words_;
  std::vector<std::uint32_t> scratch_, long_;
  std::vector<matcha_program::u64> taken_;
  std::vector<std::uint32_t> matches_;
  matcha_program::u64 count_ = 0;
};

/// The matches of the groups, slot by slot; `shared`: the state that they leave.
std::vector<__int128> count(const DynamicGraph& graph, const SharedTerms& terms,
                            const std::vector<BatchUpdate>& updates, std::uint32_t slots, BatchRows& batch,
                            const Schedule& schedule, DeltaShared& shared, Listed* maybe_listed = nullptr) {
  std::string why;
  const auto data = TermData::make(terms, graph, why);
  EXPECT_TRUE(data) << why;
  const Image image(graph, batch);
  std::vector<DeltaUpdate> ends;
  std::vector<DeltaUnit> units;
  for (std::uint32_t i = 0; i < updates.size(); ++i) {
    ends.push_back({updates[i].u, updates[i].v, updates[i].slot, updates[i].layer});
    const std::uint32_t u = graph.class_at(updates[i].u), v = graph.class_at(updates[i].v);
    for (const std::uint32_t term : terms.of(updates[i].layer, u, v)) units.push_back({i, term});
  }
  shared = {};
  shared.live = units.size();
  shared.idle = schedule.idle;
  std::vector<DeltaTask> tasks(schedule.tasks + 1);
  std::vector<DeltaSum> sums(slots * terms.all.size());
  const matcha_program::u64 stop_word = 0;
  DeltaLaunch launch{};
  launch.after = image.rows(false);
  launch.before = image.rows(true);
  launch.layers = graph.layers();
  launch.terms = data->at(data->bytes().data());
  launch.updates = ends.data();
  launch.units = units.data();
  launch.unit_count = units.size();
  launch.chunk = 2;
  launch.shared = &shared;
  launch.tasks = tasks.data();
  launch.task_capacity = schedule.tasks;
  launch.number = 1;
  launch.tried = schedule.tried;
  launch.workers = schedule.workers;
  launch.words = batch.words().data();
  Rooms rooms(schedule, std::max(1U, data->rooms()), data->listed());
  rooms.give(launch);
  // As if the device owned the rows of the first vertices.
  matcha_program::u64 reads[2] = {0, 0};
  launch.reads = reads;
  launch.resident = launch.after[0].items;
  launch.resident_end = launch.resident + launch.after[0].size;
  launch.sums = sums.data();
  launch.sums_of_slot = terms.all.size();
  launch.stop_word = &stop_word;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < schedule.workers; ++i) {
    threads.emplace_back([&launch, i] {
      DeltaState state{};
      const auto work = [&] { matcha_program::DeltaWorker<Lanes>(launch, i, state).work(); };
      warp::on_lanes(work);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(rooms.are_given_back());
  // Rows without items are not counted, and those of a layer may have none.
  if (!units.empty() && terms.all.front().term->pattern.size > 2 && graph.layers() == 1) {
    EXPECT_GT(reads[0] + reads[1], 0U);
  }
  if (maybe_listed != nullptr) *maybe_listed = rooms.listed(terms);
  std::vector<__int128> maps;
  for (const DeltaSum& sum : sums) {
    maps.push_back(static_cast<__int128>(static_cast<unsigned __int128>(sum.high) << 64 | sum.low));
  }
  return maps;
}

void compare(const Case& one, bool adds, std::size_t most, unsigned seed, const Schedule& schedule = {}) {
  SCOPED_TRACE(one.pattern + (one.induced == Induced::Edge ? " edge" : " vertex") + (adds ? " come " : " go ") +
               std::to_string(seed));
  DynamicGraph graph = random_graph(one, seed), other = random_graph(one, seed);
  const std::vector<EdgeUpdate> updates = random_updates(graph, adds, most, seed);
  const DeltaQuery query = query_of(one.pattern, one.induced, graph);
  SharedTerms terms;
  query.add_terms(terms, false);
  BatchRows batch(graph);
  std::vector<BatchUpdate> slotted;
  for (const EdgeUpdate& update : updates) slotted.push_back({update.u, update.v, adds ? 1U : 0U, update.layer});
  ASSERT_TRUE(batch.open(slotted, BatchRows::Graph::Before));
  DeltaShared shared{};
  std::vector<__int128> maps = count(graph, terms, slotted, 2, batch, schedule, shared);
  if (adds) maps.erase(maps.begin(), maps.begin() + static_cast<std::ptrdiff_t>(terms.all.size()));
  maps.resize(terms.all.size());
  EXPECT_EQ(shared.live, 0U);
  EXPECT_EQ(shared.refused, 0U);
  EXPECT_EQ(shared.stop, 0U);
  if (schedule.idle != 0 && schedule.tasks != 0) {
    EXPECT_GT(shared.pushed, 0U);
    EXPECT_GT(shared.popped, 0U);
  }
  batch.close();
  SharedSearch search(other, runtime::set_kernels(runtime::best_tier()), 1);
  const SharedSearch::Result expected = search.run({terms, updates, adds, {}, {}});
  ASSERT_EQ(expected.updates, updates.size());
  for (std::size_t i = 0; i < maps.size(); ++i) EXPECT_TRUE(maps[i] == expected.maps[i]) << "term " << i;
  EXPECT_EQ(graph.edge_count(), other.edge_count());
  for (const bool backwards : {false, true}) {
    for (std::uint32_t row = 0; row < kVertices * one.layers; ++row) {
      EXPECT_TRUE(std::ranges::equal(graph.rows(backwards).row(row), other.rows(backwards).row(row))) << "row " << row;
    }
  }
}

TEST(DeltaWalk, CountsAsASearch) {
  const std::vector<Case> cases = {
      {"triangle"},
      {"wedge", Induced::Vertex},
      {"0-1, 1-2, 2-3, 3-0"},
      {"clique:4"},
      {"clique:5"},
      {"house"},
      {"house", Induced::Vertex},
      {"0-1, 1-2, 2-3, 3-4"},
      {"0-1, 0-2, 0-3, 0-4"},
      {"0-1, 0-2, 1-2, 0-3, 1-4, 2-5"},
      {"0-1, 1-2, 0!2"},
      {"0>1, 1>2, 2>0", Induced::Edge, true},
      {"0>1, 1>2, 0>2, 2>3", Induced::Edge, true},
      {"0>1, 1>0, 1>2", Induced::Vertex, true},
      {"0:1-1:0, 1-2, 2-0", Induced::Edge, false, 2},
      {"0:0-1:1, 1-2:2, 2-3:0, 3-0", Induced::Edge, false, 3},
      {"0-1:1, 1-2, 2-3:0, 3-4", Induced::Vertex, false, 2},
      {"0:1>1:0, 1>2, 2>3:1", Induced::Edge, true, 2},
      {"a-b=1", Induced::Edge, false, 1, 2},
      {"a-b=1, b-c=2, c-a", Induced::Edge, false, 1, 3},
      {"a-b=1, b-c=1, c-d=1, d-a=1", Induced::Edge, false, 1, 2},
      {"a-b=1, a-b=2, b-c=2, c-d", Induced::Vertex, false, 1, 3},
      {"a-b=2, b-c=2, a~c", Induced::Edge, false, 1, 3},
      {"(a:0)-(b:1)=1, b-c=2, c-a", Induced::Edge, false, 2, 3},
      {"a->b=1, b->c=2, c->a", Induced::Edge, true, 1, 3},
      {"a->b=1, b->a=2, b->c", Induced::Vertex, true, 1, 3},
      {"a->b=1, a->b=2, (a)->(c:1)=1, c->d=2", Induced::Edge, true, 2, 3},
  };
  for (const Case& one : cases) {
    for (const bool adds : {true, false}) {
      compare(one, adds, kSome, 1);
      compare(one, adds, 1, 2);
      compare(one, adds, kMany, 3);
    }
  }
}

/// Batches of removed and of added edges, all of them at once, in the graph before and in the graph after.
void compare_batches(const Case& one, std::uint32_t batches, std::size_t most, unsigned seed) {
  SCOPED_TRACE(one.pattern + " " + std::to_string(batches) + " batches");
  DynamicGraph graph = random_graph(one, seed), other = random_graph(one, seed);
  const std::vector<EdgeUpdate> removes = random_updates(graph, false, batches * most, seed),
                                adds = random_updates(graph, true, batches * most, seed);
  const DeltaQuery query = query_of(one.pattern, one.induced, graph);
  SharedTerms terms;
  query.add_terms(terms, false);
  std::vector<BatchUpdate> all;
  std::vector<__int128> expected;
  SharedSearch search(other, runtime::set_kernels(runtime::best_tier()), 1);
  for (std::uint32_t slot = 0; slot < 2 * batches; ++slot) {
    const std::vector<EdgeUpdate>& from = slot % 2 == 0 ? removes : adds;
    const std::size_t first = std::min(from.size(), slot / 2 * most), last = std::min(from.size(), first + most);
    const std::vector<EdgeUpdate> part(from.begin() + static_cast<std::ptrdiff_t>(first),
                                       from.begin() + static_cast<std::ptrdiff_t>(last));
    for (const EdgeUpdate& update : part) all.push_back({update.u, update.v, slot, update.layer});
    std::vector<__int128> maps(terms.all.size(), 0);
    if (!part.empty()) maps = search.run({terms, part, slot % 2 == 1, {}, {}}).maps;
    expected.insert(expected.end(), maps.begin(), maps.end());
  }
  for (DynamicGraph* state : {&graph, &other}) {
    BatchRows batch(*state);
    ASSERT_TRUE(batch.open(all, state == &graph ? BatchRows::Graph::Before : BatchRows::Graph::After));
    DeltaShared shared{};
    const std::vector<__int128> maps = count(*state, terms, all, 2 * batches, batch, {}, shared);
    ASSERT_EQ(maps.size(), expected.size());
    for (std::size_t i = 0; i < maps.size(); ++i) EXPECT_TRUE(maps[i] == expected[i]) << "sum " << i;
  }
}

TEST(DeltaWalk, BatchesAreCountedTogether) {
  for (const Case& one : std::vector<Case>{{"triangle"},
                                           {"house"},
                                           {"wedge", Induced::Vertex},
                                           {"0>1, 1>2, 0>2, 2>3", Induced::Edge, true},
                                           {"0:1-1:0, 1-2, 2-0", Induced::Edge, false, 2},
                                           {"a-b=1, b-c=2, c-a", Induced::Edge, false, 1, 3},
                                           {"a-b=1, a-b=2, b-c=1", Induced::Vertex, false, 1, 3},
                                           {"a->b=1, b->a=2, b->c", Induced::Edge, true, 1, 3}}) {
    compare_batches(one, 1, kSome, 1);
    compare_batches(one, 4, 1, 2);
    compare_batches(one, 3, kSome, 3);
  }
}

TEST(DeltaWalk, PartsAreGivenAway) {
  for (const bool adds : {true, false}) {
    compare({"0-1, 1-2, 2-3, 3-4, 4-5"}, adds, 3, 5, {4, 1000, 1, 2});
    compare({"0-1, 1-2, 2-3, 3-4, 4-5"}, adds, 3, 5, {4, 3, 1, 2});
    compare({"0-1, 1-2, 2-3, 3-4, 4-5"}, adds, 3, 5, {4, 0, 2, 2});
  }
}

TEST(DeltaWalk, LongSetsShareArrays) {
  for (const bool adds : {true, false}) {
    for (const char* pattern : {"house", "clique:4", "0-1, 1-2, 2-3, 3-4, 4-5", "0-1, 1-2, 0!2, 2-3"}) {
      compare({pattern}, adds, kSome, 5, {4, 64, 1, 0, 2, 1});
      compare({pattern, Induced::Vertex}, adds, kSome, 6, {4, 64, 1, 0, 1, 2});
    }
  }
}

TEST(DeltaWalk, RowsMoveInParts) {
  constexpr std::uint32_t kDeletes = matcha_program::kDeltaDeletes;
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t dense = random() % 4, changed = random() % 3;
    std::vector<std::uint32_t> row, changes, stamps, expected;
    for (std::uint32_t x = 0; x < 150; ++x) {
      const bool is_there = random() % 4 < dense;
      const bool changes_it = random() % 10 < changed * changed;
      if (is_there) row.push_back(x);
      if (changes_it) changes.push_back(x);
      if (changes_it) stamps.push_back(is_there ? kDeletes | random() % 50 : random() % 50 + 1);
      if (is_there != changes_it) expected.push_back(x);
    }
    std::vector<std::uint32_t> words = {0, static_cast<std::uint32_t>(changes.size())};
    words.insert(words.end(), changes.begin(), changes.end());
    words.insert(words.end(), stamps.begin(), stamps.end());
    std::vector<std::uint32_t> to(expected.size() + 1, ~0U);
    DeltaRow record{};
    matcha_program::DeltaMove move{};
    move.row = {row.data(), static_cast<std::uint32_t>(row.size()), changes.empty() ? 0U : 1U};
    move.to = to.data();
    move.size = static_cast<std::uint32_t>(expected.size());
    std::vector<matcha_program::DeltaMove> moves;
    do {
      move.last = std::min<std::uint32_t>(move.row.size, move.first + 1 + random() % 70);
      moves.push_back(move);
      move.first = move.last;
    } while (move.first < move.row.size);
    std::shuffle(moves.begin(), moves.end(), random);
    warp::on_lanes([&] { matcha_program::move_rows<Lanes>(moves.data(), moves.size(), words.data(), &record, 0, 1); });
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to.begin())) << "round " << round;
    EXPECT_EQ(to.back(), ~0U);
    EXPECT_EQ(record.items, to.data());
    EXPECT_EQ(record.size, expected.size());
    EXPECT_EQ(record.changes, 0U);
  }
}

TEST(DeltaWalk, ListsAsASearch) {
  using pattern::DeltaAnswer;
  for (const Case& one : std::vector<Case>{{"triangle"},
                                           {"0-1, 1-2, 2-3, 3-0"},
                                           {"wedge", Induced::Vertex},
                                           {"0-1"},
                                           {"0>1, 1>2, 0>2", Induced::Edge, true},
                                           {"0:1-1:0, 1-2, 2-0", Induced::Edge, false, 2},
                                           {"a-b=1, b-c=2", Induced::Edge, false, 1, 3}}) {
    for (const bool adds : {true, false}) {
      SCOPED_TRACE(one.pattern);
      DynamicGraph graph = random_graph(one, 4), other = random_graph(one, 4);
      const std::vector<EdgeUpdate> updates = random_updates(graph, adds, kSome, 4);
      const DeltaQuery query = query_of(one.pattern, one.induced, graph, DeltaAnswer::Subgraphs);
      SharedTerms terms;
      query.add_terms(terms, true);
      std::vector<BatchUpdate> slotted;
      for (const EdgeUpdate& update : updates) slotted.push_back({update.u, update.v, adds ? 1U : 0U, update.layer});
      std::vector<std::vector<std::uint32_t>> expected;
      SharedSearch search(other, runtime::set_kernels(runtime::best_tier()), 1);
      const auto take = [&](unsigned, std::uint32_t term, const std::uint32_t* places) {
        expected.push_back({term});
        expected.back().insert(expected.back().end(), places, places + terms.all[term].term->pattern.walked);
      };
      ASSERT_EQ(search.run({terms, updates, adds, {}, take}).updates, updates.size());
      std::ranges::sort(expected);
      ASSERT_FALSE(expected.empty());
      BatchRows batch(graph);
      ASSERT_TRUE(batch.open(slotted, BatchRows::Graph::Before));
      Schedule schedule;
      DeltaShared shared{};
      Listed found;
      schedule.matches = expected.size();
      (void)count(graph, terms, slotted, 2, batch, schedule, shared, &found);
      EXPECT_EQ(shared.stop, 0U);
      std::ranges::sort(found.matches);
      EXPECT_EQ(found.matches, expected);
      // Without room for the last one it ends.
      Listed fewer;
      schedule.matches = expected.size() - 1;
      (void)count(graph, terms, slotted, 2, batch, schedule, shared, &fewer);
      EXPECT_NE(shared.stop, 0U);
      EXPECT_GT(fewer.count, schedule.matches);
    }
  }
}

}  // namespace
}  // namespace matcha::session::stream
