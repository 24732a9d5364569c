#include "runtime/cuda/kernel_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
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
  fs::path file_of(const std::string& key) const { return fs::path(folder_) / (key + ".cubin"); }

  ScratchFolder scratch_;
  std::string folder_ = scratch_.path() + "/deep/code";
  KernelCache cache_{folder_};
  std::string key_ = KernelCache::key(kRequest, "13.0");
};

TEST_F(KernelCacheTest, NotesStandBesideTheImages) {
  EXPECT_EQ(cache_.note("devices"), std::nullopt);
  cache_.keep_note("devices", "13000 90\n");
  cache_.keep_note("others", "12080 80\n");
  cache_.keep_note("devices", "13000 90 90\n");
  EXPECT_EQ(cache_.note("devices"), "13000 90 90\n");
  EXPECT_EQ(cache_.note("others"), "12080 80\n");
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
  EXPECT_FALSE(cache_.load(key_).image);
  KernelImage image = image_of(std::string("\0binary\n\xFF", 9));
  image.is_ptx = true;
  image.arch = 121;
  ASSERT_EQ(cache_.store(key_, image), "");
  const std::optional<KernelImage> found = cache_.load(key_).image;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, image.bytes);
  EXPECT_TRUE(found->is_ptx);
  EXPECT_EQ(found->arch, 121);
  EXPECT_TRUE(found->from_cache);
  ASSERT_EQ(cache_.store(key_, image_of("second")), "") << "an entry can be replaced";
  EXPECT_EQ(cache_.load(key_).image->bytes, "second");
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
  EXPECT_NE(second.note.find("is damaged"), std::string::npos) << second.note;
  const KernelImage third = compile(kRequest);
  EXPECT_TRUE(third.from_cache);
  EXPECT_EQ(third.note, "");
}

TEST_F(CompileCachedTest, NoteOnPtxIsRepeated) {
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
  const KernelCache blocked(scratch_.path() + "/file/code");
  const Result<KernelImage> image = compile_cached(*nvrtc_, blocked, kRequest);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_NE(image->note.find("cannot be written"), std::string::npos);
}

TEST_F(CompileCachedTest, ErrorsAreNotKept) {
  CompileRequest request = kRequest;
  request.source = "not C++";
  EXPECT_FALSE(compile_cached(*nvrtc_, cache_, request));
  EXPECT_EQ(CodeCache(folder_).size().files, 0U);
}

}  // namespace
}  // namespace matcha::runtime::cuda
