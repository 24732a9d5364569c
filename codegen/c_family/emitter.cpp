#include "codegen/c_family/emitter.h"

#include <algorithm>

#include "codegen/c_family/frame.h"
#include "codegen/c_family/worker/lane_plan.h"
#include "codegen/c_family/worker/statements.h"
#include "codegen/c_family/worker/text.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

namespace {

/// The facts about a region that its launcher needs.
EmittedRegion described(const ir::Region& region, const ir::Facts& facts, const worker::LanePlan& plan,
                        std::size_t number) {
  EmittedRegion entry{&region, fmt::format("region_{}", number), nullptr, false, nullptr};
  if (region.schedule.parallel) {
    entry.outer = ir::as<ir::For>(region.collect->body->body.back());
    entry.dealt_graph = ir::dealt_graph(facts, *entry.outer);
    entry.light_arcs = entry.dealt_graph != nullptr && ir::has_light_arcs(*entry.outer);
  }
  plan.describe(entry);
  const auto is_list = [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::List; };
  entry.ordered_rows = std::ranges::any_of(region.collect->sinks, is_list);
  entry.counts_common = std::ranges::any_of(region.buffers, &ir::Buffer::counters);
  entry.bit_loops =
      ir::nested_loops(*region.collect->body, [](const ir::For& loop) { return loop.lists[0]->type->bits; });
  return entry;
}

/// Prints the totals of a region, the function of a task and the function of a worker. In the text `task`, `f`, `w` and
/// `t` are the task, the frame, the worker and its totals.
EmittedRegion emit_region(const ir::Region& region, const Spelling& spelling, worker::Text& text, std::size_t number) {
  const worker::LanePlan plan(text.facts, region, spelling.groups ? region.schedule.group : 0);
  EmittedRegion entry = described(region, text.facts, plan, number);
  worker::Statements statements(text, region, plan);
  worker::Sinks& sinks = statements.sinks();
  TextWriter& out = text.out;
  out.blank();
  text.expressions.set_in_region(true);
  const std::string worker = plan.group() == 0 ? "Worker" : fmt::format("WorkerOf<Group<{}>>", plan.group());
  const std::string totals = fmt::format("Totals{}", number);
  out.line("// The totals of a worker over all its tasks; of a group, `lanes` is each lane's own part.");
  out.open(fmt::format("struct {}", totals));
  sinks.declare_totals();
  out.close(";");
  out.blank();
  out.open(fmt::format("{} void {}([[maybe_unused]] const Frame& f, {}& w, const Task& task, [[maybe_unused]] {}& t)",
                       spelling.function, entry.function, worker, totals));
  sinks.begin_task();
  statements.body(entry);
  sinks.end_task();
  if (!region.schedule.parallel) out.line("w.finish_positions(task, 1);");
  out.close();
  out.blank();
  out.open(fmt::format("{} void work_on_{}(const Frame& f, {}& w)", spelling.function, entry.function, worker));
  out.line(fmt::format("{} t{{}};", totals));
  out.line(fmt::format("w.run<{}>([&](const Task& task) {{ {}(f, w, task, t); }});", entry.dealt_graph != nullptr,
                       entry.function));
  sinks.merge();
  out.close();
  text.expressions.set_in_region(false);
  return entry;
}

}  // namespace

Emitted emit_workers(const ir::Module& module, const Spelling& spelling, Names& names) {
  worker::Text text(module, names);
  Emitted emitted;
  emit_frame(module, names, text.out);
  emitted.frame = text.out.take();
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    emitted.regions.push_back(emit_region(*region, spelling, text, emitted.regions.size()));
    emitted.text += emitted.region_texts.emplace_back(text.out.take());
  }
  return emitted;
}

}  // namespace matcha::codegen
