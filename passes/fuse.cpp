#include "passes/fuse.h"

#include "passes/fuse_steps.h"

namespace matcha::passes {

ir::Module fuse(const ir::Module& module, PassContext& context) {
  ir::Module result = fuse_flatten(module, context);
  result = fuse_producers(result, context);
  result = fuse_loops(result, context);
  return fuse_siblings(result, context);
}

}  // namespace matcha::passes
