#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "incremental/engine.h"
#include "incremental/netting.h"
#include "incremental/update_text.h"
#include "incremental/vertex_names.h"
#include "session/message_log.h"

/// Engines of streams against a model: a set of edges that is walked by brute force. It shares no code with them.
namespace matcha::session::stream {
namespace {

using Ends = std::array<std::int64_t, 3>;  ///< u, v, label.

/// The label of an added vertex without one.
constexpr std::int64_t kNew = 9;
const VertexRules kRules{kNew, false};

/// The graph as a stream describes it.
struct Model {
  bool directed = false;
  bool labelled_edges = false;
  std::map<std::int64_t, std::int64_t> vertices;  ///< Label of each.
  std::set<Ends> edges;

  Ends ends(const Update& update) const {
    Ends edge{update.u, update.v, labelled_edges ? update.label : runtime::kNoLabel};
    if (!directed && edge[0] > edge[1]) std::swap(edge[0], edge[1]);
    return edge;
  }
  void apply(const Update& update) {
    if (update.kind == UpdateKind::InsertEdge) {
      vertices.emplace(update.u, kNew);
      vertices.emplace(update.v, kNew);
      if (update.u != update.v) edges.insert(ends(update));
    } else if (update.kind == UpdateKind::DeleteEdge) {
      const Ends gone = ends(update);
      std::erase_if(edges, [&](const Ends& edge) {
        return edge[0] == gone[0] && edge[1] == gone[1] && (!labelled_edges || !update.has_label || edge[2] == gone[2]);
      });
    } else if (update.kind == UpdateKind::SetVertex) {
      vertices.emplace(update.u, kNew);
      if (update.has_label) vertices[update.u] = update.label;
    } else if (vertices.erase(update.u) != 0) {
      std::erase_if(edges, [&](const Ends& edge) { return edge[0] == update.u || edge[1] == update.u; });
    }
  }
  bool arc(std::int64_t u, std::int64_t v) const {
    if (!directed && u > v) std::swap(u, v);
    const auto found = edges.lower_bound({u, v, runtime::kNoLabel});
    return found != edges.end() && (*found)[0] == u && (*found)[1] == v;
  }
  template <typename Take>
  void triples(const Take& take) const {
    for (const auto& [a, la] : vertices) {
      for (const auto& [b, lb] : vertices) {
        for (const auto& [c, lc] : vertices) {
          if (a != b && b != c && a != c) take(a, b, c);
        }
      }
    }
  }
  std::set<std::array<std::int64_t, 3>> triangles() const {
    std::set<std::array<std::int64_t, 3>> found;
    triples([&](auto a, auto b, auto c) {
      if (a < b && b < c && arc(a, b) && arc(b, c) && arc(a, c)) found.insert({a, b, c});
    });
    return found;
  }
  /// Paths of three vertices whose ends are no neighbours, each in both directions.
  std::set<std::array<std::int64_t, 3>> open_paths() const {
    std::set<std::array<std::int64_t, 3>> found;
    triples([&](auto a, auto b, auto c) {
      if (arc(a, b) && arc(b, c) && !arc(a, c)) found.insert({a, b, c});
    });
    return found;
  }
  /// Maps of an edge whose first end has label 1.
  std::set<std::array<std::int64_t, 3>> labelled_ends() const {
    std::set<std::array<std::int64_t, 3>> found;
    for (const auto& [u, label] : vertices) {
      for (const auto& [v, other] : vertices) {
        if (label == 1 && other == 2 && arc(u, v)) found.insert({u, v, 0});
      }
    }
    return found;
  }
};

Update edge_update(UpdateKind kind, std::int64_t u, std::int64_t v) {
  Update update;
  update.kind = kind;
  update.u = u;
  update.v = v;
  return update;
}

Update random_update(std::mt19937& random, bool labelled_edges) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  // Ids far from each other and negative, so that ranks are not ids.
  const auto id = [&] { return 10 * below(8) - 20; };
  const std::int64_t what = below(20);
  Update update = edge_update(what < 11 ? UpdateKind::InsertEdge : UpdateKind::DeleteEdge, id(), id());
  if (what >= 17) update.kind = what == 19 ? UpdateKind::DeleteVertex : UpdateKind::SetVertex;
  const bool of_vertex = update.kind == UpdateKind::SetVertex;
  if ((labelled_edges && update.kind == UpdateKind::InsertEdge) ||
      (of_vertex || labelled_edges ? below(3) != 0 : false)) {
    update.label = below(3);
    update.has_label = true;
  }
  return update;
}

ResidentGraph::Shared empty_graph(bool directed, bool labelled_edges) {
  runtime::ColumnInput columns;
  columns.directed = directed;
  static const std::int64_t kNone = 0;
  if (labelled_edges) columns.edge_labels.codes = {&kNone, 0, runtime::IntColumn::Kind::Int64, 8};
  runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::from_columns(columns);
  return graph ? *graph : nullptr;
}

ProgramRequest pattern_request(const std::string& text, const std::string& induced = "edge", bool embeddings = false) {
  ProgramRequest request;
  request.pattern.text = text;
  request.pattern.induced = induced;
  request.pattern.embeddings = embeddings;
  request.device = "cpu";
  request.tier = "interp";
  return request;
}

/// An engine, its model, and the sum of all rows of changes.
struct Checked {
  Model model;
  std::shared_ptr<MessageLog> log = std::make_shared<MessageLog>();
  std::unique_ptr<Engine> engine;
  std::vector<std::multiset<std::vector<std::uint64_t>>> rows;

