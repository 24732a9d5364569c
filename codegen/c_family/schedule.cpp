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

bool check_tasks(const ir::Module& module, Diagnostics& diagnostics) {
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr || region->schedule.steal != ir::Stealing::Give) continue;
    diagnostics.error(DiagId::TargetLimit, region->loc, "the schedule of a region is for the run time of the CPU",
                      "end --passes in `schedule-regions,map-lanes,legalize`");
    return false;
  }
  return true;
}

bool check_no_kernels(const ir::Module& module, Diagnostics& diagnostics) {
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr || region->schedule.steal != ir::Stealing::Kernel) continue;
    diagnostics.error(DiagId::TargetLimit, region->loc, "a C++ program starts no kernels",
                      "--steal kernel is for --emit=cuda; --steal timeout and half are for both");
    return false;
  }
  return true;
}

}  // namespace matcha::codegen
