#include "codegen/cpu/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/cpu/frame.h"
#include "runtime/machine.h"

/// The start of a run: the frame, the arguments, graphs and lists.
namespace matcha::codegen::cpu {

using runtime::ElementKind;
using runtime::ErrorKind;
using runtime::TrapCode;

namespace {

std::uint64_t word(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

template <typename T>
const T* pointer(std::uint64_t word) {
  return reinterpret_cast<const T*>(word);
}

}  // namespace

Run::Run(const Program& program, const Code& code, const runtime::RunControl& control,
         const runtime::Universe& universe, const RunOptions& options)
    : program_(program),
      code_(code),
      universe_(universe),
      options_(options),
      control_(control),
      sets_(&runtime::set_kernels(options.tier.value_or(runtime::best_tier()))),
      frame_(program.slot_count, 0) {
  control_.threads = options.threads;
  control_.stop_request = options.stop_request;
  control_.deadline = options.deadline;
  control_.on_progress = options.on_progress;
  frame_[kOriginalIdsSlot] = word(universe.ids());
  frame_[kUniverseSizeSlot] = universe.size();
  frame_[kUniverseSlot] = word(&universe);
  frame_[kShortSlot] = sets_ == &runtime::set_kernels(runtime::Tier::Avx512Vp2intersect) ? 17 : 0;
  result_.tier = sets_->tier;
}

RunError Run::failure(ErrorKind kind, std::string message, std::string hint, SourceLoc loc) {
  RunError error;
  error.error.kind = kind;
  error.error.message = std::move(message);
  error.error.hint = std::move(hint);
  error.loc = loc;
  return error;
}

RunError Run::trap(std::uint32_t code, SourceLoc loc) const {
  TrapCode trap_code = static_cast<TrapCode>(code);
  ErrorKind kind = trap_code == TrapCode::OutOfMemory ? ErrorKind::Resource : ErrorKind::Runtime;
  return failure(kind, runtime::trap_message(trap_code), {}, loc);
}

/// The place of a trap, given by file, line and column, with its length.
SourceLoc Run::place(std::string_view file, std::uint32_t line, std::uint32_t column) const {
  SourceLoc result;
  result.line = line;
  result.column = column;
  for (std::size_t i = 0; i < program_.files.size(); ++i) {
    if (program_.files[i] == file) result.file = static_cast<std::uint32_t>(i);
  }
  for (const SourceLoc& loc : program_.places) {
    if (loc.file == result.file && loc.line == line && loc.column == column)
      result.length = std::max(result.length, loc.length);
  }
  return result;
}

Run::Failure Run::call(const std::string& function) {
  runtime::RegionContext context{};
  context.frame = frame_.data();
  context.sets = sets_;
  code_.call(function, context);
  if (context.error_code == 0) return std::nullopt;
  const char* file = context.error_file != nullptr ? context.error_file : "";
  RunError error = trap(context.error_code, place(file, context.error_line, context.error_column));
  error.error.hint =
      runtime::trap_hint(static_cast<TrapCode>(context.error_code), context.error_index, context.error_size);
  return error;
}

// Arguments

Run::Failure Run::bind(std::span<const Argument> arguments) {
  const auto take = [&](std::size_t i, host::Bound bound) -> Failure {
    const std::uint32_t slot = program_.param_slots[i];
    if (const host::List* list = std::get_if<host::List>(&bound)) {
      frame_[slot] = list->size;
      for (std::size_t c = 0; c < list->columns.size(); ++c) frame_[slot + 1 + c] = word(list->columns[c]);
    } else if (runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&bound)) {
      return add_graph(slot, **graph, false);
    } else if (const double* real = std::get_if<double>(&bound)) {
      frame_[slot] = std::bit_cast<std::uint64_t>(*real);
    } else if (const bool* truth = std::get_if<bool>(&bound)) {
      frame_[slot] = *truth ? 1 : 0;
    } else {
      frame_[slot] = static_cast<std::uint64_t>(std::get<std::int64_t>(bound));
    }
    return std::nullopt;
  };
  return host::bind_arguments(program_.signature, arguments, options_.labels, take);
}

/// Adds the arrays that the program reads to the view of a graph, and puts the view in the frame.
Run::Failure Run::add_graph(std::uint32_t slot, runtime::Graph& graph, bool own_labels) {
  const auto plan = std::find_if(program_.graphs.begin(), program_.graphs.end(),
                                 [&](const GraphPlan& candidate) { return candidate.slot == slot; });
  if (plan != program_.graphs.end() && plan->sources) {
    runtime::Status done = runtime::ensure_sources(graph);
    if (!done) return RunError{done.error(), {}};
  }
  if (plan != program_.graphs.end() && plan->halves) {
    runtime::Status done = runtime::ensure_split_offsets(graph);
    if (!done) return RunError{done.error(), {}};
  }
  views_.push_back(std::make_unique<runtime::CpuGraphView>(runtime::CpuGraphView{graph.view(), graph.split_offsets()}));
  runtime::GraphView& view = views_.back()->graph;
  frame_[slot] = word(&view);
  if (view.labels == nullptr && !own_labels) view.labels = options_.labels;
  if (plan == program_.graphs.end()) return std::nullopt;
  if (plan->edge_info && view.edge_info == nullptr && view.arc_count != 0) {
    return failure(ErrorKind::Runtime, "the graph has no edge information", {}, plan->info_loc);
  }
  if (plan->vertex_array && view.vertices == nullptr) {
    runtime::Column all(ElementKind::Vid);
    if (!all.resize(view.vertex_count + kSlack)) return trap(static_cast<std::uint32_t>(TrapCode::OutOfMemory), {});
    std::uint32_t* items = static_cast<std::uint32_t*>(all.data());
    for (std::uint64_t v = 0; v < view.vertex_count; ++v) items[v] = static_cast<std::uint32_t>(v);
    view.vertices = items;
    arrays_.push_back(std::move(all));
  }
  return std::nullopt;
}

// Lists and graphs

Run::Failure Run::step(const ListStep& s) {
  if (Failure failed = call(s.measure)) return failed;
  std::vector<runtime::Column> columns;
  for (std::size_t c = 0; c < s.columns.size(); ++c) {
    runtime::Column& column = columns.emplace_back(s.columns[c]);
    const std::uint64_t most = runtime::machine().memory_bytes / runtime::element_bytes(s.columns[c]);
    if (frame_[s.slot] > most || !column.resize(frame_[s.slot] + kSlack))
      return trap(static_cast<std::uint32_t>(TrapCode::OutOfMemory), {});
    frame_[s.slot + 1 + c] = word(column.data());
  }
  if (Failure failed = call(s.fill)) return failed;
  lists_[s.slot] = std::move(columns);
  return std::nullopt;
}

/// Builds a graph from the rows of a region.
Run::Failure Run::build_of_rows(const BuildStep& s) {
  const runtime::GraphView& walked = *pointer<runtime::GraphView>(frame_[s.walked_slot]);
  struct Rows {
    std::vector<runtime::Column> targets;
    std::vector<runtime::Column> counts;
  };
  std::shared_ptr<Rows> rows = std::make_shared<Rows>();
  rows->targets = std::move(lists_[s.edges_slot]);
  rows->counts = std::move(lists_[s.edges_slot + 1]);
  std::uint64_t* counts = static_cast<std::uint64_t*>(rows->counts[0].data());
  const std::uint32_t* targets = static_cast<const std::uint32_t*>(rows->targets[0].data());
  runtime::Result<runtime::Graph> graph =
      runtime::Graph::from_rows(std::shared_ptr<const runtime::Universe>(std::shared_ptr<void>(), &universe_),
                                walked.vertices, walked.vertex_count, counts, targets, s.every_rank, rows);
  if (!graph) return RunError{graph.error(), s.loc};
  graphs_.push_back(std::make_unique<runtime::Graph>(std::move(*graph)));
  return add_graph(s.slot, *graphs_.back(), false);
}

/// The list whose size and columns are in the frame.
host::List Run::list_at(std::uint32_t slot, std::vector<ElementKind> kinds) const {
  host::List list;
  list.size = frame_[slot];
  for (std::size_t c = 0; c < kinds.size(); ++c) list.columns.push_back(pointer<void>(frame_[slot + 1 + c]));
  list.kinds = std::move(kinds);
  return list;
}

Run::Failure Run::step(const BuildStep& s) {
  if (s.from_rows) return build_of_rows(s);
  const host::List edges = list_at(s.edges_slot, {ElementKind::Vid, ElementKind::Vid});
  host::List labels;
  host::List info;
  if (s.labels_slot != 0) labels = list_at(s.labels_slot, {ElementKind::Vid, ElementKind::Int});
  if (s.info_slot != 0) {
    info = list_at(s.info_slot, {s.info_kind});
    if (info.size != edges.size) return trap(static_cast<std::uint32_t>(TrapCode::LengthMismatch), s.loc);
  }
  runtime::Result<runtime::Graph> graph = host::build_graph(
      s.index, s.order, universe_, edges, s.labels_slot != 0 ? &labels : nullptr, s.info_slot != 0 ? &info : nullptr);
  if (!graph) return RunError{graph.error(), s.loc};
  graphs_.push_back(std::make_unique<runtime::Graph>(std::move(*graph)));
  return add_graph(s.slot, *graphs_.back(), s.labels_slot != 0);
}

// The end

ResultValue Run::scalar_result(const ResultPlan& plan) const {
  std::uint64_t low = frame_[plan.slot];
  switch (plan.type->scalar) {
    case ir::ScalarKind::Bool: return low != 0;
    case ir::ScalarKind::Vid: return VertexValue{static_cast<std::uint32_t>(low)};
    case ir::ScalarKind::F64: return std::bit_cast<double>(low);
    case ir::ScalarKind::I64: return static_cast<__int128>(static_cast<std::int64_t>(low));
    case ir::ScalarKind::I128: break;
  }
  return static_cast<__int128>((static_cast<unsigned __int128>(frame_[plan.slot + 1]) << 64) | low);
}

/// A list that the host keeps.
host::List Run::kept_list(const ResultPlan& plan) const {
  return host::view_of(lists_.at(plan.slot), frame_[plan.slot]);
}

/// Shares need results that are sinks of shared regions.
Run::Failure Run::check_share() const {
  const Share& share = options_.share;
  if (share.is_whole()) return std::nullopt;
  if (share.index >= share.count) return failure(ErrorKind::Runtime, "there is no such share");
  const ReturnStep* last = program_.steps.empty() ? nullptr : std::get_if<ReturnStep>(&program_.steps.back());
  for (std::size_t i = 0; last != nullptr && i < last->results.size(); ++i) {
    if (last->results[i].sink_slot != 0) continue;
    return failure(
        ErrorKind::Runtime, fmt::format("result {} of the program cannot be shared", i + 1),
        "shares are for programs whose results are sums, extremes, truths and lists of a parallel loop, with "
        "nothing computed of them");
  }
  return std::nullopt;
}

PartialValue Run::partial_of(const SinkPlan& plan, runtime::SinkResult& sink) {
  PartialValue partial;
  partial.kind = plan.info.kind;
  partial.wide = plan.wide;
  partial.is_vertex = plan.is_vertex;
  partial.has_value = sink.has_value;
  partial.flag = sink.flag;
  partial.integer = plan.info.kind == runtime::SinkKind::SumInt ? sink.sum : sink.integer;
  partial.number = sink.number;
  partial.sum = sink.exact_sum;
  partial.list.size = sink.rows;
  partial.list.columns = std::move(sink.columns);
  return partial;
}

Run::Failure Run::give_partials(const ReturnStep& s) {
  for (const ResultPlan& plan : s.results) {
    const auto found = partials_.find(plan.sink_slot);
    // A run that ended early has fewer.
    if (found != partials_.end()) result_.partials.push_back(std::move(found->second));
  }
  return std::nullopt;
}

Run::Failure Run::step(const ReturnStep& s) {
  if (!options_.share.is_whole() && !streamed_) return give_partials(s);
  if (Failure failed = call(s.function)) {
    if (ended()) return std::nullopt;
    return failed;
  }
  bool rows = options_.on_rows && s.results.size() == 1 && s.results[0].type->is_list();
  if (rows) {
    if (!streamed_ && !host::hand_over(kept_list(s.results[0]), options_.on_rows, result_.rows))
      result_.ending = Ending::RowsRefused;
    result_.values.emplace_back(static_cast<__int128>(result_.rows));
    return std::nullopt;
  }
  for (const ResultPlan& plan : s.results) {
    if (!plan.type->is_list()) {
      result_.values.push_back(scalar_result(plan));
      continue;
    }
    std::optional<ListValue> list = host::list_value(kept_list(plan));
    if (!list) return trap(static_cast<std::uint32_t>(TrapCode::OutOfMemory), {});
    result_.values.emplace_back(std::move(*list));
  }
  return std::nullopt;
}

}  // namespace matcha::codegen::cpu
