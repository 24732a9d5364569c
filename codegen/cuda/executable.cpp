#include "codegen/cuda/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/cuda/kernel_cache.h"

namespace matcha::codegen::gpu {

using ir::Kind;
using ir::ScalarKind;
using runtime::ErrorKind;
using runtime::cuda::DeviceMemory;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Calls `visit` on every node that the regions of a module compute on the device.
template <typename F>
void for_each_device_node(const ir::Module& module, F visit) {
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    ir::for_each_stmt(*region->collect->body, [&](const ir::Stmt& inner) {
      ir::for_each_expr(inner, [&](const ir::Expr& expr) { ir::for_each_node(expr, visit); });
    });
  }
}

/// Lanes for regions with set operations. Narrower groups were slower on every graph that was tried: work is dealt out
/// in tiles of a few arcs, so whole warps stay busy, and lanes of one warp do not diverge.
constexpr std::uint32_t kLanes = 32;

}  // namespace

/// What is kept from run to run.
struct CudaExecutable::Session {
  runtime::cuda::DeviceRef device;
  std::unique_ptr<RegionLauncher> launcher;
  std::vector<std::uint32_t> groups;
  Stack stack = Stack::Array;
  std::vector<EmittedRegion> regions;
  std::optional<runtime::cuda::Module> module;
  std::vector<runtime::cuda::Function> kernels;
};

/// One run: the values of the top level, and what of them is on the device.
class CudaExecutable::Run {
 public:
  Run(CudaExecutable& program, const runtime::Universe& universe, const RunOptions& options)
      : program_(program), universe_(universe), options_(options), values_(program.module_, universe, options) {}

  RunResult walk(std::span<const Argument> arguments) {
    program_.open(result_);
    values_.bind(program_.module_, arguments);
    for (const ir::Var* param : program_.module_.params) upload_early(param);
    program_.compile(group_widths(program_.module_, program_.options_.group, kLanes), program_.options_.stack, result_);
    for (const ir::Stmt* stmt : program_.module_.body->body) {
      if (ended() && (stmt->kind == Kind::Region || stmt->kind == Kind::BuildGraph)) break;
      try {
        step(*stmt);
      } catch (const interp::Trap&) {
        if (!ended()) throw;
        break;
      }
    }
    return std::move(result_);
  }

 private:
  bool ended() const { return result_.ending != Ending::Complete; }
  Session& session() { return *program_.session_; }

  void step(const ir::Stmt& stmt) {
    ir::match(
        stmt,
        [&](const ir::Let& s) {
          values_.let(s);
          upload_early(s.var);
        },
        [&](const ir::BuildGraph& s) {
          values_.build(s);
          upload_early(s.var);
        },
        [&](const ir::Region& s) { region(s); }, [&](const ir::Return& s) { results(s); },
        [](const ir::Stmt&) { MATCHA_UNREACHABLE("a step that runs on a GPU"); });
  }

  // What regions read

  /// Starts the copy of a graph that regions read, so that it travels while kernels are compiled.
  void upload_early(const ir::Var* var) {
    if (!var->type->is_graph() || !program_.on_device_.contains(var)) return;
    HostGraph& graph = values_.graph(var);
    runtime::cuda::UploadOptions wanted;
    wanted.sources = wanted.splits = wanted.edge_info = wanted.labels = wanted.original_ids = false;
    SourceLoc info_loc;
    for_each_device_node(program_.module_, [&](const ir::Expr& node) {
      if (node.operands.empty() || node.operands[0] != var) return;
      wanted.sources = wanted.sources || node.kind == Kind::Edges;
      wanted.splits = wanted.splits || node.kind == Kind::LowerNeighbors || node.kind == Kind::UpperNeighbors;
      wanted.labels = wanted.labels || node.kind == Kind::Label;
      if (node.kind == Kind::EdgeInfo) {
        wanted.edge_info = true;
        info_loc = node.loc;
      }
    });
    if (wanted.edge_info && graph.view.edge_info == nullptr && graph.view.arc_count != 0) {
      fail(ErrorKind::Runtime, "the graph has no edge information", {}, info_loc);
    }
    if (wanted.sources) {
      need(runtime::ensure_sources(*graph.graph));
      graph.view.sources = graph.graph->view().sources;
    }
    if (wanted.splits) {
      need(runtime::ensure_splits(*graph.graph));
      graph.view.splits = graph.graph->view().splits;
    }
    uploads_.emplace(var, need(runtime::cuda::GraphUpload::start(session().device, graph.view, wanted)));
  }

