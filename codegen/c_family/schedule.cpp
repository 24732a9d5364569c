#include "codegen/c_family/schedule.h"

#include "ir/check.h"
#include "ir/match.h"

namespace matcha::codegen {

std::string_view stealing_name(ir::Stealing steal) {
  switch (steal) {
    case ir::Stealing::None: return "kNoStealing";
    case ir::Stealing::Half: return "kHalf";
    case ir::Stealing::Timeout: return "kTimeout";
    case ir::Stealing::Kernel: return "kKernel";
    case ir::Stealing::Give: break;
  }
  MATCHA_UNREACHABLE("a way of stealing of the C family");
}

ir::Schedule schedule_of(const ir::Module& module) {
  for (const ir::Stmt* stmt : module.body->body) {
    if (const ir::Region* region = ir::as<ir::Region>(stmt)) return region->schedule;
  }
  ir::Schedule none;
  none.steal = ir::Stealing::Timeout;
  return none;
}

namespace {

/// False, with a diagnostic, if a region's schedule steals in this way.
bool check_without(ir::Stealing steal, const ir::Module& module, std::string_view message, std::string_view hint,
                   Diagnostics& diagnostics) {
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr || region->schedule.steal != steal) continue;
    diagnostics.error(DiagId::TargetLimit, region->loc, std::string(message), std::string(hint));
    return false;
  }
  return true;
}

}  // namespace

bool check_tasks(const ir::Module& module, Diagnostics& diagnostics) {
  return check_without(ir::Stealing::Give, module, "the schedule of a region is for the run time of the CPU",
                       "end --passes in `schedule-regions,map-lanes,legalize`", diagnostics);
}

bool check_no_kernels(const ir::Module& module, Diagnostics& diagnostics) {
  return check_without(ir::Stealing::Kernel, module, "a C++ program starts no kernels",
                       "--steal kernel is for --emit=cuda; --steal timeout and half are for both", diagnostics);
}

}  // namespace matcha::codegen
