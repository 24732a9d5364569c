#include "runtime/cuda/graph_upload.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/generate.h"
#include "runtime/graph/graph.h"
#include "tests/unit/runtime/cuda/fake_driver.h"

namespace matcha::runtime::cuda {
namespace {

/// True when `device` (which is host memory with the fake) holds the items of `host`.
template <typename T>
bool same(const T* host, const T* device, std::uint64_t count) {
  return host != device && device != nullptr && std::memcmp(host, device, count * sizeof(T)) == 0;
}

class GraphUploadTest : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    Result<DeviceRef> device = Device::open(*driver_, 0);
    ASSERT_TRUE(device) << device.error().message;
    device_ = *device;
  }
  void TearDown() override {
    device_.reset();
    FakeDriverTest::TearDown();
  }

  DeviceRef device_;
};

/// Where no host memory can be pinned, the driver copies from the arrays themselves.
TEST_F(GraphUploadTest, ArraysArriveInChunksOrAtOnce) {
  Result<Graph> graph = generate_erdos_renyi(500, 3000, 7);
  ASSERT_TRUE(graph);
  ASSERT_TRUE(ensure_sources(*graph));
  const GraphView host = graph->view();
  for (const bool staged : {true, false}) {
    for (const std::uint64_t chunk : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 24}) {
      SCOPED_TRACE(std::to_string(staged) + " " + std::to_string(chunk));
      UploadOptions options;
      if (!staged) fail("cuMemHostAlloc", 2);
      const int records = count_calls("cuEventRecord");
      options.chunk_bytes = chunk;
      Result<GraphUpload> upload = GraphUpload::start(device_, host, options);
      ASSERT_TRUE(upload) << upload.error().message;
      const Status copied = upload->wait();
      ASSERT_TRUE(copied) << copied.error().message;
      const GraphView& there = upload->view();
      EXPECT_EQ(there.universe, host.universe);
      EXPECT_EQ(there.arc_count, host.arc_count);
      EXPECT_EQ(there.max_degree, host.max_degree);
      EXPECT_TRUE(same(host.offsets, there.offsets, host.universe + 1));
      EXPECT_TRUE(same(host.neighbors, there.neighbors, host.arc_count));
      EXPECT_TRUE(same(host.sources, there.sources, host.arc_count));
      EXPECT_EQ(there.labels, nullptr);
      EXPECT_EQ(there.slots, nullptr);
      EXPECT_EQ(count_calls("cuEventRecord") > records, staged);
      EXPECT_GE(upload->bytes(), 8 * (host.universe + 1) + 8 * host.arc_count);
    }
  }
}

TEST_F(GraphUploadTest, HashIndexLabelsAndIds) {
  const std::vector<HashSlot> slots = {{5, 0, 2}, {kEmptySlot, 0, 0}, {6, 2, 3}, {kEmptySlot, 0, 0}};
  const std::vector<std::uint32_t> neighbors = {6, 7, 5};
  const std::vector<double> info = {0.5, 1.5, 2.5};
  const std::vector<std::int64_t> labels = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int64_t> ids = {10, 20, 30, 40, 50, 60, 70, 80};
  const std::vector<std::uint32_t> vertices = {5, 6, 7};
  const GraphView host{8, 3,          nullptr, neighbors.data(), nullptr, info.data(), labels.data(), vertices.data(),
                       3, ids.data(), 2,       slots.data(),     3,       nullptr,     nullptr,       nullptr};
  Result<GraphUpload> upload = GraphUpload::start(device_, host);
  ASSERT_TRUE(upload);
  ASSERT_TRUE(upload->wait());
  ASSERT_TRUE(upload->wait()) << "waiting again changes nothing";
  const GraphView& there = upload->view();
  EXPECT_EQ(there.offsets, nullptr);
  EXPECT_EQ(there.sources, nullptr);
  EXPECT_TRUE(same(host.slots, there.slots, 4));
  EXPECT_TRUE(same(host.neighbors, there.neighbors, 3));
  EXPECT_TRUE(same(static_cast<const double*>(host.edge_info), static_cast<const double*>(there.edge_info), 3));
  EXPECT_TRUE(same(host.labels, there.labels, 8));
  EXPECT_TRUE(same(host.vertices, there.vertices, 3));
  EXPECT_TRUE(same(host.original_ids, there.original_ids, 8));

  UploadOptions few;
  few.edge_info = few.labels = few.original_ids = few.sources = false;
  Result<GraphUpload> part = GraphUpload::start(device_, host, few);
  ASSERT_TRUE(part);
  ASSERT_TRUE(part->wait());
  EXPECT_EQ(part->view().edge_info, nullptr);
  EXPECT_EQ(part->view().labels, nullptr);
  EXPECT_EQ(part->view().original_ids, nullptr);
  EXPECT_TRUE(same(host.vertices, part->view().vertices, 3));
  EXPECT_LT(part->bytes(), upload->bytes());

  // A program that only reads labels.
  UploadOptions labels_alone = few;
  labels_alone.labels = true;
  labels_alone.arcs = labels_alone.offsets = labels_alone.vertices = false;
  Result<GraphUpload> alone = GraphUpload::start(device_, host, labels_alone);
  ASSERT_TRUE(alone && alone->wait());
  EXPECT_EQ(alone->view().neighbors, nullptr);
  EXPECT_EQ(alone->view().slots, nullptr);
  EXPECT_EQ(alone->view().vertices, nullptr);
  EXPECT_TRUE(same(host.labels, alone->view().labels, 8));
  EXPECT_LT(alone->bytes(), part->bytes());

  UploadOptions degrees = labels_alone;
  degrees.labels = false;
  degrees.offsets = true;
  Result<GraphUpload> counted = GraphUpload::start(device_, host, degrees);
  ASSERT_TRUE(counted && counted->wait());
  EXPECT_TRUE(same(host.slots, counted->view().slots, 4));
  EXPECT_EQ(counted->view().neighbors, nullptr);

  UploadOptions nothing = labels_alone;
  nothing.labels = false;
  Result<GraphUpload> none = GraphUpload::start(device_, host, nothing);
  ASSERT_TRUE(none && none->wait());
  EXPECT_EQ(none->bytes(), 0U);
  EXPECT_EQ(none->view().vertex_count, 3U);
}

