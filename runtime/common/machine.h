// The memory and the processors that a process may use: those of the machine, or fewer in a container or under a job
// scheduler. For the host only; programs compiled ahead of time include this text too.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace matcha_program {

/// The limits of control groups; "no limit" is the largest number.
struct GroupLimits {
  std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();
  unsigned threads = std::numeric_limits<unsigned>::max();

  void take_memory(std::uint64_t bytes) { memory_bytes = std::min(memory_bytes, bytes); }
  /// Processor time in microseconds for each period.
  void take_quota(std::uint64_t quota, std::uint64_t period) {
    if (quota == 0 || period == 0) return;
    threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, (quota + period - 1) / period));
  }
};

/// The files where Linux reports them. Tests use their own folder.
struct MachinePlaces {
  std::string groups = "/sys/fs/cgroup";
  std::string own_group = "/proc/self/cgroup";
};

/// The numbers at the start of a file, up to a word such as `max` or `-1`.
inline std::vector<std::uint64_t> numbers_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::uint64_t> numbers;
  std::string word;
  while (file >> word) {
    char* end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(word.c_str(), &end, 10);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0) break;
    numbers.push_back(number);
  }
  return numbers;
}

/// `/a/b`, `/a` and the root: the limits of all enclosing groups apply. In a container the names of outer groups may be
/// included, and missing folders set no limit.
inline std::vector<std::string> group_and_parents(std::string group) {
  std::vector<std::string> groups;
  while (!group.empty() && group != "/") {
    groups.push_back(group);
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  groups.emplace_back();
  return groups;
}

/// Limits of the control groups, version 1 and 2, that this process is in.
inline GroupLimits group_limits(const MachinePlaces& places = {}) {
  GroupLimits limits;
  std::ifstream own(places.own_group);
  std::string line;
  while (std::getline(own, line)) {  // `0::/a/b` in version 2, `4:cpu,cpuacct:/a/b` in version 1.
    const std::size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string names = "," + controllers + ",";
    for (const std::string& group : group_and_parents(line.substr(second + 1))) {
      if (controllers.empty()) {
        const std::string folder = places.groups + group;
        const std::vector<std::uint64_t> memory = numbers_in(folder + "/memory.max"),
                                         cpu = numbers_in(folder + "/cpu.max");
        if (!memory.empty()) limits.take_memory(memory[0]);
        if (cpu.size() == 2) limits.take_quota(cpu[0], cpu[1]);
        continue;
      }
      const std::string folder = places.groups + "/" + controllers + group;
      if (names.find(",memory,") != std::string::npos) {
        const std::vector<std::uint64_t> memory = numbers_in(folder + "/memory.limit_in_bytes");
        if (!memory.empty()) limits.take_memory(memory[0]);
      }
      if (names.find(",cpu,") != std::string::npos) {
        const std::vector<std::uint64_t> quota = numbers_in(folder + "/cpu.cfs_quota_us"),
                                         period = numbers_in(folder + "/cpu.cfs_period_us");
        if (!quota.empty() && !period.empty()) limits.take_quota(quota[0], period[0]);
      }
    }
  }
  return limits;
}

/// Processors that the process may run on, within its CPU-time limit, if any, rounded up.
inline unsigned usable_threads(const GroupLimits& limits = group_limits()) {
  unsigned threads = std::thread::hardware_concurrency();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) threads = static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1U, std::min(threads, limits.threads));
}

/// The most bytes of memory that the process may use; 0 if unknown.
inline std::uint64_t usable_memory(const GroupLimits& limits = group_limits()) {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  const bool known = pages > 0 && page_bytes > 0;
  const std::uint64_t all = known ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : 0;
  const bool limited = limits.memory_bytes != std::numeric_limits<std::uint64_t>::max();
  return limited && (!known || limits.memory_bytes < all) ? limits.memory_bytes : all;
}

}  // namespace matcha_program
