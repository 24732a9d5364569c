#include "runtime/cuda/kernel_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/cuda/scratch_folder.h"

namespace matcha::runtime::cuda {
namespace {

namespace fs = std::filesystem;

const CompileRequest kRequest{"extern \"C\" __global__ void k(int* out) { *out = 1; }", "k.cu", 90, {"-DX=1"}};

KernelImage image_of(std::string bytes) {
  KernelImage image;
  image.bytes = std::move(bytes);
  image.arch = 90;
  return image;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

class KernelCacheTest : public testing::Test {
 protected:
  fs::path file_of(const std::string& key) const { return fs::path(cache_.folder()) / (key + ".cubin"); }

  ScratchFolder scratch_;
  KernelCache cache_{scratch_.path() + "/deep/kernels"};
  std::string key_ = KernelCache::key(kRequest, "13.0");
};

TEST_F(KernelCacheTest, NotesStandBesideTheEntries) {
  EXPECT_EQ(cache_.note("devices"), std::nullopt);
  cache_.keep_note("devices", "13000 90\n");
  cache_.keep_note("others", "12080 80\n");
  cache_.keep_note("devices", "13000 90 90\n");
  EXPECT_EQ(cache_.note("devices"), "13000 90 90\n");
  EXPECT_EQ(cache_.note("others"), "12080 80\n");
  EXPECT_EQ(cache_.size().files, 0u);
  ASSERT_TRUE(cache_.clear());
  EXPECT_EQ(cache_.note("devices"), std::nullopt);
  const KernelCache nowhere("");
  nowhere.keep_note("devices", "13000 90\n");
  EXPECT_EQ(nowhere.note("devices"), std::nullopt);
}

TEST_F(KernelCacheTest, KeyDependsOnEverything) {
  std::set<std::string> keys = {key_, KernelCache::key(kRequest, "13.1")};
  CompileRequest other = kRequest;
  other.source += " ";
  keys.insert(KernelCache::key(other, "13.0"));
  other = kRequest;
  other.name = "other.cu";
  keys.insert(KernelCache::key(other, "13.0"));
  other = kRequest;
  other.arch = 100;
  keys.insert(KernelCache::key(other, "13.0"));
  other = kRequest;
  other.options = {};
  keys.insert(KernelCache::key(other, "13.0"));
  other.options = {"-DX", "=1"};
  keys.insert(KernelCache::key(other, "13.0"));
  EXPECT_EQ(keys.size(), 7U);
  EXPECT_EQ(key_, KernelCache::key(kRequest, "13.0"));
  EXPECT_EQ(key_.size(), 32U);
  EXPECT_EQ(key_.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST_F(KernelCacheTest, RoundTrip) {
  EXPECT_FALSE(cache_.load(key_));
  KernelImage image = image_of(std::string("\0binary\n\xFF", 9));
  image.is_ptx = true;
  image.arch = 121;
  ASSERT_EQ(cache_.store(key_, image), "");
  const std::optional<KernelImage> found = cache_.load(key_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, image.bytes);
  EXPECT_TRUE(found->is_ptx);
  EXPECT_EQ(found->arch, 121);
  EXPECT_TRUE(found->from_cache);
  ASSERT_EQ(cache_.store(key_, image_of("second")), "") << "an entry can be replaced";
  EXPECT_EQ(cache_.load(key_)->bytes, "second");
}

TEST_F(KernelCacheTest, DamagedEntriesAreNotThere) {
  ASSERT_EQ(cache_.store(key_, image_of("some machine code")), "");
  const std::string whole = read_file(file_of(key_));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file(file_of(key_), damaged);
    EXPECT_FALSE(cache_.load(key_)) << "one bit is wrong";
    write_file(file_of(key_), whole.substr(0, at));
    EXPECT_FALSE(cache_.load(key_)) << "the end is missing";
  }
  write_file(file_of(key_), whole + "x");
  EXPECT_FALSE(cache_.load(key_)) << "something follows";
  write_file(file_of(key_), whole);
  EXPECT_TRUE(cache_.load(key_));
}

TEST_F(KernelCacheTest, EntryUnderAnotherNameIsNotThere) {
  ASSERT_EQ(cache_.store(key_, image_of("code")), "");
  const std::string other(32, '0');
  fs::copy_file(file_of(key_), file_of(other));
  EXPECT_FALSE(cache_.load(other));
}

TEST_F(KernelCacheTest, SizeAndClear) {
  EXPECT_EQ(cache_.size().files, 0U) << "no folder yet";
  ASSERT_EQ(cache_.store(key_, image_of(std::string(1000, 'x'))), "");
  ASSERT_EQ(cache_.store(std::string(32, '1'), image_of("y")), "");
  write_file(fs::path(cache_.folder()) / ".writing-1-2-3", "cut off");
  write_file(fs::path(cache_.folder()) / "notes.txt", "not ours");
  EXPECT_EQ(cache_.size().files, 2U);
  EXPECT_EQ(cache_.size().bytes, 1001U + 2 * 64);
  const Result<KernelCache::Size> removed = cache_.clear();
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->files, 3U);
  EXPECT_EQ(cache_.size().files, 0U);
  EXPECT_FALSE(cache_.load(key_));
  EXPECT_TRUE(fs::exists(fs::path(cache_.folder()) / "notes.txt"));
}

TEST_F(KernelCacheTest, ManyWritersAndReaders) {
  const std::vector<std::string> keys = {std::string(32, 'a'), std::string(32, 'b'), std::string(32, 'c')};
  std::atomic<int> wrong{0};
  const auto work = [&](int number) {
    for (int round = 0; round < 200; ++round) {
      const std::string& key = keys[static_cast<std::size_t>((round + number) % 3)];
      const char letter = static_cast<char>('A' + (round * 7 + number) % 26);
      if (!cache_.store(key, image_of(std::string(1000 + static_cast<std::size_t>(letter) * 100, letter))).empty())
        ++wrong;
      const std::optional<KernelImage> found = cache_.load(key);
      // Whoever wrote it, it is whole: one letter all through, of the length that goes with it.
      if (!found || found->bytes.find_first_not_of(found->bytes[0]) != std::string::npos ||
          found->bytes.size() != 1000 + static_cast<std::size_t>(found->bytes[0]) * 100) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(cache_.size().files, 3U);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_.folder()), fs::directory_iterator()), 3)
      << "unfinished files are left";
}

TEST_F(KernelCacheTest, FolderThatCannotBeMadeIsANote) {
  write_file(scratch_.path() + "/file", "in the way");
  const KernelCache blocked(scratch_.path() + "/file/kernels");
  EXPECT_NE(blocked.store(key_, image_of("x")).find("cannot be written"), std::string::npos);
  EXPECT_FALSE(blocked.load(key_));
  EXPECT_EQ(blocked.size().files, 0U);
  EXPECT_TRUE(blocked.clear());
}

TEST_F(KernelCacheTest, PlaceOfAnEntryThatIsTakenIsANote) {
  fs::create_directories(file_of(key_) / "inside");
  EXPECT_NE(cache_.store(key_, image_of("x")).find("cannot be written"), std::string::npos);
  EXPECT_FALSE(cache_.load(key_));
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_.folder()), fs::directory_iterator()), 1)
      << "unfinished files are left";
}

