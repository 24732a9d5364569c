#include "codegen/plan/function_writer.h"

#include <algorithm>

#include "ir/check.h"

namespace matcha::codegen::plan {

FunctionWriter::FunctionWriter(cpu::Layout& layout, const FileName& file_name, bool in_region)
    : layout_(layout), file_name_(file_name), in_region_(in_region), function_(std::make_unique<Function>()) {
  exit_ = new_label();
}

std::unique_ptr<Function> FunctionWriter::finish() {
  place(exit_);
  for (const Queue& queue : queues_) {
    flush(queue);
    put(act::queue_total, queue.address).value = static_cast<Word>(queue.sink);
  }
  put(act::end);
  const std::size_t shift = start_.size();
  function_->ops = std::move(start_);
  function_->ops.insert(function_->ops.end(), ops_.begin(), ops_.end());
  for (const auto& [op, label] : jumps_) function_->ops[shift + op].target = &function_->ops[shift + labels_[label]];
  function_->registers.resize(next_);
  for (const auto& [reg, value] : constants_) function_->registers[reg] = value;
  return std::move(function_);
}

Op& FunctionWriter::put(Action action, Reg to, Reg a, Reg b, Reg c) {
  Op& op = ops_.emplace_back();
  op.action = action;
  op.to = to;
  op.a = a;
  op.b = b;
  op.c = c;
  return op;
}

Op& FunctionWriter::put_at_start(Action action, Reg to, Reg a) {
  Op& op = start_.emplace_back();
  op.action = action;
  op.to = to;
  op.a = a;
  return op;
}

void FunctionWriter::jump(Action action, Label to, Reg a, Reg b) {
  jumps_.emplace_back(ops_.size(), to);
  put(action, 0, a, b);
}

Op& FunctionWriter::trapping(Op& op, SourceLoc loc) {
  if (!loc.valid()) loc = loc_;
  std::deque<Place>& places = function_->places;
  const Place place{loc.line, loc.column, file_name_(loc.file)};
  const Place* const last = places.empty() ? nullptr : &places.back();
  const bool again =
      last != nullptr && last->line == place.line && last->column == place.column && last->file == place.file;
  if (!again) places.push_back(place);
  op.place = &places.back();
  return op;
}

FunctionWriter::Label FunctionWriter::new_label() {
  labels_.push_back(0);
  return labels_.size() - 1;
}

void FunctionWriter::place(Label label) { labels_[label] = ops_.size(); }

Reg FunctionWriter::new_reg(std::uint32_t count) {
  const Reg first = next_;
  next_ += count;
  return first;
}

Reg FunctionWriter::constant(Word value) {
  const auto found = constant_regs_.find(value);
  if (found != constant_regs_.end()) return found->second;
  const Reg reg = new_reg();
  constants_.emplace_back(reg, value);
  constant_regs_.emplace(value, reg);
  return reg;
}

/// Allocates memory for the duration of the function; returns a register with its address.
Reg FunctionWriter::area(std::uint64_t bytes) {
  constexpr std::uint64_t kAlign = 16;
  const Reg reg = new_reg();
  put_at_start(act::area_address, reg).value = function_->area_bytes;
  function_->area_bytes += (bytes + kAlign - 1) / kAlign * kAlign;
  return reg;
}

/// Words of the frame, loaded at the start.
Reg FunctionWriter::frame_words(std::uint32_t slot, std::uint32_t count) {
  const auto found = frame_regs_.find(slot);
  if (found != frame_regs_.end()) return found->second;
  const Reg reg = new_reg(count);
  Op& load = put_at_start(act::load_slot, reg);
  load.value = slot;
  load.n = count;
  frame_regs_.emplace(slot, reg);
  return reg;
}

void FunctionWriter::store_slot(std::uint32_t slot, Reg from, std::uint32_t words) {
  Op& op = put(act::store_slot, 0, from);
  op.value = slot;
  op.n = words;
}

void FunctionWriter::keep(const ir::Expr& value, std::uint32_t slot) {
  if (value.type->is_list()) {
    const List items = list(value);
    store_slot(slot, items.base, 1 + static_cast<std::uint32_t>(items.cells.size()));
  } else {
    store_slot(slot, scalar(value), value.type->is_scalar(ir::ScalarKind::I128) ? 2 : 1);
  }
}

const Table* FunctionWriter::table(std::span<const Reg> regs, std::span<const Cell> cells) {
  Table& made = function_->tables.emplace_back();
  made.regs.assign(regs.begin(), regs.end());
  made.cells.assign(cells.begin(), cells.end());
  return &made;
}

void FunctionWriter::scoped(const std::function<void()>& write) {
  const std::size_t before = known_order_.size();
  write();
  for (; known_order_.size() > before; known_order_.pop_back()) known_.erase(known_order_.back());
}

void FunctionWriter::remember(const ir::Expr& e, Reg reg) {
  if (known_.emplace(&e, reg).second) known_order_.push_back(&e);
}

}  // namespace matcha::codegen::plan
