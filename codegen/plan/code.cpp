#include "codegen/plan/code.h"

namespace matcha::codegen::plan {

void Code::call(const std::string& name, runtime::RegionContext& context) const {
  const Function& function = *functions_.at(name);
  constexpr std::uint64_t kLine = 64;
  std::vector<std::byte> memory(function.bytes() + kLine);
  const std::uint64_t begin = (reinterpret_cast<std::uint64_t>(memory.data()) + kLine - 1) / kLine * kLine;
  function.run(context, nullptr, {0, 0, 0, 0}, reinterpret_cast<void*>(begin));
}

cpu::RegionCode Code::region(const cpu::RegionStep& step) const {
  const Region& region = *regions_.at(step.body);
  cpu::RegionCode result;
  result.body = walk_positions;
  if (!step.inner.empty()) result.inner = walk_items;
  result.plan = &region;
  result.scratch_bytes = region.function->bytes();
  return result;
}

void Code::take_native(std::unique_ptr<cpu::Code> native, const cpu::Program& program, bool every_other) {
  native_ = std::move(native);
  for (const cpu::Step& step : program.steps) {
    const cpu::RegionStep* region = std::get_if<cpu::RegionStep>(&step);
    if (region == nullptr) continue;
    Region& taken = *regions_.at(region->body);
    taken.every_other = every_other;
    taken.native.store(&native_regions_.emplace_back(native_->region(*region)), std::memory_order_release);
  }
}

Maker::Maker(cpu::Layout& layout, const SourceManager& sources) : layout_(layout) {
  for (std::uint32_t file = 0; file < sources.size(); ++file) code_->files_.emplace_back(sources.name(file));
  file_name_ = [files = &code_->files_](std::uint32_t file) -> const char* {
    return file < files->size() ? (*files)[file].c_str() : nullptr;
  };
}

void Maker::begin_step(const std::string& name) {
  step_name_ = name;
  step_ = std::make_unique<FunctionWriter>(layout_, file_name_, false);
}

void Maker::end_step() {
  code_->functions_[step_name_] = step_->finish();
  step_.reset();
}

void Maker::let(const ir::Let& s, std::uint32_t slot) {
  step_->set_loc(s.loc);
  step_->let(s);
  step_->keep(*s.var, slot);
}

void Maker::keep(SourceLoc loc, const ir::Expr& value, std::uint32_t slot) {
  step_->set_loc(loc);
  step_->keep(value, slot);
}

void Maker::measure(const std::string& name, const ir::Expr& list, std::uint32_t slot) {
  begin_step(name);
  const bool literal = list.kind == ir::Kind::Literal;
  step_->store_slot(slot,
                    literal ? step_->constant(list.operands.size() / list.type->columns.size()) : step_->size_of(list));
  end_step();
}

void Maker::fill(const std::string& name, const ir::Expr& list, std::uint32_t slot, bool sorted) {
  begin_step(name);
  step_->store_slot(slot, step_->fill_list(list, slot, sorted));
  end_step();
}

void Maker::prepare(const std::string& name, const host::RegionStep& planned, std::uint32_t positions_slot) {
  begin_step(name);
  Reg positions = step_->constant(1);
  if (planned.outer != nullptr) {
    step_->set_loc(planned.outer->loc);
    std::vector<List> lists;
    for (const ir::Expr* e : planned.outer->lists) lists.push_back(step_->loop_list(*e));
    positions = step_->common_length(lists);
  }
  step_->store_slot(positions_slot, positions);
  for (const host::BufferPlan& plan : planned.buffers) {
    step_->store_slot(layout_.frame().slot(*plan.buffer->var), step_->buffer_cells(plan));
  }
  end_step();
}

void Maker::region(const cpu::RegionShape& shape, const std::string& body, const std::string&) {
  FunctionWriter writer(layout_, file_name_, true);
  writer.region(shape);
  std::unique_ptr<Function>& function = code_->functions_[body];
  function = writer.finish();
  std::unique_ptr<Region>& region = code_->regions_[body];
  region = std::make_unique<Region>();
  region->function = function.get();
}

}  // namespace matcha::codegen::plan