  Checked(bool directed, bool labelled_edges, bool by_delta = false) {
    model.directed = directed;
    model.labelled_edges = labelled_edges;
    const ResidentGraph::Shared start = empty_graph(directed, labelled_edges);
    engine = by_delta ? make_delta(start, log) : make_recompute(start, log);
  }
  void add(const ProgramRequest& request, bool with_rows = false) {
    ProgramOptions options;
    options.rows = with_rows;
    ASSERT_EQ(Status::Ok, engine->add(request, options, log)) << log->text();
    rows.emplace_back();
  }
  /// Merges the rows of an answer into the kept ones; false if a removed row is not among them.
  bool take_rows(std::size_t program, const RowChanges& changes) {
    for (std::uint64_t at = 0; at < changes.signs.size(); ++at) {
      const std::uint64_t* const row = changes.rows.row(at);
      const std::vector<std::uint64_t> key(row, row + changes.rows.kinds.size());
      if (changes.signs[at] > 0) {
        rows[program].insert(key);
      } else if (const auto found = rows[program].find(key); found != rows[program].end()) {
        rows[program].erase(found);
      } else {
        return false;
      }
    }
    return true;
  }
};

__int128 int_of(const Number& number) { return std::get<__int128>(number); }

using Rows = std::set<std::array<std::int64_t, 3>>;

/// Members of `a` that are not in `b`.
std::size_t beyond(const Rows& a, const Rows& b) {
  std::size_t count = 0;
  for (const auto& row : a) count += b.contains(row) ? 0 : 1;
  return count;
}

void expect_change(const Answer& answer, const Rows& before, const Rows& now, std::size_t maps) {
  EXPECT_EQ(int_of(answer.total.front()), static_cast<__int128>(maps * now.size()));
  EXPECT_EQ(int_of(answer.delta.front()),
            static_cast<__int128>(maps) * (static_cast<__int128>(now.size()) - static_cast<__int128>(before.size())));
  if (!answer.plus) return;
  EXPECT_EQ(*answer.plus, static_cast<__int128>(maps * beyond(now, before)));
  EXPECT_EQ(*answer.minus, static_cast<__int128>(maps * beyond(before, now)));
}

void expect_present(const Present& present, const Model& model) {
  EXPECT_EQ(present.vertex_count(), model.vertices.size());
  EXPECT_EQ(present.edge_count(), model.edges.size());
  for (const Ends& edge : model.edges) EXPECT_TRUE(present.has_edge(edge[0], edge[1], edge[2]));
  for (const auto& [id, label] : model.vertices) {
    EXPECT_EQ(present.label_of(id), label);
    std::uint64_t degree = 0;
    present.each_edge_at(id, [&](std::int64_t u, std::int64_t v, std::int64_t edge_label) {
      if (!model.directed && u > v) std::swap(u, v);
      EXPECT_TRUE(model.edges.contains({u, v, edge_label}));
      ++degree;
    });
    EXPECT_EQ(present.degree_of(id), degree);
  }
}

struct Mode {
  bool directed, labelled_edges, each;
  unsigned most;  ///< Most updates of a batch.
  bool by_delta = false;
};

class StreamModes : public testing::TestWithParam<Mode> {};

TEST_P(StreamModes, TotalsAndRowsAreThoseOfTheModel) {
  const Mode mode = GetParam();
  Checked checked(mode.directed, mode.labelled_edges, mode.by_delta);
  ASSERT_NE(nullptr, checked.engine) << checked.log->text();
  if (mode.directed) {
    checked.add(pattern_request("a->b->c", "vertex"));
  } else {
    checked.add(pattern_request("triangle"));
    checked.add(pattern_request("a-b-c", "vertex", true));
    checked.add(pattern_request("triangle"), true);
    checked.add(pattern_request("(a:1)-(b:2)", "edge", true));
  }
  std::mt19937 random(7 + mode.most);
  std::vector<Answer> answers;
  ApplyOptions options;
  options.run.threads = 1;
  ASSERT_EQ(Status::Ok, checked.engine->start(options, answers)) << checked.log->text();
  for (int round = 0; round < 60; ++round) {
    const Model before = checked.model;
    Netting netting(checked.engine->present(), kRules);
    std::vector<Update> updates;
    for (unsigned i = 1 + random() % mode.most; i != 0; --i) {
      updates.push_back(random_update(random, mode.labelled_edges));
    }
    // Some, all, or none are looked up together.
    if (round % 3 != 0) netting.expect(std::span(updates).first(round % 3 == 1 ? updates.size() : updates.size() / 2));
    for (const Update& update : updates) {
      const Model last = checked.model;
      checked.model.apply(update);
      const bool changes = last.edges != checked.model.edges || last.vertices != checked.model.vertices;
      EXPECT_EQ(netting.add(update), changes);
    }
    ASSERT_EQ(Status::Ok, checked.engine->apply(netting.take(), options, answers)) << checked.log->text();
    expect_present(checked.engine->present(), checked.model);
    const Model& now = checked.model;
    if (mode.directed) {
      Rows paths;
      now.triples([&](auto a, auto b, auto c) {
        const bool others = now.arc(b, a) || now.arc(c, b) || now.arc(a, c) || now.arc(c, a);
        if (now.arc(a, b) && now.arc(b, c) && !others) paths.insert({a, b, c});
      });
      EXPECT_EQ(int_of(answers[0].total.front()), static_cast<__int128>(paths.size()));
      continue;
    }
    expect_change(answers[0], before.triangles(), now.triangles(), 1);
    expect_change(answers[1], before.open_paths(), now.open_paths(), 1);
    expect_change(answers[2], before.triangles(), now.triangles(), 1);
    expect_change(answers[3], before.labelled_ends(), now.labelled_ends(), 1);
    ASSERT_TRUE(checked.take_rows(2, answers[2].changes));
    Rows kept;
    for (const std::vector<std::uint64_t>& row : checked.rows[2]) {
      std::array<std::int64_t, 3> ids{static_cast<std::int64_t>(row[0]), static_cast<std::int64_t>(row[1]),
                                      static_cast<std::int64_t>(row[2])};
      std::ranges::sort(ids);
      kept.insert(ids);
    }
    EXPECT_EQ(kept, now.triangles());
    EXPECT_EQ(kept.size(), checked.rows[2].size());
  }
}

INSTANTIATE_TEST_SUITE_P(All, StreamModes,
                         testing::Values(Mode{false, false, false, 1}, Mode{false, false, false, 6},
                                         Mode{false, false, false, 40}, Mode{false, true, false, 6},
                                         Mode{true, false, false, 6}, Mode{true, true, false, 12},
                                         Mode{false, false, false, 1, true}, Mode{false, false, false, 6, true},
                                         Mode{false, false, false, 40, true}, Mode{false, true, false, 6, true},
                                         Mode{true, false, false, 6, true}, Mode{false, false, false, 900, true},
                                         Mode{false, true, false, 900, true}, Mode{true, true, false, 900}));

TEST(Stream, NamesAreNumbersInOrder) {
  LineRules rules;
  rules.maybe_names = std::make_shared<VertexNames>();
  LabelCodes codes(std::make_shared<const runtime::LabelDictionary>());
  Update update;
  std::string error;
  ASSERT_EQ(read_update("+ ann \xFF\xC3z", rules, codes, update, error), LineKind::Update) << error;
  EXPECT_EQ((std::pair{update.u, update.v}), (std::pair<std::int64_t, std::int64_t>{0, 1}));
  ASSERT_EQ(read_update("- 7 ann", rules, codes, update, error), LineKind::Update) << error;
  EXPECT_EQ((std::pair{update.u, update.v}), (std::pair<std::int64_t, std::int64_t>{2, 0}));
  rules.temporal = true;
  EXPECT_EQ(read_update("a b soon", rules, codes, update, error), LineKind::Error);
  EXPECT_EQ(rules.maybe_names->size(), 3U) << "a line that is no update brings no names";
  // The contents of the JSON give the same bytes again.
  VertexNames again;
  EXPECT_TRUE(again.restore(rules.maybe_names->saved()));
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again.name(1), "\xFF\xC3z");
  EXPECT_EQ(again.number("7"), 2);
  EXPECT_FALSE(VertexNames().restore({"a", "a"}));
  EXPECT_FALSE(VertexNames().restore({"\xE2\x82\xAC"}));
}