  const void* upload_bytes(const void* bytes, std::uint64_t count) {
    const runtime::cuda::Stream& stream = session().launcher->stream();
    DeviceMemory& memory =
        arrays_.emplace_back(need(DeviceMemory::allocate(session().device, std::max<std::uint64_t>(count, 1))));
    if (count != 0) need(memory.copy_from(stream, bytes, count));
    need(stream.synchronize());
    return reinterpret_cast<const void*>(memory.address());
  }

  const std::vector<const void*>& device_columns(const ir::Var* var) {
    const auto found = columns_.find(var);
    if (found != columns_.end()) return found->second;
    const HostList& list = values_.list(var);
    std::vector<const void*> columns;
    for (std::size_t c = 0; c < list.columns.size(); ++c) {
      columns.push_back(upload_bytes(list.columns[c], list.size * runtime::element_bytes(list.kinds[c])));
    }
    return columns_.emplace(var, std::move(columns)).first->second;
  }

  const std::int64_t* device_ids() {
    if (!program_.reads_ids_ || universe_.ids() == nullptr) return nullptr;
    if (ids_ == nullptr) ids_ = static_cast<const std::int64_t*>(upload_bytes(universe_.ids(), universe_.size() * 8));
    return ids_;
  }

  template <typename T>
  static void put(std::vector<std::uint8_t>& frame, std::uint64_t offset, const T& value) {
    std::memcpy(frame.data() + offset, &value, sizeof value);
  }

