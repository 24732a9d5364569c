#include "tools/search_choice.h"

#include "driver/gpu_matcher.h"
#include "driver/map_task.h"

namespace matcha::tools {

bool SearchChoice::by_messages(const SearchContext& context) {
  if (context.on_gpu || !context.options.may_lack_program()) return false;
  if (!by_messages_) {
    const runtime::Graph& graph = context.bound.inputs.graphs.at(context.bound.main_graph);
    by_messages_ = goes_by_messages(context.pattern, context.pattern_options, graph);
  }
  return *by_messages_;
}

SearchUse SearchChoice::use(const SearchContext& context) {
  const RunVerbOptions& options = context.options;
  const bool may = options.backend == "llvm" && !options.tune && (!context.on_gpu || options.gpu_given.empty());
  if (!may || context.in_parts) return SearchUse::Never;
  const runtime::Graph& graph = context.bound.inputs.graphs.at(context.bound.main_graph);
  const SearchUse use = use_of_search(context.pattern, context.pattern_options, graph, options.lists());
  // A GPU counts all that is not soon done by a program, and all of which it has a part.
  if (context.on_gpu && options.cluster.any()) return SearchUse::Never;
  if (context.on_gpu && (use != SearchUse::Always || context.rows || !fits_gpu(task(context), options.most()))) {
    return SearchUse::Never;
  }
  return use == SearchUse::Try && options.cluster.any() ? SearchUse::Never : use;
}

const codegen::MatchTask& SearchChoice::task(const SearchContext& context) {
  if (task_) return *task_;
  const RunVerbOptions& options = context.options;
  task_ = match_task(context.pattern, context.pattern_options, context.bound.inputs.graphs.at(context.bound.main_graph),
                     *context.bound.inputs.dictionary, context.bound, context.rows);
  const bool chooses = options.device == "auto" && (context.on_gpu || context.may_choose);
  const bool may = (context.on_gpu || chooses) && !options.cluster.any() && !context.in_parts;
  if (!may || (chooses && !options.most()) || !fits_gpu(*task_, options.most())) return *task_;
  const bool joins = !chooses && context.maybe_shared != nullptr;
  if (joins) batch_ = context.maybe_shared->searches();
  if (batch_ == nullptr) {
    batch_ = gpu_batch(context.bound.inputs.graphs.at(context.bound.main_graph), options.code_folder);
  }
  if (joins) context.maybe_shared->searches() = batch_;
  take_to_gpu(*task_, batch_, options.most(), chooses ? kSearchBeforeGpu : 0);
  return *task_;
}

}  // namespace matcha::tools
