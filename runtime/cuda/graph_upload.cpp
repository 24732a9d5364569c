#include "runtime/cuda/graph_upload.h"

#include <tbb/blocked_range.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/cuda/memory.h"
#include "runtime/parallel.h"

namespace matcha::runtime::cuda {

namespace {

/// The alignment of arrays, which leaves at least a cache line after each.
constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kSlack = 64;
/// Chunks in flight: one is filled during the transfer of the others.
constexpr std::size_t kSlots = 3;
/// The bytes that one thread copies at a time.
constexpr std::uint64_t kBytesPerTask = std::uint64_t{1} << 20;

/// One array of the graph and its place in the allocation.
struct Piece {
  const char* host;
  std::uint64_t bytes;
  std::uint64_t offset;
};

/// The layout of a graph in one allocation.
class Layout {
 public:
  /// Assigns a place to the array of a field; an absent one stays null.
  template <typename T>
  void place(const T*& field, std::uint64_t count, std::uint64_t item_bytes) {
    if (field == nullptr) return;
    pieces_.push_back({reinterpret_cast<const char*>(field), count * item_bytes, end_});
    fields_.push_back(reinterpret_cast<const void**>(&field));
    end_ += (count * item_bytes + kSlack + kAlignment - 1) / kAlignment * kAlignment;
  }
  /// Writes the addresses into the fields.
  void settle(CuDevicePtr base) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const void* address = reinterpret_cast<const void*>(base + pieces_[i].offset);
      std::memcpy(fields_[i], &address, sizeof(address));
    }
  }
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::uint64_t bytes() const { return end_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<const void**> fields_;
  std::uint64_t end_ = 0;
};

Layout lay_out(GraphView& view, const UploadOptions& options) {
  if (!options.arcs) view.neighbors = nullptr;
  if (!options.offsets) {
    view.offsets = nullptr;
    view.slots = nullptr;
  }
  if (!options.vertices) view.vertices = nullptr;
  if (!options.sources) view.sources = nullptr;
  if (!options.halves) view.halves = nullptr;
  if (!options.edge_info) view.edge_info = nullptr;
  if (!options.labels) view.labels = nullptr;
  if (!options.original_ids) view.original_ids = nullptr;
  Layout layout;
  layout.place(view.offsets, view.universe + 1, sizeof(std::uint64_t));
  layout.place(view.neighbors, view.arc_count, sizeof(std::uint32_t));
  layout.place(view.sources, view.arc_count, sizeof(std::uint32_t));
  layout.place(view.edge_info, view.arc_count, sizeof(std::uint64_t));
  layout.place(view.labels, view.universe, sizeof(std::int64_t));
  layout.place(view.vertices, view.vertex_count, sizeof(std::uint32_t));
  layout.place(view.original_ids, view.universe, sizeof(std::int64_t));
  layout.place(view.slots, view.slot_mask + 1, sizeof(HashSlot));
  layout.place(view.halves, 2 * view.universe + 1, sizeof(std::uint64_t));
  return layout;
}

Status check_room(const Device& device, std::uint64_t bytes) {
  Device::Memory memory = MATCHA_TRY(device.memory());
  if (bytes <= memory.free) return Done{};
  return Error{
      ErrorKind::Resource,
      "the graph needs " + bytes_text(bytes) + " on " + device.label() + ", where " + bytes_text(memory.free) + " of " +
          bytes_text(memory.total) + " are free",
      "", 0,
      "use a GPU with more memory, end other processes on it (`nvidia-smi` lists them), or run with --device cpu"};
}

void copy_in_parallel(char* to, const char* from, std::uint64_t bytes) {
  for_blocks(Block(0, bytes, kBytesPerTask), [&](const tbb::blocked_range<std::uint64_t>& part) {
    std::memcpy(to + part.begin(), from + part.begin(), part.size());
  });
}

}  // namespace

