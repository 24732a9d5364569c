#include "runtime/graph/page_limit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

namespace matcha::runtime {

namespace {

constexpr std::chrono::milliseconds kWatchInterval{1};
/// The system maps some megabytes of cached pages per millisecond and thread; a check takes a microsecond or two.
constexpr std::chrono::microseconds kCheckInterval{20};

/// The memory of this process as Linux reports it.
class ProcessMemory {
 public:
  ProcessMemory() : file_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}
  ~ProcessMemory() {
    if (file_ >= 0) (void)::close(file_);
  }
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  /// Resident bytes of mapped files, including those of the program; 0: not reported.
  std::uint64_t of_files() const {
    char text[128] = "";
    if (file_ < 0 || ::pread(file_, text, sizeof(text) - 1, 0) <= 0) return 0;
    unsigned long long all = 0, resident = 0, shared = 0;
    if (std::sscanf(text, "%llu %llu %llu", &all, &resident, &shared) != 3) return 0;
    return shared * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }

 private:
  int file_;
};

thread_local PageLimit* reading_limit = nullptr;

/// All limits of the process.
struct LimitsInForce {
  std::shared_mutex guard;  ///< Held shared by readers.
  std::vector<PageLimit*> limits;
  std::atomic<int> count{0};
};

LimitsInForce& limits() {
  static LimitsInForce all;
  return all;
}

/// Advises the system about the pages with the bytes [first, first + count) of a mapped file, and the pages that it
/// maps together with them.
void advise(std::string_view file, const void* first, std::uint64_t count, int advice) {
  constexpr std::uintptr_t kPage = 4096, kMappedTogether = 16 * kPage;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(file.data());
  const std::uintptr_t end = (begin + file.size() + kPage - 1) / kPage * kPage;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t from = std::max(begin, at / kMappedTogether * kMappedTogether);
  const std::uintptr_t to = std::min(end, (at + count + kMappedTogether - 1) / kMappedTogether * kMappedTogether);
  if (from < to) (void)::madvise(reinterpret_cast<void*>(from), to - from, advice);
}

}  // namespace

PageLimit::Reading::Reading(PageLimit* maybe_limit) : before_(std::exchange(reading_limit, maybe_limit)) {}
PageLimit::Reading::~Reading() { reading_limit = before_; }
PageLimit* PageLimit::of_reading() { return reading_limit; }

PageLimit::PageLimit(std::uint64_t bytes) : bytes_(bytes) {
  LimitsInForce& all = limits();
  const std::unique_lock<std::shared_mutex> lock(all.guard);
  all.limits.push_back(this);
  all.count.fetch_add(1, std::memory_order_relaxed);
}

PageLimit::~PageLimit() {
  {
    LimitsInForce& all = limits();
    const std::unique_lock<std::shared_mutex> lock(all.guard);
    std::erase(all.limits, this);
    all.count.fetch_sub(1, std::memory_order_relaxed);
  }
  ends_.store(true, std::memory_order_relaxed);
  if (watcher_.joinable()) watcher_.join();
}

bool PageLimit::is_any() { return limits().count.load(std::memory_order_relaxed) != 0; }

void PageLimit::check() {
  if (!is_any()) return;
  thread_local std::chrono::steady_clock::time_point next_check;
  const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
  if (now < next_check) return;
  {
    LimitsInForce& all = limits();
    const std::shared_lock<std::shared_mutex> lock(all.guard);
    for (PageLimit* limit : all.limits) limit->enforce();
  }
  next_check = std::chrono::steady_clock::now() + kCheckInterval;
}

void PageLimit::watch(std::string_view file, std::shared_ptr<const void> owner) {
  {
    const std::lock_guard<std::mutex> lock(guard_);
    files_.push_back({file, std::move(owner)});
  }
  others_.store(count_others(), std::memory_order_relaxed);
  if (!watcher_.joinable()) watcher_ = std::thread([this] { watch_pages(); });
}

void PageLimit::expect_random_access() {
  const std::lock_guard<std::mutex> lock(guard_);
  for (const File& file : files_) advise(file.bytes, file.bytes.data(), file.bytes.size(), MADV_RANDOM);
}

void PageLimit::expect(const void* items, std::uint64_t bytes) const {
  const std::lock_guard<std::mutex> lock(guard_);
  for (const File& file : files_) advise(file.bytes, items, bytes, MADV_WILLNEED);
}

void PageLimit::drop(const void* items, std::uint64_t bytes) const {
  const std::lock_guard<std::mutex> lock(guard_);
  for (const File& file : files_) advise(file.bytes, items, bytes, MADV_DONTNEED);
}

bool PageLimit::holds(const void* item) const {
  const char* const place = static_cast<const char*>(item);
  const std::lock_guard<std::mutex> lock(guard_);
  return std::ranges::any_of(files_, [place](const File& file) {
    return place >= file.bytes.data() && place < file.bytes.data() + file.bytes.size();
  });
}

std::optional<std::uint64_t> PageLimit::resident() const {
  std::FILE* const maps = std::fopen("/proc/self/smaps", "re");
  if (maps == nullptr) return std::nullopt;
  const auto is_of_files = [this](std::uintptr_t place) { return holds(reinterpret_cast<const void*>(place)); };
  char line[512];
  bool counts = false;
  std::uint64_t found = 0;
  while (std::fgets(line, sizeof(line), maps) != nullptr) {
    unsigned long long begin = 0, end = 0, kib = 0;
    if (std::sscanf(line, "%llx-%llx ", &begin, &end) == 2) {
      counts = is_of_files(static_cast<std::uintptr_t>(begin));
    } else if (counts && std::sscanf(line, "Rss: %llu kB", &kib) == 1) {
      found += std::uint64_t{kib} << 10;
    }
  }
  std::fclose(maps);
  return found;
}

std::uint64_t PageLimit::count_others() const {
  const ProcessMemory memory;
  // Pages change meanwhile. Underestimating other mappings is safe; overestimating would keep pages of the files.
  const std::uint64_t before = memory.of_files();
  const std::optional<std::uint64_t> ours = resident();
  const std::uint64_t least = std::min(before, memory.of_files());
  return ours ? least - std::min(least, *ours) : least;
}

void PageLimit::enforce() {
  // Counting other mappings takes longer than dropping the files, so it is done rarely.
  constexpr std::uint64_t kDropsACount = 64;
  static const ProcessMemory memory;
  const auto is_too_much = [this] { return memory.of_files() > others_.load(std::memory_order_relaxed) + bytes_; };
  if (!is_too_much()) return;
  const std::lock_guard<std::mutex> lock(drops_guard_);
  if (!is_too_much()) return;
  {
    const std::lock_guard<std::mutex> files(guard_);
    for (const File& file : files_) advise(file.bytes, file.bytes.data(), file.bytes.size(), MADV_DONTNEED);
  }
  if (++drops_ % kDropsACount == 0) others_.store(count_others(), std::memory_order_relaxed);
}

void PageLimit::watch_pages() {
  while (!ends_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(kWatchInterval);
    enforce();
  }
}

}  // namespace matcha::runtime
