#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "runtime/common/machine.h"

namespace matcha_program {
namespace {

/// A folder like /sys/fs/cgroup, and the file that says in which groups the process is.
class FakeGroups {
 public:
  explicit FakeGroups(const std::string& own) {
    char name[] = "/tmp/matcha-groups-XXXXXX";
    folder_ = ::mkdtemp(name);
    places_.groups = folder_ + "/groups";
    places_.own_group = folder_ + "/own";
    std::ofstream(places_.own_group) << own;
  }
  ~FakeGroups() { std::filesystem::remove_all(folder_); }

  FakeGroups& file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = places_.groups + "/" + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text << "\n";
    return *this;
  }
  GroupLimits limits() const { return group_limits(places_); }

 private:
  std::string folder_;
  MachinePlaces places_;
};

constexpr std::uint64_t kNoBytes = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned kNoThreads = std::numeric_limits<unsigned>::max();

void expect_limits(const GroupLimits& limits, std::uint64_t bytes, unsigned threads) {
  EXPECT_EQ(limits.memory_bytes, bytes);
  EXPECT_EQ(limits.threads, threads);
}

TEST(Machine, LimitsOfVersionTwo) {
  FakeGroups groups("0::/pods/one\n");
  expect_limits(groups.limits(), kNoBytes, kNoThreads);
  groups.file("pods/one/memory.max", "max").file("pods/one/cpu.max", "max 100000");
  expect_limits(groups.limits(), kNoBytes, kNoThreads);
  groups.file("pods/one/memory.max", "2147483648").file("pods/one/cpu.max", "250000 100000");
  expect_limits(groups.limits(), 2147483648, 3);
  // The limits of parent groups count too.
  groups.file("pods/memory.max", "1073741824").file("pods/cpu.max", "50000 100000");
  expect_limits(groups.limits(), 1073741824, 1);
}

TEST(Machine, InAContainerTheRootIsTheGroup) {
  // With a namespace of its own the group is `/`, without one its name is that of the host and no folder here.
  for (const char* own : {"0::/\n", "0::/system.slice/docker-12ab.scope\n"}) {
    FakeGroups groups(own);
    groups.file("memory.max", "500000000").file("cpu.max", "400000 100000");
    expect_limits(groups.limits(), 500000000, 4);
  }
}

TEST(Machine, LimitsOfVersionOne) {
  FakeGroups groups("5:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n1:name=systemd:/\n0::/\n");
  groups.file("memory/docker/ab/memory.limit_in_bytes", "700000000")
      .file("memory/memory.limit_in_bytes", "9223372036854771712")
      .file("cpu,cpuacct/docker/ab/cpu.cfs_quota_us", "-1")
      .file("cpu,cpuacct/docker/ab/cpu.cfs_period_us", "100000");
  expect_limits(groups.limits(), 700000000, kNoThreads);
  groups.file("cpu,cpuacct/cpu.cfs_quota_us", "150000").file("cpu,cpuacct/cpu.cfs_period_us", "100000");
  expect_limits(groups.limits(), 700000000, 2);
}

TEST(Machine, WordsThatAreNoNumbersSayNothing) {
  FakeGroups groups("0::/\nnonsense\n0:only\n");
  for (const char* text : {"", "lots", "-5", "12x", "99999999999999999999999"}) {
    groups.file("memory.max", text).file("cpu.max", std::string(text) + " 100000");
    expect_limits(groups.limits(), kNoBytes, kNoThreads);
  }
  groups.file("cpu.max", "0 0");
  expect_limits(groups.limits(), kNoBytes, kNoThreads);
  FakeGroups none("");
  expect_limits(none.limits(), kNoBytes, kNoThreads);
}

TEST(Machine, TheSmallestLimitCounts) {
  GroupLimits limits;
  const std::uint64_t all = usable_memory(limits);
  EXPECT_GT(all, 0U);
  limits.memory_bytes = all + 1;
  EXPECT_EQ(usable_memory(limits), all);
  limits.memory_bytes = all / 2;
  EXPECT_EQ(usable_memory(limits), all / 2);
  limits.threads = 1;
  EXPECT_EQ(usable_threads(limits), 1U);
  limits.threads = 0;
  EXPECT_EQ(usable_threads(limits), 1U);
}

TEST(Machine, ThreadsFollowTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(usable_threads(GroupLimits{}), static_cast<unsigned>(CPU_COUNT(&before)));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(usable_threads(GroupLimits{}), 1U);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace matcha_program
