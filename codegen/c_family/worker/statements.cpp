#include "codegen/c_family/worker/statements.h"

#include <algorithm>
#include <utility>

#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::worker {

using ir::Kind;

namespace {

/// The depth of nested loops in the block.
int loops_inside(const ir::Block& block) {
  int most = 0;
  for (const ir::Stmt* stmt : block.body) {
    int here = 0;
    if (const ir::For* loop = ir::as<ir::For>(stmt)) here = 1 + loops_inside(*loop->body);
    if (const ir::Collect* collect = ir::as<ir::Collect>(stmt)) here = loops_inside(*collect->body);
    if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      here = loops_inside(*branch->then_body);
      if (branch->maybe_else != nullptr) here = std::max(here, loops_inside(*branch->maybe_else));
    }
    most = std::max(most, here);
  }
  return most;
}

bool has_loop(const ir::If& s) {
  bool found = false;
  const auto visit = [&](const ir::Stmt& inner) { found = found || inner.kind == Kind::For; };
  ir::for_each_stmt(*s.then_body, visit);
  if (s.maybe_else != nullptr) ir::for_each_stmt(*s.maybe_else, visit);
  return found;
}

}  // namespace

void Statements::body(const EmittedRegion& entry) {
  if (entry.arcs_graph != nullptr) return lane_loops_.arcs(*entry.outer, entry.arcs_graph);
  block(*region_.collect->body);
}

void Statements::block(const ir::Block& b) {
  const bool on_spine = place_.on_spine() && region_.schedule.parallel && continues_spine(b);
  for (const ir::Stmt* stmt : b.body) {
    if (on_spine && stmt == b.body.back()) {
      resumable(*stmt);
      continue;
    }
    bool effect = stmt->kind != Kind::Let && stmt->kind != Kind::Store && stmt->kind != Kind::Collect;
    bool guarded = on_spine && place_.level() > 0 && effect;
    if (guarded) out_.open(fmt::format("if (task.depth < {})", place_.level()));
    this->stmt(*stmt);
    if (guarded) out_.close();
  }
}

void Statements::block_without_spine(const ir::Block& b) {
  place_.enter();
  block(b);
  place_.leave();
}

void Statements::stmt(const ir::Stmt& s) {
  ir::match(
      s, [&](const ir::Block& b) { block_without_spine(b); },
      [&](const ir::Let& l) {
        std::string type = l.var->type->is_list() ? "auto" : Expressions::type(l.var->type);
        out_.line(fmt::format("const {} {} = {};", type, text_.names.of(l.var), expressions_.text(l.value)));
      },
      [&](const ir::Store& st) { stores_.store(st); }, [&](const ir::For& f) { loop(f); },
      [&](const ir::If& i) { branch(i); },
      [&](const ir::Collect& c) { sinks_.collect(c, [&] { block_without_spine(*c.body); }); },
      [&](const ir::Yield& y) { sinks_.yield(y); },
      [](const ir::OneOf<ir::BuildGraph, ir::Repeat, ir::Again, ir::Return, ir::Region> auto&) {
        MATCHA_UNREACHABLE("a statement inside a region");
      });
}

void Statements::branch(const ir::If& s) {
  std::string cond = expressions_.text(s.cond);
  const std::string around = lanes_.active();
  std::string inside = around;
  if (lanes_.are_private() && has_loop(s)) {
    const int number = text_.number();
    out_.line(fmt::format("const bool there{} = {};", number, cond));
    inside = fmt::format("lanes{}", number);
    out_.line(fmt::format("const u32 {} = w.among({}, there{});", inside, around, number));
    cond = fmt::format("there{}", number);
  }
  out_.open(fmt::format("if ({})", cond));
  lanes_.set_active(inside);
  block_without_spine(*s.then_body);
  if (s.maybe_else != nullptr) {
    if (inside != around) lanes_.set_active(fmt::format("{} & ~{}", around, inside));
    out_.turn("else");
    block_without_spine(*s.maybe_else);
  }
  lanes_.set_active(around);
  out_.close();
}

// Loops

bool Statements::continues_spine(const ir::Block& b) const {
  const std::vector<const ir::For*> loops = ir::spine(b, place_.level() == ir::kSpineLevels - 1);
  const auto shared = [&](const ir::For* loop) { return plan_.walks_bits(*loop); };
  return !loops.empty() && std::ranges::none_of(loops, shared);
}

