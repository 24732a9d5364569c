#include "codegen/c_family/emitter.h"

#include <algorithm>

#include "codegen/c_family/frame.h"
#include "codegen/c_family/worker_emitter.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;
using ir::SinkKind;

Emitted WorkerEmitter::run() {
  emit_frame(module_, names_, out_);
  emitted_.frame = out_.take();
  for (const ir::Stmt* stmt : module_.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    emit(*region);
    emitted_.text += emitted_.region_texts.emplace_back(out_.take());
  }
  return std::move(emitted_);
}

void WorkerEmitter::emit(const ir::Region& region) {
  region_ = &region;
  EmittedRegion entry{&region, fmt::format("region_{}", emitted_.regions.size()), nullptr, false, nullptr};
  if (region.schedule.parallel) {
    entry.outer = ir::as<ir::For>(region.collect->body->body.back());
    entry.dealt_graph = ir::dealt_graph(facts_, *entry.outer);
    entry.light_arcs = entry.dealt_graph != nullptr && ir::has_light_arcs(*entry.outer);
  }
  group_ = spelling_.groups ? region.schedule.group : 0;
  find_lane_loops(region);
  set_lanes(entry);
  next_rows_ = 0;
  for (std::size_t i = 0; i < region.collect->sinks.size(); ++i) {
    sink_index_[region.collect->sinks[i].var] = i;
    entry.ordered_rows = entry.ordered_rows || region.collect->sinks[i].kind == SinkKind::List;
  }
  out_.blank();
  expressions_.set_in_region(true);
  std::string worker = group_ == 0 ? "Worker" : fmt::format("WorkerOf<Group<{}>>", group_);
  uses_ = ir::count_uses(*region.collect->body);
  shared_counts_.clear();
  find_shared_counts(region);
  std::string totals = fmt::format("Totals{}", emitted_.regions.size());
  out_.line("// What a worker has found in all its tasks; of a group, `lanes` is each lane's own part.");
  out_.open(fmt::format("struct {}", totals));
  for (const ir::Sink& sink : region.collect->sinks) declare_accumulator(sink, true);
  out_.close(";");
  out_.blank();
  out_.open(fmt::format("{} void {}([[maybe_unused]] const Frame& f, {}& w, const Task& task, [[maybe_unused]] {}& t)",
                        spelling_.function, entry.function, worker, totals));
  for (const ir::Var* sum : shared_counts_) out_.line(fmt::format("i64 {} = 0;", share(sum)));
  level_ = 0;
  depth_ = 0;
  loops_ = 0;
  if (entry.arcs_graph != nullptr) {
    flat_arcs(*entry.outer, entry);
  } else {
    block(*region.collect->body);
  }
  end_shared_counts();
  if (!region.schedule.parallel) out_.line("w.finish_positions(task, 1);");
  out_.close();
  out_.blank();
  out_.open(fmt::format("{} void work_on_{}(const Frame& f, {}& w)", spelling_.function, entry.function, worker));
  out_.line(fmt::format("{} t{{}};", totals));
  out_.line(fmt::format("w.run<{}>([&](const Task& task) {{ {}(f, w, task, t); }});", entry.dealt_graph != nullptr,
                        entry.function));
  for (const ir::Sink& sink : region.collect->sinks) flush(sink);
  out_.close();
  expressions_.set_in_region(false);
  entry.counts_common = std::ranges::any_of(region.buffers, &ir::Buffer::counters);
  entry.bit_loops =
      ir::nested_loops(*region.collect->body, [](const ir::For& loop) { return loop.lists[0]->type->bits; });
  emitted_.regions.push_back(entry);
}

void WorkerEmitter::find_lane_loops(const ir::Region& region) {
  flat_loops_.reset();
  list_loops_.reset();
  lane_sums_.clear();
  if (group_ <= 1) return;
  flat_loops_ = std::make_unique<ir::FlatLoops>(facts_, region, region.schedule.stack == ir::Stack::Array);
  list_loops_ = std::make_unique<ir::ListLoops>(region);
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
    const ir::For* loop = ir::as<ir::For>(&stmt);
    if (loop == nullptr || (!lanes_walk_bits(*loop) && flat_of(*loop) == nullptr)) return;
    ir::for_each_stmt(*loop->body, [&](const ir::Stmt& inner) {
      if (const ir::Yield* yield = ir::as<ir::Yield>(&inner)) lane_sums_.insert(yield->sink);
    });
  });
}

