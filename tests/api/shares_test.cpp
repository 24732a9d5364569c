// Shares of a run through matcha.h, and their merge.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/api/support.h"

namespace {

using matcha_test::Clique;
using matcha_test::Options;
using matcha_test::pattern;

struct Shares {
  Shares(matcha_program* program, matcha_graph* graph, int count) {
    for (int i = 0; i < count; ++i) {
      Options options;
      options.set("share", (std::to_string(i) + "/" + std::to_string(count)).c_str());
      matcha_error* error = nullptr;
      EXPECT_EQ(MATCHA_OK, matcha_run_now(program, graph, options.options, &results.emplace_back(), &error))
          << (error != nullptr ? matcha_error_text(error) : "");
      matcha_error_free(error);
    }
  }
  ~Shares() {
    for (matcha_result* result : results) matcha_result_free(result);
  }
  std::vector<matcha_result*> results;
};

matcha_result* merged(const Shares& shares) {
  matcha_result* whole = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_result_merge(shares.results.data(), shares.results.size(), &whole, &error))
      << (error != nullptr ? matcha_error_text(error) : "");
  matcha_error_free(error);
  return whole;
}

matcha_program* compiled(const char* text) {
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_program_compile(text, nullptr, &program, &error))
      << (error != nullptr ? matcha_error_text(error) : "");
  matcha_error_free(error);
  return program;
}

TEST(Shares, AddUpToTheWhole) {
  const Clique clique(40);
  matcha_program* const triangles = pattern("triangle");
  for (const int count : {2, 7, 100}) {
    const Shares shares(triangles, clique.graph, count);
    for (const matcha_result* share : shares.results) {
      EXPECT_EQ(0U, matcha_result_size(share));
      EXPECT_EQ(1, matcha_result_complete(share));
    }
    matcha_result* const whole = merged(shares);
    ASSERT_EQ(1U, matcha_result_size(whole));
    EXPECT_EQ(9880, matcha_result_int(whole, 0, nullptr)) << count;
    EXPECT_EQ(1, matcha_result_complete(whole));
    matcha_result_free(whole);
  }
  matcha_program_free(triangles);
}

TEST(Shares, OfCliquesAreWideNumbers) {
  const Clique clique(140);
  uint64_t wanted[4], found[4];
  for (const char* const text : {"clique:5", "clique:70", "clique:139", "clique:200", "clique:*", "clique:maximal"}) {
    matcha_program* const program = pattern(text);
    matcha_result* whole = nullptr;
    ASSERT_EQ(MATCHA_OK, matcha_run_now(program, clique.graph, nullptr, &whole, nullptr)) << text;
    for (const int count : {2, 3}) {
      const Shares shares(program, clique.graph, count);
      matcha_result* const sum = merged(shares);
      ASSERT_EQ(matcha_result_size(whole), matcha_result_size(sum)) << text;
      for (size_t i = 0; i < matcha_result_size(whole); ++i) {
        EXPECT_EQ(matcha_result_words(whole, i, wanted), matcha_result_words(sum, i, found));
        EXPECT_EQ(0, std::memcmp(wanted, found, sizeof(wanted))) << text << " " << i;
      }
      matcha_result_free(sum);
    }
    matcha_result_free(whole);
    matcha_program_free(program);
  }
}

TEST(Shares, OfMotifsAreThoseOfTheirProgram) {
  const Clique clique(12);
  matcha_program* const motifs = pattern("motif:4");
  Options share;
  share.set("share", "0/3");
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_RUN, matcha_run_now(motifs, clique.graph, share.options, &result, &error));
  ASSERT_NE(nullptr, error);
  EXPECT_NE(nullptr, std::strstr(matcha_error_text(error), "`algorithm` = `extend`")) << matcha_error_text(error);
  matcha_error_free(error);
  ASSERT_EQ(MATCHA_OK, matcha_run_now(motifs, clique.graph, nullptr, &result, nullptr));
  Options extend;
  extend.set("algorithm", "extend");
  matcha_program* const counted = pattern("motif:4", extend.options);
  const Shares shares(counted, clique.graph, 3);
  matcha_result* const whole = merged(shares);
  ASSERT_EQ(6U, matcha_result_size(result));
  ASSERT_EQ(6U, matcha_result_size(whole));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(matcha_result_int(result, i, nullptr), matcha_result_int(whole, i, nullptr));
  }
  EXPECT_EQ(495, matcha_result_int(result, 5, nullptr));
  matcha_result_free(result);
  matcha_result_free(whole);
  matcha_program_free(motifs);
  matcha_program_free(counted);
}

TEST(Shares, OfSumsOfPatternsAreThoseOfTheirLoops) {
  // As a whole, houses are counted as patterns.
  const Clique clique(100);
  std::ifstream file("examples/house.mt");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  matcha_program* const houses = compiled(text.c_str());
  for (const bool again : {false, true}) {
    EXPECT_EQ(4517251200, matcha_test::count(houses, clique.graph)) << again;
    const Shares shares(houses, clique.graph, 2);
    matcha_result* const whole = merged(shares);
    ASSERT_EQ(1U, matcha_result_size(whole));
    EXPECT_EQ(4517251200, matcha_result_int(whole, 0, nullptr)) << again;
    matcha_result_free(whole);
  }
  matcha_program_free(houses);
  Options options;
  options.set("engine", "patterns");
  matcha_program* forced = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_program_compile(text.c_str(), options.options, &forced, nullptr));
  options.set("share", "0/2");
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_run_now(forced, clique.graph, options.options, &result, &error));
  EXPECT_NE(nullptr, std::strstr(matcha_error_text(error), "share the loops")) << matcha_error_text(error);
  matcha_error_free(error);
  matcha_program_free(forced);
}

