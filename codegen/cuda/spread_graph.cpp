#include "codegen/cuda/spread_graph.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/parallel.h"

namespace matcha::codegen::gpu {

using runtime::GraphView;
using runtime::cuda::DeviceBuffer;
using runtime::cuda::DeviceMemory;
using runtime::cuda::PinnedBuffer;
using runtime::cuda::PinnedMemory;
using runtime::cuda::Stream;

namespace {

using Ranks = tbb::blocked_range<std::uint64_t>;
constexpr std::uint64_t kGrain = 4096;
constexpr std::uint64_t kRanksOfGroup = std::uint64_t{1} << runtime::kMovedBits;
/// Items behind the last one, so that every cache line ends inside the room.
constexpr std::uint64_t kSlackItems = 16;
/// Items of rows sent in one copy.
constexpr std::uint64_t kChunkItems = std::uint64_t{1} << 22;

/// Item v: the sum of `size_of` of all ranks before v; one item more than ranks.
template <typename F>
runtime::Buffer<std::uint64_t> sums_before(std::uint64_t ranks, const F& size_of) {
  runtime::Buffer<std::uint64_t> sums(ranks + 1);
  std::vector<std::uint64_t> before(ranks / kGrain + 2);
  const auto each_piece = [ranks](const auto& work) {
    runtime::for_indices(0, ranks / kGrain + 1, [&](std::uint64_t piece) {
      work(piece, piece * kGrain, std::min((piece + 1) * kGrain, ranks));
    });
  };
  each_piece([&](std::uint64_t piece, std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t v = first; v < end; ++v) before[piece + 1] += size_of(v);
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  each_piece([&](std::uint64_t piece, std::uint64_t first, std::uint64_t end) {
    std::uint64_t sum = before[piece];
    for (std::uint64_t v = first; v < end; ++v) {
      sums[v] = sum;
      sum += size_of(v);
    }
  });
  sums[ranks] = before.back();
  return sums;
}

}  // namespace

std::shared_ptr<PinnedRows> PinnedRows::make(const runtime::cuda::DeviceRef& device, const runtime::Graph& graph,
                                             RowsRead rows) {
  const GraphView view = graph.view();
  auto made = std::make_shared<PinnedRows>();
  const auto row_of = [&](std::uint64_t v) -> runtime::PositionRange {
    if (rows == RowsRead::None) return {0, 0};
    if (rows == RowsRead::All) return {view.offsets[v], view.offsets[v + 1]};
    const std::uint64_t half = rows == RowsRead::Lower ? 0 : 1;
    return {view.halves[2 * v + half], view.halves[2 * v + half + 1]};
  };
  const auto size_of = [&](std::uint64_t v) { return row_of(v).end - row_of(v).begin; };
  made->starts = sums_before(view.universe, size_of);
  const runtime::Buffer<std::uint64_t>& starts = made->starts;
  made->items = need(PinnedBuffer<std::uint32_t>::allocate(device, starts[view.universe] + kSlackItems, false));
  std::uint32_t* const items = made->items.host();
  std::fill_n(items + starts[view.universe], kSlackItems, 0U);
  runtime::for_blocks(Ranks(0, view.universe, kGrain), [&](const Ranks& part) {
    for (std::uint64_t v = part.begin(); v != part.end(); ++v) {
      const runtime::PositionRange row = row_of(v);
      std::copy(view.neighbors + row.begin, view.neighbors + row.end, items + starts[v]);
    }
  });
  if (rows == RowsRead::All || rows == RowsRead::None) return made;
  made->halves = runtime::Buffer<std::uint64_t>(2 * view.universe + 1);
  runtime::for_blocks(Ranks(0, view.universe, kGrain), [&](const Ranks& part) {
    for (std::uint64_t v = part.begin(); v != part.end(); ++v) {
      made->halves[2 * v] = starts[v];
      made->halves[2 * v + 1] = rows == RowsRead::Lower ? starts[v + 1] : starts[v];
    }
  });
  made->halves[2 * view.universe] = starts[view.universe];
  return made;
}

template <typename T>
void SpreadGraph::put(const T*& field, const T* items, std::uint64_t count, std::uint64_t budget) {
  const std::uint64_t bytes = count * sizeof(T);
  field = nullptr;
  if (items == nullptr) return;
  if (bytes <= budget && bytes <= left_) {
    DeviceMemory& memory =
        arrays_.emplace_back(need(DeviceMemory::allocate(device_, std::max<std::uint64_t>(bytes, sizeof(T)))));
    const Stream stream = need(Stream::create(device_));
    need(memory.copy_from(stream, items, bytes));
    need(stream.synchronize());
    field = reinterpret_cast<const T*>(memory.address());
    left_ -= bytes;
    copied_ += bytes;
    return;
  }
  PinnedMemory& memory = remote_arrays_.emplace_back(
      need(PinnedMemory::allocate(device_, std::max<std::uint64_t>(bytes, sizeof(T)), bytes == 0)));
  if (bytes != 0) std::memcpy(memory.host(), items, bytes);
  field = reinterpret_cast<const T*>(memory.address());
}

SpreadGraph::SpreadGraph(const runtime::cuda::DeviceRef& device, host::Graph& graph,
                         std::shared_ptr<const PinnedRows> rows, const runtime::cuda::UploadOptions& wanted,
                         std::uint64_t most, bool names_rows)
    : device_(device),
      rows_(std::move(rows)),
      degrees_(graph.view.offsets),
      view_(graph.view),
      groups_((graph.view.universe + kRanksOfGroup - 1) / kRanksOfGroup),
      left_(most) {
  const GraphView host = graph.view;
  const std::uint64_t reserve = most - most_of_vertices(most);
  const auto of_vertices = [&] { return left_ - std::min(left_, reserve); };
  const bool halved = !rows_->halves.empty();
  const std::uint64_t* const halves = halved ? rows_->halves.data() : host.halves;
  view_.neighbors = rows_->items.device_data();
  view_.slots = nullptr;
  view_.hubs = nullptr;
  put(view_.halves, wanted.halves ? halves : nullptr, 2 * host.universe + 1, of_vertices());
  // If halves give the starts of rows, offsets are needed only for their lengths.
  if (!halved) put(view_.offsets, wanted.offsets ? host.offsets : nullptr, host.universe + 1, of_vertices());
  moves_ = need(PinnedBuffer<std::int64_t>::allocate(device_, groups_ + 1));
  view_.moved = moves_.device_data();
  if ((groups_ + 1) * sizeof(std::int64_t) <= of_vertices()) {
    moved_ = need(DeviceBuffer<std::int64_t>::allocate(device_, groups_ + 1));
    left_ -= moved_.bytes();
    view_.moved = moved_.data();
  }
  put(view_.labels, wanted.labels ? host.labels : nullptr, host.universe, of_vertices());
  const auto put_offsets = [&](std::uint64_t budget) {
    if (halved) put(view_.offsets, wanted.offsets ? host.offsets : nullptr, host.universe + 1, budget);
  };
  if (!names_rows) put_offsets(of_vertices());
  put(view_.vertices, wanted.vertices ? graph.vertex_array() : nullptr, host.vertex_count, of_vertices());
  const std::uint64_t room = rows_->starts[host.universe] + kSlackItems;
  const std::uint64_t items = std::min(room, left_ / sizeof(std::uint32_t));
  if (items > kSlackItems) {
    room_ = need(DeviceBuffer<std::uint32_t>::allocate(device_, items));
    left_ -= room_.bytes();
  }
  if (names_rows) put_offsets(left_);
  put(view_.original_ids, wanted.original_ids ? host.original_ids : nullptr, host.universe, left_);
  // Sources are read sequentially.
  put(view_.sources, wanted.sources ? host.sources : nullptr, host.arc_count, left_);
  const std::uint64_t* const info = static_cast<const std::uint64_t*>(host.edge_info);
  const std::uint64_t* info_address = nullptr;
  put(info_address, wanted.edge_info ? info : nullptr, host.arc_count, left_);
  view_.edge_info = info_address;
}

std::uint64_t SpreadGraph::items_before(std::uint64_t group) const {
  return rows_->starts[std::min(group * kRanksOfGroup, view_.universe)];
}

bool SpreadGraph::find_room(Resident& rows) const {
  if (room_.size() < kSlackItems) return false;
  const std::uint64_t wanted = items_of(rows), end = room_.size() - kSlackItems;
  std::uint64_t free = 0;
  for (const Resident& there : residents_) {
    if (there.at - free >= wanted) break;
    free = there.at + items_of(there);
  }
  rows.at = free;
  return free <= end && wanted <= end - free;
}

void SpreadGraph::send(const Stream& stream, const Resident& rows) {
  const std::uint64_t count = items_of(rows);
  if (count != 0) need(room_.upload(stream, rows_->items.host() + items_before(rows.first), count, rows.at));
  copied_ += count * sizeof(std::uint32_t);
}

void SpreadGraph::move(const Resident& rows) {
  // Both are addresses of items.
  const std::uint64_t there = reinterpret_cast<std::uint64_t>(room_.data()) / sizeof(std::uint32_t) + rows.at;
  const std::uint64_t here =
      reinterpret_cast<std::uint64_t>(view_.neighbors) / sizeof(std::uint32_t) + items_before(rows.first);
  std::fill(moves_.host() + rows.first, moves_.host() + rows.last, static_cast<std::int64_t>(there - here));
}

void SpreadGraph::drop(const Resident& rows) { std::fill(moves_.host() + rows.first, moves_.host() + rows.last, 0); }

bool SpreadGraph::add(const Stream& stream, std::span<Resident> wanted) {
  bool all = true;
  for (Resident& rows : wanted) {
    const auto is_it = [&](const Resident& other) { return rows.first == other.first && rows.last == other.last; };
    if (std::ranges::any_of(residents_, is_it)) continue;
    if (!find_room(rows)) {
      all = false;
      continue;
    }
    send(stream, rows);
    move(rows);
    residents_.insert(std::ranges::upper_bound(residents_, rows.at, {}, &Resident::at), rows);
  }
  return all;
}

void SpreadGraph::place_named(const Stream& stream, std::span<const runtime::PositionRange> ranks) {
  std::vector<Resident> wanted;
  for (const runtime::PositionRange& range : ranks) {
    if (range.begin >= range.end) continue;
    const Resident rows{range.begin / kRanksOfGroup, (range.end + kRanksOfGroup - 1) / kRanksOfGroup, 0};
    if (!wanted.empty() && rows.first < wanted.back().last) {
      wanted.back().last = std::max(wanted.back().last, rows.last);
    } else {
      wanted.push_back(rows);
    }
  }
  const auto let_go_of = [&](const auto& stays) {
    std::erase_if(residents_, [&](const Resident& there) {
      if (stays(there)) return false;
      drop(there);
      return true;
    });
  };
  let_go_of([&](const Resident& there) {
    return !has_hottest_ && std::ranges::any_of(wanted, [&](const Resident& rows) {
      return rows.first == there.first && rows.last == there.last;
    });
  });
  has_hottest_ = false;
  if (add(stream, wanted)) return;
  let_go_of([](const Resident&) { return false; });
  // Rows that do not fit are read in host memory.
  (void)add(stream, wanted);
}

/// The groups whose rows fit the room, hottest first. A row is read about as often as its vertex has neighbours.
std::vector<bool> SpreadGraph::hottest_groups() const {
  std::vector<double> heat(groups_);
  runtime::for_blocks(Ranks(0, groups_, kGrain), [&](const Ranks& part) {
    for (std::uint64_t group = part.begin(); group != part.end(); ++group) {
      double uses = 0;
      const std::uint64_t end = std::min((group + 1) * kRanksOfGroup, view_.universe);
      for (std::uint64_t v = group * kRanksOfGroup; v < end; ++v) {
        uses += static_cast<double>(degrees_[v + 1] - degrees_[v]) *
                static_cast<double>(rows_->starts[v + 1] - rows_->starts[v]);
      }
      const std::uint64_t items = items_before(group + 1) - items_before(group);
      heat[group] = items == 0 ? 0 : uses / static_cast<double>(items);
    }
  });
  std::vector<std::uint32_t> order(groups_);
  std::iota(order.begin(), order.end(), 0U);
  tbb::parallel_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return heat[a] > heat[b] || (heat[a] == heat[b] && a < b);
  });
  std::uint64_t left = room_.size() - std::min(room_.size(), kSlackItems);
  std::vector<bool> chosen(groups_);
  for (const std::uint32_t group : order) {
    const std::uint64_t items = items_before(group + 1) - items_before(group);
    if (items == 0 || items > left) continue;
    chosen[group] = true;
    left -= items;
  }
  return chosen;
}

