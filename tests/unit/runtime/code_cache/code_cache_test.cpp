#include "runtime/code_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/cuda/scratch_folder.h"

namespace matcha::runtime {
namespace {

namespace fs = std::filesystem;

std::string key_of(std::vector<std::string_view> parts) { return CodeCache::key(parts); }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// In place: the file keeps its permissions.
void write_file(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

class CodeCacheTest : public testing::Test {
 protected:
  fs::path file(const std::string& name) const { return fs::path(folder_) / name; }
  std::ptrdiff_t files_there() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  /// Makes the file look as if it was last used this many minutes ago.
  void age(const std::string& name, int minutes) const {
    fs::last_write_time(file(name), fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  }
  /// Expects that the file of `name_` is rejected with this note, and that storing replaces it.
  void expect_replaced(const char* note) const {
    const CodeCache::Found found = cache_.load(name_);
    EXPECT_FALSE(found.code);
    EXPECT_NE(found.note.find(note), std::string::npos) << found.note;
    ASSERT_EQ(cache_.store(name_, "compiled again"), "");
    const CodeCache::Found again = cache_.load(name_);
    EXPECT_EQ(again.code, "compiled again");
    EXPECT_EQ(again.note, "");
  }
  /// Expects that nothing is read from the folder or written to it, and that both functions return this note.
  void expect_distrusted(const CodeCache& cache, const char* note) const {
    const CodeCache::Found found = cache.load(name_);
    EXPECT_FALSE(found.code);
    EXPECT_NE(found.note.find(note), std::string::npos) << found.note;
    EXPECT_EQ(cache.store(name_, "other code"), found.note);
    EXPECT_EQ(cache.problem(), found.note);
    EXPECT_EQ(cache.size().files, 0U);
  }

  cuda::ScratchFolder scratch_;
  std::string folder_ = scratch_.path() + "/deep/code";
  CodeCache cache_{folder_};
  std::string name_ = key_of({"a program"}) + ".o";
};

TEST(CodeCacheKey, DependsOnEveryTextAndOnWhereItEnds) {
  const std::set<std::string> keys = {key_of({"a", "b"}), key_of({"b", "a"}),     key_of({"ab"}),
                                      key_of({"", "ab"}), key_of({"a", "b", ""}), key_of({}),
                                      key_of({"a", "c"}), key_of({"ab", ""})};
  EXPECT_EQ(keys.size(), 8U);
  EXPECT_EQ(key_of({"a", "b"}), key_of({"a", "b"}));
  EXPECT_EQ(key_of({"a"}).size(), 32U);
  EXPECT_EQ(key_of({"a"}).find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST_F(CodeCacheTest, MissThenHit) {
  const CodeCache::Found miss = cache_.load(name_);
  EXPECT_FALSE(miss.code);
  EXPECT_EQ(miss.note, "") << "that nothing is there is no news";
  const std::string code("\0machine code\n\xFF", 15);
  ASSERT_EQ(cache_.store(name_, code), "");
  const CodeCache::Found hit = cache_.load(name_);
  EXPECT_EQ(hit.code, code);
  EXPECT_EQ(hit.note, "");
  ASSERT_EQ(cache_.store(name_, ""), "") << "a file can be replaced";
  EXPECT_EQ(cache_.load(name_).code, "");
  EXPECT_EQ(files_there(), 1);
}

TEST_F(CodeCacheTest, ItsFilesArePrivateToTheUser) {
  const mode_t before = ::umask(0);
  EXPECT_EQ(cache_.store(name_, "code"), "");
  ::umask(before);
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file(name_)).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CodeCacheTest, DamagedFilesAreNotTaken) {
  ASSERT_EQ(cache_.store(name_, "some machine code"), "");
  const std::string whole = read_file(file(name_));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file(file(name_), damaged);
    EXPECT_FALSE(cache_.load(name_).code) << "one bit is wrong";
    write_file(file(name_), whole.substr(0, at));
    EXPECT_FALSE(cache_.load(name_).code) << "the end is missing";
  }
  write_file(file(name_), whole + "x");
  EXPECT_FALSE(cache_.load(name_).code) << "something follows";
  expect_replaced("is damaged");
}

TEST_F(CodeCacheTest, FileUnderAnotherNameIsNotTaken) {
  ASSERT_EQ(cache_.store(name_, "code"), "");
  const std::string other = key_of({"another program"}) + ".o";
  fs::copy_file(file(name_), file(other));
  EXPECT_FALSE(cache_.load(other).code);
}

TEST_F(CodeCacheTest, FileThatOthersMayWriteIsNotTaken) {
  for (const fs::perms perms : {fs::perms::others_write, fs::perms::group_write}) {
    ASSERT_EQ(cache_.store(name_, "code"), "");
    fs::permissions(file(name_), perms, fs::perm_options::add);
    expect_replaced("may be written by others");
  }
}

TEST_F(CodeCacheTest, LinkIsNotFollowed) {
  ASSERT_EQ(cache_.store(name_, "code"), "");
  const fs::path elsewhere = scratch_.path() + "/elsewhere";
  fs::rename(file(name_), elsewhere);
  fs::create_symlink(elsewhere, file(name_));
  const std::string there = read_file(elsewhere);
  expect_replaced("is a link");
  EXPECT_EQ(read_file(elsewhere), there) << "the link is replaced, not what it leads to";
}

TEST_F(CodeCacheTest, PipeIsNotWaitedFor) {
  ASSERT_EQ(cache_.store(name_, "code"), "");
  fs::remove(file(name_));
  ASSERT_EQ(::mkfifo(file(name_).c_str(), 0600), 0);
  expect_replaced("is no plain file");
}

TEST_F(CodeCacheTest, FolderThatOthersMayWriteIsNotUsed) {
  ASSERT_EQ(cache_.store(name_, "code"), "");
  for (const fs::perms perms : {fs::perms::others_write, fs::perms::group_write}) {
    fs::permissions(folder_, perms, fs::perm_options::add);
    expect_distrusted(cache_, "may be written by others");
    fs::permissions(folder_, perms, fs::perm_options::remove);
    EXPECT_EQ(cache_.load(name_).code, "code");
  }
}

TEST_F(CodeCacheTest, FolderBehindALinkIsNotUsed) {
  ASSERT_EQ(cache_.store(name_, "code"), "");
  const std::string link = scratch_.path() + "/link";
  fs::create_directory_symlink(folder_, link);
  expect_distrusted(CodeCache(link), "is a link");
}

TEST_F(CodeCacheTest, FilesOfAnotherUserAreIgnored) {
  if (::geteuid() != 0) GTEST_SKIP() << "[SKIP] only root can give files away";
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(cache_.store(name_, "code"), "");
  ASSERT_EQ(::chown(file(name_).c_str(), kNobody, kNobody), 0);
  expect_replaced("belongs to another user");
  ASSERT_EQ(::chown(folder_.c_str(), kNobody, kNobody), 0);
  expect_distrusted(cache_, "belongs to another user");
}

TEST_F(CodeCacheTest, FolderThatCannotBeMadeIsANote) {
  write_file(scratch_.path() + "/file", "in the way");
  const CodeCache blocked(scratch_.path() + "/file/code");
  EXPECT_NE(blocked.store(name_, "x").find("cannot be written"), std::string::npos);
  EXPECT_FALSE(blocked.load(name_).code);
  EXPECT_EQ(blocked.size().files, 0U);
}

TEST_F(CodeCacheTest, PlaceThatIsTakenIsANote) {
  fs::create_directories(file(name_) / "inside");
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_NE(cache_.store(name_, "x").find("cannot be written"), std::string::npos);
  EXPECT_FALSE(cache_.load(name_).code);
  EXPECT_EQ(files_there(), 1) << "unfinished files are left";
}

TEST_F(CodeCacheTest, ReadOnlyFolderIsRead) {
  ASSERT_EQ(cache_.store(name_, "code"), "");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(cache_.load(name_).code, "code");
  const bool anyway = static_cast<bool>(std::ofstream(folder_ + "/probe"));
  if (!anyway) {
    EXPECT_NE(cache_.store(name_, "x").find("cannot be written"), std::string::npos);
  }
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(CodeCacheTest, WithoutAFolderNothingIsKept) {
  const CodeCache none("");
  EXPECT_EQ(none.store(name_, "x"), "");
  EXPECT_FALSE(none.load(name_).code);
  EXPECT_EQ(none.load(name_).note, "");
  EXPECT_EQ(none.size().files, 0U);
  EXPECT_NE(none.problem(), "");
}

TEST_F(CodeCacheTest, SizeCountsItsFilesOnly) {
  EXPECT_EQ(cache_.size().files, 0U) << "no folder yet";
  ASSERT_EQ(cache_.store(name_, std::string(1000, 'x')), "");
  ASSERT_EQ(cache_.store(key_of({"b"}) + ".cubin", "y"), "");
  write_file(file(".writing-1-2-3"), "cut off");
  write_file(file("notes.txt"), "not ours");
  EXPECT_EQ(cache_.size().files, 2U);
  EXPECT_EQ(cache_.size().bytes, 1001U + 2 * 64);
}

TEST_F(CodeCacheTest, LeastRecentlyUsedFilesAreEvicted) {
  const CodeCache small(folder_, {.bytes = 10'000, .files = 3});
  const std::string a = key_of({"a"}) + ".o", b = key_of({"b"}) + ".o", c = key_of({"c"}) + ".o";
  const std::string d = key_of({"d"}) + ".o", e = key_of({"e"}) + ".o";
  ASSERT_EQ(small.store(a, "a"), "");
  write_file(file("notes.txt"), "not ours");
  write_file(file(".writing-1-2-3"), "long cut off");
  write_file(file(".writing-4-5-6"), "being written");
  age(a, 30);
  age("notes.txt", 300);
  age(".writing-1-2-3", 300);
  ASSERT_EQ(small.store(b, "b"), "");
  age(b, 20);
  ASSERT_EQ(small.store(c, "c"), "");
  age(c, 10);
  EXPECT_TRUE(small.load(a).code) << "a was stored first and used last";
  ASSERT_EQ(small.store(d, "d"), "") << "one more than there may be";
  EXPECT_FALSE(fs::exists(file(b)));
  EXPECT_EQ(small.size().files, 3U);
  EXPECT_TRUE(fs::exists(file("notes.txt")));
  EXPECT_TRUE(fs::exists(file(".writing-4-5-6")));
  EXPECT_FALSE(fs::exists(file(".writing-1-2-3")));
  ASSERT_EQ(small.store(e, std::string(20'000, 'e')), "") << "more than all may have";
  EXPECT_TRUE(small.load(e).code) << "what was just compiled stays";
  EXPECT_EQ(small.size().files, 1U);
}

TEST_F(CodeCacheTest, ManyWritersAndReaders) {
  const std::vector<std::string> names = {key_of({"a"}) + ".o", key_of({"b"}) + ".o", key_of({"c"}) + ".o"};
  std::atomic<int> wrong{0};
  const auto work = [&](int number) {
    for (int round = 0; round < 200; ++round) {
      const std::string& name = names[static_cast<std::size_t>((round + number) % 3)];
      const char letter = static_cast<char>('A' + (round * 7 + number) % 26);
      if (!cache_.store(name, std::string(1000 + static_cast<std::size_t>(letter) * 100, letter)).empty()) ++wrong;
      const std::optional<std::string> found = cache_.load(name).code;
      // The file is whole, from one of the writers: a single letter throughout, with the length that belongs to it.
      if (!found || found->find_first_not_of((*found)[0]) != std::string::npos ||
          found->size() != 1000 + static_cast<std::size_t>((*found)[0]) * 100) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(cache_.size().files, 3U);
  EXPECT_EQ(files_there(), 3) << "unfinished files are left";
}

}  // namespace
}  // namespace matcha::runtime
