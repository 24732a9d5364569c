#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "runtime/graph/detail/ntriples.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

using Fact = std::tuple<std::string, std::string, std::string>;

/// A file of triples, read as a directed graph with labels and loops.
class Triples : public testing::Test {
 protected:
  GraphSpec triples(const std::string& text) {
    GraphSpec spec = spec_of(folder_.file("g.nt", text));
    spec.directed = spec.edge_info = spec.keep_loops = true;
    spec.info = ColumnKind::Label;
    return spec;
  }

  static std::set<Fact> edges_of(const Graph& graph) {
    std::set<Fact> edges;
    const GraphView view = graph.view();
    for (std::uint64_t u = 0; u < view.universe; ++u) {
      const ArcRange arcs = arcs_of(view, u);
      for (std::uint64_t arc = arcs.begin; arc != arcs.end; ++arc) {
        const std::int64_t label = static_cast<const std::int64_t*>(view.edge_info)[arc];
        edges.emplace(graph.universe().id_text(u), graph.dictionary().name(label),
                      graph.universe().id_text(view.neighbors[arc]));
      }
    }
    return edges;
  }

  void expect_error(const std::string& line, const std::string& message) {
    for (const std::uint64_t chunk_bytes : {1ULL, 1ULL << 20}) {
      IoOptions options;
      options.chunk_bytes = chunk_bytes;
      const Error error = load_error(triples("<a> <p> <b> .\n\n" + line + "\n<a> <p> <b> .\n"), options);
      EXPECT_NE(error.message.find(message), std::string::npos) << line << ": " << error.render();
      EXPECT_EQ(error.line, 3U) << error.render();
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Triples, IrisBlankNodesAndLiterals) {
  const LoadedGraph loaded =
      load(triples("# facts\n"
                   "<http://x/a> <http://x/p> <http://x/b> .\n"
                   "_:n1 <http://x/p> _:n.2.\r\n"
                   "\t<http://x/a><http://x/q>\"five\"@EN-gb . # said so\n"
                   "<http://x/a> <http://x/a> <http://x/a> ."));
  EXPECT_EQ(edges_of(loaded.graph), (std::set<Fact>{{"http://x/a", "http://x/p", "http://x/b"},
                                                    {"_:n1", "http://x/p", "_:n.2"},
                                                    {"http://x/a", "http://x/q", "\"five\"@en-gb"},
                                                    {"http://x/a", "http://x/a", "http://x/a"}}));
  EXPECT_EQ(loaded.report.format, Format::NTriples);
  EXPECT_EQ(loaded.report.lines, 4U);
  EXPECT_EQ(loaded.report.table, "N-Triples, 1 literal");
}

TEST_F(Triples, SpellingsOfOneLiteralAreOneVertex) {
  const LoadedGraph loaded =
      load(triples("<a> <p> \"\\u0041\\\"\\t\\u0001\" .\n"
                   "<b> <p> \"A\\u0022\\u0009\\U00000001\"^^<http://www.w3.org/2001/XMLSchema#string> .\n"
                   "<c> <p> \"5\"^^<http://x/\\u0069nt> .\n"
                   "<d> <p> \"\\u00e9\" .\n"));
  EXPECT_EQ(edges_of(loaded.graph), (std::set<Fact>{{"a", "p", "\"A\\\"\\t\\u0001\""},
                                                    {"b", "p", "\"A\\\"\\t\\u0001\""},
                                                    {"c", "p", "\"5\"^^<http://x/int>"},
                                                    {"d", "p", "\"\xc3\xa9\""}}));
}

TEST_F(Triples, LiteralsMayBeLeftOut) {
  GraphSpec spec = triples("<a> <p> <b> .\n<a> <p> \"x\" .\n<a> <q> \"y\" .\n");
  spec.table.drop_literals = true;
  const LoadedGraph loaded = load(spec);
  EXPECT_EQ(edges_of(loaded.graph), (std::set<Fact>{{"a", "p", "b"}}));
  EXPECT_EQ(loaded.report.table, "N-Triples, 2 literals left out");
}

TEST_F(Triples, WithoutLabelsAndUndirected) {
  const LoadedGraph loaded = load(spec_of(folder_.file("g.nt", "<b> <p> <a> .\n<a> <q> <b> .\n<a> <q> <a> .\n")));
  EXPECT_EQ(loaded.graph.edge_count(), 1U);
  EXPECT_EQ(loaded.graph.universe().id_text(0), "a");
}

TEST_F(Triples, BrokenLinesHaveTheirPlace) {
  expect_error("a <p> <b> .", "expected a subject, found `a`");
  expect_error("\"x\" <p> <b> .", "expected a subject");
  expect_error("@prefix x: <http://x/> .", "expected a subject");
  expect_error("<a> p <b> .", "expected a predicate");
  expect_error("<a> _:p <b> .", "expected a predicate");
  expect_error("<a> <p>", "expected an object, found the end of the line");
  expect_error("<a> <p> b .", "expected an object");
  expect_error("<a> <p> <b>", "expected `.`");
  expect_error("<a> <p> <b> <g> .", "expected `.`, found `<g>`");
  expect_error("<a> <p> <b> . <c>", "expected the end of the line");
  expect_error("<a <p> <b> .", "an IRI has");
  expect_error("<a> <p> <b .", "an IRI has");
  expect_error("<a> <p> <b", "an IRI does not end");
  expect_error("<> <p> <b> .", "an IRI is empty");
  expect_error("<_:a> <p> <b> .", "has no scheme");
  expect_error("<a\\u0020b> <p> <b> .", "no character of an IRI");
  expect_error("<a> <p> <\\u00g0> .", "an escape lacks digits");
  expect_error("<a> <p> \"\\uD800\" .", "an escape is no character");
  expect_error("<a> <p> \"\\U00110000\" .", "an escape is no character");
  expect_error("<a> <p> \"\\x\" .", "unknown escape");
  expect_error("<a> <p> \"x .", "a literal does not end");
  expect_error("<a> <p> \"x\"@1 .", "the language of a literal");
  expect_error("<a> <p> \"x\"@en- .", "the language of a literal");
  expect_error("<a> <p> \"x\"^^int .", "the type of a literal");
  expect_error("_: <p> <b> .", "expected a blank node");
  expect_error("_:a <p> _ .", "expected a blank node");
  expect_error("<a> <p> \"x\ry\" .", "carriage return");
}

TEST_F(Triples, EdgesHaveLabelsAndNothingElse) {
  GraphSpec spec = triples("<a> <p> <b> .\n");
  spec.info = ColumnKind::Int;
  EXPECT_NE(load_error(spec).message.find("the edges of N-Triples have labels"), std::string::npos);
  spec = triples("<a> <p> <b> .\n");
  spec.columns = {0U, 1U, 2U};
  EXPECT_NE(load_error(spec).message.find("only the columns of edge lists"), std::string::npos);
}

TEST_F(Triples, AreDistinguishedFromTables) {
  using detail::looks_like_triple;
  EXPECT_TRUE(looks_like_triple("<a> <p> <b> ."));
  EXPECT_TRUE(looks_like_triple("  _:a<p>\"b\"."));
  EXPECT_TRUE(looks_like_triple("<a> <p> _:b"));
  EXPECT_FALSE(looks_like_triple("<a> <b>"));
  EXPECT_FALSE(looks_like_triple("<a>\tp\t<b>"));
  EXPECT_FALSE(looks_like_triple("_:a _:b"));
  EXPECT_FALSE(looks_like_triple("a <p> <b>"));
  EXPECT_FALSE(looks_like_triple("<a"));
}

/// Random triples in random spellings are the same as those that were meant.
TEST_F(Triples, RandomSpellings) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto spelled = [&](char c, bool escaped) {
    if (below(3) == 0 || (escaped && (c == '"' || c == '\\'))) {
      char text[16];
      std::snprintf(text, sizeof(text), below(2) == 0 ? "\\u%04X" : "\\U%08x", static_cast<unsigned>(c));
      return std::string(text);
    }
    return std::string(1, c);
  };
  for (int round = 0; round < 50; ++round) {
    std::set<Fact> meant;
    std::string text;
    for (int line = 0; line < 20; ++line) {
      const std::string subject = "http://s/" + std::to_string(below(4));
      const std::string predicate(1, static_cast<char>('p' + below(2)));
      std::string object, written = "\"";
      const bool literal = below(2) == 0;
      if (!literal) written = "<";
      for (unsigned i = 0; i < 2; ++i) {
        const char c = literal ? "a\"\\ ~"[below(5)] : "ab/~"[below(4)];
        written += spelled(c, literal);
        object += literal && (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
      }
      written += literal ? "\"" : ">";
      meant.emplace(subject, predicate, literal ? "\"" + object + "\"" : object);
      text += "<" + subject + ">" + std::string(below(3), ' ') + "<" + predicate + ">" + std::string(below(2), '\t') +
              written + std::string(below(2), ' ') + "." + (below(4) == 0 ? " # x" : "") +
              (below(4) == 0 ? "\r\n" : "\n");
    }
    EXPECT_EQ(edges_of(load(triples(text)).graph), meant) << text;
  }
}

}  // namespace
}  // namespace matcha::runtime::test