TEST_F(KernelCacheTest, ReadOnlyFolderIsANote) {
  const std::string folder = scratch_.path() + "/read-only";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  if (std::ofstream(folder + "/probe")) GTEST_SKIP() << "[SKIP] this user may write to read-only folders";
  EXPECT_NE(KernelCache(folder).store(key_, image_of("x")).find("cannot be written"), std::string::npos);
}

TEST(KernelCacheFolder, FollowsTheEnvironment) {
  const ScopedVariable own("MATCHA_CACHE_DIR", "/a");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/b");
  const ScopedVariable home("HOME", "/c");
  EXPECT_EQ(KernelCache::standard().folder(), "/a/kernels");
  const ScopedVariable no_own("MATCHA_CACHE_DIR", std::nullopt);
  EXPECT_EQ(KernelCache::standard().folder(), "/b/matcha/kernels");
  {
    const ScopedVariable relative("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(KernelCache::standard().folder(), "/c/.cache/matcha/kernels");
  }
  const ScopedVariable no_xdg("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(KernelCache::standard().folder(), "/c/.cache/matcha/kernels");
  const ScopedVariable no_home("HOME", std::nullopt);
  const KernelCache none = KernelCache::standard();
  EXPECT_EQ(none.folder(), "");
  EXPECT_NE(none.store(std::string(32, '0'), image_of("x")), "");
  EXPECT_FALSE(none.load(std::string(32, '0')));
  EXPECT_EQ(none.size().files, 0U);
}

/// The cache in front of the real compiler.
class CompileCachedTest : public KernelCacheTest {
 protected:
  void SetUp() override {
    const Result<const Nvrtc*> opened = Nvrtc::open();
    if (!opened) GTEST_SKIP() << "[SKIP] " << opened.error().message;
    nvrtc_ = *opened;
  }
  KernelImage compile(const CompileRequest& request) {
    Result<KernelImage> image = compile_cached(*nvrtc_, cache_, request);
    EXPECT_TRUE(image) << image.error().message;
    return *image;
  }

  const Nvrtc* nvrtc_ = nullptr;
};

TEST_F(CompileCachedTest, SecondTimeComesFromTheCache) {
  const KernelImage first = compile(kRequest);
  EXPECT_FALSE(first.from_cache);
  EXPECT_FALSE(first.is_ptx);
  EXPECT_EQ(first.note, "");
  const KernelImage second = compile(kRequest);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.bytes, first.bytes);
  CompileRequest other = kRequest;
  other.arch = 80;
  EXPECT_FALSE(compile(other).from_cache);
}

TEST_F(CompileCachedTest, DamagedEntryIsCompiledAgain) {
  const KernelImage first = compile(kRequest);
  const fs::path path = file_of(KernelCache::key(kRequest, nvrtc_->version_text()));
  std::string bytes = read_file(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(path, bytes);
  const KernelImage second = compile(kRequest);
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_TRUE(compile(kRequest).from_cache);
}

TEST_F(CompileCachedTest, NoteOnPtxComesEachTime) {
  CompileRequest request = kRequest;
  request.arch = 990;
  const KernelImage first = compile(request);
  EXPECT_TRUE(first.is_ptx);
  EXPECT_NE(first.note.find("does not know sm_990"), std::string::npos);
  const KernelImage second = compile(request);
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(second.is_ptx);
  EXPECT_EQ(second.note, first.note);
}

TEST_F(CompileCachedTest, CacheThatCannotBeWrittenIsANote) {
  write_file(scratch_.path() + "/file", "in the way");
  const KernelCache blocked(scratch_.path() + "/file/kernels");
  const Result<KernelImage> image = compile_cached(*nvrtc_, blocked, kRequest);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_NE(image->note.find("cannot be written"), std::string::npos);
}

TEST_F(CompileCachedTest, ErrorsAreNotKept) {
  CompileRequest request = kRequest;
  request.source = "not C++";
  EXPECT_FALSE(compile_cached(*nvrtc_, cache_, request));
  EXPECT_EQ(cache_.size().files, 0U);
}

}  // namespace
}  // namespace matcha::runtime::cuda
