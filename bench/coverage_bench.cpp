// How often the intervals of `--within` have the true number, over many seeds, and how many draws they take.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/truth_cells.h"
#include "question/symmetry.h"
#include "runtime/graph/inputs.h"
#include "runtime/sample/bounded_draws.h"
#include "session/drawn_pattern.h"

namespace {

using matcha::bench::TruthCell;
using matcha::pattern::Pattern;
namespace sample = matcha::runtime::sample;

struct Options {
  double within = 0.01;
  double confidence = sample::kConfidence;
  bool certain = false;
  std::uint64_t seeds = 200;
  double most_draws = 2e5;  ///< A cell that needs more is not audited.
};

struct Totals {
  int printed = 0, refused = 0, long_ones = 0, broken = 0;
  std::uint64_t intervals = 0, right = 0;
  double worst = 1;
};

/// The probability that at least `misses` of `intervals` intervals miss, if each misses with probability `miss`.
double chance_of(std::uint64_t misses, std::uint64_t intervals, double miss) {
  const double all = static_cast<double>(intervals);
  double chance = 0;
  for (std::uint64_t i = misses; i <= intervals; ++i) {
    const double of = static_cast<double>(i);
    chance += std::exp(std::lgamma(all + 1) - std::lgamma(of + 1) - std::lgamma(all - of + 1) + of * std::log(miss) +
                       (all - of) * std::log1p(-miss));
  }
  return chance;
}

/// Prints a line: the share of the intervals that have the true number.
void audit(const TruthCell& cell, const matcha::runtime::Graph& graph, const Options& options, Totals& totals) {
  const Pattern pattern = cell.pattern();
  if (pattern.size() < 3) return;
  const double maps = static_cast<double>(matcha::pattern::Symmetry(pattern).order().value_or(1));
  matcha::runtime::Result<matcha::session::DrawnPattern> drawn =
      matcha::session::drawn_pattern(pattern, cell.induction(), graph, nullptr);
  if (!drawn) return;  // Of a graph without labels of edges and arcs nothing is made.
  const sample::BoundedDraws draws(std::move(drawn->lists), std::move(drawn->vertices));
  const std::string name = cell.graph + "," + cell.name + "," + cell.induced;
  std::uint64_t none = 0, right = 0, intervals = 0;
  double needed = 0, error = 0, ratio = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    sample::WithinRun run(draws, {options.within, options.confidence, seed, options.certain});
    if (seed == 1 && run.draws_needed() && static_cast<double>(*run.draws_needed()) > options.most_draws) {
      ++totals.long_ones;
      std::printf("%s,%.6g,long,%.3g draws\n", name.c_str(), cell.count, static_cast<double>(*run.draws_needed()));
      return;
    }
    const auto found = run.draws_needed() ? run.run({}) : std::nullopt;
    if (!found) {
      // If the first seeds decide nothing, the others hardly will.
      constexpr std::uint64_t kAllRefused = 10;
      if (++none == seed && seed == kAllRefused) break;
      continue;
    }
    const double off = std::abs(found->value / maps - cell.count);
    ++intervals;
    right += off <= found->half_width / maps ? 1 : 0;
    needed += static_cast<double>(found->draws);
    error += off / std::max(cell.count, 1.0);
    ratio = found->most_over_mean;
  }
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (intervals == 0) {
    ++totals.refused;
    std::printf("%s,%.6g,refused\n", name.c_str(), cell.count);
    return;
  }
  const double share = static_cast<double>(right) / static_cast<double>(intervals);
  const double each = 1 / static_cast<double>(intervals);
  ++totals.printed;
  totals.intervals += intervals;
  totals.right += right;
  totals.worst = std::min(totals.worst, share);
  // Of some hundred cells none should be called broken by chance.
  constexpr double kRare = 1e-4;
  const bool is_broken = chance_of(intervals - right, intervals, 1 - options.confidence) < kRare;
  totals.broken += is_broken ? 1 : 0;
  std::printf("%s,%.6g,%s%.1f%% of %llu,%.3g draws,error %.2g%%,most/mean %.3g,%.1f ms each\n", name.c_str(),
              cell.count, is_broken ? "WRONG: " : "", 100 * share, static_cast<unsigned long long>(intervals),
              needed * each, 100 * error * each, ratio, ms / static_cast<double>(options.seeds));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  Options options;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--within" && has_value) {
      options.within = std::atof(words[++i].c_str()) / 100;
    } else if (words[i] == "--seeds" && has_value) {
      options.seeds = static_cast<std::uint64_t>(std::atoll(words[++i].c_str()));
    } else if (words[i] == "--draws" && has_value) {
      options.most_draws = std::atof(words[++i].c_str());
    } else if (words[i] == "--confidence" && has_value) {
      options.confidence = std::atof(words[++i].c_str()) / 100;
    } else if (words[i] == "--certain") {
      options.certain = true;
    } else {
      files.push_back(words[i]);
    }
  }
  if (files.size() < 2 || options.seeds == 0 || !(options.within > 0)) {
    std::fprintf(stderr,
                 "usage: bench_coverage TRUTH.csv GRAPH… [--within PERCENT] [--confidence PERCENT] [--certain] "
                 "[--seeds N] [--draws MOST]\n");
    return 2;
  }
  Totals totals;
  for (std::size_t at = 1; at < files.size(); ++at) {
    matcha::runtime::GraphSpec spec;
    spec.name = "G";
    spec.path = files[at];
    const auto loaded = matcha::runtime::load_graph(spec);
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().render().c_str());
      return 1;
    }
    for (const TruthCell& cell : matcha::bench::truth_cells(files[0], spec.path)) {
      audit(cell, loaded->graph, options, totals);
    }
  }
  std::printf(
      "# within %.3g%%: %d cells with intervals, %d refused, %d too long; %llu of %llu intervals right (%.2f%%), worst "
      "cell %.1f%%, %d cells miss more often than they promise\n",
      100 * options.within, totals.printed, totals.refused, totals.long_ones,
      static_cast<unsigned long long>(totals.right), static_cast<unsigned long long>(totals.intervals),
      100 * static_cast<double>(totals.right) / std::max(1.0, static_cast<double>(totals.intervals)),
      100 * totals.worst, totals.broken);
  return totals.broken == 0 ? 0 : 1;
}
