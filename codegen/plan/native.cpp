#include "codegen/plan/native.h"

#include <cstring>

#include "codegen/cpu/frame.h"

namespace matcha::codegen::plan {

namespace {

constexpr std::uint64_t kLine = 64;

const Region& region_of(const runtime::RegionContext& context) {
  return *reinterpret_cast<const Region*>(context.frame[cpu::kPlanSlot]);
}

const cpu::RegionCode* native_of(const runtime::RegionContext& context) {
  const Region& region = region_of(context);
  const cpu::RegionCode* native = region.native.load(std::memory_order_acquire);
  const bool skipped = native != nullptr && region.every_other.load(std::memory_order_relaxed) &&
                       region.tasks.fetch_add(1, std::memory_order_relaxed) % 2 == 0;
  return skipped ? nullptr : native;
}

void run(runtime::RegionContext& context, runtime::Worker& worker, const Word (&range)[4]) {
  region_of(context).function->run(context, &worker, range, worker.scratch + context.frame[cpu::kScratchSlot]);
}

}  // namespace

void Function::run(runtime::RegionContext& context, runtime::Worker* maybe_worker, const Word (&range)[4],
                   void* memory) const {
  Word* r = static_cast<Word*>(memory);
  std::memcpy(r, registers.data(), registers.size() * sizeof(Word));
  r[kContext] = reinterpret_cast<Word>(&context);
  r[kWorker] = reinterpret_cast<Word>(maybe_worker);
  std::memcpy(r + kBegin, range, sizeof(range));
  r[kFrame] = reinterpret_cast<Word>(context.frame);
  r[kSets] = reinterpret_cast<Word>(context.sets);
  r[kArea] = (reinterpret_cast<Word>(r + registers.size()) + kLine - 1) / kLine * kLine;
  for (const Op* op = ops.data(); op != nullptr;) op = op->action(op, r);
}

bool native_walks(runtime::RegionContext& context, runtime::Worker& worker, bool whole, const Items& items) {
  const cpu::RegionCode* native = native_of(context);
  if (native == nullptr || native->inner == nullptr) return false;
  const std::uint64_t done = worker.items_done;
  worker.kept_position = 0;
  native->inner(&context, &worker, items.position, items.begin, items.end);
  if (whole) worker.items_done = done;
  return true;
}

void walk_positions(runtime::RegionContext* context, runtime::Worker* worker, std::uint64_t begin, std::uint64_t end) {
  const cpu::RegionCode* native = native_of(*context);
  if (native != nullptr) return native->body(context, worker, begin, end);
  run(*context, *worker, {begin, end, 0, kAllItems});
}

void walk_items(runtime::RegionContext* context, runtime::Worker* worker, std::uint64_t position, std::uint64_t begin,
                std::uint64_t end) {
  const cpu::RegionCode* native = native_of(*context);
  if (native != nullptr) return native->inner(context, worker, position, begin, end);
  run(*context, *worker, {position, position + 1, begin, end});
}

}  // namespace matcha::codegen::plan