TEST(Stream, BatchThatDoesNotFitIsAnError) {
  const auto log = std::make_shared<MessageLog>();
  const std::unique_ptr<Engine> engine = make_recompute(empty_graph(false, false), log);
  NetBatch batch;
  batch.deleted.push_back({1, 2, runtime::kNoLabel});
  std::vector<Answer> answers;
  EXPECT_EQ(Status::Run, engine->apply(batch, {}, answers));
  EXPECT_NE(std::string::npos, log->text().find("does not fit"));
}

/// Both engines.
class StreamEngines : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Both, StreamEngines, testing::Bool());

TEST_P(StreamEngines, QuietBatchesLeaveTotalsRight) {
  Checked checked(false, false, GetParam());
  checked.add(pattern_request("a-b"));
  std::vector<Answer> answers;
  ApplyOptions quiet;
  quiet.quiet = true;
  for (std::int64_t v = 1; v < 4; ++v) {
    Netting netting(checked.engine->present(), kRules);
    netting.add(edge_update(UpdateKind::InsertEdge, 0, v));
    ASSERT_EQ(Status::Ok, checked.engine->apply(netting.take(), v < 3 ? quiet : ApplyOptions(), answers));
  }
  EXPECT_EQ(int_of(answers.front().total.front()), 3);
  EXPECT_EQ(int_of(answers.front().delta.front()), 1);
  EXPECT_EQ(*answers.front().plus, 1);
}

