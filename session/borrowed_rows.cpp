#include "session/borrowed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace matcha::session {

namespace {

using IntKind = runtime::IntColumn::Kind;
using runtime::Buffer;

runtime::Error input_error(std::string message) {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.message = std::move(message);
  return error;
}

/// Copies the items; false where one does not fit.
template <typename From, typename To>
bool copy(const runtime::IntColumn& from, Buffer<To>& to) {
  const From* const items = static_cast<const From*>(from.items);
  to = Buffer<To>(from.count);
  for (std::uint64_t i = 0; i < from.count; ++i) {
    if (!std::in_range<To>(items[i])) return false;
    to[i] = static_cast<To>(items[i]);
  }
  return true;
}

template <typename To>
bool copy_any(const runtime::IntColumn& from, Buffer<To>& to) {
  switch (from.kind) {
    case IntKind::Int32: return copy<std::int32_t>(from, to);
    case IntKind::Uint32: return copy<std::uint32_t>(from, to);
    case IntKind::Int64: return copy<std::int64_t>(from, to);
    case IntKind::Uint64: break;
  }
  return copy<std::uint64_t>(from, to);
}

/// The offsets ascend from 0 to the number of arcs; a negative one is too large.
std::optional<runtime::Error> check_offsets(const BorrowedRows& rows) {
  if (rows.offsets[0] != 0) return input_error("the first offset is not 0");
  for (std::uint64_t v = 0; v < rows.vertices; ++v) {
    if (rows.offsets[v] > rows.offsets[v + 1]) return input_error(fmt::format("the offsets fall after vertex {}", v));
  }
  if (rows.offsets[rows.vertices] == rows.arcs) return std::nullopt;
  return input_error(
      fmt::format("the last offset is {}, and there are {} neighbours", rows.offsets[rows.vertices], rows.arcs));
}

std::optional<runtime::Error> check_targets(const BorrowedRows& rows) {
  for (std::uint64_t v = 0; v < rows.vertices; ++v) {
    for (std::uint64_t at = rows.offsets[v]; at < rows.offsets[v + 1]; ++at) {
      const std::uint32_t w = rows.targets[at];
      if (w >= rows.vertices) return input_error(fmt::format("vertex {} has a neighbour that is no vertex", v));
      if (w == v) return input_error(fmt::format("vertex {} has an edge to itself", v));
      if (at == rows.offsets[v] || w > rows.targets[at - 1]) continue;
      return input_error(fmt::format("the neighbours of vertex {} do not ascend, or one is there twice", v));
    }
  }
  return std::nullopt;
}

/// Rows are read in order, and the sources of each target come in order too: one position in each row is enough.
std::optional<runtime::Error> check_symmetric(const BorrowedRows& rows) {
  Buffer<std::uint64_t> next(rows.vertices);
  std::copy(rows.offsets, rows.offsets + rows.vertices, next.data());
  for (std::uint64_t v = 0; v < rows.vertices; ++v) {
    for (std::uint64_t at = rows.offsets[v]; at < rows.offsets[v + 1]; ++at) {
      const std::uint32_t w = rows.targets[at];
      if (next[w] < rows.offsets[w + 1] && rows.targets[next[w]] == v) {
        ++next[w];
        continue;
      }
      return input_error(fmt::format("vertex {} has the neighbour {}, which has not vertex {}", v, w, v));
    }
  }
  return std::nullopt;
}

}  // namespace

runtime::Result<std::shared_ptr<const BorrowedRows>> borrow_rows(const runtime::IntColumn& offsets,
                                                                 const runtime::IntColumn& targets, bool directed,
                                                                 std::shared_ptr<const void> owner) {
  if (offsets.count == 0) return input_error("there are no offsets");
  auto rows = std::make_shared<BorrowedRows>();
  rows->vertices = offsets.count - 1;
  rows->arcs = targets.count;
  if (rows->vertices > runtime::kMaxVertices) {
    runtime::Error error = input_error("there are too many vertices");
    error.kind = runtime::ErrorKind::Resource;
    return error;
  }
  constexpr std::uint64_t kMostArcs = std::uint64_t{1} << 48;
  if (targets.count > kMostArcs) return input_error("the last offset is negative or too large");
  // Of a signed array, a negative item is too large for the checks below.
  const bool keeps_offsets = offsets.kind == IntKind::Int64 || offsets.kind == IntKind::Uint64;
  const bool keeps_targets = targets.kind == IntKind::Int32 || targets.kind == IntKind::Uint32;
  if (keeps_offsets) {
    rows->offsets = static_cast<const std::uint64_t*>(offsets.items);
  } else {
    if (!copy_any(offsets, rows->own_offsets)) return input_error("an offset is negative");
    rows->offsets = rows->own_offsets.data();
  }
  if (keeps_targets) {
    rows->targets = static_cast<const std::uint32_t*>(targets.items);
  } else {
    if (!copy_any(targets, rows->own_targets)) return input_error("a neighbour is no vertex");
    rows->targets = rows->own_targets.data();
  }
  std::optional<runtime::Error> wrong = check_offsets(*rows);
  if (!wrong) wrong = check_targets(*rows);
  if (!wrong && !directed) wrong = check_symmetric(*rows);
  if (wrong) return *wrong;
  if (keeps_offsets || keeps_targets) rows->maybe_owner = std::move(owner);
  return std::shared_ptr<const BorrowedRows>(std::move(rows));
}

}  // namespace matcha::session
