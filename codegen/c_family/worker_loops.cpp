#include <algorithm>
#include <unordered_map>
#include <utility>

#include "codegen/c_family/worker_emitter.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/spine.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;

namespace {

/// How many loops of the block stand in each other at most.
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

}  // namespace

bool WorkerEmitter::goes_on(const ir::Block& b) const {
  const std::vector<const ir::For*> loops = ir::spine(b, level_ == ir::kSpineLevels - 1);
  const auto shared = [&](const ir::For* loop) { return lanes_walk_bits(*loop); };
  return !loops.empty() && std::ranges::none_of(loops, shared);
}

void WorkerEmitter::resumable(const ir::Stmt& s) {
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

const ir::For* WorkerEmitter::second_of(const ir::For& first) const {
  if (group_ <= 1 || first.mode != ir::LaneMode::Pairs) return nullptr;
  const ir::Stmt* last = first.body->body.back();
  while (const ir::If* branch = ir::as<ir::If>(last)) last = branch->then_body->body.back();
  return ir::as<ir::For>(last);
}

void WorkerEmitter::spine_loop(const ir::For& loop) {
  if (const ir::FlatLoop* flat = flat_of(loop)) return flat_loop(loop, *flat, true);
  if (const ir::For* second = second_of(loop)) return pair_loop(loop, *second, true);
  const bool bits = loop.lists[0]->type->bits;
  std::vector<std::string> lists = bind_lists(loop);
  std::string index = fmt::format("at{}", level_);
  std::string walk = fmt::format("walk{}", level_);
  std::string positions = fmt::format("bits{}", walked_);
  std::string size = bits ? fmt::format("u32(w.size_of_bits({}))", lists[0]) : length(loop, lists);
  begin_walk(walk, size);
  if (bits) {
    ++walked_;
    out_.open(fmt::format("for (auto {0} = walk_bits_from({1}, {2}.begin); {0}.next() && u32({0}.index) < {2}.end;)",
                          positions, lists[0], walk),
              comment(loop));
    out_.line(fmt::format("const u32 {} = u32({}.index);", index, positions));
  } else {
    out_.open(fmt::format("for (auto {0} = {1}.begin; {0} < {1}.end; ++{0})", index, walk), comment(loop));
  }
  leave("leave", walk, index);
  ++level_;
  ++depth_;
  ++loops_;
  if (bits) {
    bind_position(loop, positions);
    block(*loop.body);
  } else {
    loop_body(loop, lists, index);
  }
  --level_;
  --depth_;
  --loops_;
  if (level_ == 0) out_.line("w.finish_positions(task, 1);");
  out_.close();
}

void WorkerEmitter::loop(const ir::For& s) {
  if (const ir::For* second = lane_private_ ? nullptr : second_of(s)) return pair_loop(s, *second, false);
  if (s.lists[0]->type->bits) return bit_loop(s);
  if (const ir::FlatLoop* flat = flat_of(s)) return flat_loop(s, *flat, false);
  if (const ir::Yield* item = item_of(s)) return list_loop(s, *item);
  ++depth_;
  std::vector<std::string> lists = bind_lists(s);
  std::string index = fmt::format("step{}", walked_++);
  out_.open(fmt::format("for (auto [{0}, end] = all_of({1}); {0} < end; ++{0})", index, length(s, lists)), comment(s));
  leave_if_stopped(s);
  ++loops_;
  loop_body(s, lists, index);
  --loops_;
  out_.close();
  --depth_;
}

void WorkerEmitter::bit_loop(const ir::For& s) {
  const bool shared = lanes_walk_bits(s);
  const int number = walked_++;
  const std::string walk = fmt::format("bits{}", number);
  const std::string set = expressions_.text(s.lists[0]);
  const Parts parts = lane_private_ || shared ? begin_parts(s, number) : Parts{};
  ++depth_;
  out_.open(fmt::format("for (auto {0} = {1}; {0}.next();)", walk,
                        shared          ? fmt::format("w.walk_lanes({})", set)
                        : lane_private_ ? fmt::format("w.walk_own({}, {})", set, lanes_)
                                        : fmt::format("walk_bits({})", set)),
            comment(s));
  leave_if_stopped(s);
  bind_position(s, walk);
  const bool before = set_lane_private(lane_private_ || shared);
  const std::string lanes = std::exchange(lanes_, walk + ".lanes");
  ++loops_;
  block(*s.body);
  --loops_;
  lanes_ = lanes;
  set_lane_private(before);
  out_.close();
  --depth_;
  end_parts(parts);
}

void WorkerEmitter::loop_body(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index) {
  bind_items(loop, lists, index);
  block(*loop.body);
}

std::vector<std::string> WorkerEmitter::bind_lists(const ir::For& loop) {
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

void WorkerEmitter::bind_items(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index,
                               std::string_view specifier) {
  std::size_t var = 0;
  // Loops over positions often have no use for the items.
  const std::unordered_map<const ir::Var*, int> uses = ir::count_uses(*loop.body);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::size_t column = 0; column < loop.lists[i]->type->columns.size(); ++column, ++var) {
      if (specifier.empty() && !uses.contains(loop.vars[var])) continue;
      out_.line(fmt::format("{}const {} {} = item<{}>({}, {});", specifier, Expressions::type(loop.vars[var]->type),
                            names_.of(loop.vars[var]), column, lists[i], index));
    }
  }
  if (loop.maybe_index != nullptr)
    out_.line(fmt::format("{}const i64 {} = i64({});", specifier, names_.of(loop.maybe_index), index));
}

void WorkerEmitter::bind_position(const ir::For& s, const std::string& walk) {
  out_.line(fmt::format("const i64 {} = {}.position;", names_.of(s.vars[0]), walk));
  if (s.maybe_index != nullptr) out_.line(fmt::format("const i64 {} = {}.index;", names_.of(s.maybe_index), walk));
}

std::string WorkerEmitter::length(const ir::For& loop, const std::vector<std::string>& lists) {
  std::string size = fmt::format("{}.size", lists[0]);
  for (std::size_t i = 1; i < lists.size(); ++i) {
    size = fmt::format("w.same_length({}, {}.size, {}, {})", size, lists[i], loop.loc.line, loop.loc.column);
  }
  return size;
}

void WorkerEmitter::begin_walk(const std::string& walk, const std::string& size) {
  out_.line(fmt::format("auto {} = w.walk(task, {}, {});", walk, level_, size));
}

void WorkerEmitter::leave(std::string_view call, const std::string& walk, const std::string& index) {
  out_.line(fmt::format("if (w.{}(task, {}, {}, {}, {}, {})) break;", call, level_, walk, level_ > 0 ? "at0" : "0",
                        level_ > 1 ? "at1" : "0", index));
}

void WorkerEmitter::leave_if_stopped(const ir::For& loop) {
  // Two loops inside each other take no longer than the square of a list.
  constexpr int kShort = 2;
  // Lanes that walk on their own count on each other to come to the next item.
  if (lane_private_ || lanes_walk_bits(loop) || loops_inside(*loop.body) < kShort) return;
  // What follows would take a part of a list or a sum for all of it: the task ends here.
  out_.open("if (w.must_stop())");
  end_shared_counts();
  out_.line("return;");
  out_.close();
}

std::string WorkerEmitter::place(const std::string& index) const {
  return fmt::format("{}, {}, {}, {}", level_, level_ > 0 ? "at0" : "0", level_ > 1 ? "at1" : "0", index);
}

}  // namespace matcha::codegen