struct GraphUpload::State {
  GraphView view{};
  std::vector<Piece> pieces;
  std::uint64_t bytes = 0;
  std::uint64_t chunk = 0;
  DeviceMemory memory;
  PinnedMemory staging;  ///< Empty: the driver copies from the graph's own memory.
  Stream stream;
  std::array<Event, kSlots> sent;
  std::atomic<bool> stopped{false};
  std::thread worker;
  Status outcome = Done{};

  explicit State(Stream made) : stream(std::move(made)) {}

  ~State() {
    stopped.store(true, std::memory_order_relaxed);
    if (worker.joinable()) worker.join();
  }

  Status copy_directly() {
    for (const Piece& piece : pieces) {
      if (stopped.load(std::memory_order_relaxed)) break;
      if (Status got = memory.copy_from(stream, piece.host, piece.bytes, piece.offset); !got) return got;
    }
    return Done{};
  }

  Status copy_staged() {
    std::uint64_t number = 0;
    for (const Piece& piece : pieces) {
      for (std::uint64_t done = 0; done < piece.bytes; done += chunk, ++number) {
        if (stopped.load(std::memory_order_relaxed)) return Done{};
        const std::size_t slot = number % kSlots;
        if (number >= kSlots) {
          if (Status got = sent[slot].synchronize(); !got) return got;
        }
        const std::uint64_t length = std::min(chunk, piece.bytes - done);
        char* place = static_cast<char*>(staging.host()) + slot * chunk;
        copy_in_parallel(place, piece.host + done, length);
        if (Status got = memory.copy_from(stream, place, length, piece.offset + done); !got) return got;
        if (Status got = sent[slot].record(stream); !got) return got;
      }
    }
    return Done{};
  }

  void run() {
    outcome = staging.bytes() == 0 ? copy_directly() : copy_staged();
    // Even after an error: the chunks may not be freed during a transfer.
    Status finished = stream.synchronize();
    if (outcome) outcome = finished;
  }
};

GraphUpload::GraphUpload(std::unique_ptr<State> state) : state_(std::move(state)) {}
GraphUpload::~GraphUpload() = default;
GraphUpload::GraphUpload(GraphUpload&&) noexcept = default;
GraphUpload& GraphUpload::operator=(GraphUpload&&) noexcept = default;

Result<GraphUpload> GraphUpload::start(const DeviceRef& device, const GraphView& graph, const UploadOptions& options) {
  Stream stream = MATCHA_TRY(Stream::create(device));
  std::unique_ptr<State> state = std::make_unique<State>(std::move(stream));
  state->view = graph;
  Layout layout = lay_out(state->view, options);
  if (Status fits = check_room(*device, layout.bytes()); !fits) return fits.error();
  DeviceMemory memory = MATCHA_TRY(DeviceMemory::allocate(device, layout.bytes()));
  layout.settle(memory.address());
  state->memory = std::move(memory);
  state->pieces = layout.pieces();
  state->bytes = layout.bytes();

  std::uint64_t longest = 0;
  for (const Piece& piece : state->pieces) longest = std::max(longest, piece.bytes);
  if (longest > 0) {
    state->chunk = std::min(std::max(options.chunk_bytes, kSlack), longest);
    // A host that cannot pin memory uses unstaged copies.
    if (Result<PinnedMemory> staging = PinnedMemory::allocate(device, state->chunk * kSlots)) {
      state->staging = std::move(*staging);
    }
    for (Event& event : state->sent) {
      event = MATCHA_TRY(Event::create(device));
    }
  }
  State* running = state.get();
  try {
    state->worker = std::thread([running] { running->run(); });
  } catch (const std::system_error&) {
    running->run();
  }
  return GraphUpload(std::move(state));
}

const GraphView& GraphUpload::view() const { return state_->view; }

std::uint64_t GraphUpload::bytes() const { return state_->bytes; }

Status GraphUpload::wait() {
  if (state_->worker.joinable()) state_->worker.join();
  return state_->outcome;
}

}  // namespace matcha::runtime::cuda
