#include "runtime/cuda/device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "tests/unit/runtime/cuda/fake_driver.h"

namespace matcha::runtime::cuda {
namespace {

class DeviceTest : public FakeDriverTest {
 protected:
  DeviceRef open(int ordinal = 0) {
    Result<DeviceRef> device = Device::open(*driver_, ordinal);
    EXPECT_TRUE(device) << device.error().message;
    return *device;
  }
  Stream stream_of(const DeviceRef& device) {
    Result<Stream> stream = Stream::create(device);
    EXPECT_TRUE(stream) << stream.error().message;
    return std::move(*stream);
  }
};

TEST_F(DeviceTest, PropertiesComeFromTheRightAttributes) {
  const Result<DeviceProperties> found = device_properties(*driver_, 1);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->ordinal, 1);
  EXPECT_EQ(found->name, "Fake GPU");
  EXPECT_EQ(found->arch, 90);
  EXPECT_EQ(found->memory_bytes, std::uint64_t{64} << 20);
  // The fake's attributes are their own number and 1000.
  EXPECT_EQ(found->clock_khz, 1013);
  EXPECT_EQ(found->multiprocessors, 1016);
}

TEST_F(DeviceTest, OrdinalThatIsNotThere) {
  for (const int ordinal : {-1, 2}) {
    const Result<DeviceRef> device = Device::open(*driver_, ordinal);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().message, "there is no GPU " + std::to_string(ordinal) + "; the driver finds 2");
  }
}

TEST_F(DeviceTest, DriverThatCannotStart) {
  fail("cuInit", 100);
  const Result<DeviceRef> device = Device::open(*driver_, 0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message, "`cuInit` failed: CUDA error 100");
  EXPECT_NE(device.error().hint.find("--device cpu"), std::string::npos);
}

TEST_F(DeviceTest, ContextThatIsNotToBeHad) {
  fail("cuDevicePrimaryCtxRetain", 2);
  const Result<DeviceRef> device = Device::open(*driver_, 0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind, ErrorKind::Resource);
  EXPECT_EQ(device.error().message.find("GPU 0 (Fake GPU) cannot be used; "), 0U);
}

TEST_F(DeviceTest, GuardRestoresTheCurrentContext) {
  const DeviceRef first = open(0);
  const DeviceRef second = open(1);
  const auto current = [&] {
    CuContext context = nullptr;
    EXPECT_TRUE(driver_->call(driver_->calls().ctx_get_current, &context));
    return context;
  };
  EXPECT_EQ(current(), nullptr);
  {
    const ContextGuard outer(*first);
    EXPECT_EQ(current(), first->context());
    {
      const ContextGuard inner(*second);
      EXPECT_EQ(current(), second->context());
      const ContextGuard same(*second);
      EXPECT_EQ(current(), second->context());
    }
    EXPECT_EQ(current(), first->context());
  }
  EXPECT_EQ(current(), nullptr);
  EXPECT_NE(first->context(), second->context());
}

TEST_F(DeviceTest, ObjectsKeepTheirDevice) {
  DeviceRef device = open();
  Stream stream = stream_of(device);
  Stream moved = std::move(stream);
  device.reset();
  EXPECT_EQ(count_calls("cuDevicePrimaryCtxRelease"), 0);
  EXPECT_TRUE(moved.synchronize());
}

TEST_F(DeviceTest, StreamReportsItsEnd) {
  const DeviceRef device = open();
  const Stream stream = stream_of(device);
  fake_->not_ready = 1;
  const Result<bool> before = stream.done();
  ASSERT_TRUE(before);
  EXPECT_FALSE(*before);
  const Result<bool> after = stream.done();
  ASSERT_TRUE(after);
  EXPECT_TRUE(*after);
  fail("cuStreamQuery", 700);
  EXPECT_FALSE(stream.done());
  EXPECT_EQ(count_calls("cuStreamCreate 1"), 1) << "streams must not wait for the default one";
}

TEST_F(DeviceTest, EventsTimeFromTheirStart) {
  const DeviceRef device = open();
  const Stream stream = stream_of(device);
  Result<Event> start = Event::create(device);
  Result<Event> stop = Event::create(device);
  ASSERT_TRUE(start && stop);
  ASSERT_TRUE(start->record(stream));
  ASSERT_TRUE(stop->record(stream));
  ASSERT_TRUE(stop->synchronize());
  const Result<double> elapsed = stop->milliseconds_since(*start);
  ASSERT_TRUE(elapsed);
  EXPECT_EQ(*elapsed, 2.5);
}

