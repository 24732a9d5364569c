#include "passes/restrict.h"

#include "passes/restrict_steps.h"

namespace matcha::passes {

ir::Module restrict_loops(const ir::Module& module, PassContext& context) {
  ir::Module result = restrict_bounds(module, context);
  result = restrict_times(result, context);
  result = restrict_literals(result, context);
  result = restrict_members(result, context);
  ir::Module stores = restrict_stores(result, context);
  // Spans hide the bound of a slice, so they wait until stores have shrunk.
  return stores.body != result.body ? stores : restrict_spans(result, context);
}

}  // namespace matcha::passes
