#include "codegen/llvm/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "codegen/llvm/frame.h"
#include "codegen/llvm/jit.h"

/// How a run begins: the frame, the arguments, graphs and lists.
namespace matcha::codegen::jit {

using runtime::ElementKind;
using runtime::ErrorKind;
using runtime::TrapCode;

namespace {

using StepFunction = void (*)(runtime::RegionContext*);

std::uint64_t word(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

template <typename T>
const T* pointer(std::uint64_t word) {
  return reinterpret_cast<const T*>(word);
}

ElementKind element_kind(runtime::ColumnKind kind) {
  switch (kind) {
    case runtime::ColumnKind::Vertex: return ElementKind::Vid;
    case runtime::ColumnKind::Label:
    case runtime::ColumnKind::Int: return ElementKind::Int;
    case runtime::ColumnKind::Float: break;
  }
  return ElementKind::Float;
}

ir::ScalarKind scalar_kind(ElementKind kind) {
  switch (kind) {
    case ElementKind::Vid: return ir::ScalarKind::Vid;
    case ElementKind::Int: return ir::ScalarKind::I64;
    case ElementKind::Float: return ir::ScalarKind::F64;
    case ElementKind::Bool: break;
  }
  return ir::ScalarKind::Bool;
}

/// The words of 8 bytes that a graph keeps for a column of edge information.
std::vector<std::uint64_t> info_words(const void* column, std::uint64_t count, ElementKind kind) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (kind == ElementKind::Vid) {
      words[i] = static_cast<const std::uint32_t*>(column)[i];
    } else if (kind == ElementKind::Bool) {
      words[i] = static_cast<const std::uint8_t*>(column)[i];
    } else {
      words[i] = static_cast<const std::uint64_t*>(column)[i];
    }
  }
  return words;
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

/// The place that a trap tells by file, line and column, with its length.
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
  StepFunction step = reinterpret_cast<StepFunction>(code_.find(function));
  step(&context);
  if (context.error_code == 0) return std::nullopt;
  const char* file = context.error_file != nullptr ? context.error_file : "";
  return trap(context.error_code, place(file, context.error_line, context.error_column));
}

// Arguments

Run::Failure Run::bind(std::span<const Argument> arguments) {
  if (arguments.size() != program_.params.size()) {
    return failure(ErrorKind::Input,
                   fmt::format("the program takes {} arguments, not {}", program_.params.size(), arguments.size()));
  }
  if (std::optional<RunError> broken = broken_assumption(program_.assumed, arguments, options_.labels)) return broken;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ParamPlan& param = program_.params[i];
    const Argument& argument = arguments[i];
    const ir::Type& type = *param.type;
    const std::int64_t* integer = std::get_if<std::int64_t>(&argument);
    const double* real = std::get_if<double>(&argument);
    const bool* truth = std::get_if<bool>(&argument);
    runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&argument);
    const runtime::InputList* const* list = std::get_if<const runtime::InputList*>(&argument);
    Failure failed;
    if (integer != nullptr && type.is_scalar(ir::ScalarKind::I64)) {
      frame_[param.slot] = static_cast<std::uint64_t>(*integer);
    } else if (integer != nullptr && type.is_scalar(ir::ScalarKind::F64)) {
      frame_[param.slot] = std::bit_cast<std::uint64_t>(static_cast<double>(*integer));
    } else if (real != nullptr && type.is_scalar(ir::ScalarKind::F64)) {
      frame_[param.slot] = std::bit_cast<std::uint64_t>(*real);
    } else if (truth != nullptr && type.is_scalar(ir::ScalarKind::Bool)) {
      frame_[param.slot] = *truth ? 1 : 0;
    } else if (graph != nullptr && type.is_graph()) {
      failed = bind_graph(param, **graph);
    } else if (list != nullptr && type.is_flat_list()) {
      failed = bind_list(param, **list);
    } else {
      failed =
          failure(ErrorKind::Input, fmt::format("the argument for `{}` is no `{}`", param.name, ir::to_string(type)));
    }
    if (failed) return failed;
  }
  return std::nullopt;
}

Run::Failure Run::bind_list(const ParamPlan& param, const runtime::InputList& list) {
  bool fits = list.columns.size() == param.type->columns.size();
  for (std::size_t c = 0; fits && c < list.columns.size(); ++c) {
    fits = param.type->columns[c]->is_scalar(scalar_kind(element_kind(list.columns[c].kind)));
  }
  if (!fits) {
    return failure(ErrorKind::Input,
                   fmt::format("the columns of `{}` are not those of `{}`", param.name, ir::to_string(*param.type)));
  }
  frame_[param.slot] = list.size;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    const runtime::InputColumn& column = list.columns[c];
    const void* data = column.ranks.data();
    if (column.kind == runtime::ColumnKind::Int) data = column.ints.data();
    if (column.kind == runtime::ColumnKind::Float) data = column.floats.data();
    frame_[param.slot + 1 + c] = word(data);
  }
  return std::nullopt;
}