TEST_F(DeviceTest, BufferRoundTrip) {
  const DeviceRef device = open();
  const Stream stream = stream_of(device);
  Result<DeviceBuffer<std::uint32_t>> buffer = DeviceBuffer<std::uint32_t>::allocate(device, 5);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->size(), 5U);
  EXPECT_EQ(buffer->bytes(), 20U);
  ASSERT_TRUE(buffer->fill(stream, 0xFF));
  const std::vector<std::uint32_t> items = {7, 8};
  ASSERT_TRUE(buffer->upload(stream, items.data(), 2, 1));
  std::vector<std::uint32_t> back(5);
  ASSERT_TRUE(buffer->download(stream, back.data(), 5));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(back, (std::vector<std::uint32_t>{~0U, 7, 8, ~0U, ~0U}));
}

TEST_F(DeviceTest, CopiesWithinAndBetweenDevices) {
  const DeviceRef first = open(0);
  const DeviceRef second = open(1);
  const std::vector<std::uint32_t> items = {7, 8, 9};
  for (const bool apart : {false, true}) {
    const DeviceRef& target = apart ? second : first;
    const Stream stream = stream_of(first);
    const Stream there = stream_of(target);
    const Result<DeviceMemory> from = DeviceMemory::allocate(first, 12);
    const Result<DeviceMemory> to = DeviceMemory::allocate(target, 20);
    ASSERT_TRUE(from && to);
    ASSERT_TRUE(from->copy_from(stream, items.data(), 12));
    ASSERT_TRUE(to->fill(there, 0));
    ASSERT_TRUE(from->copy_to(there, *to, 8, 4, 12));
    ASSERT_TRUE(from->copy_to(there, *to, 0));
    std::vector<std::uint32_t> back(5);
    ASSERT_TRUE(to->copy_to(there, back.data(), 20));
    EXPECT_EQ(back, (std::vector<std::uint32_t>{0, 0, 0, 8, 9}));
    EXPECT_FALSE(from->copy_to(there, *to, 8, 8)) << "past the end";
  }
  EXPECT_EQ(count_calls("cuMemcpyDtoDAsync_v2 8"), 1);
  EXPECT_EQ(count_calls("cuMemcpyPeerAsync 4107 4106 8"), 1) << log_();
  EXPECT_EQ(count_calls("cuCtxEnablePeerAccess 4106"), 2) << "the target's device reads the other one's memory";
}

TEST_F(DeviceTest, EmptyBufferTakesNothing) {
  const DeviceRef device = open();
  const Stream stream = stream_of(device);
  Result<DeviceBuffer<std::uint32_t>> buffer = DeviceBuffer<std::uint32_t>::allocate(device, 0);
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(buffer->fill(stream, 0));
  EXPECT_TRUE(buffer->upload(stream, nullptr, 0));
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_EQ(count_calls("cuMem"), 0);
}

TEST_F(DeviceTest, BufferThatDoesNotFitReportsTheSizes) {
  const DeviceRef device = open();
  const Result<DeviceMemory> memory = DeviceMemory::allocate(device, 200'000'000);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().kind, ErrorKind::Resource);
  EXPECT_EQ(memory.error().message,
            "no 200.0 MB of memory on GPU 0 (Fake GPU), where 67.1 MB of 67.1 MB are free; `cuMemAlloc` failed: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(DeviceTest, PinnedMemoryIsMappedAndZeroed) {
  const DeviceRef device = open();
  const Result<PinnedBuffer<std::uint64_t>> buffer = PinnedBuffer<std::uint64_t>::allocate(device, 3);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->host()[2], 0U);
  EXPECT_EQ(buffer->device_data(), buffer->host());
  EXPECT_EQ(count_calls("cuMemHostAlloc 24 3"), 1) << "portable and mapped";
}

TEST_F(DeviceTest, PinnedMemoryThatCannotBeMappedIsFreed) {
  const DeviceRef device = open();
  fail("cuMemHostGetDevicePointer_v2", 700);
  EXPECT_FALSE(PinnedMemory::allocate(device, 64));
  EXPECT_EQ(count_calls("cuMemFreeHost"), 1);
}

TEST_F(DeviceTest, PeerAccess) {
  const DeviceRef first = open(0);
  const DeviceRef second = open(1);
  const Result<bool> enabled = first->enable_peer(*second);
  ASSERT_TRUE(enabled);
  EXPECT_TRUE(*enabled);
  fail("cuCtxEnablePeerAccess", 704);
  const Result<bool> again = first->enable_peer(*second);
  ASSERT_TRUE(again) << "doing it twice is no error";
  EXPECT_TRUE(*again);
  fake_->can_access_peer = 0;
  const Result<bool> apart = first->enable_peer(*second);
  ASSERT_TRUE(apart);
  EXPECT_FALSE(*apart);
}

