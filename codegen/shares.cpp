#include "codegen/shares.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace matcha::codegen {

using runtime::SinkKind;

namespace {

runtime::Error error_of(runtime::TrapCode code) {
  runtime::Error error;
  error.kind = code == runtime::TrapCode::OutOfMemory ? runtime::ErrorKind::Resource : runtime::ErrorKind::Runtime;
  error.message = runtime::trap_message(code);
  return error;
}

/// Arcs and vertices of the first `positions` positions.
std::uint64_t work_before(const runtime::GraphView& graph, std::uint64_t positions) {
  if (positions == 0) return 0;
  const std::uint64_t last = graph.vertices != nullptr ? graph.vertices[positions - 1] : positions - 1;
  return graph.offsets[last + 1] + positions;
}

/// The first position of part `index` of `count`.
std::uint64_t first_position(std::uint64_t index, std::uint64_t count, std::uint64_t positions,
                             const runtime::GraphView* maybe_graph) {
  using Wide = unsigned __int128;
  if (index == 0) return 0;
  if (index >= count) return positions;
  if (maybe_graph == nullptr) return static_cast<std::uint64_t>(Wide{positions} * index / count);
  const std::uint64_t wanted = static_cast<std::uint64_t>(Wide{work_before(*maybe_graph, positions)} * index / count);
  std::uint64_t low = 0, high = positions;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (work_before(*maybe_graph, middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool is_first(SinkKind kind) { return kind == SinkKind::MinInt || kind == SinkKind::MinFloat; }

void merge_extreme(PartialValue& into, const PartialValue& other) {
  if (!other.has_value) return;
  if (!into.has_value) {
    into.integer = other.integer;
    into.number = other.number;
    into.has_value = true;
    return;
  }
  const bool smallest = is_first(into.kind);
  into.integer = smallest ? std::min(into.integer, other.integer) : std::max(into.integer, other.integer);
  into.number =
      smallest ? runtime::rt_min_f64(into.number, other.number) : runtime::rt_max_f64(into.number, other.number);
}

std::optional<runtime::Error> merge_lists(ListValue& into, const ListValue& other) {
  if (into.columns.empty()) {
    for (const runtime::Column& column : other.columns) into.columns.emplace_back(column.kind());
  }
  for (std::size_t c = 0; c < other.columns.size(); ++c) {
    if (!into.columns[c].append(other.columns[c].data(), other.size)) return error_of(runtime::TrapCode::OutOfMemory);
  }
  into.size += other.size;
  return std::nullopt;
}

}  // namespace

PositionRange positions_of(const Share& share, std::uint64_t positions, const runtime::GraphView* maybe_graph) {
  const bool by_arcs = maybe_graph != nullptr && maybe_graph->offsets != nullptr;
  const runtime::GraphView* const graph = by_arcs ? maybe_graph : nullptr;
  return {first_position(share.index, share.count, positions, graph),
          first_position(share.index + 1, share.count, positions, graph)};
}

RunError no_shares(const char* what) {
  RunError error;
  error.error.kind = runtime::ErrorKind::Runtime;
  error.error.message = std::string(what) + " runs no shares";
  error.error.hint = "run them on the CPU, with LLVM";
  return error;
}

std::optional<runtime::Error> dealing_error(Dealer& dealer, bool independent, bool deals) {
  if (deals && (dealer.merges() || independent)) return std::nullopt;
  dealer.refused();
  if (!dealer.merges() && !independent) {
    return runtime::Error{runtime::ErrorKind::Runtime,
                          "the parallel loops of the program need what earlier ones found",
                          {},
                          0,
                          "`--work DIR` runs it in several processes, `--shard` does not"};
  }
  return runtime::Error{runtime::ErrorKind::Runtime,
                        "no parallel loop of the program can be run in parts",
                        {},
                        0,
                        "parts are of loops that sum, compare or list, not of what later steps need as lists"};
}

std::function<void(std::uint64_t, std::uint64_t)> progress_of_all(const Dealer& dealer, const RunOptions& options) {
  if (!options.on_progress) return {};
  return [&](std::uint64_t done, std::uint64_t total) {
    constexpr std::uint64_t kPartsOfUnit = 1000;
    const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    const std::uint64_t part = static_cast<std::uint64_t>(share * kPartsOfUnit);
    options.on_progress(dealer.units_done() * kPartsOfUnit + part, dealer.units_total() * kPartsOfUnit);
  };
}

std::optional<runtime::Error> merge(PartialValue& into, const PartialValue& other) {
  switch (into.kind) {
    case SinkKind::SumInt:
      if (__builtin_add_overflow(into.integer, other.integer, &into.integer)) {
        return error_of(runtime::TrapCode::IntegerOverflow);
      }
      break;
    case SinkKind::SumFloat: runtime::exact_sum_merge(into.sum, other.sum); break;
    case SinkKind::MinInt:
    case SinkKind::MaxInt:
    case SinkKind::MinFloat:
    case SinkKind::MaxFloat: merge_extreme(into, other); break;
    case SinkKind::Any: into.flag = into.flag || other.flag; break;
    case SinkKind::All: into.flag = into.flag && other.flag; break;
    case SinkKind::Rows:
    case SinkKind::Map: return merge_lists(into.list, other.list);
  }
  return std::nullopt;
}

std::optional<runtime::Error> merge_all(std::vector<PartialValue>& into, const std::vector<PartialValue>& other) {
  if (into.empty()) {
    for (const PartialValue& value : other) into.push_back(none_of(value));
  }
  bool alike = into.size() == other.size();
  for (std::size_t i = 0; alike && i < into.size(); ++i) {
    alike = into[i].kind == other[i].kind && into[i].list.columns.size() == other[i].list.columns.size();
    for (std::size_t c = 0; alike && c < into[i].list.columns.size(); ++c) {
      alike = into[i].list.columns[c].kind() == other[i].list.columns[c].kind();
    }
  }
  if (!alike) {
    return runtime::Error{runtime::ErrorKind::Input, "parts of a run found values of different kinds", {}, 0, {}};
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (std::optional<runtime::Error> failed = merge(into[i], other[i])) return failed;
  }
  return std::nullopt;
}

Ending ending_of_stop(const RunOptions& options) {
  const bool stopped = options.stop_request != nullptr && options.stop_request->load(std::memory_order_relaxed) != 0;
  return stopped || !options.deadline ? Ending::Stopped : Ending::Deadline;
}

PartialValue none_of(const PartialValue& kind) {
  PartialValue none;
  none.kind = kind.kind;
  none.wide = kind.wide;
  none.is_vertex = kind.is_vertex;
  none.flag = kind.kind == SinkKind::All;
  runtime::exact_sum_clear(none.sum);
  for (const runtime::Column& column : kind.list.columns) none.list.columns.emplace_back(column.kind());
  return none;
}

RunOutcome run_units(const RunOptions& options, const std::function<RunOutcome(const RunOptions&)>& run_share,
                     std::vector<PartialValue>& merged) {
  Dealer& dealer = *options.maybe_dealer;
  RunOptions part = options;
  part.maybe_dealer = nullptr;
  part.on_rows = {};
  RunResult all;
  while (const std::optional<std::uint64_t> unit = dealer.next(0)) {
    part.share = {*unit, dealer.units()};
    RunOutcome outcome = run_share(part);
    if (std::holds_alternative<RunError>(outcome)) return outcome;
    RunResult& found = std::get<RunResult>(outcome);
    all.tier = found.tier;
    all.candidates = found.candidates;
    all.images_tried += found.images_tried;
    all.ending = found.ending;
    if (all.ending != Ending::Complete) break;
    if (std::optional<runtime::Error> error = dealer.done(0, *unit, std::move(found.partials))) {
      return RunError{std::move(*error), {}};
    }
  }
  if (dealer.merges()) {
    runtime::Result<std::vector<PartialValue>> found_by_all = dealer.finish(0);
    if (!found_by_all) return RunError{found_by_all.error(), {}};
    merged = std::move(*found_by_all);
  }
  if (all.ending == Ending::Complete && !dealer.is_complete(0)) all.ending = ending_of_stop(options);
  return all;
}

runtime::Result<ResultValue> whole(PartialValue& partial) {
  switch (partial.kind) {
    case SinkKind::SumInt:
      if (!partial.wide && (partial.integer < INT64_MIN || partial.integer > INT64_MAX)) {
        return error_of(runtime::TrapCode::IntegerOverflow);
      }
      return ResultValue(partial.integer);
    case SinkKind::SumFloat: return ResultValue(runtime::exact_sum_round(partial.sum));
    case SinkKind::MinInt:
    case SinkKind::MaxInt:
      if (!partial.has_value) return error_of(runtime::TrapCode::EmptyList);
      if (partial.is_vertex) return ResultValue(VertexValue{static_cast<std::uint32_t>(partial.integer)});
      return ResultValue(partial.integer);
    case SinkKind::MinFloat:
    case SinkKind::MaxFloat:
      if (!partial.has_value) return error_of(runtime::TrapCode::EmptyList);
      return ResultValue(partial.number);
    case SinkKind::Any:
    case SinkKind::All: return ResultValue(partial.flag);
    case SinkKind::Rows:
    case SinkKind::Map: break;
  }
  return ResultValue(std::move(partial.list));
}

}  // namespace matcha::codegen