Run::Failure Run::bind_graph(const ParamPlan& param, runtime::Graph& graph) {
  return add_graph(param.slot, graph, false);
}

/// Completes the view of a graph with what the program reads of it, and puts it in the frame.
Run::Failure Run::add_graph(std::uint32_t slot, runtime::Graph& graph, bool own_labels) {
  const auto plan = std::find_if(program_.graphs.begin(), program_.graphs.end(),
                                 [&](const GraphPlan& candidate) { return candidate.slot == slot; });
  if (plan != program_.graphs.end() && plan->sources) {
    runtime::Status done = runtime::ensure_sources(graph);
    if (!done) return RunError{done.error(), {}};
  }
  if (plan != program_.graphs.end() && plan->halves) {
    runtime::Status done = runtime::ensure_narrow_halves(graph);
    if (!done) return RunError{done.error(), {}};
  }
  views_.push_back(std::make_unique<runtime::CpuGraphView>(runtime::CpuGraphView{graph.view(), graph.narrow_halves()}));
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
    if (!column.resize(frame_[s.slot] + kSlack)) return trap(static_cast<std::uint32_t>(TrapCode::OutOfMemory), {});
    frame_[s.slot + 1 + c] = word(column.data());
  }
  if (Failure failed = call(s.fill)) return failed;
  lists_[s.slot] = std::move(columns);
  return std::nullopt;
}

/// The graph of the rows that a region left.
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

Run::Failure Run::step(const BuildStep& s) {
  if (s.from_rows) return build_of_rows(s);
  runtime::BuildInput input;
  input.universe = std::shared_ptr<const runtime::Universe>(std::shared_ptr<void>(), &universe_);
  input.count = frame_[s.edges_slot];
  input.sources = pointer<std::uint32_t>(frame_[s.edges_slot + 1]);
  input.targets = pointer<std::uint32_t>(frame_[s.edges_slot + 2]);
  input.index = s.index == ir::GraphIndex::Csr ? runtime::IndexKind::Csr : runtime::IndexKind::Hash;
  if (s.labels_slot != 0) {
    input.label_count = frame_[s.labels_slot];
    input.label_vertices = pointer<std::uint32_t>(frame_[s.labels_slot + 1]);
    input.labels = pointer<std::int64_t>(frame_[s.labels_slot + 2]);
  }
  std::vector<std::uint64_t> words;
  if (s.info_slot != 0) {
    if (frame_[s.info_slot] != input.count) return trap(static_cast<std::uint32_t>(TrapCode::LengthMismatch), s.loc);
    words = info_words(pointer<void>(frame_[s.info_slot + 1]), input.count, s.info_kind);
    input.edge_info = words.data();
    input.info_kind = s.info_kind == ElementKind::Float  ? runtime::InfoKind::Float
                      : s.info_kind == ElementKind::Bool ? runtime::InfoKind::Bool
                                                         : runtime::InfoKind::Int;
  }
  runtime::Result<runtime::Graph> graph = runtime::build_graph(input);
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

ListValue Run::take_list(const ResultPlan& plan) {
  ListValue value;
  value.size = frame_[plan.slot];
  for (const runtime::Column& column : lists_[plan.slot]) {
    runtime::Column& copy = value.columns.emplace_back(column.kind());
    if (!copy.append(column.data(), value.size)) value.columns.clear();
  }
  return value;
}

/// Hands over the rows of a list that was not streamed.
Run::Failure Run::give_rows(const ResultPlan& plan) {
  constexpr std::uint64_t kBlock = 4096;
  const std::vector<runtime::Column>& columns = lists_[plan.slot];
  std::uint64_t size = frame_[plan.slot];
  std::vector<ElementKind> kinds;
  for (const runtime::Column& column : columns) kinds.push_back(column.kind());
  for (std::uint64_t at = 0; at < size; at += kBlock) {
    std::vector<const void*> data;
    for (const runtime::Column& column : columns) {
      data.push_back(static_cast<const char*>(column.data()) + at * runtime::element_bytes(column.kind()));
    }
    std::uint64_t count = std::min(kBlock, size - at);
    result_.rows += count;
    if (!options_.on_rows(Rows{count, kinds, data.data()})) {
      result_.ending = Ending::RowsRefused;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Run::Failure Run::step(const ReturnStep& s) {
  if (Failure failed = call(s.function)) {
    if (ended()) return std::nullopt;
    return failed;
  }
  bool rows = options_.on_rows && s.results.size() == 1 && s.results[0].type->is_list();
  if (rows) {
    if (!streamed_) give_rows(s.results[0]);
    result_.values.emplace_back(static_cast<__int128>(result_.rows));
    return std::nullopt;
  }
  for (const ResultPlan& plan : s.results) {
    if (plan.type->is_list()) {
      result_.values.emplace_back(take_list(plan));
    } else {
      result_.values.push_back(scalar_result(plan));
    }
  }
  return std::nullopt;
}

}  // namespace matcha::codegen::jit
