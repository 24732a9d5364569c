#include "codegen/c_family/emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "codegen/c_family/flat_loops.h"
#include "codegen/c_family/frame.h"
#include "codegen/c_family/lane_loops.h"
#include "codegen/c_family/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/common/bits.h"

namespace matcha::codegen {

using ir::Kind;
using ir::ScalarKind;
using ir::SinkKind;

namespace {

class WorkerEmitter {
 public:
  WorkerEmitter(const ir::Module& module, const Spelling& spelling, Names& names)
      : module_(module), spelling_(spelling), facts_(module), names_(names), expressions_(facts_, names) {}

  Emitted run() {
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

 private:
  void emit(const ir::Region& region) {
    region_ = &region;
    EmittedRegion entry{&region, fmt::format("region_{}", emitted_.regions.size()), nullptr, false, nullptr, 0};
    if (region.schedule.parallel) {
      entry.outer = ir::as<ir::For>(region.collect->body->body.back());
      entry.dealt_graph = dealt_graph(facts_, *entry.outer);
      entry.shared_rows = row_stores(*entry.outer->body);
    }
    group_ = spelling_.groups.empty() ? 0 : spelling_.groups[emitted_.regions.size()];
    flat_loops_.reset();
    if (group_ > 1) flat_loops_ = std::make_unique<FlatLoops>(facts_, region, spelling_.stack == Stack::Array);
    set_lanes(entry);
    shared_rows_ = entry.shared_rows;
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
    lane_loops_.reset();
    if (group_ > 1) lane_loops_ = std::make_unique<LaneLoops>(facts_, region);
    find_shared_counts(region);
    std::string totals = fmt::format("Totals{}", emitted_.regions.size());
    out_.line("// What a worker has found in all its tasks; of a group, `lanes` is each lane's own part.");
    out_.open(fmt::format("struct {}", totals));
    for (const ir::Sink& sink : region.collect->sinks) declare_accumulator(sink, true);
    out_.close(";");
    out_.blank();
    out_.open(fmt::format("{} void {}(const Frame& f, {}& w, const Task& task, [[maybe_unused]] {}& t)",
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
    for (const ir::Var* sum : shared_counts_) out_.line(fmt::format("{}lanes += {};", accumulator(sum), share(sum)));
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
    emitted_.regions.push_back(entry);
  }

  /// Whether the lanes of a group take positions of the outermost loop or of the one inside it, or arcs.
  void set_lanes(EmittedRegion& entry) {
    if (!flat_loops_ || entry.outer == nullptr) return;
    if (flat_loops_->arcs_loop() != nullptr) {
      entry.arcs_graph = flat_loops_->arcs_graph();
      entry.dealt_graph = nullptr;
    }
    entry.lanes_level = entry.arcs_graph != nullptr || flat_loops_->find(*entry.outer) != nullptr ? 0 : kSpineLevels;
    for (const ir::For* loop : spine(*entry.outer->body)) {
      if (entry.lanes_level != 0 && flat_loops_->find(*loop) != nullptr) entry.lanes_level = 1;
    }
  }

  static bool counts_a_set(const ir::Yield& yield) {
    const ir::Expr* value = yield.values[0];
    if (value->kind == Kind::Convert) value = value->operands[0];
    if (value->kind != Kind::Size) return false;
    const ir::Expr* set = value->operands[0];
    return set->type->bits || set->kind == Kind::Intersect || set->kind == Kind::Diff;
  }

  /// Sums of the region into which counts are yielded: in a group every lane keeps its share of those counts, and the
  /// lanes are added up once a task.
  void find_shared_counts(const ir::Region& region) {
    if (group_ <= 1) return;
    std::set<const ir::Var*> sums;
    for (const ir::Sink& sink : region.collect->sinks) {
      if (sink.kind == SinkKind::Sum && !sink.var->type->is_scalar(ScalarKind::F64)) sums.insert(sink.var);
    }
    ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& s) {
      const ir::Yield* yield = ir::as<ir::Yield>(&s);
      if (yield == nullptr || !sums.contains(yield->sink)) return;
      if (counts_a_set(*yield) || in_lanes(yield->sink)) shared_counts_.insert(yield->sink);
    });
  }

  /// A sum to which lanes add on their own.
  bool in_lanes(const ir::Var* sum) const {
    return lane_loops_ && (lane_loops_->adds_to(sum) || flat_loops_->adds_to(sum));
  }

  bool of_region(const ir::Var* sink) const { return sink_index_.contains(sink); }

  void declare_accumulator(const ir::Sink& sink, bool region) {
    if (region && in_worker(sink)) return;
    std::string name = names_.of(sink.var) + "_";
    if (sink.kind == SinkKind::List) {
      out_.line(fmt::format("auto {} = filled({});", name, room(sink.var, sink.maybe_buffer)));
    } else if (sink.kind == SinkKind::Any || sink.kind == SinkKind::All) {
      out_.line(fmt::format("bool {} = {};", name, sink.kind == SinkKind::All));
    } else {
      out_.line(fmt::format("{} {}{{}};", accumulator_type(sink), name));
      if (region ? shared_counts_.contains(sink.var) : in_lanes(sink.var)) {
        out_.line(fmt::format("i128 {}lanes{{}};", name));
      }
    }
    kinds_[sink.var] = sink.kind;
  }

  std::string accumulator(const ir::Var* sink) { return (of_region(sink) ? "t." : "") + names_.of(sink) + "_"; }
  std::string share(const ir::Var* sink) { return names_.of(sink) + "_share"; }

  std::size_t buffer_index(const ir::Var* buffer) const {
    const auto found = std::find_if(region_->buffers.begin(), region_->buffers.end(),
                                    [&](const ir::Buffer& b) { return b.var == buffer; });
    return static_cast<std::size_t>(found - region_->buffers.begin());
  }

  /// The worker's place for a list of the type of `list`.
  std::string room(const ir::Var* list, const ir::Var* buffer) const {
    if (list->type->bits || list->type->is_bit_rows()) return fmt::format("w.buffer<u64>({})", buffer_index(buffer));
    std::string columns = Expressions::type(list->type).substr(5);
    columns.pop_back();
    std::string_view call = spelling_.stack == Stack::Paged ? "paged_buffer" : "buffer";
    return fmt::format("w.{}<{}>({})", call, columns, buffer_index(buffer));
  }

  /// A bit set of one lane: stored if it is read several times and a few words are enough.
  void keep(const ir::Store& s) {
    constexpr std::int64_t kMostWords = 64;
    const std::int64_t words =
        static_cast<std::int64_t>(matcha_program::words_for(static_cast<std::uint64_t>(facts_.longest(s.value))));
    std::string value = expressions_.text(s.value);
    const auto uses = uses_.find(s.var);
    if (uses != uses_.end() && uses->second > 1 && words <= kMostWords) {
      std::string place = fmt::format("{}_words", names_.of(s.var));
      out_.line(fmt::format("alignas(16) u64 {}[{}];", place, words));
      value = fmt::format("keep_bits({}, {})", value, place);
    }
    out_.line(fmt::format("const auto {} = {};", names_.of(s.var), value));
  }

  /// The argument by which tasks of one outermost position share rows.
  std::string shared_rows(const ir::Store& s) {
    if (!s.var->type->is_bit_rows() || !region_->schedule.parallel || loops_ != 1) return "";
    std::string number = shared_rows_ == 1 ? "at0" : fmt::format("at0 * {} + {}", shared_rows_, next_rows_);
    ++next_rows_;
    return fmt::format(", w.shared_rows(task, {}, u64({}.size))", number,
                       expressions_.text(s.value->operands[1], Precedence::Primary));
  }

  void flush(const ir::Sink& sink) {
    if (in_worker(sink)) return;
    if (shared_counts_.contains(sink.var)) {
      out_.line(fmt::format("{0} += w.gather({0}lanes);", accumulator(sink.var)));
    }
    out_.line(fmt::format("w.merge({}, {});", sink_index_[sink.var],
                          sink.kind == SinkKind::Any   ? fmt::format("AnyOf{{{}}}", accumulator(sink.var))
                          : sink.kind == SinkKind::All ? fmt::format("AllOf{{{}}}", accumulator(sink.var))
                                                       : accumulator(sink.var)));
  }

  /// On the spine, effects beside the loop that a task may resume run only in tasks that begin further out.
  void block(const ir::Block& b) {
    bool on_spine = level_ == depth_ && level_ < kSpineLevels && region_->schedule.parallel && !spine(b).empty();
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

  void resumable(const ir::Stmt& s) {
    if (const ir::For* loop = ir::as<ir::For>(&s)) {
      spine_loop(*loop);
      return;
    }
    const ir::If* branch = ir::as<ir::If>(&s);
    out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
    block(*branch->then_body);
    if (branch->maybe_else != nullptr) {
      out_.turn("else");
      block(*branch->maybe_else);
    }
    out_.close();
  }

  static std::string comment(const ir::Stmt& stmt) {
    return stmt.loc.valid() ? fmt::format("  // line {}", stmt.loc.line) : "";
  }

  /// Binds the lists of a loop to names, so that they are derived once.
  std::vector<std::string> bind_lists(const ir::For& loop) {
    std::vector<std::string> bound;
    for (const ir::Expr* list : loop.lists) {
      if (list->kind == Kind::Var) {
        bound.push_back(expressions_.text(list));
        continue;
      }
      bound.push_back(fmt::format("walked{}", walked_++));
      out_.line(fmt::format("const auto {} = {};", bound.back(), expressions_.text(list)));
    }
    return bound;
  }

  std::string length(const ir::For& loop, const std::vector<std::string>& lists) {
    std::string size = fmt::format("u64({}.size)", lists[0]);
    for (std::size_t i = 1; i < lists.size(); ++i) {
      size = fmt::format("w.same_length({}, u64({}.size), {}, {})", size, lists[i], loop.loc.line, loop.loc.column);
    }
    return size;
  }

  void loop_body(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index) {
    bind_items(loop, lists, index);
    block(*loop.body);
  }

  void bind_items(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index) {
    std::size_t var = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (std::size_t column = 0; column < loop.lists[i]->type->columns.size(); ++column, ++var) {
        out_.line(fmt::format("const {} {} = item<{}>({}, {});", Expressions::type(loop.vars[var]->type),
                              names_.of(loop.vars[var]), column, lists[i], index));
      }
    }
    if (loop.maybe_index != nullptr)
      out_.line(fmt::format("const i64 {} = i64({});", names_.of(loop.maybe_index), index));
  }

  void spine_loop(const ir::For& loop) {
    if (const FlatLoop* flat = flat_loops_ ? flat_loops_->find(loop) : nullptr) return flat_loop(loop, *flat, true);
    std::vector<std::string> lists = bind_lists(loop);
    std::string index = fmt::format("at{}", level_);
    std::string walk = fmt::format("walk{}", level_);
    out_.line(fmt::format("Walk {} = w.walk(task, {}, {});", walk, level_, length(loop, lists)));
    out_.open(fmt::format("for (u64 {0} = {1}.begin; {0} < {1}.end; ++{0})", index, walk), comment(loop));
    leave("leave", walk, index);
    ++level_;
    ++depth_;
    ++loops_;
    loop_body(loop, lists, index);
    --level_;
    --depth_;
    --loops_;
    if (level_ == 0) out_.line("w.finish_positions(task, 1);");
    out_.close();
  }

  /// A loop of which every lane takes an item of its own.
  void flat_loop(const ir::For& loop, const FlatLoop& flat, bool on_spine) {
    std::vector<std::string> lists = bind_lists(loop);
    std::string walk = on_spine ? fmt::format("walk{}", level_) : "";
    std::string index = on_spine ? fmt::format("at{}", level_) : fmt::format("step{}", walked_++);
    std::string end = on_spine ? walk + ".end" : "end";
    if (on_spine) out_.line(fmt::format("Walk {} = w.walk(task, {}, {});", walk, level_, length(loop, lists)));
    std::string begin = on_spine ? walk + ".begin" : fmt::format("0, end = {}", length(loop, lists));
    std::string from = lane_steps(loop, index, begin, end, on_spine && level_ == 0);
    if (on_spine) leave("leave_lanes", walk, from);
    sides(flat);
    out_.line(fmt::format("const u64 {} = {} + w.lane();", index, from));
    bool outermost = on_spine && level_ == 0;
    out_.open(fmt::format("if ({}{} < {})", outermost ? "w.lane() < w.lanes() && " : "", index, end));
    bool before = std::exchange(alone_, true);
    bind_items(loop, lists, index);
    until_count(*loop.body, flat);
    out_.close();
    after_count(*loop.body, flat, on_spine ? from : "");
    alone_ = before;
    if (on_spine && level_ == 0)
      out_.line(fmt::format("w.finish_positions(task, smaller({} - {}, w.lanes()));", end, from));
    out_.close();
  }

  /// A region that walks vertices and their neighbours as one list of arcs, of which every lane takes one.
  void flat_arcs(const ir::For& outer, const EmittedRegion& entry) {
    const ir::For& inner = *flat_loops_->arcs_loop();
    const FlatLoop& flat = *flat_loops_->find(inner);
    std::string graph = expressions_.text(entry.arcs_graph, Precedence::Primary);
    out_.line(fmt::format("Walk walk0 = w.walk(task, 0, {}.arc_count);", graph));
    std::string from = lane_steps(inner, "arc", "walk0.begin", "walk0.end", true);
    leave("leave_lanes", "walk0", from);
    sides(flat);
    out_.line(fmt::format("const u64 arc = {} + w.lane();", from));
    out_.open("if (w.lane() < w.lanes() && arc < walk0.end)");
    out_.line(fmt::format("const u32 {} = {}.sources[arc];{}", names_.of(outer.vars[0]), graph, comment(outer)));
    bool before = std::exchange(alone_, true);
    int opened = 0;
    const ir::Block* b = outer.body;
    while (true) {
      for (const ir::Stmt* stmt : b->body.first(b->body.size() - 1)) this->stmt(*stmt);
      const ir::If* branch = ir::as<ir::If>(b->body.back());
      if (branch == nullptr) break;
      out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
      b = branch->then_body;
      ++opened;
    }
    std::vector<std::string> lists = bind_lists(inner);
    std::string index = "at1";
    out_.line(fmt::format("const u64 {} = place_of_arc({}, arc, {});", index, graph, lists[0]));
    out_.open(fmt::format("if ({} < u64({}.size))", index, lists[0]));
    bind_items(inner, lists, index);
    until_count(*inner.body, flat);
    for (int i = 0; i < opened + 2; ++i) out_.close();
    after_count(*inner.body, flat, from);
    alone_ = before;
    out_.line("w.finish_positions(task, smaller(walk0.end - from_arc, w.lanes()));");
    out_.close();
  }

  /// Opens the loop that takes as many positions at a time as there are lanes; gives the name of the first of them.
  std::string lane_steps(const ir::For& loop, const std::string& index, const std::string& begin,
                         const std::string& end, bool outermost) {
    std::string from = "from_" + index;
    out_.open(fmt::format("for (u64 {0} = {1}; {0} < {2}; {0} += {3})", from, begin, end,
                          outermost ? "w.lanes()" : "w.kLanes"),
              comment(loop));
    return from;
  }

  void leave(std::string_view call, const std::string& walk, const std::string& index) {
    out_.line(fmt::format("if (w.{}(task, {}, {}, {}, {}, {})) break;", call, level_, walk, level_ > 0 ? "at0" : "0",
                          level_ > 1 ? "at1" : "0", index));
  }

  /// A position of the loop at the current level, as arguments.
  std::string place(const std::string& index) const {
    return fmt::format("{}, {}, {}, {}", level_, level_ > 0 ? "at0" : "0", level_ > 1 ? "at1" : "0", index);
  }

  void sides(const FlatLoop& flat) {
    if (flat.count != nullptr) out_.line("Sides counted{};");
  }

  /// What a lane does before its count: all of it when nothing is counted.
  void until_count(const ir::Block& b, const FlatLoop& flat) {
    for (const ir::Stmt* stmt : b.body) {
      if (stmt == flat.reader) {
        const ir::Expr& set = *flat.count->operands[0];
        out_.line(fmt::format("counted = {}({}, {});", flat.ascending ? "sides" : "sides_repeats",
                              expressions_.text(set.operands[0]), expressions_.text(set.operands[1])));
        return;
      }
      const ir::If* branch = ir::as<ir::If>(stmt);
      if (branch == nullptr) {
        this->stmt(*stmt);
        continue;
      }
      out_.open(fmt::format("if ({})", expressions_.text(branch->cond)));
      until_count(*branch->then_body, flat);
      out_.close();
    }
  }

  /// What follows the count, which all lanes make together. `from`: the first position of a loop whose positions tasks
  /// may name; else empty.
  void after_count(const ir::Block& b, const FlatLoop& flat, const std::string& from) {
    if (flat.count == nullptr) return;
    const ir::Stmt* last = b.body.back();
    const auto reader = std::find(b.body.begin(), b.body.end(), flat.reader);
    if (reader == b.body.end()) return after_count(*ir::as<ir::If>(last)->then_body, flat, from);
    std::string count = fmt::format("w.{}({}counted)", flat.shares ? "share_flat" : "count_flat",
                                    from.empty() ? "" : fmt::format("task, {}, ", place(from)));
    // The lists may be somebody else's afterwards.
    if (flat.count->operands[0]->kind == Kind::Diff) {
      out_.line(fmt::format("const i64 hits = {};", count));
      count = "i64(counted.whole) - hits";
    }
    if (flat.shares) {
      const ir::Var* sum = ir::as<ir::Yield>(last)->sink;
      out_.line(fmt::format("{} += {};", of_region(sum) ? share(sum) : accumulator(sum) + "lanes", count));
      return;
    }
    out_.line(fmt::format("const i64 count = {};", count));
    out_.open("if (counted.there)");
    expressions_.replace(flat.count, "count");
    for (auto stmt = reader; stmt != b.body.end(); ++stmt) this->stmt(**stmt);
    expressions_.replace(nullptr, "");
    out_.close();
  }

  /// A walk over the positions of a bit set, by all lanes together or by each its own.
  void bit_loop(const ir::For& s) {
    bool shared = lane_loops_ && lane_loops_->contains(s);
    std::string walk = fmt::format("bits{}", walked_++);
    ++depth_;
    out_.open(fmt::format("for (auto {0} = {1}({2}); {0}.next();)", walk, shared ? "w.walk_lanes" : "walk_bits",
                          expressions_.text(s.lists[0])),
              comment(s));
    out_.line(fmt::format("const i64 {} = {}.position;", names_.of(s.vars[0]), walk));
    if (s.maybe_index != nullptr) out_.line(fmt::format("const i64 {} = {}.index;", names_.of(s.maybe_index), walk));
    bool before = std::exchange(alone_, alone_ || shared);
    expressions_.set_in_lanes(alone_);
    ++loops_;
    block(*s.body);
    --loops_;
    alone_ = before;
    expressions_.set_in_lanes(alone_);
    out_.close();
    --depth_;
  }

  void loop(const ir::For& s) {
    if (s.lists[0]->type->bits) return bit_loop(s);
    if (const FlatLoop* flat = flat_loops_ ? flat_loops_->find(s) : nullptr) return flat_loop(s, *flat, false);
    ++depth_;
    std::vector<std::string> lists = bind_lists(s);
    std::string index = fmt::format("step{}", walked_++);
    out_.open(fmt::format("for (u64 {0} = 0, end = {1}; {0} < end; ++{0})", index, length(s, lists)), comment(s));
    ++loops_;
    loop_body(s, lists, index);
    --loops_;
    out_.close();
    --depth_;
  }

  void yield(const ir::Yield& s) {
    std::string values;
    for (const ir::Expr* value : s.values) values += (values.empty() ? "" : ", ") + expressions_.text(value);
    const auto index = sink_index_.find(s.sink);
    bool rows = s.sink->type->is_list();
    bool exact = s.sink->type->is_scalar(ScalarKind::F64) && kinds_.find(s.sink) == kinds_.end();
    if (index != sink_index_.end() && rows) {
      std::string_view place = level_ == 0 ? "0" : level_ == 1 ? "w.place(at0)" : "w.place(at0, at1)";
      out_.line(fmt::format("w.row({}, {}, {});", index->second, place, values));
      return;
    }
    if (index != sink_index_.end() && exact) {
      out_.line(fmt::format("w.sum_exactly({}, {});", index->second, values));
      return;
    }
    std::string name = accumulator(s.sink);
    if (shared_counts_.contains(s.sink) && counts_a_set(s)) {
      const ir::Expr* count = s.values[0]->kind == Kind::Convert ? s.values[0]->operands[0] : s.values[0];
      out_.line(fmt::format("{} += {};", share(s.sink), expressions_.share(count->operands[0])));
      return;
    }
    switch (kinds_[s.sink]) {
      case SinkKind::Sum:
        if (alone_) name += "lanes";
        out_.line(s.sink->type->is_scalar(ScalarKind::F64) ? fmt::format("{}.add({});", name, values)
                                                           : fmt::format("{} += {};", name, values));
        break;
      case SinkKind::Min:
      case SinkKind::Max: out_.line(fmt::format("{}.take({});", name, values)); break;
      case SinkKind::Any:
        out_.line(fmt::format("{0} = {0} || {1};", name, expressions_.text(s.values[0], Precedence::And)));
        break;
      case SinkKind::All:
        out_.line(fmt::format("{0} = {0} && {1};", name, expressions_.text(s.values[0], Precedence::Equality)));
        break;
      case SinkKind::List:
        out_.line(fmt::format("w.append({}, {}, {}, {});", name, s.loc.line, s.loc.column, values));
        break;
    }
  }

  void collect(const ir::Collect& s) {
    for (const ir::Sink& sink : s.sinks) declare_accumulator(sink, false);
    block_without_spine(*s.body);
    for (const ir::Sink& sink : s.sinks) {
      std::string name = accumulator(sink.var);
      if (in_lanes(sink.var)) out_.line(fmt::format("{0} += w.gather({0}lanes);", name));
      std::string value = name;
      std::string place = fmt::format("{}, {}", s.loc.line, s.loc.column);
      if (sink.kind == SinkKind::Sum) {
        value = sink.var->type->is_scalar(ScalarKind::F64) ? name + ".value()"
                                                           : fmt::format("w.narrow({}, {})", name, place);
      } else if (sink.kind == SinkKind::Min || sink.kind == SinkKind::Max) {
        value = fmt::format("w.best({}, {})", name, place);
      } else if (sink.kind == SinkKind::List) {
        value = name + ".list()";
      }
      std::string type = sink.kind == SinkKind::List ? "auto" : Expressions::type(sink.var->type);
      out_.line(fmt::format("const {} {} = {};", type, names_.of(sink.var), value));
    }
  }

  void block_without_spine(const ir::Block& b) {
    ++depth_;
    block(b);
    --depth_;
  }

  void branch(const ir::If& s) {
    out_.open(fmt::format("if ({})", expressions_.text(s.cond)));
    block_without_spine(*s.then_body);
    if (s.maybe_else != nullptr) {
      out_.turn("else");
      block_without_spine(*s.maybe_else);
    }
    out_.close();
  }

  void stmt(const ir::Stmt& s) {
    ir::match(
        s, [&](const ir::Block& b) { block_without_spine(b); },
        [&](const ir::Let& l) {
          std::string type = l.var->type->is_list() ? "auto" : Expressions::type(l.var->type);
          out_.line(fmt::format("const {} {} = {};", type, names_.of(l.var), expressions_.text(l.value)));
        },
        [&](const ir::Store& st) {
          if (alone_) return keep(st);
          std::string into = room(st.var, st.buffer) + shared_rows(st);
          out_.line(fmt::format("const auto {} = {};", names_.of(st.var), expressions_.set_operation(st.value, into)));
        },
        [&](const ir::For& f) { loop(f); }, [&](const ir::If& i) { branch(i); },
        [&](const ir::Collect& c) { collect(c); }, [&](const ir::Yield& y) { yield(y); },
        [](const ir::Stmt&) { MATCHA_UNREACHABLE("a statement inside a region"); });
  }

  const ir::Module& module_;
  const Spelling& spelling_;
  ir::Facts facts_;
  Names& names_;
  Expressions expressions_;
  TextWriter out_;
  Emitted emitted_;
  const ir::Region* region_ = nullptr;
  std::map<const ir::Var*, std::size_t> sink_index_;
  std::map<const ir::Var*, SinkKind> kinds_;
  std::set<const ir::Var*> shared_counts_;
  std::unordered_map<const ir::Var*, int> uses_;
  std::unique_ptr<FlatLoops> flat_loops_;  ///< Of the region, when its groups have several lanes;
  std::unique_ptr<LaneLoops> lane_loops_;  ///< Of the region, when its groups have several lanes.
  bool alone_ = false;                     ///< Inside one of them.
  std::uint32_t group_ = 0;
  int level_ = 0;
  int depth_ = 0;
  int loops_ = 0;  ///< Around the statement.
  std::uint32_t shared_rows_ = 0;
  std::uint32_t next_rows_ = 0;  ///< Of those.
  int walked_ = 0;
};

}  // namespace

Emitted emit_workers(const ir::Module& module, const Spelling& spelling, Names& names) {
  return WorkerEmitter(module, spelling, names).run();
}

}  // namespace matcha::codegen