  /// The frame as the values are now; what is not there yet stays 0.
  std::vector<std::uint8_t> frame(const ir::Region& region) {
    std::unordered_set<const ir::Var*> wanted;
    ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
      ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
        std::vector<const ir::Var*> read;
        ir::free_vars(expr, read);
        wanted.insert(read.begin(), read.end());
      });
    });
    std::vector<std::uint8_t> frame(program_.layout_.bytes, 0);
    for (const FrameField& field : program_.layout_.fields) {
      if (!wanted.contains(field.var)) continue;
      if (field.var->type->is_graph()) {
        runtime::cuda::GraphUpload& upload = uploads_.at(field.var);
        need(upload.wait());
        put(frame, field.offset, upload.view());
      } else if (field.var->type->is_list()) {
        std::uint64_t size = values_.list(field.var).size;
        const std::vector<const void*>& columns = device_columns(field.var);
        for (std::size_t c = 0; c < columns.size(); ++c) {
          put(frame, field.offset + c * 16, columns[c]);
          put(frame, field.offset + c * 16 + 8, size);
        }
      } else {
        put_scalar(frame, field, values_.value(field.var), region.loc);
      }
    }
    return frame;
  }

  static void put_scalar(std::vector<std::uint8_t>& frame, const FrameField& field, const interp::Value& value,
                         SourceLoc loc) {
    if (const bool* truth = std::get_if<bool>(&value)) {
      put(frame, field.offset, static_cast<std::uint8_t>(*truth ? 1 : 0));
    } else if (const interp::Vid* vertex = std::get_if<interp::Vid>(&value)) {
      put(frame, field.offset, vertex->rank);
    } else if (const std::int64_t* narrow = std::get_if<std::int64_t>(&value)) {
      put(frame, field.offset, *narrow);
    } else if (const __int128* wide = std::get_if<__int128>(&value)) {
      put(frame, field.offset, *wide);
    } else if (const double* real = std::get_if<double>(&value)) {
      put(frame, field.offset, *real);
    } else {
      interp::trap(runtime::TrapCode::EmptyList, loc);
    }
  }

  // Steps

  std::uint64_t positions(const EmittedRegion& entry) {
    if (entry.outer == nullptr) return 1;
    std::uint64_t size = values_.size(*entry.outer->lists[0]);
    for (const ir::Expr* list : entry.outer->lists.subspan(1)) {
      if (values_.size(*list) != size) interp::trap(runtime::TrapCode::LengthMismatch, entry.outer->loc);
    }
    return size;
  }

  void region(const ir::Region& s) {
    std::size_t index = next_region_++;
    RegionRequest request;
    request.region = &s;
    request.group = session().groups[index];
    request.positions = positions(session().regions[index]);
    for (const ir::Buffer& buffer : s.buffers) {
      std::int64_t items = std::max<std::int64_t>(values_.integer(*buffer.capacity), 0);
      const std::span<const ir::Type* const> columns = buffer.var->type->columns;
      std::uint64_t bytes =
          columns.size() == 1 ? runtime::element_bytes(element_kind(*columns[0])) : 8 * columns.size();
      request.buffers.push_back({std::string(buffer.var->hint), static_cast<std::uint64_t>(items), bytes});
    }
    request.original_ids = device_ids();
    request.universe = universe_.size();
    const Clock::time_point waiting = Clock::now();
    request.frame = frame(s);
    result_.times.emplace_back("upload", milliseconds_since(waiting));
    const ir::Expr* dealt = session().regions[index].dealt_graph;
    const auto upload = dealt != nullptr ? uploads_.find(ir::as<ir::Var>(dealt)) : uploads_.end();
    if (upload != uploads_.end()) request.dealt_graph = &upload->second.view();
    choose_kernel(request, index);
    RegionOutcome outcome = session().launcher->run(request, options_);
    result_.times.emplace_back("kernel", outcome.milliseconds);
    if (!outcome.note.empty()) result_.notes.push_back(outcome.note);
    result_.ending = outcome.ending;
    result_.positions += outcome.positions;
    report_lists(request, outcome);
    result_.deferred += outcome.splits;
    for (std::size_t i = 0; i < s.collect->sinks.size(); ++i) {
      const ir::Sink& sink = s.collect->sinks[i];
      if (sink.kind == ir::SinkKind::List) {
        values_.set(sink.var, std::move(outcome.rows[i]));
      } else {
        values_.set(sink.var, std::move(outcome.values[i]));
      }
    }
  }

  /// The kernel of the region; when its arrays do not fit, the program is compiled for paged lists first.
  void choose_kernel(RegionRequest& request, std::size_t index) {
    request.kernel = &session().kernels[index];
    request.stack = session().stack;
    if (request.stack == Stack::Paged || !session().launcher->wants_pages(request)) return;
    result_.notes.push_back("lists are kept in pages, because arrays for enough groups of threads do not fit");
    program_.compile(std::vector(session().groups), Stack::Paged, result_);
    request.kernel = &session().kernels[index];
    request.stack = Stack::Paged;
  }

  /// Tells of the region whose lists took most.
  void report_lists(const RegionRequest& request, const RegionOutcome& outcome) {
    if (!result_.stack.empty() && outcome.list_bytes <= result_.list_bytes) return;
    result_.stack = request.stack == Stack::Paged ? "paged" : "array";
    result_.workers = outcome.groups;
    result_.list_bytes = outcome.list_bytes;
  }

  void results(const ir::Return& s) {
    if (options_.on_rows && s.values.size() == 1 && s.values[0]->type->is_list()) {
      give_rows(values_.list(*s.values[0]));
      result_.values.emplace_back(static_cast<__int128>(result_.rows));
      return;
    }
    for (const ir::Expr* e : s.values) {
      if (e->type->is_list()) {
        result_.values.emplace_back(list_value(values_.list(*e)));
        continue;
      }
      interp::Value value = values_.scalar(*e);
      if (const bool* truth = std::get_if<bool>(&value)) {
        result_.values.emplace_back(*truth);
      } else if (const interp::Vid* vertex = std::get_if<interp::Vid>(&value)) {
        result_.values.emplace_back(VertexValue{vertex->rank});
      } else if (const std::int64_t* narrow = std::get_if<std::int64_t>(&value)) {
        result_.values.emplace_back(static_cast<__int128>(*narrow));
      } else if (const double* real = std::get_if<double>(&value)) {
        result_.values.emplace_back(*real);
      } else {
        result_.values.emplace_back(std::get<__int128>(value));
      }
    }
  }

  /// Hands rows over in blocks.
  void give_rows(const HostList& list) {
    constexpr std::uint64_t kBlock = 4096;
    for (std::uint64_t at = 0; at < list.size; at += kBlock) {
      std::vector<const void*> data;
      for (std::size_t c = 0; c < list.columns.size(); ++c) {
        data.push_back(static_cast<const char*>(list.columns[c]) + at * runtime::element_bytes(list.kinds[c]));
      }
      std::uint64_t count = std::min(kBlock, list.size - at);
      result_.rows += count;
      if (!options_.on_rows(Rows{count, list.kinds, data.data()})) {
        result_.ending = Ending::RowsRefused;
        return;
      }
    }
  }

  CudaExecutable& program_;
  const runtime::Universe& universe_;
  const RunOptions& options_;
  HostValues values_;
  std::unordered_map<const ir::Var*, runtime::cuda::GraphUpload> uploads_;
  std::unordered_map<const ir::Var*, std::vector<const void*>> columns_;
  std::vector<DeviceMemory> arrays_;
  const std::int64_t* ids_ = nullptr;
  std::size_t next_region_ = 0;
  RunResult result_;
};