TEST_P(StreamEngines, VerticesOfAWindowGoWithTheirLastEdge) {
  Checked checked(false, false, GetParam());
  std::vector<Answer> answers;
  const auto step = [&](std::vector<Update> updates) {
    Netting netting(checked.engine->present(), VertexRules{kNew, true});
    for (const Update& update : updates) netting.add(update);
    EXPECT_EQ(Status::Ok, checked.engine->apply(netting.take(), {}, answers)) << checked.log->text();
  };
  Update label = edge_update(UpdateKind::SetVertex, 1, 0);
  label.has_label = true;
  label.label = 5;
  step({edge_update(UpdateKind::InsertEdge, 1, 2), edge_update(UpdateKind::InsertEdge, 2, 3), label,
        edge_update(UpdateKind::InsertEdge, 8, 9), edge_update(UpdateKind::DeleteEdge, 8, 9)});
  EXPECT_EQ(3u, checked.engine->present().vertex_count());
  step({edge_update(UpdateKind::DeleteEdge, 1, 2)});
  EXPECT_EQ(3u, checked.engine->present().vertex_count());
  step({edge_update(UpdateKind::DeleteEdge, 3, 2)});
  EXPECT_EQ(1u, checked.engine->present().vertex_count());
}

TEST_P(StreamEngines, NewLabelWordsChangeCodes) {
  Checked checked(false, false, GetParam());
  checked.add(pattern_request("(a:'cat')-(b:'dog')"));
  std::vector<Answer> answers;
  const auto set_words = [&](std::vector<std::string> words) {
    auto dictionary = std::make_shared<const runtime::LabelDictionary>(std::move(words));
    ASSERT_EQ(Status::Ok, checked.engine->set_dictionary(std::move(dictionary))) << checked.log->text();
  };
  const auto label = [&](std::int64_t id, const std::string& word) {
    Update update = edge_update(UpdateKind::SetVertex, id, 0);
    update.has_label = true;
    update.label = *checked.engine->dictionary().code(word);
    return update;
  };
  const auto total = [&](const std::vector<Update>& updates) {
    Netting netting(checked.engine->present(), kRules);
    for (const Update& update : updates) netting.add(update);
    EXPECT_EQ(Status::Ok, checked.engine->apply(netting.take(), {}, answers)) << checked.log->text();
    return answers.empty() ? -1 : static_cast<int>(int_of(answers.front().total.front()));
  };
  set_words({"dog"});
  EXPECT_EQ(0, total({edge_update(UpdateKind::InsertEdge, 1, 2), label(1, "dog")}));
  set_words({"dog", "cat"});
  EXPECT_EQ(1, total({label(2, "cat"), edge_update(UpdateKind::InsertEdge, 2, 3)}));
  set_words({"dog", "cat", "ant"});
  EXPECT_EQ(2, total({label(3, "dog"), edge_update(UpdateKind::InsertEdge, 3, 4), label(4, "ant")}));
  EXPECT_EQ(1, total({label(1, "ant")}));
}