void Statements::resumable(const ir::Stmt& s) {
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

void Statements::spine_loop(const ir::For& loop) {
  if (const ir::FlatLoop* flat = plan_.flat_of(loop)) return lane_loops_.flat(loop, *flat, true);
  if (const ir::For* second = plan_.second_of(loop)) return pair_loops_.loop(loop, *second, true);
  const bool bits = loop.lists[0]->type->bits;
  std::vector<std::string> lists = walks_.bind_lists(loop);
  std::string index = fmt::format("at{}", place_.level());
  std::string walk = fmt::format("walk{}", place_.level());
  std::string size = bits ? fmt::format("u32(w.size_of_bits({}))", lists[0]) : walks_.length(loop, lists);
  const std::string positions = bits ? fmt::format("bits{}", text_.number()) : "";
  walks_.begin_spine(walk, size);
  if (bits) {
    out_.open(fmt::format("for (auto {0} = walk_bits_from({1}, {2}.begin); {0}.next() && u32({0}.index) < {2}.end;)",
                          positions, lists[0], walk),
              Text::comment(loop));
    out_.line(fmt::format("const u32 {} = u32({}.index);", index, positions));
  } else {
    out_.open(fmt::format("for (auto {0} = {1}.begin; {0} < {1}.end; ++{0})", index, walk), Text::comment(loop));
  }
  walks_.leave_spine("leave", walk, index);
  place_.enter_level();
  if (bits) {
    walks_.bind_position(loop, positions);
  } else {
    walks_.bind_items(loop, lists, index);
  }
  block(*loop.body);
  place_.leave_level();
  if (place_.level() == 0) out_.line("w.finish_positions(task, 1);");
  out_.close();
}

void Statements::loop(const ir::For& s) {
  if (const ir::For* second = lanes_.are_private() ? nullptr : plan_.second_of(s)) {
    return pair_loops_.loop(s, *second, false);
  }
  if (s.lists[0]->type->bits) return bit_loop(s);
  if (const ir::FlatLoop* flat = plan_.flat_of(s)) return lane_loops_.flat(s, *flat, false);
  if (const ir::Yield* item = plan_.item_of(s)) return lane_loops_.list(s, *item);
  std::vector<std::string> lists = walks_.bind_lists(s);
  std::string index = fmt::format("step{}", text_.number());
  out_.open(fmt::format("for (auto [{0}, end] = all_of({1}); {0} < end; ++{0})", index, walks_.length(s, lists)),
            Text::comment(s));
  leave_if_stopped(s);
  walks_.bind_items(s, lists, index);
  place_.enter(1);
  block(*s.body);
  place_.leave(1);
  out_.close();
}

void Statements::bit_loop(const ir::For& s) {
  const bool shared = plan_.walks_bits(s);
  const bool each_its_own = lanes_.are_private() || shared;
  const int number = text_.number();
  const std::string walk = fmt::format("bits{}", number);
  const std::string set = expressions_.text(s.lists[0]);
  const Sinks::Parts parts = each_its_own ? sinks_.begin_parts(s, number) : Sinks::Parts{};
  out_.open(fmt::format("for (auto {0} = {1}; {0}.next();)", walk,
                        shared                 ? fmt::format("w.walk_lanes({})", set)
                        : lanes_.are_private() ? fmt::format("w.walk_own({}, {})", set, lanes_.active())
                                               : fmt::format("walk_bits({})", set)),
            Text::comment(s));
  leave_if_stopped(s);
  walks_.bind_position(s, walk);
  const bool before = lanes_.set_private(each_its_own);
  std::string lanes = lanes_.set_active(walk + ".lanes");
  place_.enter(1);
  block(*s.body);
  place_.leave(1);
  lanes_.set_active(std::move(lanes));
  lanes_.set_private(before);
  out_.close();
  sinks_.end_parts(parts);
}

void Statements::leave_if_stopped(const ir::For& loop) {
  // Two loops inside each other take no longer than the square of a list.
  constexpr int kShort = 2;
  // Lanes with different items depend on each other to reach the next item.
  if (lanes_.are_private() || plan_.walks_bits(loop) || loops_inside(*loop.body) < kShort) return;
  // The statements that follow would take a part of a list or a sum for the whole: the task ends here.
  out_.open("if (w.must_stop())");
  sinks_.end_task();
  out_.line("return;");
  out_.close();
}

}  // namespace matcha::codegen::worker