TEST_F(GraphUploadTest, EmptyGraph) {
  const Graph graph;
  Result<GraphUpload> upload = GraphUpload::start(device_, graph.view());
  ASSERT_TRUE(upload) << upload.error().message;
  EXPECT_TRUE(upload->wait());
}

TEST_F(GraphUploadTest, GraphThatDoesNotFitReportsTheSizes) {
  Result<Graph> graph = generate_star(1000);
  ASSERT_TRUE(graph);
  fake_->total_bytes = 10'000;
  const Result<GraphUpload> upload = GraphUpload::start(device_, graph->view());
  ASSERT_FALSE(upload);
  EXPECT_EQ(upload.error().kind, ErrorKind::Resource);
  EXPECT_EQ(upload.error().message, "the graph needs 16.4 kB on GPU 0 (Fake GPU), where 10.0 kB of 10.0 kB are free");
  EXPECT_NE(upload.error().hint.find("--device cpu"), std::string::npos);
  EXPECT_EQ(count_calls("cuMemAlloc"), 0);
}

TEST_F(GraphUploadTest, FailedCopyIsReportedByWait) {
  Result<Graph> graph = generate_star(1000);
  ASSERT_TRUE(graph);
  for (const char* symbol : {"cuMemcpyHtoDAsync_v2", "cuEventRecord", "cuEventSynchronize", "cuStreamSynchronize"}) {
    SCOPED_TRACE(symbol);
    fail(symbol, 700);
    UploadOptions options;
    options.chunk_bytes = 100;
    Result<GraphUpload> upload = GraphUpload::start(device_, graph->view(), options);
    ASSERT_TRUE(upload);
    const Status copied = upload->wait();
    ASSERT_FALSE(copied);
    EXPECT_NE(copied.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  }
}

TEST_F(GraphUploadTest, HostThatCannotPinIsServed) {
  Result<Graph> graph = generate_star(1000);
  ASSERT_TRUE(graph);
  fail("cuMemHostAlloc", 2);
  Result<GraphUpload> upload = GraphUpload::start(device_, graph->view());
  ASSERT_TRUE(upload);
  ASSERT_TRUE(upload->wait());
  EXPECT_TRUE(same(graph->view().neighbors, upload->view().neighbors, graph->view().arc_count));
}

TEST_F(GraphUploadTest, CanBeDroppedOnTheWay) {
  Result<Graph> graph = generate_clique(300);
  ASSERT_TRUE(graph);
  UploadOptions options;
  options.chunk_bytes = 64;
  Result<GraphUpload> upload = GraphUpload::start(device_, graph->view(), options);
  ASSERT_TRUE(upload);
  GraphUpload moved = std::move(*upload);
}

}  // namespace
}  // namespace matcha::runtime::cuda