TEST(UpdateText, LinesWithBlanksAreReadAsOthers) {
  LabelCodes codes(std::make_shared<const runtime::LabelDictionary>());
  LineRules rules;
  const std::vector<std::string> ids = {"0",
                                        "7",
                                        "-12",
                                        "-",
                                        "",
                                        "+3",
                                        "x",
                                        "1.0",
                                        "123456789012345678",
                                        "0000000000000000000004",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "9223372036854775808",
                                        "-123456789012345678901"};
  for (const std::string mark : {"+", "-", "e", "-e"}) {
    for (const std::string& u : ids) {
      for (const std::string& v : ids) {
        for (const std::string end : {"", " ", "\r", " 4", " 4 5"}) {
          Update plain, other;
          std::string plain_error, other_error;
          const LineKind kind = read_update(mark + " " + u + "  " + v + end, rules, codes, plain, plain_error);
          ASSERT_EQ(kind, read_update(mark + " \t" + u + " , " + v + end, rules, codes, other, other_error))
              << mark << u << v;
          ASSERT_EQ(plain_error, other_error);
          if (kind != LineKind::Update) continue;
          ASSERT_EQ(plain.kind, other.kind);
          ASSERT_EQ(plain.u, other.u);
          ASSERT_EQ(plain.v, other.v);
          ASSERT_EQ(plain.has_label, other.has_label);
        }
      }
    }
  }
}

}  // namespace
}  // namespace matcha::session::stream
