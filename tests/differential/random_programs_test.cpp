#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "tests/differential/check.h"
#include "tests/differential/generator.h"

namespace matcha::differential {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Random programs give the same result in every stage. Environment variables: MATCHA_SEED, the seed of the first
/// program, each later one has the next seed; MATCHA_PROGRAMS, their number. MATCHA_PART: `ctest` runs several parts
/// side by side, with different seeds. MATCHA_LLVM=0 leaves out compiled code. MATCHA_FAILURES: the test ends after
/// this many failures. MATCHA_CUDA=N: every N-th program also runs on the GPU that MATCHA_LIBCUDA and MATCHA_NVRTC
/// name; 0: none.
TEST(RandomPrograms, EveryStageAgreesWithDirectEvaluation) {
  const std::uint64_t first = from_environment("MATCHA_SEED", 1) + from_environment("MATCHA_PART", 0) * 1'000'000;
  const std::uint64_t count = from_environment("MATCHA_PROGRAMS", 250);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  Checks checks;
  checks.llvm = from_environment("MATCHA_LLVM", 1) != 0;
  const std::uint64_t every = from_environment("MATCHA_CUDA", 0);
  static constexpr std::uint32_t kGroups[] = {1, 8, 32, 2};
  const int max_failures = static_cast<int>(from_environment("MATCHA_FAILURES", 3));
  Tally tally;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < max_failures; ++seed) {
    World world = random_world(seed);
    Program program = seed % 6 == 0 ? random_nest(seed, world) : random_program(seed, world);
    checks.seed = seed;
    checks.group = every != 0 && seed % every == 0 ? kGroups[seed / every % std::size(kGroups)] : 0;
    std::optional<Failure> failure = check(program, world, checks, tally);
    if (!failure) continue;
    ++failures;
    Program small = shrink(program, world, checks, failure->stage);
    Tally ignored;
    failure = check(small, world, checks, ignored);
    ADD_FAILURE() << "MATCHA_SEED=" << seed << " fails: " << failure->stage << "\n"
                  << to_text(small) << "\n"
                  << world.to_text() << "\n"
                  << failure->message;
  }
  for (const auto& [what, times] : tally.counts) {
    std::printf("%8llu %s\n", static_cast<unsigned long long>(times), what.c_str());
  }
  // Enough programs for each kind to occur well above the required number, for any change of the generator.
  if (failures == 0 && count >= 700) {
    EXPECT_GE(tally.counts["computed"], count / 2);
    EXPECT_GE(tally.counts["trapped"], count / 200);
    EXPECT_GE(tally.counts["planned"], count / 2);
    EXPECT_GE(tally.counts["changed by count-wedges"], count / 100);
    EXPECT_GE(tally.counts["by the tool"], count / 8);
    EXPECT_GE(tally.counts["by the tool with ranks by degree"], count / 200);
    EXPECT_GE(tally.counts["by the tool with assumptions"], count / 50);
    EXPECT_LE(tally.counts["trapped early"], count / 20);
    if (every != 0) {
      EXPECT_GE(tally.counts["run on the emulated device"] + tally.counts["by the tool on the emulated device"],
                count / every / 4);
    }
  }
}

}  // namespace
}  // namespace matcha::differential
