#include "runtime/cuda/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/cuda/scratch_folder.h"

namespace matcha::runtime::cuda {
namespace {

const char* const kKernel = R"(
extern "C" __global__ void count_bits(const unsigned* words, unsigned n, unsigned long long* total) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, (unsigned long long)__popc(words[i]));
}
)";

TEST(NvrtcOpen, NamedFileThatIsMissing) {
  const ScratchFolder scratch;
  const Result<const Nvrtc*> opened = Nvrtc::open({scratch.path() + "/libnvrtc.so.13", 0});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(opened.error().message.find("no NVRTC: "), 0U);
  EXPECT_NE(opened.error().message.find(scratch.path()), std::string::npos) << opened.error().message;
  EXPECT_NE(opened.error().hint.find("MATCHA_NVRTC"), std::string::npos);
}

TEST(NvrtcOpen, LibraryWithoutTheEntries) {
  const Result<const Nvrtc*> opened = Nvrtc::open({"libm.so.6", 0});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("lacks `nvrtcGetErrorString`"), std::string::npos) << opened.error().message;
}

TEST(NvrtcOpen, VariableNamesTheOnlyFile) {
  const ScopedVariable variable("MATCHA_NVRTC", "/nowhere/libnvrtc.so.12");
  const Result<const Nvrtc*> opened = Nvrtc::open();
  ASSERT_FALSE(opened);
  // Of the file names in the message only this one.
  EXPECT_NE(opened.error().message.find("/nowhere/libnvrtc.so.12"), std::string::npos) << opened.error().message;
  EXPECT_EQ(opened.error().message.find("libnvrtc.so"), opened.error().message.rfind("libnvrtc.so"))
      << opened.error().message;
}

/// Tests with the real library.
class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<const Nvrtc*> opened = Nvrtc::open();
    if (!opened) GTEST_SKIP() << "[SKIP] " << opened.error().message;
    nvrtc_ = *opened;
  }
  bool knows(int arch) const {
    return std::find(nvrtc_->archs().begin(), nvrtc_->archs().end(), arch) != nvrtc_->archs().end();
  }

  const Nvrtc* nvrtc_ = nullptr;
};

TEST_F(NvrtcTest, KnowsItself) {
  EXPECT_GE(nvrtc_->major(), 12);
  EXPECT_EQ(nvrtc_->version_text().find(std::to_string(nvrtc_->major()) + "."), 0U);
  EXPECT_NE(nvrtc_->path().find("libnvrtc"), std::string::npos);
  EXPECT_TRUE(std::is_sorted(nvrtc_->archs().begin(), nvrtc_->archs().end()));
  EXPECT_TRUE(knows(80));
  EXPECT_TRUE(knows(90));
  const Result<const Nvrtc*> again = Nvrtc::open();
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, nvrtc_);
}

TEST_F(NvrtcTest, DeviceRuntimeIsTheFileThatIsNamed) {
  const ScratchFolder scratch;
  const std::string file = scratch.path() + "/libcudadevrt.a";
  const ScopedVariable variable("MATCHA_CUDADEVRT", file.c_str());
  const Result<std::string> missing = nvrtc_->device_runtime();
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("`" + file + "`"), std::string::npos) << missing.error().message;
  EXPECT_NE(missing.error().hint.find("MATCHA_CUDADEVRT"), std::string::npos);
  std::ofstream(file) << "there";
  const Result<std::string> found = nvrtc_->device_runtime();
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, file);
}

TEST_F(NvrtcTest, OpensUnderItsFullPath) {
  const Result<const Nvrtc*> opened = Nvrtc::open({nvrtc_->path(), 0});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->version_text(), nvrtc_->version_text());
}

TEST_F(NvrtcTest, CompilesForEachArchitecture) {
  for (const int arch : {80, 90, 100, 120}) {
    if (!knows(arch)) continue;
    SCOPED_TRACE(arch);
    const Result<Compilation> made = nvrtc_->compile({kKernel, "count.cu", arch, {}});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->arch, arch);
    EXPECT_EQ(made->note, "");
    EXPECT_EQ(made->cubin.substr(0, 4), "\177ELF");
    EXPECT_NE(made->cubin.find("count_bits"), std::string::npos);
    EXPECT_NE(made->ptx.find(".target sm_" + std::to_string(arch)), std::string::npos) << made->ptx;
    EXPECT_NE(made->ptx.find(".entry count_bits"), std::string::npos);
  }
}

TEST_F(NvrtcTest, OptionsArePassedOn) {
  const std::string source = "extern \"C\" __global__ void k(int* out) { *out = CHOSEN; }";
  const Result<Compilation> made = nvrtc_->compile({source, "k.cu", 90, {"-DCHOSEN=4711"}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(made->ptx.find("4711"), std::string::npos);
  const Result<Compilation> unknown = nvrtc_->compile({source, "k.cu", 90, {"--no-such-option"}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("no-such-option"), std::string::npos) << unknown.error().message;
}

TEST_F(NvrtcTest, ErrorCarriesTheLog) {
  const Result<Compilation> made =
      nvrtc_->compile({"extern \"C\" __global__ void k() {\n  missing_name = 1;\n}\n", "query.cu", 90, {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(made.error().message.find("`query.cu` does not compile with NVRTC "), 0U) << made.error().message;
  EXPECT_NE(made.error().message.find("query.cu(2): error: identifier \"missing_name\" is undefined"),
            std::string::npos)
      << made.error().message;
}

TEST_F(NvrtcTest, WarningsAreKept) {
  const Result<Compilation> made =
      nvrtc_->compile({"extern \"C\" __global__ void k() {\n  int never_used;\n}\n", "query.cu", 90, {}});
  ASSERT_TRUE(made);
  EXPECT_NE(made->log.find("never_used"), std::string::npos) << made->log;
}

TEST_F(NvrtcTest, NewerDeviceGetsPtxOfTheNewestKnown) {
  const int newest = nvrtc_->archs().back();
  const Result<Compilation> made = nvrtc_->compile({kKernel, "count.cu", 990, {}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->arch, newest);
  EXPECT_TRUE(made->cubin.empty());
  EXPECT_NE(made->ptx.find(".target sm_" + std::to_string(newest)), std::string::npos);
  EXPECT_EQ(made->note, "NVRTC " + nvrtc_->version_text() +
                            " does not know sm_990; the driver compiles PTX for compute_" + std::to_string(newest));
}

TEST_F(NvrtcTest, GapBetweenArchitecturesGetsPtxOfTheOneBefore) {
  ASSERT_FALSE(knows(91));
  const Result<Compilation> made = nvrtc_->compile({kKernel, "count.cu", 91, {}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->arch, 90);
  EXPECT_TRUE(made->cubin.empty());
}

TEST_F(NvrtcTest, OlderDeviceIsAnError) {
  const Result<Compilation> made = nvrtc_->compile({kKernel, "count.cu", 20, {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message.find("NVRTC " + nvrtc_->version_text() + " cannot compile for sm_20"), 0U);
}

TEST_F(NvrtcTest, SeveralThreads) {
  std::vector<std::string> cubins(4);
  std::vector<std::thread> threads;
  for (std::string& cubin : cubins) {
    threads.emplace_back([&] {
      const Result<Compilation> made = nvrtc_->compile({kKernel, "count.cu", 90, {}});
      if (made) cubin = made->cubin;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(cubins[0].empty());
  for (const std::string& cubin : cubins) EXPECT_EQ(cubin, cubins[0]);
}

}  // namespace
}  // namespace matcha::runtime::cuda
