#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/facts.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/cuda/kernel_cache.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/graph/generate.h"
#include "runtime/graph/graph.h"

namespace matcha::runtime::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <typename T>
T taken(Result<T> result, const char* what) {
  if (!result) {
    ADD_FAILURE() << what << ": " << result.error().render();
    std::fprintf(stderr, "%s: %s\n", what, result.error().render().c_str());
    std::abort();
  }
  return std::move(*result);
}

testing::AssertionResult done(const Status& status) {
  if (status) return testing::AssertionSuccess();
  return testing::AssertionFailure() << status.error().render();
}

/// The layout of GraphView, as in runtime/abi.h.
const char* const kSource = R"(
using u32 = unsigned int;
using u64 = unsigned long long;
struct Graph {
  u64 universe, arc_count;
  const u64* offsets;
  const u32* arcs;
  const u32* sources;
  const void* info;
  const long long* labels;
  const u32* vertex_list;
  u64 vertex_count;
  const long long* original_ids;
  u64 max_degree;
  const void* slots;
  u64 slot_mask;
  const u64* halves;
};

// Sums degree and neighbours of every vertex, so that each offset and each arc is read.
extern "C" __global__ void add_up(Graph g, u64* degrees, u64* targets) {
  __shared__ u64 partial[2 * 1024];
  u64 degree = 0, target = 0;
  for (u64 v = blockIdx.x * u64(blockDim.x) + threadIdx.x; v < g.universe; v += u64(gridDim.x) * blockDim.x) {
    degree += g.offsets[v + 1] - g.offsets[v];
    for (u64 at = g.offsets[v]; at < g.offsets[v + 1]; ++at) target += g.arcs[at];
  }
  partial[threadIdx.x] = degree;
  partial[blockDim.x + threadIdx.x] = target;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (u32 i = 1; i < blockDim.x; ++i) {
    degree += partial[i];
    target += partial[blockDim.x + i];
  }
  atomicAdd(degrees, degree);
  atomicAdd(targets, target);
}

// Counts in host memory until the host says stop there.
extern "C" __global__ void count_until_told(volatile u64* shared) {
  while (shared[1] == 0) shared[0] = shared[0] + 1;
}

extern "C" __global__ void write_nowhere(u64* out) { *reinterpret_cast<u64*>(16) = *out; }
)";

/// Skips with the reason if there is no usable GPU.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<const Driver*> driver = Driver::open();
    if (!driver) GTEST_SKIP() << "[SKIP] " << driver.error().message;
    driver_ = *driver;
    const Result<int> count = device_count(*driver_);
    if (!count) GTEST_SKIP() << "[SKIP] " << count.error().message;
    if (*count == 0) GTEST_SKIP() << "[SKIP] the driver finds no GPU";
    count_ = *count;
    const Clock::time_point start = Clock::now();
    device_ = taken(Device::open(*driver_, 0), "device");
    context_ms_ = milliseconds_since(start);
  }

  int arch() const { return device_->properties().arch; }

  const Driver* driver_ = nullptr;
  int count_ = 0;
  DeviceRef device_;
  double context_ms_ = 0;
};

/// Skips, saying why, when kernels cannot be compiled either.
class GpuCodeTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const Clock::time_point start = Clock::now();
    const Result<const Nvrtc*> nvrtc = Nvrtc::open({"", driver_->version() / 1000});
    nvrtc_ms_ = milliseconds_since(start);
    if (!nvrtc) GTEST_SKIP() << "[SKIP] " << nvrtc.error().message;
    nvrtc_ = *nvrtc;
  }

  /// The kernels above, compiled without the cache.
  Module load(const DeviceRef& device) const {
    const CompileRequest request{kSource, "smoke.cu", device->properties().arch, {}};
    const KernelImage image = taken(compile_cached(*nvrtc_, KernelCache(""), request), "compile");
    return taken(Module::load(device, image.bytes), "module");
  }

  const Nvrtc* nvrtc_ = nullptr;
  double nvrtc_ms_ = 0;
};

TEST_F(GpuTest, FactsAreSensible) {
  const CudaFacts facts = gather_facts();
  std::printf("driver %s (CUDA %s), NVRTC %s (%s)%s\n", facts.driver_path.c_str(), facts.driver_version.c_str(),
              facts.nvrtc_path.c_str(), facts.nvrtc_version.c_str(), facts.nvrtc_error.c_str());
  for (const std::string& note : facts.notes) std::printf("note: %s\n", note.c_str());
  ASSERT_EQ(facts.devices.size(), static_cast<std::size_t>(count_));
  for (const DeviceFacts& one : facts.devices) {
    const DeviceProperties& p = one.properties;
    std::printf("GPU %d: %s, sm_%d, %d multiprocessors, %s (%s free), %d kHz %s\n", p.ordinal, p.name.c_str(), p.arch,
                p.multiprocessors, bytes_text(p.memory_bytes).c_str(), bytes_text(one.free_bytes).c_str(), p.clock_khz,
                one.error.c_str());
    EXPECT_EQ(one.error, "");
    EXPECT_GE(p.arch, 50);
    EXPECT_GT(p.multiprocessors, 0);
    EXPECT_GT(one.free_bytes, 0U);
    EXPECT_LE(one.free_bytes, p.memory_bytes);
  }
}