TEST_F(DeviceTest, LaunchPassesShapeAndArguments) {
  const DeviceRef device = open();
  const Stream stream = stream_of(device);
  const Result<Module> module = Module::load(device, "image");
  ASSERT_TRUE(module);
  const Result<Function> kernel = module->function("kernel");
  ASSERT_TRUE(kernel);
  const Result<int> blocks = kernel->blocks_per_multiprocessor(256);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(*blocks, 8);
  ASSERT_TRUE(kernel->launch(stream, {12, 256}, std::uint64_t{1234567890123}, std::uint32_t{42}));
  EXPECT_EQ(count_calls("cuLaunchKernel 12 1 1 256 1 1 0 1234567890123 42"), 1) << log_();
}

TEST_F(DeviceTest, FailedLaunchReportsItsShape) {
  const DeviceRef device = open();
  const Stream stream = stream_of(device);
  const Result<Module> module = Module::load(device, "image");
  ASSERT_TRUE(module);
  const Result<Function> kernel = module->function("kernel");
  ASSERT_TRUE(kernel);
  fail("cuLaunchKernel", 701);
  const Status started = kernel->launch(stream, {12, 256}, std::uint64_t{1}, std::uint32_t{2});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message,
            "kernel `kernel` cannot be started with 12 blocks of 256 threads; `cuLaunchKernel` failed: CUDA error 701");
}

TEST_F(DeviceTest, ModuleErrorCarriesTheDriversLog) {
  const DeviceRef device = open();
  fail("cuModuleLoadDataEx", 218);
  fake_->jit_log = "ptxas fatal: unsupported version\n";
  const Result<Module> module = Module::load(device, "image");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message,
            "the compiled kernel cannot be loaded on GPU 0 (Fake GPU); `cuModuleLoadDataEx` failed: CUDA error 218\n"
            "ptxas fatal: unsupported version");
  EXPECT_NE(module.error().hint.find("CUDA 12.8"), std::string::npos);
}

TEST_F(DeviceTest, RelocatableCodeIsLinkedWithALibrary) {
  const DeviceRef device = open();
  KernelImage image;
  image.bytes = "cubin";
  ASSERT_TRUE(Module::link(device, image, "/lib/run-time.a"));
  EXPECT_EQ(count_calls("cuLinkAddData_v2 0 5"), 1);
  EXPECT_EQ(count_calls("cuLinkAddFile_v2 4 /lib/run-time.a"), 1);
  EXPECT_EQ(count_calls("cuLinkDestroy"), 1);
  image.is_ptx = true;
  ASSERT_TRUE(Module::link(device, image, "/lib/run-time.a"));
  EXPECT_EQ(count_calls("cuLinkAddData_v2 1 6"), 1) << "text with its closing zero";
  for (const char* symbol : {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2", "cuLinkComplete"}) {
    fail(symbol, 700);
    const Result<Module> module = Module::link(device, image, "/lib/run-time.a");
    ASSERT_FALSE(module) << symbol;
    EXPECT_EQ(module.error().message.find("the compiled kernel cannot be linked"), 0U) << module.error().message;
    fake_->failing_call = nullptr;
  }
}

TEST_F(DeviceTest, AbsentNamesInAModule) {
  const DeviceRef device = open();
  const Result<Module> module = Module::load(device, "image");
  ASSERT_TRUE(module);
  const Result<Function> kernel = module->function("absent");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message.find("no kernel `absent`; `cuModuleGetFunction` failed"), 0U);
}

TEST_F(DeviceTest, EveryFailingCallIsAnErrorAndLeaksNothing) {
  for (const char* symbol : {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuStreamCreate", "cuEventCreate", "cuMemAlloc_v2",
                             "cuMemHostAlloc", "cuModuleLoadDataEx", "cuStreamSynchronize"}) {
    SCOPED_TRACE(symbol);
    const DeviceRef device = open();
    fail(symbol, 700);
    const auto use = [&]() -> Status {
      Result<Stream> stream = Stream::create(device);
      if (!stream) return stream.error();
      Result<Event> event = Event::create(device);
      if (!event) return event.error();
      Result<DeviceMemory> memory = DeviceMemory::allocate(device, 64);
      if (!memory) return memory.error();
      Result<PinnedMemory> pinned = PinnedMemory::allocate(device, 64);
      if (!pinned) return pinned.error();
      Result<Module> module = Module::load(device, "image");
      if (!module) return module.error();
      return stream->synchronize();
    };
    const Status used = use();
    ASSERT_FALSE(used);
    EXPECT_NE(used.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
    fake_->failing_call = nullptr;
  }
}

}  // namespace
}  // namespace matcha::runtime::cuda