void WorkerEmitter::set_lanes(EmittedRegion& entry) {
  if (group_ <= 1 || entry.outer == nullptr) return;
  if (entry.outer->mode == ir::LaneMode::Arcs && flat_loops_->arcs_loop() != nullptr) {
    entry.arcs_graph = flat_loops_->arcs_graph();
    entry.dealt_graph = nullptr;
  }
  entry.lanes_level = entry.arcs_graph != nullptr || flat_of(*entry.outer) != nullptr ? 0 : ir::kSpineLevels;
  for (const ir::For* loop : ir::spine(*entry.outer->body)) {
    const ir::For* second = second_of(*loop);
    const bool lanes = flat_of(*loop) != nullptr || (second != nullptr && !second->lists[0]->type->bits);
    if (entry.lanes_level != 0 && lanes) entry.lanes_level = 1;
  }
}

const ir::FlatLoop* WorkerEmitter::flat_of(const ir::For& loop) const {
  return group_ > 1 && loop.mode == ir::LaneMode::Items ? flat_loops_->find(loop) : nullptr;
}

bool WorkerEmitter::lanes_walk_bits(const ir::For& loop) const {
  return group_ > 1 && loop.mode == ir::LaneMode::Items && loop.lists[0]->type->bits;
}

void WorkerEmitter::block(const ir::Block& b) {
  bool on_spine = level_ == depth_ && level_ < ir::kSpineLevels && region_->schedule.parallel && goes_on(b);
  for (const ir::Stmt* stmt : b.body) {
    if (on_spine && stmt == b.body.back()) {
      resumable(*stmt);
      continue;
    }
    bool effect = stmt->kind != Kind::Let && stmt->kind != Kind::Store && stmt->kind != Kind::Collect;
    bool guarded = on_spine && level_ > 0 && effect;
    if (guarded) out_.open(fmt::format("if (task.depth < {})", level_));
    this->stmt(*stmt);
    if (guarded) out_.close();
  }
}

void WorkerEmitter::block_without_spine(const ir::Block& b) {
  ++depth_;
  block(b);
  --depth_;
}

void WorkerEmitter::branch(const ir::If& s) {
  std::string cond = expressions_.text(s.cond);
  const std::string lanes = lanes_;
  if (lane_private_ && has_loop(s)) {
    const int number = walked_++;
    out_.line(fmt::format("const bool there{} = {};", number, cond));
    lanes_ = fmt::format("lanes{}", number);
    out_.line(fmt::format("const u32 {} = w.among({}, there{});", lanes_, lanes, number));
    cond = fmt::format("there{}", number);
  }
  out_.open(fmt::format("if ({})", cond));
  block_without_spine(*s.then_body);
  if (s.maybe_else != nullptr) {
    if (lanes_ != lanes) lanes_ = fmt::format("{} & ~{}", lanes, lanes_);
    out_.turn("else");
    block_without_spine(*s.maybe_else);
  }
  lanes_ = lanes;
  out_.close();
}

bool WorkerEmitter::has_loop(const ir::If& s) {
  bool found = false;
  const auto visit = [&](const ir::Stmt& inner) { found = found || inner.kind == Kind::For; };
  ir::for_each_stmt(*s.then_body, visit);
  if (s.maybe_else != nullptr) ir::for_each_stmt(*s.maybe_else, visit);
  return found;
}

void WorkerEmitter::stmt(const ir::Stmt& s) {
  ir::match(
      s, [&](const ir::Block& b) { block_without_spine(b); },
      [&](const ir::Let& l) {
        std::string type = l.var->type->is_list() ? "auto" : Expressions::type(l.var->type);
        out_.line(fmt::format("const {} {} = {};", type, names_.of(l.var), expressions_.text(l.value)));
      },
      [&](const ir::Store& st) {
        if (lane_private_) return keep(st);
        if (st.value->kind == ir::Kind::CommonNeighbors) return common(st);
        std::string into = room(st.var, st.buffer) + shared_rows(st);
        out_.line(fmt::format("const auto {} = {};", names_.of(st.var), expressions_.set_operation(st.value, into)));
      },
      [&](const ir::For& f) { loop(f); }, [&](const ir::If& i) { branch(i); },
      [&](const ir::Collect& c) { collect(c); }, [&](const ir::Yield& y) { yield(y); },
      [](const ir::OneOf<ir::BuildGraph, ir::Return, ir::Region> auto&) {
        MATCHA_UNREACHABLE("a statement inside a region");
      });
}

Emitted emit_workers(const ir::Module& module, const Spelling& spelling, Names& names) {
  return WorkerEmitter(module, spelling, names).run();
}

}  // namespace matcha::codegen