CudaExecutable::CudaExecutable(const ir::Module& module, const CudaOptions& options)
    : module_(module), options_(options), layout_(module) {
  for_each_device_node(module_, [&](const ir::Expr& node) {
    if (const ir::Var* var = ir::as<ir::Var>(&node)) on_device_.insert(var);
    bool ids = node.kind == Kind::Convert &&
               (node.type->is_scalar(ScalarKind::Vid) || node.operands[0]->type->is_scalar(ScalarKind::Vid));
    reads_ids_ = reads_ids_ || ids;
  });
}

CudaExecutable::~CudaExecutable() = default;

void CudaExecutable::open(RunResult& result) {
  if (session_ == nullptr) {
    const Clock::time_point start = Clock::now();
    const runtime::cuda::Driver* driver = need(runtime::cuda::Driver::open());
    std::unique_ptr<Session> session = std::make_unique<Session>();
    session->device = need(runtime::cuda::Device::open(*driver, options_.device));
    session->launcher = std::make_unique<RegionLauncher>(session->device, options_);
    session_ = std::move(session);
    result.times.emplace_back("device", milliseconds_since(start));
  }
  result.tier = session_->device->label();
}

void CudaExecutable::compile(const std::vector<std::uint32_t>& groups, Stack stack, RunResult& result) {
  Session& session = *session_;
  if (session.module && session.groups == groups && session.stack == stack) return;
  Clock::time_point start = Clock::now();
  DeviceText device_text = emit_device_text(module_, groups, options_.steal, stack);
  runtime::cuda::NvrtcSearch search;
  search.preferred_major = session.device->driver().version() / 1000;
  const runtime::cuda::Nvrtc* nvrtc = need(runtime::cuda::Nvrtc::open(search));
  runtime::cuda::CompileRequest request;
  request.source = std::move(device_text.text);
  request.name = fmt::format("{}.cu", module_.name.empty() ? "program" : module_.name);
  request.arch = session.device->properties().arch;
  request.options = compile_options();
  runtime::cuda::KernelImage image =
      need(runtime::cuda::compile_cached(*nvrtc, runtime::cuda::KernelCache::standard(), request));
  if (!image.note.empty()) result.notes.push_back(image.note);
  result.times.emplace_back(image.from_cache ? "kernel_cache" : "nvrtc", milliseconds_since(start));
  start = Clock::now();
  session.module.emplace(need(runtime::cuda::Module::load(session.device, image.bytes)));
  session.kernels.clear();
  for (const EmittedRegion& region : device_text.regions) {
    session.kernels.push_back(need(session.module->function("run_" + region.function)));
  }
  session.groups = groups;
  session.stack = stack;
  session.regions = std::move(device_text.regions);
  result.times.emplace_back("module", milliseconds_since(start));
}

RunOutcome CudaExecutable::run(std::span<const Argument> arguments, const runtime::Universe& universe,
                               const RunOptions& options) {
  try {
    return Run(*this, universe, options).walk(arguments);
  } catch (const interp::Trap& trap) {
    return RunError{trap.error, trap.loc};
  }
}

}  // namespace matcha::codegen::gpu
