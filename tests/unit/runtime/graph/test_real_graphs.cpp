#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/graph/mtg.h"
#include "runtime/graph/stats.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

/// Rows of the tables of the data's README: the cells of lines that start with `| name |` for a file that is there.
std::vector<std::vector<std::string>> table_rows(const std::string& data, const std::string& suffix) {
  std::ifstream readme(data + "/README.md");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) {
      cell.erase(std::remove_if(cell.begin(), cell.end(), [](char c) { return c == ',' || c == ' '; }), cell.end());
      cells.push_back(cell);
    }
    const bool is_data =
        cells.size() > 6 && std::all_of(cells[1].begin(), cells[1].end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_data && std::filesystem::exists(data + "/" + cells[0] + suffix)) rows.push_back(cells);
  }
  return rows;
}

TEST(RealGraphs, StaticGraphsHaveTheNumbersOfTheirTable) {
  const std::optional<std::string> data = shared_data();
  if (!data) GTEST_SKIP() << "no real graphs beside the checkout";
  std::size_t seen = 0;
  std::set<std::string> names;
  for (const std::vector<std::string>& row : table_rows(*data, ".txt.gz")) {
    // The table of update streams names its graphs again.
    if (row[0].starts_with("calig") && !names.insert(row[0]).second) continue;
    const LoadedGraph loaded = load(*data + "/" + row[0] + ".txt.gz");
    const std::map<std::string, std::uint64_t> isolated = {{"ca-grqc", 1}, {"hprd", 157}, {"yeast", 11}};
    const std::uint64_t missing = isolated.count(row[0]) != 0 ? isolated.at(row[0]) : 0;
    EXPECT_EQ(loaded.report.vertices + missing, std::stoull(row[1])) << row[0];
    EXPECT_EQ(loaded.report.edges, std::stoull(row[2])) << row[0];
    EXPECT_EQ(loaded.report.max_degree, std::stoull(row[3])) << row[0];
    EXPECT_EQ(loaded.report.identity_ids, missing == 0) << row[0];
    if (missing == 0) {
      EXPECT_EQ(graph_stats(loaded.graph).median_degree, std::stoull(row[4])) << row[0];
    }
    const std::string labels = *data + "/" + row[0] + ".labels.txt.gz";
    if (std::filesystem::exists(labels)) {
      GraphSpec spec = spec_of(*data + "/" + row[0] + ".txt.gz");
      spec.labels_path = labels;
      const LoadReport report = load(spec).report;
      EXPECT_EQ(report.vertices, std::stoull(row[1])) << row[0];
      EXPECT_EQ(report.labels, std::stoull(row[6])) << row[0];
      EXPECT_EQ(report.isolated, missing) << row[0];
    }
    ++seen;
  }
  EXPECT_EQ(seen, 20U);
}

TEST(RealGraphs, TemporalGraphsHaveTheNumbersOfTheirTable) {
  const std::optional<std::string> data = shared_data();
  if (!data) GTEST_SKIP() << "no real graphs beside the checkout";
  const std::vector<std::vector<std::string>> rows = table_rows(*data, ".temporal.txt.gz");
  EXPECT_EQ(rows.size(), 2U);
  for (const std::vector<std::string>& row : rows) {
    GraphSpec spec = spec_of(*data + "/" + row[0] + ".temporal.txt.gz");
    EXPECT_EQ(load(spec).report.edges, std::stoull(row[4])) << row[0];
    EXPECT_EQ(load(spec).report.max_degree, std::stoull(row[5])) << row[0];
    spec.directed = true;
    EXPECT_EQ(load(spec).report.edges, std::stoull(row[3])) << row[0];
    spec.temporal = true;
    const LoadedGraph loaded = load(spec);
    EXPECT_EQ(loaded.report.vertices, std::stoull(row[1])) << row[0];
    EXPECT_EQ(loaded.report.edges, std::stoull(row[2])) << row[0];
    const std::int64_t* const times = static_cast<const std::int64_t*>(loaded.graph.view().edge_info);
    const auto [first, last] = std::minmax_element(times, times + loaded.graph.view().arc_count);
    EXPECT_EQ(*first, std::stoll(row[7])) << row[0];
    EXPECT_EQ(*last, std::stoll(row[8])) << row[0];
  }
}

TEST(RealGraphs, EveryQueryGraphLoads) {
  const std::optional<std::string> data = shared_data();
  if (!data) GTEST_SKIP() << "no real graphs beside the checkout";
  std::size_t seen = 0;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::recursive_directory_iterator(*data + "/queries")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.find(".tar") != std::string::npos || name == "expected_output.res") continue;
    const LoadedGraph loaded = load(entry.path().string());
    EXPECT_EQ(loaded.report.format, Format::Tve) << entry.path();
    EXPECT_GE(loaded.report.edges + 1, loaded.report.vertices) << entry.path() << ": queries are connected";
    EXPECT_GE(loaded.report.labels, 1U) << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 200U);
}

}  // namespace
}  // namespace matcha::runtime::test