TEST_F(GpuTest, GraphIsCopiedBackUnchanged) {
  Graph graph = taken(generate_rmat({.scale = 18, .edge_factor = 16}), "graph");
  const GraphView host = graph.view();
  const Stream stream = taken(Stream::create(device_), "stream");
  const Clock::time_point start = Clock::now();
  GraphUpload upload = taken(GraphUpload::start(device_, host), "upload");
  EXPECT_TRUE(done(upload.wait()));
  const double elapsed = milliseconds_since(start);
  std::printf("upload: %s in %.1f ms, %.1f GB/s\n", bytes_text(upload.bytes()).c_str(), elapsed,
              static_cast<double>(upload.bytes()) / elapsed / 1e6);
  std::vector<std::uint32_t> neighbors(host.arc_count);
  std::vector<std::uint64_t> offsets(host.universe + 1);
  const auto fetch = [&](void* to, const void* from, std::size_t bytes) {
    EXPECT_TRUE(done(device_->call(device_->calls().memcpy_dtoh_async, to, reinterpret_cast<CuDevicePtr>(from), bytes,
                                   stream.get())));
  };
  fetch(neighbors.data(), upload.view().neighbors, neighbors.size() * sizeof(neighbors[0]));
  fetch(offsets.data(), upload.view().offsets, offsets.size() * sizeof(offsets[0]));
  EXPECT_TRUE(done(stream.synchronize()));
  EXPECT_TRUE(std::equal(neighbors.begin(), neighbors.end(), host.neighbors));
  EXPECT_TRUE(std::equal(offsets.begin(), offsets.end(), host.offsets));
}