TEST(Shares, OfAllKinds) {
  const Clique clique(40);
  matcha_program* const program = compiled(
      "def main(G: Graph):\n"
      "    degree = lambda v: size(neighbor(G, v))\n"
      "    near = lambda v: sum(apply(lambda w: 1.0 / w, neighbor(G, v)))\n"
      "    return mk_tuple(val=[sum(apply(near, vertices(G))), min(apply(near, vertices(G))), "
      "max(apply(degree, vertices(G)))])\n");
  matcha_result* wanted = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(program, clique.graph, nullptr, &wanted, nullptr));
  for (const int count : {1, 2, 7, 60}) {
    if (count == 1) continue;
    const Shares shares(program, clique.graph, count);
    matcha_result* const whole = merged(shares);
    ASSERT_EQ(matcha_result_size(wanted), matcha_result_size(whole));
    for (std::size_t i = 0; i < matcha_result_size(wanted); ++i) {
      EXPECT_EQ(matcha_result_kind(wanted, i), matcha_result_kind(whole, i));
      EXPECT_EQ(matcha_result_float(wanted, i), matcha_result_float(whole, i)) << "to the last bit";
      EXPECT_EQ(matcha_result_int(wanted, i, nullptr), matcha_result_int(whole, i, nullptr));
    }
    matcha_result_free(whole);
  }
  matcha_result_free(wanted);
  matcha_program_free(program);
}

TEST(Shares, RowsOfAShare) {
  const Clique clique(40);
  Options listing;
  listing.set("matches", "true");
  matcha_program* const triangles = pattern("triangle", listing.options);
  std::size_t taken = 0;
  for (const char* share : {"0/3", "1/3", "2/3"}) {
    Options options;
    options.set("share", share);
    matcha_run* run = nullptr;
    ASSERT_EQ(MATCHA_OK, matcha_start_rows(triangles, clique.graph, options.options, &run, nullptr));
    matcha_rows* rows = nullptr;
    while (matcha_next_rows(run, &rows, -1) == 1) {
      taken += matcha_rows_count(rows);
      matcha_rows_free(rows);
    }
    matcha_run_free(run);
  }
  EXPECT_EQ(9880U, taken);
  // Lists are in the order of the whole run.
  matcha_result* wanted = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(triangles, clique.graph, nullptr, &wanted, nullptr));
  const Shares shares(triangles, clique.graph, 7);
  matcha_result* const whole = merged(shares);
  ASSERT_EQ(matcha_result_rows(wanted, 0), matcha_result_rows(whole, 0));
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_TRUE(std::equal(matcha_result_ints(wanted, 0, c),
                           matcha_result_ints(wanted, 0, c) + matcha_result_rows(wanted, 0),
                           matcha_result_ints(whole, 0, c)));
  }
  matcha_result_free(whole);
  matcha_result_free(wanted);
  matcha_program_free(triangles);
}

TEST(Shares, BadInput) {
  const Clique clique(10), other(10);
  matcha_program* const triangles = pattern("triangle");
  Options options;
  for (const char* wrong : {"", "1", "1/", "/2", "2/2", "-1/2", "0/0", "1.5/2", "0/2/3", "0/99999999"}) {
    EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "share", wrong, nullptr)) << wrong;
  }
  const Shares two(triangles, clique.graph, 2), three(triangles, clique.graph, 3), elsewhere(triangles, other.graph, 2);
  matcha_result* plain = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(triangles, clique.graph, nullptr, &plain, nullptr));
  const auto refused = [](std::vector<const matcha_result*> shares) {
    matcha_result* whole = reinterpret_cast<matcha_result*>(8);
    matcha_error* error = nullptr;
    EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_result_merge(shares.data(), shares.size(), &whole, &error));
    EXPECT_EQ(nullptr, whole);
    EXPECT_NE(nullptr, error);
    const std::string text = error != nullptr ? matcha_error_text(error) : "";
    matcha_error_free(error);
    return text;
  };
  EXPECT_NE(std::string::npos, refused({}).find("no shares"));
  EXPECT_NE(std::string::npos, refused({two.results[0]}).find("share 1 is missing"));
  EXPECT_NE(std::string::npos, refused({two.results[0], two.results[0]}).find("twice"));
  EXPECT_NE(std::string::npos, refused({two.results[0], three.results[1]}).find("different runs"));
  EXPECT_NE(std::string::npos, refused({two.results[0], elsewhere.results[1]}).find("different runs"));
  EXPECT_NE(std::string::npos, refused({two.results[0], plain}).find("not that of a share"));
  EXPECT_NE(std::string::npos, refused({two.results[0], nullptr}).find("NULL"));
  matcha_result_free(plain);
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_result_merge(nullptr, 2, &plain, nullptr));
  EXPECT_EQ(nullptr, plain);
  matcha_program_free(triangles);
  // Values computed from sums have no shares.
  matcha_program* const computed = compiled(
      "def main(G: Graph):\n"
      "    return 1 + sum(apply(lambda v: size(neighbor(G, v)), vertices(G)))\n");
  Options half;
  half.set("share", "0/2");
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_RUN, matcha_run_now(computed, clique.graph, half.options, &result, &error));
  EXPECT_EQ(nullptr, result);
  EXPECT_NE(nullptr, std::strstr(matcha_error_text(error), "cannot be shared"));
  matcha_error_free(error);
  matcha_program_free(computed);
}

}  // namespace
