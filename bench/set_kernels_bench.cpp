#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/cpu/set_kernels.h"

/// Time of a set kernel on pairs of random lists. Hundreds of pairs whose lengths vary by a quarter are walked in turn,
/// so the branch predictor cannot learn them and the lists come from L2; a tenth of the shorter list is common.
namespace matcha::runtime {
namespace {

struct Pair {
  std::uint64_t a, na, b, nb;
};

struct Workload {
  std::vector<std::uint32_t> pool;
  std::vector<Pair> pairs;
  std::uint64_t items = 0;
};

constexpr std::uint64_t kPoolItems = 200'000;

std::vector<std::uint32_t> sample(std::mt19937_64& random, std::uint64_t count, std::uint64_t universe) {
  std::vector<std::uint32_t> items;
  for (std::uint64_t i = 0; items.size() < count; ++i) {
    if (random() % (universe - i) < count - items.size()) items.push_back(static_cast<std::uint32_t>(i));
  }
  return items;
}

Workload make_workload(std::uint64_t na, std::uint64_t nb) {
  std::mt19937_64 random(na * 1'000'003 + nb);
  Workload work;
  while (work.items < kPoolItems || work.pairs.size() < 16) {
    std::uint64_t sizes[2] = {na - random() % (na / 4 + 1), nb - random() % (nb / 4 + 1)};
    std::uint64_t starts[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<std::uint32_t> list = sample(random, sizes[side], std::max(na, nb) * 10);
      starts[side] = work.pool.size();
      work.pool.insert(work.pool.end(), list.begin(), list.end());
    }
    work.pairs.push_back({starts[0], sizes[0], starts[1], sizes[1]});
    work.items += sizes[0] + sizes[1];
  }
  return work;
}

using Kernel = std::uint64_t (*)(const SetKernels&, const std::uint32_t*, const Pair&, std::uint32_t*);

void measure(benchmark::State& state, Tier tier, Kernel kernel) {
  Workload work = make_workload(static_cast<std::uint64_t>(state.range(0)), static_cast<std::uint64_t>(state.range(1)));
  const SetKernels& kernels = set_kernels(tier);
  std::vector<std::uint32_t> out(static_cast<std::uint64_t>(std::max(state.range(0), state.range(1))) + 16);
  std::uint64_t passes = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::uint64_t found = 0;
    for (const Pair& pair : work.pairs) found += kernel(kernels, work.pool.data(), pair, out.data());
    benchmark::DoNotOptimize(found);
    ++passes;
  }
  double operations = static_cast<double>(passes) * static_cast<double>(work.pairs.size());
  double items = static_cast<double>(passes) * static_cast<double>(work.items);
  using benchmark::Counter;
  state.counters["ns_per_op"] = Counter(operations * 1e-9, Counter::kIsRate | Counter::kInvert);
  state.counters["items_per_ns"] = Counter(items * 1e-9, Counter::kIsRate);
}

void register_tier(Tier tier) {
  struct Operation {
    const char* name;
    Kernel kernel;
  };
  const Operation operations[] = {
      {"intersect_count", [](const SetKernels& k, const std::uint32_t* p, const Pair& x,
                             std::uint32_t*) { return k.intersect_count(p + x.a, x.na, p + x.b, x.nb); }},
      {"intersect", [](const SetKernels& k, const std::uint32_t* p, const Pair& x,
                       std::uint32_t* out) { return k.intersect(p + x.a, x.na, p + x.b, x.nb, out); }},
      {"diff", [](const SetKernels& k, const std::uint32_t* p, const Pair& x,
                  std::uint32_t* out) { return k.diff(p + x.a, x.na, p + x.b, x.nb, out); }},
      {"lower_bound", [](const SetKernels& k, const std::uint32_t* p, const Pair& x,
                         std::uint32_t*) { return k.lower_bound(p + x.b, x.nb, p[x.a + x.na / 2]); }},
  };
  const std::int64_t sizes[][2] = {{4, 4},       {5, 12},      {12, 12},   {16, 100},  {24, 24},   {30, 60},
                                   {48, 48},     {60, 200},    {100, 100}, {150, 200}, {200, 200}, {256, 256},
                                   {1000, 1000}, {4096, 4096}, {5, 1000},  {16, 1000}, {60, 1000}, {100, 4000},
                                   {16, 16000},  {100, 16000}, {1000, 30}};
  for (const Operation& operation : operations) {
    std::string name = std::string(operation.name) + "/" + std::string(tier_name(tier));
    auto* bench = benchmark::RegisterBenchmark(
        name.c_str(), [tier, kernel = operation.kernel](benchmark::State& state) { measure(state, tier, kernel); });
    for (const std::int64_t(&size)[2] : sizes) bench->Args({size[0], size[1]});
  }
}

}  // namespace
}  // namespace matcha::runtime

int main(int argc, char** argv) {
  for (matcha::runtime::Tier tier : matcha::runtime::supported_tiers()) matcha::runtime::register_tier(tier);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