TEST_F(GpuCodeTest, KernelReadsTheGraph) {
  const Graph graph = taken(generate_rmat({.scale = 16, .edge_factor = 16}), "graph");
  std::uint64_t expected = 0;
  for (std::uint64_t at = 0; at < graph.view().arc_count; ++at) expected += graph.view().neighbors[at];

  GraphUpload upload = taken(GraphUpload::start(device_, graph.view()), "upload");
  std::string pattern = (std::filesystem::temp_directory_path() / "matcha-gpu-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const KernelCache cache(pattern);
  const CompileRequest request{kSource, "smoke.cu", arch(), {}};
  std::printf("context %.1f ms, opening NVRTC %.1f ms\n", context_ms_, nvrtc_ms_);
  const KernelImage first = taken(compile_cached(*nvrtc_, cache, request), "compile");
  const KernelImage second = taken(compile_cached(*nvrtc_, cache, request), "compile again");
  std::filesystem::remove_all(pattern);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  std::printf("compile for sm_%d %.1f ms, from the cache %.2f ms%s%s\n", request.arch, first.milliseconds,
              second.milliseconds, first.note.empty() ? "" : "; ", first.note.c_str());

  const Clock::time_point start = Clock::now();
  const Module module = taken(Module::load(device_, second.bytes), "module");
  const Function kernel = taken(module.function("add_up"), "kernel");
  std::printf("module load %.1f ms\n", milliseconds_since(start));
  EXPECT_TRUE(done(upload.wait()));

  LaunchShape full{0, 1024};
  const int resident = taken(kernel.blocks_per_multiprocessor(full.threads), "occupancy");
  EXPECT_GE(resident, 1);
  full.blocks = static_cast<unsigned>(resident * device_->properties().multiprocessors);
  std::printf("add_up: %d blocks a multiprocessor\n", resident);

  const Stream stream = taken(Stream::create(device_), "stream");
  const Event before = taken(Event::create(device_), "event");
  const Event after = taken(Event::create(device_), "event");
  const DeviceBuffer<std::uint64_t> sums = taken(DeviceBuffer<std::uint64_t>::allocate(device_, 2), "sums");
  EXPECT_TRUE(done(sums.fill(stream, 0)));
  EXPECT_TRUE(done(before.record(stream)));
  EXPECT_TRUE(done(kernel.launch(stream, full, upload.view(), sums.data(), sums.data() + 1)));
  EXPECT_TRUE(done(after.record(stream)));
  std::uint64_t found[2] = {};
  EXPECT_TRUE(done(sums.download(stream, found, 2)));
  EXPECT_TRUE(done(stream.synchronize()));
  std::printf("kernel %.3f ms\n", taken(after.milliseconds_since(before), "time"));
  EXPECT_EQ(found[0], graph.view().arc_count);
  EXPECT_EQ(found[1], expected);
}

TEST_F(GpuCodeTest, RunningKernelSeesAndIsSeen) {
  const Module module = load(device_);
  const Function kernel = taken(module.function("count_until_told"), "kernel");
  const Stream stream = taken(Stream::create(device_), "stream");
  const PinnedBuffer<std::uint64_t> shared = taken(PinnedBuffer<std::uint64_t>::allocate(device_, 2), "pinned");
  volatile std::uint64_t* words = shared.host();
  EXPECT_TRUE(done(kernel.launch(stream, {1, 1}, shared.device_data())));
  // A kernel that never starts would hang the wait below, so the count is watched with a limit far past any start.
  for (int i = 0; i < 100'000 && words[0] == 0; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_GT(words[0], 0U) << "progress must be seen while the kernel runs";
  EXPECT_FALSE(taken(stream.done(), "query"));
  words[1] = 1;
  EXPECT_TRUE(done(stream.synchronize()));
  EXPECT_TRUE(taken(stream.done(), "query"));
}

TEST_F(GpuCodeTest, EveryDeviceComputes) {
  const Graph graph = taken(generate_rmat({.scale = 12, .edge_factor = 8}), "graph");
  for (int ordinal = 0; ordinal < count_; ++ordinal) {
    const DeviceRef device = taken(Device::open(*driver_, ordinal), "device");
    const Module module = load(device);
    const Function kernel = taken(module.function("add_up"), "kernel");
    GraphUpload upload = taken(GraphUpload::start(device, graph.view()), "upload");
    const Stream stream = taken(Stream::create(device), "stream");
    const DeviceBuffer<std::uint64_t> sums = taken(DeviceBuffer<std::uint64_t>::allocate(device, 2), "sums");
    EXPECT_TRUE(done(sums.fill(stream, 0)));
    EXPECT_TRUE(done(upload.wait()));
    EXPECT_TRUE(done(kernel.launch(stream, {8, 128}, upload.view(), sums.data(), sums.data() + 1)));
    std::uint64_t degrees = 0;
    EXPECT_TRUE(done(sums.download(stream, &degrees, 1)));
    EXPECT_TRUE(done(stream.synchronize()));
    EXPECT_EQ(degrees, graph.view().arc_count);
    if (ordinal > 0) {
      const bool peers = taken(device_->enable_peer(*device), "peer access");
      std::printf("GPU 0 reads GPU %d: %s\n", ordinal, peers ? "yes" : "no");
      EXPECT_EQ(taken(device_->enable_peer(*device), "peer access again"), peers);
    }
  }
}

TEST_F(GpuTest, MemoryLargerThanTheDeviceIsAnError) {
  const Result<DeviceMemory> memory = DeviceMemory::allocate(device_, std::uint64_t{1} << 50);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().kind, ErrorKind::Resource);
  std::printf("%s\n", memory.error().render().c_str());
}

TEST_F(GpuCodeTest, CodeOfAnotherArchitectureIsAnError) {
  const int other = arch() >= 90 ? 80 : 90;
  const Compilation made = taken(nvrtc_->compile({kSource, "smoke.cu", other, {}}), "compile");
  const Result<Module> module = Module::load(device_, made.cubin);
  ASSERT_FALSE(module);
  std::printf("%s\n", module.error().render().c_str());
  const Result<Module> broken = Module::load(device_, ".version 7.0\n.target sm_50\nnonsense\n");
  ASSERT_FALSE(broken);
  std::printf("%s\n", broken.error().render().c_str());
}

TEST_F(GpuCodeTest, PtxOfAnOlderArchitectureIsCompiledByTheDriver) {
  const Compilation made = taken(nvrtc_->compile({kSource, "smoke.cu", nvrtc_->archs().front(), {}}), "compile");
  const Clock::time_point start = Clock::now();
  const Module module = taken(Module::load(device_, made.ptx), "module");
  std::printf("driver's compiler %.1f ms\n", milliseconds_since(start));
  EXPECT_TRUE(module.function("add_up"));
}

/// Last: the context is of no use afterwards, so this is a process of its own.
TEST_F(GpuCodeTest, KernelThatWritesNowhereIsAnError) {
  device_.reset();
  const auto run = [this] {
    device_ = taken(Device::open(*driver_, 0), "device");
    const Module module = load(device_);
    const Function kernel = taken(module.function("write_nowhere"), "kernel");
    const Stream stream = taken(Stream::create(device_), "stream");
    const DeviceBuffer<std::uint64_t> word = taken(DeviceBuffer<std::uint64_t>::allocate(device_, 1), "word");
    EXPECT_TRUE(done(kernel.launch(stream, {1, 1}, word.data())));
    const Status outcome = stream.synchronize();
    std::fprintf(stderr, "%s\n", outcome ? "no error" : outcome.error().message.c_str());
    std::exit(!outcome && outcome.error().kind == ErrorKind::Runtime ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "`cuStreamSynchronize` failed: CUDA_ERROR");
}

}  // namespace
}  // namespace matcha::runtime::cuda