void SpreadGraph::place_hottest(const Stream& stream) {
  std::fill(moves_.host(), moves_.host() + groups_, 0);
  residents_.clear();
  has_hottest_ = true;
  const std::vector<bool> chosen = hottest_groups();
  // There may be many ranges of a few rows, so that separate copies would be dominated by their overhead.
  const PinnedBuffer<std::uint32_t> chunk =
      need(PinnedBuffer<std::uint32_t>::allocate(device_, std::min(kChunkItems, room_.size()), false));
  std::uint64_t sent = 0, at = 0;
  const auto flush = [&] {
    if (at == sent) return;
    need(room_.upload(stream, chunk.host(), at - sent, sent));
    need(stream.synchronize());
    copied_ += (at - sent) * sizeof(std::uint32_t);
    sent = at;
  };
  for (std::uint64_t first = 0; first < groups_;) {
    std::uint64_t last = first + 1;
    while (last < groups_ && chosen[last] == chosen[first]) ++last;
    const Resident rows{first, last, at};
    const std::uint64_t items = items_of(rows);
    first = last;
    if (!chosen[rows.first]) continue;
    if (items > chunk.size() - (at - sent)) flush();
    if (items > chunk.size()) {
      send(stream, rows);
      sent = at + items;
    } else {
      std::copy_n(rows_->items.host() + items_before(rows.first), items, chunk.host() + (at - sent));
    }
    move(rows);
    at += items;
  }
  flush();
}

void SpreadGraph::send_moves(const Stream& stream) {
  if (moved_.size() != 0) need(moved_.upload(stream, moves_.host(), groups_));
  need(stream.synchronize());
}

void SpreadGraph::place(const Stream& stream, std::span<const runtime::PositionRange> ranks) {
  if (ranks.empty() && has_hottest_) return;
  if (ranks.empty()) {
    place_hottest(stream);
  } else {
    place_named(stream, ranks);
  }
  send_moves(stream);
}

}  // namespace matcha::codegen::gpu
