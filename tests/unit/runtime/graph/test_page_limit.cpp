#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/page_limit.h"
#include "tests/unit/runtime/graph/support.h"

#include <sys/mman.h>
#include <unistd.h>

namespace matcha::runtime::test {
namespace {

/// Bytes of a mapped file that are in the memory of this process, by its page table.
std::uint64_t present(std::string_view bytes) {
  const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::FILE* const file = std::fopen("/proc/self/pagemap", "rb");
  if (file == nullptr) return 0;
  std::uint64_t found = 0;
  for (std::uint64_t at = 0; at < bytes.size(); at += page) {
    std::uint64_t entry = 0;
    const std::uint64_t number = (reinterpret_cast<std::uintptr_t>(bytes.data()) + at) / page;
    if (std::fseek(file, static_cast<long>(number * sizeof(entry)), SEEK_SET) != 0) break;
    if (std::fread(&entry, sizeof(entry), 1, file) != 1) break;
    if (entry >> 63 != 0) found += page;
  }
  std::fclose(file);
  return found;
}

std::uint64_t sum_of(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (const char byte : bytes) sum += static_cast<unsigned char>(byte);
  return sum;
}

std::string some_content() {
  std::string content;
  for (std::uint64_t at = 0; at < std::uint64_t{24} << 20; ++at) content.push_back(static_cast<char>(at * 7 >> 3));
  return content;
}

/// The system counts by some pages at a time, of each processor, and may map 2 MiB at once.
constexpr std::uint64_t kMost = std::uint64_t{5} << 20;

/// Independent of the load of the machine: the reading thread tests it itself.
TEST(PageLimit, ThreadsThatLookHaveLittleInMemory) {
  const TemporaryFolder folder;
  const std::string content = some_content();
  const std::string path = folder.file("f", content);
  const Result<detail::WholeFile> file = detail::read_whole(path, {});
  ASSERT_TRUE(file && file->is_mapped);
  if (sum_of(file->bytes) == 0 || present(file->bytes) == 0)
    GTEST_SKIP() << "the system does not tell what is in memory";
  EXPECT_FALSE(PageLimit::is_any());
  PageLimit limit(std::uint64_t{2} << 20);
  limit.watch(file->bytes, file->owner);
  EXPECT_TRUE(PageLimit::is_any());
  std::uint64_t sum = 0, most = 0;
  constexpr std::uint64_t kStep = std::uint64_t{1} << 18;
  for (std::uint64_t at = 0; at < content.size(); at += kStep) {
    PageLimit::check();
    sum += sum_of(file->bytes.substr(at, kStep));
    most = std::max(most, present(file->bytes));
  }
  EXPECT_EQ(sum, sum_of(content));
  EXPECT_LE(most, kMost);
}

TEST(PageLimit, PagesAreLetGoOfAndReadAgain) {
  const TemporaryFolder folder;
  const std::string content = some_content();
  const std::string path = folder.file("f", content);
  const Result<detail::WholeFile> file = detail::read_whole(path, {});
  ASSERT_TRUE(file && file->is_mapped);
  EXPECT_EQ(sum_of(file->bytes), sum_of(content));
  const std::uint64_t all = present(file->bytes);
  if (all == 0) GTEST_SKIP() << "the system does not tell what is in memory";
  EXPECT_EQ(all, content.size());
  PageLimit limit(std::uint64_t{2} << 20);
  limit.watch(file->bytes, file->owner);
  limit.expect_random_access();
  EXPECT_TRUE(limit.holds(file->bytes.data()) && limit.holds(file->bytes.data() + content.size() - 1));
  EXPECT_FALSE(limit.holds(content.data()) || limit.holds(file->bytes.data() + content.size()));
  limit.drop(file->bytes.data(), content.size());
  EXPECT_EQ(present(file->bytes), 0U);
  limit.expect(file->bytes.data() + 5000, 1 << 20);
  EXPECT_EQ(sum_of(file->bytes), sum_of(content));
  for (int turn = 0; turn < 60'000 && present(file->bytes) > kMost; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LE(present(file->bytes), kMost);
  EXPECT_EQ(sum_of(file->bytes), sum_of(content));
}

}  // namespace
}  // namespace matcha::runtime::test
